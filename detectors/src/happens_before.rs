//! Races of traces, from the definition, and of the schedules that were tried: what techniques are compared
//! with.
//!
//! Two accesses of a trace are ordered iff they are of one thread, or a barrier whose group holds both threads
//! stands between them (THEORY §4). Groups nest, so that is all that barriers lead on to; those of the lanes that a
//! mask names do not, and there an access is also before what barriers lead to from its thread, one after the other.
//! Two accesses race iff they are not ordered, are of one cell, and conflict.

mod claims;

pub use claims::{Claim, ClaimedAccess, has};

use crate::detector::Refusal;
use crate::execute::{End, Limits, Run, Schedule, Stop, run};
use babycuda_core::evidence::{Certainty, Confirmation, PairKey, Report, Side, Witness};
use babycuda_core::launch::Group;
use babycuda_core::natural::Integer;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::verdict::{Method, Outcome, ScopeOfVerdict, Verdict};
use babycuda_core::{AccessMode, Cell, Configuration, Launch, Site, Thread};
use babycuda_kernel::Kernel;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Two events of a trace that race, by their numbers; the first is the earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub struct Clash {
    pub first: usize,
    pub second: usize,
}

/// The races of a trace: one for each two statements that race, in one block and across blocks.
///
/// # Errors
/// [`Refusal::Limit`]: more than `most` pairs of accesses would have to be compared. Which races were found by
/// then is lost.
pub fn races(trace: &Trace, most: u64) -> Result<Vec<Clash>, Refusal> {
    let mut cells: BTreeMap<(&Cell, Option<u64>), Vec<Access>> = BTreeMap::new();
    let mut clocks = Clocks::of(trace);
    let mut known = HashSet::new();
    for (number, event) in trace.events.iter().enumerate() {
        let Event::Access { thread, mode, cell, site } = event else {
            clocks.pass(number, event);
            continue;
        };
        let place = place(trace, thread, cell);
        let access = Access {
            thread: *thread,
            mode: *mode,
            site: *site,
            clocks: clocks.at(*thread),
            number,
        };
        // The same once more races with the same.
        if known.insert((place, *thread, *mode, *site, access.clocks.clone())) {
            cells.entry(place).or_default().push(access);
        }
    }
    let mut compared = 0u64;
    let mut found = BTreeMap::new();
    for ((cell, _), accesses) in &cells {
        if accesses.iter().all(|access| access.mode == AccessMode::Rd) {
            continue;
        }
        for (i, second) in accesses.iter().enumerate() {
            for first in &accesses[..i] {
                compared += 1;
                if compared > most {
                    return Err(Refusal::Limit("pairs of accesses"));
                }
                let same_block = first.thread.block == second.thread.block;
                if first.mode.conflicts(second.mode, same_block) && !clocks.ordered(first, second) {
                    let mut statements = [first, second].map(|a| (a.site, a.mode));
                    statements.sort_unstable();
                    let pair = (cell.array.clone(), statements, same_block);
                    let clash = Clash { first: first.number, second: second.number };
                    found.entry(pair).or_insert(clash);
                }
            }
        }
    }
    let mut found: Vec<Clash> = found.into_values().collect();
    found.sort_unstable_by_key(|clash| (clash.second, clash.first));
    Ok(found)
}

/// A cell, and of which block it is where each block has its own.
fn place<'a>(trace: &Trace, thread: &Thread, cell: &'a Cell) -> (&'a Cell, Option<u64>) {
    (cell, trace.shared.contains(&cell.array).then_some(thread.block))
}

/// For each of these accesses of a trace, those before it that it races with, in their order.
pub fn earlier(trace: &Trace, accesses: &BTreeSet<usize>) -> BTreeMap<usize, Vec<usize>> {
    let cells = accesses.iter().filter_map(|number| match trace.events.get(*number)? {
        Event::Access { thread, cell, .. } => Some(place(trace, thread, cell)),
        _ => None,
    });
    let mut before: HashMap<(&Cell, Option<u64>), Vec<Access>> =
        cells.map(|cell| (cell, Vec::new())).collect();
    let mut clocks = Clocks::of(trace);
    let mut found = BTreeMap::new();
    for (number, event) in trace.events.iter().enumerate() {
        let Event::Access { thread, mode, cell, site } = event else {
            clocks.pass(number, event);
            continue;
        };
        let Some(others) = before.get_mut(&place(trace, thread, cell)) else { continue };
        let (thread, mode, site) = (*thread, *mode, *site);
        let access = Access { thread, mode, site, clocks: clocks.at(thread), number };
        if accesses.contains(&number) {
            let racing = others.iter().filter(|other| {
                let same_block = other.thread.block == thread.block;
                other.mode.conflicts(mode, same_block) && !clocks.ordered(other, &access)
            });
            found.insert(number, racing.map(|other| other.number).collect());
        }
        others.push(access);
    }
    found
}

