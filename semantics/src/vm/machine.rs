//! Running compiled programs.

use super::arithmetic::Failure;
use super::code::{Atomic, Code, Expression, Instruction, Kind};
use super::log::Log;
use super::memory::Content;
use super::value::Value;
use crate::block::Block;
use crate::blocks::apart;
use crate::choice::{Choice, Choices, Open};
use crate::instance::Instance;
use crate::options::{AtomicQuery, Limit, RunOptions};
use crate::outcome::{Reason, Stuck};
use babycuda_core::budget::pause;
use babycuda_core::evidence::Divergence;
use babycuda_core::history::{HostArray, LastWrite};
use babycuda_core::syntax::{AtomicUpdate, BarrierScope};
use babycuda_core::{AccessMode, Cell, Natural, Site};

/// The memory of runs, for use again and again.
#[derive(Default, Debug)]
pub struct Machine {
    pub(super) log: Log,
    pub(super) choices: Choices,
    /// The slots of all threads.
    pub(super) slots: Vec<Value>,
    /// The next instruction of each thread.
    pub(super) counters: Vec<u32>,
    /// How many accesses and barriers of narrower scopes than the block each thread made.
    pub(super) made: Vec<u32>,
    stack: Vec<u64>,
    /// Did a number of more than 64 bits come up?
    pub(super) wide: bool,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Every thread ended.
    Done,
    /// Two threads stopped at different places.
    Diverged(Divergence),
    /// A thread is stuck.
    Stuck(Stuck),
}

/// An access that a run makes: by which statement, in which phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The phase, from 0; it may never be completed.
    pub phase: usize,
    /// How many barriers of narrower scopes than the block were passed in the phase before.
    pub passed: usize,
    /// The thread.
    pub thread: u64,
    /// The statement.
    pub site: Site,
    /// How.
    pub mode: AccessMode,
    /// Which cell.
    pub cell: Cell,
    /// What a write leaves there.
    pub written: Option<Natural>,
}

/// Takes the accesses of a run as they are made.
pub(super) type Watch<'a, 'w> = Option<&'a mut (dyn FnMut(Visit) + 'w)>;

/// One run.
pub(super) struct Execution<'a, 'w> {
    pub(super) code: &'a Code,
    options: &'a RunOptions,
    /// What the host stored, per array of the code.
    host: Vec<Option<&'a HostArray>>,
    pub(super) machine: &'a mut Machine,
    watch: Watch<'a, 'w>,
    pub(super) phase: usize,
    pub(super) steps: u64,
}

/// Where a thread stops: at a barrier, or at its end.
pub(super) type Place = Option<(Site, BarrierScope)>;

impl Machine {
    /// Runs the block of `instance`; `code` is its program, compiled.
    pub(super) fn execute(
        &mut self,
        code: &Code,
        instance: &Instance,
        options: &RunOptions,
        watch: Watch<'_, '_>,
    ) -> Ending {
        self.log.clear();
        self.made.clear();
        (self.choices, self.wide) = (Choices::default(), false);
        let block = instance.block();
        let allowed = options.limits.threads;
        let threads = u32::try_from(block.len()).ok().filter(|n| u64::from(*n) <= allowed);
        let Some(threads) = threads else {
            let reason = Reason::Limit { limit: Limit::Threads, allowed };
            return Ending::Stuck(Stuck { phase: 0, thread: allowed, site: None, reason });
        };
        if let Err(stuck) = apart(block, &instance.program.body, 0) {
            return Ending::Stuck(stuck);
        }
        self.prepare(code, instance, threads);
        let stored = |name| instance.host().arrays().find(|(n, _)| *n == name).map(|(_, a)| a);
        let host = code.arrays.iter().map(stored).collect();
        let run = Execution { watch, ..Execution::new(code, options, host, self) };
        match code.scoped {
            true => run.run_by_groups(block.launch, threads),
            false => run.run(threads),
        }
    }

    /// Gives every thread its slots, with the values of its free variables.
    pub(super) fn prepare(&mut self, code: &Code, instance: &Instance, threads: u32) {
        let Block { launch, .. } = instance.block();
        self.counters.clear();
        self.counters.resize(threads as usize, 0);
        self.made.clear();
        self.made.resize(threads as usize, 0);
        self.slots.clear();
        self.slots.resize(threads as usize * code.slots, Value::Unbound);
        for (slot, free) in code.free.iter().enumerate() {
            let fixed = instance.configuration.parameters.get(&free.name);
            let thread = instance.block().thread(0);
            let uniform = match fixed {
                Some(value) => Some(value.clone()),
                None if free.kind == Kind::Uniform => launch.value_of(&free.name, thread),
                None => None,
            };
            let uniform = uniform.map(Value::from);
            for i in 0..threads {
                let value = match (&uniform, free.kind) {
                    (Some(value), _) => value.clone(),
                    (None, Kind::Tid) => Value::Small(u64::from(i)),
                    (None, Kind::ThreadIdx(d)) => {
                        let position = launch.block.position(u64::from(i));
                        Value::Small(u64::from(position.components()[d]))
                    }
                    (None, Kind::Uniform) => Value::Unbound,
                };
                self.slots[i as usize * code.slots + slot] = value;
            }
        }
    }
}

