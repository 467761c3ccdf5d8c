//! All executions.

use super::step::{Next, Rest, located};
use crate::instance::Instance;
use babycuda_core::expr::Unbound;
use babycuda_core::history::{Access, HostMemory, Race};
use babycuda_core::launch::Group;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Accesses, Cell, Launch, Natural, Phase, Site, Stmt, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;

/// Which executions to visit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// All.
    None,
    /// At least one of each class of executions that differ in the order of independent steps:
    /// steps of different threads that do not access one cell, or both read it.
    ///
    /// After the executions that begin with a step of thread `i` are visited, `i` is asleep: it
    /// need not step before a step that depends on its own. Every end is still reached.
    SleepSets,
}

/// How much may be visited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExplorationLimits {
    /// Ended executions.
    pub executions: u64,
    /// Steps of all executions, silent ones included.
    pub steps: u64,
}

impl Default for ExplorationLimits {
    /// A million executions, twenty million steps.
    fn default() -> ExplorationLimits {
        ExplorationLimits { executions: 1_000_000, steps: 20_000_000 }
    }
}

/// Why not all executions were visited.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// More executions than allowed.
    #[error("too many executions")]
    Executions,
    /// More steps than allowed.
    #[error("too many steps")]
    Steps,
    /// A barrier of the grid, of blocks that are not one ([`Instance::together`]).
    #[error("`sync.{0}`: interleavings are of one block")]
    Scope(BarrierScope),
    /// A variable without a value.
    #[error("{0}")]
    Unbound(#[from] Unbound),
}

/// The accesses between two barriers, of all threads.
pub(super) type Interval = BTreeSet<Access>;

/// How an execution ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EndKind {
    /// Every thread ended.
    Done,
    /// Every thread ended or waits at a barrier, and of no group all at the same one.
    Diverged,
    /// No thread can step, and these are about to read or update ⊥.
    Stuck(BTreeSet<u64>),
}

/// An end of an execution: what can be told of it afterwards.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct End {
    /// How.
    pub kind: EndKind,
    /// The accesses of each barrier interval, the oldest first.
    pub intervals: Vec<Interval>,
    /// The cells written, with what they hold; all others hold what the host stored.
    pub memory: BTreeMap<Cell, Natural>,
    /// With barriers of narrower scopes than the block, the races: intervals alone do not tell.
    pub unordered: Option<BTreeSet<Race>>,
}

impl End {
    /// The races of the execution: conflicting accesses in one barrier interval, which no barrier
    /// of a group of both threads parts.
    pub fn races(&self) -> impl Iterator<Item = Race> {
        let intervals = self.unordered.is_none().then_some(&self.intervals);
        let intervals = intervals.into_iter().flatten().enumerate();
        let races = intervals.flat_map(|(k, part)| phase(part).races(k).collect::<Vec<_>>());
        races.chain(self.unordered.iter().flatten().cloned())
    }

    /// The first interval with a race.
    pub fn first_racy_interval(&self) -> Option<usize> {
        self.races().next().map(|race| race.phase)
    }
}

/// The interval as a phase; the values are arbitrary.
fn phase(interval: &Interval) -> Phase {
    let mut phase = Phase::default();
    for access in interval {
        let before = phase.get(access.thread);
        let cell = access.cell.clone();
        let after = match access.mode {
            AccessMode::Rd => before.read(cell),
            AccessMode::Wr => before.write(cell, Natural::zero()),
            AccessMode::At(scope) => {
                let mut log = before.atomics.get(&cell).cloned().unwrap_or_default();
                log.scopes.insert(scope);
                Accesses { atomics: before.atomics.update(cell, log), ..before }
            }
        };
        phase.insert(access.thread, after);
    }
    phase
}

/// What the executions came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exploration {
    /// Every end.
    pub ends: BTreeSet<End>,
    /// How many executions were visited to their end.
    pub executions: u64,
}

impl Exploration {
    /// The first racy interval of any execution.
    pub fn first_racy_interval(&self) -> Option<usize> {
        self.ends.iter().filter_map(End::first_racy_interval).min()
    }
}

/// Visits the executions of the block of `instance`, whose memory starts as the host's; of all
/// blocks where they run together.
///
/// # Errors
/// [`TooLarge`]: beyond the limits; or a free variable.
pub fn explore(
    instance: &Instance,
    reduction: Reduction,
    limits: &ExplorationLimits,
) -> Result<Exploration, TooLarge> {
    let (mut explorer, start) = Explorer::of(instance, reduction, limits)?;
    explorer.visit(start, BTreeSet::new())?;
    Ok(explorer.result)
}

