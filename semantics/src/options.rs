//! What a run may use, and how it settles what the calculus leaves open.

use babycuda_core::history::LastWrite;
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{Cell, Natural, Site};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What a run may use and how it settles what the calculus leaves open.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the run may use.
    pub limits: Limits,
    /// Which value a read yields when `lastwrite` relates several to the cell.
    pub ambiguous: Policy,
    /// Which value an atomic update yields.
    pub atomics: AtomicPolicy,
}

/// What a run may use; going beyond is a typed outcome
/// ([`Reason::Limit`](crate::Reason::Limit)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Threads of a launch.
    pub threads: u64,
    /// Steps of all threads together: instances of rules other than seq and skip, that is,
    /// accesses, branches, loop tests and barriers. It bounds memory too: a step records at most
    /// one access.
    pub steps: u64,
    /// Bits of a number; values below 2^64 are always allowed.
    pub number_bits: u64,
}

impl Default for Limits {
    /// 65,536 threads, 1,000,000 steps, 65,536 bits. The derivation of a run takes about 2 KB a
    /// step; the virtual machine has none and can be allowed a thousand times as many.
    fn default() -> Limits {
        Limits { threads: 1 << 16, steps: 1_000_000, number_bits: 1 << 16 }
    }
}

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Limit {
    Threads,
    Steps,
    NumberBits,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Threads => "threads",
            Limit::Steps => "steps",
            Limit::NumberBits => "bits of a number",
        })
    }
}

/// Which value a read yields when `lastwrite` relates several to the cell, because an older phase
/// is racy on it. Whichever is chosen, the derivation is valid: rule lastwrite-curr is a relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// None: the run is stuck ([`Reason::Ambiguous`](crate::Reason::Ambiguous)).
    #[default]
    Stop,
    /// The smallest.
    Smallest,
    /// The largest.
    Largest,
}

impl Policy {
    /// The value that a cell with this `lastwrite` yields; `None` where the run is stuck.
    pub fn choose(self, lastwrite: &LastWrite) -> Option<&Natural> {
        match (lastwrite, self) {
            (LastWrite::Undefined, _) | (LastWrite::Several(_), Policy::Stop) => None,
            (LastWrite::One(k), _) => Some(k),
            (LastWrite::Several(possible), Policy::Smallest) => possible.values.first(),
            (LastWrite::Several(possible), Policy::Largest) => possible.values.last(),
        }
    }
}

/// Which value an atomic update yields: it depends on the order of other threads, so the calculus
/// relates every value to it (THEORY §4).
#[derive(Clone, Default)]
pub enum AtomicPolicy {
    /// What the thread would see if it ran alone: `lastwrite(j, {i:A} :: H)`, the smallest of
    /// several, 0 where undefined.
    #[default]
    Alone,
    /// What the oracle says.
    Oracle(Arc<dyn AtomicOracle>),
}

impl AtomicPolicy {
    /// The value that the update yields.
    pub fn choose(&self, query: &AtomicQuery<'_>) -> Natural {
        match self {
            AtomicPolicy::Alone => Policy::Smallest.choose(query.view).cloned().unwrap_or_default(),
            AtomicPolicy::Oracle(oracle) => oracle.value(query),
        }
    }
}

impl fmt::Debug for AtomicPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AtomicPolicy::Alone => "Alone",
            AtomicPolicy::Oracle(_) => "Oracle(..)",
        })
    }
}

/// Says which values atomic updates yield. A function will do.
pub trait AtomicOracle: Send + Sync {
    /// The value that the update yields.
    fn value(&self, query: &AtomicQuery<'_>) -> Natural;
}

impl<F: Fn(&AtomicQuery<'_>) -> Natural + Send + Sync> AtomicOracle for F {
    fn value(&self, query: &AtomicQuery<'_>) -> Natural {
        self(query)
    }
}

/// An atomic update about to happen.
#[derive(Clone, Debug)]
pub struct AtomicQuery<'a> {
    /// The number of the phase, from 0.
    pub phase: usize,
    /// The thread.
    pub thread: u64,
    /// The statement.
    pub site: Site,
    /// The cell.
    pub cell: &'a Cell,
    /// Operator and operands.
    pub update: &'a AtomicUpdate<Natural>,
    /// What the thread would see if it ran alone.
    pub view: &'a LastWrite,
}
