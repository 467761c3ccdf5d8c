//! Why a program did not run in compiled mode.

use crate::Located;
use crate::backend::DeviceError;
use crate::emit::EmitErrorKind;
use crate::job::JobError;
use crate::text::CompileError;
use babycuda_core::{Name, Natural, Thread};

/// Why a program did not run in compiled mode.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompiledError {
    /// No device can run the instance.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The program has no text.
    #[error(transparent)]
    Emit(#[from] Located<EmitErrorKind>),
    /// The compiler refused the text.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The device refused the launch.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A parameter without a value.
    #[error("unbound variable `{0}`")]
    Unbound(Name),
    /// A parameter that no machine word holds.
    #[error("the value {value} of `{name}` has more than 64 bits")]
    #[allow(missing_docs)]
    ParameterTooLarge { name: Name, value: Natural },
    /// The launch needs more memory than there is.
    #[error("the launch needs more memory than the device has")]
    TooLarge,
    /// What the device left is not what a run of the text leaves.
    #[error("{thread}: {kind}")]
    #[allow(missing_docs)]
    Malformed { thread: Thread, kind: Malformed },
}

/// What is wrong with what a device left.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Malformed {
    /// No such status.
    #[error("unknown status {0}")]
    Status(u32),
    /// A statement that is none, or that accesses nothing.
    #[error("statement {0} makes no access")]
    Site(u64),
    /// More accesses than there was room for.
    #[error("{0} accesses do not fit into its log")]
    Count(u32),
    /// An access of an earlier phase than the one before, or of a phase after the end.
    #[error("phase {0} is out of order")]
    Phase(u32),
    /// An access of a cell that the array does not have.
    #[error("index {0} is outside its array")]
    Index(u64),
    /// A race by a thread that the launch does not have, or after one that it does not have.
    #[error("it raced with a thread that is not there")]
    Stranger,
    /// A race of another kind of access than its statement's, or in a state that the machine does not have.
    #[error("no access of its statement races so: {0}")]
    How(u32),
    /// A thread that passed a barrier without its group.
    #[error("it passed a barrier without its group")]
    Alone,
    /// Threads of one block that ended in different phases.
    #[error("it ended in phase {0}, unlike the first thread of its block")]
    Ending(u32),
}
