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
///
/// Barriers of narrower scopes than the block part a phase into stages (THEORY T12). An access
/// stands in the stage that ends at the first barrier that its thread passed afterwards, or behind
/// all stages. JSON documents of phases alone leave stages out; those of histories have them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "json::ByThread", into = "json::ByThread")]
pub struct Phase {
    stages: Vector<Stage>,
    threads: OrdMap<u64, Accesses>,
}

/// A barrier of the threads `first..end` of a block in a phase, with what they accessed since the
/// barriers that they passed before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The first thread of the group.
    pub first: u64,
    /// The thread behind its last.
    pub end: u64,
    #[serde(default, skip_serializing_if = "OrdMap::is_empty", with = "json::by_thread")]
    #[cfg_attr(feature = "schema", schemars(with = "json::ByThread"))]
    threads: OrdMap<u64, Accesses>,
}

impl Stage {
    /// The threads that accessed something, with what they accessed, by thread.
    pub fn threads(&self) -> impl Iterator<Item = (u64, &Accesses)> {
        self.threads.iter().map(|(i, a)| (*i, a))
    }

    /// Is the thread of the group?
    pub fn holds(&self, thread: u64) -> bool {
        (self.first..self.end).contains(&thread)
    }
}

/// Where an access stands in its phase: behind how many stages, and of which thread.
pub type Place = (usize, u64);

impl Phase {
    /// `{i: A}`
    pub fn singleton(thread: u64, accesses: Accesses) -> Phase {
        let mut phase = Phase::default();
        phase.insert(thread, accesses);
        phase
    }

    /// `P(i)`, behind all stages; empty for a thread that is absent.
    pub fn get(&self, thread: u64) -> Accesses {
        self.threads.get(&thread).cloned().unwrap_or_default()
    }

    /// `P[i ↦ A]`, behind all stages. A thread without accesses is left out, so equal phases
    /// compare equal.
    pub fn insert(&mut self, thread: u64, accesses: Accesses) {
        if accesses.is_empty() {
            self.threads.remove(&thread);
        } else {
            self.threads.insert(thread, accesses);
        }
    }

    /// The threads `first..end` pass a barrier of theirs.
    pub fn pass(&mut self, first: u64, end: u64) {
        let mut stage = Stage { first, end, threads: OrdMap::new() };
        for thread in first..end {
            if let Some(accesses) = self.threads.remove(&thread) {
                stage.threads.insert(thread, accesses);
            }
        }
        self.stages.push_back(stage);
    }

