//! T9: the state machine over a record of the last accessor tells exactly the racy traces.
//!
//! ```text
//! the machine is in RACE at the end of a trace of one cell
//!   iff two conflicting accesses of the trace are unordered
//! ```
//!
//! The machine is [`Machine::exact`], which `babycuda-detectors` derives. (For the published one it is
//! false where there are atomics: `docs/HIRACE.md`.) To check it, the trace is made a program whose threads
//! do the same, each in its order; the right side is read off the histories that the semantics gives its
//! blocks: their races, and those between them.

use crate::hypotheses::stuck;
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::expr::Relation;
use babycuda_core::rules::Item;
use babycuda_core::shadow::Machine;
use babycuda_core::syntax::{
    ArrayDecl, AtomicOp, AtomicUpdate, BarrierScope, Contents, Geometry, Space,
};
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Bool, Declarations, Name, Num, Program, Stmt};
use babycuda_detectors::hirace::replay;
use babycuda_semantics::grid::{self, cross_block_races};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions};
use std::collections::BTreeSet;

/// T9.
pub static STATEMENT: Statement = Statement {
    id: "T9",
    name: "shadow_machine_is_exact",
    source: "HiRace §III; THEORY §4",
    text: "the machine that is derived from the chain of warps and blocks, over the labels of \
           HiRace, reaches RACE on a trace of a cell iff the trace has two conflicting accesses that \
           are unordered. The published machine does where there are no atomics.",
    rust: Item { file: "proofs/src/shadow_machine_is_exact.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[theorem("proofs/coq/ShadowMachine.v", "shadow_machine_is_exact")],
        Coverage::Restricted(
            "for any chain of scopes, but of the machine before it is made minimal. That the table is \
             this machine, made minimal, is tested; the published machine is searched, on all \
             traces of two blocks of two warps of two threads, of whatever length. Clocks that \
             overflow, and that traces are histories of programs, are not covered.",
        ),
    ),
    tests: &[
        test("detectors/tests/hirace/exact.rs", "the_derived_machine_is_exact"),
        test("detectors/tests/hirace/exact.rs", "the_table_of_core_is_the_derived_one"),
        test(
            "detectors/tests/hirace/model_checked.rs",
            "the_machine_is_exact_on_two_blocks_of_two_warps_of_two_threads",
        ),
        test("proofs/tests/small_scope_traces.rs", "t9_on_all_short_traces"),
    ],
    holds: true,
};

/// The program whose threads do what the trace says, each in its order; `None`: no program has its barriers.
fn program(trace: &Trace) -> Option<Program> {
    let mut declarations = Declarations::of_geometry(Geometry::exactly(trace.launch));
    let mut arrays = BTreeSet::new();
    for event in &trace.events {
        if let Event::Access { cell, .. } = event {
            arrays.insert(&cell.array);
        }
    }
    let declared = |array: &&Name| {
        let space = if trace.shared.contains(*array) { Space::Shared } else { Space::Global };
        let contents = Contents::Fill(0u32.into());
        ArrayDecl { space, contents, ..ArrayDecl::implicit((*array).clone()) }
    };
    declarations.arrays = arrays.iter().map(declared).collect();
    let is = |n: Num, value: u64| Bool::compare(Relation::Eq, n, Num::lit(value));
    let block = |number: u64| is(Num::var("blockIdx.x"), number);
    let part = |event: &Event| {
        let (who, what) = match event {
            Event::BlockBarrier { block: b } => (block(*b), Stmt::sync()),
            Event::WarpBarrier { block: b, warp } => {
                let own = Num::var("tid") / Num::lit(trace.launch.warp);
                (block(*b) & is(own, *warp), Stmt::barrier(BarrierScope::Warp))
            }
            Event::TileBarrier { block: b, size, first } => {
                let own = Num::var("tid") / Num::lit(*size);
                let which = first / u64::from((*size).max(1));
                (block(*b) & is(own, which), Stmt::barrier(BarrierScope::Tile(*size)))
            }
            // Of groups that do not nest.
            Event::LaneBarrier { .. } => return None,
            Event::GridBarrier => (Bool::Lit(true), Stmt::barrier(BarrierScope::Grid)),
            Event::Access { thread, mode, cell, .. } => {
                let index = Num::lit(cell.index.clone());
                let what = match mode {
                    AccessMode::Rd => Stmt::read("x", cell.array.clone(), index, Stmt::Skip),
                    AccessMode::Wr => Stmt::write(cell.array.clone(), index, 0u64),
                    AccessMode::At(scope) => {
                        let one = AtomicUpdate {
                            op: AtomicOp::Add(None),
                            operand: Num::lit(1u32),
                            expected: None,
                        };
                        Stmt::atomic("x", cell.array.clone(), index, one, *scope, Stmt::Skip)
                    }
                };
                (block(thread.block) & is(Num::var("tid"), thread.index), what)
            }
        };
        Some(Stmt::branch(who, what, Stmt::Skip))
    };
    let parts = trace.events.iter().map(part).collect::<Option<Vec<_>>>()?;
    Some(declarations.around(Stmt::sequence(parts).numbered()))
}

/// Checks T9 of a trace; gives whether it is racy.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(trace: &Trace) -> Checked<bool> {
    let program = program(trace).ok_or(Vacuous::TooLarge)?;
    let instance = Instance::new(program.clone(), trace.launch);
    // No access depends on what is read, so any value will do.
    let options = RunOptions { ambiguous: Policy::First, ..RunOptions::default() };
    let outcomes = grid::run(&instance, &options).map_err(stuck)?;
    if let Some(Outcome::Stuck { stuck: why, .. }) = outcomes.iter().find(|o| !o.is_done()) {
        return Err(stuck(why.clone()).into());
    }
    let within = outcomes.iter().any(|outcome| !outcome.history().is_drf());
    let mut across = cross_block_races(&program, outcomes.iter().map(Outcome::history));
    let racy = within || across.next().is_some();
    let too_large = |_| Vacuous::TooLarge;
    let found = replay(trace, &Machine::exact(), &[12, 16]).map_err(too_large)?;
    if found.stop.is_some() || found.forgotten > 0 {
        return Err(Vacuous::TooLarge.into());
    }
    match found.races.is_empty() != racy {
        true => Ok(racy),
        false => {
            let why = format!("its history is racy: {racy}; the machine says otherwise");
            Err(Counterexample::refutes(&STATEMENT, program.clone(), why))
        }
    }
}