#[derive(Clone)]
struct Access {
    thread: Thread,
    mode: AccessMode,
    site: Option<Site>,
    /// How many barriers of each scope the groups of the thread had passed.
    clocks: Vec<u64>,
    number: usize,
}

/// How many barriers each group passed.
struct Clocks {
    launch: Launch,
    /// The scopes of the trace's barriers.
    scopes: Vec<BarrierScope>,
    passed: HashMap<Group, u64>,
    /// For each warp that has barriers of lanes: those, and those of its tiles.
    lanes: HashMap<(u64, u64), Vec<Lanes>>,
}

/// A barrier of threads of a warp.
struct Lanes {
    number: usize,
    /// The threads of its block from one to another.
    first: u64,
    end: u64,
    /// Those of them whose bits this has, the lowest one being that of the first.
    mask: u64,
}

impl Lanes {
    fn members(&self) -> impl Iterator<Item = u64> {
        (self.first..self.end).filter(|thread| match thread - self.first {
            lane @ 0..64 => self.mask >> lane & 1 == 1,
            _ => self.mask == u64::MAX,
        })
    }
}

impl Clocks {
    fn of(trace: &Trace) -> Clocks {
        let scopes: BTreeSet<BarrierScope> = trace.events.iter().filter_map(scope).collect();
        let scopes = scopes.into_iter().collect();
        let warps = trace.events.iter().filter_map(|event| match event {
            Event::LaneBarrier { block, warp, .. } => Some(((*block, *warp), Vec::new())),
            _ => None,
        });
        let lanes = warps.collect();
        Clocks { launch: trace.launch, scopes, passed: HashMap::new(), lanes }
    }

    fn warp(&self, thread: Thread) -> (u64, u64) {
        (thread.block, thread.index / u64::from(self.launch.warp.max(1)))
    }

    fn pass(&mut self, number: usize, event: &Event) {
        let thread = match event {
            Event::Access { .. } => return,
            Event::LaneBarrier { block, warp, lanes: mask } => {
                let index = warp.saturating_mul(self.launch.warp.into());
                let thread = Thread { block: *block, index };
                let Group { first, end, .. } = self.launch.group(BarrierScope::Warp, thread);
                let barrier = Lanes { number, first, end, mask: *mask };
                self.lanes.entry((*block, *warp)).or_default().push(barrier);
                return;
            }
            Event::GridBarrier => Thread { block: 0, index: 0 },
            Event::BlockBarrier { block } => Thread { block: *block, index: 0 },
            Event::WarpBarrier { block, warp } => {
                Thread { block: *block, index: warp.saturating_mul(self.launch.warp.into()) }
            }
            Event::TileBarrier { block, first, .. } => Thread { block: *block, index: *first },
        };
        let Some(scope) = scope(event) else { return };
        let group = self.launch.group(scope, thread);
        *self.passed.entry(group).or_default() += 1;
        let warp = self.warp(thread);
        if let (BarrierScope::Tile(_), Some(lanes)) = (scope, self.lanes.get_mut(&warp)) {
            lanes.push(Lanes { number, first: group.first, end: group.end, mask: u64::MAX });
        }
    }

    fn at(&self, thread: Thread) -> Vec<u64> {
        let count = |scope: &BarrierScope| {
            self.passed.get(&self.launch.group(*scope, thread)).copied().unwrap_or(0)
        };
        let lanes = self.lanes.get(&self.warp(thread)).map(|lanes| lanes.len() as u64);
        self.scopes.iter().map(count).chain(lanes).collect()
    }

    /// Does a barrier stand between two accesses whose group holds both threads?
    fn ordered(&self, first: &Access, second: &Access) -> bool {
        first.thread == second.thread
            || self.scopes.iter().zip(first.clocks.iter().zip(&second.clocks)).any(
                |(scope, (a, b))| {
                    a != b && self.launch.group(*scope, first.thread).holds(second.thread)
                },
            )
            || self.led(first, second)
    }

    /// Do barriers of the warp of two accesses lead from one to the other?
    fn led(&self, first: &Access, second: &Access) -> bool {
        let warp = self.warp(first.thread);
        let Some(lanes) = self.lanes.get(&warp).filter(|_| warp == self.warp(second.thread)) else {
            return false;
        };
        let mut reached = BTreeSet::from([first.thread.index]);
        let between = first.number..second.number;
        for barrier in lanes.iter().filter(|barrier| between.contains(&barrier.number)) {
            if barrier.members().any(|thread| reached.contains(&thread)) {
                reached.extend(barrier.members());
            }
        }
        reached.contains(&second.thread.index)
    }
}

