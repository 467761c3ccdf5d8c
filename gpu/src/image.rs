//! What a device runs: programs, inputs and memory as flat buffers (`BYTECODE.md`, Image).

use crate::numbers::{header, result};

/// Words of a program's header.
pub const PROGRAM_WORDS: usize = header::WORDS;
/// Words of an instruction.
pub const INSTRUCTION_WORDS: usize = 4;
/// Longs of a log entry.
pub const ENTRY_LONGS: usize = 3;
/// Words of a thread's result.
pub const THREAD_WORDS: usize = result::WORDS;
/// Registers of a thread.
pub const REGISTERS: usize = 128;

/// The buffers of one launch; `BYTECODE.md` says what stands where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// Threads of a workgroup: at least those of the largest program.
    pub workgroup: u32,
    /// [`PROGRAM_WORDS`] a program, one workgroup each.
    pub programs: Vec<u32>,
    /// [`INSTRUCTION_WORDS`] an instruction.
    pub code: Vec<u32>,
    /// First cell and number of cells of each array.
    pub arrays: Vec<u32>,
    /// Uniform inputs.
    pub inputs: Vec<u64>,
    /// The cells of all arrays before the launch.
    pub memory: Vec<u64>,
    /// How many entries the logs of all threads have room for.
    pub log_entries: usize,
    /// Threads of all programs.
    pub threads: usize,
}

impl Image {
    /// How many programs.
    pub fn len(&self) -> usize {
        self.programs.len() / PROGRAM_WORDS
    }

    /// No programs at all?
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }
}

/// What the device left in the buffers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// The cells of all arrays after the launch.
    pub memory: Vec<u64>,
    /// [`ENTRY_LONGS`] an entry; entries that no thread wrote hold anything.
    pub log: Vec<u64>,
    /// [`THREAD_WORDS`] a thread.
    pub threads: Vec<u32>,
}
