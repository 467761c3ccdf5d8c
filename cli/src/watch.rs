//! Limits on a whole command.
//!
//! The library looks at the clock wherever its work may be long, and gives up in good order. All
//! other work ends here: the command runs in a thread of its own, and when the time or the memory
//! is used up, the process ends without waiting for it.

use crate::args::LimitArgs;
use babycuda_core::budget::Exhausted;
use std::fmt;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The limit that passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overrun {
    /// `--time-limit`
    Time(Duration),
    /// `--memory-limit`, in megabytes
    Memory(u64),
    /// The thread of the command ended without a result: it panicked, and said so.
    Panic,
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Overrun::Time(limit) => Exhausted(*limit).fmt(f),
            Overrun::Memory(limit) => write!(f, "memory limit of {limit} MB passed"),
            Overrun::Panic => f.write_str("internal error"),
        }
    }
}

impl Overrun {
    /// What a user can do about it.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Overrun::Time(_) => "--time-limit allows more",
            Overrun::Memory(_) => "--memory-limit allows more",
            Overrun::Panic => "this is a defect of babycuda",
        }
    }
}

/// Room for the recursion of parsers that we did not write; ours get more where they need it.
const STACK: usize = 8 << 20;

/// How often the memory is measured.
const PERIOD: Duration = Duration::from_millis(20);

/// Is the memory within the limit?
fn measure(limits: LimitArgs) -> Result<(), Overrun> {
    let used = memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64);
    match used > limits.memory_limit.saturating_mul(1 << 20) {
        true => Err(Overrun::Memory(limits.memory_limit)),
        false => Ok(()),
    }
}

/// Runs `work` in a thread of its own; meanwhile `tick` hears how long it takes.
///
/// # Errors
/// [`Overrun`] when a limit passes first. The thread goes on: the caller is to end the process.
pub(crate) fn run<T: Send + 'static>(
    limits: LimitArgs,
    work: impl FnOnce() -> T + Send + 'static,
    mut tick: impl FnMut(Duration),
) -> Result<T, Overrun> {
    // What the program itself needs is not below every limit.
    measure(limits)?;
    let start = Instant::now();
    let time = Duration::from_secs_f64(limits.time_limit);
    // What gives up in good order gets the chance to do so.
    let patience = (time / 10).clamp(Duration::from_millis(500), Duration::from_secs(3));
    let (send, result) = channel();
    let worker = std::thread::Builder::new().stack_size(STACK);
    let spawned = worker.spawn(move || {
        // The receiver is gone only when the process is about to end.
        let _ = send.send(work());
    });
    if spawned.is_err() {
        return Err(Overrun::Memory(limits.memory_limit));
    }
    loop {
        match result.recv_timeout(PERIOD) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => return Err(Overrun::Panic),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if start.elapsed() > time + patience {
            return Err(Overrun::Time(time));
        }
        measure(limits)?;
        tick(start.elapsed());
    }
}
