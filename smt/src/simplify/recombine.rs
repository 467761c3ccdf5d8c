//! Quotient and remainder together are the number.
//!
//! For `d >= 1`: `n div d = m div d` and `n mod d = m mod d` iff `n = m`. The mixed-radix lemma
//! leaves such pairs behind when a linear position is taken apart into row and column; circuits
//! prove them equal only by multiplying back.

use super::{
    facts::{Facts, positive},
    poly::Algebra,
};
use crate::{
    sort::SortError,
    term::{Op, Term},
};

/// The dividends and the divisor of `n ⊘ d = m ⊘ d`, where `⊘` is one operator on both sides.
fn halves(equation: &Term) -> Option<(&Op, &Term, &Term, &Term)> {
    let (Op::Eq, [left, right]) = (equation.op(), equation.args()) else {
        return None;
    };
    match (left.args(), right.args()) {
        ([n, d], [m, e]) if left.op() == right.op() && d == e => Some((left.op(), n, m, d)),
        _ => None,
    }
}

/// Replaces pairs of asserted equations by the equation of the numbers.
pub(super) fn recombine(
    facts: &Facts,
    algebra: &mut Algebra,
    assertions: &mut [Term],
) -> Result<(), SortError> {
    let mut at = 0;
    while at < assertions.len() {
        let first = assertions[at].clone();
        at += 1;
        let Some((Op::Div, n, m, d)) = halves(&first) else {
            continue;
        };
        let partner = assertions.iter().position(|assertion| {
            halves(assertion).is_some_and(|(op, n2, m2, e)| {
                *op == Op::Mod && e == d && ((n2, m2) == (n, m) || (n2, m2) == (m, n))
            })
        });
        let Some(partner) = partner else {
            continue;
        };
        let divisor = algebra.poly(d);
        if positive(facts, algebra, &divisor) {
            assertions[at - 1] = n.equals(m)?;
            assertions[partner] = Term::bool(true);
        }
    }
    Ok(())
}
