//! How far a run came that has no derivation.

use crate::Rule;
use crate::block::Block;
use crate::derivation::{Premise, Remaining};
use crate::outcome::Stuck;
use babycuda_core::{Accesses, History, Stmt};
use std::sync::Arc;

/// A run that has no derivation: why, and the judgments that were begun.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Why there is none.
    pub stuck: Stuck,
    /// What was begun, the outermost judgment first; each is a premise of the one before it. The last
    /// one has no rule that concludes it.
    pub open: Vec<Unfinished>,
}

/// A judgment that was begun.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// Its left side.
    pub started: Started,
    /// The rule, where all premises before the open one are there.
    pub rule: Option<Rule>,
    /// These premises. Without a rule: those of the threads before the one that is stuck.
    pub premises: Vec<Premise>,
}

/// What of a judgment is there before it is derived.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Started {
    /// `H, k ⇓ ?`
    Program { block: Block, before: Arc<History>, program: Arc<Stmt> },
    /// `H, {i: k, …} ⇓ ?`
    Block { before: Arc<History>, warp: u32, remaining: Arc<Remaining> },
    /// `A, b ↓_{H,i} ?`, or `A, k ⇓_{H,i} ?`
    Thread {
        to_barrier: bool,
        history: Arc<History>,
        thread: u64,
        before: Arc<Accesses>,
        program: Arc<Stmt>,
    },
}
