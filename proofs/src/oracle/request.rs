//! What the oracle can be asked.

use babycuda_core::{Access, Accesses, Cell, History, Name, Phase, Protocol, Site, Stmt};

/// A proved function with its arguments.
///
/// The threads of a block are `0` to `threads - 1`. Programs and protocols that are run by one
/// thread are closed; those that are run by a block have `tid` free. The phases of a history stand
/// over what the host stored, which Coq has as the oldest phase `{0: (∅, W0)}`; so `W0` must be
/// finite.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Request {
    /// `lastwrites j H`: all values that `lastwrite` relates to `j` (`Histories.v`).
    LastWrites { cell: Cell, history: History },
    /// `evaluate H i A b`: the `B` with `A, b ↓_{H,i} B` (`Evaluator.v`).
    Evaluate { history: History, thread: u64, before: Accesses, program: Stmt },
    /// `evaluate_parallel T H b`: the `H'` with `H, b ↓ H'` (`HistoryEvaluator.v`).
    EvaluateParallel { threads: u32, history: History, program: Stmt },
    /// `evaluate_s T H s`: the same for synchronized programs. Barriers may stand below `;` and
    /// `forS` only.
    EvaluateSynchronized { threads: u32, history: History, program: Stmt },
    /// `evaluate_k H i A k`: where a thread stops next (`Evaluator.v`).
    EvaluateToBarrier { history: History, thread: u64, before: Accesses, program: Stmt },
    /// `evaluate_block phases H (start T k)`: a whole block, of at most so many phases, counted
    /// from the head of `H`.
    EvaluateBlock { phases: u64, threads: u32, history: History, program: Stmt },
    /// `evaluate_u u`: the accesses of one thread (`ProtocolEvaluator.v`).
    EvaluateProtocol { protocol: Protocol },
    /// `evaluate_u_all T u`: the Λ with `u ↓ Λ`.
    EvaluateProtocolOfAll { threads: u32, protocol: Protocol },
    /// `evaluate_p T [∅] p`: the Λs of a synchronized protocol.
    EvaluateSynchronizedProtocol { threads: u32, protocol: Protocol },
    /// `infer V b`: the `u` with `V ⊢ b ▶ u` (`TypeChecker.v`).
    Infer { variables: Vec<Name>, program: Stmt },
    /// `infer_s V s`: the same for synchronized programs; `tid` is not in `V`.
    InferSynchronized { variables: Vec<Name>, program: Stmt },
    /// `infer V k`, asked as `infer_k`: the same with barriers anywhere; `tid` is in `V`.
    InferAnywhere { variables: Vec<Name>, program: Stmt },
    /// `races P`: the races of a phase (`RaceChecker.v`).
    Races { phase: Phase },
    /// `drf_b H`: is every phase DRF?
    Drf { history: History },
    /// `conflicts Λ`: the conflicting pairs of a phase of a protocol.
    Conflicts { accesses: Vec<Access> },
}

/// What the mechanization does not cover.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Uncovered {
    /// A request is about one array, and this is another one.
    #[error("the array {0} is not the one array of the request")]
    Array(Name),
    /// Atomic updates.
    #[error("{0} is an atomic update, which the mechanization does not have")]
    Atomic(Site),
    /// Atomic updates of a history or of a Λ.
    #[error("{0} is updated atomically, which the mechanization does not have")]
    AtomicAccess(Cell),
    /// A read-only input.
    #[error("a read-only input, at {0}")]
    Input(Site),
    /// `any`.
    #[error("{0} is an `any`, which the mechanization does not have")]
    Any(Site),
    /// A barrier of another scope than a block.
    #[error("{0} is no barrier of blocks, which alone the mechanization has there")]
    Scope(Site),
    /// A barrier where the function has none.
    #[error("{0} is a barrier, which cannot stand there")]
    Barrier(Site),
    /// The host stored a value in every cell.
    #[error("the host filled the array {0}: its contents are not finite")]
    Fill(Name),
}
