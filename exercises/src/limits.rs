//! What an answer may use. It comes from anybody, so each of these is looked at before work is done.

use crate::grade::Fault;
use babycuda::CheckOptions;
use babycuda::semantics::{Policy, RunLimits, RunOptions};
use babycuda_core::Budget;
use std::time::Duration;

/// Bytes of an answer.
pub const BYTES: usize = 1 << 16;
/// How deep brackets may nest.
pub const DEPTH: usize = 64;
/// Threads of a block, and blocks.
pub const THREADS: u64 = 128;
/// Steps of a run.
pub const STEPS: u64 = 50_000;
/// Bits of a number.
pub const NUMBER_BITS: u64 = 2048;
/// How long an answer may take to be judged.
pub const TIME: Duration = Duration::from_secs(20);

/// The answer as text.
///
/// # Errors
/// [`Fault`], refused: it is too long, no text, or nests too deep.
pub fn readable(answer: &[u8]) -> Result<&str, Box<Fault>> {
    let step = "the answer is within the limits";
    if answer.len() > BYTES {
        let why = format!("it has {} bytes; at most {BYTES} are read", answer.len());
        return Err(Fault::refused(step, why));
    }
    let text = std::str::from_utf8(answer).map_err(|error| {
        Fault::refused("the answer can be read", format!("it is not UTF-8: {error}"))
    })?;
    let (mut depth, mut line) = (0usize, 1u32);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '\n' => line += 1,
            '\t' | '\r' => {}
            c if c.is_control() => {
                let why = format!("it has the control character {c:?}");
                return Err(Fault::refused("the answer can be read", why).at(line));
            }
            _ => {}
        }
        if depth > DEPTH {
            let why = format!("brackets nest more than {DEPTH} deep");
            return Err(Fault::refused(step, why).at(line));
        }
    }
    Ok(text)
}

/// How answers run.
pub(crate) fn running() -> RunOptions {
    let limits = RunLimits { threads: THREADS * THREADS, steps: STEPS, number_bits: NUMBER_BITS };
    RunOptions { limits, ambiguous: Policy::Stop, ..RunOptions::default() }
}

/// How answers are checked.
pub(crate) fn checking() -> CheckOptions {
    CheckOptions {
        timeout: Duration::from_secs(5),
        races: 3,
        budget: Budget::time(TIME),
        replay_steps: STEPS,
        ..CheckOptions::default()
    }
}
