//! Intervals: what an expression may be, from what its variables may be.
//!
//! | | of | |
//! |---|---|---|
//! | [`Interval`] | integers | unbounded, either end possibly open; of naturals too, with [`natural`](Interval::natural) |
//! | [`word`] | machine integers | by type, with overflow: what [`MachineOp`](crate::MachineOp) makes of them |
//! | [`Ranges`] | expressions | [`Num`](crate::Num) and [`Bool`](crate::Bool), given the intervals of their variables |

mod ranges;
pub mod word;

pub use ranges::Ranges;

use crate::expr::{ArithOp, Relation};
use crate::syntax::Domain;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};
use std::fmt;

/// The integers `n` with `lower <= n <= upper`; a missing end does not constrain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Least element.
    pub lower: Option<BigInt>,
    /// Greatest element.
    pub upper: Option<BigInt>,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { lower: None, upper: None };

    /// `[lower, upper]`.
    pub fn new(lower: impl Into<BigInt>, upper: impl Into<BigInt>) -> Interval {
        Interval { lower: Some(lower.into()), upper: Some(upper.into()) }
    }

    /// `[lower, ∞)`.
    pub fn at_least(lower: impl Into<BigInt>) -> Interval {
        Interval { lower: Some(lower.into()), upper: None }
    }

    /// `(-∞, upper]`.
    pub fn at_most(upper: impl Into<BigInt>) -> Interval {
        Interval { lower: None, upper: Some(upper.into()) }
    }

    /// The values of a domain.
    pub fn of_domain(domain: Domain) -> Interval {
        match domain {
            Domain::Natural => Interval::at_least(0),
            Domain::Machine(t) => Interval::new(0, t.width.mask()),
        }
    }

    /// `[n, n]`.
    #[must_use]
    pub fn point(n: &BigInt) -> Interval {
        Interval { lower: Some(n.clone()), upper: Some(n.clone()) }
    }

    /// Whether no integer belongs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!((&self.lower, &self.upper), (Some(lo), Some(hi)) if lo > hi)
    }

    /// Whether `n` belongs.
    #[must_use]
    pub fn contains(&self, n: &BigInt) -> bool {
        self.lower.as_ref().is_none_or(|lo| lo <= n) && self.upper.as_ref().is_none_or(|hi| n <= hi)
    }

    /// What belongs to both.
    #[must_use]
    pub fn meet(&self, other: &Interval) -> Interval {
        Interval {
            lower: pick(&self.lower, &other.lower, Ord::max, true),
            upper: pick(&self.upper, &other.upper, Ord::min, true),
        }
    }

    /// The least interval that holds both.
    #[must_use]
    pub fn join(&self, other: &Interval) -> Interval {
        Interval {
            lower: pick(&self.lower, &other.lower, Ord::min, false),
            upper: pick(&self.upper, &other.upper, Ord::max, false),
        }
    }

    /// Both ends, when both exist.
    #[must_use]
    pub fn ends(&self) -> Option<(&BigInt, &BigInt)> {
        Some((self.lower.as_ref()?, self.upper.as_ref()?))
    }

    /// Both ends, when every element is a natural of 64 bits.
    #[must_use]
    pub fn word(&self) -> Option<word::Range> {
        let (low, high) = self.ends()?;
        Some((low.to_u64()?.into(), high.to_u64()?.into()))
    }

    /// Whether every element is `>= 0`.
    #[must_use]
    pub fn is_nonnegative(&self) -> bool {
        self.lower.as_ref().is_some_and(|lo| !lo.is_negative())
    }

    /// Whether every element is `>= 1`.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.lower.as_ref().is_some_and(Signed::is_positive)
    }

    /// Whether every element belongs to `other` too.
    #[must_use]
    pub fn is_within(&self, other: &Interval) -> bool {
        self.meet(other) == *self
    }

    /// Sums.
    #[must_use]
    pub fn add(&self, other: &Interval) -> Interval {
        Interval {
            lower: both(&self.lower, &other.lower, |a, b| a + b),
            upper: both(&self.upper, &other.upper, |a, b| a + b),
        }
    }

    /// Differences.
    #[must_use]
    pub fn sub(&self, other: &Interval) -> Interval {
        self.add(&other.neg())
    }

    /// Negations.
    #[must_use]
    pub fn neg(&self) -> Interval {
        Interval { lower: self.upper.as_ref().map(|n| -n), upper: self.lower.as_ref().map(|n| -n) }
    }

    /// Products.
    #[must_use]
    pub fn mul(&self, other: &Interval) -> Interval {
        if let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) {
            let corners = [a * c, a * d, b * c, b * d];
            return Interval {
                lower: corners.iter().min().cloned(),
                upper: corners.iter().max().cloned(),
            };
        }
        let zero = Interval::point(&BigInt::zero());
        if *self == zero || *other == zero {
            return zero;
        }
        if self.is_nonnegative() && other.is_nonnegative() {
            return Interval {
                lower: both(&self.lower, &other.lower, |a, b| a * b),
                upper: both(&self.upper, &other.upper, |a, b| a * b),
            };
        }
        match (self.single(), other.single()) {
            (Some(k), _) => other.times(k),
            (_, Some(k)) => self.times(k),
            _ => Interval::ALL,
        }
    }

    /// The one element, if there is one only.
    #[must_use]
    pub fn single(&self) -> Option<&BigInt> {
        self.ends().filter(|(lo, hi)| lo == hi).map(|(lo, _)| lo)
    }

    /// Every element times `k`.
    #[must_use]
    pub fn times(&self, k: &BigInt) -> Interval {
        if k.is_zero() {
            return Interval::point(k);
        }
        let scaled = Interval {
            lower: self.lower.as_ref().map(|n| n * k),
            upper: self.upper.as_ref().map(|n| n * k),
        };
        if k.is_negative() { Interval { lower: scaled.upper, upper: scaled.lower } } else { scaled }
    }

    /// Euclidean quotients by what `other` holds without 0.
    #[must_use]
    pub fn div(&self, other: &Interval) -> Interval {
        let Some((lo, hi)) = self.ends() else {
            let natural = self.is_nonnegative() && other.is_positive();
            return if natural { Interval::at_least(0) } else { Interval::ALL };
        };
        let Some(least) = other.lower.as_ref().filter(|_| other.is_positive()) else {
            // |n div d| <= |n|
            let reach = lo.abs().max(hi.abs());
            return Interval::new(-&reach, reach);
        };
        // By positive numbers a quotient is monotone in both arguments, so the corners decide.
        let quotient = |n: &BigInt, d: Option<&BigInt>| match d {
            Some(d) => Interval::point(&euclid(n, d).0),
            // By ever larger ones it comes to 0 or, of a negative number, to -1.
            None => Interval::point(&BigInt::from(if n.is_negative() { -1 } else { 0 })),
        };
        let by = |d| quotient(lo, d).join(&quotient(hi, d));
        by(Some(least)).join(&by(other.upper.as_ref()))
    }

    /// Euclidean remainders by what `other` holds without 0.
    #[must_use]
    pub fn modulo(&self, other: &Interval) -> Interval {
        let below = other.ends().map(|(lo, hi)| {
            // Of the divisor 0 alone there is no remainder; [0, 0] keeps the interval one.
            let most: BigInt = lo.abs().max(hi.abs()) - 1;
            most.max(BigInt::zero())
        });
        let by_divisor = Interval { lower: Some(BigInt::zero()), upper: below };
        if self.is_nonnegative() {
            // A remainder of a natural is at most that natural.
            by_divisor.meet(&Interval { lower: None, upper: self.upper.clone() })
        } else {
            by_divisor
        }
    }

    /// Results of an operator on naturals: differences stop at 0, `n / 0 = 0` and `n % 0 = n`.
    /// Those of `min` and `max` are right for all integers.
    #[must_use]
    pub fn natural(op: ArithOp, l: &Interval, r: &Interval) -> Interval {
        let zero = BigInt::zero();
        let at_most = |upper: &Option<BigInt>| Interval { lower: None, upper: upper.clone() };
        match op {
            ArithOp::Add => l.add(r),
            ArithOp::Mul => l.mul(r),
            ArithOp::Sub => {
                let difference = l.sub(r);
                Interval {
                    lower: Some(difference.lower.unwrap_or_default().max(zero.clone())),
                    upper: difference.upper.map(|n| n.max(zero)),
                }
            }
            ArithOp::Div => Interval {
                lower: Some(match (&l.lower, &r.upper) {
                    (Some(lo), Some(hi)) if r.is_positive() => euclid(lo, hi).0,
                    _ => zero,
                }),
                upper: l.upper.as_ref().map(|hi| match &r.lower {
                    Some(lo) if lo.is_positive() => hi / lo,
                    _ => hi.clone(),
                }),
            },
            ArithOp::Mod if decided(Relation::Lt, l.open_ends(), r.open_ends()) == Some(true) => {
                l.clone()
            }
            ArithOp::Mod => {
                let below = r.upper.as_ref().filter(|_| r.is_positive()).map(|d| d - 1);
                Interval::at_least(0).meet(&at_most(&below)).meet(&at_most(&l.upper))
            }
            ArithOp::Min => l.join(r).meet(&at_most(&l.upper)).meet(&at_most(&r.upper)),
            ArithOp::Max => Interval {
                lower: pick(&l.lower, &r.lower, Ord::max, true),
                upper: both(&l.upper, &r.upper, |a, b| a.max(b).clone()),
            },
        }
    }

    /// Whether the relation holds between all elements, or between none; `None`: neither.
    #[must_use]
    pub fn compare(relation: Relation, l: &Interval, r: &Interval) -> Option<bool> {
        decided(relation, l.open_ends(), r.open_ends())
    }

    fn open_ends(&self) -> [Option<&BigInt>; 2] {
        [self.lower.as_ref(), self.upper.as_ref()]
    }
}

