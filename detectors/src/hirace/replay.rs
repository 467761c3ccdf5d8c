//! The shadow of a recorded run.

use super::lanes::{Bounds, LANES, LaneShadow, bit};
use super::shadow::{Accessor, LayoutError, Overflow, Shadow, Sighting};
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
    /// How many accesses were forgotten with which others of their warp may race ([`LaneShadow::forgotten`]); 0
    /// where no barrier is one of some lanes alone.
    pub forgotten: u64,
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
/// level of the machine's chain that has barriers. Barriers of tiles that the chain does not have are barriers of
/// lanes, within the [default bounds](Bounds::default).
///
/// # Errors
/// A layout that does not fit into words.
pub fn replay(trace: &Trace, machine: &Machine, clocks: &[u32]) -> Result<Replay, LayoutError> {
    replay_within(trace, machine, clocks, Bounds::default())
}

/// The same within other bounds.
///
/// # Errors
/// A layout that does not fit into words.
pub fn replay_within(
    trace: &Trace,
    machine: &Machine,
    clocks: &[u32],
    bounds: Bounds,
) -> Result<Replay, LayoutError> {
    let mut words = HashMap::new();
    let mut lanes = false;
    for event in &trace.events {
        match event {
            Event::Access { thread, cell, .. } => {
                let fresh = words.len();
                words.entry(key(trace, cell, *thread)).or_insert(fresh);
            }
            Event::TileBarrier { size, .. } => {
                lanes |= machine.chain().find(BarrierScope::Tile(*size)).is_none();
            }
            _ => {}
        }
    }
    let threads = trace.launch.block.count().saturating_mul(trace.launch.grid.count());
    let shadow = Shadow::new(machine.clone(), words.len(), threads, clocks)?;
    let memory = match machine.chain().find(BarrierScope::Warp) {
        Some(level) if lanes => Memory::Lanes(Box::new(LaneShadow::over(shadow, level, bounds))),
        _ => Memory::Words(shadow),
    };
    let mut replaying = Replaying { trace, words, memory, passed: HashMap::new() };
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
    let forgotten = match &replaying.memory {
        Memory::Words(_) => 0,
        Memory::Lanes(lanes) => lanes.forgotten(),
    };
    Ok(Replay { races, stop, forgotten })
}

enum Memory {
    Words(Shadow),
    Lanes(Box<LaneShadow>),
}

impl Memory {
    fn shadow(&self) -> &Shadow {
        match self {
            Memory::Words(shadow) => shadow,
            Memory::Lanes(lanes) => lanes.shadow(),
        }
    }
}

struct Replaying<'a> {
    trace: &'a Trace,
    words: HashMap<(&'a Cell, Option<u64>), usize>,
    memory: Memory,
    /// How many barriers each group passed, by level and threads.
    passed: HashMap<(usize, Range<u64>), u64>,
}

impl<'a> Replaying<'a> {
    fn event(&mut self, event: &'a Event) -> Result<Option<Sighting>, Stop> {
        let launch = &self.trace.launch;
        let (scope, first) = match event {
            Event::Access { thread, mode, cell, .. } => {
                let accessor = self.accessor(*thread)?;
                let Some(word) = self.words.get(&key(self.trace, cell, *thread)).copied() else {
                    return Ok(None);
                };
                return Ok(match &mut self.memory {
                    Memory::Words(shadow) => shadow.access_alone(word, &accessor, *mode),
                    Memory::Lanes(lanes) => lanes.access(word, &accessor, *mode),
                });
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
        if let (Memory::Lanes(_), BarrierScope::Tile(_)) = (&self.memory, scope) {
            return self.lanes(scope, first).map(|()| None);
        }
        let chain = self.memory.shadow().machine().chain();
        let level = chain.find(scope).filter(|level| *level < chain.grid());
        let level = level.ok_or(Stop::Scope(scope))?;
        let group = self.group(level, first)?;
        *self.passed.entry((level, group)).or_default() += 1;
        Ok(None)
    }

    /// The thread as it is now.
    fn accessor(&self, thread: Thread) -> Result<Accessor, Stop> {
        let groups = (1..self.memory.shadow().machine().chain().grid()).map(|level| {
            let group = self.group(level, thread)?;
            let passed = self.passed.get(&(level, group.clone())).copied();
            Ok((group, passed.unwrap_or(0)))
        });
        let groups = groups.collect::<Result<Vec<_>, Stop>>()?;
        let id = thread.block * self.trace.launch.block.count() + thread.index;
        Ok(self.memory.shadow().thread(id, &groups)?)
    }

    /// Lanes of a warp pass a barrier of theirs.
    fn lanes(&mut self, scope: BarrierScope, first: Thread) -> Result<(), Stop> {
        let accessor = self.accessor(first)?;
        let launch = &self.trace.launch;
        let warp = launch.group(BarrierScope::Warp, first);
        let tile = launch.group(scope, first);
        match &mut self.memory {
            Memory::Lanes(lanes) if warp.end - warp.first <= LANES => {
                let own = tile.first - warp.first..tile.end - warp.first;
                lanes.pass(&accessor, own.fold(0, |mask, lane| mask | bit(lane)));
                Ok(())
            }
            _ => Err(Stop::Scope(scope)),
        }
    }

    /// The numbers of the threads of a thread's group; all threads are numbered block after block.
    fn group(&self, level: usize, thread: Thread) -> Result<Range<u64>, Stop> {
        let launch = &self.trace.launch;
        let there = thread.block < launch.grid.count() && thread.index < launch.block.count();
        let scope = self.memory.shadow().machine().chain().scope(level).filter(|_| there);
        let group = launch.group(scope.ok_or(Stop::Launch)?, thread);
        let first = thread.block.checked_mul(launch.block.count()).ok_or(Stop::Launch)?;
        Ok(first.saturating_add(group.first)..first.saturating_add(group.end))
    }
}

/// A cell, with the block whose it is where each has its own.
fn key<'a>(trace: &Trace, cell: &'a Cell, thread: Thread) -> (&'a Cell, Option<u64>) {
    (cell, trace.shared.contains(&cell.array).then_some(thread.block))
}
