//! Races are in the log.
//!
//! ```text
//! H the big-step history, f its first racy phase
//!     ⟹  every run accesses what H does in every phase before f (all phases, if there is no f),
//!        in the same stages and with the same values written,
//!        and in phase f two of its threads access one cell in conflicting modes
//! ```
//!
//! T6, in the form that holds of every run that completes the phases, not of some interleaving
//! only. If the phase f of a run were race-free, look at its first access that H lacks, or the first
//! of H that it lacks: the thread read a value that another one stored in that phase, so the phase
//! was racy. The values that atomic updates yield are taken from the run
//! ([`Determined`](crate::observation::Determined)).

use super::Judgment;
use crate::observation::Observation;
use crate::stages::{Stages, is_racy};

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let determined = &observed.determined;
    let complete = observed.complete();
    for phase in 0..determined.phases().min(complete) {
        if observed.accesses.get(phase) != determined.accesses.get(phase) {
            return Judgment::violated(format!(
                "the accesses of phase {phase} are not those of the big-step history, which is \
                 race-free up to there"
            ));
        }
    }
    if let Some(phase) = other_stages(observed, complete) {
        return Judgment::violated(format!(
            "the stages of phase {phase} are not those of the big-step history, or other values \
             are written in them"
        ));
    }
    let Some(first) = determined.first_racy else { return Judgment::Holds };
    if first >= complete {
        // The run ended before: by a fault, or wrongly, which is what the claim on threads is about.
        return if observed.faulted() { Judgment::NotApplicable } else { ended(first, complete) };
    }
    // Phases of a report are counted by words.
    match is_racy(observed.report, first as u32) {
        true => Judgment::Holds,
        false => Judgment::violated(format!(
            "phase {first} of the big-step history is racy, and the log has no race there"
        )),
    }
}

/// The first of the phases without races in which barriers of tiles and warps order the accesses
/// otherwise than in the history.
fn other_stages(observed: &Observation<'_>, complete: usize) -> Option<usize> {
    let stages = observed.determined.stages.iter().enumerate();
    let mut phases = stages.take(observed.determined.phases().min(complete));
    // Phases of a report are counted by words.
    let other = phases.find(|(number, stages)| {
        **stages != Stages::of_report(observed.report, &observed.arrays, *number as u32)
    });
    other.map(|(number, _)| number)
}

fn ended(first: usize, complete: usize) -> Judgment {
    Judgment::violated(format!(
        "phase {first} of the big-step history is racy, and the run has {complete} phases"
    ))
}
