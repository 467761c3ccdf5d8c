//! Register code.

use babycuda_core::expr::{ArithOp, CompareOp};
use babycuda_core::machine::{IntType, MachineOp};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Name, Site};
use std::collections::HashMap;

/// A register: a slot of 64 bits.
pub(super) type Reg = u16;

/// How often the thread's registers come first: `tid`, then `threadIdx` and `blockIdx`.
pub(super) const THREAD_REGS: usize = 7;

/// One instruction. Conditions are registers that hold 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instr {
    /// Arithmetic on naturals; a result beyond 64 bits is refused.
    Natural(ArithOp, Reg, Reg, Reg),
    /// `dst = l + r`
    Add(Reg, Reg, Reg),
    /// `dst = l * r`
    Mul(Reg, Reg, Reg),
    /// Addition of patterns, modulo a power of two.
    Wrapping(Wrap, u8, Reg, Reg, Reg),
    /// Any other machine operator.
    Machine(MachineOp, IntType, Reg, Reg, Reg),
    Cast(IntType, IntType, Reg, Reg),
    /// `dst = if c {l} else {r}`
    Select(Reg, Reg, Reg, Reg),
    Compare(CompareOp, Reg, Reg, Reg),
    And(Reg, Reg, Reg),
    Or(Reg, Reg, Reg),
    Not(Reg, Reg),
    /// Goes to the target when the register holds 0.
    Unless(Reg, u32),
    Goto(u32),
    /// What the host stored: in the input with this number, in the cell of the second register.
    Input(Reg, u16, Reg),
    /// The access with this number, of the cell in the register.
    Access(u16, Reg),
    /// `counter = lower`; leaves for the target when that is not below `upper`.
    Enter {
        counter: Reg,
        lower: Reg,
        upper: Reg,
        exit: u32,
    },
    /// The next iteration, if there is one: back to the target.
    Next {
        counter: Reg,
        upper: Reg,
        back: u32,
    },
    /// The barrier with this number.
    Sync(u16),
    /// Nothing further.
    Stuck,
    Done,
}

/// Ring operations on patterns, the same for both readings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrap {
    Add,
    Sub,
    Mul,
}

/// An access statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AccessInfo {
    pub site: Site,
    pub mode: AccessMode,
    /// Number of the array.
    pub array: usize,
    /// The loops around it, outermost first: site, variable, register of the counter.
    pub counters: Vec<(Site, Name, Reg)>,
}

/// What the host stored in a read-only input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Contents {
    /// Of cells that are not listed.
    pub fill: Option<u64>,
    pub cells: HashMap<u64, u64>,
}

/// A compiled protocol.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub instrs: Vec<Instr>,
    /// The site that each instruction belongs to.
    pub sites: Vec<Site>,
    pub accesses: Vec<AccessInfo>,
    pub barriers: Vec<(Site, BarrierScope)>,
    pub arrays: Vec<Name>,
    pub inputs: Vec<Contents>,
    /// All registers as a thread finds them: [`THREAD_REGS`] to be set, then the literals, then
    /// the rest.
    pub registers: Vec<u64>,
    /// Registers before this one keep their value for the whole launch, but for the thread's.
    pub literals_end: usize,
}
