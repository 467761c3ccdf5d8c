//! What the assertions say about order, and a small prover of `poly >= 0` from it.

use std::{cell::Cell, collections::HashMap};

use babycuda_core::budget::pause;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::poly::{Algebra, Monomial, Poly, quotient};
use crate::term::{Op, Term};

/// How many facts one proof may combine.
const MAX_DEPTH: usize = 6;
/// How many combinations one proof may try.
const MAX_STEPS: usize = 32;
/// How many combinations all proofs about the parts of comparisons may try in a round, and likewise all others.
pub(super) const BUDGET: usize = 30_000;

/// Polynomials that are not negative wherever the assertions hold.
pub(super) struct Facts {
    facts: Vec<Poly>,
    /// By their first atoms: the products that occur in facts, how often, and in which fact.
    places: HashMap<u32, Vec<(Monomial, BigInt, usize)>>,
    /// Steps left for all proofs together.
    budget: Cell<usize>,
}

/// The fact that a comparison, or the negation of one, amounts to: a polynomial that is not
/// negative.
pub(super) fn fact(algebra: &mut Algebra, literal: &Term) -> Option<Poly> {
    let (comparison, holds) = match (literal.op(), literal.args()) {
        (Op::Not, [inner]) => (inner, false),
        _ => (literal, true),
    };
    let [a, b] = comparison.args() else {
        return None;
    };
    let strict = match comparison.op() {
        Op::Le => false,
        Op::Lt => true,
        _ => return None,
    };
    let (a, b) = (algebra.poly(a), algebra.poly(b));
    // a < b, or not (b <= a): b - a - 1.  a <= b: b - a.
    let (difference, strict) = if holds { (b.minus(&a), strict) } else { (a.minus(&b), !strict) };
    let one = Poly::constant(BigInt::from(u32::from(strict)));
    Some(difference.minus(&one))
}

/// Whether an assertion is a comparison of numbers or the negation of one: those are the source
/// of facts, and no fact may be used to rewrite them.
pub(super) fn is_comparison(literal: &Term) -> bool {
    let comparison = match (literal.op(), literal.args()) {
        (Op::Not, [inner]) => inner,
        _ => literal,
    };
    matches!(comparison.op(), Op::Le | Op::Lt)
}

impl Facts {
    /// None, of which proofs may try so many combinations.
    pub(super) fn none(budget: usize) -> Facts {
        Facts { facts: Vec::new(), places: HashMap::new(), budget: Cell::new(budget) }
    }

    /// How many combinations proofs may still try.
    pub(super) fn left(&self) -> usize {
        self.budget.get()
    }

    pub(super) fn push(&mut self, fact: Poly) {
        if fact.as_constant().is_some() || self.facts.contains(&fact) {
            return;
        }
        for (product, weight) in &fact.0 {
            if let Some(first) = product.first() {
                let place = (product.clone(), weight.clone(), self.facts.len());
                self.places.entry(*first).or_default().push(place);
            }
        }
        self.facts.push(fact);
    }

    /// Whether `goal >= 0` follows from the facts and the intervals of the atoms.
    ///
    /// The proof writes the goal as a sum of facts, each times a number and a monomial that is
    /// not negative, and a rest whose interval is not negative. `false` says nothing.
    pub(super) fn prove(&self, algebra: &mut Algebra, goal: &Poly) -> bool {
        let allowed = MAX_STEPS.min(self.budget.get());
        let mut steps = allowed;
        // Short proofs first: they are the common ones.
        let mut depths = [1, 2, 3, MAX_DEPTH].into_iter();
        let proved = depths.any(|depth| self.search(algebra, goal, depth, &mut steps));
        self.budget.set(self.budget.get() - (allowed - steps));
        proved
    }

    fn search(&self, algebra: &mut Algebra, goal: &Poly, depth: usize, steps: &mut usize) -> bool {
        if algebra.range(goal).is_nonnegative() {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let Some((monomial, coefficient)) = blocker(algebra, goal) else {
            return false;
        };
        for (fact, weight, factor) in self.using(&monomial) {
            pause();
            if weight.is_negative() != coefficient.is_negative() {
                continue;
            }
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            if !algebra.monomial_range(&factor).is_nonnegative() {
                continue;
            }
            // As often as it takes to use the monomial up.
            let (size, unit) = (coefficient.abs(), weight.abs());
            let often = (&size + &unit - 1u32) / unit;
            let rest = goal.plus_scaled(&self.facts[fact], &-often, &factor);
            if self.search(algebra, &rest, depth - 1, steps) {
                return true;
            }
        }
        false
    }

    /// The facts in which a product occurs that divides a monomial, oldest first: how often, and the rest of the
    /// monomial.
    fn using(&self, monomial: &[u32]) -> Vec<(usize, &BigInt, Monomial)> {
        let mut firsts = monomial.to_vec();
        firsts.dedup();
        let places = firsts.iter().filter_map(|first| self.places.get(first)).flatten();
        let mut found: Vec<_> = places
            .filter_map(|(product, weight, fact)| {
                Some((*fact, weight, quotient(monomial, product)?))
            })
            .collect();
        found.sort_by_key(|(fact, _, _)| *fact);
        found
    }
}

/// The monomial that keeps the goal's interval from being non-negative: one without a lower
/// bound, or else the one that contributes least; of several the largest product.
fn blocker(algebra: &mut Algebra, goal: &Poly) -> Option<(Monomial, BigInt)> {
    let mut worst: Option<(Option<BigInt>, Monomial, BigInt)> = None;
    for (monomial, coefficient) in &goal.0 {
        if monomial.is_empty() {
            continue;
        }
        let least = algebra.monomial_range(monomial).times(coefficient).lower;
        if least.as_ref().is_some_and(|least| *least >= BigInt::zero()) {
            continue;
        }
        let worse = match &worst {
            None => true,
            Some((other, m, _)) => match (&least, other) {
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (None, None) => monomial.len() > m.len(),
                (Some(a), Some(b)) => a < b,
            },
        };
        if worse {
            worst = Some((least, monomial.clone(), coefficient.clone()));
        }
    }
    worst.map(|(_, monomial, coefficient)| (monomial, coefficient))
}

/// `poly - 1 >= 0`.
pub(super) fn positive(facts: &Facts, algebra: &mut Algebra, poly: &Poly) -> bool {
    facts.prove(algebra, &poly.minus(&Poly::constant(BigInt::one())))
}
