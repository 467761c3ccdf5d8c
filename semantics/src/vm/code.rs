//! Compiled programs: instructions over slots.

use babycuda_core::expr::{ArithOp, BoolOp};
use babycuda_core::machine::MachineOp;
use babycuda_core::syntax::{AtomicOp, BarrierScope, Scope};
use babycuda_core::{CompareOp, IntType, Name, Natural, Site};

/// A compiled program: [`compile`](Code::compile) once, run often.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// The expressions, in postfix order; an [`Expression`] is a range of it.
    pub(super) operations: Vec<Operation>,
    pub(super) atomics: Vec<Atomic>,
    /// Literals from 2^64 on.
    pub(super) literals: Vec<Natural>,
    pub(super) arrays: Vec<Name>,
    /// The free variables; they have the first slots.
    pub(super) free: Vec<Free>,
    /// How many slots a thread needs.
    pub(super) slots: usize,
    /// Is there a barrier of another scope than a block?
    pub(super) scoped: bool,
}

/// A free variable.
#[derive(Clone, Debug)]
pub(super) struct Free {
    pub(super) name: Name,
    pub(super) kind: Kind,
}

/// Which threads agree on the value of a free variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `tid`
    Tid,
    /// `threadIdx`, in a dimension.
    ThreadIdx(usize),
    /// All threads of the block agree.
    Uniform,
}

/// A range of [`Code::operations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Expression {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// One operation of an expression, on a stack of numbers; conditions are 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Slot(u32),
    Constant(u64),
    Literal(u32),
    Natural(ArithOp),
    Machine(MachineOp, IntType),
    Cast(IntType, IntType),
    /// Condition on top, below it the alternative, below that the consequence.
    Select,
    Compare(CompareOp),
    Connective(BoolOp),
    Not,
}

/// One instruction. `Enter` and `Again` are the two ends of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instruction {
    Read { site: Site, array: u32, index: Expression, to: u32 },
    Write { site: Site, array: u32, index: Expression, payload: Expression },
    Atomic { site: Site, atomic: u32, to: u32 },
    Branch { site: Site, condition: Expression, otherwise: u32 },
    Jump { to: u32 },
    Enter { site: Site, lower: Expression, upper: Expression, counter: u32, exit: u32 },
    Again { site: Site, counter: u32, body: u32 },
    Sync { site: Site, scope: BarrierScope },
    End,
}

/// The operands of an atomic update.
#[derive(Clone, Debug)]
pub(super) struct Atomic {
    pub(super) array: u32,
    pub(super) index: Expression,
    pub(super) op: AtomicOp,
    pub(super) operand: Expression,
    pub(super) expected: Option<Expression>,
    pub(super) scope: Scope,
}
