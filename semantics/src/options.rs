//! What a run may use, and how it settles what the calculus leaves open.

use babycuda_core::history::LastWrite;
use babycuda_core::parse::Misspelled;
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{Cell, Natural, Site};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What a run may use and how it settles what the calculus leaves open.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// What the run may use.
    pub limits: RunLimits,
    /// Which value a read yields when `lastwrite` relates several to the cell.
    pub ambiguous: Policy,
    /// Which value an atomic update yields.
    pub atomics: AtomicPolicy,
}

/// What a run may use; going beyond is a typed outcome
/// ([`Reason::Limit`](crate::Reason::Limit)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct RunLimits {
    /// Threads of a launch.
    pub threads: u64,
    /// Steps of all threads together: instances of rules other than seq and skip, that is,
    /// accesses, branches, loop tests and barriers. It bounds memory too: a step records at most
    /// one access.
    pub steps: u64,
    /// Bits of a number; values below 2^64 are always allowed.
    pub number_bits: u64,
}

impl Default for RunLimits {
    /// 65,536 threads, 1,000,000 steps, 65,536 bits. The derivation of a run takes about 2 KB a
    /// step; the virtual machine has none and can be allowed a thousand times as many.
    fn default() -> RunLimits {
        RunLimits { threads: 1 << 16, steps: 1_000_000, number_bits: 1 << 16 }
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
    /// What the first of the threads that wrote the cell left. Where their order decides, they come
    /// by falling identifier, so that the first one has the last word.
    First,
    /// One drawn from this number, for each cell. It depends on nothing else but how many values
    /// there are, so every evaluator draws the same, whatever its order.
    Seed(u64),
}

impl Policy {
    /// The value that `cell` with this `lastwrite` yields; `None` where the run is stuck.
    pub fn choose<'a>(self, cell: &Cell, lastwrite: &'a LastWrite) -> Option<&'a Natural> {
        match (lastwrite, self) {
            (LastWrite::Undefined, _) | (LastWrite::Several(_), Policy::Stop) => None,
            (LastWrite::One(k), _) => Some(k),
            (LastWrite::Several(possible), Policy::Smallest) => possible.values.first(),
            (LastWrite::Several(possible), Policy::Largest) => possible.values.last(),
            (LastWrite::Several(possible), Policy::First) => Some(&possible.first),
            (LastWrite::Several(possible), Policy::Seed(seed)) => {
                let many = possible.values.len().max(1) as u64;
                possible.values.iter().nth((draw(seed, cell) % many) as usize)
            }
        }
    }
}

impl Policy {
    /// A value for a cell that may hold any number: 0, or 255 for [`Policy::Largest`], or by
    /// [`Policy::Seed`] a number below 256, which every machine type has.
    pub fn any_number(self, cell: &Cell) -> Natural {
        Natural::from(match self {
            Policy::Stop | Policy::Smallest | Policy::First => 0,
            Policy::Largest => 255,
            Policy::Seed(seed) => draw(seed, cell) % 256,
        })
    }
}

/// A number drawn from a seed for a cell: FNV-1a over the cell, then a finalizer.
fn draw(seed: u64, cell: &Cell) -> u64 {
    let index = cell.index.to_string();
    let bytes = cell.array.as_str().bytes().chain([0]).chain(index.bytes());
    let basis = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = bytes.fold(basis, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// `stop`, `smallest`, `largest`, `first`, or `seed:7`.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Stop => f.write_str("stop"),
            Policy::Smallest => f.write_str("smallest"),
            Policy::Largest => f.write_str("largest"),
            Policy::First => f.write_str("first"),
            Policy::Seed(seed) => write!(f, "seed:{seed}"),
        }
    }
}

/// Inverse to `Display`.
impl FromStr for Policy {
    type Err = Misspelled;
    fn from_str(text: &str) -> Result<Policy, Misspelled> {
        let seed = text.strip_prefix("seed:").and_then(|n| n.parse().ok()).map(Policy::Seed);
        let named = [Policy::Stop, Policy::Smallest, Policy::Largest, Policy::First];
        let named = named.into_iter().find(|policy| policy.to_string() == text);
        let wrong = "not one of stop, smallest, largest, first and seed:N";
        seed.or(named).ok_or_else(|| Misspelled::new(text, wrong))
    }
}

/// Which value an atomic update yields: it depends on the order of other threads, so the calculus
/// relates every value to it (THEORY §4).
#[derive(Clone, Default)]
pub enum AtomicPolicy {
    /// What the thread would see if it ran alone: `lastwrite(j, {i:A} :: H)`. Of several values the
    /// one that [`RunOptions::ambiguous`] chooses, or the smallest where that is [`Policy::Stop`]; 0
    /// where undefined.
    #[default]
    Alone,
    /// What the oracle says.
    Oracle(Arc<dyn AtomicOracle>),
}

impl RunOptions {
    /// The value that an atomic update yields.
    pub(crate) fn atomic_value(&self, query: &AtomicQuery<'_>) -> Natural {
        match (&self.atomics, self.ambiguous) {
            (AtomicPolicy::Oracle(oracle), _) => oracle.value(query),
            (AtomicPolicy::Alone, Policy::Stop) => alone(Policy::Smallest, query),
            (AtomicPolicy::Alone, policy) => alone(policy, query),
        }
    }
}

fn alone(policy: Policy, query: &AtomicQuery<'_>) -> Natural {
    policy.choose(query.cell, query.view).cloned().unwrap_or_default()
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
