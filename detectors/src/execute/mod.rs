//! Kernels run: one launch of a kernel of the typed tree, under one schedule.
//!
//! Memory is of bytes, as C lays them out. Integers are C's: what it leaves undefined (signed overflow, a
//! shift by too much, a division by 0) stops the thread that computes it, as THEORY §4 has it. Floats are
//! known where the result is a float itself, so that no rounding matters, or between bounds in which each device's
//! is; what is not known may be stored, but a branch or an address that rests on it ends the run. An index outside of an array is a cell of its own.
//!
//! A schedule says whose turn it is. A turn goes up to the thread's next access of memory that others see,
//! or further ([`Schedule`]). Groups go on when all their threads wait at one barrier; lanes exchange values
//! when all that a mask names have come, which orders nothing.
//!
//! This is no translation of the kernel: it shares nothing with the front end's but the tree, and tests
//! hold what both say of memory equal.

mod arithmetic;
mod bounds;
mod code;
mod compile;
mod device;
mod group;
mod lanes;
mod memory;
mod operate;
mod record;
mod schedule;
mod setup;
mod thread;
mod value;

use crate::Refusal;
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::Trace;
use babycuda_core::{Configuration, Name, Thread};
use babycuda_kernel::{At, Kernel};
use std::collections::BTreeMap;

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Each thread runs up to its next barrier or exchange, in the order of threads.
    InOrder,
    /// A thread that is chosen at random runs up to its next access; the seed.
    Random(u64),
}

/// How long a run may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Instructions of all threads together.
    pub steps: u64,
    /// Accesses and barriers.
    pub events: usize,
    /// Bytes of memory that was stored.
    pub bytes: u64,
    /// Threads of the launch.
    pub threads: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 50_000_000, events: 4_000_000, bytes: 1 << 28, threads: 1 << 16 }
    }
}

/// What happened in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The accesses and barriers, in order. The sites are those of [`site`](crate::site).
    pub trace: Trace,
    /// For each event of the trace, what a plain write stored in the cell, as a bit pattern; `None`: it is no
    /// plain write, or what it stored is not known or longer than 8 bytes.
    pub stored: Vec<Option<u64>>,
    /// How each thread ended, in the order of [`Launch::all`](babycuda_core::Launch::all).
    pub ends: Vec<End>,
    /// What the device's arrays hold: the cells of which that is known, near to where something was stored.
    /// All others hold what they held, or something that is not known.
    pub memory: HostMemory,
    /// How many bytes a cell of each array has.
    pub cells: BTreeMap<Name, u64>,
    /// Why it ended before all threads did.
    pub stop: Option<Stop>,
}

/// How a thread ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It came to the end of the kernel.
    Returned,
    /// It went no further.
    Halted(Halt, At),
    /// It waits for others.
    Waiting(At),
    /// The run ended before.
    Unfinished,
}

/// Why a thread goes no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Halt {
    /// A signed result that is no value of its type.
    #[error("a signed overflow")]
    Overflow,
    /// A division by 0.
    #[error("a division by 0")]
    Division,
    /// A shift by a negative count, or by as many bits as there are.
    #[error("a shift by too much")]
    Shift,
    /// `__trap()`
    #[error("a trap")]
    Trap,
    /// `assert` of what does not hold.
    #[error("an assertion that fails")]
    Assertion,
}

/// Why a run ended before all threads did.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// No group goes on, and some thread waits: it, and another one of the narrowest group that waits, with the
    /// barrier where that waits, if it does not have ended. For groups narrower than the block, CUDA is laxer
    /// (THEORY §4).
    #[error("thread {} waits at a barrier of its {scope} that thread {} does not reach", first.0, second.0)]
    #[allow(missing_docs)]
    Divergence { scope: BarrierScope, first: (Thread, At), second: (Thread, Option<At>) },
    /// Others wait for a thread that goes no further.
    #[error("thread {thread} goes no further ({halt}), and others wait for it")]
    #[allow(missing_docs)]
    Halted { thread: Thread, halt: Halt, at: At },
    /// A construct that cannot be run.
    #[error("thread {thread} comes to what cannot be run: {construct}")]
    #[allow(missing_docs)]
    Unsupported { construct: String, thread: Thread, at: At },
    /// What comes next rests on a value that is not known: of a float that is not exact, of a variable
    /// that has none, or of a function that is not computed.
    #[error("{what} of thread {thread} rests on a value that is not known")]
    #[allow(missing_docs)]
    Unknown { what: &'static str, thread: Thread, at: At },
    /// An address of nothing, or of what is another thread's or block's.
    #[error("thread {thread} accesses what is not there for it")]
    #[allow(missing_docs)]
    Outside { thread: Thread, at: At },
    /// A limit.
    #[error("the limit of {0}")]
    Limit(&'static str),
}

impl Stop {
    /// Where it stands, if at one place.
    pub fn at(&self) -> Option<At> {
        match self {
            Stop::Divergence { first: (_, at), .. }
            | Stop::Halted { at, .. }
            | Stop::Unsupported { at, .. }
            | Stop::Unknown { at, .. }
            | Stop::Outside { at, .. } => Some(*at),
            Stop::Limit(_) => None,
        }
    }
}

/// Runs a kernel. What the host stored is said by arrays and by elements of their declared types; all else
/// holds 0, textures too. Of a shared array that is named and has no fill, the rest is not known.
///
/// # Errors
/// [`Refusal`]: the tree is none, a parameter has no value, or the launch is too large.
pub fn run(
    kernel: &Kernel,
    configuration: &Configuration,
    schedule: Schedule,
    limits: &Limits,
) -> Result<Run, Refusal> {
    let launch = configuration.launch;
    let threads = launch.grid.count().saturating_mul(launch.block.count());
    if threads > limits.threads {
        return Err(Refusal::Limit("room for threads"));
    }
    if threads == 0 || launch.warp == 0 {
        return Err(Refusal::Configuration("a launch without threads".to_owned()));
    }
    let threads: Vec<Thread> = launch.all().collect();
    begin(kernel, configuration, &threads, schedule, limits)
}

/// Runs some threads of a launch, of whatever size, while all others have done nothing yet: the beginning of a run. Nobody
/// passes a barrier that another one has to reach, too. [`Run::ends`] is of these threads, in their order.
///
/// # Errors
/// [`Refusal`], as [`run`]; a thread that the launch does not have, or more than there is room for.
pub fn begin(
    kernel: &Kernel,
    configuration: &Configuration,
    threads: &[Thread],
    schedule: Schedule,
    limits: &Limits,
) -> Result<Run, Refusal> {
    crate::detector::accept(kernel)?;
    let launch = configuration.launch;
    if threads.len() as u64 > limits.threads {
        return Err(Refusal::Limit("room for threads"));
    }
    let (blocks, size) = (launch.grid.count(), launch.block.count());
    if launch.warp == 0 || threads.iter().any(|t| t.block >= blocks || t.index >= size) {
        return Err(Refusal::Configuration("threads that the launch does not have".to_owned()));
    }
    if let Some([x, y, z]) = kernel.block.filter(|block| *block != launch.block.components()) {
        return Err(Refusal::Configuration(format!("the kernel wants blocks of ({x},{y},{z})")));
    }
    let setup = setup::setup(kernel, configuration, threads)?;
    let code = compile::compile(kernel, &setup.layout);
    Ok(schedule::run(setup, &code, launch, threads, schedule, limits))
}
