//! What a run of the machine tells: at once what is cheap, the history on demand.

use super::code::Code;
use super::log::Entry;
use super::machine::{Ending, Machine, Visit};
use super::value::Value;
use crate::choice::Choices;
use crate::instance::Instance;
use crate::options::RunOptions;
use crate::outcome::Outcome;
use babycuda_core::history::{AtomicLog, HostMemory, LastWrite};
use babycuda_core::{AccessMode, Accesses, Cell, History, Natural, Phase};
use std::ops::Range;

/// A finished run, still in the machine's memory.
#[derive(Debug)]
pub struct Run<'a> {
    machine: &'a Machine,
    code: &'a Code,
    host: &'a HostMemory,
    ending: Ending,
}

/// What a thread does with a cell, as far as a history tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The stage of its phase ([`Phase::places`]).
    pub stage: usize,
    /// The thread.
    pub thread: u64,
    /// How.
    pub mode: AccessMode,
    /// The array, among [`Code::arrays`].
    pub array: usize,
    /// The index.
    pub index: Natural,
    /// What it writes last, if it writes.
    pub written: Option<Natural>,
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

    /// The first racy phase.
    pub fn first_racy(&self) -> Option<usize> {
        self.machine.log.racy.iter().map(|(phase, _)| *phase).min()
    }

    /// What is accessed in a complete phase. A thread comes once for each mode and cell, with
    /// barriers of groups also once before and after each.
    pub fn accesses_of(&self, phase: usize) -> impl Iterator<Item = Touch> {
        let log = &self.machine.log;
        let start = phase.checked_sub(1).map_or(0, |before| log.ends[before]);
        let groups = log.passes.get(phase).map_or(&[][..], Vec::as_slice);
        log.entries[start..log.ends[phase]].iter().flat_map(move |entry| {
            let (array, index) = log.cells.place(entry.cell);
            let written = entry.written.as_ref();
            let plain = [(entry.read, AccessMode::Rd), (written.is_some(), AccessMode::Wr)];
            let plain = plain.into_iter().filter_map(|(is, mode)| is.then_some(mode));
            let scopes = log.atomics_of(entry).map_or(&[][..], |atomics| &atomics.scopes);
            let modes = plain.chain(scopes.iter().map(|scope| AccessMode::At(*scope)));
            let passed = entry.stage as usize;
            let holds = |group: &Range<u32>| group.contains(&entry.thread);
            let next = groups[passed..].iter().position(holds);
            let touch = Touch {
                stage: next.map_or(groups.len(), |next| passed + next),
                thread: entry.thread.into(),
                mode: AccessMode::Rd,
                array: *array as usize,
                index: index.to_natural(),
                written: None,
            };
            modes.map(move |mode| {
                let written = written.filter(|_| mode == AccessMode::Wr).map(Value::to_natural);
                Touch { mode, written, ..touch.clone() }
            })
        })
    }

    /// The groups that passed barriers of narrower scopes than the block in a complete phase, in
    /// order: the first thread of each, and the one behind its last.
    pub fn groups(&self, phase: usize) -> impl Iterator<Item = (u64, u64)> {
        let groups = self.machine.log.passes.get(phase);
        groups.into_iter().flatten().map(|group| (group.start.into(), group.end.into()))
    }

    /// The cells that complete phases write or update, each with its array among [`Code::arrays`], its
    /// index and `lastwrite`; in no order, and some several times.
    pub fn changed(&self) -> impl Iterator<Item = (usize, Natural, LastWrite)> {
        let log = &self.machine.log;
        let entries = log.entries.iter();
        let changing = entries.filter(|e| e.written.is_some() || log.atomics_of(e).is_some());
        changing.map(|entry| {
            let (array, index) = log.cells.place(entry.cell);
            (*array as usize, index.to_natural(), log.lastwrite(entry.cell))
        })
    }

    /// The most accesses, and barriers of narrower scopes than the block, that a thread made: each
    /// as often as it did.
    pub fn most_made(&self) -> u32 {
        self.machine.made.iter().copied().max().unwrap_or(0)
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
