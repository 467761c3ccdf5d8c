//! Φ_Det (LGAGJL12 §3.4, §4.2): no two threads access one cell in conflict within one barrier interval.

use super::log::{Entry, LogError, Recorder};
use super::sort::{Sorted, Sorter};
use babycuda_core::Name;
use babycuda_core::trace::Trace;
use std::io;
use std::path::Path;

/// Two entries that break Φ_Det: of one cell, by different threads that no barrier orders, in conflicting modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// One.
    pub first: Entry,
    /// The other.
    pub second: Entry,
}

/// The sweep over a sorted log (§4.2): the first conflict of each cell that has one.
///
/// The paper keeps all accesses of one cell, and interval, at a time. This keeps the first of each mode, by
/// thread, by warp and by block, whatever the log is. That is enough, since groups come in order: if the first is
/// of the same group as a further one, so are all between. Two threads of a warp are ordered by barriers of the
/// warp and of the block, two of a block by those of the block, two of different blocks by those of the grid, of
/// which the paper has none.
#[derive(Debug)]
pub struct Sweep<I> {
    entries: I,
    last: Option<Entry>,
    found: bool,
    /// By thread within a stage of a warp, by warp within an interval, by block between barriers of the grid.
    windows: [Window; 3],
}

/// Entries of a scope that is swept: the first of each mode.
#[derive(Default, Debug)]
struct Window(Vec<(u64, Entry)>);

impl Window {
    /// An entry of another group that conflicts.
    fn conflict(&self, group: u64, entry: &Entry) -> Option<Entry> {
        let same_block = |other: &Entry| other.block == entry.block;
        let mut others = self.0.iter().filter(|(other, _)| *other != group);
        others.find(|(_, o)| o.mode.conflicts(entry.mode, same_block(o))).map(|(_, other)| *other)
    }

    fn keep(&mut self, group: u64, entry: Entry) {
        if self.0.iter().all(|(_, other)| other.mode != entry.mode) {
            self.0.push((group, entry));
        }
    }
}

impl<I> Sweep<I> {
    /// A sweep over entries in order.
    pub fn new(entries: I) -> Sweep<I> {
        Sweep { entries, last: None, found: false, windows: Default::default() }
    }

    fn take(&mut self, entry: Entry) -> Option<Conflict> {
        let cell = |e: &Entry| (e.array, e.owner, e.index);
        let epoch = |e: &Entry| (cell(e), e.epoch);
        let interval = |e: &Entry| (epoch(e), e.block, e.interval);
        let stage = |e: &Entry| (interval(e), e.warp, e.stage);
        let last = self.last.replace(entry);
        let same = |holds: &dyn Fn(&Entry) -> bool| last.as_ref().is_some_and(holds);
        let [threads, warps, blocks] = &mut self.windows;
        if !same(&|last| stage(last) == stage(&entry)) {
            threads.0.clear();
        }
        if !same(&|last| interval(last) == interval(&entry)) {
            warps.0.clear();
        }
        if !same(&|last| epoch(last) == epoch(&entry)) {
            blocks.0.clear();
        }
        if !same(&|last| cell(last) == cell(&entry)) {
            self.found = false;
        }
        if self.found {
            return None;
        }
        let groups = [(threads, entry.thread), (warps, entry.warp), (blocks, entry.block)];
        let mut conflict = None;
        for (window, group) in groups {
            conflict = conflict.or_else(|| window.conflict(group, &entry));
            window.keep(group, entry);
        }
        self.found = conflict.is_some();
        conflict.map(|first| Conflict { first, second: entry })
    }
}

impl<I: Iterator<Item = io::Result<Entry>>> Iterator for Sweep<I> {
    type Item = io::Result<Conflict>;

    fn next(&mut self) -> Option<io::Result<Conflict>> {
        loop {
            match self.entries.next()? {
                Err(e) => return Some(Err(e)),
                Ok(entry) => {
                    if let Some(conflict) = self.take(entry) {
                        return Some(Ok(conflict));
                    }
                }
            }
        }
    }
}

/// Why a log was not checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// An event that cannot be logged.
    #[error(transparent)]
    Log(#[from] LogError),
    /// What the file system says.
    #[error("the log cannot be sorted: {0}")]
    Io(#[from] io::Error),
}

/// The conflicts of a run, with the names of the arrays that it accessed. At most `budget` bytes of the log are
/// in memory at once, the rest is in files in `place`.
///
/// # Errors
/// [`CheckError`]
pub fn conflicts(
    trace: &Trace,
    budget: usize,
    place: &Path,
) -> Result<(Sweep<Sorted>, Vec<Name>), CheckError> {
    let mut recorder = Recorder::new(trace.launch, trace.shared.clone());
    let mut sorter = Sorter::new(budget, place)?;
    for event in &trace.events {
        if let Some(entry) = recorder.record(event)? {
            sorter.push(entry)?;
        }
    }
    Ok((Sweep::new(sorter.finish()?), recorder.arrays().to_vec()))
}
