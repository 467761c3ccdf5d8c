//! Well-typed programs access their protocol.
//!
//! ```text
//! V ⊢ b ▶ p  ∧  p ⇓ Λ1 … Λm
//!     ⟹  every run of b has m phases and ends as p does, and in phase k each thread i logs the
//!        accesses i:o[j] of Λk, in the protocol's order; they are those of the big-step history
//! ```
//!
//! T2, T4 and T5: whatever values racy reads yield. A thread that stops at the end of an array, of
//! its log or of its fuel has logged a prefix, and would have made the next access of Λ.

use super::Judgment;
use crate::observation::Observation;
use babycuda_core::{AccessMode, Cell, Site};
use babycuda_gpu::Report;
use babycuda_gpu::report::{Status, Stop};
use babycuda_protocols::map::{AccessEvent, Ending, Lambda};

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let Some(lambda) = &observed.reference.lambda else { return Judgment::NotApplicable };
    let held = ending(observed, lambda)
        .and_then(|()| {
            let threads = 0..observed.report.threads.len();
            threads.into_iter().try_for_each(|i| thread(observed.report, lambda, i))
        })
        .and_then(|()| history(observed));
    match held {
        Ok(()) => Judgment::Holds,
        Err(why) => Judgment::Violated(why),
    }
}

/// Does the run end as the protocol does, and as late?
fn ending(observed: &Observation<'_>, lambda: &Lambda) -> Result<(), String> {
    let (phases, last) = (lambda.phases.len(), observed.report.last_phase as usize);
    let same = match &observed.report.status {
        Status::Done => last + 1 == phases && lambda.ending == Ending::Done,
        Status::Divergence(seen) => {
            let (first, second) = (seen.first, seen.second);
            let expected = Ending::Divergence { first, second };
            last + 1 == phases && seen.phase == last && lambda.ending == expected
        }
        Status::OutOfFuel(_) | Status::LogFull(_) | Status::OutOfBounds { .. } => last < phases,
    };
    let ending = &lambda.ending;
    let status = &observed.report.status;
    let differ = || format!("phase {last}: {status}; the protocol has {phases} phases: {ending:?}");
    if same { Ok(()) } else { Err(differ()) }
}

/// What is compared of an access.
type Logged = (usize, Site, AccessMode, Cell);

/// Does the log of thread `i` have its accesses of Λ, as far as it ran?
fn thread(report: &Report, lambda: &Lambda, i: usize) -> Result<(), String> {
    let ran = lambda.phases.iter().enumerate().take(report.last_phase as usize + 1);
    let mut expected = ran.flat_map(|(phase, accesses)| {
        let own = accesses.events.iter().filter(move |event| event.thread == i as u64);
        own.map(move |AccessEvent { site, mode, cell, .. }| (phase, *site, *mode, cell))
    });
    let own = &report.threads[i];
    for (number, entry) in own.log.iter().enumerate() {
        let cell = report.cell(entry);
        let found = (entry.phase as usize, entry.site, entry.mode, &cell);
        if expected.next() != Some(found) {
            return Err(format!(
                "entry {number} of thread {i}, {}, is not its access of the protocol",
                describe((found.0, found.1, found.2, cell.clone()))
            ));
        }
    }
    let next = expected.next().map(|(phase, site, mode, cell)| (phase, site, mode, cell.clone()));
    let last = report.last_phase as usize;
    let stopped = |at: Site| next.as_ref().is_some_and(|(k, site, ..)| (*k, *site) == (last, at));
    let complete = match own.stop {
        Stop::End | Stop::Barrier(_) => next.is_none(),
        Stop::OutOfFuel(_) => true,
        Stop::LogFull(site) => stopped(site),
        Stop::OutOfBounds(site) => {
            stopped(site) && next.as_ref().is_some_and(|n| outside(report, n))
        }
    };
    if complete {
        return Ok(());
    }
    let next = next.map_or_else(|| "nothing".to_owned(), describe);
    Err(format!("thread {i} stopped {:?}; the protocol has {next} there", own.stop))
}

/// Does the array of the report not have the cell?
fn outside(report: &Report, (.., cell): &Logged) -> bool {
    let value = cell.index.to_u64().and_then(|index| report.value(&cell.array, index));
    value.is_none()
}

fn describe((phase, site, mode, cell): Logged) -> String {
    format!("{mode} {cell} of statement {site} in phase {phase}")
}

/// Are the complete phases those of the big-step history?
fn history(observed: &Observation<'_>) -> Result<(), String> {
    let expected = &observed.reference.run.accesses;
    let complete = observed.complete();
    match (0..complete).find(|k| observed.accesses.get(*k) != expected.get(*k)) {
        None => Ok(()),
        Some(k) => Err(format!("the accesses of phase {k} are not those of the big-step history")),
    }
}
