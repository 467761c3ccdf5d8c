//! What the oracle answers.

use babycuda_core::{Access, AccessMode, Accesses, Cell, History, Natural, Protocol, Site};
use std::collections::BTreeSet;

/// The result of a proved function. Which variant, its [`Request`](super::Request) says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Of `LastWrites`: the values; none is ⊥.
    Values(BTreeSet<Natural>),
    /// Of `Evaluate`.
    Accesses(Outcome<Accesses>),
    /// Of `EvaluateParallel` and `EvaluateSynchronized`.
    History(Outcome<History>),
    /// Of `EvaluateToBarrier`: what the thread accessed, and its barrier; `None` is its end.
    Stop(Outcome<(Accesses, Option<Site>)>),
    /// Of `EvaluateBlock`.
    Block(Outcome<BlockEnd>),
    /// Of `EvaluateProtocol`, in program order; `None`: a variable has no value.
    ThreadAccesses(Option<Vec<(AccessMode, Cell)>>),
    /// Of `EvaluateProtocolOfAll` and `EvaluateSynchronizedProtocol`: a Λ for each phase, oldest
    /// first; `None`: a variable has no value.
    Lambda(Option<Vec<Vec<Access>>>),
    /// Of `Infer`, `InferSynchronized` and `InferAnywhere`: the type; `None` when there is none. It
    /// has no sites, and loops are `forU` but where the mechanization has loops with barriers.
    Type(Option<Protocol>),
    /// Of `Races`.
    Races(BTreeSet<RaceAt>),
    /// Of `Drf`.
    Drf(bool),
    /// Of `Conflicts`: the pairs, each with a write first.
    Conflicts(BTreeSet<(Access, Access)>),
}

/// What an evaluator came to (`Evaluator.v`, `outcome`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<T> {
    /// A result.
    Result(T),
    /// A read of ⊥.
    Undefined(Cell),
    /// A read of a cell that may hold any of several values.
    Ambiguous(Cell, BTreeSet<Natural>),
    /// A variable without a value.
    Unbound,
    /// More phases than allowed.
    OutOfDepth,
}

/// How a block ends (`Barriers.v`, `block_outcome`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlockEnd {
    /// Every thread ended.
    Ends(History),
    /// Two threads stopped at different places; `None` is the end.
    #[allow(missing_docs)]
    Diverges { history: History, first: (u64, Option<Site>), second: (u64, Option<Site>) },
}

/// A race as Definition 1 has it: a thread writes a cell that another thread accesses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RaceAt {
    /// The cell.
    pub cell: Cell,
    /// The thread that writes it.
    pub writer: u64,
    /// The thread that reads or writes it.
    pub other: u64,
}

/// The oracle does not answer the request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}, byte {at}: {message}")]
pub struct Refusal {
    /// `malformed`, `stack` or `memory`.
    pub reason: String,
    /// Where in the request, in bytes from 0.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

/// A line that is no answer to the request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{found}` is not {expected}, in the answer `{line}`")]
pub struct Nonsense {
    /// The line.
    pub line: String,
    /// What should be there.
    pub expected: &'static str,
    /// What is there instead.
    pub found: String,
}
