//! Ranges that follow from what a query asserts.
//!
//! A fact is a consequence of the assertions of its query, so that it may be used anywhere in the
//! query: where it shows that nothing overflows, plain arithmetic is exact.

use super::encode::{Encoded, Scope, compared};
use super::quantity::{Built, Int, power};
use babycuda_core::deep::grow;
use babycuda_core::expr::{BoolOp, CompareOp, Relation};
use babycuda_core::{Bool, Num};
use babycuda_smt::{Interval, Term};
use std::collections::HashMap;

/// Ranges of terms.
#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    ranges: HashMap<Term, Interval>,
    /// Ranges of patterns, that a solver would have to find behind their signed readings.
    pub patterns: Vec<(Term, Interval)>,
}

impl Facts {
    /// The same integer with all that is known of its range.
    pub fn refine(&self, mut integer: Int) -> Int {
        if let Some(known) = self.ranges.get(&integer.term) {
            let range = integer.range.meet(known);
            // Contradictory facts make the query unsatisfiable, which is the solver's to say.
            if !range.is_empty() {
                integer.range = range;
            }
        }
        integer
    }

    /// Notes that `term` lies in `range`.
    pub fn learn(&mut self, term: &Term, range: &Interval) {
        let known = self.ranges.entry(term.clone()).or_insert(Interval::ALL);
        *known = known.meet(range);
    }

    /// Notes that `low < high`, or `low <= high`.
    fn order(&mut self, low: &Int, high: &Int, strict: bool) -> Built<()> {
        let gap = i32::from(strict);
        let upper = high.range.upper.as_ref().map(|n| n - gap);
        self.learn(&low.term, &Interval { lower: None, upper });
        let lower = low.range.lower.as_ref().map(|n| n + gap);
        self.learn(&high.term, &Interval { lower, upper: None });
        self.learn(&high.term.sub(&low.term)?, &Interval::at_least(gap));
        Ok(())
    }
}

/// What follows from `condition` being `truth`: pairs of integers, the first less than the second
/// (or equal, where the flag is not set).
pub(super) fn consequences(
    condition: &Bool,
    truth: bool,
    scope: &impl Scope,
    facts: &mut Facts,
) -> Encoded<()> {
    match condition {
        Bool::Lit(_) => Ok(()),
        Bool::Not(operand) => grow(|| consequences(operand, !truth, scope, facts)),
        Bool::Connective(op, l, r) => {
            if (*op == BoolOp::And) == truth {
                grow(|| consequences(l, truth, scope, facts))?;
                grow(|| consequences(r, truth, scope, facts))?;
            }
            Ok(())
        }
        Bool::Compare(op, l, r) => comparison(*op, l, r, truth, scope, facts),
    }
}

fn comparison(
    op: CompareOp,
    l: &Num,
    r: &Num,
    truth: bool,
    scope: &impl Scope,
    facts: &mut Facts,
) -> Encoded<()> {
    let (left, right) = compared(op, l, r, scope)?;
    match (op.relation, truth) {
        (Relation::Lt, true) | (Relation::Ge, false) => facts.order(&left, &right, true)?,
        (Relation::Le, true) | (Relation::Gt, false) => facts.order(&left, &right, false)?,
        (Relation::Gt, true) | (Relation::Le, false) => facts.order(&right, &left, true)?,
        (Relation::Ge, true) | (Relation::Lt, false) => facts.order(&right, &left, false)?,
        (Relation::Eq, true) | (Relation::Ne, false) => {
            facts.order(&left, &right, false)?;
            facts.order(&right, &left, false)?;
        }
        (Relation::Eq, false) | (Relation::Ne, true) => {}
    }
    // A pattern whose signed reading is not negative is that reading.
    if let Some(t) = op.machine.filter(|t| t.signed) {
        for (n, reading) in [(l, left), (r, right)] {
            let reading = facts.refine(reading);
            let half = power(t.width.bits() - 1);
            if reading.within(&0.into(), &(half - 1)) {
                let pattern = super::encode::num(n, scope)?.pattern(t.width.bits())?;
                if pattern.range != reading.range {
                    facts.learn(&pattern.term, &reading.range);
                    facts.patterns.push((pattern.term, reading.range));
                }
            }
        }
    }
    Ok(())
}
