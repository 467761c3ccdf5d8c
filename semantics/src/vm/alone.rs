//! Threads by themselves: the small steps of each one, which sees whatever it is told.
//!
//! What [`advance`](crate::interleavings::advance) does by substitution, on compiled code; property
//! tests hold the two equal.

use super::code::{Code, Expression, Instruction};
use super::machine::{Execution, Machine};
use super::value::Value;
use crate::instance::Instance;
use crate::interleavings::TooLarge;
use crate::options::{AtomicPolicy, Policy, RunLimits, RunOptions};
use crate::outcome::{Reason, Stuck};
use babycuda_core::expr::Unbound;
use babycuda_core::syntax::{AtomicUpdate, BarrierScope};
use babycuda_core::{AccessMode, Name, Natural, Site};

/// Silent steps from one access or barrier to the next, and numbers of any size.
static OPTIONS: RunOptions = RunOptions {
    limits: RunLimits { threads: u64::MAX, steps: 1 << 24, number_bits: u64::MAX },
    ambiguous: Policy::Stop,
    atomics: AtomicPolicy::Alone,
};

/// What a thread does next, as [`interleavings::Next`](crate::interleavings::Next) has it. Arrays are
/// numbers of [`Code::arrays`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Next {
    /// Writes the value to the cell.
    Write { array: usize, index: Natural, value: Natural },
    /// Reads the cell.
    Read { array: usize, index: Natural },
    /// Updates the cell.
    Atomic { array: usize, index: Natural, mode: AccessMode, update: AtomicUpdate<Natural> },
    /// Waits there, for the group of this scope.
    Barrier(Site, BarrierScope),
    /// Nothing any more.
    End,
}

impl Next {
    /// How it accesses a cell, of which array, and at which index; unless it accesses none.
    pub fn access(&self) -> Option<(AccessMode, usize, &Natural)> {
        match self {
            Next::Write { array, index, .. } => Some((AccessMode::Wr, *array, index)),
            Next::Read { array, index } => Some((AccessMode::Rd, *array, index)),
            Next::Atomic { array, index, mode, .. } => Some((*mode, *array, index)),
            Next::Barrier(..) | Next::End => None,
        }
    }
}

/// The threads of a block, each where it is.
pub struct Threads<'a>(Execution<'a, 'static>);

impl Code {
    /// The arrays that it accesses.
    pub fn arrays(&self) -> &[Name] {
        &self.arrays
    }

    /// Has it barriers of other scopes than the block?
    pub fn is_scoped(&self) -> bool {
        self.scoped
    }
}

impl Machine {
    /// The threads of the block of `instance` at their start; `code` is its program, compiled.
    pub fn threads<'a>(&'a mut self, code: &'a Code, instance: &'a Instance) -> Threads<'a> {
        // A block of more threads is beyond all limits.
        let threads = u32::try_from(instance.block().len()).unwrap_or(u32::MAX);
        self.prepare(code, instance, threads);
        Threads(Execution::new(code, &OPTIONS, Vec::new(), self))
    }
}

impl Threads<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.machine.counters.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a thread does after its silent steps.
    ///
    /// # Errors
    /// [`TooLarge`]: too many of these, or a free variable.
    pub fn next(&mut self, thread: usize) -> Result<Next, TooLarge> {
        self.silently(thread as u32).map_err(|stuck| match stuck.reason {
            Reason::Unbound { name } => TooLarge::Unbound(Unbound(name)),
            _ => TooLarge::Steps,
        })
    }

    /// The thread does what is next, and sees this value, if it sees any.
    pub fn go_on(&mut self, thread: usize, seen: Natural) {
        let Execution { code, machine, .. } = &mut self.0;
        let counter = &mut machine.counters[thread];
        match code.instructions[*counter as usize] {
            Instruction::Read { to, .. } | Instruction::Atomic { to, .. } => {
                machine.slots[thread * code.slots + to as usize] = seen.into();
            }
            Instruction::End => return,
            _ => {}
        }
        *counter += 1;
    }

    fn silently(&mut self, i: u32) -> Result<Next, Box<Stuck>> {
        let run = &mut self.0;
        run.steps = 0;
        let next = run.silent(i, run.machine.counters[i as usize] as usize)?;
        run.machine.counters[i as usize] = next as u32;
        let code = run.code;
        let mut number = |site: Site, n: Expression| match run.evaluate(i, site, n)? {
            Value::Small(k) => Ok(Natural::from(k)),
            value => Ok::<_, Box<Stuck>>(value.to_natural()),
        };
        Ok(match code.instructions[next] {
            Instruction::Write { site, array, index, payload } => {
                let (index, value) = (number(site, index)?, number(site, payload)?);
                Next::Write { array: array as usize, index, value }
            }
            Instruction::Read { site, array, index, .. } => {
                Next::Read { array: array as usize, index: number(site, index)? }
            }
            Instruction::Atomic { site, atomic, .. } => {
                let atomic = &code.atomics[atomic as usize];
                let index = number(site, atomic.index)?;
                let operand = number(site, atomic.operand)?;
                let expected = atomic.expected.map(|n| number(site, n)).transpose()?;
                let update = AtomicUpdate { op: atomic.op, operand, expected };
                let (array, mode) = (atomic.array as usize, AccessMode::At(atomic.scope));
                Next::Atomic { array, index, mode, update }
            }
            Instruction::Sync { site, scope } => Next::Barrier(site, scope),
            _ => Next::End,
        })
    }
}

impl Execution<'_, '_> {
    /// Takes the silent steps of a thread from an instruction on, up to one that is not.
    pub(super) fn silent(&mut self, i: u32, mut next: usize) -> Result<usize, Box<Stuck>> {
        let base = i as usize * self.code.slots;
        loop {
            match self.code.instructions[next] {
                Instruction::Branch { site, condition, otherwise } => {
                    self.step(i, site)?;
                    if self.evaluate(i, site, condition)? == Value::Small(0) {
                        next = otherwise as usize;
                        continue;
                    }
                }
                Instruction::Jump { to } => {
                    next = to as usize;
                    continue;
                }
                Instruction::Enter { site, lower, upper, counter, exit } => {
                    self.step(i, site)?;
                    let lower = self.evaluate(i, site, lower)?;
                    let upper = self.evaluate(i, site, upper)?;
                    let again = lower.compare(&upper).is_lt();
                    let counter = base + counter as usize;
                    self.machine.slots[counter] = lower;
                    self.machine.slots[counter + 1] = upper;
                    if !again {
                        next = exit as usize;
                        continue;
                    }
                }
                Instruction::Again { site, counter, body } => {
                    self.step(i, site)?;
                    let counter = base + counter as usize;
                    let value = self.machine.slots[counter].successor();
                    self.fits(i, site, &value)?;
                    self.machine.wide |= matches!(value, Value::Big(_));
                    let again = value.compare(&self.machine.slots[counter + 1]).is_lt();
                    self.machine.slots[counter] = value;
                    if again {
                        next = body as usize;
                        continue;
                    }
                }
                _ => return Ok(next),
            }
            next += 1;
        }
    }
}
