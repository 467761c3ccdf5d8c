//! Ends are those of interleavings.
//!
//! ```text
//! a racy program of few interleavings ends, accesses and leaves the memory as one of them does
//! ```
//!
//! All of them are visited, without a look at the log. So this claim and the one on values, which
//! searches for an interleaving of the log, check each other.

use super::{Judgment, interleaving};
use crate::observation::Observation;
use babycuda_core::{Cell, Natural};
use babycuda_gpu::report::Status;
use babycuda_semantics::interleavings::{End, EndKind};

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let kind = match &observed.report.status {
        Status::Done => EndKind::Done,
        Status::Divergence(_) => EndKind::Diverged,
        // No interleaving ends so.
        Status::OutOfFuel(_) | Status::LogFull(_) | Status::OutOfBounds { .. } => {
            return Judgment::NotApplicable;
        }
    };
    if observed.determined.first_racy.is_none() {
        return Judgment::NotApplicable;
    }
    let Some(all) = observed.reference.interleavings() else { return Judgment::Undecided };
    if all.ends.iter().any(|end| is_end(observed, end, &kind)) {
        return Judgment::Holds;
    }
    let why = format!("it ends like none of {} interleavings", all.executions);
    match interleaving::check(observed) {
        // Nobody found one.
        Judgment::Undecided => Judgment::BeyondInterleavings(why),
        // That was said already.
        Judgment::BeyondInterleavings(_) => Judgment::NotApplicable,
        Judgment::Holds | Judgment::NotApplicable | Judgment::Violated(_) => {
            Judgment::Violated(why)
        }
    }
}

/// Is this how the report ends?
fn is_end(observed: &Observation<'_>, end: &End, kind: &EndKind) -> bool {
    let report = observed.report;
    let holds = |(cell, value): (&Cell, &Natural)| {
        let index = cell.index.to_u64();
        let held = index.and_then(|index| report.value(&cell.array, index));
        held.is_some() && held == value.to_u64()
    };
    end.kind == *kind && end.intervals == observed.accesses && end.memory.iter().all(holds)
}
