//! Intervals of integers, either end possibly open.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::value::euclid;

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

    pub(crate) fn add(&self, other: &Interval) -> Interval {
        Interval {
            lower: both(&self.lower, &other.lower, |a, b| a + b),
            upper: both(&self.upper, &other.upper, |a, b| a + b),
        }
    }

    pub(crate) fn neg(&self) -> Interval {
        Interval { lower: self.upper.as_ref().map(|n| -n), upper: self.lower.as_ref().map(|n| -n) }
    }

    pub(crate) fn mul(&self, other: &Interval) -> Interval {
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
        match (self.scale(), other.scale()) {
            (Some(k), _) => other.times(&k),
            (_, Some(k)) => self.times(&k),
            _ => Interval::ALL,
        }
    }

    /// The one element, if there is one only.
    pub(crate) fn scale(&self) -> Option<BigInt> {
        match self.ends() {
            Some((lo, hi)) if lo == hi => Some(lo.clone()),
            _ => None,
        }
    }

    /// Every element times `k`.
    pub(crate) fn times(&self, k: &BigInt) -> Interval {
        if k.is_zero() {
            return Interval::point(k);
        }
        let scaled = Interval {
            lower: self.lower.as_ref().map(|n| n * k),
            upper: self.upper.as_ref().map(|n| n * k),
        };
        if k.is_negative() { Interval { lower: scaled.upper, upper: scaled.lower } } else { scaled }
    }

    /// Quotients `n div d` for `d` in `other` without 0.
    pub(crate) fn div(&self, other: &Interval) -> Interval {
        // Away from zero a quotient is monotone in both arguments on each side of zero, so the
        // corners decide; |n div d| <= |n| bounds it when an end of the divisor is open.
        let Some((lo, hi)) = self.ends() else {
            if self.is_nonnegative() && other.is_positive() {
                return Interval::at_least(0);
            }
            return Interval::ALL;
        };
        let reach = lo.abs().max(hi.abs());
        let mut corners = Vec::new();
        let mut wide = false;
        for end in [&other.lower, &other.upper] {
            match end {
                Some(d) if !d.is_zero() => corners.push(d.clone()),
                Some(_) => {}
                None => wide = true,
            }
        }
        for unit in [-1, 1] {
            let unit = BigInt::from(unit);
            if other.contains(&unit) {
                corners.push(unit);
            }
        }
        if corners.is_empty() && !wide {
            return Interval::new(-&reach, reach);
        }
        let mut numerators = vec![lo.clone(), hi.clone()];
        for special in [-1, 0] {
            let special = BigInt::from(special);
            if self.contains(&special) {
                numerators.push(special);
            }
        }
        let mut found = if wide {
            // Towards an infinite divisor the quotient of n tends to 0 or, for negative n, to ±1.
            Interval::new(if lo.is_negative() { -1 } else { 0 }, i32::from(lo.is_negative()))
        } else {
            let q = euclid(lo, &corners[0]).0;
            Interval::point(&q)
        };
        for d in &corners {
            for n in &numerators {
                found = found.join(&Interval::point(&euclid(n, d).0));
            }
        }
        found
    }

    /// Remainders `n mod d` for `d` in `other` without 0.
    pub(crate) fn modulo(&self, other: &Interval) -> Interval {
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
mod tests {
    use super::*;

    /// Every pair of intervals within −4..=4, open ends included, against every pair of elements.
    #[test]
    fn operations_hold_every_result_on_small_intervals() {
        let ends: Vec<Option<BigInt>> = (-4..=4).map(|n| Some(n.into())).chain([None]).collect();
        let mut all = Vec::new();
        for lower in &ends {
            for upper in &ends {
                let interval = Interval { lower: lower.clone(), upper: upper.clone() };
                if !interval.is_empty() {
                    all.push(interval);
                }
            }
        }
        // Elements a little beyond the ends stand for what an open end admits.
        let elements: Vec<BigInt> = (-9..=9).map(BigInt::from).collect();
        for a in &all {
            for b in &all {
                let (sum, product) = (a.add(b), a.mul(b));
                let (quotient, rest) = (a.div(b), a.modulo(b));
                for x in elements.iter().filter(|x| a.contains(x)) {
                    assert!(a.neg().contains(&-x));
                    assert!(a.join(b).contains(x));
                    for y in elements.iter().filter(|y| b.contains(y)) {
                        assert!(sum.contains(&(x + y)), "{a} + {b}");
                        assert!(product.contains(&(x * y)), "{a} * {b}");
                        if !y.is_zero() {
                            let (q, r) = euclid(x, y);
                            assert!(
                                quotient.contains(&q),
                                "{x} div {y} in {a} div {b} = {quotient}"
                            );
                            assert!(rest.contains(&r), "{x} mod {y} in {a} mod {b} = {rest}");
                        }
                    }
                    assert_eq!(a.meet(b).contains(x), b.contains(x));
                }
            }
        }
    }
}
