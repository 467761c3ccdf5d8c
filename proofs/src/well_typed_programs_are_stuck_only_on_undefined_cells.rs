//! T3: progress.
//!
//! ```text
//! {tid} ⊢ b ▶ u  ∧  fv(b) ⊆ {tid}  ⟹
//!     either A, b[tid := i] ↓_{H,i} B for some B, or thread i reads some j with lastwrite(j, …) = ⊥
//! u ↓ Λ for some Λ
//! (∀ rd[j] ∈ Λ_i. lastwrite(j, H) ≠ ⊥)  ⟹  A, b[tid := i] ↓_{H,i} B for some B
//! ```
//!
//! Checked here for one phase, thread by thread. Of programs with barriers it is proved in Coq.
//!
//! Ours; LCL22 does not say when its judgment has a derivation. It is the reason why the theorem
//! speaks of programs that have one.

use crate::hypotheses::closed;
use crate::situation::{Situation, Typed};
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::history::{HostArray, HostMemory, lastwrite};
use babycuda_core::rules::Item;
use babycuda_core::{AccessMode, Cell, History, LastWrite, Natural, Phase, Stmt};
use babycuda_protocols::MapError;
use babycuda_semantics::{Reason, Stuck, thread};
use std::collections::BTreeSet;

/// T3.
pub static STATEMENT: Statement = Statement {
    id: "T3",
    name: "well_typed_programs_are_stuck_only_on_undefined_cells",
    source: "ours",
    text: "a closed well-typed program is stuck only on ⊥; from contents that cover every cell it \
           reads, never. Its protocol has a Λ.",
    rust: Item {
        file: "proofs/src/well_typed_programs_are_stuck_only_on_undefined_cells.rs",
        text: "pub fn check",
    },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/Protocols.v", "closed_unsync_all_total"),
            theorem("proofs/coq/SyncProtocols.v", "typed_sync_phases_total"),
            theorem("proofs/coq/ProtocolProgress.v", "typed_block_has_phases"),
            theorem("proofs/coq/Progress.v", "stuck_only_on_undefined"),
            theorem("proofs/coq/Progress.v", "covered_program_progresses"),
            theorem("proofs/coq/BarrierProgress.v", "block_stuck_only_on_undefined"),
            theorem("proofs/coq/BarrierProgress.v", "covered_block_progresses"),
            theorem("proofs/coq/BarrierProgress.v", "evaluate_block_terminates"),
        ],
        Coverage::Restricted("no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/wrong_claims.rs", "t3_refutes_a_protocol_without_the_reads"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_every_phase_of_two_threads"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_histories_of_at_most_one_access"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_in_three_threads"),
        test("proofs/tests/statements/situations.rs", "t0_to_t3_hold_on_random_situations"),
    ],
    holds: true,
};

/// What became of the threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// How many ended.
    pub ended: usize,
    /// The threads that were stuck, each with the undefined cell.
    pub stuck: Vec<(u64, Cell)>,
    /// The cells that were then defined, so that none was stuck.
    pub covered: BTreeSet<Cell>,
}

/// Checks all parts of T3 for every thread of the situation.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(s: &Situation) -> Checked<Evidence> {
    let Typed { lambda, .. } = match s.subject.typed() {
        Err(Vacuous::NoLambda(error)) if matches!(*error, MapError::Unbound(..)) => {
            closed(s.subject.program())?;
            let program = s.subject.program();
            let why = format!("The protocol of the closed program `{program}` has no Λ: {error}.");
            return Err(Counterexample::refutes(&STATEMENT, s.to_program(), why));
        }
        typed => typed?,
    };
    closed(s.subject.program())?;
    let (_, older) = s.history.split().ok_or(Vacuous::NoPhase)?;
    let mut evidence = Evidence::default();
    for (i, program) in s.subject.closed() {
        match run(s, &older, i, program) {
            None => evidence.ended += 1,
            Some(Stuck { reason: Reason::Undefined { cell }, .. }) => {
                let own = s.history.head().map(|p| p.get(i)).unwrap_or_default();
                let view = older.push(Phase::singleton(i, own));
                if lastwrite(&cell, &view) != LastWrite::Undefined {
                    return Err(refuted(s, i, &format!("on {cell}, which is defined")));
                }
                evidence.stuck.push((i, cell));
            }
            Some(other) => match limited(other) {
                Ok(reached) => return Err(reached.into()),
                Err(other) => return Err(refuted(s, i, &other.to_string())),
            },
        }
    }
    let reads = lambda.phases.iter().flat_map(|p| &p.events).filter(|e| e.mode == AccessMode::Rd);
    evidence.covered = reads.map(|e| e.cell.clone()).collect();
    let covering = covering(&older, &evidence.covered);
    for (i, program) in s.subject.closed() {
        match run(s, &covering, i, program).map(limited) {
            None => {}
            Some(Ok(reached)) => return Err(reached.into()),
            Some(Err(stuck)) => {
                return Err(refuted(s, i, &format!("although all it reads is defined: {stuck}")));
            }
        }
    }
    Ok(evidence)
}

fn run(s: &Situation, older: &History, i: u64, program: &Stmt) -> Option<Stuck> {
    let before = s.history.head().map(|p| p.get(i)).unwrap_or_default();
    thread::evaluate(&before, program, older, i, &s.options()).err()
}

/// Was a limit reached?
fn limited(stuck: Stuck) -> Result<Vacuous, Stuck> {
    match stuck.reason {
        Reason::Limit { .. } => Ok(Vacuous::Stuck(Box::new(stuck))),
        _ => Err(stuck),
    }
}

/// The same history over host memory that defines `cells` as well.
fn covering(history: &History, cells: &BTreeSet<Cell>) -> History {
    let mut host = HostMemory::default();
    for (name, array) in history.host().arrays() {
        host.insert(name.clone(), HostArray::clone(array));
    }
    for cell in cells {
        if host.get(cell).is_none() {
            host.set(cell.clone(), Natural::zero());
        }
    }
    let phases = history.chronological().map(|(_, phase)| phase.clone());
    phases.fold(History::empty(host), |h, phase| h.push(phase))
}

fn refuted(s: &Situation, thread: u64, why: &str) -> crate::Failure {
    let why = format!(
        "From the history {}, thread {thread} of the closed well-typed program `{}` is stuck: {why}.",
        s.history,
        s.subject.program()
    );
    Counterexample::refutes(&STATEMENT, s.to_program(), why)
}
