//! Barrier divergence: threads of a block that stop at different places (THEORY §4).

use super::witness::{Choice, at};
use crate::configuration::Configuration;
use crate::launch::Thread;
use crate::site::Site;
use crate::syntax::BarrierScope;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Two threads of a group that stopped at different places: its first thread, and the first one that
/// disagrees with it. Some thread of the group waits at a barrier of its scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Divergence {
    /// The phase after which they diverge, from 0.
    pub phase: usize,
    /// One thread, and the barrier it reached; `None`: its end.
    pub first: (u64, Option<Site>),
    /// The other.
    pub second: (u64, Option<Site>),
    /// The scope of the group: the narrowest of the barriers at which threads wait.
    #[serde(default, skip_serializing_if = "BarrierScope::is_block")]
    pub scope: BarrierScope,
}

impl Divergence {
    /// Of two threads of a block with barriers of blocks alone.
    pub fn of_block(
        phase: usize,
        first: (u64, Option<Site>),
        second: (u64, Option<Site>),
    ) -> Divergence {
        Divergence { phase, first, second, scope: BarrierScope::Block }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |site: &Option<Site>| match site {
            Some(site) => format!("at barrier {site}"),
            None => "at its end".to_owned(),
        };
        let Divergence { phase, first: (i, s), second: (j, t), scope } = self;
        let (s, t) = (place(s), place(t));
        write!(f, "after phase {phase}, ")?;
        if !scope.is_block() {
            write!(f, "in the {scope} of thread {i}, ")?;
        }
        write!(f, "thread {i} is {s} and thread {j} is {t}")
    }
}

/// A divergence with the block in which it happens: its launch and parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DivergenceWitness {
    /// The launch, the block and the parameters.
    pub configuration: Configuration,
    /// Which threads stop where.
    pub divergence: Divergence,
    /// What each thread has to have read.
    pub data: [Vec<Choice>; 2],
}

impl DivergenceWitness {
    /// The thread that has this number in the divergence: in its block, or at a barrier of the grid
    /// among the threads of all blocks.
    pub fn thread(&self, number: u64) -> Thread {
        let threads = self.configuration.launch.block.count().max(1);
        match self.divergence.scope {
            BarrierScope::Grid => Thread { block: number / threads, index: number % threads },
            _ => Thread { block: self.configuration.block, index: number },
        }
    }

    /// Does the divergence need particular values to have been read?
    pub fn depends_on_data(&self) -> bool {
        self.data.iter().any(|choices| !choices.is_empty())
    }
}

/// One line.
impl fmt::Display for DivergenceWitness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "barrier divergence {}", self.divergence)?;
        at(&self.configuration, f)
    }
}
