//! Naturals as integer terms, with intervals.
//!
//! A machine integer is a pattern; but additions, subtractions and products commute with reduction
//! modulo `2^w`, so beside its pattern a quantity keeps an integer that is congruent to it, and
//! reduces only where a pattern or a signed reading is asked for and that integer may lie outside
//! of it. Nothing is approximated: where no overflow is possible the terms are plain integer
//! arithmetic, elsewhere they are exact modulo `2^w`.

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::interval::{Interval, euclid};
use babycuda_core::machine::IntType;
use babycuda_smt::{SortError, Term};
use num_bigint::BigInt;
use num_traits::{One, Zero};

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
    pub(super) fn literal(value: impl Into<BigInt>) -> Int {
        let value = value.into();
        Int { term: Term::int(value.clone()), range: Interval::point(&value) }
    }

    fn new(term: Term, range: Interval) -> Int {
        match range.single() {
            Some(value) => Int::literal(value.clone()),
            None => Int { term, range },
        }
    }

    pub(super) fn nonnegative(&self) -> bool {
        self.range.is_nonnegative()
    }

    pub(super) fn within(&self, lower: &BigInt, upper: &BigInt) -> bool {
        self.range.ends().is_some_and(|(lo, hi)| lower <= lo && hi <= upper)
    }

    pub(super) fn add(&self, other: &Int) -> Built<Int> {
        Ok(Int::new(self.term.add(&other.term)?, self.range.add(&other.range)))
    }

    pub(super) fn sub(&self, other: &Int) -> Built<Int> {
        Ok(Int::new(self.term.sub(&other.term)?, self.range.sub(&other.range)))
    }

    pub(super) fn mul(&self, other: &Int) -> Built<Int> {
        Ok(Int::new(self.term.mul(&other.term)?, self.range.mul(&other.range)))
    }

    /// Euclidean quotient by a positive literal.
    pub(super) fn div_literal(&self, divisor: &BigInt) -> Built<Int> {
        let floor = |n: &BigInt| euclid(n, divisor).0;
        let range = Interval {
            lower: self.range.lower.as_ref().map(floor),
            upper: self.range.upper.as_ref().map(floor),
        };
        Ok(Int::new(self.term.int_div(&Term::int(divisor.clone()))?, range))
    }

    /// Euclidean remainder by a positive literal.
    pub(super) fn mod_literal(&self, divisor: &BigInt) -> Built<Int> {
        if self.within(&BigInt::zero(), &(divisor - 1)) {
            return Ok(self.clone());
        }
        let range = Interval::new(0, divisor - 1);
        Ok(Int::new(self.term.int_mod(&Term::int(divisor.clone()))?, range))
    }

    /// Quotient of naturals, 0 when the divisor is 0.
    pub(super) fn div_total(&self, other: &Int) -> Built<Int> {
        if let Some(divisor) = other.range.single() {
            if divisor.is_zero() {
                return Ok(Int::literal(0));
            }
            return self.div_literal(divisor);
        }
        let range = Interval::natural(ArithOp::Div, &self.range, &other.range);
        let quotient = self.term.int_div(&other.term)?;
        Ok(Int::new(other.guarded(&Term::int(0), &quotient)?, range))
    }

    /// Remainder of naturals, the dividend when the divisor is 0.
    pub(super) fn mod_total(&self, other: &Int) -> Built<Int> {
        if let Some(divisor) = other.range.single() {
            return if divisor.is_zero() { Ok(self.clone()) } else { self.mod_literal(divisor) };
        }
        if Interval::compare(Relation::Lt, &self.range, &other.range) == Some(true) {
            return Ok(self.clone());
        }
        let range = Interval::natural(ArithOp::Mod, &self.range, &other.range);
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
    pub(super) fn select(condition: &Term, then: &Int, otherwise: &Int) -> Built<Int> {
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
    pub(super) fn less(&self, other: &Int) -> Built<Term> {
        match Interval::compare(Relation::Lt, &self.range, &other.range) {
            Some(truth) => Ok(Term::bool(truth)),
            None => self.term.less_than(&other.term),
        }
    }

    /// `self = other`, decided where the intervals decide it.
    pub(super) fn equal(&self, other: &Int) -> Built<Term> {
        if self.range.meet(&other.range).is_empty() {
            return Ok(Term::bool(false));
        }
        self.term.equals(&other.term)
    }

    pub(super) fn min(&self, other: &Int) -> Built<Int> {
        let mut chosen = Int::select(&self.less(other)?, self, other)?;
        chosen.range =
            chosen.range.meet(&Interval::natural(ArithOp::Min, &self.range, &other.range));
        Ok(chosen)
    }

    pub(super) fn max(&self, other: &Int) -> Built<Int> {
        let mut chosen = Int::select(&self.less(other)?, other, self)?;
        chosen.range =
            chosen.range.meet(&Interval::natural(ArithOp::Max, &self.range, &other.range));
        Ok(chosen)
    }
}

impl Quantity {
    /// A natural.
    pub(super) fn natural(natural: Int) -> Quantity {
        Quantity { natural, ring: None }
    }

    /// The same quantity, with what is known of its integers.
    pub(super) fn refined(self, refine: &impl Fn(Int) -> Int) -> Quantity {
        Quantity {
            natural: refine(self.natural),
            ring: self.ring.map(|(width, integer)| (width, refine(integer))),
        }
    }

    /// The pattern of `width` bits congruent to `integer`.
    pub(super) fn congruent(width: u32, integer: Int) -> Built<Quantity> {
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
    pub(super) fn pattern(&self, width: u32) -> Built<Int> {
        self.natural.mod_literal(&power(width))
    }

    /// Some integer congruent to the pattern modulo `2^width`.
    pub(super) fn ring(&self, width: u32) -> Int {
        match &self.ring {
            // What is congruent modulo a larger power is congruent modulo a smaller one.
            Some((w, integer)) if *w >= width => integer.clone(),
            _ => match self.natural.range.single() {
                // However many digits a program writes, no more bits than these count.
                Some(k) => Int::literal(k % power(width)),
                None => self.natural.clone(),
            },
        }
    }

    /// `self = other`. Patterns whose integers lie less than `2^w` apart are equal where these are, signs and all.
    pub(super) fn equal(&self, other: &Quantity) -> Built<Term> {
        let widths = [self, other].into_iter().filter_map(|q| q.ring.as_ref().map(|(w, _)| *w));
        if let Some(width) = widths.min() {
            let (all, last) = (power(width), power(width) - 1);
            let patterns = [self, other].iter().all(|q| q.natural.within(&BigInt::zero(), &last));
            let (a, b) = (self.ring(width), other.ring(width));
            let near = a.range.join(&b.range).ends().is_some_and(|(low, high)| high - low < all);
            if patterns && near {
                return a.equal(&b);
            }
        }
        self.natural.equal(&other.natural)
    }

    /// What the pattern means in type `t`.
    pub(super) fn reading(&self, t: IntType) -> Built<Int> {
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
    pub(super) fn select(
        condition: &Term,
        then: &Quantity,
        otherwise: &Quantity,
    ) -> Built<Quantity> {
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
