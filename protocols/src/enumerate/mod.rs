//! Race-freedom of a concrete launch, by enumeration of every access.
//!
//! The protocol is compiled to register code over machine words. The threads of a block run one
//! after the other, from barrier to barrier; Λ is never stored. A shadow word for each cell says
//! who was there in the current phase:
//!
//! | bits | meaning |
//! |---|---|
//! | 32 | the phase in which the rest is meant |
//! | 21 | the last thread that was here |
//! | 5 | how it was: `rd`, `wr`, `at` of three scopes |
//! | 5 | how all threads before it were |
//! | 1 | known to be racy |
//!
//! Because threads run in order, this word decides exactly whether a cell is racy. Cells of arrays
//! that blocks share have a second word, with blocks for threads and no phases. Where there are
//! racy cells, the threads run once more, to count the pairs and to name a first witness of each
//! pair of statements.
//!
//! With barriers of narrower scopes than the block, a first run tells how far each thread gets, and
//! each [`Relation`](crate::Relation) of threads has a look of its own: with its groups for blocks,
//! and the narrower groups for threads.
//!
//! Numbers beyond 64 bits, and sizes beyond the limits, are refused, never wrapped.

mod code;
mod compile;
mod driver;
mod flat;
mod groups;
mod looks;
mod machine;
mod pairs;
mod shadow;

pub use driver::enumerate;

use crate::map::MapError;
use babycuda_core::budget::Exhausted;
use babycuda_core::evidence::{Divergence, PairKey, Witness};
use babycuda_core::{Budget, Name, Site};
use std::collections::BTreeMap;

/// How much work an enumeration may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnumerationLimits {
    /// Accesses, loop iterations, and runs of a thread to its next barrier.
    pub steps: u64,
    /// Bytes for shadow words, suspended threads and pairs.
    pub memory: u64,
    /// When to stop.
    pub budget: Budget,
    /// Is one race enough? Then it ends with the first phase, or where groups narrower than a block meet, the first block
    /// that has one, of whatever array; the result is not complete.
    pub one_race: bool,
}

impl Default for EnumerationLimits {
    fn default() -> EnumerationLimits {
        let (memory, budget) = (2 << 30, Budget::UNLIMITED);
        EnumerationLimits { steps: 2_000_000_000, memory, budget, one_race: false }
    }
}

/// Why a launch was not enumerated to its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The protocol has no Λ: a free variable, data, or an input whose contents are not given.
    #[error("{0}")]
    Map(#[from] MapError),
    /// A number that does not fit 64 bits; [`crate::map::evaluate`] has no such limit.
    #[error("a number at {0} exceeds 64 bits")]
    Overflow(Site),
    /// The time was over.
    #[error("{0}")]
    Time(#[from] Exhausted),
    /// More accesses and iterations than allowed.
    #[error("more than {0} accesses, loop iterations and runs of a thread to a barrier")]
    Steps(u64),
    /// More memory needed than allowed.
    #[error("more than {limit} bytes for {what}")]
    #[allow(missing_docs)]
    Memory { what: &'static str, limit: u64 },
    /// A block of more than 2^21 threads, a grid of more than 2^32 blocks, a protocol of more than
    /// 2^15 distinct subexpressions, or an expression of more than 2^13 nodes.
    #[error("too large: {0}")]
    TooLarge(&'static str),
}

/// The pairs of accesses of two statements that race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RacingPair {
    /// How many. For each phase of each block (across blocks: once; with barriers of narrower scopes:
    /// each phase of the narrowest group that holds both threads) and each cell, every unordered
    /// pair of different threads counts of which one executes one statement there, and the other
    /// the other. A statement that a thread executes repeatedly on a cell counts once.
    pub count: u64,
    /// The first: lowest phase, then cell, then threads.
    pub witness: Witness,
}

/// A thread that reads what no one can have written, or an input where the host stored nothing: its
/// block does not get past its next barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// The block.
    pub block: u64,
    /// The phase, from 0: the last one of the block.
    pub phase: usize,
    /// The first such thread.
    pub thread: u64,
    /// The read.
    pub site: Site,
}

/// Everything there is to know about the races of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// The races, by pair of statements.
    pub races: BTreeMap<PairKey, RacingPair>,
    /// The first divergence of each block that diverges, by block; what such a block would do
    /// beyond it is not enumerated.
    pub divergences: BTreeMap<u64, Divergence>,
    /// The blocks in which a thread is stuck, each with the first such thread.
    pub stuck: Vec<Stuck>,
    /// Are the counts exact, with every pair of statements that races? `false` when there were too
    /// many racy cells to remember; then there is at least one race.
    pub complete: bool,
    /// Accesses enumerated.
    pub accesses: u64,
    /// Phases, over all blocks.
    pub phases: u64,
    /// Bytes of shadow memory, by array.
    pub shadow: BTreeMap<Name, u64>,
}

impl Enumeration {
    /// No race and no divergence?
    pub fn is_drf(&self) -> bool {
        self.races.is_empty() && self.divergences.is_empty()
    }
}
