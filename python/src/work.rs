//! Calls of the library: in a thread of their own, without Python's lock, within limits, and with no panic that leaves them.

use crate::errors::plain;
use babycuda_core::budget::{Budget, Stop};
use pyo3::prelude::*;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a call may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Seconds.
    pub time: f64,
    /// Megabytes, beyond what the process has before.
    pub memory: u64,
}

/// Why a call did not come to its end.
#[derive(Clone, Debug)]
pub(crate) enum Cut {
    /// The time was over.
    Time(f64),
    /// The memory was.
    Memory(u64),
    /// A defect.
    Panic(String),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Time(limit) => write!(f, "time limit of {limit} s passed"),
            Cut::Memory(limit) => write!(f, "memory limit of {limit} MB passed"),
            Cut::Panic(message) => write!(f, "this is a defect of babycuda: {message}"),
        }
    }
}

impl Cut {
    /// As an exception.
    pub(crate) fn exception(&self, py: Python<'_>) -> PyErr {
        let class = match self {
            Cut::Time(_) | Cut::Memory(_) => "LimitError",
            Cut::Panic(_) => "InternalError",
        };
        plain(py, class, &self.to_string())
    }
}

/// Room for the recursion of parsers that we did not write; ours get more where they need it.
const STACK: usize = 8 << 20;

/// How often Python is asked for signals, and the memory is measured.
const PERIOD: Duration = Duration::from_millis(20);

/// So long what is stopped may take to end; then it is left alone.
const PATIENCE: Duration = Duration::from_millis(500);

/// Flags that no call has at present: they live as long as the process.
static FLAGS: Mutex<Vec<Stop>> = Mutex::new(Vec::new());

/// Takes a flag for a call.
fn flag() -> Stop {
    let free = FLAGS.lock().unwrap_or_else(PoisonError::into_inner).pop();
    free.unwrap_or_else(Stop::leaked)
}

/// Gives a flag back when the thread that looks at it ends.
struct Given(Stop);

impl Drop for Given {
    fn drop(&mut self) {
        self.0.clear();
        FLAGS.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// Does `work`, which gets its budget. `Ok(Err(_))`: it did not come to its end.
///
/// # Errors
/// What a handler of signals raised: `KeyboardInterrupt`.
pub(crate) fn apart<T: Send + 'static>(
    py: Python<'_>,
    limits: Limits,
    work: impl FnOnce(Budget) -> T + Send + 'static,
) -> PyResult<Result<T, Cut>> {
    let (before, start) = (memory(), Instant::now());
    let stop = flag();
    let (send, mut result) = channel();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let given = Given(stop);
        let budget = Budget::time(Duration::from_secs_f64(limits.time)).stopped_by(stop);
        // What pauses ends with the flag; what has limits of its own gets the budget.
        let guarded = || Budget::UNLIMITED.stopped_by(stop).within(|| work(budget));
        let done = catch_unwind(AssertUnwindSafe(guarded));
        drop(given);
        // Nobody waits any more when the call was left alone.
        let _ = send.send(match done {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(Cut::Time(limits.time)),
            Err(payload) => Err(Cut::Panic(message(&*payload))),
        });
    });
    if thread.is_err() {
        return Ok(Err(Cut::Memory(limits.memory)));
    }
    let time = Duration::from_secs_f64(limits.time);
    // What gives up in good order gets the chance to do so.
    let most = time + (time / 10).clamp(PATIENCE, 6 * PATIENCE);
    loop {
        if let Some(done) = py.detach(|| next(&mut result, PERIOD)) {
            return Ok(done);
        }
        let cut = if start.elapsed() > most {
            Cut::Time(limits.time)
        } else if memory().saturating_sub(before) > limits.memory.saturating_mul(1 << 20) {
            Cut::Memory(limits.memory)
        } else {
            match py.check_signals() {
                Ok(()) => continue,
                Err(interrupt) => {
                    stop.set();
                    // What does not end now goes on until its own limits, and nobody hears of it.
                    py.detach(|| next(&mut result, PATIENCE));
                    return Err(interrupt);
                }
            }
        };
        stop.set();
        let late = py.detach(|| next(&mut result, PATIENCE));
        return Ok(late.and_then(Result::ok).ok_or(cut));
    }
}

/// What arrives in this time.
fn next<T>(result: &mut Receiver<Result<T, Cut>>, within: Duration) -> Option<Result<T, Cut>> {
    match result.recv_timeout(within) {
        Ok(done) => Some(done),
        Err(RecvTimeoutError::Disconnected) => Some(Err(Cut::Panic("a thread is gone".into()))),
        Err(RecvTimeoutError::Timeout) => None,
    }
}

/// Does `work` here: for what is short.
///
/// # Errors
/// `InternalError` when it panics.
pub(crate) fn here<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|payload| Cut::Panic(message(&*payload)).exception(py))
}

/// What the process has in memory, in bytes.
fn memory() -> u64 {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64)
}

/// What a panic said.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
