//! Differences are explained.
//!
//! ```text
//! b ill-typed, H its big-step history when the updates of each phase come thread after thread:
//! a run accesses what H does; or it differs from a racy phase of H on; or, with atomic updates,
//! it is what H is with the values that they yielded
//! ```
//!
//! Data decides what an ill-typed program accesses, and only a race or the order of atomic updates
//! can change data from one run to another. (THEORY T6 and the note on what comes after the first
//! racy phase.)

use super::Judgment;
use crate::observation::Observation;
use babycuda_gpu::report::Status;
use babycuda_semantics::vm::Ending;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a run of an ill-typed program is what it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Explanation {
    /// It accesses what the big-step history does, and ends so.
    SameAccesses,
    /// It differs, from the first racy phase on or later.
    DiffersFromTheFirstRacyPhase,
    /// It differs before any racy phase, because of what atomic updates yielded.
    OrderOfAtomics,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Explanation::SameAccesses => "same accesses",
            Explanation::DiffersFromTheFirstRacyPhase => "differs from the first racy phase on",
            Explanation::OrderOfAtomics => "the order of atomics decides",
        })
    }
}

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    if observed.reference.lambda.is_some() {
        return Judgment::NotApplicable;
    }
    match explain(observed) {
        Some(_) => Judgment::Holds,
        None => Judgment::violated(
            "it differs from its big-step history, without a race or an atomic update before",
        ),
    }
}

/// The explanation, if there is one.
pub(super) fn explain(observed: &Observation<'_>) -> Option<Explanation> {
    let Some(different) = first_difference(observed) else {
        return Some(Explanation::SameAccesses);
    };
    if observed.reference.run.first_racy.is_some_and(|racy| racy <= different) {
        return Some(Explanation::DiffersFromTheFirstRacyPhase);
    }
    // Updates explain a phase if the history that has their values has its accesses.
    let determined = &observed.determined;
    let same = observed.accesses.get(different) == determined.accesses.get(different);
    let undetermined = determined.phases() <= different;
    let explained = observed.reference.atomics && (same || undetermined || observed.faulted());
    explained.then_some(Explanation::OrderOfAtomics)
}

/// The first phase of the run that is not the big-step history's: by its accesses, or because one
/// of the two ends there, or ends in another way.
fn first_difference(observed: &Observation<'_>) -> Option<usize> {
    let expected = &observed.reference.run.accesses;
    let complete = observed.complete();
    let different = |k: &usize| observed.accesses.get(*k) != expected.get(*k);
    let last = observed.report.last_phase as usize;
    (0..complete).find(different).or_else(|| (!same_end(observed)).then_some(last))
}

/// Does the run end as the big-step run, or by a fault in one of its phases?
fn same_end(observed: &Observation<'_>) -> bool {
    let last = observed.report.last_phase as usize;
    let run = &observed.reference.run;
    let phases = run.accesses.len();
    match &observed.report.status {
        Status::Done => last + 1 == phases && run.ending == Ending::Done,
        Status::Divergence(seen) => {
            let same = matches!(&run.ending, Ending::Diverged(expected) if expected == seen);
            last + 1 == phases && same
        }
        Status::Waits(_)
        | Status::OutOfFuel(_)
        | Status::LogFull(_)
        | Status::OutOfBounds { .. } => last < phases,
    }
}