/// Every thread stands before its next access, barrier or end.
#[derive(Clone)]
pub(super) struct Configuration {
    pub(super) memory: BTreeMap<Cell, Natural>,
    pub(super) intervals: Vec<Interval>,
    /// How many barriers of each narrower scope each thread passed.
    passed: Vec<Passed>,
    /// With such barriers, every access with its interval, and what its thread had passed.
    made: BTreeSet<(usize, Access, Passed)>,
    pub(super) threads: Vec<State>,
}

/// A thread: what it does next, what is left after that, and which statement does the former.
type State = (Next, Rest, Option<Site>);

type Passed = BTreeMap<BarrierScope, u64>;

pub(super) struct Explorer<'a> {
    host: HostMemory,
    launch: Launch,
    /// Is there a barrier of another scope than a block?
    scoped: bool,
    reduction: Reduction,
    limits: &'a ExplorationLimits,
    steps: u64,
    result: Exploration,
}

impl<'a> Explorer<'a> {
    /// The explorer of the block of `instance`, and where its executions start.
    pub(super) fn of(
        instance: &Instance,
        reduction: Reduction,
        limits: &'a ExplorationLimits,
    ) -> Result<(Explorer<'a>, Configuration), TooLarge> {
        let instance = &*instance.together();
        let body = instance.body();
        let launch = instance.configuration.launch;
        let of_grid = |b: &Stmt| matches!(b, Stmt::Sync { scope: BarrierScope::Grid, .. });
        if launch.grid.count() > 1 && body.subterms().any(of_grid) {
            return Err(TooLarge::Scope(BarrierScope::Grid));
        }
        let mut explorer = Explorer {
            host: instance.host().clone(),
            launch,
            scoped: body.scoped_barrier().is_some(),
            reduction,
            limits,
            steps: limits.steps,
            result: Exploration::default(),
        };
        let start = |i| {
            let closed = Arc::new(body.subst(&instance.block().substitution(i)));
            located(vec![closed], &mut explorer.steps)
        };
        let threads: Vec<State> =
            (0..instance.block().len()).map(start).collect::<Result<_, _>>()?;
        let start = Configuration {
            memory: BTreeMap::new(),
            intervals: vec![Interval::new()],
            passed: vec![Passed::new(); threads.len()],
            made: BTreeSet::new(),
            threads,
        };
        Ok((explorer, start))
    }

    /// Visits what can follow; the threads in `asleep` need not step first.
    fn visit(
        &mut self,
        mut at: Configuration,
        mut asleep: BTreeSet<usize>,
    ) -> Result<(), TooLarge> {
        while self.pass_barrier(&mut at)? {}
        let can_step: Vec<usize> =
            (0..at.threads.len()).filter(|i| self.can_step(&at, *i)).collect();
        if can_step.is_empty() {
            return self.end(at);
        }
        for i in can_step {
            if asleep.contains(&i) {
                continue;
            }
            let still = asleep.iter().copied().filter(|j| independent(&at, i, *j)).collect();
            let mut next = at.clone();
            self.step(&mut next, i)?;
            babycuda_core::deep::grow(|| self.visit(next, still))?;
            if self.reduction == Reduction::SleepSets {
                asleep.insert(i);
            }
        }
        Ok(())
    }

    pub(super) fn value<'b>(&'b self, at: &'b Configuration, cell: &Cell) -> Option<&'b Natural> {
        at.memory.get(cell).or_else(|| self.host.get(cell))
    }

    pub(super) fn can_step(&self, at: &Configuration, i: usize) -> bool {
        match &at.threads[i].0 {
            Next::Write(..) => true,
            Next::Read(cell, ..) | Next::Atomic(cell, ..) => self.value(at, cell).is_some(),
            Next::Barrier(..) | Next::End => false,
        }
    }

