//! One thread: what the interpreters of all back ends do, instruction by instruction.

use crate::bytecode::arithmetic::{atomic, compare, connective, natural};
use crate::bytecode::{Instruction, Register};
use crate::image::{ENTRY_LONGS, REGISTERS, THREAD_WORDS};
use crate::numbers::status;
use babycuda_core::syntax::BarrierScope;

/// Where a thread stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    Halt,
    Barrier(BarrierScope, u32),
    OutOfFuel,
    LogFull,
    OutOfBounds(u64),
}

/// The buffers that a thread has a part in.
pub(super) struct Memory<'a> {
    /// The image's cells.
    pub(super) cells: &'a mut [u64],
    /// First cell and number of cells of each of the program's arrays.
    pub(super) arrays: &'a [u32],
    /// The thread's own part of the log.
    pub(super) log: &'a mut [u64],
}

#[derive(Clone, Debug)]
pub(super) struct Thread {
    registers: [u64; REGISTERS],
    pc: usize,
    phase: u32,
    fuel: u32,
    entries: u32,
    /// 1 + the program counter of the first overflow, or 0.
    overflow: u32,
    /// Where it stopped, unless it can go on.
    pub(super) stop: Option<Stop>,
}

impl Thread {
    /// A thread at the first instruction.
    pub(super) fn new(tid: u32, position: [u32; 3], inputs: &[u64], fuel: u32) -> Thread {
        let mut registers = [0; REGISTERS];
        registers[Register::TID.number()] = tid.into();
        for (register, component) in Register::THREAD_IDX.into_iter().zip(position) {
            registers[register.number()] = component.into();
        }
        registers[Register::FIRST_INPUT..][..inputs.len()].copy_from_slice(inputs);
        Thread { registers, pc: 0, phase: 0, fuel, entries: 0, overflow: 0, stop: None }
    }

    /// Goes on behind the barrier at which it stopped. Those of narrower scopes than the block are
    /// logged; there was a place when it stopped.
    pub(super) fn pass_barrier(&mut self, memory: &mut Memory<'_>) {
        match self.stop.take() {
            Some(Stop::Barrier(scope, _)) if scope < BarrierScope::Block => self.log(0, 0, memory),
            _ => self.phase += 1,
        }
        self.pc += 1;
    }

    /// Steps up to and including the next access, or to a stop.
    pub(super) fn step(&mut self, code: &[Instruction], memory: &mut Memory<'_>) {
        loop {
            let Some(fuel) = self.fuel.checked_sub(1) else {
                self.stop = Some(Stop::OutOfFuel);
                return;
            };
            self.fuel = fuel;
            // Verified code goes on inside itself.
            let instruction = code[self.pc];
            match instruction {
                Instruction::Halt => {
                    self.stop = Some(Stop::Halt);
                    return;
                }
                Instruction::Sync { scope, barrier } => {
                    self.stop =
                        Some(match scope < BarrierScope::Block && !self.has_place(memory) {
                            true => Stop::LogFull,
                            false => Stop::Barrier(scope, barrier),
                        });
                    return;
                }
                Instruction::Jump { to } => self.pc = to as usize,
                Instruction::Unless { condition, to } => {
                    self.pc = if self.get(condition) == 0 { to as usize } else { self.pc + 1 };
                }
                Instruction::Read { .. }
                | Instruction::Write { .. }
                | Instruction::Atomic { .. } => {
                    match self.access(instruction, memory) {
                        Ok(()) => self.pc += 1,
                        Err(stop) => self.stop = Some(stop),
                    }
                    return;
                }
                _ => {
                    self.compute(instruction);
                    self.pc += 1;
                }
            }
        }
    }

    fn get(&self, register: Register) -> u64 {
        self.registers[register.number()]
    }

    fn set(&mut self, register: Register, value: u64) {
        self.registers[register.number()] = value;
    }

    /// Sets a register to a result that may be marked as overflowed.
    fn set_marked(&mut self, register: Register, (value, overflowed): (u64, bool)) {
        self.set(register, value);
        self.mark(overflowed);
    }

    fn mark(&mut self, overflowed: bool) {
        if overflowed && self.overflow == 0 {
            // Verified code has fewer than 2^32 instructions.
            self.overflow = self.pc as u32 + 1;
        }
    }

