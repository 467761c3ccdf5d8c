//! The instructions of a thread: a stack of values, in the order in which C evaluates.

use super::device::{Exact, Exchange, Update};
use super::group::Method;
use super::value::Shape;
use babycuda_core::expr::Relation;
use babycuda_core::syntax::{BarrierScope, Scope};
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{At, Launch};

/// An instruction, and where what it does stands in the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Instruction {
    pub(super) op: Op,
    pub(super) at: At,
}

/// What conversions tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Bool,
    Int(IntType),
    Float(u32),
}

/// What an instruction does. What it takes stands on the stack in the order of the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Op {
    /// A value.
    Push(u64),
    /// A value of which nothing is known, in place of so many.
    Forget(usize, Shape),
    /// Drops the last value.
    Pop,
    /// The last value once more.
    Dup,
    /// Exchanges the last two values.
    Swap,
    /// Drops the value before the last.
    Nip,
    /// The value that has so many behind it, once more.
    Pick(usize),
    /// `threadIdx.y` and the like.
    Launch(Launch, usize),
    WarpSize,
    /// What a clock says: how many instructions the run has done, of this type.
    Clock(IntType),
    /// The address of a variable of the function.
    Slot(usize),
    /// The address of an object of all threads.
    Object(u32),
    /// The address of a shared variable: which of its block.
    Shared(u32),
    /// An address, so many bytes further.
    Offset(u64),
    /// The value at an address.
    Load(Shape),
    /// A value, then an address: stores it there, and leaves it.
    Store(Shape),
    /// A variable of so many bytes begins to live.
    Begin(usize, u64),
    /// A parameter of the function begins to live, with the last value.
    Bind(usize, Shape),
    /// The part of an object that begins at some byte.
    Part(u64, Shape),
    /// An object of so many bytes from values at these places; the rest is 0.
    Pack(Vec<(u64, Shape)>, u64),
    /// Two numbers.
    Integer(MachineOp, IntType),
    /// A number and a count of the second type.
    Shift(MachineOp, IntType, IntType),
    Float(MachineOp, u32),
    /// The square root of a float of so many bytes, or one by it.
    Root(bool, u32),
    Negate(IntType),
    NegateFloat(u32),
    Complement(IntType),
    Not,
    Compare(Relation, IntType),
    CompareFloat(Relation, u32),
    /// An address and a count of elements: of which size, which type the count has, and whether back.
    Elements(u64, IntType, bool),
    /// How many elements of this size are between two addresses.
    Distance(u64),
    Convert(Number, Number),
    /// Of a truth value and two values, the one that it chooses; nothing is known where it is not known.
    Choose(Shape),
    Jump(usize),
    /// Jumps if the last value is false.
    Unless(usize),
    /// Calls a function by its number.
    Call(usize),
    /// Leaves the function with the last value.
    Return,
    Barrier(BarrierScope),
    /// `__syncthreads_count` and its kin, of the last value.
    Reduce(Reduce),
    /// `__syncwarp(mask)`
    SyncWarp,
    Exchange(Exchange),
    /// An address, what is expected by a compare-and-swap, and the operand.
    Atomic(Update, Shape, Option<Number>, Scope),
    Exact(Exact),
    /// A method of the group that is the last value.
    Group(Method),
    /// The thread goes no further.
    Halt(super::Halt),
    /// The same where the last value is false.
    HaltUnless(super::Halt),
    /// A construct that cannot be run.
    Unsupported(String),
}

/// What a barrier of a block makes of the truth values of its threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reduce {
    Count,
    And,
    Or,
}

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Entry {
    /// Its first instruction.
    pub(super) start: usize,
    /// How many variables it has.
    pub(super) slots: usize,
    /// How many parameters.
    pub(super) parameters: usize,
}

/// A kernel, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) instructions: Vec<Instruction>,
    pub(super) functions: Vec<Entry>,
    /// What gives the constants of the file their values.
    pub(super) constants: usize,
}
