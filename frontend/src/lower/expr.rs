//! Expressions. Accesses of arrays become statements of the current block, in C's evaluation
//! order; those that C evaluates conditionally, below a guard.

use super::operators::Operator;
use super::{At, Lower, Lowered, refuse};
use crate::ctype::{CType, Data};
use crate::value::{Binding, Value};
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_kernel::{Expr, ExprKind, Member, Place, PlaceKind, Type};

impl<'t> Lower<'t> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &'t Expr) -> Lowered<Value> {
        match &expr.kind {
            // What C leaves out is no work.
            ExprKind::Convert(value) if expr.ty != Type::Void => {
                let value = self.eval(value)?;
                let ctype = self.ctype(&expr.ty)?;
                self.convert(value, &ctype, expr.at)
            }
            _ => self.nested(expr.at, |s| s.expression(expr)),
        }
    }

    /// Evaluates an expression for its effects alone. A place whose value nobody wants, or whose
    /// value is cast to `void`, is not read, unless it may be volatile ([expr.context]).
    pub(super) fn effects(&mut self, expr: &'t Expr) -> Lowered<()> {
        match &expr.kind {
            ExprKind::Convert(value) if expr.ty == Type::Void => {
                self.nested(expr.at, |s| s.effects(value))
            }
            ExprKind::Comma(both) => self.nested(expr.at, |s| {
                s.effects(&both[0])?;
                s.effects(&both[1])
            }),
            ExprKind::Load(place) | ExprKind::Decay(place)
                if self.is_memory(place) && !self.kernel.volatile =>
            {
                self.place(place).map(|_| ())
            }
            ExprKind::Conditional(parts)
                if parts[1..].iter().any(|part| self.may_be_place(part)) =>
            {
                refuse(expr.at, "choice of places whose value nobody wants")
            }
            _ => self.eval(expr).map(|_| ()),
        }
    }

    /// Is the expression the value of a place that other threads may see?
    fn may_be_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load(place) => self.is_memory(place),
            ExprKind::Convert(value) => self.may_be_place(value),
            _ => false,
        }
    }

    /// Is the place one that other threads may see?
    fn is_memory(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Variable(v) => self.env.is_visible(*v),
            PlaceKind::Deref(_) | PlaceKind::Index(_) => true,
            PlaceKind::Member(whole, _) => self.is_memory(whole),
            PlaceKind::Unsupported(_) => false,
        }
    }

    /// Is the place a part of a constant object of which nothing is known? Its indices are evaluated then.
    fn is_of_constant(&mut self, place: &'t Place) -> Lowered<bool> {
        Ok(match &place.kind {
            PlaceKind::Variable(v) => {
                matches!(self.env.lookup(*v), Some(Binding::Constant(Value::Data(..))))
            }
            PlaceKind::Member(of, _) => self.is_of_constant(of)?,
            PlaceKind::Index(both) => match &both[0].kind {
                ExprKind::Decay(of) if self.is_of_constant(of)? => {
                    self.effects(&both[1])?;
                    true
                }
                _ => false,
            },
            PlaceKind::Deref(_) | PlaceKind::Unsupported(_) => false,
        })
    }

    /// The truth of an expression.
    pub(super) fn condition(&mut self, expr: &'t Expr) -> Lowered<Bool> {
        let value = self.eval(expr)?;
        self.truth(value, expr.at)
    }

    fn expression(&mut self, expr: &'t Expr) -> Lowered<Value> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Int(bits) => Ok(match expr.ty {
                Type::Bool => Value::Bool(Bool::Lit(*bits != 0)),
                _ => Value::Int(expr.ty.integer().unwrap_or(IntType::I64), Num::lit(*bits)),
            }),
            ExprKind::Float(bits) => {
                let CType::Data(data) = self.ctype(&expr.ty)? else {
                    return refuse(at, "floating value of another type");
                };
                Ok(Value::Data(data, bits.map(Num::lit)))
            }
            ExprKind::Null => Ok(Value::NULL),
            ExprKind::String => Ok(Value::Poison("string")),
            ExprKind::Launch(launch, dimension) => self.launch(*launch, *dimension, at),
            ExprKind::WarpSize => Ok(Value::Int(IntType::I32, Num::lit(self.warp()))),
            ExprKind::Load(place) | ExprKind::Decay(place) => {
                match self.uniform_field(place) {
                    Some(Value::Poison(what)) => return refuse(at, what),
                    Some(value) => return Ok(value),
                    None => {}
                }
                if let Some(elements) = self.elements_of(place)? {
                    return Ok(elements);
                }
                if let PlaceKind::Variable(v) = place.kind {
                    match self.env.lookup(v) {
                        Some(Binding::Constant(Value::Poison(what))) => return refuse(at, what),
                        Some(Binding::Constant(value)) => return Ok(value.clone()),
                        _ => {}
                    }
                }
                if matches!(expr.kind, ExprKind::Load(_)) && self.is_of_constant(place)? {
                    let ctype = self.ctype(&place.ty)?;
                    return Ok(self.unknown(&ctype, at));
                }
                let target = self.place(place)?;
                self.load(&target, place.at)
            }
            ExprKind::AddressOf(place) => {
                let place = self.place(place)?;
                self.address_of(place, at)
            }
            // Of a value that is nowhere: `make_float4(…).x`.
            ExprKind::Component(value, member) => match (self.eval(value)?, member) {
                (object @ Value::Object(..), _) => {
                    let offset = self.kernel.offset(&value.ty, member);
                    let ctype = self.ctype(&expr.ty)?;
                    Ok(self.part_of_value(object, offset, &ctype, at))
                }
                (_, Member::Field(_)) => {
                    let field = self.ctype(&expr.ty)?;
                    Ok(self.unknown(&field, at))
                }
                (Value::Data(Data { lane, .. }, _), _) => {
                    let lane = lane.map_or(CType::Data(Data::UNKNOWN), |(lane, _)| *lane);
                    Ok(self.unknown(&lane, at))
                }
                (Value::Poison(what), _) => refuse(at, what),
                _ => refuse(at, "member of a value that is no structure"),
            },
            // To `void`; others are made where they are met.
            ExprKind::Convert(value) => {
                self.effects(value)?;
                Ok(Value::Void)
            }
            ExprKind::Unary(op, value) => {
                let value = self.eval(value)?;
                self.unary(*op, value, at)
            }
            ExprKind::Arithmetic(op, both) => self.operation(Operator::Compute(*op), both, at),
            ExprKind::Compare(relation, both) => {
                self.operation(Operator::Compare(*relation), both, at)
            }
            ExprKind::Logical(op, both) => self.short_circuit(*op, both, at).map(Value::Bool),
            ExprKind::Conditional(all) => self.conditional(all, at),
            ExprKind::Comma(both) => {
                self.effects(&both[0])?;
                self.eval(&both[1])
            }
            ExprKind::Assign(place, value) => {
                if let Some((op, step, computed)) = self.own_step(place, value)? {
                    let target = self.place(place)?;
                    let (old, step) = (self.load(&target, place.at)?, self.eval(step)?);
                    let computed = CType::Int(computed);
                    if let Some(new) =
                        self.counter_step(&target, op, &old, &step, &computed, value.at)
                    {
                        return self.store(&target, new, place.at);
                    }
                }
                let value = self.eval(value)?;
                let target = self.place(place)?;
                self.store(&target, value, place.at)
            }
            ExprKind::Update { op, place, value, computed } => {
                let value = self.eval(value)?;
                let target = self.place(place)?;
                let old = self.load(&target, place.at)?;
                let computed = self.ctype(computed)?;
                if let Some(new) = self.counter_step(&target, *op, &old, &value, &computed, at) {
                    return self.store(&target, new, place.at);
                }
                let old = match old {
                    Value::Int(..) | Value::Bool(_) => self.convert(old, &computed, place.at)?,
                    old => old,
                };
                let new = self.binary(Operator::Compute(*op), old, value, at)?;
                self.store(&target, new, place.at)
            }
            ExprKind::Step { place, up, prefix } => {
                let target = self.place(place)?;
                let old = self.load(&target, place.at)?;
                let op = if *up { MachineOp::Add } else { MachineOp::Sub };
                let new = self.binary(Operator::Compute(op), old.clone(), Value::int(1), at)?;
                let new = self.store(&target, new, place.at)?;
                Ok(if *prefix { new } else { old })
            }
            ExprKind::List(values) => {
                let ctype = self.ctype(&expr.ty)?;
                self.list(ctype, values, at)
            }
            ExprKind::Call { function, arguments, assumed } => {
                if let Some(assumed) = assumed {
                    self.note(assumed.as_str(), None);
                }
                self.inline(*function, arguments, at)
            }
            ExprKind::Device(name, arguments) => self.device(name.as_str(), arguments, expr),
            ExprKind::Unsupported(construct) => refuse(at, construct),
        }
    }

    fn operation(&mut self, op: Operator, both: &'t [Expr; 2], at: At) -> Lowered<Value> {
        let [l, r] = both;
        if !matches!(op, Operator::Compute(MachineOp::Shl | MachineOp::Shr)) {
            self.in_any_order(&[l.into(), r.into()], at)?;
        }
        let l = self.eval(l)?;
        let r = self.eval(r)?;
        self.binary(op, l, r, at)
    }
}
