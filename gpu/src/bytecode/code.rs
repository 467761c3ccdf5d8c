//! Compiled programs.

use super::Faulty;
use super::instruction::Instruction;
use super::verify::{VerifyErrorKind, verify};
use babycuda_core::{AccessMode, Name, Site};

/// A compiled program: verified instructions, and what ties them to the program they came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    instructions: Vec<Instruction>,
    /// Per instruction: the statement it came from, and how it accesses an array.
    origins: Vec<Origin>,
    arrays: Vec<Name>,
    inputs: Vec<Name>,
}

/// Where an instruction came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Origin {
    pub(super) site: Option<Site>,
    pub(super) mode: Option<AccessMode>,
}

impl Code {
    /// Verified code, each instruction with its origin.
    pub(super) fn new(
        code: impl IntoIterator<Item = (Instruction, Origin)>,
        arrays: Vec<Name>,
        inputs: Vec<Name>,
    ) -> Result<Code, Faulty<VerifyErrorKind>> {
        let (instructions, origins): (Vec<_>, _) = code.into_iter().unzip();
        verify(&instructions, arrays.len(), inputs.len())?;
        Ok(Code { instructions, origins, arrays, inputs })
    }

    /// The instructions.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The arrays that the program accesses; instructions refer to them by position.
    pub fn arrays(&self) -> &[Name] {
        &self.arrays
    }

    /// The free variables that have one value for all threads of a block; the values are in the
    /// registers from [`FIRST_INPUT`](super::Register::FIRST_INPUT) on.
    pub fn inputs(&self) -> &[Name] {
        &self.inputs
    }

    /// The statement that the instruction `pc` came from; `None` for `halt`, and outside the code.
    pub fn site(&self, pc: u32) -> Option<Site> {
        self.origins.get(pc as usize)?.site
    }

    /// How the instruction `pc` accesses which array, by position; `None` if it accesses none.
    pub fn access(&self, pc: u32) -> Option<(AccessMode, u32)> {
        let array = self.instructions.get(pc as usize)?.accessed()?;
        Some((self.origins.get(pc as usize)?.mode?, array))
    }
}
