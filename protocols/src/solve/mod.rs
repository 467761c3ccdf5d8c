//! Race-freedom by solver, for symbolic launches, parameters and loop bounds.
//!
//! The protocol is split into parametrised phases. Each pair of conflicting accesses of a phase is
//! one query about two threads of a block. They share the counters of synchronized loops; all else
//! is private. A model is turned into a [`Witness`] and checked against the protocol before it is
//! reported. With a grid, accesses to global arrays by threads of different blocks are queried as
//! well, whatever their phases. Each [`Obligation`](crate::split::Obligation) of the split is a
//! query too: its models are barrier divergences. Where one is not refuted, the phases of the split
//! may be wrong: races are looked for in [segments](crate::split::segments) instead, and those
//! found are checked by enumeration of their launch, since other threads of the block may have
//! diverged before.
//!
//! Queries are first asked of small launches and parameters, where witnesses are easier to find
//! and to read; `unsat` counts only without those bounds.

mod align;
mod alike;
mod amounts;
mod bounds;
mod chains;
mod confirm;
mod contents;
mod counters;
mod driver;
mod encode;
mod facts;
mod meet;
mod overflow;
mod pairs;
mod path;
mod period;
mod places;
mod prover;
mod quantity;
mod relations;
mod walk;
mod world;

pub use driver::check;

use crate::split::Unaligned;
use babycuda_core::budget::Exhausted;
use babycuda_core::evidence::{DivergenceWitness, Witness};
use babycuda_core::{Budget, Name, Site};
use babycuda_smt::{Reason, SortError};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How to search.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// What one query may cost.
    pub limits: babycuda_smt::QueryLimits,
    /// Time for all of it; what is not decided by then is unknown.
    pub budget: Budget,
    /// Look among small launches and parameters first?
    pub small_first: bool,
    /// Steps that the reference semantics may take to check one witness.
    pub steps: u64,
    /// After so many races no more are looked for.
    pub races: usize,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions {
            limits: babycuda_smt::QueryLimits::default(),
            budget: Budget::UNLIMITED,
            small_first: true,
            steps: 20_000,
            races: usize::MAX,
        }
    }
}

/// Something that was not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// What.
    pub subject: Subject,
    /// Why.
    pub cause: Cause,
}

/// What a query is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// Whether any launch is meant at all.
    Launches,
    /// The phases of the protocol as a whole.
    Phases,
    /// All that had not been asked when the time was over.
    Rest,
    /// A race of two accesses.
    #[allow(missing_docs)]
    Race { array: Name, first: Site, second: Site, same_block: bool },
    /// A divergence of threads at a branch or loop.
    Divergence(Site),
}

impl Subject {
    /// The two statements whose race it is, in order.
    pub fn race(&self) -> Option<[Site; 2]> {
        let Subject::Race { first, second, .. } = self else { return None };
        Some([*first.min(second), *first.max(second)])
    }
}

/// Why something was not decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The protocol has no phases that both threads share.
    #[error("{0}")]
    Unaligned(#[from] Unaligned),
    /// No launch and no parameters satisfy the declarations.
    #[error("vacuous: no launch satisfies the declarations")]
    Vacuous,
    /// No solver decided the query.
    #[error("{0}")]
    Solver(#[from] Reason),
    /// A variable that is nowhere declared.
    #[error("unbound variable `{0}`")]
    Unbound(Name),
    /// A bitwise operator on unbounded operands.
    #[error("a bitwise operation on more than {0} bits")]
    Wide(u32),
    /// A term of the wrong sort: a defect of this crate.
    #[error("internal: {0}")]
    Sort(#[from] SortError),
    /// The time for all of it was over.
    #[error("{0}")]
    Time(#[from] Exhausted),
    /// As many races were found as were wanted.
    #[error("more than {0} races were not looked for")]
    Enough(usize),
    /// A model did not check against the protocol: a defect of this crate.
    #[error("internal: the solver's model does not check against the protocol: {0}")]
    Model(String),
    /// No contents were found in which all assumptions over contents hold.
    #[error("no contents of the host were found that are as assumed: {0}")]
    Contents(String),
    /// Likewise: an assumption is about too much to be evaluated.
    #[error("no contents of the host were found that are as assumed: {0}")]
    Unevaluated(String),
    /// A model in which one of the threads is stuck before: the query did not exclude that in full.
    #[error("in the model that was found, a thread is stuck before: {0}")]
    Stuck(String),
    /// The threads decide differently there, but were not seen to stop at different barriers.
    #[error(
        "threads decide differently, but none was seen to stop at another barrier than the rest: \
         those that were followed meet again, or are stuck before"
    )]
    NoDivergence,
    /// Threads that decide differently there may arrive at one barrier later, and go on together.
    #[error("threads that decide differently may meet at a barrier again")]
    MeetAgain,
    /// The solver's models are of blocks that diverge before, or that were too large to follow.
    #[error("threads diverge at barriers, and no block was found that gets there before they do")]
    Diverging,
}

/// How much was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Parametrised phases.
    pub phases: usize,
    /// Pairs of conflicting accesses in one phase, or across blocks.
    pub pairs: usize,
    /// Pairs and obligations that needed no solver: intervals decide them.
    pub trivial: usize,
    /// Questions that were stated, whoever answered them: intervals, memory or a solver.
    pub questions: usize,
    /// Queries that a solver was asked.
    pub queries: usize,
    /// Queries that had been asked before.
    pub repeated: usize,
    /// Time spent in the solver.
    pub solving: Duration,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Races: at most one for each pair of statements, and for threads of one block or of two.
    pub races: Vec<Witness>,
    /// Alarms, of pairs that are undecided: their models are of contents of the host of which it is not
    /// known whether they are as assumed.
    pub alarms: Vec<Witness>,
    /// Divergences, by the branch or loop whose decision differs.
    pub divergences: BTreeMap<Site, DivergenceWitness>,
    /// What was not decided. When this and the two others are empty, the protocol is free of races
    /// and divergence, for everything that the declarations allow.
    pub undecided: Vec<Undecided>,
    /// The arrays of which the values that atomic updates yield were taken to be those of some order
    /// of the updates (THEORY T13): what is said then is said of interleavings.
    pub ordered: BTreeSet<Name>,
    /// How much was done.
    pub statistics: Statistics,
}

impl Checked {
    /// No race, no divergence, nothing undecided?
    pub fn is_drf(&self) -> bool {
        self.races.is_empty() && self.divergences.is_empty() && self.undecided.is_empty()
    }
}
