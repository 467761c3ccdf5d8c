//! Polynomials with integer coefficients over opaque terms (*atoms*).

use std::collections::{BTreeMap, HashMap};

use babycuda_core::Interval;
use babycuda_core::budget::pause;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::{
    ranges::Intervals,
    sort::SortError,
    term::{Op, Term},
};

/// Polynomials larger than this stay atoms.
const MAX_MONOMIALS: usize = 48;
/// Products of more factors than this stay atoms.
const MAX_DEGREE: usize = 6;

/// A product of atoms, by number, ascending; the empty one is 1.
pub(super) type Monomial = Vec<u32>;

/// A sum of monomials with coefficients other than 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Poly(pub(super) BTreeMap<Monomial, BigInt>);

impl Poly {
    pub(super) fn constant(n: BigInt) -> Poly {
        Poly::single(Vec::new(), n)
    }

    pub(super) fn single(monomial: Monomial, coefficient: BigInt) -> Poly {
        let mut poly = Poly::default();
        poly.add_to(monomial, coefficient);
        poly
    }

    fn add_to(&mut self, monomial: Monomial, coefficient: BigInt) {
        use std::collections::btree_map::Entry;
        match self.0.entry(monomial) {
            Entry::Vacant(entry) => {
                if !coefficient.is_zero() {
                    entry.insert(coefficient);
                }
            }
            Entry::Occupied(mut entry) => {
                *entry.get_mut() += coefficient;
                if entry.get().is_zero() {
                    entry.remove();
                }
            }
        }
    }

    /// `self + other * k * m`.
    pub(super) fn plus_scaled(&self, other: &Poly, k: &BigInt, m: &[u32]) -> Poly {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.0 {
            pause();
            sum.add_to(times(monomial, m), coefficient * k);
        }
        sum
    }

    pub(super) fn plus(&self, other: &Poly) -> Poly {
        self.plus_scaled(other, &BigInt::one(), &[])
    }

    pub(super) fn minus(&self, other: &Poly) -> Poly {
        self.plus_scaled(other, &-BigInt::one(), &[])
    }

    pub(super) fn times(&self, other: &Poly) -> Poly {
        let mut product = Poly::default();
        for (monomial, coefficient) in &self.0 {
            product = product.plus_scaled(other, coefficient, monomial);
        }
        product
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Is a product of atoms in both?
    pub(super) fn shares_product(&self, other: &Poly) -> bool {
        self.0.keys().any(|monomial| !monomial.is_empty() && other.0.contains_key(monomial))
    }

    /// The number, when no atom occurs.
    pub(super) fn as_constant(&self) -> Option<BigInt> {
        match self.0.iter().next() {
            None => Some(BigInt::zero()),
            Some((monomial, n)) if monomial.is_empty() && self.0.len() == 1 => Some(n.clone()),
            Some(_) => None,
        }
    }

    fn fits(&self) -> bool {
        self.0.len() <= MAX_MONOMIALS && self.0.keys().all(|m| m.len() <= MAX_DEGREE)
    }

    /// Monomials with positive coefficients, and those with negative ones, negated.
    fn sides(&self) -> (Poly, Poly) {
        let (mut positive, mut negative) = (Poly::default(), Poly::default());
        for (monomial, coefficient) in &self.0 {
            if coefficient.is_positive() {
                positive.add_to(monomial.clone(), coefficient.clone());
            } else {
                negative.add_to(monomial.clone(), -coefficient);
            }
        }
        (positive, negative)
    }
}

/// The product of two monomials.
pub(super) fn times(a: &[u32], b: &[u32]) -> Monomial {
    let mut product = [a, b].concat();
    product.sort_unstable();
    product
}

/// `a / b`, when every factor of `b` is one of `a`.
pub(super) fn quotient(a: &[u32], b: &[u32]) -> Option<Monomial> {
    // Most do not divide each other, and that is told without a copy: both ascend.
    let mut factors = a.iter();
    if !b.iter().all(|factor| factors.any(|other| other == factor)) {
        return None;
    }
    let mut rest = a.to_vec();
    for factor in b {
        let at = rest.iter().position(|other| other == factor)?;
        rest.remove(at);
    }
    Some(rest)
}

/// Numbers for atoms, intervals for everything, and the polynomials of terms.
pub(super) struct Algebra {
    pub(super) ranges: Intervals,
    atoms: Vec<Term>,
    numbers: HashMap<Term, u32>,
    memo: HashMap<Term, Poly>,
    /// Intervals of products.
    products: HashMap<Monomial, Interval>,
}

impl Algebra {
    pub(super) fn new(ranges: Intervals) -> Algebra {
        Algebra {
            ranges,
            atoms: Vec::new(),
            numbers: HashMap::new(),
            memo: HashMap::new(),
            products: HashMap::new(),
        }
    }

