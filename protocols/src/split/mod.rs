//! A protocol as a list of parametrised unsynchronized phases (THEORY §3, after CAV'21).
//!
//! For each part `p` of a protocol four things are computed, in one pass: `syncs(p)`, the condition
//! under which `p` reaches a barrier; `pre(p)`, what runs up to its first barrier, or all of it;
//! `post(p)`, what runs after its last barrier, where there was one; and the complete phases
//! between. Guards take the place of case splits, so the size of the result is about linear in that
//! of the protocol, and a loop that runs zero times leaves what stands before and after it in one
//! phase.
//!
//! All threads of a block are taken to decide alike at every branch and bound that barriers
//! depend on. Where that does not follow from the variables alone, an [`Obligation`] says what
//! has to be shown.

mod check;
mod inputs;
mod loops;
mod met;
mod parts;
mod prove;
mod segments;
mod stuck;
mod unique;

#[cfg(feature = "smt")]
pub(crate) use segments::decisions;
#[cfg(feature = "smt")]
pub(crate) use stuck::{either, repeated, without};
#[cfg(feature = "smt")]
pub(crate) use unique::unique_binders;

pub use check::{Mismatch, instances, preserves};
pub use met::are_met;
pub use prove::{ByRanges, Prove};
pub use segments::{may_meet_again, segments};

use babycuda_core::budget::Exhausted;
use babycuda_core::machine::IntType;
use babycuda_core::name::reserved;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, Name, Num, Protocol, Site};
use std::collections::BTreeSet;

/// What stands around a phase or an obligation, outermost first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binder {
    /// The place among phases that are neighbours in time. With the counters before it, it puts
    /// the instances of all phases in order.
    At(u32),
    /// A synchronized loop: both threads of a race have the same value of `var` in `lower..upper`.
    #[allow(missing_docs)]
    For { site: Site, var: Name, lower: Num, upper: Num },
    /// A condition under which the phase exists. All threads decide it alike.
    If(Bool),
    /// A value that was read: each thread has its own.
    #[allow(missing_docs)]
    Any { site: Site, var: Name, domain: Option<IntType> },
    /// What the host stored in a read-only input: the same for both threads where the index is.
    #[allow(missing_docs)]
    Input { site: Site, var: Name, array: Name, index: Num },
}

impl Binder {
    /// The variable that is bound.
    pub fn var(&self) -> Option<&Name> {
        match self {
            Binder::For { var, .. } | Binder::Any { var, .. } | Binder::Input { var, .. } => {
                Some(var)
            }
            Binder::At(_) | Binder::If(_) => None,
        }
    }
}

/// May two threads of a block, in a context, disagree on the values of `vars`?
fn may_differ(context: &[Binder], vars: &BTreeSet<Name>) -> bool {
    let mut own = BTreeSet::new();
    let differ = |own: &BTreeSet<&Name>, vars: &BTreeSet<Name>| {
        vars.iter().any(|x| reserved::is_private(x) || own.contains(x))
    };
    for binder in context {
        let differs = match binder {
            Binder::Any { .. } => true,
            Binder::Input { index, .. } => differ(&own, &index.free_vars()),
            Binder::For { .. } | Binder::If(_) | Binder::At(_) => false,
        };
        if differs {
            own.extend(binder.var());
        }
    }
    differ(&own, vars)
}

/// A phase for each value of the counters of its context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamPhase {
    /// Counters and conditions.
    pub context: Vec<Binder>,
    /// What each thread does in the phase: an unsynchronized protocol.
    pub body: Protocol,
}

/// All threads must decide alike. When two do not, they arrive at different barriers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The branch or loop.
    pub site: Site,
    /// What stands around it.
    pub context: Vec<Binder>,
    /// What must not differ.
    pub decision: Decision,
}

/// A decision that barriers depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Two threads must not take different sides if the side of one of them reaches a barrier.
    #[allow(missing_docs)]
    Branch { condition: Bool, then_syncs: Bool, otherwise_syncs: Bool },
    /// Two threads must not run a loop with barriers for different numbers of iterations.
    #[allow(missing_docs)]
    Count { count: Num },
}

/// Why a protocol could not be split.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unaligned {
    /// Only some iterations of a loop reach a barrier, and which ones is not understood.
    #[error("the loop at {site} reaches a barrier only in some iterations: when `{condition:?}`")]
    #[allow(missing_docs)]
    SomeIterations { site: Site, condition: Box<Bool> },
    /// Whether a barrier is reached depends on a value that was read.
    #[error("whether a barrier is reached depends on `{var}`, read at {site}")]
    #[allow(missing_docs)]
    Data { site: Site, var: Name },
    /// A barrier that is not understood: of the grid, where blocks may not all decide alike; or of groups
    /// that do not nest. Projections have barriers of blocks only.
    #[error("`sync.{scope}` at {site} is not understood: not all blocks reach it alike")]
    #[allow(missing_docs)]
    Scope { site: Site, scope: BarrierScope },
    /// More work than [`MAX_WORK`].
    #[error("more than {MAX_WORK} barriers and statements around them, with all copies")]
    TooLarge,
    /// The time was over.
    #[error("{0}")]
    Exhausted(#[from] Exhausted),
}

impl Unaligned {
    /// Where; `None` when it is the protocol as a whole.
    pub fn site(&self) -> Option<Site> {
        match self {
            Unaligned::SomeIterations { site, .. }
            | Unaligned::Data { site, .. }
            | Unaligned::Scope { site, .. } => Some(*site),
            Unaligned::TooLarge | Unaligned::Exhausted(_) => None,
        }
    }
}

/// The outcome of splitting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// The phases, or why there are none. They are right for every launch and all parameters for
    /// which the obligations hold.
    pub phases: Result<Vec<ParamPhase>, Unaligned>,
    /// What remains to be shown.
    pub obligations: Vec<Obligation>,
}

/// How much work a split may be: parts with barriers, binders around phases, and statements before
/// and after the barriers of a part, each as often as unrolling and copying makes it.
pub const MAX_WORK: usize = 500_000;

/// How far a loop is unrolled when only some of its iterations reach a barrier.
pub const UNROLL: u64 = 64;

/// Splits `protocol` into phases. `prover` is asked for facts that make the result simpler, or
/// that it cannot do without.
pub fn split(protocol: &Protocol, prover: &mut dyn Prove) -> Split {
    split_stopping(protocol, &BTreeSet::new(), prover)
}

/// The same, where a read of one of `stops` stops its thread: what a thread does in later phases
/// stands below the condition that it did not stop, as far as that can be said. The obligations ask
/// threads that stopped as well, so that all agree on the phases. The phases are right up to the
/// first in which a thread stops, where the block ends.
pub fn split_stopping(
    protocol: &Protocol,
    stops: &BTreeSet<Name>,
    prover: &mut dyn Prove,
) -> Split {
    let (outside, protocol) = inputs::outermost(&unique::unique_binders(protocol));
    let mut splitter = parts::Splitter::new(prover, stops);
    splitter.context = outside;
    let parts = splitter.parts(&protocol);
    let phases = parts.map(parts::Parts::into_phases).map(|phases| {
        let under =
            |p: ParamPhase| splitter.context.iter().rev().cloned().fold(p, ParamPhase::under);
        phases.into_iter().map(under).collect()
    });
    Split { phases, obligations: splitter.into_obligations() }
}
