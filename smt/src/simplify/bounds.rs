//! Tighter bounds for constants, from what is asserted.

use std::{collections::HashMap, sync::Arc};

use num_traits::Signed;

use super::poly::{Algebra, Poly};
use babycuda_core::interval::{Interval, euclid};

use crate::term::Term;

/// Bounds of constants by name.
pub(super) type Bounds = HashMap<Arc<str>, Interval>;

/// What `fact >= 0` says of each constant that it is linear in, the other atoms being anywhere
/// in their intervals: `c*x >= -rest`.
pub(super) fn implied(algebra: &mut Algebra, fact: &Poly) -> Vec<(Term, Interval)> {
    let mut found = Vec::new();
    for (monomial, coefficient) in &fact.0 {
        let [atom] = monomial.as_slice() else {
            continue;
        };
        let constant = algebra.atom(*atom).clone();
        if constant.as_constant().is_none() {
            continue;
        }
        let own = Poly::single(monomial.clone(), coefficient.clone());
        let Some(most) = algebra.range(&fact.minus(&own)).upper else {
            continue;
        };
        let size = coefficient.abs();
        let interval = if coefficient.is_positive() {
            // x >= -most / c, rounded up.
            Interval::at_least(-euclid(&most, &size).0)
        } else {
            Interval::at_most(euclid(&most, &size).0)
        };
        found.push((constant, interval));
    }
    found
}

/// Meets an interval into the bounds of a constant; whether they became tighter.
pub(super) fn tighten(bounds: &mut Bounds, constant: &Term, interval: &Interval) -> bool {
    let Some(name) = constant.as_constant() else {
        return false;
    };
    let known = bounds.entry(Arc::clone(name)).or_default();
    let met = known.meet(interval);
    let tighter = met != *known;
    *known = met;
    tighter
}
