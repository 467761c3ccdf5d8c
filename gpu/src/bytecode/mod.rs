//! The bytecode that every back end runs (`BYTECODE.md`): instructions, their encoding, a
//! verifier, a disassembler, and the compiler from programs.
//!
//! ```
//! use babycuda_core::parse::parse_program;
//! use babycuda_gpu::bytecode::compile;
//!
//! let program = parse_program("let x = A[tid] in A[tid] := x + N").unwrap();
//! let code = compile(&program).unwrap();
//! assert_eq!(
//!     code.to_string().lines().collect::<Vec<_>>(),
//!     [
//!         "; inputs: r4 = N",
//!         "0 #0 r5 := A[r0]",
//!         "1 #1 r6 := r5 + r4",
//!         "2 #1 A[r0] := r6",
//!         "3    halt",
//!     ]
//! );
//! ```

pub mod arithmetic;
mod code;
mod compile;
mod disassemble;
mod encode;
mod expression;
mod instruction;
mod verify;

pub use code::Code;
pub use compile::{CompileErrorKind, compile};
pub use encode::{DecodeErrorKind, decode, encode};
pub use instruction::{Instruction, Register};
pub use verify::{VerifyErrorKind, verify};

/// An instruction that is none, or that no interpreter may be given: which, and why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("instruction {pc}: {kind}")]
pub struct Faulty<Kind> {
    /// The number of the instruction.
    pub pc: usize,
    /// What is wrong.
    pub kind: Kind,
}
