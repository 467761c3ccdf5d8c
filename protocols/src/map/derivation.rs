//! Derivations of `u ↓ Λ`, and of `p ⇓ Λ0 … Λn` phase by phase.
//!
//! One thread's judgment gives what it accesses between its barriers. Where there is none the rules
//! are those of `u ↓ Λ` to the letter; a barrier ends a phase (rule map/sync), and what follows
//! something that waited goes on in its last phase.

use super::Ending;
use babycuda_core::derivation::{self, Node};
use babycuda_core::history::Access;
pub use babycuda_core::rules::MapRule as Rule;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Cell, Configuration, Protocol, Site};
use im::OrdSet;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// What one thread accesses, phase by phase: Λ without the thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The phases, oldest first; never none. Barriers of any scope end one.
    pub phases: Vec<OrdSet<(AccessMode, Cell)>>,
    /// The barriers that end all phases but the last.
    pub barriers: Vec<(BarrierScope, Site)>,
}

impl Reached {
    /// `∅`
    pub fn nothing() -> Reached {
        Reached { phases: vec![OrdSet::new()], barriers: Vec::new() }
    }

    /// `{o A[j]}`
    pub fn one(mode: AccessMode, cell: Cell) -> Reached {
        Reached { phases: vec![OrdSet::unit((mode, cell))], barriers: Vec::new() }
    }

    /// `∅`, then the barrier, then `∅`.
    pub fn barrier(scope: BarrierScope, site: Site) -> Reached {
        Reached { phases: vec![OrdSet::new(), OrdSet::new()], barriers: vec![(scope, site)] }
    }

    /// The one and then the other: `Λ1 ∪ Λ2` where there are no barriers.
    #[must_use]
    pub fn then(&self, other: &Reached) -> Reached {
        let mut joined = self.clone();
        joined.barriers.extend(&other.barriers);
        for (n, phase) in other.phases.iter().enumerate() {
            match (n, joined.phases.last_mut()) {
                (0, Some(last)) => *last = union(last, phase),
                _ => joined.phases.push(phase.clone()),
            }
        }
        joined
    }

    /// The same? Shared parts are not compared.
    pub fn is_same(&self, other: &Reached) -> bool {
        self.barriers == other.barriers
            && self.phases.len() == other.phases.len()
            && self.phases.iter().zip(&other.phases).all(|(a, b)| a.diff(b).next().is_none())
    }
}

/// The smaller set into the larger.
fn union(
    a: &OrdSet<(AccessMode, Cell)>,
    b: &OrdSet<(AccessMode, Cell)>,
) -> OrdSet<(AccessMode, Cell)> {
    let (large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
    small.iter().fold(large.clone(), |mut all, access| {
        all.insert(access.clone());
        all
    })
}

/// What a node concludes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgment {
    /// `u ↓ Λ` of one thread; the protocol is closed.
    #[allow(missing_docs)]
    Thread { protocol: Arc<Protocol>, reached: Arc<Reached> },
    /// `u ↓ Λ` of all threads of a block.
    #[allow(missing_docs)]
    Block {
        configuration: Configuration,
        protocol: Arc<Protocol>,
        /// Λ, phase by phase: barriers of the block end one. Those of narrower scopes are in the
        /// judgments of the threads.
        phases: Vec<BTreeSet<Access>>,
        ending: Ending,
    },
}

/// A premise of a rule instance; `D` stands for the derivation of a judgment.
pub type Premise<D = Derivation> = derivation::Premise<D>;

/// A derivation: a rule, what it concludes, and its premises in the rule's order.
///
/// Nothing vouches for a value of this type but [`check_derivation`](super::check_derivation).
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Derivation {
    pub rule: Rule,
    pub conclusion: Judgment,
    pub premises: Vec<Premise>,
}

impl Derivation {
    /// Every node with its depth, the root first, premises in order.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Derivation)> {
        derivation::nodes(self)
    }

    /// The derivations of the premises that are judgments.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Derivation> {
        self.derived().map(|(_, child)| child)
    }

    /// How many rule instances.
    pub fn size(&self) -> usize {
        self.nodes().count()
    }
}

impl Node for Derivation {
    type Rule = Rule;

    fn rule(&self) -> Rule {
        self.rule
    }

    fn derived(&self) -> impl DoubleEndedIterator<Item = (usize, &Derivation)> {
        self.premises.iter().enumerate().filter_map(|(at, premise)| match premise {
            Premise::Derived(child) => Some((at, child)),
            _ => None,
        })
    }
}

impl Drop for Derivation {
    /// Node by node: a derivation is as deep as its loops are long.
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.premises);
        while let Some(premise) = pending.pop() {
            if let Premise::Derived(mut child) = premise {
                pending.append(&mut child.premises);
            }
        }
    }
}

/// How many accesses of a set are shown.
const SHOWN: usize = 8;

fn show<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    all: impl ExactSizeIterator<Item = T>,
) -> fmt::Result {
    let more = all.len().saturating_sub(SHOWN);
    f.write_str("{")?;
    for (n, access) in all.take(SHOWN).enumerate() {
        write!(f, "{}{access}", if n == 0 { "" } else { ", " })?;
    }
    match more {
        0 => f.write_str("}"),
        more => write!(f, ", … {more} more}}"),
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, phase) in self.phases.iter().enumerate() {
            match n.checked_sub(1).and_then(|n| self.barriers.get(n)) {
                None => {}
                Some((BarrierScope::Block, site)) => write!(f, " sync_{site} ")?,
                Some((scope, site)) => write!(f, " sync.{scope}_{site} ")?,
            }
            show(f, phase.iter().map(|(mode, cell)| format!("{mode} {cell}")))?;
        }
        Ok(())
    }
}

impl fmt::Display for Judgment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Judgment::Thread { protocol, reached } => write!(f, "{protocol} ↓ {reached}"),
            Judgment::Block { protocol, phases, ending, .. } => {
                write!(f, "{protocol} ↓ ")?;
                for (n, phase) in phases.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " then " })?;
                    show(f, phase.iter())?;
                }
                match ending {
                    Ending::Done => Ok(()),
                    Ending::Divergence { first, second } => {
                        write!(f, ", threads {} and {} diverge", first.0, second.0)
                    }
                    Ending::Stuck { thread, .. } => write!(f, ", thread {thread} is stuck"),
                }
            }
        }
    }
}
