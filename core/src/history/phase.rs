//! Phases: what each thread accessed between two barriers.

use super::{Access, AccessMode, Cell, json};
use crate::natural::Natural;
use crate::syntax::{AtomicUpdate, Scope};
use im::{OrdMap, OrdSet, Vector};
use serde::{Deserialize, Serialize};
#[cfg(feature = "schema")]
use std::collections::{BTreeMap, BTreeSet};

/// A pair of reads and writes `A = (R, W)` of one thread in one phase, with its atomic updates. In
/// JSON, cells are written `A[3]`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Accesses {
    /// `R`: the cells read.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty", with = "json::cells")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeSet<String>"))]
    pub reads: OrdSet<Cell>,
    /// `W`: the cells written, each with the value last written.
    #[serde(default, skip_serializing_if = "OrdMap::is_empty", with = "json::by_cell")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Natural>"))]
    pub writes: OrdMap<Cell, Natural>,
    /// The cells updated atomically.
    #[serde(default, skip_serializing_if = "OrdMap::is_empty", with = "json::by_cell")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, AtomicLog>"))]
    pub atomics: OrdMap<Cell, AtomicLog>,
}

/// The atomic updates of one cell by one thread in one phase.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AtomicLog {
    /// The scopes used.
    #[serde(with = "json::list")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeSet<Scope>"))]
    pub scopes: OrdSet<Scope>,
    /// The updates since the thread's last plain write of the cell in this phase, in order.
    #[serde(with = "json::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<AtomicUpdate<Natural>>"))]
    pub updates: Vector<AtomicUpdate<Natural>>,
}

impl Accesses {
    /// `(R ∪ {j}, W)`
    #[must_use]
    pub fn read(&self, cell: Cell) -> Accesses {
        let mut next = self.clone();
        next.reads.insert(cell);
        next
    }

    /// `(R, W[j ↦ k])`
    #[must_use]
    pub fn write(&self, cell: Cell, value: Natural) -> Accesses {
        let mut next = self.clone();
        if let Some(log) = next.atomics.get_mut(&cell) {
            log.updates = Vector::new();
        }
        next.writes.insert(cell, value);
        next
    }

    /// The accesses with one more atomic update.
    #[must_use]
    pub fn atomic(&self, cell: Cell, scope: Scope, update: AtomicUpdate<Natural>) -> Accesses {
        let mut next = self.clone();
        let mut log = next.atomics.get(&cell).cloned().unwrap_or_default();
        log.scopes.insert(scope);
        log.updates.push_back(update);
        next.atomics.insert(cell, log);
        next
    }

    /// Was nothing accessed?
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.atomics.is_empty()
    }

    /// The modes and cells accessed: reads, then writes, then atomics, each by cell.
    pub fn iter(&self) -> impl Iterator<Item = (AccessMode, &Cell)> {
        let reads = self.reads.iter().map(|c| (AccessMode::Rd, c));
        let writes = self.writes.keys().map(|c| (AccessMode::Wr, c));
        let atomics = self
            .atomics
            .iter()
            .flat_map(|(c, log)| log.scopes.iter().map(move |s| (AccessMode::At(*s), c)));
        reads.chain(writes).chain(atomics)
    }
}

/// A phase `P`: thread identifier → accesses. A thread that is absent accessed nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "json::ByThread", into = "json::ByThread")]
pub struct Phase {
    threads: OrdMap<u64, Accesses>,
}

impl Phase {
    /// `{i: A}`
    pub fn singleton(thread: u64, accesses: Accesses) -> Phase {
        let mut phase = Phase::default();
        phase.insert(thread, accesses);
        phase
    }

    /// `P(i)`; empty for a thread that is absent.
    pub fn get(&self, thread: u64) -> Accesses {
        self.threads.get(&thread).cloned().unwrap_or_default()
    }

    /// `P[i ↦ A]`. A thread without accesses is left out, so equal phases compare equal.
    pub fn insert(&mut self, thread: u64, accesses: Accesses) {
        if accesses.is_empty() {
            self.threads.remove(&thread);
        } else {
            self.threads.insert(thread, accesses);
        }
    }

    /// The threads that accessed something, with what they accessed, by thread.
    pub fn threads(&self) -> impl Iterator<Item = (u64, &Accesses)> {
        self.threads.iter().map(|(i, a)| (*i, a))
    }

    /// The access values of the phase: all `α` with `α ∈̂ P`.
    pub fn accesses(&self) -> impl Iterator<Item = Access> {
        self.threads().flat_map(|(thread, a)| {
            a.iter().map(move |(mode, cell)| Access { thread, mode, cell: cell.clone() })
        })
    }

    /// `α ∈̂ P` (LCL22 §4).
    pub fn contains(&self, access: &Access) -> bool {
        let Some(a) = self.threads.get(&access.thread) else {
            return false;
        };
        match access.mode {
            AccessMode::Rd => a.reads.contains(&access.cell),
            AccessMode::Wr => a.writes.contains_key(&access.cell),
            AccessMode::At(s) => {
                a.atomics.get(&access.cell).is_some_and(|log| log.scopes.contains(&s))
            }
        }
    }
}

impl FromIterator<(u64, Accesses)> for Phase {
    fn from_iter<T: IntoIterator<Item = (u64, Accesses)>>(threads: T) -> Phase {
        let mut phase = Phase::default();
        for (thread, accesses) in threads {
            phase.insert(thread, accesses);
        }
        phase
    }
}
