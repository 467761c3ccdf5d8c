//! The shadow of a recorded run.

use super::lanes::{Bounds, LANES, LaneShadow, bit};
use super::shadow::{Accessor, LayoutError, Overflow, Shadow, Sighting};
use babycuda_core::shadow::{Chain, Machine};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Launch, Thread};
use std::collections::{BTreeSet, HashMap};
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
    /// A barrier of lanes, where the machine's chain has no warps, or warps have more lanes than a mask.
    #[error("the machine knows no barrier of lanes")]
    Lanes,
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
    let numbered = Numbered::of(trace, machine.chain())?;
    Ok(Monitor::new(&numbered, machine, clocks, bounds)?.replay())
}

/// A run as a monitor of it meets its events: the threads, cells and barriers that it has are numbered, as a GPU's
/// instrumented kernel knows who it is and what the address of a cell's word is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbered {
    launch: Launch,
    /// The threads that access something, in their order.
    threads: Vec<Thread>,
    cells: u32,
    /// One for each event, up to where the replay stops for certain.
    steps: Vec<Step>,
    passings: Vec<Passing>,
    stop: Option<(usize, Stop)>,
    /// Are there barriers of some lanes alone?
    lanes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Access {
        thread: u32,
        cell: u32,
        mode: AccessMode,
    },
    /// By its number.
    Barrier(u32),
}

/// A barrier.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Passing {
    /// Of a group of a level: those of its threads that access something.
    Group { level: usize, threads: Range<usize> },
    /// Of lanes of the warp of a thread; `None`: no thread of the warp accesses anything.
    Lanes { thread: Option<usize>, mask: u64 },
}

impl Numbered {
    /// A run for machines of a chain.
    ///
    /// # Errors
    /// [`LayoutError::Run`]: it has more threads, cells or barriers than there are numbers of 32 bits.
    pub fn of(trace: &Trace, chain: &Chain) -> Result<Numbered, LayoutError> {
        let launch = trace.launch;
        let there = |thread: &Thread| {
            thread.block < launch.grid.count() && thread.index < launch.block.count()
        };
        let threads: BTreeSet<Thread> = trace.events.iter().filter_map(who).collect();
        let threads: Vec<Thread> = threads.into_iter().filter(there).collect();
        number_of(threads.len())?;
        let numbers: HashMap<Thread, u32> = threads.iter().copied().zip(0..).collect();
        let is_lanes = |event: &Event| match event {
            Event::TileBarrier { size, .. } => chain.find(BarrierScope::Tile(*size)).is_none(),
            Event::LaneBarrier { .. } => true,
            _ => false,
        };
        let warps = chain.find(BarrierScope::Warp).is_some();
        let lanes = warps && trace.events.iter().any(is_lanes);
        let (mut cells, mut known) = (HashMap::new(), HashMap::new());
        let mut steps = Vec::with_capacity(trace.events.len());
        let mut stop = None;
        for (number, event) in trace.events.iter().enumerate() {
            let step = match event {
                Event::Access { thread, mode, cell, .. } => {
                    let fresh = number_of(cells.len())?;
                    let cell = *cells.entry(key(trace, cell, *thread)).or_insert(fresh);
                    let thread = numbers.get(thread).copied().ok_or(Stop::Launch);
                    thread.map(|thread| Step::Access { thread, cell, mode: *mode })
                }
                event => {
                    let fresh = number_of(known.len())?;
                    let passing = passing(&launch, chain, &threads, lanes, event);
                    passing.map(|p| Step::Barrier(*known.entry(p).or_insert(fresh)))
                }
            };
            match step {
                Ok(step) => steps.push(step),
                Err(why) => {
                    stop = Some((number, why));
                    break;
                }
            }
        }
        let cells = number_of(cells.len())?;
        let mut passings: Vec<(Passing, u32)> = known.into_iter().collect();
        passings.sort_unstable_by_key(|(_, number)| *number);
        let passings = passings.into_iter().map(|(passing, _)| passing).collect();
        Ok(Numbered { launch, threads, cells, steps, passings, stop, lanes })
    }

    /// How many accesses it has.
    pub fn accesses(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Access { .. })).count()
    }

    /// How many cells.
    pub fn cells(&self) -> usize {
        self.cells as usize
    }
}

fn who(event: &Event) -> Option<Thread> {
    match event {
        Event::Access { thread, .. } => Some(*thread),
        _ => None,
    }
}

fn number_of(count: usize) -> Result<u32, LayoutError> {
    u32::try_from(count).map_err(|_| LayoutError::Run)
}

