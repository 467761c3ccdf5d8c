//! What really happened in a run.

mod long;
mod steps;

use babycuda_core::evidence::Divergence;
use babycuda_core::history::{Access, AtomicLog};
use babycuda_core::json::Format;
use babycuda_core::launch::Group;
use babycuda_core::syntax::{BarrierScope, Space};
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Accesses, Cell, Name, Phase, Site};
use babycuda_semantics::Block;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use steps::Step;

/// What happened when a device ran a job: how it ended, what the arrays held then, and what each
/// thread accessed, with the values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The block that ran.
    pub block: Block,
    /// What the stops of the threads come to.
    pub status: Status,
    /// The first thread with a natural that needed more than 64 bits, and the statement in which
    /// it first did. Values and what followed from them are not those of the calculus then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overflow: Option<Place>,
    /// The phase in which the run ended, from 0.
    pub last_phase: u32,
    /// The arrays that the program accesses, at the end.
    pub arrays: Vec<ArrayReport>,
    /// The threads, by their linear index in the block.
    pub threads: Vec<ThreadReport>,
}

/// A thread and a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The thread.
    pub thread: u64,
    /// The statement; `None`: the end of the program.
    pub site: Option<Site>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}, ", self.thread)?;
        match self.site {
            Some(site) => write!(f, "statement {site}"),
            None => f.write_str("at its end"),
        }
    }
}

/// How a run ended. Of several faulty threads the first is named.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every thread ended.
    Done,
    /// The threads stopped at different places.
    Divergence(Divergence),
    /// All threads wait at a barrier of the grid that not all blocks reach.
    Waits(Site),
    /// A thread executed as many instructions as it was allowed.
    OutOfFuel(Place),
    /// A thread logged as many accesses as it was allowed; the next one did not happen.
    LogFull(Place),
    /// A thread was about to access a cell that its array does not have.
    #[allow(missing_docs)]
    OutOfBounds { place: Place, cell: Cell },
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Done => f.write_str("done"),
            Status::Divergence(divergence) => divergence.fmt(f),
            Status::Waits(site) => write!(f, "other blocks do not reach barrier {site}"),
            Status::OutOfFuel(place) => write!(f, "{place}: too many instructions"),
            Status::LogFull(place) => write!(f, "{place}: too many accesses"),
            Status::OutOfBounds { place, cell } => {
                write!(f, "{place}: {cell} is outside its array")
            }
        }
    }
}

/// An array after a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrayReport {
    /// Its name.
    pub name: Name,
    /// Who sees it.
    pub space: Space,
    /// Its cells.
    #[serde(with = "long::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<babycuda_core::Natural>"))]
    pub cells: Vec<u64>,
}

/// What one thread did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadReport {
    /// Where it stopped.
    pub stop: Stop,
    /// Its accesses, in order.
    pub log: Vec<Entry>,
    /// The barriers of narrower scopes than the block that it passed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<Passed>,
}

/// A barrier of a narrower scope than the block, passed by a thread with its group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passed {
    /// The phase, from 0.
    pub phase: u32,
    /// The barrier.
    pub site: Site,
    /// Its scope.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub scope: BarrierScope,
    /// How many accesses of the thread came before.
    pub after: u32,
}

/// Where a thread stopped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// At its end.
    End,
    /// At a barrier.
    Barrier(Site),
    /// Before an instruction of a statement, without fuel; `None`: before its end.
    OutOfFuel(Option<Site>),
    /// Before an access of a statement, its log being full.
    LogFull(Site),
    /// Before an access of a statement, out of bounds.
    OutOfBounds(Site),
}

/// An access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// The phase, from 0.
    pub phase: u32,
    /// The statement.
    pub site: Site,
    /// How.
    pub mode: AccessMode,
    /// The array, by its position in the report.
    pub array: u32,
    /// The index.
    #[serde(with = "long")]
    #[cfg_attr(feature = "schema", schemars(with = "babycuda_core::Natural"))]
    pub index: u64,
    /// The value read or written; of an atomic update, the value before it.
    #[serde(with = "long")]
    #[cfg_attr(feature = "schema", schemars(with = "babycuda_core::Natural"))]
    pub value: u64,
}

impl Format for Report {
    const NAME: &'static str = "babycuda/device-report";
}

impl ThreadReport {
    /// The accesses of a phase, in order.
    pub fn phase(&self, phase: u32) -> &[Entry] {
        let start = self.log.partition_point(|entry| entry.phase < phase);
        let length = self.log[start..].partition_point(|entry| entry.phase == phase);
        &self.log[start..start + length]
    }

    /// The barriers of narrower scopes that the thread passed in a phase, in order.
    fn passed(&self, phase: u32) -> &[Passed] {
        let start = self.passed.partition_point(|passed| passed.phase < phase);
        let length = self.passed[start..].partition_point(|passed| passed.phase == phase);
        &self.passed[start..start + length]
    }
}

impl Report {
    /// Did every thread end, and was every natural what it should be? Only then is the report one
    /// of what the calculus describes.
    pub fn is_exact(&self) -> bool {
        self.status == Status::Done && self.overflow.is_none()
    }

