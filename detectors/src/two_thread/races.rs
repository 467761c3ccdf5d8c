//! Algorithm 1, `DataraceDetection` (SKBG18 §5.1): all pairs of operations that conflict, in all barrier
//! intervals, in one run.

use super::encode::{Encoder, Value};
use super::findings::{Finding, Findings, race};
use super::formula::{
    Action, Age, ArrayId, Formula, Interval, Node, Space, Translated, Turns, Wff,
};
use super::question::Asked;
use super::reading::{Arrays, Intervals, Reading, Threads};
use super::terms::Built;
use super::world::World;
use babycuda_core::AccessMode;
use babycuda_core::deep::grow;
use babycuda_core::expr::BoolOp;
use babycuda_kernel::{At, Launch};
use babycuda_smt::Term;
use std::collections::BTreeSet;

/// An operation on an array: what the paper's `op` is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The formula that it is in.
    pub formula: usize,
    /// The array.
    pub array: ArrayId,
    /// Where in it.
    pub index: Wff,
    /// Is it a store?
    pub mode: AccessMode,
    /// Where it stands.
    pub at: At,
    /// What holds where it is computed, beside the predicate of the formula.
    pub guards: Vec<Wff>,
}

/// The operations on arrays that threads share.
pub fn operations(all: &Translated) -> Vec<Operation> {
    let mut found = Vec::new();
    for (i, formula) in all.formulae.iter().enumerate() {
        for wff in formula.action.operands() {
            selects(wff, i, &mut Vec::new(), &mut found);
        }
        if let Action::Store { array, index, .. } = &formula.action {
            let (index, mode) = (index.clone(), AccessMode::Wr);
            let guards = Vec::new();
            found.push(Operation {
                formula: i,
                array: *array,
                index,
                mode,
                at: formula.at,
                guards,
            });
        }
    }
    found.retain(|op| all.arrays[op.array.0].space != Space::Thread);
    found
}

fn selects(wff: &Wff, formula: usize, guards: &mut Vec<Wff>, found: &mut Vec<Operation>) {
    match &wff.node {
        Node::Logical(op, both) => {
            selects(&both[0], formula, guards, found);
            let left = both[0].clone();
            guards.push(if *op == BoolOp::And { left } else { left.negated() });
            grow(|| selects(&both[1], formula, guards, found));
            guards.pop();
        }
        node => {
            for x in wff.operands() {
                grow(|| selects(x, formula, guards, found));
            }
            if let Node::Select(array, _, index, at) = node {
                let (index, guards) = ((**index).clone(), guards.clone());
                let (array, at, mode) = (*array, *at, AccessMode::Rd);
                found.push(Operation { formula, array, index, mode, at, guards });
            }
        }
    }
}

/// Pairs that conflict: one array, and at least one store.
pub fn conflicts(operations: &[Operation]) -> Vec<[&Operation; 2]> {
    let mut pairs = Vec::new();
    for (i, l) in operations.iter().enumerate() {
        for r in &operations[i..] {
            if l.array == r.array && (l.mode == AccessMode::Wr || r.mode == AccessMode::Wr) {
                pairs.push([l, r]);
            }
        }
    }
    pairs
}

