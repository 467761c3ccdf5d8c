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
use babycuda_gpu::report::without_updates;

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
    let scoped = observed.reference.instance.program.body.scoped_barrier().is_some();
    if let Some(phase) = scoped.then(|| other_stages(observed, complete)).flatten() {
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
    match observed.report.phase(first as u32).is_racy() {
        true => Judgment::Holds,
        false => Judgment::violated(format!(
            "phase {first} of the big-step history is racy, and the log has no race there"
        )),
    }
}

/// The first of the phases without races in which barriers of tiles and warps order the accesses
/// otherwise than in the history.
fn other_stages(observed: &Observation<'_>, complete: usize) -> Option<usize> {
    let (determined, logged) = (&observed.determined, observed.report.phases());
    let compared = determined.outcome.history().chronological().zip(logged);
    let mut compared = compared.take(determined.phases().min(complete));
    let other = compared.find(|((_, phase), logged)| without_updates(phase) != *logged);
    other.map(|((number, _), _)| number)
}

fn ended(first: usize, complete: usize) -> Judgment {
    Judgment::violated(format!(
        "phase {first} of the big-step history is racy, and the run has {complete} phases"
    ))
}
