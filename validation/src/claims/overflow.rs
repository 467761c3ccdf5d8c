//! Overflow is reported.
//!
//! ```text
//! no phase of H is racy, no atomic updates
//!     ⟹  a run reports that a natural needed more than 64 bits iff one does in the big-step run,
//!        as a value or on the way to one
//! ```
//!
//! A device must neither wrap a number silently nor withdraw from comparison without a reason. In
//! a racy program, or with atomic updates, whether there is such a number depends on the run.

use super::Judgment;
use crate::observation::Observation;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let reference = observed.reference;
    if reference.atomics || observed.faulted() || observed.determined.first_racy.is_some() {
        return Judgment::NotApplicable;
    }
    match (reference.overflows, observed.report.overflow) {
        (true, Some(_)) | (false, None) => Judgment::Holds,
        (true, None) => {
            Judgment::violated("a number needs more than 64 bits, and that is not reported")
        }
        (false, Some(place)) => {
            Judgment::violated(format!("overflow of {place}, where 64 bits are enough"))
        }
    }
}
