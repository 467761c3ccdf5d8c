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
use crate::due::Due;
use crate::observation::Observation;
use babycuda_core::Site;
use babycuda_gpu::report::{Passed, Status, Stop};
use babycuda_protocols::map::{Ending, Lambda};

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    let Some(lambda) = &observed.reference.lambda else { return Judgment::NotApplicable };
    let held = ending(observed, lambda)
        .and_then(|()| {
            let threads = 0..observed.report.threads.len();
            threads.into_iter().try_for_each(|i| thread(observed, i))
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

/// Does the log of thread `i` have its accesses of Λ, as far as it ran?
fn thread(observed: &Observation<'_>, i: usize) -> Result<(), String> {
    let (report, own) = (observed.report, &observed.report.threads[i]);
    let last = report.last_phase as usize;
    let dues = observed.reference.dues.get(i).map_or(&[][..], Vec::as_slice);
    let mut dues = dues.iter().take_while(|due| due.phase <= last);
    // How many barriers of narrower scopes the thread passed in the phase, up to an entry.
    let passed = |phase: u32, entries: usize| {
        let before = |passed: &&Passed| passed.phase == phase && passed.after as usize <= entries;
        own.passed.iter().filter(before).count()
    };
    for (number, entry) in own.log.iter().enumerate() {
        let found = Due {
            phase: entry.phase as usize,
            passed: passed(entry.phase, number),
            site: entry.site,
            mode: entry.mode,
            array: observed.arrays.get(entry.array as usize).copied().unwrap_or(usize::MAX),
            index: Some(entry.index),
        };
        if dues.next() != Some(&found) {
            return Err(format!(
                "entry {number} of thread {i}, {}, is not its access of the protocol",
                describe(observed, &found)
            ));
        }
    }
    let next = dues.next();
    let stopped = |at: Site| next.is_some_and(|due| (due.phase, due.site) == (last, at));
    // Nothing comes before the next barrier of the thread, of whatever scope.
    let passed = passed(report.last_phase, own.log.len());
    let at_barrier = next.is_none_or(|due| due.passed > passed);
    let complete = match own.stop {
        Stop::End => next.is_none(),
        Stop::Barrier(_) => at_barrier,
        Stop::OutOfFuel(_) => true,
        Stop::LogFull(site) => stopped(site) || at_barrier,
        Stop::OutOfBounds(site) => {
            let outside =
                |due: &Due| due.index.and_then(|j| observed.value(due.array, j)).is_none();
            stopped(site) && next.is_some_and(outside)
        }
    };
    if complete {
        return Ok(());
    }
    let next = next.map_or_else(|| "nothing".to_owned(), |due| describe(observed, due));
    Err(format!("thread {i} stopped {:?}; the protocol has {next} there", own.stop))
}

fn describe(observed: &Observation<'_>, due: &Due) -> String {
    let Due { phase, passed, site, mode, array, index } = *due;
    let behind = if passed > 0 { format!(" behind {passed} barriers") } else { String::new() };
    let array = observed.reference.code.arrays().get(array).map_or("?", |name| name.as_str());
    let index = index.map_or_else(|| "beyond 64 bits".to_owned(), |index| index.to_string());
    format!("{mode} {array}[{index}] of statement {site} in phase {phase}{behind}")
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
