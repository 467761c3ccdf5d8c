//! Symbolic heaps: Distefano and Dubreil, "Detecting Data Races on OpenCL Kernels with Symbolic Execution".
//!
//! - [`translate()`] makes the paper's control flow graph of a kernel (§3);
//! - [`explore`] is its concrete semantics, schedule by schedule (§4, Def. 1);
//! - [`Contents`] are its functions `λi.E` and `η(φ, g, f)` (§5);
//! - [`analyze`] is its symbolic execution (§6, Table 1, Def. 2), and the repair that §6.1 suggests.
//!
//! A race is a shared state at a barrier that is not determined. What conflicts and leaves it determined
//! passes: [`Passed`] says so, and whether both accesses store the same value. Neither is a race-free kernel by
//! the library's definition, so the verdict lists in its scope what passed.
//!
//! # What the definitions leave open, or get wrong
//! `docs/SYMBOLIC_HEAP.md` has the programs; tests run each.
//!
//! - The printed race rule calls `A[tid] := tid` racy: a thread waits, and another then writes ([`RaceRule`]).
//! - Table 1 has `η(φ, f, e')`. By §5 that is the old value where the thread wrote. Here it is `η(φ, e', f)`.
//! - `φ` of a write is said to cover the threads, and its formula has one `tid`. With the cell of that thread
//!   alone, Def. 2 calls `A[tid] := 1` racy ([`Update::Own`]). With those of all threads, as §6.1 has it for
//!   `A ↦ λi.0`, a read of what another thread writes passes: the second phase of Fig. 1.
//! - Def. 2 compares heaps of different paths, so `if (tid == 0) A[0] = 1` is an alarm.
//! - Def. 2 looks at `↦` only, and shared scalars are in the stack. Here, they are arrays of one cell.
//! - The rule of the barrier lets threads go on that wait at different ones. Here that is an alarm.
//! - Heaps of a node are those of all iterations in the paper, and those of one phase here.
//!
//! # What would have to change
//! Rules that hold what they claim keep apart what a thread did and what others may have done: Def. 2 must
//! compare with the cells as they were before the phase, and only where both threads are on paths that write
//! or read the cell. Reads must be compared, too. Behind a barrier, a cell that neither of the two threads
//! wrote must be unknown where a third may have written it: the product of two threads keeps its old value,
//! so it misses races that need three.

mod concrete;
mod detect;
mod execute;
mod heap;
mod language;
mod norace;
mod translate;
mod value;

pub use concrete::{Behaviour, RaceRule, explore};
pub use detect::SymbolicHeap;
pub use heap::{Accessed, Contents, Heap, Path, index};
pub use language::{Array, Command, Exp, Local, Node, Program, Shared};
pub use translate::{MOST_THREADS, translate};
pub use value::{Value, condition};

use crate::detector::Refusal;
use babycuda_core::AccessMode;
use babycuda_kernel::At;
use execute::Engine;

/// Of whom the symbolic heaps are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rules {
    /// Table 1 as published: one generic thread `tid`.
    #[default]
    Published,
    /// What §6.1 suggests: all interleavings of two threads `i < j`, each of which writes its own cells.
    TwoThreads,
}

/// Which cells a write of a generic thread changes: the two readings of `φ` in Table 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Update {
    /// Those of all threads on this path, as §6 says in words and §6.1 computes.
    #[default]
    Collective,
    /// That of the thread, as the formula says: `Π ∧ i = e`.
    Own,
}

/// `⊥`: why the rules do not call a kernel race-free.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alarm {
    /// `¬NoRace`: heaps of two threads differ on a cell.
    Race {
        /// The array.
        array: Array,
        /// The index.
        index: i128,
        /// The threads.
        threads: [i128; 2],
        /// How many barriers came before.
        phase: usize,
        /// Two accesses by these threads that conflict, of this cell where there are some, else of another;
        /// `None`: there are none.
        conflict: Option<Conflict>,
    },
    /// An index that is not within its array.
    OutOfBounds {
        /// The array.
        array: Array,
        /// Where.
        at: At,
        /// In which thread.
        thread: i128,
    },
    /// An assertion that does not hold.
    Assertion {
        /// Where.
        at: At,
        /// In which thread.
        thread: i128,
    },
    /// Two threads wait at different barriers.
    Diverges {
        /// How many barriers came before.
        phase: usize,
    },
}

/// Two accesses of one cell by two threads in one phase, at least one a write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The threads.
    pub threads: [i128; 2],
    /// The array.
    pub array: Array,
    /// The index.
    pub index: i128,
    /// How each accesses it.
    pub modes: [AccessMode; 2],
    /// Where each does.
    pub at: [At; 2],
}

/// Why a conflict is benign. The two are different things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Notion {
    /// Both write, and wherever they meet they write the same value.
    SameValue,
    /// The rules find the shared state at the next barrier determined.
    Deterministic,
}

/// A conflict that the rules let pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The accesses.
    pub conflict: Conflict,
    /// How many barriers came before.
    pub phase: usize,
    /// Why it passes.
    pub notion: Notion,
}

/// What the rules say of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Analysis {
    /// `⊥`, where it is reached: the first reason.
    pub alarm: Option<Alarm>,
    /// The conflicts that passed up to there.
    pub passed: Vec<Passed>,
}

/// The symbolic execution of a kernel (§6).
///
/// # Errors
/// [`Refusal::Limit`]: too many heaps, or the solver gave up.
pub fn analyze(program: &Program, rules: Rules, update: Update) -> Result<Analysis, Refusal> {
    let mut engine = Engine::new(program, rules, update);
    let mut analysis = Analysis::default();
    let mut heaps = vec![engine.start()];
    for phase in 0.. {
        let waiting = match engine.run_to_barrier(heaps)? {
            Ok(waiting) => waiting,
            Err(alarm) => return Ok(Analysis { alarm: Some(alarm), ..analysis }),
        };
        if let Some(alarm) = engine.race(&waiting, phase)? {
            return Ok(Analysis { alarm: Some(alarm), ..analysis });
        }
        engine.passed(&waiting, phase, &mut analysis.passed)?;
        heaps = Vec::new();
        for mut heap in waiting {
            let mut goes_on = true;
            for path in &mut heap.paths {
                match program.nodes[path.node].next.first() {
                    Some(next) => path.node = *next,
                    None => goes_on = false,
                }
                path.accessed.clear();
            }
            if goes_on {
                heaps.push(heap);
            }
        }
        if heaps.is_empty() {
            break;
        }
    }
    Ok(analysis)
}
