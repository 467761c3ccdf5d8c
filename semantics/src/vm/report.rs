//! What a run of the machine tells: at once what is cheap, the history on demand.

use super::code::Code;
use super::log::Entry;
use super::machine::{Ending, Machine, Visit};
use crate::choice::Choices;
use crate::instance::Instance;
use crate::options::RunOptions;
use crate::outcome::Outcome;
use babycuda_core::history::{AtomicLog, HostMemory};
use babycuda_core::{Accesses, Cell, History, Phase};

/// A finished run, still in the machine's memory.
#[derive(Debug)]
pub struct Run<'a> {
    machine: &'a Machine,
    code: &'a Code,
    host: &'a HostMemory,
    ending: Ending,
}

impl Machine {
    /// Runs the block of `instance`; `code` must be its program's body, compiled. Blocks that run
    /// together are one beforehand ([`Instance::together`]).
    pub fn run<'a>(
        &'a mut self,
        code: &'a Code,
        instance: &'a Instance,
        options: &RunOptions,
    ) -> Run<'a> {
        let ending = self.execute(code, instance, options, None);
        Run { machine: self, code, host: instance.host(), ending }
    }

    /// Likewise; hands every access to `watch` as it is made, thread by thread in each phase.
    pub fn watch<'a>(
        &'a mut self,
        code: &'a Code,
        instance: &'a Instance,
        options: &RunOptions,
        watch: &mut dyn FnMut(Visit),
    ) -> Run<'a> {
        let ending = self.execute(code, instance, options, Some(watch));
        Run { machine: self, code, host: instance.host(), ending }
    }
}

impl Run<'_> {
    /// How it ended.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// How the run settled what the calculus leaves open.
    pub fn choices(&self) -> &Choices {
        &self.machine.choices
    }

    /// Did a number of more than 64 bits come up, as the value of an expression or on the way to
    /// one?
    pub fn is_wide(&self) -> bool {
        self.machine.wide
    }

    /// How many phases are complete.
    pub fn phases(&self) -> usize {
        self.machine.log.ends.len()
    }

    /// Is a complete phase racy (LCL22 Def. 1)?
    pub fn is_racy(&self) -> bool {
        !self.machine.log.racy.is_empty()
    }

    /// The racy cells of complete phases, each with the number of its phase, by phase.
    pub fn racy_cells(&self) -> impl Iterator<Item = (usize, Cell)> {
        self.machine.log.racy.iter().map(|(phase, cell)| (*phase, self.cell(*cell)))
    }

    fn cell(&self, number: u32) -> Cell {
        let (array, index) = self.machine.log.cells.place(number);
        Cell { array: self.code.arrays[*array as usize].clone(), index: index.to_natural() }
    }

    /// The history of the complete phases.
    pub fn history(&self) -> History {
        let log = &self.machine.log;
        let mut history = History::empty(self.host.clone());
        let mut start = 0;
        for (number, &end) in log.ends.iter().enumerate() {
            let passed = log.stages.get(number).into_iter().zip(log.passes.get(number));
            let mut phase = Phase::default();
            for (at, group) in passed.flat_map(|(at, groups)| at.iter().zip(groups)) {
                self.access(&mut phase, &log.entries[start..*at]);
                phase.pass(group.start.into(), group.end.into());
                start = *at;
            }
            self.access(&mut phase, &log.entries[start..end]);
            history = history.push(phase);
            start = end;
        }
        history
    }

    /// Adds entries between two barriers, which are sorted by thread.
    fn access(&self, phase: &mut Phase, entries: &[Entry]) {
        for own in entries.chunk_by(|a, b| a.thread == b.thread) {
            phase.insert(own[0].thread.into(), self.accesses(own));
        }
    }

    fn accesses(&self, entries: &[Entry]) -> Accesses {
        let mut accesses = Accesses::default();
        for entry in entries {
            let cell = self.cell(entry.cell);
            if let Some(atomics) = self.machine.log.atomics_of(entry) {
                let scopes = atomics.scopes.iter().copied().collect();
                let updates = atomics.updates.iter().cloned().collect();
                accesses.atomics.insert(cell.clone(), AtomicLog { scopes, updates });
            }
            if let Some(value) = &entry.written {
                accesses.writes.insert(cell.clone(), value.to_natural());
            }
            if entry.read {
                accesses.reads.insert(cell);
            }
        }
        accesses
    }

    /// The outcome, with the history.
    pub fn outcome(&self) -> Outcome {
        let history = self.history();
        match self.ending.clone() {
            Ending::Done => Outcome::Done { history },
            Ending::Diverged(divergence) => Outcome::Diverged { history, divergence },
            Ending::Stuck(stuck) => Outcome::Stuck { history, stuck },
        }
    }
}