    /// If all threads of a group wait at one barrier of its scope, lets them pass.
    pub(super) fn pass_barrier(&mut self, at: &mut Configuration) -> Result<bool, TooLarge> {
        for i in 0..at.threads.len() {
            let Next::Barrier(site, scope) = at.threads[i].0 else { continue };
            let group = self.group(scope, i as u64);
            let group = group.first as usize..group.end as usize;
            let waits = |(next, ..): &State| *next == Next::Barrier(site, scope);
            // The first of a group looks for all.
            if i > group.start || !at.threads[group.clone()].iter().all(waits) {
                continue;
            }
            for j in group {
                at.threads[j] = located(take(&mut at.threads[j].1), &mut self.steps)?;
                if scope < BarrierScope::Block {
                    *at.passed[j].entry(scope).or_default() += 1;
                }
            }
            if scope >= BarrierScope::Block {
                at.intervals.push(Interval::new());
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// The threads with `thread`, for barriers of a scope: of the one block that there is.
    fn group(&self, scope: BarrierScope, thread: u64) -> Group {
        self.launch.group(scope, Thread { block: 0, index: thread })
    }

    /// Conflicting accesses of one interval, by threads of which no common group passed a barrier
    /// in between.
    fn races(&self, made: &BTreeSet<(usize, Access, Passed)>) -> BTreeSet<Race> {
        let mut cells: BTreeMap<(usize, &Cell), Vec<(&Access, &Passed)>> = BTreeMap::new();
        for (phase, access, passed) in made {
            cells.entry((*phase, &access.cell)).or_default().push((access, passed));
        }
        let mut races = BTreeSet::new();
        for ((phase, cell), made) in cells {
            for (n, (a, p)) in made.iter().enumerate() {
                for (b, q) in &made[n + 1..] {
                    let together =
                        |s: &BarrierScope| self.group(*s, a.thread) == self.group(*s, b.thread);
                    let ordered = |s: &BarrierScope| p.get(s) != q.get(s) && together(s);
                    if a.thread != b.thread
                        && a.mode.conflicts(b.mode, true)
                        && !p.keys().chain(q.keys()).any(ordered)
                    {
                        let mut pair = [(a.thread, a.mode), (b.thread, b.mode)];
                        pair.sort();
                        let [first, second] = pair;
                        races.insert(Race { phase, cell: cell.clone(), first, second });
                    }
                }
            }
        }
        races
    }

    /// One step of thread `i`, which can step.
    pub(super) fn step(&mut self, at: &mut Configuration, i: usize) -> Result<(), TooLarge> {
        let (next, rest, _) = &mut at.threads[i];
        let (next, mut rest) = (next.clone(), take(rest));
        let memory = &mut at.memory;
        let value = |memory: &BTreeMap<Cell, Natural>, cell: &Cell| {
            memory.get(cell).or_else(|| self.host.get(cell)).cloned()
        };
        match &next {
            Next::Write(cell, value) => {
                memory.insert(cell.clone(), value.clone());
            }
            Next::Read(cell, x, body) => {
                if let Some(value) = value(memory, cell) {
                    rest.push(Arc::new(body.subst_value(x, &value)));
                }
            }
            Next::Atomic(cell, _, update, x, body) => {
                if let Some(value) = &value(memory, cell) {
                    rest.push(Arc::new(body.subst_value(x, value)));
                    memory.insert(cell.clone(), update.apply(value));
                }
            }
            Next::Barrier(..) | Next::End => {}
        }
        let phase = at.intervals.len() - 1;
        if let (Some((mode, cell)), Some(interval)) = (next.access(), at.intervals.last_mut()) {
            let access = Access { thread: i as u64, mode, cell: cell.clone() };
            if self.scoped {
                at.made.insert((phase, access.clone(), at.passed[i].clone()));
            }
            interval.insert(access);
        }
        at.threads[i] = located(rest, &mut self.steps)?;
        Ok(())
    }

    /// The end of an execution in which no thread can step any more.
    pub(super) fn ended(&self, at: Configuration) -> End {
        let before_access = |(next, ..): &State| next.access().is_some();
        let stuck = (0..).zip(&at.threads).filter(|(_, t)| before_access(t)).map(|(i, _)| i);
        let stuck: BTreeSet<u64> = stuck.collect();
        let kind = if !stuck.is_empty() {
            EndKind::Stuck(stuck)
        } else if at.threads.iter().all(|(next, ..)| *next == Next::End) {
            EndKind::Done
        } else {
            EndKind::Diverged
        };
        let unordered = self.scoped.then(|| self.races(&at.made));
        let (intervals, memory) = (at.intervals, at.memory);
        End { kind, intervals, memory, unordered }
    }

    fn end(&mut self, at: Configuration) -> Result<(), TooLarge> {
        self.result.executions += 1;
        if self.result.executions > self.limits.executions {
            return Err(TooLarge::Executions);
        }
        let end = self.ended(at);
        self.result.ends.insert(end);
        Ok(())
    }
}

/// Do the next steps of two threads commute: on different cells, or both reads?
fn independent(at: &Configuration, i: usize, j: usize) -> bool {
    match (at.threads[i].0.access(), at.threads[j].0.access()) {
        (Some((m, a)), Some((n, b))) => a != b || (m, n) == (AccessMode::Rd, AccessMode::Rd),
        _ => true,
    }
}
