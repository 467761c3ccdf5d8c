//! Instructions.

use crate::image::REGISTERS;
use babycuda_core::expr::{ArithOp, BoolOp};
use babycuda_core::syntax::{AtomicOp, BarrierScope};
use babycuda_core::{CompareOp, IntType, MachineOp};
use std::fmt;

/// A register of a thread: one of the first [`REGISTERS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(u8);

impl Register {
    /// `tid`, at the start.
    pub const TID: Register = Register(0);
    /// `threadIdx`, per dimension, at the start.
    pub const THREAD_IDX: [Register; 3] = [Register(1), Register(2), Register(3)];
    /// The number of the first uniform input.
    pub const FIRST_INPUT: usize = 4;

    /// The register of this number, if there is one.
    pub fn new(number: usize) -> Option<Register> {
        u8::try_from(number).ok().filter(|_| number < REGISTERS).map(Register)
    }

    /// Its number, below [`REGISTERS`].
    pub fn number(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// One instruction; `BYTECODE.md` says what each does. `to` is the register that it sets, or the
/// instruction that it jumps to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Instruction {
    /// The thread ends.
    Halt,
    /// A constant.
    Const { to: Register, value: u64 },
    /// A copy.
    Move { to: Register, from: Register },
    /// An operator on naturals.
    Natural { op: ArithOp, to: Register, left: Register, right: Register },
    /// An operator on machine integers.
    Machine { op: MachineOp, of: IntType, to: Register, left: Register, right: Register },
    /// A conversion between machine integers.
    Cast { source: IntType, target: IntType, to: Register, from: Register },
    /// A choice between two registers.
    Select { to: Register, condition: Register, then: Register, otherwise: Register },
    /// A comparison.
    Compare { op: CompareOp, to: Register, left: Register, right: Register },
    /// A connective of conditions.
    Connective { op: BoolOp, to: Register, left: Register, right: Register },
    /// A negation of a condition.
    Not { to: Register, from: Register },
    /// A read of a cell.
    Read { to: Register, array: u32, index: Register },
    /// A write of a cell.
    Write { array: u32, index: Register, value: Register },
    /// An atomic update of a cell; `expected` is for `cas`, and
    /// [`NOTHING_EXPECTED`](Instruction::NOTHING_EXPECTED) otherwise.
    Atomic {
        op: AtomicOp,
        to: Register,
        array: u32,
        index: Register,
        operand: Register,
        expected: Register,
    },
    /// A jump.
    Jump { to: u32 },
    /// A jump when the condition is 0.
    Unless { condition: Register, to: u32 },
    /// A barrier; tiles have a power of two of threads.
    Sync { scope: BarrierScope, barrier: u32 },
}

impl Instruction {
    /// The register in the place of what `cas` expects, for other updates.
    pub const NOTHING_EXPECTED: Register = Register(0);

    /// The array that the instruction accesses.
    pub fn accessed(self) -> Option<u32> {
        match self {
            Instruction::Read { array, .. }
            | Instruction::Write { array, .. }
            | Instruction::Atomic { array, .. } => Some(array),
            _ => None,
        }
    }

    /// The scope, if it is a barrier.
    pub fn barrier(self) -> Option<BarrierScope> {
        match self {
            Instruction::Sync { scope, .. } => Some(scope),
            _ => None,
        }
    }

    /// The instruction that it may jump to.
    pub fn target(self) -> Option<u32> {
        match self {
            Instruction::Jump { to } | Instruction::Unless { to, .. } => Some(to),
            _ => None,
        }
    }

    /// May a thread be marked as overflowed by the instruction?
    pub fn may_overflow(self) -> bool {
        match self {
            Instruction::Natural { op, .. } => matches!(op, ArithOp::Add | ArithOp::Mul),
            Instruction::Atomic { op, .. } => op == AtomicOp::Add(None),
            _ => false,
        }
    }
}
