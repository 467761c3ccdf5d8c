//! The runs in which a witness is looked for.

use super::{Basis, CheckOptions};
use crate::run::{REFERENCE_STEPS, are_values_immaterial, observe};
use babycuda_core::evidence::{Evaluator, Side, Witness};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::{Program, Space};
use babycuda_core::{Configuration, Together};
use babycuda_semantics::vm::{Code, Ending, Machine, Visit};
use babycuda_semantics::{Instance, Limit, Outcome, Policy, Reason, RunLimits, RunOptions, Stuck};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Accesses that are watched at most.
pub(super) const MAX_VISITS: usize = 1 << 20;

/// The run of one block. Its history, which is large and seldom looked at, is made on demand ([`Scene::outcome`]).
pub(super) struct Run {
    instance: Instance,
    pub(super) stuck: Option<Stuck>,
    /// The accesses that were watched.
    pub(super) visits: Vec<Visit>,
    /// How many accesses there were.
    pub(super) accesses: u64,
    /// The first racy phase.
    racy: Option<usize>,
    /// The phases that barriers of some threads part.
    staged: BTreeSet<usize>,
}

/// The runs of one verdict: most of its witnesses are of one launch, and one outcome serves all of them. A history is
/// large, and every report of a race keeps one.
#[derive(Default)]
pub(in crate::check) struct Made {
    reference: Recent,
    machine: Recent,
}

/// Outcomes of the last runs.
#[derive(Default)]
struct Recent(RefCell<VecDeque<(Instance, Policy, Rc<Outcome>)>>);

/// So many are kept.
const RECENT: usize = 8;

impl Recent {
    /// What the run of the instance comes to; `make` says so where it is not known.
    fn of(
        &self,
        instance: Instance,
        policy: Policy,
        make: impl FnOnce(&Instance) -> Outcome,
    ) -> Rc<Outcome> {
        let is_it = |(i, p, _): &&(Instance, Policy, Rc<Outcome>)| *p == policy && *i == instance;
        if let Some((.., outcome)) = self.0.borrow().iter().find(is_it) {
            return outcome.clone();
        }
        let outcome = Rc::new(make(&instance));
        let mut made = self.0.borrow_mut();
        made.truncate(RECENT - 1);
        made.push_front((instance, policy, outcome.clone()));
        outcome
    }
}

/// A witness and the program that it is about.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) program: &'a Program,
    pub(super) witness: &'a Witness,
    pub(super) basis: Basis,
    pub(super) options: &'a CheckOptions,
    /// The runs of all witnesses, under these options.
    pub(super) made: &'a Made,
}