    /// The final value of a cell; `None` for one that no array of the program has.
    pub fn value(&self, array: &Name, index: u64) -> Option<u64> {
        let array = self.arrays.iter().find(|known| known.name == *array)?;
        array.cells.get(usize::try_from(index).ok()?).copied()
    }

    /// The cell that an entry accesses.
    ///
    /// Entries that a device logged are of arrays of the report; for others the array is called by
    /// its number.
    pub fn cell(&self, entry: &Entry) -> Cell {
        let array = self.arrays.get(entry.array as usize).map(|array| array.name.clone());
        let array = array.unwrap_or_else(|| Name::new(entry.array.to_string()));
        Cell::new(array, entry.index)
    }

    /// All accesses of all threads: by phase, then by thread, then in the thread's order.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u64, &Entry)> {
        (0..=self.last_phase).flat_map(move |phase| {
            (0u64..).zip(&self.threads).flat_map(move |(thread, report)| {
                report.phase(phase).iter().map(move |entry| (phase, thread, entry))
            })
        })
    }

    /// The access values of each phase, the oldest first: what the protocol's `Λ` and the phases of
    /// a history are compared with.
    pub fn accesses(&self) -> Vec<BTreeSet<Access>> {
        let mut phases = vec![Vec::new(); self.last_phase as usize + 1];
        for (phase, thread, entry) in self.entries() {
            let access = Access { thread, mode: entry.mode, cell: self.cell(entry) };
            phases[phase as usize].push(access);
        }
        phases.into_iter().map(BTreeSet::from_iter).collect()
    }

    /// The phases, the oldest first, each with what its threads read, wrote and updated, and the
    /// values that they last wrote. Of atomic updates only the scopes are known:
    /// [`without_updates`] makes phases of a history comparable.
    pub fn phases(&self) -> Vec<Phase> {
        (0..=self.last_phase).map(|number| self.phase(number)).collect()
    }

    /// One of them.
    pub fn phase(&self, number: u32) -> Phase {
        let mut phase = Phase::default();
        for step in self.steps(number).0 {
            match step {
                Step::Ran(thread, entries) => phase.insert(thread, self.accesses_of(entries)),
                Step::Passed(group) => phase.pass(group.first, group.end),
            }
        }
        phase
    }

    fn accesses_of(&self, entries: &[Entry]) -> Accesses {
        let mut accesses = Accesses::default();
        for entry in entries {
            let cell = self.cell(entry);
            match entry.mode {
                AccessMode::Rd => {
                    accesses.reads.insert(cell);
                }
                AccessMode::Wr => {
                    accesses.writes.insert(cell, entry.value.into());
                }
                AccessMode::At(scope) => {
                    let mut log = accesses.atomics.get(&cell).cloned().unwrap_or_default();
                    log.scopes.insert(scope);
                    accesses.atomics.insert(cell, log);
                }
            }
        }
        accesses
    }

    /// The run as a trace. Which accesses of one phase came first is not known: those of a thread
    /// are in its order, and between barriers the threads come one after the other.
    pub fn trace(&self) -> Trace {
        let mut events = Vec::new();
        let block = self.block.index;
        for phase in 0..=self.last_phase {
            if phase > 0 {
                events.push(Event::BlockBarrier { block });
            }
            for step in self.steps(phase).0 {
                match step {
                    Step::Ran(thread, entries) => {
                        events.extend(entries.iter().map(|entry| Event::Access {
                            thread: self.block.thread(thread),
                            mode: entry.mode,
                            cell: self.cell(entry),
                            site: Some(entry.site),
                        }));
                    }
                    Step::Passed(Group { scope: BarrierScope::Tile(size), first, .. }) => {
                        events.push(Event::TileBarrier { block, size, first });
                    }
                    Step::Passed(Group { first, .. }) => {
                        let warp = first / u64::from(self.block.launch.warp.max(1));
                        events.push(Event::WarpBarrier { block, warp });
                    }
                }
            }
        }
        let shared = self.arrays.iter().filter(|array| array.space == Space::Shared);
        let shared = shared.map(|array| array.name.clone()).collect();
        Trace { launch: self.block.launch, shared, events }
    }
}

/// The phase as a device can tell it: of atomic updates the scopes, without operators and operands.
pub fn without_updates(phase: &Phase) -> Phase {
    let known = |log: &AtomicLog| AtomicLog { scopes: log.scopes.clone(), ..AtomicLog::default() };
    let plain = |accesses: &Accesses| Accesses {
        atomics: accesses.atomics.iter().map(|(cell, log)| (cell.clone(), known(log))).collect(),
        ..accesses.clone()
    };
    let mut left = phase.places().peekable();
    let mut known = Phase::default();
    let ends = phase.stages().map(|stage| Some((stage.first, stage.end))).chain([None]);
    for (number, end) in ends.enumerate() {
        while let Some(((_, thread), accesses)) = left.next_if(|((at, _), _)| *at == number) {
            known.insert(thread, plain(accesses));
        }
        if let Some((first, end)) = end {
            known.pass(first, end);
        }
    }
    known
}