/// A barrier of a run in which these threads access something.
fn passing(
    launch: &Launch,
    chain: &Chain,
    threads: &[Thread],
    lanes: bool,
    event: &Event,
) -> Result<Passing, Stop> {
    let warp_of = |warp: u64| warp.saturating_mul(launch.warp.into());
    let (scope, block, index) = match *event {
        Event::BlockBarrier { block } => (BarrierScope::Block, block, 0),
        Event::WarpBarrier { block, warp } => (BarrierScope::Warp, block, warp_of(warp)),
        Event::TileBarrier { block, size, first } => (BarrierScope::Tile(size), block, first),
        Event::LaneBarrier { block, warp, .. } => (BarrierScope::Warp, block, warp_of(warp)),
        Event::GridBarrier | Event::Access { .. } => (BarrierScope::Grid, 0, 0),
    };
    if block >= launch.grid.count() || index >= launch.block.count() {
        return Err(Stop::Launch);
    }
    let group = launch.group(scope, Thread { block, index });
    // Those of a block stand together, in order.
    let before = |index| threads.partition_point(|t| (t.block, t.index) < (block, index));
    let mask = match *event {
        Event::LaneBarrier { lanes, .. } => Some(lanes),
        Event::TileBarrier { .. } if lanes => {
            let warp = launch.group(BarrierScope::Warp, Thread { block, index });
            let own = group.first - warp.first..group.end - warp.first;
            Some(own.fold(0, |mask, lane| mask | bit(lane)))
        }
        _ => None,
    };
    if let Some(mask) = mask {
        let warp = launch.group(BarrierScope::Warp, Thread { block, index });
        if !lanes || warp.end - warp.first > LANES {
            return Err(match scope {
                BarrierScope::Tile(_) => Stop::Scope(scope),
                _ => Stop::Lanes,
            });
        }
        let thread = (before(warp.first)..before(warp.end)).next();
        return Ok(Passing::Lanes { thread, mask });
    }
    let level = chain.find(scope).filter(|level| *level < chain.grid());
    let level = level.ok_or(Stop::Scope(scope))?;
    Ok(Passing::Group { level, threads: before(group.first)..before(group.end) })
}

/// The shadow memory of a run, before its first event.
#[derive(Debug)]
pub struct Monitor<'a> {
    run: &'a Numbered,
    memory: Memory,
    threads: Vec<Accessor>,
    /// Those whose clocks have no more bits, which access nothing any more that could be told.
    over: Vec<(u32, Overflow)>,
}

/// There is one of it, which each access goes through.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)]
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

impl<'a> Monitor<'a> {
    /// Words for all cells of the run.
    ///
    /// # Errors
    /// A layout that does not fit into words.
    pub fn new(
        run: &'a Numbered,
        machine: &Machine,
        clocks: &[u32],
        bounds: Bounds,
    ) -> Result<Monitor<'a>, LayoutError> {
        let Launch { block, grid, .. } = run.launch;
        let all = block.count().saturating_mul(grid.count());
        let shadow = Shadow::new(machine.clone(), run.cells(), all, clocks)?;
        let memory = match machine.chain().find(BarrierScope::Warp) {
            Some(level) if run.lanes => {
                Memory::Lanes(Box::new(LaneShadow::over(shadow, level, bounds)))
            }
            _ => Memory::Words(shadow),
        };
        let (mut threads, mut over) = (Vec::with_capacity(run.threads.len()), Vec::new());
        for (thread, number) in run.threads.iter().zip(0..) {
            let shadow = memory.shadow();
            let first = thread.block.saturating_mul(block.count());
            let groups = (1..machine.chain().grid()).map(|level| {
                let scope = machine.chain().scope(level).unwrap_or(BarrierScope::Grid);
                let group = run.launch.group(scope, *thread);
                (first.saturating_add(group.first)..first.saturating_add(group.end), 0)
            });
            let groups: Vec<_> = groups.collect();
            let id = first.saturating_add(thread.index);
            threads.push(shadow.thread(id, &groups).unwrap_or_else(|overflow| {
                over.push((number, overflow));
                Accessor::default()
            }));
        }
        Ok(Monitor { run, memory, threads, over })
    }

    /// Takes the run through the memory.
    pub fn replay(mut self) -> Replay {
        let run = self.run;
        let (mut races, mut stop) = (Vec::new(), run.stop);
        for (number, step) in run.steps.iter().enumerate() {
            match *step {
                Step::Access { thread, cell, mode } => {
                    if let Some((_, why)) = self.over.iter().find(|(over, _)| *over == thread) {
                        stop = Some((number, (*why).into()));
                        break;
                    }
                    let accessor = &self.threads[thread as usize];
                    let found = match &mut self.memory {
                        Memory::Words(shadow) => shadow.access_alone(cell as usize, accessor, mode),
                        Memory::Lanes(lanes) => lanes.access(cell as usize, accessor, mode),
                    };
                    races.extend(found.map(|sighting| (number, sighting)));
                }
                Step::Barrier(passing) => self.pass(&run.passings[passing as usize]),
            }
        }
        let forgotten = match &self.memory {
            Memory::Words(_) => 0,
            Memory::Lanes(lanes) => lanes.forgotten(),
        };
        Replay { races, stop, forgotten }
    }

    fn pass(&mut self, passing: &Passing) {
        match passing {
            Passing::Group { level, threads } => {
                let all = self.threads.get_mut(threads.clone()).unwrap_or_default();
                // Numbers of 32 bits, as all are.
                let numbers = threads.clone().map(|number| number as u32);
                if let Err(overflow) = self.memory.shadow().pass_all(all, *level)
                    && !numbers.clone().any(|n| self.over.iter().any(|(over, _)| *over == n))
                {
                    self.over.extend(numbers.map(|number| (number, overflow)));
                }
            }
            Passing::Lanes { thread, mask } => {
                let known = |thread: &usize| self.over.iter().all(|(n, _)| *n as usize != *thread);
                let thread = thread.filter(known);
                if let (Memory::Lanes(lanes), Some(thread)) = (&mut self.memory, thread) {
                    lanes.pass(&self.threads[thread], *mask);
                }
            }
        }
    }
}

/// A cell, with the block whose it is where each has its own.
fn key<'a>(trace: &Trace, cell: &'a Cell, thread: Thread) -> (&'a Cell, Option<u64>) {
    (cell, trace.shared.contains(&cell.array).then_some(thread.block))
}
