//! What cannot be printed.

use crate::Located;
use babycuda_core::syntax::{BarrierScope, Space};
use babycuda_core::{IntType, Name};

pub(super) type EmitError = Located<EmitErrorKind>;

/// Why a program has no text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitErrorKind {
    /// A variable that nothing binds.
    #[error("unbound variable `{0}`")]
    Unbound(Name),
    /// An array that is not declared.
    #[error("undeclared array `{0}`")]
    Undeclared(Name),
    /// A number that does not fit into a machine word.
    #[error("a number of {bits} bits: 64 are the most that a device has")]
    #[allow(missing_docs)]
    Number { bits: u64 },
    /// A shared array whose length the text must state.
    #[error("the length of shared array `{0}` must be known")]
    Length(Name),
    /// A shared array that is longer than a text can declare.
    #[error("shared array `{name}` has {length} cells; {MAX_SHARED} are the most")]
    #[allow(missing_docs)]
    TooLong { name: Name, length: String },
    /// A barrier that not all threads of a block, or of its group, need reach together.
    #[error("the barrier is below a guard or in a loop that may differ between threads")]
    Barrier,
    /// A barrier of another scope than a block, which the language has not.
    #[error("`sync.{scope}`: {why}")]
    #[allow(missing_docs)]
    Scope { scope: BarrierScope, why: &'static str },
    /// An atomic update of elements for which no device has one.
    #[error("`{0}` is updated atomically, but devices do not update elements of type {1}")]
    Atomic(Name, IntType),
    /// An atomic update of data that the calculus does not compute with.
    #[error("an atomic update whose operator is not known")]
    Opaque,
    /// Words of a monitored text that do not hold what they must tell apart.
    #[error(
        "words of {} memory need {needed} bits for the state, the thread, its block and its barriers, and have {bits}",
        match space { Space::Global => "global", Space::Shared => "shared" }
    )]
    #[allow(missing_docs)]
    Word { space: Space, needed: u32, bits: u32 },
    /// A machine that no monitored text has.
    #[error("the machine is none over threads, warps and blocks of fewer than 128 states")]
    Machine,
    /// A program whose text would be too large.
    #[error("the text would have more than {MAX_NODES} operators")]
    TooLarge,
}

/// Cells that a shared array of a text may have.
pub const MAX_SHARED: u64 = 1 << 20;

/// Operators, variables and literals that a text may have. (Shared subterms are printed once for
/// each place where they occur.)
pub const MAX_NODES: usize = 1 << 20;

impl EmitErrorKind {
    /// The error in a declaration.
    pub(super) fn declared(self) -> EmitError {
        Located { kind: self, site: None, span: None }
    }
}
