//! Conditions under which signed arithmetic of the widest type overflows.
//!
//! Where a wider type is at hand, an overflow is a comparison there, which bounds the result. At 64 bits there is none, and
//! the condition speaks of the wrapped result: a sum that moved the wrong way, a product that does not give its factor back.
//! These shapes are known again here, so that where they are denied the result is what integers have.

use super::encode::{Encoded, num};
use super::quantity::{Int, power};
use super::world::View;
use babycuda_core::expr::{BoolOp, CompareOp, NumOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_smt::{Interval, Term};
use num_bigint::BigInt;

/// Where `c` is false, `left op right` at the signed type `t` is what integers have, if `given` holds.
struct Exact<'a> {
    op: MachineOp,
    t: IntType,
    left: &'a Num,
    right: &'a Num,
    given: Given,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Nothing,
    /// The left operand is not negative.
    LeftNatural,
    /// The right operand is not negative.
    RightNatural,
    /// The right operand is not positive.
    RightNegative,
}

/// The result that is known to be exact where `c` is false, as an integer term, with its type's range.
pub(super) fn exact_unless(c: &Bool, scope: &View<'_>) -> Encoded<Option<(Term, Interval)>> {
    let Some(exact) = sum(c).or_else(|| any_sum(c)).or_else(|| product(c)) else {
        return Ok(None);
    };
    let read = |n: &Num| -> Encoded<Int> { Ok(scope.refine(num(n, scope)?.reading(exact.t)?)) };
    let (left, right) = (read(exact.left)?, read(exact.right)?);
    let given = match exact.given {
        Given::Nothing => true,
        Given::LeftNatural => left.nonnegative(),
        Given::RightNatural => right.nonnegative(),
        Given::RightNegative => right.range.upper.as_ref().is_some_and(|n| *n <= BigInt::ZERO),
    };
    if !given {
        return Ok(None);
    }
    let result = match exact.op {
        MachineOp::Add => left.add(&right)?,
        MachineOp::Sub => left.sub(&right)?,
        _ => left.mul(&right)?,
    };
    let half = power(exact.t.width.bits() - 1);
    Ok(Some((result.term, Interval::new(-half.clone(), half - 1))))
}

/// Does `c` say that a sum overflows upwards or downwards? Neither part of it alone says what denying both does.
pub(super) fn is_of_any_sign(c: &Bool) -> bool {
    any_sum(c).is_some()
}

/// `(x + y) < x`, where `y` is not negative; likewise for differences, and for `y` below 0.
fn sum(c: &Bool) -> Option<Exact<'_>> {
    let Bool::Compare(CompareOp { relation, machine: Some(t) }, sum, start) = c else {
        return None;
    };
    let Num::Binary(NumOp::Machine(op, at), left, right) = sum.as_ref() else {
        return None;
    };
    if !t.signed || at != t || left != start {
        return None;
    }
    let given = match (op, relation) {
        (MachineOp::Add, Relation::Lt) | (MachineOp::Sub, Relation::Gt) => Given::RightNatural,
        (MachineOp::Add, Relation::Gt) | (MachineOp::Sub, Relation::Lt) => Given::RightNegative,
        _ => return None,
    };
    Some(Exact { op: *op, t: *t, left, right, given })
}

/// `y >= 0 && (x + y) < x || y < 0 && (x + y) > x`
fn any_sum(c: &Bool) -> Option<Exact<'_>> {
    let (up, down) = pair(c, BoolOp::Or)?;
    let ((natural, up), (negative, down)) = (pair(up, BoolOp::And)?, pair(down, BoolOp::And)?);
    let (up, down) = (sum(up)?, sum(down)?);
    let is = |guard: &Bool, relation| compared_to(guard, relation, up.t, up.right, 0);
    (up.given == Given::RightNatural
        && down.given == Given::RightNegative
        && (up.op, up.t, up.left, up.right) == (down.op, down.t, down.left, down.right)
        && is(natural, Relation::Ge)
        && is(negative, Relation::Lt))
    .then_some(Exact { given: Given::Nothing, ..up })
}

/// `x * y / x != y`, where `x` is not negative, or with the one product of -1 that overflows; and with `x != 0` or without.
fn product(c: &Bool) -> Option<Exact<'_>> {
    if let Some((nonzero, rest)) = pair(c, BoolOp::And) {
        let exact = product(rest)?;
        return compared_to(nonzero, Relation::Ne, exact.t, exact.left, 0).then_some(exact);
    }
    if let Some((flipped, lost)) = pair(c, BoolOp::Or) {
        let exact = product(lost)?;
        let (one, least) = pair(flipped, BoolOp::And)?;
        let is = |c: &Bool, n: &Num, value| compared_to(c, Relation::Eq, exact.t, n, value);
        let min = -(1i128 << (exact.t.width.bits() - 1));
        let flips = is(one, exact.left, -1) && is(least, exact.right, min);
        return flips.then_some(Exact { given: Given::Nothing, ..exact });
    }
    let Bool::Compare(CompareOp { relation: Relation::Ne, machine: Some(t) }, quotient, factor) = c
    else {
        return None;
    };
    let Num::Binary(NumOp::Machine(MachineOp::Div, by), product, divisor) = quotient.as_ref()
    else {
        return None;
    };
    let Num::Binary(NumOp::Machine(MachineOp::Mul, at), left, right) = product.as_ref() else {
        return None;
    };
    (t.signed && by == t && at == t && left == divisor && right == factor).then_some(Exact {
        op: MachineOp::Mul,
        t: *t,
        left,
        right,
        given: Given::LeftNatural,
    })
}

fn pair(c: &Bool, of: BoolOp) -> Option<(&Bool, &Bool)> {
    match c {
        Bool::Connective(op, l, r) if *op == of => Some((l, r)),
        _ => None,
    }
}

/// Is `c` the comparison of `n`, read at `t`, with `value`?
fn compared_to(c: &Bool, relation: Relation, t: IntType, n: &Num, value: i128) -> bool {
    let Bool::Compare(op, left, right) = c else {
        return false;
    };
    let Num::Lit(k) = right.as_ref() else {
        return false;
    };
    *op == CompareOp { relation, machine: Some(t) }
        && left.as_ref() == n
        && t.read(t.pattern(k)) == value
}