/// The formulae before `limit` that define what is needed, and what those need.
pub(super) fn needed(all: &Translated, limit: usize, seeds: Vec<&Wff>, arrays: bool) -> Vec<usize> {
    let mut found = BTreeSet::new();
    let mut pending = seeds;
    let (mut symbols, mut states) = (BTreeSet::new(), BTreeSet::new());
    let before = &all.formulae[..limit];
    for (i, formula) in before.iter().enumerate() {
        if matches!(formula.action, Action::Assume(_)) {
            include(i, formula, &mut found, &mut pending);
        }
    }
    while let Some(wff) = pending.pop() {
        pending.extend(wff.operands());
        match &wff.node {
            Node::Var(symbol) if symbols.insert(*symbol) => {
                for (i, formula) in before.iter().enumerate() {
                    let defines = match &formula.action {
                        Action::Equal(s, _) | Action::Free(s, _) => s == symbol,
                        Action::Iterate { symbol: s, .. } => s == symbol,
                        _ => false,
                    };
                    if defines {
                        include(i, formula, &mut found, &mut pending);
                    }
                }
            }
            Node::Select(array, version, ..) => {
                let own = all.arrays[array.0].space == Space::Thread;
                let mut states_pending = vec![*version];
                while let Some(version) = states_pending.pop() {
                    if !(own || arrays) || !states.insert((*array, version)) {
                        continue;
                    }
                    for (i, formula) in before.iter().enumerate() {
                        let (Action::Store { array: a, versions, .. } | Action::Same(a, versions)) =
                            &formula.action
                        else {
                            continue;
                        };
                        if (*a, versions[1]) == (*array, version) {
                            include(i, formula, &mut found, &mut pending);
                            states_pending.push(versions[0]);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    found.into_iter().collect()
}

fn include<'a>(
    i: usize,
    formula: &'a Formula,
    found: &mut BTreeSet<usize>,
    pending: &mut Vec<&'a Wff>,
) {
    if found.insert(i) {
        pending.extend(&formula.predicate);
        pending.extend(formula.action.operands());
    }
}

/// Algorithm 1.
pub(super) fn detect(
    all: &Translated,
    world: &World,
    reading: Reading,
    asked: Asked<'_>,
    findings: &mut Findings,
) {
    let operations = operations(all);
    for pair in conflicts(&operations) {
        let at = pair.map(|op| op.at);
        let race = || ask(all, world, reading, pair, asked);
        findings.races.extend(asked.about(at, &mut findings.undecided, race));
    }
}

/// Φ of a pair: a race, none, or why that is not known.
fn ask(
    all: &Translated,
    world: &World,
    reading: Reading,
    pair: [&Operation; 2],
    asked: Asked<'_>,
) -> Result<Option<Finding>, String> {
    let arrays = reading.arrays != Arrays::Unknown;
    let included = pair.map(|op| {
        let seeds = all.formulae[op.formula].predicate.iter().chain(&op.guards);
        let mut seeds: Vec<&Wff> = seeds.chain([&op.index]).collect();
        if reading.intervals == Intervals::Same {
            let passed = passed(all, op.formula, None);
            seeds.extend(passed.flat_map(|i| &all.formulae[i].predicate));
        }
        needed(all, op.formula, seeds, arrays)
    });
    let sizes = size(all, &included, pair.map(|op| op.formula));
    let build = || -> Built<(Encoder<'_>, [Term; 2])> {
        let mut encoder = Encoder::new(all, world, reading, included)?;
        let mut indices = Vec::new();
        for (thread, op) in pair.into_iter().enumerate() {
            indices.push(reach(&mut encoder, thread, op)?);
        }
        let same = indices[0].equals(&indices[1])?;
        encoder.query.assert(&same)?;
        let space = all.arrays[pair[0].array.0].space;
        let formulae = pair.map(|op| op.formula);
        meet(&mut encoder, reading, space, formulae)?;
        let indices = [indices[0].clone(), indices[1].clone()];
        Ok((encoder, indices))
    };
    let (mut encoder, indices) = build().map_err(|e| e.to_string())?;
    let Some(model) = asked.model(&encoder.query)? else { return Ok(None) };
    let found = race(&mut encoder, &model, pair, &indices[0], sizes);
    found.map(Some).map_err(|e| e.to_string())
}

/// The formulae and conjuncts of a query (Table 3), those of both statements among them.
pub(super) fn size(
    all: &Translated,
    included: &[Vec<usize>; 2],
    ends: [usize; 2],
) -> (usize, usize) {
    let both = included.iter().flatten().chain(&ends).copied();
    let distinct: BTreeSet<usize> = both.collect();
    let conjuncts = distinct.iter().map(|i| all.formulae[*i].conjuncts()).sum();
    (distinct.len(), conjuncts)
}

/// A thread gets to an operation; the index there.
fn reach(encoder: &mut Encoder<'_>, thread: usize, op: &Operation) -> Built<Term> {
    let all = encoder.all;
    let mut all_of_it = all.formulae[op.formula].predicate.clone();
    all_of_it.extend(op.guards.iter().cloned());
    let holds = encoder.predicate(thread, &all_of_it)?;
    encoder.query.assert(&holds)?;
    Ok(match encoder.wff(thread, &op.index)? {
        Value::Int(index) => index.term,
        _ => Term::int(0),
    })
}

/// Two distinct threads may be at these statements at once.
fn meet(
    encoder: &mut Encoder<'_>,
    reading: Reading,
    space: Space,
    formulae: [usize; 2],
) -> Built<()> {
    let same_block = same(encoder, Launch::BlockIdx)?;
    let same_index = same(encoder, Launch::ThreadIdx)?;
    let distinct = match (reading.threads, space) {
        (Threads::Printed, _) => same_index.not()?,
        (Threads::Identity, Space::Grid) => Term::and([&same_block, &same_index])?.not()?,
        (Threads::Identity, _) => Term::and([same_block.clone(), same_index.not()?])?,
    };
    encoder.query.assert(&distinct)?;
    if reading.intervals == Intervals::Same {
        let interval = same_interval(encoder, formulae)?;
        encoder.query.assert(&same_block.implies(&interval)?)?;
    }
    Ok(())
}

/// Both threads have this index in common.
pub(super) fn same(encoder: &mut Encoder<'_>, which: Launch) -> Built<Term> {
    let mut all = Vec::new();
    for d in 0..3 {
        let (l, r) = (encoder.launch_of(0, which, d)?, encoder.launch_of(1, which, d)?);
        all.push(l.term.equals(&r.term)?);
    }
    Term::and(all)
}

/// The last barrier before both statements is one and the same.
fn same_interval(encoder: &mut Encoder<'_>, [l, r]: [usize; 2]) -> Built<Term> {
    let all = encoder.all;
    let mut ways = Vec::new();
    for a in &all.formulae[l].after {
        for b in all.formulae[r].after.iter().filter(|b| b.barrier == a.barrier) {
            let same = same_iterations(encoder, a, b)?;
            let (first, second) = (lasts(encoder, 0, l, a)?, lasts(encoder, 1, r, b)?);
            ways.push(Term::and([same, first, second])?);
        }
    }
    Term::or(ways)
}

/// The barriers outside of loops that stand between a barrier and a formula.
fn passed(all: &Translated, formula: usize, barrier: Option<usize>) -> impl Iterator<Item = usize> {
    let first = barrier.map_or(0, |b| b + 1);
    all.barriers()
        .filter(move |i| (first..formula).contains(i) && all.formulae[*i].loops.is_empty())
}

/// A thread that is at a formula met no barrier since an interval began: those in branches that it took have
/// ended it, and so have those in iterations.
fn lasts(
    encoder: &mut Encoder<'_>,
    thread: usize,
    formula: usize,
    interval: &Interval,
) -> Built<Term> {
    let all = encoder.all;
    let mut conditions = Vec::new();
    for barrier in passed(all, formula, interval.barrier) {
        conditions.push(encoder.predicate(thread, &all.formulae[barrier].predicate)?.not()?);
    }
    for (number, turns) in &interval.since {
        let (count, n) = match turns {
            Turns::Over(Some(n)) => (all.counts[number.0], n),
            Turns::Ended(Some(n)) => match all.ends.get(number) {
                Some(count) => (*count, n),
                None => continue,
            },
            _ => continue,
        };
        let Value::Int(k) = encoder.symbol(thread, count)? else { continue };
        conditions.push(k.term.equals(&Term::int(i128::from(*n)))?);
    }
    Term::and(conditions)
}

/// The iterations of the loops around a barrier agree, seen from both statements.
fn same_iterations(encoder: &mut Encoder<'_>, a: &Interval, b: &Interval) -> Built<Term> {
    let mut all = Vec::new();
    for ((number, first), (_, second)) in a.ago.iter().zip(&b.ago) {
        let (first, second) = match (first, second) {
            (Age::In(Some(first)), Age::In(Some(second))) => (first, second),
            // A thread in the loop is in one of its iterations, and so before its end.
            (Age::In(Some(within)), Age::Out(Some(behind)))
            | (Age::Out(Some(behind)), Age::In(Some(within))) => {
                all.push(Term::bool(within < behind));
                continue;
            }
            (Age::Out(Some(first)), Age::Out(Some(second))) => {
                all.push(Term::bool(first == second));
                continue;
            }
            _ => continue,
        };
        let count = encoder.all.counts[number.0];
        let (Value::Int(k), Value::Int(l)) = (encoder.symbol(0, count)?, encoder.symbol(1, count)?)
        else {
            continue;
        };
        let k = k.term.sub(&Term::int(*first))?;
        all.push(k.equals(&l.term.sub(&Term::int(*second))?)?);
        // An interval that began in an earlier iteration needs one.
        all.push(Term::int(0).at_most(&k)?);
    }
    Term::and(all)
}
