//! Naturals as integer terms, with intervals.
//!
//! A machine integer is a pattern; but additions, subtractions and products commute with reduction
//! modulo `2^w`, so beside its pattern a quantity keeps an integer that is congruent to it, and
//! reduces only where a pattern or a signed reading is asked for and the interval of that integer
//! does not lie within it already. Nothing is ever approximated: where no overflow is possible the
//! terms are plain integer arithmetic, elsewhere they are exact modulo `2^w`.

use babycuda_core::machine::IntType;
use babycuda_smt::{Interval, SortError, Term};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

pub(super) type Built<T> = Result<T, SortError>;

/// An integer term and an interval that holds its value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Int {
    pub term: Term,
    pub range: Interval,
}

/// A natural. `ring` is congruent to it modulo 2 to the given width, and not always a natural.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Quantity {
    pub natural: Int,
    ring: Option<(u32, Int)>,
}

pub(super) fn power(k: u32) -> BigInt {
    BigInt::one() << k
}

impl Int {
    pub fn literal(value: impl Into<BigInt>) -> Int {
        let value = value.into();
        Int { term: Term::int(value.clone()), range: Interval::point(&value) }
    }

    /// The value, when it is known.
    fn point(&self) -> Option<&BigInt> {
        self.range.ends().filter(|(lo, hi)| lo == hi).map(|(lo, _)| lo)
    }

    fn new(term: Term, range: Interval) -> Int {
        match range.ends() {
            Some((lo, hi)) if lo == hi => Int::literal(lo.clone()),
            _ => Int { term, range },
        }
    }

    pub fn nonnegative(&self) -> bool {
        self.range.is_nonnegative()
    }

    pub fn within(&self, lower: &BigInt, upper: &BigInt) -> bool {
        self.range.ends().is_some_and(|(lo, hi)| lower <= lo && hi <= upper)
    }

    pub fn add(&self, other: &Int) -> Built<Int> {
        let range = ends(&self.range, &other.range, |a, b| a + b, |a, b| a + b);
        Ok(Int::new(self.term.add(&other.term)?, range))
    }

    pub fn sub(&self, other: &Int) -> Built<Int> {
        let flipped =
            Interval { lower: other.range.upper.clone(), upper: other.range.lower.clone() };
        let range = ends(&self.range, &flipped, |a, b| a - b, |a, b| a - b);
        Ok(Int::new(self.term.sub(&other.term)?, range))
    }

    pub fn mul(&self, other: &Int) -> Built<Int> {
        let range = match (self.range.ends(), other.range.ends()) {
            (Some((a, b)), Some((c, d))) => {
                let corners = [a * c, a * d, b * c, b * d];
                Interval {
                    lower: corners.iter().min().cloned(),
                    upper: corners.iter().max().cloned(),
                }
            }
            _ if self.nonnegative() && other.nonnegative() => {
                ends(&self.range, &other.range, |a, b| a * b, |a, b| a * b)
            }
            _ => Interval::ALL,
        };
        Ok(Int::new(self.term.mul(&other.term)?, range))
    }

    /// Euclidean quotient by a positive literal.
    pub fn div_literal(&self, divisor: &BigInt) -> Built<Int> {
        let floor = |n: &BigInt| num_integer_floor(n, divisor);
        let range = Interval {
            lower: self.range.lower.as_ref().map(floor),
            upper: self.range.upper.as_ref().map(floor),
        };
        Ok(Int::new(self.term.int_div(&Term::int(divisor.clone()))?, range))
    }

    /// Euclidean remainder by a positive literal.
    pub fn mod_literal(&self, divisor: &BigInt) -> Built<Int> {
        if self.within(&BigInt::zero(), &(divisor - 1)) {
            return Ok(self.clone());
        }
        let range = Interval::new(0, divisor - 1);
        Ok(Int::new(self.term.int_mod(&Term::int(divisor.clone()))?, range))
    }