    /// The barriers of narrower scopes than the block, in the order in which they were passed.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.stages.iter()
    }

    /// Is there a barrier of a narrower scope than the block in the phase?
    pub fn is_staged(&self) -> bool {
        !self.stages.is_empty()
    }

    /// What stands behind all stages, without them.
    #[must_use]
    pub fn open(&self) -> Phase {
        Phase { stages: Vector::new(), threads: self.threads.clone() }
    }

    /// What stands behind all stages of this phase, behind those of another one.
    #[must_use]
    pub fn behind(self, other: &Phase) -> Phase {
        Phase { stages: other.stages.clone(), ..self }
    }

    /// These stages, and nothing behind them.
    pub(super) fn of_stages(stages: Vec<Stage>) -> Phase {
        Phase { stages: stages.into_iter().collect(), threads: OrdMap::new() }
    }

    /// The threads that accessed something, with what they accessed, by thread. With stages, a
    /// thread comes once in each in which it accessed something.
    pub fn threads(&self) -> impl Iterator<Item = (u64, &Accesses)> {
        self.places().map(|((_, i), a)| (i, a))
    }

    /// The same, each with its place.
    pub fn places(&self) -> impl Iterator<Item = (Place, &Accesses)> {
        let stages = self.stages.iter().map(|stage| &stage.threads);
        let parts = stages.chain([&self.threads]).enumerate();
        parts.flat_map(|(k, threads)| threads.iter().map(move |(i, a)| ((k, *i), a)))
    }

    /// The stage of what a thread does when so many barriers of the phase were passed.
    pub fn stage(&self, passed: usize, thread: u64) -> usize {
        let mut later = self.stages.iter().skip(passed);
        later.position(|stage| stage.holds(thread)).map_or(self.stages.len(), |n| passed + n)
    }

    /// Does a barrier whose group holds both threads stand behind the first place and before the
    /// second, or are they of one thread and in this order?
    pub fn precedes(&self, (k, i): Place, (l, j): Place) -> bool {
        let mut between = (k..l).filter_map(|n| self.stages.get(n));
        k < l && (i == j || between.any(|stage| stage.holds(i) && stage.holds(j)))
    }

    /// What of the phase stands before what `thread` does next, as a phase without accesses behind
    /// its stages: its own stages, and what precedes a barrier that it passed with its group.
    #[must_use]
    pub fn before(&self, thread: u64) -> Phase {
        let end = (self.stages.len(), thread);
        let mut seen = self.clone();
        seen.threads = OrdMap::new();
        for (k, stage) in seen.stages.iter_mut().enumerate() {
            let own = std::mem::take(&mut stage.threads);
            stage.threads = own.into_iter().filter(|(i, _)| self.precedes((k, *i), end)).collect();
        }
        seen
    }

    /// The access values of the phase: all `α` with `α ∈̂ P`.
    pub fn accesses(&self) -> impl Iterator<Item = Access> {
        self.threads().flat_map(|(thread, a)| {
            a.iter().map(move |(mode, cell)| Access { thread, mode, cell: cell.clone() })
        })
    }

    /// `α ∈̂ P` (LCL22 §4).
    pub fn contains(&self, access: &Access) -> bool {
        let done = |a: &Accesses| match access.mode {
            AccessMode::Rd => a.reads.contains(&access.cell),
            AccessMode::Wr => a.writes.contains_key(&access.cell),
            AccessMode::At(s) => {
                a.atomics.get(&access.cell).is_some_and(|log| log.scopes.contains(&s))
            }
        };
        let parts = self.stages.iter().map(|stage| &stage.threads).chain([&self.threads]);
        parts.into_iter().any(|threads| threads.get(&access.thread).is_some_and(done))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{History, HostMemory, LastWrite, Race, lastwrite};
    use crate::json::{from_json, to_json};
    use crate::syntax::AtomicOp;
    use std::collections::BTreeSet;

    fn cell() -> Cell {
        Cell::new("A", 0u32)
    }

    fn wrote(value: u32) -> Accesses {
        Accesses::default().write(cell(), value.into())
    }

    fn updated(op: AtomicOp, operand: u32) -> Accesses {
        let update = AtomicUpdate { op, operand: operand.into(), expected: None };
        Accesses::default().atomic(cell(), Scope::Device, update)
    }

    /// What a thread does, or which threads pass a barrier.
    type Step = Result<(u64, Accesses), (u64, u64)>;

    /// One phase over a memory of zeros.
    fn phase(steps: &[Step]) -> Phase {
        let mut phase = Phase::default();
        for step in steps.iter().cloned() {
            match step {
                Ok((thread, accesses)) => phase.insert(thread, accesses),
                Err((first, end)) => phase.pass(first, end),
            }
        }
        phase
    }

    fn over_zeros(phase: Phase) -> History {
        let mut host = HostMemory::default();
        host.set(cell(), Natural::zero());
        History::empty(host).push(phase)
    }

    /// The value, or those listed and whether they are all.
    fn left(phase: &Phase) -> (Vec<u64>, bool) {
        match lastwrite(&cell(), &over_zeros(phase.clone())) {
            LastWrite::Undefined => panic!("the host stored a 0"),
            LastWrite::One(k) => (vec![k.to_u64().unwrap()], true),
            LastWrite::Several(p) => {
                (p.values.iter().map(|k| k.to_u64().unwrap()).collect(), p.exhaustive)
            }
        }
    }

    #[test]
    fn only_a_barrier_of_both_threads_orders_them() {
        let races = |p: &Phase| p.races(0).collect::<Vec<Race>>().len();
        let ordered = phase(&[Ok((0, wrote(1))), Err((0, 2)), Ok((1, wrote(2)))]);
        assert_eq!((races(&ordered), left(&ordered)), (0, (vec![2], true)));
        // The other way round the barrier comes too late.
        let late = phase(&[Ok((0, wrote(1))), Ok((1, wrote(2))), Err((0, 2))]);
        assert_eq!((races(&late), left(&late)), (1, (vec![1, 2], true)));
        // A thread of another group.
        let apart = phase(&[Ok((0, wrote(1))), Err((0, 2)), Ok((2, wrote(2)))]);
        assert_eq!((races(&apart), left(&apart)), (1, (vec![1, 2], true)));
        // A barrier of each, but of none both.
        let both =
            phase(&[Ok((0, wrote(1))), Err((0, 2)), Ok((2, wrote(2))), Err((2, 4)), Err((0, 2))]);
        assert_eq!(races(&both), 1);
        assert!(both.is_racy() && !ordered.is_racy());
        // One race of two threads, however often.
        let again = phase(&[
            Ok((0, wrote(1))),
            Err((0, 2)),
            Ok((0, wrote(2))),
            Ok((2, wrote(3))),
            Err((2, 4)),
            Ok((2, wrote(4))),
        ]);
        assert_eq!((races(&again), left(&again)), (1, (vec![2, 4], true)));
    }

    #[test]
    fn the_last_write_is_what_linear_extensions_leave() {
        let (add, max) = (AtomicOp::Add(None), AtomicOp::Max(None));
        // The maximal writes do not say that 6 is possible, or 7.
        let between = phase(&[
            Ok((0, updated(max, 5))),
            Err((0, 2)),
            Ok((1, updated(add, 1))),
            Ok((2, updated(add, 1))),
        ]);
        assert_eq!(left(&between), (vec![6, 7], false));
        // In order, all is known.
        let chain = phase(&[
            Ok((0, updated(max, 5))),
            Err((0, 2)),
            Ok((1, updated(add, 1))),
            Err((0, 4)),
            Ok((2, updated(add, 3))),
        ]);
        assert_eq!(left(&chain), (vec![9], true));
        // A write that another warp's update does not follow for sure.
        let beside =
            phase(&[Ok((0, wrote(5))), Err((0, 2)), Ok((1, wrote(7))), Ok((2, updated(add, 1)))]);
        assert_eq!(left(&beside), (vec![7, 8], false));
        // Updates before the last writes are hidden by them.
        let hidden = phase(&[
            Ok((0, updated(add, 1))),
            Err((0, 2)),
            Ok((1, wrote(7))),
            Ok((2, updated(add, 1))),
            Err((2, 4)),
            Ok((3, wrote(8))),
        ]);
        assert_eq!(left(&hidden), (vec![7, 8], true));
    }

    #[test]
    fn a_thread_sees_what_its_groups_left_before() {
        let p = phase(&[Ok((0, wrote(1))), Ok((2, wrote(2))), Err((0, 2)), Ok((1, wrote(3)))]);
        let seen = |i| p.before(i).threads().map(|(j, _)| j).collect::<BTreeSet<u64>>();
        assert_eq!([0, 1, 2, 3].map(seen), [[0].into(), [0].into(), [].into(), [].into()]);
    }

    #[test]
    fn what_is_done_behind_barriers_stands_before_the_threads_next_one() {
        let p = phase(&[Err((0, 2)), Err((2, 4)), Err((0, 4))]);
        let stages = |passed| [0, 2, 5].map(|thread| p.stage(passed, thread));
        assert_eq!([0, 1, 2, 3].map(stages), [[0, 1, 3], [2, 1, 3], [2, 2, 3], [3, 3, 3]]);
    }

    #[test]
    fn documents_have_stages() {
        let staged = phase(&[Ok((0, wrote(1))), Err((0, 2)), Ok((1, wrote(2)))]);
        let history = over_zeros(staged).push(Phase::singleton(0, wrote(3)));
        let text = to_json(&history).unwrap();
        assert!(text.contains(
            r#""stages":{"0":[{"first":0,"end":2,"threads":{"0":{"writes":{"A[0]":1}}}}]}"#
        ));
        assert_eq!(from_json::<History>(&text).unwrap(), history);
        let plain = to_json(&over_zeros(Phase::singleton(0, wrote(3)))).unwrap();
        assert!(!plain.contains("stages"));
    }
}
