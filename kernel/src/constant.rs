//! Constant expressions of integers.

use crate::expr::{Expr, ExprKind, PlaceKind, UnaryOp};
use crate::kernel::Var;
use crate::types::Type;
use babycuda_core::expr::BoolOp;
use babycuda_core::{IntType, MachineOp};

/// The bit pattern that a constant expression has, at its type; `known`: what variables hold. `None`: it is no
/// constant of an integer type or of `bool`, or it has no value, as in C one that overflows or divides by 0.
pub fn constant(expr: &Expr, known: &dyn Fn(Var) -> Option<u64>) -> Option<u64> {
    let value = |e: &Expr| constant(e, known);
    let t = expr.ty.integer()?;
    Some(match &expr.kind {
        ExprKind::Int(bits) => *bits,
        ExprKind::Load(place) => match place.kind {
            PlaceKind::Variable(v) => known(v)?,
            _ => return None,
        },
        ExprKind::Convert(from) => {
            let bits = value(from)?;
            match expr.ty {
                Type::Bool => u64::from(bits != 0),
                _ => from.ty.integer()?.convert(bits, t),
            }
        }
        ExprKind::Unary(UnaryOp::Not, x) => u64::from(value(x)? == 0),
        ExprKind::Unary(UnaryOp::Negate, x) => exact(MachineOp::Sub, t, 0, value(x)?)?,
        ExprKind::Unary(UnaryOp::Complement, x) => t.width.mask() & !value(x)?,
        ExprKind::Arithmetic(op, both) => exact(*op, t, value(&both[0])?, value(&both[1])?)?,
        ExprKind::Compare(relation, both) => {
            let t = both[0].ty.integer().filter(|_| both[0].ty == both[1].ty)?;
            let (l, r) = (t.read(value(&both[0])?), t.read(value(&both[1])?));
            u64::from(relation.holds(l.cmp(&r)))
        }
        ExprKind::Logical(op, both) => {
            let decided = u64::from(*op == BoolOp::Or);
            if value(&both[0])? == decided { decided } else { value(&both[1])? }
        }
        ExprKind::Conditional(all) => value(if value(&all[0])? != 0 { &all[1] } else { &all[2] })?,
        _ => return None,
    })
}

/// `l op r` at type `t`, where it has a value.
fn exact(op: MachineOp, t: IntType, l: u64, r: u64) -> Option<u64> {
    let (x, y) = (t.read(l), t.read(r));
    let result = match op {
        MachineOp::Add => x + y,
        MachineOp::Sub => x - y,
        MachineOp::Mul => x.checked_mul(y)?,
        MachineOp::Div => x.checked_div(y)?,
        MachineOp::Rem => x.checked_rem(y)?,
        MachineOp::Shl | MachineOp::Shr if r >= u64::from(t.width.bits()) => return None,
        _ => return Some(op.apply(t, l, r)),
    };
    let bits = op.apply(t, l, r);
    (!t.signed || t.read(bits) == result).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::At;

    fn int(t: IntType, value: i128) -> Expr {
        Expr::int(Type::Int(t), t.write(value), At(0))
    }

    fn both(op: MachineOp, t: IntType, l: i128, r: i128) -> Option<i128> {
        let kind = ExprKind::Arithmetic(op, Box::new([int(t, l), int(t, r)]));
        let value = constant(&Expr { kind, ty: Type::Int(t), at: At(0) }, &|_| None);
        value.map(|bits| t.read(bits))
    }

    #[test]
    fn what_c_leaves_open_is_no_constant() {
        let t = IntType::I32;
        assert_eq!(both(MachineOp::Mul, t, -3, 5), Some(-15));
        assert_eq!(both(MachineOp::Add, t, i32::MAX.into(), 1), None);
        assert_eq!(both(MachineOp::Add, IntType::U32, u32::MAX.into(), 1), Some(0));
        assert_eq!(both(MachineOp::Div, t, i32::MIN.into(), -1), None);
        assert_eq!(both(MachineOp::Rem, t, 1, 0), None);
        assert_eq!(both(MachineOp::Shr, t, -8, 1), Some(-4));
        assert_eq!(both(MachineOp::Shl, t, 1, 32), None);
    }

    #[test]
    fn conversions_keep_the_value_or_wrap() {
        let to = |from: Expr, ty: Type| constant(&from.converted(&ty, At(0)), &|_| None);
        assert_eq!(to(int(IntType::I32, -1), Type::Int(IntType::U8)), Some(255));
        assert_eq!(to(int(IntType::I8, -1), Type::Int(IntType::U64)), Some(u64::MAX));
        assert_eq!(to(int(IntType::U8, 200), Type::Bool), Some(1));
    }
}