    /// Quotient of naturals, 0 when the divisor is 0.
    pub fn div_total(&self, other: &Int) -> Built<Int> {
        if let Some(divisor) = other.point() {
            if divisor.is_zero() {
                return Ok(Int::literal(0));
            }
            return self.div_literal(divisor);
        }
        let range = Interval {
            lower: Some(match (&self.range.lower, &other.range.upper) {
                (Some(lo), Some(hi)) if other.range.is_positive() => lo / hi,
                _ => BigInt::zero(),
            }),
            upper: self.range.upper.as_ref().map(|hi| match &other.range.lower {
                Some(lo) if lo.is_positive() => hi / lo,
                _ => hi.clone(),
            }),
        };
        let quotient = self.term.int_div(&other.term)?;
        Ok(Int::new(other.guarded(&Term::int(0), &quotient)?, range))
    }

    /// Remainder of naturals, the dividend when the divisor is 0.
    pub fn mod_total(&self, other: &Int) -> Built<Int> {
        if let Some(divisor) = other.point() {
            return if divisor.is_zero() { Ok(self.clone()) } else { self.mod_literal(divisor) };
        }
        if let (Some(hi), Some(lo)) = (&self.range.upper, &other.range.lower)
            && hi < lo
        {
            return Ok(self.clone());
        }
        let below: Option<BigInt> =
            other.range.upper.as_ref().filter(|_| other.range.is_positive()).map(|d| d - 1);
        let upper = match (below, &self.range.upper) {
            (Some(a), Some(b)) => Some(a.min(b.clone())),
            (a, b) => a.or_else(|| b.clone()),
        };
        let range = Interval { lower: Some(BigInt::zero()), upper };
        let rest = self.term.int_mod(&other.term)?;
        Ok(Int::new(other.guarded(&self.term, &rest)?, range))
    }

    /// `if self = 0 {zero} else {otherwise}`
    fn guarded(&self, zero: &Term, otherwise: &Term) -> Built<Term> {
        if self.range.is_positive() {
            return Ok(otherwise.clone());
        }
        self.term.equals(&Term::int(0))?.ite(zero, otherwise)
    }

    /// `if condition {self} else {other}`
    pub fn select(condition: &Term, then: &Int, otherwise: &Int) -> Built<Int> {
        match condition.as_bool() {
            Some(true) => Ok(then.clone()),
            Some(false) => Ok(otherwise.clone()),
            None => Ok(Int::new(
                condition.ite(&then.term, &otherwise.term)?,
                then.range.join(&otherwise.range),
            )),
        }
    }

    /// `self < other`, decided where the intervals decide it.
    pub fn less(&self, other: &Int) -> Built<Term> {
        let below = |a: &Option<BigInt>, b: &Option<BigInt>, strict: bool| match (a, b) {
            (Some(a), Some(b)) => a < b || (!strict && a == b),
            _ => false,
        };
        if below(&self.range.upper, &other.range.lower, true) {
            Ok(Term::bool(true))
        } else if below(&other.range.upper, &self.range.lower, false) {
            Ok(Term::bool(false))
        } else {
            self.term.less_than(&other.term)
        }
    }

    /// `self = other`, decided where the intervals decide it.
    pub fn equal(&self, other: &Int) -> Built<Term> {
        if self.range.meet(&other.range).is_empty() {
            return Ok(Term::bool(false));
        }
        self.term.equals(&other.term)
    }

    pub fn min(&self, other: &Int) -> Built<Int> {
        let less = self.less(other)?;
        let mut chosen = Int::select(&less, self, other)?;
        if less.as_bool().is_none() {
            // Below both upper ends.
            chosen.range = chosen.range.meet(&Interval {
                lower: None,
                upper: Interval { lower: None, upper: self.range.upper.clone() }
                    .meet(&Interval { lower: None, upper: other.range.upper.clone() })
                    .upper,
            });
        }
        Ok(chosen)
    }

