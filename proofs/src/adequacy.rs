//! T6: the big-step history tells what interleavings do.
//!
//! ```text
//! [∅], k ⇓ Pn::…::P1 (done, or diverging after Pn), not stuck.  Let f be the first racy phase.
//! no f:  every interleaving is race-free, ends in the same way with the accesses P1 … Pn,
//!        and its memory holds lastwrite(j, Pn::…::P1) in every j
//! f:     no interleaving has two conflicting accesses in an interval before f,
//!        and some interleaving has two in interval f
//! ```
//!
//! So the history is racy iff some interleaving has two conflicting accesses in one barrier
//! interval (DD §4; LGAGJL12 §3.2). Phase f itself, and later ones, may differ: a thread that sees
//! a racy value may take another way. `counterexamples/` has the smallest examples of both, found by
//! search.
//!
//! An atomic update yields whatever the interleaving makes of it, the history one value of many
//! (THEORY §4). The statement is about programs that do not use the values that updates yield, and
//! that update no undefined cell: there the history goes on, and interleavings are stuck. Nor, up to
//! the first racy phase, is a cell read whose value depends on the order of updates: of those that
//! several orders leave, the history lists some.

use crate::hypotheses::{ended, phases};
use crate::situation::with_declared_memory;
use crate::statement::{
    Checked, Counterexample, Coverage, Failure, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::history::lastwrite;
use babycuda_core::rules::Item;
use babycuda_core::{Cell, History, LastWrite, Stmt};
use babycuda_semantics::interleavings::{
    End, EndKind, Exploration, ExplorationLimits, Reduction, explore,
};
use babycuda_semantics::{
    AtomicPolicy, AtomicQuery, Evaluation, Instance, Open, Policy, RunOptions,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// T6.
pub static STATEMENT: Statement = Statement {
    id: "T6",
    name: "adequacy",
    source: "DD §4; LGAGJL12 §3.2",
    text: "where no cell is read whose value depends on the order of updates: up to and including \
           the first racy phase, the big-step history is racy iff some interleaving has two \
           conflicting accesses in one barrier interval; if no phase is racy, every interleaving \
           ends in the big-step memory.",
    rust: Item { file: "proofs/src/adequacy.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/DrfInterleavings.v", "adequacy"),
            theorem(
                "proofs/coq/DrfInterleavings.v",
                "drf_interleavings_end_in_the_big_step_memory",
            ),
            theorem("proofs/coq/DrfInterleavings.v", "drf_interleavings_progress"),
        ],
        Coverage::Restricted(
            "no atomic updates; blocks that end, so no divergence. Racy: some \
             interleaving has a conflict in some interval, which need not be that of the first \
             racy phase. Race-free: no interleaving has a conflict or is stuck, and those that \
             end, end in the memory; not that all end, nor that their accesses are those of the \
             history.",
        ),
    ),
    tests: &[
        test("proofs/tests/small_scope_blocks.rs", "t6_on_every_memory"),
        test("proofs/tests/small_scope_blocks.rs", "t6_with_atomics"),
        test(
            "proofs/tests/statements/interleavings.rs",
            "t6_holds_on_random_blocks_of_few_accesses",
        ),
        test(
            "proofs/tests/statements/interleavings.rs",
            "without_its_hypothesis_on_the_order_of_updates_t6_is_false",
        ),
    ],
    holds: true,
};

/// What was compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The big-step history.
    pub history: History,
    /// Did the threads diverge?
    pub diverges: bool,
    /// The first racy phase, also of the interleavings.
    pub first_racy: Option<usize>,
    /// What the interleavings came to.
    pub interleavings: Exploration,
}

impl Evidence {
    /// An interleaving with accesses in some interval that the history does not have there.
    pub fn opened(&self) -> Option<(&End, usize)> {
        let phases = phases(&self.history);
        let opened = |end: &End| {
            let none = BTreeSet::new();
            let extra = |k: &usize| !end.intervals[*k].is_subset(phases.get(*k).unwrap_or(&none));
            (0..end.intervals.len()).find(extra)
        };
        self.interleavings.ends.iter().find_map(|end| opened(end).map(|k| (end, k)))
    }
}

/// Checks T6 on all interleavings of the instance, within the limits.
///
/// # Errors
/// [`Failure`]
pub fn check(
    instance: &Instance,
    reduction: Reduction,
    limits: &ExplorationLimits,
) -> Checked<Evidence> {
    if uses_atomic_values(&instance.program.body) {
        return Err(Vacuous::Atomic.into());
    }
    let undefined = Arc::new(AtomicBool::new(false));
    let run = instance.evaluate(&watching(&undefined));
    if undefined.load(Relaxed) {
        return Err(Vacuous::AtomicOnUndefined.into());
    }
    reads_no_order(&run)?;
    compare(instance, ended(run.outcome)?, reduction, limits)
}

