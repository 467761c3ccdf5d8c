//! Benign races, by two notions that are not the same.
//!
//! *Same value*: of one race. Both accesses are writes, and store the same value. What threads find in the cell is
//! then the same whoever comes last; another thread may still read it too early.
//!
//! *Determined*: of a kernel. All schedules up to a barrier leave the same memory (Distefano and Dubreil, §4, take
//! what is not for a race). `if (t == 0) a[0] = 1; else x = a[0];` races, and memory is determined if no thread
//! stores `x`.

use crate::detector::Refusal;
use crate::execute::{Run, Schedule, run};
use crate::happens_before::{Claim, Trials, has};
use crate::symbolic_heap::{Behaviour, RaceRule, explore, translate};
use babycuda_core::evidence::{Side, Witness};
use babycuda_core::trace::Event;
use babycuda_core::{AccessMode, Cell, Configuration, Natural};
use babycuda_kernel::Kernel;
use std::collections::BTreeSet;

/// How many states of a kernel's schedules are looked at, and of how many threads.
const MOST_STATES: usize = 50_000;
const MOST_THREADS: u64 = 8;

/// The runs of a kernel under several schedules.
#[derive(Debug)]
pub struct Runs(Vec<Run>);

impl Runs {
    /// Runs a kernel, as often as the trials say.
    ///
    /// # Errors
    /// [`Refusal`]: it cannot be run.
    pub fn of(
        kernel: &Kernel,
        configuration: &Configuration,
        trials: &Trials,
    ) -> Result<Runs, Refusal> {
        let schedules = (0..trials.random).map(Schedule::Random);
        let schedules = [Schedule::InOrder].into_iter().chain(schedules);
        let runs = schedules.map(|schedule| run(kernel, configuration, schedule, &trials.limits));
        Ok(Runs(runs.collect::<Result<_, _>>()?))
    }

    /// Do the two threads of a race store the same value in its cell, wherever they write it in the phase of the
    /// race? `None`: no run shows it, or what they store is not known.
    pub fn same_value(&self, race: &Witness) -> Option<bool> {
        if [&race.first, &race.second].iter().any(|side| side.mode != AccessMode::Wr) {
            return Some(false);
        }
        let stored = |side| {
            let in_all = self.0.iter().flat_map(|run| writes(run, side, &race.cell));
            in_all.collect::<Option<BTreeSet<u64>>>().filter(|values| !values.is_empty())
        };
        let [first, second] = [stored(&race.first)?, stored(&race.second)?];
        Some(first.union(&second).count() == 1)
    }

    /// Which of these races some run has.
    pub fn have(&self, races: &[Claim]) -> Vec<bool> {
        let mut had = vec![false; races.len()];
        for run in &self.0 {
            for (had, has) in had.iter_mut().zip(has(&run.trace, races)) {
                *had |= has;
            }
        }
        had
    }

    /// Did two of them end with different values, known in both, in a cell?
    fn differ(&self) -> bool {
        let mut done = self.0.iter().filter(|run| run.stop.is_none());
        let Some(first) = done.next() else { return false };
        let other = |run: &Run, cell: &Cell, value: &Natural| {
            run.memory.get(cell).is_some_and(|held| held != value)
        };
        done.any(|run| {
            first.memory.arrays().any(|(array, held)| {
                held.cells.iter().any(|(index, value)| {
                    other(run, &Cell { array: array.clone(), index: index.clone() }, value)
                })
            })
        })
    }
}

/// What a thread stored in a cell, in its phase of a race.
fn writes(run: &Run, side: &Side, cell: &Cell) -> Vec<Option<u64>> {
    let (mut phase, mut found) = (0, Vec::new());
    for (event, stored) in run.trace.events.iter().zip(&run.stored) {
        match event {
            Event::BlockBarrier { block } if *block == side.thread.block => phase += 1,
            Event::GridBarrier => phase += 1,
            Event::Access { thread, mode: AccessMode::Wr, cell: there, .. }
                if *thread == side.thread
                    && there == cell
                    && side.phase.is_none_or(|wanted| wanted == phase) =>
            {
                found.push(*stored);
            }
            _ => {}
        }
    }
    found
}

/// Do all schedules leave the same memory at each barrier? `None`: that is not known. Where the kernel is in the
/// language of the technique whose §4 asks this, and small, all schedules are looked at; elsewhere two runs may end
/// with different memories.
pub fn determined(kernel: &Kernel, configuration: &Configuration, runs: &Runs) -> Option<bool> {
    let small = configuration.launch.block.count() <= MOST_THREADS;
    let program = translate(kernel, configuration).ok().filter(|_| small);
    match program.map(|program| explore(&program, RaceRule::Deterministic, MOST_STATES)) {
        Some(Ok(Behaviour::Ends)) => Some(true),
        Some(Ok(Behaviour::Race { .. })) => Some(false),
        _ => runs.differ().then_some(false),
    }
}
