//! Derivations: trees of rule instances.

use crate::Rule;
use crate::block::Block;
use babycuda_core::derivation;
use babycuda_core::evidence::Divergence;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Accesses, History, Site, Stmt};
use std::sync::Arc;

/// A derivation: a rule, what it concludes, and its premises in the rule's order.
///
/// Nothing vouches for a value of this type but [`check_derivation`](crate::check_derivation).
/// Nodes are shared; dropping a derivation needs no deep recursion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The rule.
    pub rule: Rule,
    /// The conclusion.
    pub conclusion: Judgment,
    /// The premises.
    pub premises: Vec<Premise>,
}

/// A premise of a rule instance; `D` stands for the derivation of a judgment.
pub type Premise<D = Arc<Derivation>> = derivation::Premise<D>;

/// What a node of a derivation concludes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgment {
    /// `A, b ↓_{H,i} B`
    Thread(ThreadJudgment),
    /// `P::H, b ↓ Q::H`
    Parallel(ParallelJudgment),
    /// `A, k ⇓_{H,i} (B, s)`
    ToBarrier(ToBarrierJudgment),
    /// `H, {i: k, …} ⇓ outcome`
    Block(BlockJudgment),
    /// `H, k ⇓ outcome`
    Program(ProgramJudgment),
}

/// `A, b ↓_{H,i} B` (LCL22 Fig. 5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadJudgment {
    /// `H`: the phases before the current one, and its stages that the thread sees.
    pub history: Arc<History>,
    /// `i`
    pub thread: u64,
    /// `A`: what the thread accessed in the current phase.
    pub before: Arc<Accesses>,
    /// `b`
    pub program: Arc<Stmt>,
    /// `B`
    pub after: Arc<Accesses>,
}

/// `P::H, b ↓ Q::H` (LCL22 Fig. 5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParallelJudgment {
    /// `T`, and what is substituted for `tid`.
    pub block: Block,
    /// `P::H`
    pub before: Arc<History>,
    /// `b`
    pub program: Arc<Stmt>,
    /// `Q::H`
    pub after: Arc<History>,
}

/// `A, k ⇓_{H,i} (B, s)` (THEORY §4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToBarrierJudgment {
    /// `H`: the phases before the current one, and its stages that the thread sees.
    pub history: Arc<History>,
    /// `i`
    pub thread: u64,
    /// `A`: what the thread accessed in the current phase.
    pub before: Arc<Accesses>,
    /// `k`
    pub program: Arc<Stmt>,
    /// `B`
    pub after: Arc<Accesses>,
    /// `s`: where the thread stops.
    pub stop: Stop,
}

/// Where a thread stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// At its end.
    Done,
    /// `sync_ℓ ▷ k`: at the barrier `ℓ`, of a scope, with `k` left to run.
    #[allow(missing_docs)]
    Barrier { site: Site, scope: BarrierScope, rest: Arc<Stmt> },
}

impl Stop {
    /// The barrier; `None`: the end.
    pub fn site(&self) -> Option<Site> {
        match self {
            Stop::Done => None,
            Stop::Barrier { site, .. } => Some(*site),
        }
    }
}

/// What each thread has left to run, by thread.
pub type Remaining = Vec<(u64, Arc<Stmt>)>;

/// `H, {i: k, …} ⇓ outcome`: the threads run, barrier by barrier, to their ends or to a divergence
/// (THEORY §4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockJudgment {
    /// `H`
    pub before: Arc<History>,
    /// Threads in a warp.
    pub warp: u32,
    /// `{i: k, …}`
    pub remaining: Arc<Remaining>,
    /// What comes of it.
    pub ending: Ending,
}

/// `H, k ⇓ outcome`: every thread of a block runs `k` with its own `tid`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramJudgment {
    /// The threads.
    pub block: Block,
    /// `H`
    pub before: Arc<History>,
    /// `k`
    pub program: Arc<Stmt>,
    /// What comes of it.
    pub ending: Ending,
}

/// How a block ends, when no thread is stuck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The history.
    pub history: Arc<History>,
    /// The threads that stopped at different places; `None`: all ended.
    pub divergence: Option<Divergence>,
}

impl Derivation {
    /// The derivations of the premises that are judgments.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Arc<Derivation>> {
        self.premises.iter().filter_map(|premise| match premise {
            Premise::Derived(child) => Some(child),
            _ => None,
        })
    }

    /// Every node once, with its depth, the root first, premises in order.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Derivation)> {
        derivation::nodes(self)
    }

    /// How many rule instances, shared ones counted once.
    pub fn size(&self) -> usize {
        self.nodes().count()
    }
}

impl derivation::Node for Derivation {
    type Rule = Rule;

    fn rule(&self) -> Rule {
        self.rule
    }

    fn derived(&self) -> impl DoubleEndedIterator<Item = (usize, &Derivation)> {
        self.premises.iter().enumerate().filter_map(|(at, premise)| match premise {
            Premise::Derived(child) => Some((at, &**child)),
            _ => None,
        })
    }
}

impl Drop for Derivation {
    /// Node by node: a derivation is as deep as its loops are long.
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.premises);
        while let Some(premise) = pending.pop() {
            if let Premise::Derived(child) = premise
                && let Some(mut child) = Arc::into_inner(child)
            {
                pending.append(&mut child.premises);
            }
        }
    }
}
