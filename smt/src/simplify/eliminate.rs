//! Asserted equalities that define a constant.

use num_traits::One;

use super::poly::{Algebra, Poly};
use crate::{
    sort::{Sort, SortError},
    term::{Op, Term},
};

/// A polynomial of more monomials is not solved for a constant.
const MAX_MONOMIALS: usize = 8;

/// The constant that an assertion names on one side, and its definition, in which it does not
/// occur.
pub(super) fn explicit(assertion: &Term) -> Option<(Term, Term)> {
    if assertion.as_constant().is_some() {
        return Some((assertion.clone(), Term::bool(true)));
    }
    match (assertion.op(), assertion.args()) {
        (Op::Not, [inner]) if inner.as_constant().is_some() => {
            Some((inner.clone(), Term::bool(false)))
        }
        // `not (p = q)` and `p xor q` define one by the negation of the other.
        (Op::Not, [inner]) => match (inner.op(), inner.args()) {
            (Op::Eq, [a, b]) if a.sort() == Sort::Bool => opposite(a, b),
            _ => None,
        },
        (Op::Xor, [a, b]) => opposite(a, b),
        (Op::Eq, [a, b]) => either(a, b).or_else(|| either(b, a)),
        _ => None,
    }
}

/// The constant that an integer equation, solved for it, defines.
pub(super) fn solved(
    algebra: &mut Algebra,
    assertion: &Term,
) -> Result<Option<(Term, Term)>, SortError> {
    match (assertion.op(), assertion.args()) {
        (Op::Eq, [a, b]) if a.sort() == Sort::Int => linear(algebra, a, b),
        _ => Ok(None),
    }
}

fn opposite(a: &Term, b: &Term) -> Option<(Term, Term)> {
    either(a, &b.negation()).or_else(|| either(b, &a.negation()))
}

fn either(constant: &Term, definition: &Term) -> Option<(Term, Term)> {
    let defines = constant.as_constant().is_some() && !definition.constants().contains(constant);
    defines.then(|| (constant.clone(), definition.clone()))
}

/// `±x + rest = 0` for an integer constant `x` that the rest does not mention.
fn linear(algebra: &mut Algebra, a: &Term, b: &Term) -> Result<Option<(Term, Term)>, SortError> {
    let equation = algebra.poly(a).minus(&algebra.poly(b));
    if equation.0.len() > MAX_MONOMIALS {
        return Ok(None);
    }
    for (monomial, coefficient) in &equation.0 {
        let [atom] = monomial.as_slice() else {
            continue;
        };
        let constant = algebra.atom(*atom).clone();
        if constant.as_constant().is_none() || !coefficient.magnitude().is_one() {
            continue;
        }
        let own = Poly::single(monomial.clone(), coefficient.clone());
        let rest = equation.minus(&own);
        // c*x + rest = 0 with c = ±1: x = -c*rest.
        let value = Poly::default().plus_scaled(&rest, &-coefficient, &[]);
        let definition = algebra.term(&value)?;
        if !definition.constants().contains(&constant) {
            return Ok(Some((constant, definition)));
        }
    }
    Ok(None)
}
