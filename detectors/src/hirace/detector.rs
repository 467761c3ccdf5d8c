//! HiRace as a technique: a run of the kernel, watched by a machine for each cell (§III, Algorithm 1).

use super::replay::{Stop, replay};
use crate::detector::{Claims, Detector, Fragment, Refusal};
use crate::execute::{Limits, Run, Schedule, run};
use crate::happens_before::{Clash, earlier, scope_of, witness};
use babycuda_core::evidence::{Certainty, PairKey, Report, Witness};
use babycuda_core::shadow::Machine;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::Event;
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Configuration, Thread};
use babycuda_kernel::Kernel;
use std::collections::BTreeMap;

/// HiRace: it runs a kernel once and watches each cell.
///
/// It says that there is a race, or that it is not known whether there is: “all dynamic race checkers suffer from
/// incompleteness due to schedule generation” (§V-C). The other side of a race that it reports is the last
/// accessor of the cell, which is all that a word knows, or where the race is with another one, the latest of those.
///
/// Barriers of some lanes of a warp are outside of the published machine (§V-C: they “are not amenable to
/// representation within HiRace's FSM”). Where a run has some, races within warps are found by [bounded
/// histories](super::LaneShadow), which miss what they forget; races of different warps are found by the machine, as ever.
/// With the published chain a run is watched up to its first barrier of the grid.
#[derive(Clone, Debug)]
pub struct HiRace {
    name: &'static str,
    machine: Machine,
    schedule: Schedule,
    limits: Limits,
    /// The bits of each clock in a word.
    clock: u32,
}

impl Default for HiRace {
    /// With the machine that is derived for warps and blocks, and threads in order.
    fn default() -> HiRace {
        HiRace::new(Machine::exact())
    }
}

impl HiRace {
    /// With another machine.
    pub fn new(machine: Machine) -> HiRace {
        let (schedule, limits) = (Schedule::InOrder, Limits::default());
        HiRace { name: "hirace", machine, schedule, limits, clock: 12 }
    }

    /// The same under another schedule.
    #[must_use]
    pub fn under(self, schedule: Schedule) -> HiRace {
        HiRace { schedule, ..self }
    }

    /// The same with another name, beside the first.
    #[must_use]
    pub fn named(self, name: &'static str) -> HiRace {
        HiRace { name, ..self }
    }

    /// What the machine says of a run.
    ///
    /// # Errors
    /// [`Refusal`]: words that are too narrow for the launch.
    pub fn watch(&self, run: &Run, configuration: &Configuration) -> Result<Verdict, Refusal> {
        let clocks = vec![self.clock; self.machine.chain().widest_barrier()];
        let narrow = |error: super::LayoutError| Refusal::Configuration(error.to_string());
        let seen = replay(&run.trace, &self.machine, &clocks).map_err(narrow)?;
        let mut races: BTreeMap<PairKey, Report<Witness>> = BTreeMap::new();
        let others = earlier(&run.trace, &seen.races.iter().map(|(second, _)| *second).collect());
        for (second, sighting) in &seen.races {
            let last = last_access(run, *second, sighting.last);
            let racing = others.get(second).map_or(&[][..], Vec::as_slice);
            // A machine that is not exact may see a race where there is none.
            let first = last.filter(|last| racing.contains(last) || racing.is_empty());
            let found = first.or(racing.last().copied()).and_then(|first| {
                // Where many cells race at the same statements, one of them has a witness.
                let known = pair(run, first, *second).is_some_and(|pair| races.contains_key(&pair));
                let clash = Clash { first, second: *second };
                (!known).then(|| witness(&run.trace, clash, configuration)).flatten()
            });
            if let Some(witness) = found {
                let report = Report { witness, certainty: Certainty::Potential, replay: None };
                races.entry(report.pair()).or_insert(report);
            }
        }
        let unknown = match (&seen.stop, &run.stop) {
            (Some((_, stop)), _) => said(stop),
            (None, Some(stop)) => stop.to_string(),
            (None, None) if seen.forgotten > 0 => format!(
                "one run is not all of them, and of this one {} accesses were forgotten behind barriers of lanes",
                seen.forgotten
            ),
            (None, None) => "one run is not all of them".to_owned(),
        };
        let outcome = match races.is_empty() {
            false => Outcome::Racy,
            true => Outcome::Unknown(format!("no race in this run; {unknown}")),
        };
        Ok(Verdict {
            outcome,
            scope: Some(scope_of(configuration)),
            method: Method::Run,
            races: races.into_values().collect(),
            divergences: Vec::new(),
        })
    }
}

fn said(stop: &Stop) -> String {
    match stop {
        Stop::Scope(BarrierScope::Grid) => "it does not know barriers of a grid".to_owned(),
        other => other.to_string(),
    }
}

/// The statements of two accesses of a cell.
fn pair(run: &Run, first: usize, second: usize) -> Option<PairKey> {
    let side = |number: usize| match run.trace.events.get(number)? {
        Event::Access { thread, mode, cell, site } => {
            Some((cell, thread.block, (site.unwrap_or_default(), *mode)))
        }
        _ => None,
    };
    let ((cell, block, one), (_, other_block, other)) = side(first).zip(side(second))?;
    Some(PairKey::new(cell.array.clone(), [one, other], block == other_block))
}

/// The last access of the cell of an event before it, which is one of this thread.
fn last_access(run: &Run, second: usize, last: u64) -> Option<usize> {
    let events = &run.trace.events;
    let Event::Access { cell, thread: own, .. } = events.get(second)? else { return None };
    let threads = run.trace.launch.block.count().max(1);
    let last = Thread { block: last / threads, index: last % threads };
    let shared = run.trace.shared.contains(&cell.array);
    let is = |event: &Event| match event {
        Event::Access { cell: other, thread, .. } => {
            other == cell && *thread == last && (!shared || thread.block == own.block)
        }
        _ => false,
    };
    events[..second].iter().rposition(is)
}

impl Detector for HiRace {
    fn name(&self) -> &'static str {
        self.name
    }

    fn paper(&self) -> &'static str {
        "HiRace: Accurate and Fast Data Race Checking for GPU Programs (SC 2024)"
    }

    fn claims(&self) -> Claims {
        let text =
            "all kernels: “as a dynamic checker, HiRace does not generate false alarms” (§I)";
        let raises_no_false_alarm = Some(Fragment { text, holds: |_| true });
        Claims { raises_no_false_alarm, ..Claims::default() }
    }

    fn detect(&self, kernel: &Kernel, configuration: &Configuration) -> Result<Verdict, Refusal> {
        let run = run(kernel, configuration, self.schedule, &self.limits)?;
        self.watch(&run, configuration)
    }
}