/// The scope of a barrier.
fn scope(event: &Event) -> Option<BarrierScope> {
    match event {
        Event::Access { .. } | Event::LaneBarrier { .. } => None,
        Event::GridBarrier => Some(BarrierScope::Grid),
        Event::BlockBarrier { .. } => Some(BarrierScope::Block),
        Event::WarpBarrier { .. } => Some(BarrierScope::Warp),
        Event::TileBarrier { size, .. } => Some(BarrierScope::Tile(*size)),
    }
}

/// How far [`tried`] looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trials {
    /// How many random schedules, beside that of threads in order.
    pub random: u64,
    /// How long a run may be.
    pub limits: Limits,
    /// How many pairs of accesses of a run may be compared.
    pub pairs: u64,
}

impl Default for Trials {
    fn default() -> Trials {
        Trials { random: 8, limits: Limits::default(), pairs: 20_000_000 }
    }
}

/// The verdict of the schedules that were tried. A race of one of them is a race. Race-free it is only where no
/// schedule matters: all threads of the first run came to their end, no atomic update was made, and nothing
/// raced. Then every schedule has the same accesses (THEORY T6).
///
/// # Errors
/// [`Refusal`]: no run, or none whose accesses could be compared.
pub fn tried(
    kernel: &Kernel,
    configuration: &Configuration,
    trials: &Trials,
) -> Result<Verdict, Refusal> {
    let schedules = (0..trials.random).map(Schedule::Random);
    let mut open = None;
    let mut found: BTreeMap<PairKey, Report<Witness>> = BTreeMap::new();
    for schedule in [Schedule::InOrder].into_iter().chain(schedules) {
        let run = run(kernel, configuration, schedule, &trials.limits)?;
        let clashes = races(&run.trace, trials.pairs)?;
        for clash in &clashes {
            let Some(witness) = witness(&run.trace, *clash, configuration) else {
                open = Some("a race has no accesses to show".to_owned());
                continue;
            };
            let report = Report { witness, certainty: Certainty::Provable, replay: None };
            found.entry(report.pair()).or_insert(report);
        }
        open = open.or_else(|| why_open(&run));
        if clashes.is_empty() && open.is_none() {
            break;
        }
    }
    let outcome = match open {
        _ if !found.is_empty() => Outcome::Racy,
        None => Outcome::Drf,
        Some(why) => Outcome::Unknown(format!("no race in {} schedules; {why}", trials.random + 1)),
    };
    Ok(Verdict {
        outcome,
        scope: Some(scope_of(configuration)),
        method: Method::Run,
        races: found.into_values().collect(),
        divergences: Vec::new(),
    })
}

/// Why other schedules may do something else, or go further.
fn why_open(run: &Run) -> Option<String> {
    if let Some(stop) = &run.stop {
        return Some(stop.to_string());
    }
    let halted = run.ends.iter().find_map(|end| match end {
        End::Halted(halt, _) => Some(halt.to_string()),
        _ => None,
    });
    if let Some(halt) = halted {
        return Some(format!("{halt} stops a thread"));
    }
    let atomic = |e: &Event| matches!(e, Event::Access { mode: AccessMode::At(_), .. });
    run.trace.events.iter().any(atomic).then(|| "the order of atomic updates may matter".to_owned())
}

/// Did threads of a block diverge? (Narrower groups do not count: CUDA is laxer there.)
pub fn diverges(run: &Run) -> bool {
    let wide = |scope: BarrierScope| scope >= BarrierScope::Block;
    matches!(&run.stop, Some(Stop::Divergence { scope, .. }) if wide(*scope))
}

/// Two events of a trace as a race that an interleaving has; `None`: they are no accesses of it.
pub fn witness(trace: &Trace, clash: Clash, configuration: &Configuration) -> Option<Witness> {
    let side = |number: usize| match trace.events.get(number)? {
        Event::Access { thread, mode, cell, site } => {
            let phase = trace.events[..number].iter().filter(|event| match event {
                Event::BlockBarrier { block } => *block == thread.block,
                Event::GridBarrier => true,
                _ => false,
            });
            let side = Side {
                thread: *thread,
                phase: Some(phase.count()),
                site: site.unwrap_or_default(),
                mode: *mode,
                iteration: Vec::new(),
                data: Vec::new(),
            };
            Some((side, cell.clone()))
        }
        _ => None,
    };
    let ((first, cell), (second, _)) = (side(clash.first)?, side(clash.second)?);
    let configuration = Configuration { block: first.thread.block, ..configuration.clone() };
    Some(Witness { configuration, cell, first, second, confirmation: Confirmation::Interleaving })
}

/// One launch with its parameters.
pub fn scope_of(configuration: &Configuration) -> ScopeOfVerdict {
    let fixed = configuration.parameters.iter();
    ScopeOfVerdict {
        fixed: fixed.map(|(name, value)| (name.clone(), Integer(value.into()))).collect(),
        ..ScopeOfVerdict::of_launch(configuration.launch)
    }
}
