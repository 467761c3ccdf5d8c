//! All threads of a block, barrier by barrier.
//!
//! A group goes on when all its threads wait at one barrier of its scope (THEORY §4, T12). Phases end
//! at barriers of the block; a phase in which narrower groups passed barriers knows them in order.

use super::thread::{
    AccessEvent, Halt, MapError, MapLimits, NoOracle, Oracle, Residual, run_thread,
};
use babycuda_core::history::{Access, Race};
use babycuda_core::launch::Group;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, BarrierScope};
use babycuda_core::{AccessMode, Accesses, Configuration, Natural, Phase, Protocol, Site, Thread};
use std::collections::{BTreeMap, BTreeSet};

/// The accesses of one phase: Λ, with the evidence of each access value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhaseAccesses {
    /// Thread by thread, each in program order.
    pub events: Vec<AccessEvent>,
    /// The barriers of narrower scopes than the block, in an order in which groups passed them.
    pub barriers: Vec<Group>,
}

impl PhaseAccesses {
    /// Λ itself: the set of access values.
    pub fn accesses(&self) -> BTreeSet<Access> {
        self.events
            .iter()
            .map(|e| Access { thread: e.thread, mode: e.mode, cell: e.cell.clone() })
            .collect()
    }

    /// Λ as a phase of a history; the values written are arbitrary.
    fn to_phase(&self) -> Phase {
        let mut phase = Phase::default();
        for event in &self.events {
            let before = phase.get(event.thread);
            phase.insert(event.thread, record(&before, event));
        }
        phase
    }

    /// Thread by thread.
    fn in_order(mut self) -> PhaseAccesses {
        if !self.barriers.is_empty() {
            self.events.sort_by_key(|event| event.thread);
        }
        self
    }

    /// The races of the phase, whose number is `number`.
    pub fn races(&self, number: usize) -> Vec<Race> {
        if self.barriers.is_empty() {
            return self.to_phase().races(number).collect();
        }
        let pairs = self.events.iter().enumerate().flat_map(|(n, a)| {
            let others = self.events.iter().skip(n + 1);
            others.filter(move |b| self.race(a, b)).map(move |b| (a, b))
        });
        let races: BTreeSet<Race> = pairs
            .map(|(a, b)| {
                let [a, b] = if a.thread < b.thread { [a, b] } else { [b, a] };
                let (first, second) = ((a.thread, a.mode), (b.thread, b.mode));
                Race { phase: number, cell: a.cell.clone(), first, second }
            })
            .collect();
        races.into_iter().collect()
    }

    /// Do two events of the phase race? They conflict, are of two threads, and no barrier whose group
    /// holds both threads stands between them (THEORY T12).
    pub fn race(&self, a: &AccessEvent, b: &AccessEvent) -> bool {
        let (early, late) = (a.stage.min(b.stage), a.stage.max(b.stage));
        let holds = |group: &Group| {
            // Groups narrower than a block are of this one.
            [a, b].iter().all(|event| (group.first..group.end).contains(&event.thread))
        };
        a.thread != b.thread
            && a.cell == b.cell
            && a.mode.conflicts(b.mode, true)
            && !self.barriers.get(early..late).unwrap_or_default().iter().any(holds)
    }
}

fn record(accesses: &Accesses, event: &AccessEvent) -> Accesses {
    let cell = event.cell.clone();
    match event.mode {
        AccessMode::Rd => accesses.read(cell),
        AccessMode::Wr => accesses.write(cell, Natural::zero()),
        AccessMode::At(scope) => accesses.atomic(
            cell,
            scope,
            AtomicUpdate { op: AtomicOp::Opaque, operand: Natural::zero(), expected: None },
        ),
    }
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Every thread ran to its end.
    Done,
    /// Two threads stopped at different places (THEORY §4): thread and barrier, `None` the end.
    /// The last phase of the Λ holds what ran before they stopped.
    #[allow(missing_docs)]
    Divergence { first: (u64, Option<Site>), second: (u64, Option<Site>) },
    /// A thread reads what no one can have written, or what the host left undefined in an input, at
    /// this site, and is stuck there (THEORY §4):
    /// the block does not get past its next barrier. The last phase holds what the threads access
    /// until they are stuck, at a barrier, or at their end. No derivation has this ending.
    #[allow(missing_docs)]
    #[serde(skip)]
    Stuck { thread: u64, site: Site },
}

/// `p ⇓ Λ1 … Λn`: the accesses of a block, phase by phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lambda {
    /// The phases, oldest first; never none.
    pub phases: Vec<PhaseAccesses>,
    /// How the block ends.
    pub ending: Ending,
}

impl Lambda {
    /// All races, oldest phase first.
    pub fn races(&self) -> Vec<Race> {
        let phases = self.phases.iter().enumerate();
        phases.flat_map(|(i, phase)| phase.races(i)).collect()
    }

    /// The sets of access values, phase by phase.
    pub fn accesses(&self) -> Vec<BTreeSet<Access>> {
        self.phases.iter().map(PhaseAccesses::accesses).collect()
    }
}

/// A protocol and where it is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Configured<'a> {
    /// The protocol; its free variables are reserved ones and parameters.
    pub protocol: &'a Protocol,
    /// The launch, block and parameters.
    pub configuration: &'a Configuration,
}

