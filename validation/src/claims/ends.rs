//! Ends are those of interleavings.
//!
//! ```text
//! a racy program ends, accesses and leaves the memory as one of its interleavings does
//! ```
//!
//! Where there are few, all of them are visited, without a look at the log. So this claim and the
//! one on values, which searches for an interleaving of the log, check each other. Where there are
//! many, the order which that search found is what the program's threads step in, again without a
//! look at the log, and the end must be the run's.

use super::{Judgment, interleaving};
use crate::finish::Finish;
use crate::observation::Observation;
use crate::order;
use babycuda_gpu::report::Status;
use babycuda_semantics::interleavings::EndKind;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let kind = match &observed.report.status {
        Status::Done => EndKind::Done,
        Status::Divergence(_) => EndKind::Diverged,
        // No interleaving ends so.
        Status::Waits(_)
        | Status::OutOfFuel(_)
        | Status::LogFull(_)
        | Status::OutOfBounds { .. } => {
            return Judgment::NotApplicable;
        }
    };
    if observed.determined.first_racy.is_none() {
        return Judgment::NotApplicable;
    }
    match observed.reference.ends() {
        Some((ends, _)) if ends.iter().any(|end| is_end(observed, end, &kind)) => Judgment::Holds,
        Some((_, all)) => {
            none_ends_so(observed, format!("it ends like none of {all} interleavings"))
        }
        None => in_the_order_found(observed, &kind),
    }
}

/// The judgment where no interleaving ends as the run does.
fn none_ends_so(observed: &Observation<'_>, why: String) -> Judgment {
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

/// The judgment by the interleaving that explains the log, if one was found.
fn in_the_order_found(observed: &Observation<'_>, kind: &EndKind) -> Judgment {
    let Some(order) = interleaving::order(observed) else {
        return match interleaving::check(observed) {
            Judgment::BeyondInterleavings(_) => Judgment::NotApplicable,
            _ => Judgment::Undecided,
        };
    };
    match order::end(observed.reference, order) {
        Ok(Some(end)) if is_end(observed, &end, kind) => Judgment::Holds,
        Ok(_) => Judgment::violated("the interleaving that explains its log ends otherwise"),
        Err(_) => Judgment::Undecided,
    }
}

/// Is this how the report ends?
fn is_end(observed: &Observation<'_>, end: &Finish, kind: &EndKind) -> bool {
    let holds = |(array, index, value): &(usize, Option<u64>, Option<u64>)| {
        let held = index.and_then(|index| observed.value(*array, index));
        held.is_some() && held == *value
    };
    end.kind == *kind && end.intervals == observed.accesses && end.memory.iter().all(holds)
}
