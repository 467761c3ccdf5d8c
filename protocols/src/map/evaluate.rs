//! All threads of a block, barrier by barrier.

use super::thread::{
    AccessEvent, Halt, MapError, MapLimits, NoOracle, Oracle, Residual, run_thread,
};
use babycuda_core::history::{Access, Race};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use babycuda_core::{AccessMode, Accesses, Configuration, Natural, Phase, Protocol, Site};
use std::collections::BTreeSet;

/// The accesses of one phase: Λ, with the evidence of each access value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhaseAccesses {
    /// Thread by thread, each in program order.
    pub events: Vec<AccessEvent>,
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

    /// The races of the phase, whose number is `number`.
    pub fn races(&self, number: usize) -> Vec<Race> {
        self.to_phase().races(number).collect()
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
    let mut running: Vec<(u64, Residual)> = threads
        .into_iter()
        .map(|i| {
            let closed = configured.protocol.subst(&configured.configuration.substitution(i));
            (i, Residual::start(closed))
        })
        .collect();
    let mut steps = limits.steps;
    let mut phases = Vec::new();
    loop {
        let mut phase = PhaseAccesses::default();
        let mut stops = Vec::with_capacity(running.len());
        for (i, residual) in running {
            let sink = &mut |event| phase.events.push(event);
            let at = configured.configuration;
            let stop = run_thread(i, residual, at, oracle, limits, &mut steps, sink)?;
            stops.push((i, stop));
        }
        phases.push(phase);
        if let Some(ending) = ending(&stops) {
            return Ok(Lambda { phases, ending });
        }
        running = stops
            .into_iter()
            .filter_map(|(i, stop)| match stop {
                Halt::Done | Halt::Stuck(_) => None,
                Halt::Barrier(_, rest) => Some((i, rest)),
            })
            .collect();
    }
}

/// The ending, unless all threads wait at one barrier.
fn ending(stops: &[(u64, Halt)]) -> Option<Ending> {
    let Some((i, first)) = stops.first() else {
        return Some(Ending::Done);
    };
    let stuck = stops.iter().find_map(|(i, stop)| match stop {
        Halt::Stuck(site) => Some((*i, *site)),
        _ => None,
    });
    if let Some((thread, site)) = stuck {
        return Some(Ending::Stuck { thread, site });
    }
    let other = stops.iter().find(|(_, stop)| stop.site() != first.site());
    match (other, first) {
        (Some((j, stop)), _) => {
            Some(Ending::Divergence { first: (*i, first.site()), second: (*j, stop.site()) })
        }
        (None, Halt::Done | Halt::Stuck(_)) => Some(Ending::Done),
        (None, Halt::Barrier(..)) => None,
    }
}