/// Whether a relation holds between all that lie between two pairs of ends, or between none.
fn decided<T: Ord>(relation: Relation, l: [Option<&T>; 2], r: [Option<&T>; 2]) -> Option<bool> {
    let less = |a: [Option<&T>; 2], b: [Option<&T>; 2]| a[1].zip(b[0]).is_some_and(|(a, b)| a < b);
    let at_most =
        |a: [Option<&T>; 2], b: [Option<&T>; 2]| a[1].zip(b[0]).is_some_and(|(a, b)| a <= b);
    let same = at_most(l, r) && at_most(r, l);
    let (always, never) = match relation {
        Relation::Eq => (same, less(l, r) || less(r, l)),
        Relation::Ne => (less(l, r) || less(r, l), same),
        Relation::Lt => (less(l, r), at_most(r, l)),
        Relation::Le => (at_most(l, r), less(r, l)),
        Relation::Gt => (less(r, l), at_most(l, r)),
        Relation::Ge => (at_most(r, l), less(l, r)),
    };
    always.then_some(true).or(never.then_some(false))
}

/// Quotient and remainder with `n = d * q + r` and `0 <= r < |d|`; by 0, they are 0 and `n`.
#[must_use]
pub fn euclid(n: &BigInt, d: &BigInt) -> (BigInt, BigInt) {
    if d.is_zero() {
        return (BigInt::zero(), n.clone());
    }
    let (q, r) = (n / d, n % d);
    match (r.sign(), d.sign()) {
        (Sign::Minus, Sign::Minus) => (q + 1, r - d),
        (Sign::Minus, _) => (q - 1, r + d),
        _ => (q, r),
    }
}

fn pick(
    a: &Option<BigInt>,
    b: &Option<BigInt>,
    choose: fn(BigInt, BigInt) -> BigInt,
    keep_single: bool,
) -> Option<BigInt> {
    match (a, b) {
        (Some(a), Some(b)) => Some(choose(a.clone(), b.clone())),
        (Some(n), None) | (None, Some(n)) if keep_single => Some(n.clone()),
        _ => None,
    }
}

fn both(
    a: &Option<BigInt>,
    b: &Option<BigInt>,
    combine: fn(&BigInt, &BigInt) -> BigInt,
) -> Option<BigInt> {
    Some(combine(a.as_ref()?, b.as_ref()?))
}

/// `[0, 7]`, `[1, ∞)`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lower {
            Some(lo) => write!(f, "[{lo}, ")?,
            None => f.write_str("(-∞, ")?,
        }
        match &self.upper {
            Some(hi) => write!(f, "{hi}]"),
            None => f.write_str("∞)"),
        }
    }
}

#[cfg(test)]
mod tests;
