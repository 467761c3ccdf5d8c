//! Expressions (SKBG18 §4.1, "Important Unary and Binary Operators", "Array Expression").

use super::super::formula::{Action, Kind, Node, Role, SymbolId, Wff};
use super::place::converted;
use super::{Translation, Translator, assigned};
use crate::Refusal;
use babycuda_core::expr::BoolOp;
use babycuda_core::{IntType, MachineOp, Name};
use babycuda_kernel::device::Device;
use babycuda_kernel::{At, Expr, ExprKind, Launch, Place, PlaceKind, Type};

impl Translator<'_> {
    /// The value of an expression; what it assigns becomes formulae.
    pub(super) fn expr(&mut self, expr: &Expr) -> Translation<Wff> {
        let value = self.expr_or_none(expr)?;
        value.ok_or_else(|| Refusal::unsupported("a value of no type", expr.at))
    }

    /// The same; `None`: it has no value.
    pub(super) fn expr_or_none(&mut self, expr: &Expr) -> Translation<Option<Wff>> {
        if expr.ty == Type::Void {
            return self.void(expr).map(|()| None);
        }
        let kind = self.kind(&expr.ty, expr.at)?;
        let wff = |node: Node| Ok(Some(Wff { node, kind }));
        match &expr.kind {
            ExprKind::Int(bits) => wff(Node::Num(*bits)),
            ExprKind::Float(_) => wff(Node::Data(Vec::new())),
            ExprKind::WarpSize => wff(Node::Num(u64::from(babycuda_core::launch::WARP_SIZE))),
            ExprKind::Launch(which, dimension) => {
                let id = self.launch_symbol(*which, *dimension);
                Ok(Some(self.variable(id)))
            }
            ExprKind::Load(place) => self.load(place).map(Some),
            ExprKind::Convert(from) => {
                let value = self.expr(from)?;
                match (value.kind, kind) {
                    (_, Kind::Data) => wff(Node::Data(vec![value])),
                    (Kind::Data, _) => Ok(Some(self.free(kind, vec![value], expr.at))),
                    _ => Ok(Some(converted(value, kind))),
                }
            }
            ExprKind::Component(of, _) => {
                let value = self.expr(of)?;
                self.unknown(kind, vec![value], expr.at).map(Some)
            }
            ExprKind::Unary(op, x) => {
                let x = self.expr(x)?;
                match (x.kind, kind) {
                    (Kind::Data, _) => self.unknown(kind, vec![x], expr.at).map(Some),
                    _ => wff(Node::Unary(*op, Box::new(x))),
                }
            }
            ExprKind::Arithmetic(op, both) => {
                let [l, r] = self.both(both)?;
                match kind {
                    Kind::Data => wff(Node::Data(vec![l, r])),
                    _ => wff(Node::Binary(*op, Box::new([l, r]))),
                }
            }
            ExprKind::Compare(relation, both) => {
                let [l, r] = self.both(both)?;
                match l.kind {
                    Kind::Data => self.unknown(kind, vec![l, r], expr.at).map(Some),
                    _ => wff(Node::Compare(*relation, Box::new([l, r]))),
                }
            }
            ExprKind::Logical(op, both) => {
                let l = self.expr(&both[0])?;
                self.pure(&both[1])?;
                let only = if *op == BoolOp::And { l.clone() } else { l.clone().negated() };
                self.predicate.push(only);
                let r = self.expr(&both[1]);
                self.predicate.pop();
                wff(Node::Logical(*op, Box::new([l, r?])))
            }
            ExprKind::Conditional(all) => self.conditional(all, kind, expr.at).map(Some),
            ExprKind::Comma(both) => {
                self.effect(&both[0])?;
                self.expr_or_none(&both[1])
            }
            ExprKind::Assign(place, value) => {
                let value = self.expr(value)?;
                self.assign(place, value.clone())?;
                Ok(Some(value_of(place, value, self)))
            }
            ExprKind::Update { op, place, value, computed } => {
                let value = self.expr(value)?;
                let held = self.load(place)?;
                let computed = self.kind(computed, expr.at)?;
                let result = match computed {
                    Kind::Data => Node::Data(vec![held, value]),
                    _ => Node::Binary(*op, Box::new([converted(held, computed), value])),
                };
                let result = Wff { node: result, kind: computed };
                let result = match (computed, kind) {
                    (Kind::Data, Kind::Data) => result,
                    (Kind::Data, _) => self.free(kind, vec![result], expr.at),
                    _ => converted(result, kind),
                };
                self.assign(place, result.clone())?;
                Ok(Some(value_of(place, result, self)))
            }
            ExprKind::Step { place, up, prefix } => {
                let held = self.load(place)?;
                let result = self.stepped(&held, *up, expr.at)?;
                self.assign(place, result.clone())?;
                let after = value_of(place, result, self);
                Ok(Some(if *prefix { after } else { held }))
            }
            ExprKind::Device(name, arguments) => self.device(name, arguments, kind, expr.at),
            other => Err(Refusal::unsupported(unsupported(other), expr.at)),
        }
    }

    fn void(&mut self, expr: &Expr) -> Translation<()> {
        match &expr.kind {
            ExprKind::Convert(from) => self.effect(from),
            ExprKind::Device(name, arguments)
                if name.as_str() == "__syncthreads" && arguments.is_empty() =>
            {
                self.emit(Action::Barrier, expr.at);
                Ok(())
            }
            ExprKind::Comma(both) => both.iter().try_for_each(|e| self.effect(e)),
            ExprKind::Device(name, _) => Err(Refusal::unsupported(name.as_str(), expr.at)),
            other => Err(Refusal::unsupported(unsupported(other), expr.at)),
        }
    }

    fn both(&mut self, both: &[Expr; 2]) -> Translation<[Wff; 2]> {
        Ok([self.expr(&both[0])?, self.expr(&both[1])?])
    }

    /// A value that is made of data.
    fn unknown(&mut self, kind: Kind, from: Vec<Wff>, at: At) -> Translation<Wff> {
        match kind {
            Kind::Data => Ok(Wff { node: Node::Data(from), kind }),
            _ => Ok(self.free(kind, from, at)),
        }
    }

    pub(super) fn load(&mut self, place: &Place) -> Translation<Wff> {
        if let PlaceKind::Variable(v) = place.kind
            && !self.arrays.contains_key(&v)
        {
            if let Some(id) = self.now.get(&v) {
                return Ok(self.variable(*id));
            }
            // A variable of the file that nothing here declares: any value.
            let kind = self.kind(&place.ty, place.at)?;
            let name = self.kernel[v].name.clone();
            let id = self.symbol(&name, kind, Role::Parameter(name.clone()));
            self.now.insert(v, id);
            return Ok(self.variable(id));
        }
        let (array, index) = self.element(place)?;
        let kind = self.out.arrays[array.0].kind;
        let version = self.versions[array.0];
        Ok(Wff { node: Node::Select(array, version, Box::new(index), place.at), kind })
    }

    /// One more or less.
    fn stepped(&mut self, held: &Wff, up: bool, at: At) -> Translation<Wff> {
        let Kind::Int(t) = held.kind else {
            return match held.kind {
                Kind::Data => Ok(Wff { node: Node::Data(vec![held.clone()]), kind: Kind::Data }),
                _ => Err(Refusal::unsupported("a step of a truth value", at)),
            };
        };
        let computed = Kind::Int(babycuda_kernel::promote(t));
        let one = Wff { node: Node::Num(1), kind: computed };
        let op = if up { MachineOp::Add } else { MachineOp::Sub };
        let both = Box::new([converted(held.clone(), computed), one]);
        Ok(converted(Wff { node: Node::Binary(op, both), kind: computed }, held.kind))
    }

    fn conditional(&mut self, all: &[Expr; 3], kind: Kind, at: At) -> Translation<Wff> {
        let c = self.condition(&all[0])?;
        self.pure(&all[1])?;
        self.pure(&all[2])?;
        let id = self.symbol("phi", kind, Role::Thread);
        let one = |e: &Expr| {
            let e = e.clone();
            move |t: &mut Self| {
                let value = t.expr(&e)?;
                t.emit(Action::Equal(id, value), at);
                Ok(())
            }
        };
        self.branches(c, at, one(&all[1]), one(&all[2]))?;
        Ok(self.variable(id))
    }

    /// Refuses an operand that assigns, where it may not be evaluated.
    fn pure(&self, expr: &Expr) -> Translation<()> {
        if assigned(expr).is_empty() {
            return Ok(());
        }
        Err(Refusal::unsupported("an assignment in an operand that may be skipped", expr.at))
    }

    fn device(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        kind: Kind,
        at: At,
    ) -> Translation<Option<Wff>> {
        let exact = match name.as_str() {
            "min" => Some(MachineOp::Min),
            "max" => Some(MachineOp::Max),
            _ => None,
        };
        let known = Device::of(name.as_str());
        let values: Translation<Vec<Wff>> = arguments.iter().map(|e| self.expr(e)).collect();
        match (known, exact, kind) {
            (Some(Device::Data | Device::Exact), _, Kind::Data) => {
                Ok(Some(Wff { node: Node::Data(values?), kind }))
            }
            (Some(Device::Exact), Some(op), Kind::Int(_)) => match values?.as_slice() {
                [l, r] => {
                    let both = [l, r].map(|x| converted(x.clone(), kind));
                    Ok(Some(Wff { node: Node::Binary(op, Box::new(both)), kind }))
                }
                _ => Err(Refusal::unsupported(name.as_str(), at)),
            },
            _ => Err(Refusal::unsupported(name.as_str(), at)),
        }
    }

    fn launch_symbol(&mut self, which: Launch, dimension: usize) -> SymbolId {
        if let Some(id) = self.launch.get(&(which.name(), dimension)) {
            return *id;
        }
        let name = match which {
            Launch::ThreadIdx => "tid",
            Launch::BlockIdx => "bid",
            other => other.name(),
        };
        let name = format!("{name}.{}", ["x", "y", "z"].get(dimension).unwrap_or(&"?"));
        let role = Role::Launch(which, dimension);
        let id = self.symbol(&name, Kind::Int(IntType::U32), role);
        self.launch.insert((which.name(), dimension), id);
        id
    }
}

/// What an assignment yields: what the variable holds from now on.
fn value_of(place: &Place, value: Wff, translator: &Translator<'_>) -> Wff {
    match place.kind {
        PlaceKind::Variable(v) => match translator.now.get(&v) {
            Some(id) => translator.variable(*id),
            None => value,
        },
        _ => value,
    }
}

fn unsupported(kind: &ExprKind) -> &str {
    match kind {
        ExprKind::Null | ExprKind::AddressOf(_) | ExprKind::Decay(_) => "a pointer",
        ExprKind::String => "a string",
        ExprKind::List(_) => "an object from its parts",
        ExprKind::Call { .. } => "a call of a function",
        ExprKind::Unsupported(construct) => construct,
        _ => "an expression of that type",
    }
}
