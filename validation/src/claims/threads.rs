//! Threads follow their program.
//!
//! ```text
//! for every thread i: the small steps of b[tid := i], in which each read and each update yields
//! the value in the log, are the accesses in the log, with the values that it writes; the thread
//! passes as many barriers as the report says, those that all others pass, and stops where it says
//! ```
//!
//! Of every program, racy or not, well-typed or not.

use super::Judgment;
use crate::observation::Observation;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let runs = match &observed.runs {
        Ok(runs) => runs,
        Err(departure) => return Judgment::violated(departure),
    };
    let mut barriers = (0u64..).zip(runs.iter().map(|run| &run.barriers));
    let Some((_, first)) = barriers.next() else { return Judgment::Holds };
    match barriers.find(|(_, other)| *other != first) {
        None => Judgment::Holds,
        Some((thread, other)) => Judgment::violated(format!(
            "thread 0 passed the barriers {first:?}, and thread {thread} {other:?}"
        )),
    }
}