    /// An instruction that touches registers only.
    fn compute(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Const { to, value } => self.set(to, value),
            Instruction::Move { to, from } => self.set(to, self.get(from)),
            Instruction::Natural { op, to, left, right } => {
                self.set_marked(to, natural(op, self.get(left), self.get(right)));
            }
            Instruction::Machine { op, of, to, left, right } => {
                self.set(to, op.apply(of, self.get(left), self.get(right)));
            }
            Instruction::Cast { source, target, to, from } => {
                self.set(to, source.convert(self.get(from), target));
            }
            Instruction::Select { to, condition, then, otherwise } => {
                let chosen = if self.get(condition) != 0 { then } else { otherwise };
                self.set(to, self.get(chosen));
            }
            Instruction::Compare { op, to, left, right } => {
                self.set(to, compare(op, self.get(left), self.get(right)).into());
            }
            Instruction::Connective { op, to, left, right } => {
                self.set(to, connective(op, self.get(left), self.get(right)).into());
            }
            Instruction::Not { to, from } => self.set(to, (self.get(from) == 0).into()),
            Instruction::Halt
            | Instruction::Read { .. }
            | Instruction::Write { .. }
            | Instruction::Atomic { .. }
            | Instruction::Jump { .. }
            | Instruction::Unless { .. }
            | Instruction::Sync { .. } => {}
        }
    }

    /// An access, with its entry in the log.
    fn access(&mut self, instruction: Instruction, memory: &mut Memory<'_>) -> Result<(), Stop> {
        match instruction {
            Instruction::Read { to, array, index } => {
                let (cell, index) = self.cell(array, index, memory)?;
                let value = memory.cells[cell];
                self.log(index, value, memory);
                self.set(to, value);
            }
            Instruction::Write { array, index, value } => {
                let (cell, index) = self.cell(array, index, memory)?;
                let value = self.get(value);
                self.log(index, value, memory);
                memory.cells[cell] = value;
            }
            Instruction::Atomic { op, to, array, index, operand, expected } => {
                let (cell, index) = self.cell(array, index, memory)?;
                let old = memory.cells[cell];
                self.log(index, old, memory);
                let (new, overflowed) = atomic(op, old, self.get(operand), self.get(expected));
                memory.cells[cell] = new;
                self.mark(overflowed);
                self.set(to, old);
            }
            _ => {}
        }
        Ok(())
    }

    /// The position of a cell in memory, and its index, when it exists and its access has a place
    /// in the log.
    fn cell(&self, array: u32, index: Register, memory: &Memory<'_>) -> Result<(usize, u64), Stop> {
        let index = self.get(index);
        let [first, cells] = [0, 1].map(|word| memory.arrays[2 * array as usize + word]);
        if index >= u64::from(cells) {
            return Err(Stop::OutOfBounds(index));
        }
        if !self.has_place(memory) {
            return Err(Stop::LogFull);
        }
        Ok((first as usize + index as usize, index))
    }

    fn has_place(&self, memory: &Memory<'_>) -> bool {
        (self.entries as usize) < memory.log.len() / ENTRY_LONGS
    }

    /// Logs what there is a place for.
    fn log(&mut self, index: u64, value: u64, memory: &mut Memory<'_>) {
        let entry = &mut memory.log[self.entries as usize * ENTRY_LONGS..][..ENTRY_LONGS];
        entry.copy_from_slice(&[self.pc as u64 | u64::from(self.phase) << 32, index, value]);
        self.entries += 1;
    }

    /// The thread's result; only what stopped has one.
    pub(super) fn result(&self) -> [u32; THREAD_WORDS] {
        let (status, index) = match self.stop {
            Some(Stop::Halt) | None => (status::HALTED, 0),
            Some(Stop::Barrier(..)) => (status::BARRIER, 0),
            Some(Stop::OutOfFuel) => (status::OUT_OF_FUEL, 0),
            Some(Stop::LogFull) => (status::LOG_FULL, 0),
            Some(Stop::OutOfBounds(index)) => (status::OUTSIDE, index),
        };
        let [low, high] = [index as u32, (index >> 32) as u32];
        let pc = self.pc as u32;
        [status, pc, self.entries, self.overflow, self.phase, self.fuel, low, high]
    }
}