/// `p ⇓ Λ1 … Λn` for all threads of the block.
///
/// # Errors
/// [`MapError`]: an unbound variable, an `any`, an input without contents, or a limit.
pub fn evaluate(
    protocol: &Protocol,
    configuration: &Configuration,
    limits: &MapLimits,
) -> Result<Lambda, MapError> {
    let count = configuration.launch.block.count();
    if count > limits.threads {
        return Err(MapError::Threads { threads: count, limit: limits.threads });
    }
    let configured = Configured { protocol, configuration };
    evaluate_threads(configured, 0..count, &mut NoOracle, limits)
}

/// The same for some threads of the block only: barriers wait for these threads alone. Rule
/// `map/par`.
///
/// # Errors
/// As [`evaluate`], where `oracle` chooses the values of `any`.
pub fn evaluate_threads(
    configured: Configured<'_>,
    threads: impl IntoIterator<Item = u64>,
    oracle: &mut dyn Oracle,
    limits: &MapLimits,
) -> Result<Lambda, MapError> {
    let at = configured.configuration;
    let (mut steps, free) = (limits.steps, configured.protocol.free_vars());
    let (mut phases, mut phase) = (Vec::new(), PhaseAccesses::default());
    let mut running: Vec<(usize, u64, Residual<'_>)> = threads
        .into_iter()
        .enumerate()
        .map(|(n, i)| {
            let values = free.iter().filter_map(|x| Some((x, at.value_of(x, i)?)));
            (n, i, Residual::start(configured.protocol, values.collect()))
        })
        .collect();
    let mut stops: Vec<(u64, Halt<'_>)> =
        running.iter().map(|(_, i, _)| (*i, Halt::Done)).collect();
    loop {
        let stage = phase.barriers.len();
        for (n, i, residual) in running {
            let sink = &mut |event| phase.events.push(AccessEvent { stage, ..event });
            stops[n].1 = run_thread(i, residual, at, oracle, limits, &mut steps, sink)?;
        }
        let waiting: Vec<_> = stops.iter().map(|(i, stop)| (*i, stop.barrier())).collect();
        let groups = together(&waiting, at);
        if groups.iter().all(|group| group.scope < BarrierScope::Block) && !groups.is_empty() {
            phase.barriers.extend(&groups);
        } else {
            phases.push(std::mem::take(&mut phase).in_order());
        }
        if groups.is_empty() {
            let stuck = stops.iter().find_map(|(i, stop)| match stop {
                Halt::Stuck(site) => Some(Ending::Stuck { thread: *i, site: *site }),
                _ => None,
            });
            let ending = stuck.unwrap_or_else(|| ending(&waiting, at));
            return Ok(Lambda { phases, ending });
        }
        // map/sync: a group that waits at one barrier goes on.
        let passes = |i: u64| groups.iter().any(|group| group.holds(of_block(at, i)));
        let waiting = stops.iter_mut().enumerate().filter(|(_, (i, _))| passes(*i));
        running = waiting
            .filter_map(|(n, (i, stop))| match std::mem::replace(stop, Halt::Done) {
                Halt::Done | Halt::Stuck(_) => None,
                Halt::Barrier(_, _, rest) => Some((n, *i, rest)),
            })
            .collect();
    }
}

fn of_block(at: &Configuration, index: u64) -> Thread {
    Thread { block: at.block, index }
}

/// A thread, and the barrier at which it waits; `None`: it does not.
type Stop = (u64, Option<(BarrierScope, Site)>);

/// The groups whose threads all wait at one barrier of their scope: all such groups of the
/// narrowest scope that has some. A group of the grid is that of the block here.
pub(super) fn together(stops: &[Stop], at: &Configuration) -> Vec<Group> {
    let scopes: BTreeSet<BarrierScope> =
        stops.iter().filter_map(|(_, stop)| Some((*stop)?.0)).collect();
    for scope in scopes {
        let mut groups: BTreeMap<Group, Option<Site>> = BTreeMap::new();
        for (i, stop) in stops {
            let site = stop.filter(|(s, _)| *s == scope).map(|(_, site)| site);
            let group = groups.entry(at.launch.group(scope, of_block(at, *i))).or_insert(site);
            if *group != site {
                *group = None;
            }
        }
        groups.retain(|_, site| site.is_some());
        if !groups.is_empty() {
            return groups.into_keys().collect();
        }
    }
    Vec::new()
}

/// The ending of a block in which no group goes on, and no thread is stuck.
pub(super) fn ending(stops: &[Stop], at: &Configuration) -> Ending {
    let site = |(i, stop): &Stop| (*i, stop.map(|(_, site)| site));
    // Of the narrowest groups that wait, the first.
    let waiting = stops.iter().filter_map(|(i, stop)| Some(((*stop)?.0, *i)));
    let Some((scope, waits)) = waiting.min_by_key(|(scope, _)| *scope) else {
        return Ending::Done;
    };
    let group = at.launch.group(scope, of_block(at, waits));
    let mut members = stops.iter().filter(|(i, _)| group.holds(of_block(at, *i)));
    let Some(first) = members.next() else { return Ending::Done };
    match members.find(|(_, stop)| *stop != first.1) {
        Some(second) => Ending::Divergence { first: site(first), second: site(second) },
        // The group would have gone on.
        None => Ending::Done,
    }
}
