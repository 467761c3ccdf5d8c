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
use babycuda_core::launch::Group;
use babycuda_core::{AccessMode, Cell, Site};
use babycuda_gpu::Report;
use babycuda_gpu::report::{Passed, Status, Stop};
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
        Status::Waits(_)
        | Status::OutOfFuel(_)
        | Status::LogFull(_)
        | Status::OutOfBounds { .. } => last < phases,
    };
    let ending = &lambda.ending;
    let status = &observed.report.status;
    let differ = || format!("phase {last}: {status}; the protocol has {phases} phases: {ending:?}");
    if same { Ok(()) } else { Err(differ()) }
}

/// What is compared of an access: its phase, how many barriers of narrower scopes its thread had
/// passed in it, and what it does.
type Logged = (usize, usize, Site, AccessMode, Cell);

/// Does the log of thread `i` have its accesses of Λ, as far as it ran?
fn thread(report: &Report, lambda: &Lambda, i: usize) -> Result<(), String> {
    let ran = lambda.phases.iter().enumerate().take(report.last_phase as usize + 1);
    let mut expected = ran.flat_map(|(phase, accesses)| {
        // They stand thread by thread.
        let start = accesses.events.partition_point(|event| event.thread < i as u64);
        let own = accesses.events[start..].iter().take_while(move |e| e.thread == i as u64);
        let holds = move |group: &&Group| (group.first..group.end).contains(&(i as u64));
        let passed = move |stage: usize| accesses.barriers.iter().take(stage).filter(holds).count();
        own.map(move |AccessEvent { site, mode, cell, stage, .. }| {
            (phase, passed(*stage), *site, *mode, cell)
        })
    });
    let own = &report.threads[i];
    let passed = |phase: u32, entries: usize| {
        let before = |passed: &&Passed| passed.phase == phase && passed.after as usize <= entries;
        own.passed.iter().filter(before).count()
    };
    for (number, entry) in own.log.iter().enumerate() {
        let cell = report.cell(entry);
        let before = passed(entry.phase, number);
        let found = (entry.phase as usize, before, entry.site, entry.mode, &cell);
        if expected.next() != Some(found) {
            return Err(format!(
                "entry {number} of thread {i}, {}, is not its access of the protocol",
                describe((found.0, found.1, found.2, found.3, cell.clone()))
            ));
        }
    }
    let next = expected.next();
    let next =
        next.map(|(phase, passed, site, mode, cell)| (phase, passed, site, mode, cell.clone()));
    let last = report.last_phase as usize;
    let stopped =
        |at: Site| next.as_ref().is_some_and(|(k, _, site, ..)| (*k, *site) == (last, at));
    // Nothing comes before the next barrier of the thread, of whatever scope.
    let passed = passed(report.last_phase, own.log.len());
    let at_barrier = next.as_ref().is_none_or(|(_, before, ..)| *before > passed);
    let complete = match own.stop {
        Stop::End => next.is_none(),
        Stop::Barrier(_) => at_barrier,
        Stop::OutOfFuel(_) => true,
        Stop::LogFull(site) => stopped(site) || at_barrier,
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

fn describe((phase, passed, site, mode, cell): Logged) -> String {
    let behind = if passed > 0 { format!(" behind {passed} barriers") } else { String::new() };
    format!("{mode} {cell} of statement {site} in phase {phase}{behind}")
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
