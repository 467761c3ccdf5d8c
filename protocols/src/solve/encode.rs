//! Expressions as terms.

use super::Cause;
use super::quantity::{Built, Int, Quantity, power};
use super::world::View;
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp, CompareOp, NumOp, Relation};
use babycuda_core::machine::{IntType, MachineOp};
use babycuda_core::{Bool, Num};
use babycuda_smt::Term;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

pub(super) type Encoded<T> = Result<T, Cause>;

/// The term of `n`.
pub(super) fn num(n: &Num, scope: &View<'_>) -> Encoded<Quantity> {
    Ok(grow(|| plain(n, scope))?.refined(&|integer| scope.refine(integer)))
}

fn plain(n: &Num, scope: &View<'_>) -> Encoded<Quantity> {
    match n {
        Num::Var(x) => scope.quantity(x).ok_or_else(|| Cause::Unbound(x.clone())),
        Num::Lit(k) => Ok(Quantity::natural(Int::literal(BigInt::from(k)))),
        Num::Binary(op, l, r) => {
            if let Some(place) = scope.world.placed(n, scope.thread) {
                return Ok(place);
            }
            let (l, r) = (num(l, scope)?, num(r, scope)?);
            match op {
                NumOp::Natural(op) => {
                    Ok(Quantity::natural(natural(*op, &l.natural, &r.natural, scope)?))
                }
                NumOp::Machine(op, t) => machine(*op, *t, &l, &r, scope),
            }
        }
        Num::Cast(from, to, operand) => {
            let operand = num(operand, scope)?;
            let (from_bits, to_bits) = (from.width.bits(), to.width.bits());
            // Truncation keeps congruence; an extension needs the value.
            let integer = if to_bits <= from_bits {
                operand.ring(to_bits)
            } else {
                operand.reading(*from)?
            };
            Ok(Quantity::congruent(to_bits, integer)?)
        }
        Num::Select(c, then, otherwise) => {
            let (then, otherwise) = (num(then, scope)?, num(otherwise, scope)?);
            Ok(Quantity::select(&bool(c, scope)?, &then, &otherwise)?)
        }
    }
}

/// The term of `c`.
pub(super) fn bool(c: &Bool, scope: &View<'_>) -> Encoded<Term> {
    Ok(match c {
        Bool::Lit(b) => Term::bool(*b),
        Bool::Compare(op, l, r) => {
            let (l, r) = compared(*op, l, r, scope)?;
            compare(op.relation, &l, &r)?
        }
        Bool::Connective(op, l, r) => {
            let parts = [grow(|| bool(l, scope))?, grow(|| bool(r, scope))?];
            match op {
                BoolOp::And => Term::and(parts)?,
                BoolOp::Or => Term::or(parts)?,
            }
        }
        Bool::Not(operand) => grow(|| bool(operand, scope))?.not()?,
    })
}

/// The integers that a comparison compares.
pub(super) fn compared(op: CompareOp, l: &Num, r: &Num, scope: &View<'_>) -> Encoded<(Int, Int)> {
    let (l, r) = (num(l, scope)?, num(r, scope)?);
    Ok(match op.machine {
        None => (l.natural, r.natural),
        Some(t) => (scope.refine(l.reading(t)?), scope.refine(r.reading(t)?)),
    })
}

fn compare(relation: Relation, l: &Int, r: &Int) -> Built<Term> {
    match relation {
        Relation::Eq => l.equal(r),
        Relation::Ne => l.equal(r)?.not(),
        Relation::Lt => l.less(r),
        Relation::Le => r.less(l)?.not(),
        Relation::Gt => r.less(l),
        Relation::Ge => l.less(r)?.not(),
    }
}

fn natural(op: ArithOp, l: &Int, r: &Int, scope: &View<'_>) -> Built<Int> {
    match op {
        ArithOp::Add => l.add(r),
        ArithOp::Mul => l.mul(r),
        ArithOp::Sub => {
            // Truncated: l - r where that is no debt, otherwise 0.
            let difference = scope.refine(l.sub(r)?);
            if difference.nonnegative() {
                return Ok(difference);
            }
            difference.max(&Int::literal(0))
        }
        ArithOp::Div => l.div_total(r),
        ArithOp::Mod => l.mod_total(r),
        ArithOp::Min => l.min(r),
        ArithOp::Max => l.max(r),
    }
}