/// [`check`], whatever the program reads.
///
/// # Errors
/// [`Failure`]
pub fn compare(
    instance: &Instance,
    (history, diverges): (History, bool),
    reduction: Reduction,
    limits: &ExplorationLimits,
) -> Checked<Evidence> {
    let interleavings = explore(instance, reduction, limits).map_err(|_| Vacuous::TooLarge)?;
    let first_racy = first_racy(&history);
    let found = interleavings.first_racy_interval();
    if found != first_racy {
        return Err(refuted(
            instance,
            &format!(
                "The first racy phase of its history {history} is {first_racy:?}, the first \
                 interval in which an interleaving has a race {found:?}."
            ),
        ));
    }
    let evidence = Evidence { history, diverges, first_racy, interleavings };
    if first_racy.is_none() {
        every_end_is_the_history(instance, &evidence)?;
    }
    Ok(evidence)
}

fn first_racy(history: &History) -> Option<usize> {
    history.races().next().map(|race| race.phase)
}

/// Is no cell read, up to the first racy phase, whose value depends on the order of updates?
fn reads_no_order(run: &Evaluation) -> Result<(), Vacuous> {
    let (choices, last) = (&run.choices, first_racy(run.outcome.history()));
    let of_order = |open: &Open| matches!(open, Open::Read(possible) if !possible.exhaustive);
    let mut noted = choices.noted().iter().filter(|c| last.is_none_or(|last| c.phase <= last));
    match noted.find(|choice| of_order(&choice.open)) {
        Some(choice) => Err(Vacuous::OrderOfUpdates(choice.cell.clone())),
        None if choices.made() > choices.noted().len() as u64 => Err(Vacuous::TooLarge),
        None => Ok(()),
    }
}

/// RunOptions that note whether a thread updates ⊥: the history goes on with 0 then.
fn watching(undefined: &Arc<AtomicBool>) -> RunOptions {
    let undefined = undefined.clone();
    let oracle = move |query: &AtomicQuery<'_>| {
        undefined.fetch_or(*query.view == LastWrite::Undefined, Relaxed);
        Policy::Smallest.choose(query.cell, query.view).cloned().unwrap_or_default()
    };
    RunOptions {
        ambiguous: Policy::Smallest,
        atomics: AtomicPolicy::Oracle(Arc::new(oracle)),
        ..RunOptions::default()
    }
}

fn every_end_is_the_history(instance: &Instance, evidence: &Evidence) -> Checked<()> {
    let kind = if evidence.diverges { EndKind::Diverged } else { EndKind::Done };
    let phases = phases(&evidence.history);
    for end in &evidence.interleavings.ends {
        if (&end.kind, &end.intervals) != (&kind, &phases) {
            let why = format!(
                "Its history is race-free, {}, and it is {kind:?}. An interleaving is {:?}, with \
                 the accesses {:?}.",
                evidence.history, end.kind, end.intervals
            );
            return Err(refuted(instance, &why));
        }
        if let Some((cell, expected)) = different_cell(instance, &evidence.history, end) {
            let why = format!(
                "Its history is race-free, {}, and {cell} holds {expected:?} afterwards. After an \
                 interleaving it holds {:?}.",
                evidence.history,
                end.memory.get(&cell)
            );
            return Err(refuted(instance, &why));
        }
    }
    Ok(())
}

/// A cell that does not hold what the history says.
fn different_cell(instance: &Instance, history: &History, end: &End) -> Option<(Cell, LastWrite)> {
    let accesses = end.intervals.iter().flatten();
    let cells: BTreeSet<&Cell> = accesses.map(|a| &a.cell).chain(end.memory.keys()).collect();
    cells.into_iter().find_map(|cell| {
        let expected = lastwrite(cell, history);
        let found = end.memory.get(cell).or_else(|| instance.host().get(cell));
        let agrees = match (&expected, found) {
            (LastWrite::Undefined, found) => found.is_none(),
            (LastWrite::One(k), found) => found == Some(k),
            (LastWrite::Several(p), Some(k)) => !p.exhaustive || p.values.contains(k),
            (LastWrite::Several(_), None) => false,
        };
        (!agrees).then(|| (cell.clone(), expected))
    })
}

/// Does the value that an atomic update yields occur anywhere?
fn uses_atomic_values(program: &Stmt) -> bool {
    program.subterms().any(|b| match b {
        Stmt::Atomic { var, body, .. } => body.free_vars().contains(var),
        _ => false,
    })
}

fn refuted(instance: &Instance, why: &str) -> Failure {
    let program = with_declared_memory(instance);
    Counterexample::refutes(&STATEMENT, program, why)
}
