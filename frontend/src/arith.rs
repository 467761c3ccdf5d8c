//! Expressions, simplified as they are built. Every rewriting here is exact for patterns within
//! their width, which is what the front end builds and what launches and parameters supply.

use crate::range::Known;
use babycuda_core::expr::{ArithOp, NumOp, Relation};
use babycuda_core::interval::word;
use babycuda_core::simplify;
pub(crate) use babycuda_core::simplify::{and, or};
use babycuda_core::{Bool, IntType, MachineOp, Natural, Num};

/// The literal of a number that fits in 64 bits.
pub(crate) fn lit(value: u64) -> Num {
    Num::lit(value)
}

/// The pattern of the integer `value` at type `t`.
pub(crate) fn pattern(t: IntType, value: i128) -> Num {
    Num::lit(t.write(value))
}

/// The literal's value, when `num` is one that fits in 64 bits.
pub(crate) fn as_lit(num: &Num) -> Option<u64> {
    match num {
        Num::Lit(k) => k.to_u64(),
        _ => None,
    }
}

/// `l op r` on machine integers of type `t`.
pub(crate) fn machine(op: MachineOp, t: IntType, l: Num, r: Num) -> Num {
    use MachineOp as M;
    if let (Num::Lit(l), Num::Lit(r)) = (&l, &r) {
        return Num::Lit(op.apply_natural(t, l, r));
    }
    match (op, as_lit(&l), as_lit(&r)) {
        (M::Add | M::Or | M::Xor, Some(0), _) => r,
        (M::Add | M::Sub | M::Or | M::Xor | M::Shl | M::Shr, _, Some(0)) => l,
        (M::Mul | M::And, Some(0), _) | (M::Mul | M::And, _, Some(0)) => lit(0),
        (M::Mul, Some(1), _) => r,
        (M::Mul | M::Div, _, Some(1)) => l,
        _ => Num::machine(op, t, l, r),
    }
}

/// `l op r` on naturals.
pub(crate) fn natural(op: ArithOp, l: Num, r: Num) -> Num {
    simplify::binary(NumOp::Natural(op), l, r)
}

/// The conversion of `num` from one machine type to another. It vanishes where it changes
/// nothing, and a truncation moves inside the operators that it commutes with.
pub(crate) fn cast(from: IntType, to: IntType, num: Num, ranges: &Known) -> Num {
    if let Num::Lit(k) = &num {
        return Num::lit(from.convert(from.pattern(k), to));
    }
    if to.width == from.width {
        return num;
    }
    if to.width > from.width {
        return if !from.signed || ranges.of(&num, from).0 >= 0 {
            num
        } else {
            Num::cast(from, to, num)
        };
    }
    match &num {
        // A widening conversion that changes nothing leaves no node, so the operand may be of a
        // narrower type than `from`: its own width must be at least the target's.
        Num::Cast(inner, at, n) if at.width >= to.width => {
            cast(*inner, to, n.as_ref().clone(), ranges)
        }
        Num::Binary(NumOp::Machine(op, at), l, r)
            if at.width >= to.width
                && matches!(
                    op,
                    MachineOp::Add
                        | MachineOp::Sub
                        | MachineOp::Mul
                        | MachineOp::And
                        | MachineOp::Or
                        | MachineOp::Xor
                ) =>
        {
            let narrow = |n: &Num| cast(from, to, n.clone(), ranges);
            machine(*op, to, narrow(l), narrow(r))
        }
        // A pattern that is small enough already.
        _ if within_width(&num, to, ranges) => num,
        _ => Num::cast(from, to, num),
    }
}

/// Is the pattern of `num` known to be below `2^w` for the width of `t`?
fn within_width(num: &Num, t: IntType, ranges: &Known) -> bool {
    ranges.natural(num).is_some_and(|r| r.1 <= i128::from(t.width.mask()))
}

/// `l relation r` on machine integers of type `t`, decided where the intervals decide it.
pub(crate) fn compare(relation: Relation, t: IntType, l: Num, r: Num, ranges: &Known) -> Bool {
    if l == r {
        return Bool::Lit(relation.holds(std::cmp::Ordering::Equal));
    }
    let (a, b) = (ranges.of(&l, t), ranges.of(&r, t));
    match word::compare(relation, a, b) {
        Some(truth) => Bool::Lit(truth),
        None => Bool::compare_machine(relation, t, l, r),
    }
}

/// `l relation r` on naturals.
pub(crate) fn compare_natural(relation: Relation, l: Num, r: Num) -> Bool {
    match (&l, &r) {
        (Num::Lit(a), Num::Lit(b)) => Bool::Lit(relation.holds(a.cmp(b))),
        _ => Bool::compare(relation, l, r),
    }
}

/// `!c`, pushed into a comparison.
pub(crate) fn not(c: Bool) -> Bool {
    match &c {
        Bool::Lit(b) => Bool::Lit(!b),
        Bool::Not(c) => c.as_ref().clone(),
        Bool::Compare(op, l, r) => {
            let mut op = *op;
            op.relation = match op.relation {
                Relation::Eq => Relation::Ne,
                Relation::Ne => Relation::Eq,
                Relation::Lt => Relation::Ge,
                Relation::Le => Relation::Gt,
                Relation::Gt => Relation::Le,
                Relation::Ge => Relation::Lt,
            };
            Bool::Compare(op, l.clone(), r.clone())
        }
        _ => Bool::not(c),
    }
}

/// `then` if `c`, otherwise `otherwise`.
pub(crate) fn select(c: Bool, then: Num, otherwise: Num) -> Num {
    match c {
        Bool::Lit(true) => then,
        Bool::Lit(false) => otherwise,
        _ if then == otherwise => then,
        c => Num::select(c, then, otherwise),
    }
}

/// The condition with which a joined flag is true: `(c && then) || (!c && otherwise)`.
pub(crate) fn select_bool(c: Bool, then: Bool, otherwise: Bool) -> Bool {
    if then == otherwise {
        return then;
    }
    // What the condition says of itself.
    if then == c {
        return or(c, otherwise);
    }
    let fails = not(c.clone());
    if otherwise == fails {
        return or(fails, then);
    }
    match (&then, &otherwise) {
        (Bool::Lit(true), _) => or(c, otherwise),
        (Bool::Lit(false), _) => and(fails, otherwise),
        (_, Bool::Lit(true)) => or(fails, then),
        (_, Bool::Lit(false)) => and(c, then),
        _ => or(and(c, then), and(fails, otherwise)),
    }
}

/// `c ? 1 : 0`
pub(crate) fn bit(c: Bool) -> Num {
    select(c, lit(1), lit(0))
}

/// The pattern `k` of type `t`, as the integer it means.
pub(crate) fn literal_reading(k: &Natural, t: IntType) -> i128 {
    t.read(t.pattern(k))
}
