//! Ranges that follow from what a query asserts.
//!
//! A fact is a consequence of the assertions of its query, so that it may be used anywhere in the
//! query: where it shows that nothing overflows, plain arithmetic is exact.

use super::encode::{Encoded, compared};
use super::overflow::exact_unless;
use super::quantity::{Built, Int, power};
use super::world::View;
use babycuda_core::deep::grow;
use babycuda_core::expr::{BoolOp, CompareOp, NumOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_smt::{Interval, Term};
use num_bigint::BigInt;
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
    pub(super) fn refine(&self, mut integer: Int) -> Int {
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
    pub(super) fn learn(&mut self, term: &Term, range: &Interval) {
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
    scope: &View<'_>,
    facts: &mut Facts,
) -> Encoded<()> {
    if !truth && let Some((result, range)) = exact_unless(condition, scope)? {
        facts.learn(&result, &range);
    }
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
    scope: &View<'_>,
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
    if let Some(t) = op.machine.filter(|t| t.signed) {
        for (n, reading) in [(l, left), (r, right)] {
            narrowed(n, t, facts.refine(reading), scope, facts)?;
        }
    }
    Ok(())
}

/// Notes what follows of `n` from the range of its reading at the signed type `t`.
fn narrowed(n: &Num, t: IntType, reading: Int, scope: &View<'_>, facts: &mut Facts) -> Encoded<()> {
    let half = power(t.width.bits() - 1);
    // A pattern whose signed reading is not negative is that reading.
    if reading.within(&0.into(), &(half.clone() - 1)) {
        let pattern = super::encode::num(n, scope)?.pattern(t.width.bits())?;
        if pattern.range != reading.range {
            facts.learn(&pattern.term, &reading.range);
            facts.patterns.push((pattern.term, reading.range.clone()));
        }
    }
    // Where `m + k` does not overflow, it says of `m` what it says of itself.
    let Num::Binary(NumOp::Machine(op, at), inner, literal) = n else {
        return Ok(());
    };
    let sign = match op {
        MachineOp::Add => 1,
        MachineOp::Sub => -1,
        _ => return Ok(()),
    };
    let Num::Lit(k) = literal.as_ref() else {
        return Ok(());
    };
    if *at != t {
        return Ok(());
    }
    let k = BigInt::from(t.read(t.pattern(k)) * sign);
    let before = facts.refine(super::encode::num(inner, scope)?.reading(t)?);
    let after = before.add(&Int::literal(k.clone()))?;
    if !after.within(&-half.clone(), &(half - 1)) {
        return Ok(());
    }
    let moved = |end: &Option<BigInt>| end.as_ref().map(|end| end - &k);
    let range = Interval { lower: moved(&reading.range.lower), upper: moved(&reading.range.upper) };
    facts.learn(&before.term, &range);
    narrowed(inner, t, facts.refine(before), scope, facts)
}
