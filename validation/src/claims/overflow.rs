//! Overflow is reported.
//!
//! ```text
//! no phase of H is racy, no atomic updates
//!     ⟹  a run reports a number of more than 64 bits iff the big-step run has one
//! ```
//!
//! A device must neither wrap a number silently nor withdraw from comparison without a reason. In
//! a racy program, or with atomic updates, whether there is such a number depends on the run.

use super::Judgment;
use crate::observation::Observation;
use babycuda_semantics::vm::{Ending, Machine};
use babycuda_semantics::{Limit, Limits, Options, Policy, Reason};

/// What fits.
const BITS: u64 = 64;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let reference = observed.reference;
    if reference.atomics || observed.faulted() || observed.determined.first_racy.is_some() {
        return Judgment::NotApplicable;
    }
    let limits = Limits { number_bits: BITS, ..Limits::default() };
    let options = Options { limits, ambiguous: Policy::Stop, ..Options::default() };
    let mut machine = Machine::default();
    let run = machine.run(&reference.code, &reference.instance, &options);
    let expected = match run.ending() {
        Ending::Done | Ending::Diverged(_) => false,
        Ending::Stuck(stuck) => match stuck.reason {
            Reason::Limit { limit: Limit::NumberBits, .. } => true,
            Reason::Limit { limit: Limit::Threads | Limit::Steps, .. }
            | Reason::Undefined { .. }
            | Reason::Ambiguous { .. }
            | Reason::Unbound { .. }
            | Reason::Barrier
            | Reason::NoPhase => return Judgment::Undecided,
        },
    };
    match (expected, observed.report.overflow) {
        (true, Some(_)) | (false, None) => Judgment::Holds,
        (true, None) => Judgment::violated("a number has more than 64 bits, and was not reported"),
        (false, Some(place)) => {
            Judgment::violated(format!("overflow of {place}, where every number has 64 bits"))
        }
    }
}
