//! Asserted equalities that define a constant.

use crate::{
    sort::Sort,
    term::{Op, Term},
};

/// The constant that an assertion names on one side, and its definition, in which it does not
/// occur.
pub(super) fn definition(assertion: &Term) -> Option<(Term, Term)> {
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

fn opposite(a: &Term, b: &Term) -> Option<(Term, Term)> {
    either(a, &b.negation()).or_else(|| either(b, &a.negation()))
}

fn either(constant: &Term, definition: &Term) -> Option<(Term, Term)> {
    let defines = constant.as_constant().is_some() && !definition.constants().contains(constant);
    defines.then(|| (constant.clone(), definition.clone()))
}
