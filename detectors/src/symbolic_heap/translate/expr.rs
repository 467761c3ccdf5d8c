//! Expressions and places. What they read becomes commands.

use super::super::language::{Array, Command, Exp, Local};
use super::Builder;
use crate::detector::Refusal;
use babycuda_core::expr::{BoolOp, Relation};
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{At, Expr, ExprKind, Launch, Place, PlaceKind, Type, UnaryOp};

impl Builder<'_> {
    pub(super) fn local(&self, place: &Place) -> Option<Local> {
        match place.kind {
            PlaceKind::Variable(v) => self.locals.get(&v).copied(),
            _ => None,
        }
    }

    /// The cell of a place that threads share.
    pub(super) fn cell(&mut self, place: &Place) -> Result<(Array, Exp), Refusal> {
        scalar(&place.ty, place.at)?;
        match &place.kind {
            PlaceKind::Variable(v) => Ok((self.array(*v)?, Exp::Int(0))),
            PlaceKind::Deref(pointer) => Ok((self.pointer(pointer)?, Exp::Int(0))),
            PlaceKind::Index(both) => {
                let array = self.pointer(&both[0])?;
                Ok((array, self.value(&both[1])?))
            }
            PlaceKind::Member(..) => Err(Refusal::unsupported("a component", place.at)),
            PlaceKind::Unsupported(what) => Err(Refusal::unsupported(what.as_str(), place.at)),
        }
    }

    /// The array that a pointer points to the first element of.
    fn pointer(&mut self, e: &Expr) -> Result<Array, Refusal> {
        match &e.kind {
            ExprKind::Load(place) | ExprKind::Decay(place) => match place.kind {
                PlaceKind::Variable(v) => self.array(v),
                _ => Err(Refusal::unsupported("a pointer from memory", e.at)),
            },
            _ => Err(Refusal::unsupported("arithmetic of pointers", e.at)),
        }
    }

    /// A value; what it reads becomes commands.
    pub(super) fn value(&mut self, e: &Expr) -> Result<Exp, Refusal> {
        Ok(match &e.kind {
            ExprKind::Int(bits) => Exp::Int(scalar(&e.ty, e.at)?.read(*bits)),
            ExprKind::Launch(Launch::ThreadIdx, 0) => Exp::Tid,
            ExprKind::Launch(Launch::BlockDim, 0) => {
                Exp::Int(i128::from(self.configuration.launch.block.x))
            }
            ExprKind::Launch(Launch::ThreadIdx | Launch::BlockIdx, _) => Exp::Int(0),
            ExprKind::Launch(Launch::BlockDim | Launch::GridDim, _) => Exp::Int(1),
            ExprKind::Load(place) => match self.local(place) {
                Some(local) => Exp::Var(local),
                None => {
                    let (array, index) = self.cell(place)?;
                    let local = self.fresh(0);
                    self.push_at(Command::Load(local, array, index), place.at);
                    Exp::Var(local)
                }
            },
            ExprKind::Convert(inner) => {
                let value = self.value(inner)?;
                match e.ty {
                    Type::Bool => Exp::Compare(Relation::Ne, Box::new([value, Exp::Int(0)])),
                    _ => Exp::Convert(scalar(&e.ty, e.at)?, Box::new(value)),
                }
            }
            ExprKind::Unary(op, inner) => {
                let (value, t) = (self.value(inner)?, scalar(&e.ty, e.at)?);
                let from = |n| Exp::Op(MachineOp::Sub, t, Box::new([Exp::Int(n), value.clone()]));
                match op {
                    UnaryOp::Not => Exp::Not(Box::new(value)),
                    UnaryOp::Negate => from(0),
                    UnaryOp::Complement => from(-1),
                }
            }
            ExprKind::Arithmetic(op, both) => {
                let t = scalar(&e.ty, e.at)?;
                let both = [self.value(&both[0])?, self.value(&both[1])?];
                machine(*op, t, both, e.at)?
            }
            ExprKind::Compare(relation, both) => {
                scalar(&both[0].ty, e.at)?;
                let both = [self.value(&both[0])?, self.value(&both[1])?];
                Exp::Compare(*relation, Box::new(both))
            }
            ExprKind::Logical(op, both) => {
                let left = self.value(&both[0])?;
                let before = self.nodes.len();
                let both = Box::new([left, self.value(&both[1])?]);
                if self.nodes.len() > before {
                    return Err(Refusal::unsupported("a read that `&&` or `||` guards", e.at));
                }
                match op {
                    BoolOp::And => Exp::And(both),
                    BoolOp::Or => Exp::Or(both),
                }
            }
            ExprKind::Unsupported(what) => return Err(Refusal::unsupported(what.as_str(), e.at)),
            _ => return Err(Refusal::unsupported("an expression of this kind", e.at)),
        })
    }
}

/// The operator on values of the type. Of those that the solver has no word for, none.
pub(super) fn machine(op: MachineOp, t: IntType, both: [Exp; 2], at: At) -> Result<Exp, Refusal> {
    let nonzero = matches!(both[1], Exp::Int(n) if n > 0);
    match op {
        MachineOp::Add | MachineOp::Sub | MachineOp::Mul => {}
        MachineOp::Div | MachineOp::Rem if nonzero => {}
        _ => {
            return Err(Refusal::unsupported(
                "an operator beyond `+ - *`, `/` and `%` by a number",
                at,
            ));
        }
    }
    Ok(Exp::Op(op, t, Box::new(both)))
}

/// The type of a value that the language has: integers and truth values.
pub(super) fn scalar(ty: &Type, at: At) -> Result<IntType, Refusal> {
    match ty {
        Type::Int(t) => Ok(*t),
        Type::Bool => Ok(IntType::U8),
        _ => Err(Refusal::unsupported("a value that is no integer", at)),
    }
}