impl<'a> Execution<'a, '_> {
    pub(super) fn new(
        code: &'a Code,
        options: &'a RunOptions,
        host: Vec<Option<&'a HostArray>>,
        machine: &'a mut Machine,
    ) -> Self {
        Execution { code, options, host, machine, watch: None, phase: 0, steps: 0 }
    }

    /// Phase by phase, and within a phase thread by thread.
    fn run(mut self, threads: u32) -> Ending {
        loop {
            let (mut first, mut other) = (None, None);
            for i in 0..threads {
                self.machine.log.next_turn();
                let place = match self.thread(i) {
                    Ok(place) => place,
                    Err(stuck) => {
                        self.machine.log.abandon_phase();
                        return Ending::Stuck(*stuck);
                    }
                };
                let first = *first.get_or_insert(place);
                if other.is_none() && place != first {
                    other = Some((u64::from(i), place));
                }
            }
            self.machine.log.end_phase();
            match (first, other) {
                (Some(place), Some((i, other))) => {
                    let site = |place: Place| place.map(|(site, _)| site);
                    let (first, second) = ((0, site(place)), (i, site(other)));
                    return Ending::Diverged(Divergence::of_block(self.phase, first, second));
                }
                (Some(Some(_)), None) => self.phase += 1,
                (Some(None) | None, _) => return Ending::Done,
            }
        }
    }

    /// Runs a thread to its next barrier or its end.
    pub(super) fn thread(&mut self, i: u32) -> Result<Place, Box<Stuck>> {
        let mut next = self.machine.counters[i as usize] as usize;
        let base = i as usize * self.code.slots;
        loop {
            next = self.silent(i, next)?;
            match self.code.instructions[next] {
                Instruction::Read { site, array, index, to } => {
                    self.step(i, site)?;
                    let index = self.evaluate(i, site, index)?;
                    let cell = self.cell(array, index);
                    let value = self.lookup(i, site, cell)?;
                    self.machine.log.read(i, cell);
                    self.visited(i, site, AccessMode::Rd, cell, None);
                    self.machine.slots[base + to as usize] = value;
                }
                Instruction::Write { site, array, index, payload } => {
                    self.step(i, site)?;
                    let index = self.evaluate(i, site, index)?;
                    let payload = self.evaluate(i, site, payload)?;
                    let cell = self.cell(array, index);
                    let written = self.watch.is_some().then(|| payload.to_natural());
                    self.machine.log.write(i, cell, payload);
                    self.visited(i, site, AccessMode::Wr, cell, written);
                }
                Instruction::Atomic { site, atomic, to } => {
                    self.step(i, site)?;
                    let code = self.code;
                    let value = self.update(i, site, &code.atomics[atomic as usize])?;
                    self.machine.slots[base + to as usize] = value;
                }
                Instruction::Sync { site, scope } => {
                    self.step(i, site)?;
                    self.machine.counters[i as usize] = next as u32 + 1;
                    self.machine.made[i as usize] += u32::from(scope < BarrierScope::Block);
                    return Ok(Some((site, scope)));
                }
                Instruction::End => {
                    self.machine.counters[i as usize] = next as u32;
                    return Ok(None);
                }
                // They were taken.
                Instruction::Branch { .. }
                | Instruction::Jump { .. }
                | Instruction::Enter { .. }
                | Instruction::Again { .. } => continue,
            }
            self.machine.made[i as usize] += 1;
            next += 1;
        }
    }

    fn stuck(&self, thread: u32, site: Site, reason: Reason) -> Box<Stuck> {
        let (phase, thread) = (self.phase, u64::from(thread));
        Box::new(Stuck { phase, thread, site: Some(site), reason })
    }

    fn beyond(&self, thread: u32, site: Site, limit: Limit, allowed: u64) -> Box<Stuck> {
        self.stuck(thread, site, Reason::Limit { limit, allowed })
    }

    /// Pays for a step.
    pub(super) fn step(&mut self, i: u32, site: Site) -> Result<(), Box<Stuck>> {
        let allowed = self.options.limits.steps;
        if self.steps >= allowed {
            return Err(self.beyond(i, site, Limit::Steps, allowed));
        }
        self.steps += 1;
        pause();
        Ok(())
    }

    /// Is the number within the limits?
    pub(super) fn fits(&self, i: u32, site: Site, value: &Value) -> Result<(), Box<Stuck>> {
        let allowed = self.options.limits.number_bits;
        match value {
            Value::Big(k) if k.bits() > allowed.max(64) => {
                Err(self.beyond(i, site, Limit::NumberBits, allowed))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn evaluate(
        &mut self,
        i: u32,
        site: Site,
        n: Expression,
    ) -> Result<Value, Box<Stuck>> {
        let code = self.code;
        let base = i as usize * code.slots;
        let bits = self.options.limits.number_bits;
        let Machine { slots, stack, wide, .. } = &mut *self.machine;
        let value = code.evaluate(n, &slots[base..base + code.slots], stack, wide, bits);
        value.map_err(|failure| match failure {
            Failure::Unbound(name) => self.stuck(i, site, Reason::Unbound { name }),
            Failure::TooBig => self.beyond(i, site, Limit::NumberBits, bits),
        })
    }

    fn cell(&mut self, array: u32, index: Value) -> u32 {
        let stored = self.host[array as usize];
        let host = |index: &Value| {
            let stored = stored?;
            stored.cells.get(&index.to_natural()).or(stored.fill.as_ref())
        };
        self.machine.log.cell(array, index, host)
    }

    fn visited(
        &mut self,
        i: u32,
        site: Site,
        mode: AccessMode,
        cell: u32,
        written: Option<Natural>,
    ) {
        if self.watch.is_some() {
            let (phase, passed) = (self.phase, self.machine.log.groups().len());
            let (thread, cell) = (u64::from(i), self.named(cell));
            if let Some(watch) = &mut self.watch {
                watch(Visit { phase, passed, thread, site, mode, cell, written });
            }
        }
    }

    /// The cell as others know it.
    fn named(&self, cell: u32) -> Cell {
        let (array, index) = self.machine.log.cells.place(cell);
        Cell { array: self.code.arrays[*array as usize].clone(), index: index.to_natural() }
    }

    /// What a read of the cell yields.
    fn lookup(&mut self, i: u32, site: Site, cell: u32) -> Result<Value, Box<Stuck>> {
        let log = &self.machine.log;
        if let Some(value) = log.own(cell) {
            return Ok(value.clone());
        }
        let reason = match &*log.view(i, cell) {
            Content::One(value) => return Ok(value.clone()),
            Content::Undefined => Reason::Undefined { cell: self.named(cell) },
            several => {
                let (view, cell) = (several.to_lastwrite(), self.named(cell));
                match (self.options.ambiguous.choose(&cell, &view), view.clone()) {
                    (Some(value), LastWrite::Several(possible)) => {
                        self.settled(i, site, cell, value, Open::Read(possible));
                        return Ok(value.clone().into());
                    }
                    (Some(value), _) => return Ok(value.clone().into()),
                    (None, LastWrite::Several(possible)) => Reason::Ambiguous { cell, possible },
                    (None, LastWrite::One(_) | LastWrite::Undefined) => Reason::Undefined { cell },
                }
            }
        };
        Err(self.stuck(i, site, reason))
    }

    /// Performs an atomic update; the value that it yields.
    fn update(&mut self, i: u32, site: Site, atomic: &Atomic) -> Result<Value, Box<Stuck>> {
        let index = self.evaluate(i, site, atomic.index)?;
        let operand = self.evaluate(i, site, atomic.operand)?.to_natural();
        let expected = match atomic.expected {
            None => None,
            Some(n) => Some(self.evaluate(i, site, n)?.to_natural()),
        };
        let update = AtomicUpdate { op: atomic.op, operand, expected };
        let cell = self.cell(atomic.array, index);
        let value = self.chosen(i, site, cell, &update);
        self.machine.log.update(i, cell, atomic.scope, update);
        self.visited(i, site, AccessMode::At(atomic.scope), cell, None);
        Ok(value.into())
    }

    fn chosen(&mut self, i: u32, site: Site, cell: u32, update: &AtomicUpdate<Natural>) -> Natural {
        let log = &self.machine.log;
        let view = match log.own(cell) {
            Some(value) => LastWrite::One(value.to_natural()),
            None => log.view(i, cell).to_lastwrite(),
        };
        let (phase, thread, cell) = (self.phase, u64::from(i), self.named(cell));
        let query = AtomicQuery { phase, thread, site, cell: &cell, update, view: &view };
        let value = self.options.atomic_value(&query);
        self.settled(i, site, cell, &value, Open::Atomic(view));
        value
    }

    /// Notes what was settled that the calculus leaves open.
    fn settled(&mut self, i: u32, site: Site, cell: Cell, value: &Natural, open: Open) {
        let (phase, thread, value) = (self.phase, u64::from(i), value.clone());
        self.machine.choices.note(|| Choice { phase, thread, site, cell, value, open });
    }
}