fn machine(
    op: MachineOp,
    t: IntType,
    l: &Quantity,
    r: &Quantity,
    scope: &View<'_>,
) -> Encoded<Quantity> {
    let width = t.width.bits();
    let pattern = |integer: Int| -> Encoded<Quantity> {
        Ok(Quantity::congruent(width, scope.refine(integer))?)
    };
    if let Some(exact) = exactly(op, t, l, r, scope)? {
        return Ok(Quantity::congruent(width, exact)?);
    }
    match op {
        MachineOp::Add => pattern(l.ring(width).add(&r.ring(width))?),
        MachineOp::Sub => pattern(l.ring(width).sub(&r.ring(width))?),
        MachineOp::Mul => pattern(l.ring(width).mul(&r.ring(width))?),
        MachineOp::Div => pattern(quotient(&l.reading(t)?, &r.reading(t)?)?.0),
        MachineOp::Rem => pattern(quotient(&l.reading(t)?, &r.reading(t)?)?.1),
        MachineOp::Min => pattern(l.reading(t)?.min(&r.reading(t)?)?),
        MachineOp::Max => pattern(l.reading(t)?.max(&r.reading(t)?)?),
        MachineOp::And | MachineOp::Or | MachineOp::Xor => {
            pattern(bitwise(op, &l.pattern(width)?, &r.pattern(width)?)?)
        }
        MachineOp::Shl => {
            let by = r.pattern(width)?;
            let value = l.ring(width);
            pattern(shifted(&by, width, &Int::literal(0), |k| value.mul(&Int::literal(power(k))))?)
        }
        MachineOp::Shr => {
            let by = r.pattern(width)?;
            let value = l.reading(t)?;
            // Division rounds down, as arithmetic shifts do; by all bits only the sign is left.
            let sign = value.div_literal(&power(width))?;
            pattern(shifted(&by, width, &sign, |k| value.div_literal(&power(k)))?)
        }
    }
}

/// The result of signed arithmetic as an integer, where it is known not to overflow.
fn exactly(
    op: MachineOp,
    t: IntType,
    l: &Quantity,
    r: &Quantity,
    scope: &View<'_>,
) -> Encoded<Option<Int>> {
    let ring: fn(&Int, &Int) -> Built<Int> = match op {
        MachineOp::Add => Int::add,
        MachineOp::Sub => Int::sub,
        MachineOp::Mul => Int::mul,
        _ => return Ok(None),
    };
    if !t.signed {
        return Ok(None);
    }
    let half = power(t.width.bits() - 1);
    let (l, r) = (scope.refine(l.reading(t)?), scope.refine(r.reading(t)?));
    let result = scope.refine(ring(&l, &r)?);
    Ok(result.within(&-half.clone(), &(half - 1)).then_some(result))
}

/// Quotient and remainder as C has them: rounded towards zero, the remainder with the sign of the
/// dividend; 0 and the dividend for a divisor of 0.
fn quotient(x: &Int, y: &Int) -> Built<(Int, Int)> {
    if x.nonnegative() && y.nonnegative() {
        return Ok((x.div_total(y)?, x.mod_total(y)?));
    }
    let zero = Int::literal(0);
    let magnitude = |n: &Int| -> Built<Int> { n.max(&zero.sub(n)?) };
    let (a, b) = (magnitude(x)?, magnitude(y)?);
    let (q, r) = (a.div_total(&b)?, a.mod_total(&b)?);
    let (x_negative, y_negative) = (x.less(&zero)?, y.less(&zero)?);
    let q = Int::select(&x_negative.xor(&y_negative)?, &zero.sub(&q)?, &q)?;
    let r = Int::select(&x_negative, &zero.sub(&r)?, &r)?;
    Ok((q, r))
}

/// `by_literal(k)` for the value `k` of `by`, or `beyond` from `width` on.
fn shifted(
    by: &Int,
    width: u32,
    beyond: &Int,
    by_literal: impl Fn(u32) -> Built<Int>,
) -> Built<Int> {
    let end = |end: Option<&BigInt>, default: u32| {
        end.and_then(ToPrimitive::to_u32).unwrap_or(default).min(width)
    };
    let (low, high) = (end(by.range.lower.as_ref(), 0), end(by.range.upper.as_ref(), width));
    let at = |k: u32| if k >= width { Ok(beyond.clone()) } else { by_literal(k) };
    let mut result = at(high)?;
    for k in (low..high).rev() {
        result = Int::select(&by.equal(&Int::literal(k))?, &at(k)?, &result)?;
    }
    Ok(result)
}

/// Bitwise operations on naturals, bit by bit.
fn bitwise(op: MachineOp, l: &Int, r: &Int) -> Encoded<Int> {
    let bits = |n: &Int| n.range.upper.as_ref().map(|high| high.bits() as u32);
    let (Some(a), Some(b)) = (bits(l), bits(r)) else {
        return Err(Cause::Wide(64));
    };
    if op == MachineOp::And {
        for (value, mask) in [(l, r), (r, l)] {
            let mask = mask.range.single().map(|mask| mask + 1u32);
            // A mask of the lowest bits is a remainder.
            if let Some(modulus) = mask.filter(is_power) {
                return Ok(value.mod_literal(&modulus)?);
            }
        }
    }
    let count = if op == MachineOp::And { a.min(b) } else { a.max(b) };
    let two = BigInt::from(2);
    let bit = |n: &Int, i: u32| -> Built<Term> {
        n.div_literal(&power(i))?.mod_literal(&two)?.equal(&Int::literal(1))
    };
    let mut sum = Int::literal(0);
    for i in 0..count {
        let (x, y) = (bit(l, i)?, bit(r, i)?);
        let set = match op {
            MachineOp::And => Term::and([x, y])?,
            MachineOp::Or => Term::or([x, y])?,
            _ => x.xor(&y)?,
        };
        let weight = Int::select(&set, &Int::literal(power(i)), &Int::literal(0))?;
        sum = sum.add(&weight)?;
    }
    Ok(sum)
}

fn is_power(n: &BigInt) -> bool {
    !n.is_zero() && (n & (n - BigInt::one())).is_zero()
}