impl Scene<'_> {
    /// The blocks of the two threads: one run for each of them.
    pub(super) fn blocks(&self) -> Vec<u64> {
        let (first, second) = (self.witness.first.thread.block, self.witness.second.thread.block);
        let launch = self.witness.configuration.launch;
        let together = Together::of(self.program, &self.program.body, launch).is_some();
        if together || self.witness.same_block() { vec![first] } else { vec![first, second] }
    }

    /// Is the visit one of the accesses of the witness: the same thread, statement and cell?
    pub(super) fn is_side(&self, visit: &Visit, side: &Side) -> bool {
        (visit.thread, visit.site, visit.mode) == (side.thread.index, side.site, side.mode)
            && visit.cell == self.witness.cell
            && side.phase.is_none_or(|phase| phase == visit.phase)
    }

    pub(super) fn is_wanted(&self, visit: &Visit) -> bool {
        self.is_side(visit, &self.witness.first) || self.is_side(visit, &self.witness.second)
    }

    /// Runs the blocks, watching the accesses of the witness.
    pub(super) fn runs(&self, blocks: &[u64], host: &HostMemory) -> Vec<Run> {
        let run = |block| self.watch(block, host.clone(), &|visit| self.is_wanted(visit));
        blocks.iter().copied().map(run).collect()
    }

    pub(super) fn instance(&self, block: u64, host: HostMemory) -> Instance {
        let at = Configuration { block, ..self.witness.configuration.clone() };
        Instance::of(self.program.clone(), at).with_host(host)
    }

    pub(super) fn settings(&self, steps: u64) -> RunOptions {
        // Accesses that no written cell decides are the same whatever such cells hold, so any
        // value of a cell that an older phase raced on will do.
        let ambiguous = if self.basis == Basis::Run { Policy::Stop } else { Policy::Smallest };
        let limits = RunLimits { steps, ..RunLimits::default() };
        RunOptions { limits, ambiguous, ..Default::default() }
    }

    /// What has the race in its runs: the reference where it can make them, else the virtual
    /// machine, which did; `None`: they differ, which is a defect of this library.
    pub(super) fn evaluator(
        &self,
        blocks: &[u64],
        runs: &[Run],
        host: &HostMemory,
    ) -> Option<Evaluator> {
        // Where only the verdict counts, nobody is told who ran it.
        let untold = self.options.verdict_only;
        if untold || runs.iter().any(|run| run.accesses > REFERENCE_STEPS) {
            return Some(Evaluator::VirtualMachine);
        }
        for (block, run) in blocks.iter().zip(runs) {
            let instance = self.instance(*block, host.clone());
            let steps = self.options.replay_steps.min(REFERENCE_STEPS);
            let settings = self.settings(steps);
            let make = |instance: &Instance| instance.run(&settings);
            let outcome = self.made.reference.of(instance, settings.ambiguous, make);
            let reason = outcome.stuck().map(|stuck| &stuck.reason);
            if let Some(Reason::Limit { limit: Limit::Steps, .. }) = reason {
                return Some(Evaluator::VirtualMachine);
            }
            if outcome.history() != self.outcome(run).history() {
                return None;
            }
        }
        Some(Evaluator::Reference)
    }

    /// A run that is stuck or diverges later still has the phases before.
    pub(super) fn watch(
        &self,
        block: u64,
        host: HostMemory,
        wanted: &dyn Fn(&Visit) -> bool,
    ) -> Run {
        let instance = self.instance(block, host);
        let settings = self.settings(self.options.replay_steps);
        let mut accesses = 0;
        let code = Code::compile(&self.program.body);
        let mut machine = Machine::default();
        let mut visits = Vec::new();
        let run = machine.watch(&code, &instance, &settings, &mut |visit| {
            accesses += 1;
            if visits.len() < MAX_VISITS && wanted(&visit) {
                visits.push(visit);
            }
        });
        // What was done in a phase that was never completed is not in the history.
        visits.retain(|visit| visit.phase < run.phases());
        let stuck = match run.ending() {
            Ending::Stuck(stuck) => Some(stuck.clone()),
            Ending::Done | Ending::Diverged(_) => None,
        };
        let parted = |phase: &usize| run.groups(*phase).next().is_some();
        let (racy, staged) = (run.first_racy(), (0..run.phases()).filter(parted).collect());
        Run { instance, stuck, visits, accesses, racy, staged }
    }

    /// What a run came to, with its history.
    pub(super) fn outcome(&self, run: &Run) -> Rc<Outcome> {
        let settings = self.settings(self.options.replay_steps);
        self.made.machine.of(run.instance.clone(), settings.ambiguous, |instance| {
            let code = Code::compile(&self.program.body);
            Machine::default().run(&code, instance, &settings).outcome()
        })
    }

    /// The phase in which the runs, one for each block, make both accesses: within a block the same
    /// phase; `Some(None)` across blocks. `None`: they do not.
    pub(super) fn found_in(&self, runs: &[Run]) -> Option<Option<usize>> {
        let (first, second) = (&self.witness.first, &self.witness.second);
        match runs {
            [run] => run.visits.iter().filter(|v| self.is_side(v, first)).find_map(|a| {
                let pair = |b: &Visit| self.is_side(b, second) && b.phase == a.phase;
                let found = run.visits.iter().any(pair)
                    && self.unordered(run, a.phase)
                    && self.counts(run, a.phase);
                found.then_some(Some(a.phase))
            }),
            [one, other] => {
                // Blocks have shared arrays of their own; one that is not declared is shared.
                let array = self.program.array(&self.witness.cell.array)?;
                let found = array.space == Space::Global
                    && one.visits.iter().any(|v| self.is_side(v, first))
                    && other.visits.iter().any(|v| self.is_side(v, second));
                found.then_some(None)
            }
            _ => None,
        }
    }

    /// May the runs be those of an interleaving? They are not where no order of their updates yields the
    /// values that they took (THEORY T13).
    pub(super) fn is_possible(&self, blocks: &[u64], host: &HostMemory) -> bool {
        let settings = self.settings(self.options.replay_steps);
        let possible = |block: &u64| {
            let instance = self.instance(*block, host.clone());
            observe(&instance, &settings).unordered(&instance).is_none()
        };
        are_values_immaterial(self.program) || blocks.iter().all(possible)
    }

    /// Where barriers of some threads part the phase, is the race one of its history?
    pub(super) fn unordered(&self, run: &Run, number: usize) -> bool {
        if !run.staged.contains(&number) {
            return true;
        }
        let side = |side: &Side| (side.thread.index, side.mode);
        let mut sides = [side(&self.witness.first), side(&self.witness.second)];
        sides.sort();
        let outcome = self.outcome(run);
        let phase = outcome.history().chronological().find(|(n, _)| *n == number);
        phase.is_some_and(|(_, phase)| {
            let mut races = phase.races(number);
            races.any(|r| r.cell == self.witness.cell && [r.first, r.second] == sides)
        })
    }

    /// Beyond a racy phase, what the program computes may differ from the run's (T6).
    pub(super) fn counts(&self, run: &Run, phase: usize) -> bool {
        self.basis != Basis::Run || run.racy.is_none_or(|first| first >= phase)
    }
}
