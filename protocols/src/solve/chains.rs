//! What an assumption on neighbours says of cells that are no neighbours.
//!
//! `forall i in l..u: A[i] <= A[i + 1]` says that `A[x] <= A[y]` for all x < y from l to u: by
//! induction, since the relation is transitive. A query reads few cells of many, and no two of them
//! need be neighbours.

use super::contents::offset;
use super::quantity::power;
use babycuda_core::expr::{ArithOp, CompareOp, NumOp, Relation};
use babycuda_core::machine::{IntType, MachineOp};
use babycuda_core::syntax::{Bound, Forall};
use babycuda_core::{BigInt, Bool, Name, Num};

/// What follows for any two cells of an array, if the assumption compares each cell of a range with
/// the next one. Its variable is less than `end`.
pub(super) fn chained(assumption: &Forall, end: Option<u64>) -> Option<Forall> {
    let [Bound::In { var: x, lower, upper }, Bound::Read { var: a, array, index: m }, second] =
        assumption.over.as_slice()
    else {
        return None;
    };
    let Bound::Read { var: b, array: other, index: n } = second else { return None };
    let (i, j) = (offset(m, x)?, offset(n, x)?);
    let ((low, start), (high, next)) = if i < j { ((a, i), (b, j)) } else { ((b, j), (a, i)) };
    let Bool::Compare(op, l, r) = &assumption.condition else { return None };
    let relation = match (l.as_ref(), r.as_ref()) {
        (Num::Var(l), Num::Var(r)) if (l, r) == (low, high) => op.relation,
        (Num::Var(l), Num::Var(r)) if (l, r) == (high, low) => op.relation.mirrored(),
        _ => return None,
    };
    if array != other || next != &start + 1 || relation == Relation::Ne {
        return None;
    }
    let wraps = |index: &Num| {
        let Num::Binary(NumOp::Machine(_, t), ..) = index else { return false };
        end.is_none_or(|end| BigInt::from(end) + &next > power(t.width.bits()))
    };
    if wraps(m) || wraps(n) {
        return None;
    }
    // `A[i - 1]` is `A[0]` where i is 0.
    if start < BigInt::ZERO
        && !matches!(lower, Num::Lit(k) if BigInt::from(k) + &start >= BigInt::ZERO)
    {
        return None;
    }
    let shift = if start < BigInt::ZERO { ArithOp::Sub } else { ArithOp::Add };
    let moved = |n: &Num| Num::arith(shift, n.clone(), Num::lit(start.magnitude().clone()));
    let (lower, upper) = (moved(lower), moved(upper));
    // `@` starts no name of an assumption's own variables, and a number follows in those of reads.
    let y = Name::new("@y");
    let after = |n: &Num| Num::arith(ArithOp::Add, n.clone(), Num::lit(1u32));
    let [at_x, at_y] = [x, &y].map(|x| Num::Var(x.clone()));
    let over = vec![
        Bound::In { var: y.clone(), lower: after(&lower), upper: after(&upper) },
        Bound::In { var: x.clone(), lower, upper: at_y.clone() },
        Bound::Read { var: low.clone(), array: array.clone(), index: at_x.clone() },
        Bound::Read { var: high.clone(), array: array.clone(), index: at_y.clone() },
    ];
    let [low, high] = [low, high].map(|value| Num::Var(value.clone()));
    let compared = |relation| {
        Bool::Compare(
            CompareOp { relation, machine: op.machine },
            low.clone().into(),
            high.clone().into(),
        )
    };
    let apart = Num::arith(ArithOp::Sub, at_y, at_x);
    let condition = match relation {
        Relation::Lt => Bool::and(compared(relation), less_by(&low, &high, apart, op.machine)),
        Relation::Gt => Bool::and(compared(relation), less_by(&high, &low, apart, op.machine)),
        _ => compared(relation),
    };
    Some(Forall { over, condition })
}

/// `low` is less than `high` by so much at least: each step between them is one of 1 or more.
fn less_by(low: &Num, high: &Num, apart: Num, machine: Option<IntType>) -> Bool {
    match machine {
        None => {
            let least = Num::arith(ArithOp::Add, low.clone(), apart);
            Bool::compare(Relation::Le, least, high.clone())
        }
        // The difference of two readings is less than 2^w, and the pattern of that of the patterns.
        Some(t) => {
            let t = IntType { signed: false, ..t };
            let difference = Num::machine(MachineOp::Sub, t, high.clone(), low.clone());
            Bool::compare(Relation::Le, apart, difference)
        }
    }
}
