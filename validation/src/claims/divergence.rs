//! Divergence is reported.
//!
//! ```text
//! no phase of H is racy  ⟹  every run ends as the big-step run does: done, or diverging after the
//!                           same phase with the same two threads at the same places
//! ```
//!
//! No run hangs, and the pair that a report names is one of its threads' stops.

use super::Judgment;
use crate::observation::Observation;
use babycuda_core::Site;
use babycuda_core::evidence::Divergence;
use babycuda_gpu::Report;
use babycuda_gpu::report::{Status, Stop};
use babycuda_semantics::vm::Ending;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let status = &observed.report.status;
    if let Status::Divergence(seen) = status
        && !is_of_the_stops(seen, observed.report)
    {
        return Judgment::violated(format!("{seen}: no two threads stopped so"));
    }
    let Some(expected) = observed.determined.determined() else { return Judgment::NotApplicable };
    match (expected, status) {
        (Ending::Done, Status::Done) => Judgment::Holds,
        (Ending::Diverged(expected), Status::Divergence(seen)) if expected == seen => {
            Judgment::Holds
        }
        (_, Status::Done | Status::Divergence(_)) => {
            Judgment::violated(format!("{status}, where the big-step run is {expected:?}"))
        }
        (
            _,
            Status::Waits(_)
            | Status::OutOfFuel(_)
            | Status::LogFull(_)
            | Status::OutOfBounds { .. },
        ) => Judgment::NotApplicable,
    }
}

/// Did two threads stop where it says, at different places?
fn is_of_the_stops(seen: &Divergence, report: &Report) -> bool {
    let stopped_at = |(thread, place): (u64, Option<Site>)| {
        let thread = usize::try_from(thread).ok().and_then(|thread| report.threads.get(thread));
        let stop = place.map_or(Stop::End, Stop::Barrier);
        thread.is_some_and(|thread| thread.stop == stop)
    };
    seen.phase == report.last_phase as usize
        && seen.first.1 != seen.second.1
        && stopped_at(seen.first)
        && stopped_at(seen.second)
}
