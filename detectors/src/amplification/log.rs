//! The log of LGAGJL12 §3.4: who accessed which cell how, and between which barriers.

use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Launch, Name, Site, Thread};
use std::collections::{BTreeSet, HashMap};

/// An entry of the log. Entries are ordered as the sweep over the sorted log wants them: by cell, and then by
/// barriers of the grid, block, barrier interval, warp, and what barriers of the warp part, down to the thread.
///
/// The paper has `(t, A, g, n)` in the log of thread i. An index of a cell is an unsigned 64-bit pattern.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// The array `g`, by its number in [`Recorder::arrays`].
    pub array: u32,
    /// The block that has the cell as its own, plus one; 0: the cell is global.
    pub owner: u64,
    /// The index `n`.
    pub index: u64,
    /// How many barriers of the grid came before.
    pub epoch: u64,
    /// The block of the thread.
    pub block: u64,
    /// The timestamp `t`: how many barriers of its block came before.
    pub interval: u64,
    /// The warp of the thread in its block.
    pub warp: u64,
    /// How many barriers of its warp came before.
    pub stage: u64,
    /// The thread i, in its block.
    pub thread: u64,
    /// The mode A.
    pub mode: AccessMode,
    /// The statement.
    pub site: Option<Site>,
}

impl Entry {
    /// The thread with its block.
    pub fn who(&self) -> Thread {
        Thread { block: self.block, index: self.thread }
    }
}

/// Why an event cannot be logged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A cell whose index has more than 64 bits.
    #[error("{0} has an index of more than 64 bits")]
    Index(Cell),
    /// A thread, a warp or a block that the launch does not have.
    #[error("an event of a thread, a warp or a block that the launch does not have")]
    Launch,
    /// A barrier of a tile or of other lanes, which orders threads of a warp: no interval of this log has them.
    #[error("a barrier of some lanes of a warp")]
    Tile,
    /// More arrays than there are numbers.
    #[error("more than 2^32 arrays")]
    Arrays,
}

/// Turns the events of a run into entries, one by one: the instrumentation of LGAGJL12 §3.4. It keeps a counter
/// for each block and warp that passed a barrier (the paper's table of timestamps, §4.2), and nothing else.
#[derive(Clone, Debug)]
pub struct Recorder {
    launch: Launch,
    shared: BTreeSet<Name>,
    arrays: Vec<Name>,
    numbers: HashMap<Name, u32>,
    intervals: HashMap<u64, u64>,
    stages: HashMap<(u64, u64), u64>,
    epoch: u64,
}

impl Recorder {
    /// A recorder of a run of the launch, in which each block has these arrays as its own.
    pub fn new(launch: Launch, shared: BTreeSet<Name>) -> Recorder {
        let (arrays, numbers, intervals, stages) = Default::default();
        Recorder { launch, shared, arrays, numbers, intervals, stages, epoch: 0 }
    }

    /// The entry of an event; a barrier has none.
    ///
    /// # Errors
    /// [`LogError`]
    pub fn record(&mut self, event: &Event) -> Result<Option<Entry>, LogError> {
        match event {
            Event::BlockBarrier { block } => {
                self.there(*block, 0)?;
                *self.intervals.entry(*block).or_default() += 1;
                Ok(None)
            }
            Event::WarpBarrier { block, warp } => {
                self.there(*block, warp.saturating_mul(self.warp_size()))?;
                *self.stages.entry((*block, *warp)).or_default() += 1;
                Ok(None)
            }
            Event::GridBarrier => {
                self.epoch += 1;
                Ok(None)
            }
            Event::TileBarrier { .. } | Event::LaneBarrier { .. } => Err(LogError::Tile),
            Event::Access { thread, mode, cell, site } => {
                self.there(thread.block, thread.index)?;
                let index = cell.index.to_u64().ok_or_else(|| LogError::Index(cell.clone()))?;
                let warp = thread.index / self.warp_size();
                let shared = self.shared.contains(&cell.array);
                Ok(Some(Entry {
                    array: self.number(&cell.array)?,
                    owner: if shared { thread.block.saturating_add(1) } else { 0 },
                    index,
                    epoch: self.epoch,
                    block: thread.block,
                    interval: self.intervals.get(&thread.block).copied().unwrap_or(0),
                    warp,
                    stage: self.stages.get(&(thread.block, warp)).copied().unwrap_or(0),
                    thread: thread.index,
                    mode: *mode,
                    site: *site,
                }))
            }
        }
    }

    /// The arrays that were accessed so far, by their numbers.
    pub fn arrays(&self) -> &[Name] {
        &self.arrays
    }

    fn warp_size(&self) -> u64 {
        u64::from(self.launch.warp.max(1))
    }

    fn there(&self, block: u64, thread: u64) -> Result<(), LogError> {
        let there = block < self.launch.grid.count() && thread < self.launch.block.count();
        if there { Ok(()) } else { Err(LogError::Launch) }
    }

    fn number(&mut self, array: &Name) -> Result<u32, LogError> {
        if let Some(number) = self.numbers.get(array) {
            return Ok(*number);
        }
        let number = u32::try_from(self.arrays.len()).map_err(|_| LogError::Arrays)?;
        self.arrays.push(array.clone());
        self.numbers.insert(array.clone(), number);
        Ok(number)
    }
}

/// The log of a run as a set, in the order of entries, with the names of its arrays.
///
/// # Errors
/// [`LogError`]
pub fn log(trace: &Trace) -> Result<(BTreeSet<Entry>, Vec<Name>), LogError> {
    let mut recorder = Recorder::new(trace.launch, trace.shared.clone());
    let mut entries = BTreeSet::new();
    for event in &trace.events {
        entries.extend(recorder.record(event)?);
    }
    Ok((entries, recorder.arrays))
}
