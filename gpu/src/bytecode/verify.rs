//! What interpreters need not check.

use super::Faulty;
use super::instruction::{Instruction, Register};
use crate::image::REGISTERS;
use crate::numbers::STOP_GROUPS;
use babycuda_core::syntax::{AtomicOp, BarrierScope};
use std::collections::BTreeMap;

/// Why no interpreter may be given a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyErrorKind {
    /// There is no instruction to begin with.
    #[error("the program is empty")]
    Empty,
    /// More instructions than a program counter counts.
    #[error("the program is too long")]
    TooLong,
    /// Execution would go on behind the last instruction.
    #[error("the last instruction is neither `halt` nor `jump`")]
    FallsThrough,
    /// A jump out of the program.
    #[error("a jump to {0}, which is outside the program")]
    Target(u32),
    /// An access to an array that the program does not have.
    #[error("there is no array {0}")]
    Array(u32),
    /// A barrier whose number means something else.
    #[error("{0} is no number of a barrier")]
    Barrier(u32),
    /// A barrier that has another scope elsewhere.
    #[error("barrier {0} has two scopes")]
    Scopes(u32),
    /// A tile whose threads are no power of two.
    #[error("`sync.{0}`: a tile has a power of two of threads")]
    Tile(BarrierScope),
    /// An update other than `cas` that expects a value.
    #[error("only `cas` expects a value")]
    Expected,
    /// More uniform inputs than registers.
    #[error("{0} inputs do not fit into the registers")]
    Inputs(usize),
}

/// Checks that a program with this many arrays and uniform inputs may be given to an interpreter:
/// it has a first instruction, goes on inside itself whatever happens, has the arrays that it
/// accesses, each barrier has one scope, and its inputs fit into the registers. Operations and
/// registers are right by type.
///
/// # Errors
/// The first [`VerifyErrorKind`].
pub fn verify(
    instructions: &[Instruction],
    arrays: usize,
    inputs: usize,
) -> Result<(), Faulty<VerifyErrorKind>> {
    let error = |pc, kind| Err(Faulty { pc, kind });
    let Some(last) = instructions.last() else {
        return error(0, VerifyErrorKind::Empty);
    };
    // An entry of a log has 32 bits for the program counter, a thread's result one less for marks.
    if instructions.len() >= u32::MAX as usize {
        return error(instructions.len(), VerifyErrorKind::TooLong);
    }
    if inputs > REGISTERS - Register::FIRST_INPUT {
        return error(0, VerifyErrorKind::Inputs(inputs));
    }
    let mut scopes: BTreeMap<u32, BarrierScope> = BTreeMap::new();
    for (pc, instruction) in instructions.iter().enumerate() {
        if let Some(to) = instruction.target()
            && to as usize >= instructions.len()
        {
            return error(pc, VerifyErrorKind::Target(to));
        }
        if let Some(array) = instruction.accessed()
            && array as usize >= arrays
        {
            return error(pc, VerifyErrorKind::Array(array));
        }
        if let Instruction::Sync { scope, barrier } = *instruction {
            if barrier >= STOP_GROUPS {
                return error(pc, VerifyErrorKind::Barrier(barrier));
            }
            if let BarrierScope::Tile(threads) = scope
                && !threads.is_power_of_two()
            {
                return error(pc, VerifyErrorKind::Tile(scope));
            }
            if *scopes.entry(barrier).or_insert(scope) != scope {
                return error(pc, VerifyErrorKind::Scopes(barrier));
            }
        }
        if let Instruction::Atomic { op, expected, .. } = *instruction
            && op != AtomicOp::Cas
            && expected != Instruction::NOTHING_EXPECTED
        {
            return error(pc, VerifyErrorKind::Expected);
        }
    }
    match last {
        Instruction::Halt | Instruction::Jump { .. } => Ok(()),
        _ => error(instructions.len() - 1, VerifyErrorKind::FallsThrough),
    }
}