    pub(super) fn atom(&self, number: u32) -> &Term {
        &self.atoms[number as usize]
    }

    fn atom_poly(&mut self, term: &Term) -> Poly {
        let next = u32::try_from(self.atoms.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(term.clone()).or_insert(next);
        if number == next {
            self.atoms.push(term.clone());
        }
        Poly::single(vec![number], BigInt::one())
    }

    /// The polynomial of an integer term.
    pub(super) fn poly(&mut self, root: &Term) -> Poly {
        let mut stack = vec![root.clone()];
        while let Some(term) = stack.last().cloned() {
            if self.memo.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if is_ring(&term) {
                let missing = term.args().iter().filter(|a| !self.memo.contains_key(*a));
                stack.extend(missing.cloned());
            }
            if stack.len() == before {
                let poly = match self.combine(&term).filter(Poly::fits) {
                    Some(poly) => poly,
                    None => self.atom_poly(&term),
                };
                self.memo.insert(term, poly);
                stack.pop();
            }
        }
        self.memo.get(root).cloned().unwrap_or_default()
    }

    /// The polynomial of a ring operation over the polynomials of its arguments; `None` for any
    /// other term, and where the product is too large.
    fn combine(&self, term: &Term) -> Option<Poly> {
        let arg = |i: usize| term.args().get(i).and_then(|a| self.memo.get(a));
        Some(match term.op() {
            Op::Value(value) => Poly::constant(value.as_int()?.clone()),
            Op::Add => arg(0)?.plus(arg(1)?),
            Op::Sub => arg(0)?.minus(arg(1)?),
            Op::Mul if arg(0)?.0.len() * arg(1)?.0.len() <= 4 * MAX_MONOMIALS => {
                arg(0)?.times(arg(1)?)
            }
            _ => return None,
        })
    }

    /// The interval of a product of atoms.
    pub(super) fn monomial_range(&mut self, monomial: &[u32]) -> Interval {
        if let Some(known) = self.products.get(monomial) {
            return known.clone();
        }
        let mut product = Interval::point(&BigInt::one());
        let mut i = 0;
        while i < monomial.len() {
            let atom = self.atoms[monomial[i] as usize].clone();
            let range = self.ranges.of(&atom);
            // A square is not negative.
            if monomial.get(i + 1) == Some(&monomial[i]) {
                product = product.mul(&range.mul(&range).meet(&Interval::at_least(0)));
                i += 2;
            } else {
                product = product.mul(&range);
                i += 1;
            }
        }
        self.products.insert(monomial.to_vec(), product.clone());
        product
    }

    /// The interval of a polynomial.
    pub(super) fn range(&mut self, poly: &Poly) -> Interval {
        let mut sum = Interval::point(&BigInt::zero());
        for (monomial, coefficient) in &poly.0 {
            pause();
            sum = sum.add(&self.monomial_range(monomial).times(coefficient));
        }
        sum
    }

    /// `poly = 0`, as an equation between what is added and what is subtracted.
    pub(super) fn equation(&self, poly: &Poly) -> Result<Term, SortError> {
        let (plus, minus) = poly.sides();
        self.sum(&plus)?.equals(&self.sum(&minus)?)
    }

    /// A polynomial, all of whose coefficients are positive, as a sum of products.
    fn sum(&self, poly: &Poly) -> Result<Term, SortError> {
        let mut sum = Term::int(0);
        for (monomial, coefficient) in poly.0.iter().rev() {
            let mut product = Term::int(1);
            for atom in monomial {
                product = product.mul(self.atom(*atom))?;
            }
            sum = sum.add(&product.mul(&Term::int(coefficient.clone()))?)?;
        }
        Ok(sum)
    }
}

fn is_ring(term: &Term) -> bool {
    matches!(term.op(), Op::Add | Op::Sub | Op::Mul)
}