    pub fn max(&self, other: &Int) -> Built<Int> {
        let less = self.less(other)?;
        let mut chosen = Int::select(&less, other, self)?;
        if less.as_bool().is_none() {
            let lower = Interval { lower: self.range.lower.clone(), upper: None }
                .meet(&Interval { lower: other.range.lower.clone(), upper: None });
            chosen.range = chosen.range.meet(&lower);
        }
        Ok(chosen)
    }
}

fn num_integer_floor(n: &BigInt, positive: &BigInt) -> BigInt {
    let (q, r) = (n / positive, n % positive);
    if r.is_negative() { q - 1 } else { q }
}

fn ends(
    a: &Interval,
    b: &Interval,
    lower: impl Fn(&BigInt, &BigInt) -> BigInt,
    upper: impl Fn(&BigInt, &BigInt) -> BigInt,
) -> Interval {
    let both = |x: &Option<BigInt>, y: &Option<BigInt>, f: &dyn Fn(&BigInt, &BigInt) -> BigInt| {
        Some(f(x.as_ref()?, y.as_ref()?))
    };
    Interval { lower: both(&a.lower, &b.lower, &lower), upper: both(&a.upper, &b.upper, &upper) }
}

impl Quantity {
    /// A natural.
    pub fn natural(natural: Int) -> Quantity {
        Quantity { natural, ring: None }
    }

    /// The same quantity, with what is known of its integers.
    pub fn refined(self, refine: &impl Fn(Int) -> Int) -> Quantity {
        Quantity {
            natural: refine(self.natural),
            ring: self.ring.map(|(width, integer)| (width, refine(integer))),
        }
    }

    /// The pattern of `width` bits congruent to `integer`.
    pub fn congruent(width: u32, integer: Int) -> Built<Quantity> {
        let natural = integer.mod_literal(&power(width))?;
        // An integer much wider than the pattern makes for large circuits further on.
        let ring = if integer.within(&-power(width + 2), &power(width + 2)) {
            integer
        } else {
            natural.clone()
        };
        Ok(Quantity { natural, ring: Some((width, ring)) })
    }

    /// The pattern modulo `2^width`.
    pub fn pattern(&self, width: u32) -> Built<Int> {
        self.natural.mod_literal(&power(width))
    }

    /// Some integer congruent to the pattern modulo `2^width`.
    pub fn ring(&self, width: u32) -> Int {
        match &self.ring {
            // What is congruent modulo a larger power is congruent modulo a smaller one.
            Some((w, integer)) if *w >= width => integer.clone(),
            _ => match self.natural.point() {
                // However many digits a program writes, no more bits than these count.
                Some(k) => Int::literal(k % power(width)),
                None => self.natural.clone(),
            },
        }
    }

    /// What the pattern means in type `t`.
    pub fn reading(&self, t: IntType) -> Built<Int> {
        let width = t.width.bits();
        if !t.signed {
            return self.pattern(width);
        }
        let half = power(width - 1);
        let ring = self.ring(width);
        if ring.within(&-half.clone(), &(&half - 1)) {
            return Ok(ring);
        }
        let pattern = self.pattern(width)?;
        if pattern.within(&BigInt::zero(), &(&half - 1)) {
            return Ok(pattern);
        }
        let negative = Int::literal(&half - 1).less(&pattern)?;
        let shifted = pattern.sub(&Int::literal(power(width)))?;
        let mut reading = Int::select(&negative, &shifted, &pattern)?;
        reading.range = reading.range.meet(&Interval::new(-half.clone(), half - 1));
        Ok(reading)
    }

    /// `if condition {then} else {otherwise}`
    pub fn select(condition: &Term, then: &Quantity, otherwise: &Quantity) -> Built<Quantity> {
        let natural = Int::select(condition, &then.natural, &otherwise.natural)?;
        let ring = match (&then.ring, &otherwise.ring) {
            (None, None) => None,
            (a, b) => {
                let widths = [a, b].into_iter().flatten().map(|(w, _)| *w);
                let width = widths.min().unwrap_or(1);
                let ring = Int::select(condition, &then.ring(width), &otherwise.ring(width))?;
                Some((width, ring))
            }
        };
        Ok(Quantity { natural, ring })
    }
}
