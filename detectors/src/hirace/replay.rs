//! The shadow of a recorded run.

use super::shadow::{LayoutError, Overflow, Shadow, Sighting};
use babycuda_core::shadow::Machine;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{Cell, Thread};
use std::collections::HashMap;
use std::ops::Range;

/// What a machine says of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The first race of each cell that has one, with the event that makes it, in the order of events. Threads
    /// are numbered block after block.
    pub races: Vec<(usize, Sighting)>,
    /// Why nothing is said of the events from some one on.
    pub stop: Option<(usize, Stop)>,
}

/// Why a replay ends before its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// A word has no more room.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// An event of a thread, a warp or a block that the launch does not have.
    #[error("an event of a thread, a warp or a block that the launch does not have")]
    Launch,
    /// A barrier of a scope that is not in the machine's chain.
    #[error("the machine knows no barrier of a {0}")]
    Scope(BarrierScope),
}

/// Replays a run through a machine. `clocks` are the bits of the clocks in a word, from the narrowest
/// level of the machine's chain that has barriers.
///
/// # Errors
/// A layout that does not fit into words.
pub fn replay(trace: &Trace, machine: &Machine, clocks: &[u32]) -> Result<Replay, LayoutError> {
    let mut words = HashMap::new();
    for event in &trace.events {
        if let Event::Access { thread, cell, .. } = event {
            let fresh = words.len();
            words.entry(key(trace, cell, *thread)).or_insert(fresh);
        }
    }
    let threads = trace.launch.block.count().saturating_mul(trace.launch.grid.count());
    let shadow = Shadow::new(machine.clone(), words.len(), threads, clocks)?;
    let mut replaying = Replaying { trace, words, shadow, passed: HashMap::new() };
    let (mut races, mut stop) = (Vec::new(), None);
    for (number, event) in trace.events.iter().enumerate() {
        match replaying.event(event) {
            Ok(found) => races.extend(found.map(|sighting| (number, sighting))),
            Err(why) => {
                stop = Some((number, why));
                break;
            }
        }
    }
    Ok(Replay { races, stop })
}

struct Replaying<'a> {
    trace: &'a Trace,
    words: HashMap<(&'a Cell, Option<u64>), usize>,
    shadow: Shadow,
    /// How many barriers each group passed, by level and threads.
    passed: HashMap<(usize, Range<u64>), u64>,
}

impl<'a> Replaying<'a> {
    fn event(&mut self, event: &'a Event) -> Result<Option<Sighting>, Stop> {
        let launch = &self.trace.launch;
        let (scope, first) = match event {
            Event::Access { thread, mode, cell, .. } => {
                let groups = (1..self.shadow.machine().chain().grid()).map(|level| {
                    let group = self.group(level, *thread)?;
                    let passed = self.passed.get(&(level, group.clone())).copied();
                    Ok((group, passed.unwrap_or(0)))
                });
                let groups = groups.collect::<Result<Vec<_>, Stop>>()?;
                let id = thread.block * launch.block.count() + thread.index;
                let accessor = self.shadow.thread(id, &groups)?;
                let word = self.words.get(&key(self.trace, cell, *thread)).copied();
                return Ok(word.and_then(|word| self.shadow.access_alone(word, &accessor, *mode)));
            }
            Event::BlockBarrier { block } => {
                (BarrierScope::Block, Thread { block: *block, index: 0 })
            }
            Event::WarpBarrier { block, warp } => {
                let index = warp.saturating_mul(launch.warp.into());
                (BarrierScope::Warp, Thread { block: *block, index })
            }
            Event::TileBarrier { block, size, first } => {
                (BarrierScope::Tile(*size), Thread { block: *block, index: *first })
            }
            Event::GridBarrier => (BarrierScope::Grid, Thread { block: 0, index: 0 }),
        };
        let chain = self.shadow.machine().chain();
        let level = (1..chain.grid()).find(|level| chain.scope(*level) == Some(scope));
        let level = level.ok_or(Stop::Scope(scope))?;
        let group = self.group(level, first)?;
        *self.passed.entry((level, group)).or_default() += 1;
        Ok(None)
    }

    /// The numbers of the threads of a thread's group; all threads are numbered block after block.
    fn group(&self, level: usize, thread: Thread) -> Result<Range<u64>, Stop> {
        let launch = &self.trace.launch;
        let there = thread.block < launch.grid.count() && thread.index < launch.block.count();
        let scope = self.shadow.machine().chain().scope(level).filter(|_| there);
        let group = launch.group(scope.ok_or(Stop::Launch)?, thread);
        let first = thread.block.checked_mul(launch.block.count()).ok_or(Stop::Launch)?;
        Ok(first.saturating_add(group.first)..first.saturating_add(group.end))
    }
}

/// A cell, with the block whose it is where each has its own.
fn key<'a>(trace: &Trace, cell: &'a Cell, thread: Thread) -> (&'a Cell, Option<u64>) {
    (cell, trace.shared.contains(&cell.array).then_some(thread.block))
}
