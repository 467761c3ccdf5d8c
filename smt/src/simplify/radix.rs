//! Equations between polynomials, and the mixed-radix lemma.
//!
//! **Lemma.** Let `S >= 1` and `|B| < S`. Then `S*A + B = 0` iff `A = 0` and `B = 0`.
//! (If `S*A + B = 0` then `S` divides `B`, and the only multiple of `S` below `S` in size is 0.)
//!
//! With `A = t - u`, `B = i - j` it says that digits are unique: for `0 <= i, j < S`,
//! `t*S + i = u*S + j` iff `t = u` and `i = j`; with `B = 0`, that a common factor cancels. `S` may
//! be any product of a number and atoms, so row-major indices of symbolic width fall to it, of any
//! dimension, one digit at a time.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    facts::{Facts, positive},
    poly::{Algebra, Monomial, Poly, quotient},
};

/// Splits `poly = 0` as far as the facts allow: it holds where all of these are zero, none of which
/// is constant. `None`: it holds in no model.
pub(super) fn solve(facts: &Facts, algebra: &mut Algebra, poly: Poly) -> Option<Vec<Poly>> {
    let mut open = vec![poly];
    let mut done = Vec::new();
    while let Some(poly) = open.pop() {
        let poly = primitive(poly)?;
        if poly.is_zero() {
            continue;
        }
        if poly.as_constant().is_some() || !algebra.range(&poly).contains(&BigInt::zero()) {
            return None;
        }
        match split(facts, algebra, &poly) {
            Some((high, low)) => open.extend([low, high]),
            None => done.push(poly),
        }
    }
    Some(done)
}

/// The polynomial without the common divisor of its coefficients; `None` when the divisor of all
/// but the constant one does not divide that, so that it is never zero.
fn primitive(poly: Poly) -> Option<Poly> {
    let mut divisor = BigInt::zero();
    for (monomial, coefficient) in &poly.0 {
        if !monomial.is_empty() {
            divisor = gcd(divisor, coefficient.abs());
        }
    }
    if divisor <= BigInt::one() {
        return Some(poly);
    }
    let mut reduced = Poly::default();
    for (monomial, coefficient) in &poly.0 {
        if !(coefficient % &divisor).is_zero() {
            return None;
        }
        let part = Poly::single(monomial.clone(), coefficient / &divisor);
        reduced = reduced.plus(&part);
    }
    Some(reduced)
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a
}

/// `A` and `B` of the lemma, for some scale `S`.
fn split(facts: &Facts, algebra: &mut Algebra, poly: &Poly) -> Option<(Poly, Poly)> {
    for (monomial, number) in scales(poly) {
        let (mut high, mut low) = (Poly::default(), Poly::default());
        for (own, coefficient) in &poly.0 {
            match quotient(own, &monomial) {
                Some(rest) if (coefficient % &number).is_zero() => {
                    high = high.plus(&Poly::single(rest, coefficient / &number));
                }
                _ => low = low.plus(&Poly::single(own.clone(), coefficient.clone())),
            }
        }
        // Something must be gained: a smaller remainder, or a factor cancelled.
        if high.is_zero() || (low.is_zero() && monomial.is_empty()) {
            continue;
        }
        let scale = Poly::single(monomial, number);
        let room = scale.minus(&Poly::constant(BigInt::one()));
        if positive(facts, algebra, &scale)
            && facts.prove(algebra, &room.minus(&low))
            && facts.prove(algebra, &room.plus(&low))
        {
            return Some((high, low));
        }
    }
    None
}

/// Candidates for `S`: products of some factors of a monomial, times a coefficient of a monomial
/// that they divide. Larger products first: the remainder is then smaller.
fn scales(poly: &Poly) -> Vec<(Monomial, BigInt)> {
    let mut products: Vec<Monomial> = vec![Vec::new()];
    for monomial in poly.0.keys() {
        for chosen in 0..1usize << monomial.len().min(6) {
            let factors = monomial.iter().enumerate();
            let product: Monomial =
                factors.filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, atom)| *atom).collect();
            if !products.contains(&product) {
                products.push(product);
            }
        }
    }
    products.sort_by_key(|product| std::cmp::Reverse(product.len()));
    let mut scales = Vec::new();
    for product in products.into_iter().take(32) {
        let mut numbers: Vec<BigInt> = Vec::new();
        for (monomial, coefficient) in &poly.0 {
            let size = coefficient.abs();
            let divides = quotient(monomial, &product).is_some() && !monomial.is_empty();
            if divides && !numbers.contains(&size) {
                numbers.push(size);
            }
        }
        numbers.sort();
        for number in numbers.into_iter().rev() {
            // A scale of 1 leaves no room for a remainder.
            if !(product.is_empty() && number.is_one()) {
                scales.push((product.clone(), number));
            }
        }
    }
    scales
}
