//! Values are of an interleaving.
//!
//! ```text
//! there is an interleaving of the threads' accesses in which each read and each update yields the
//! value in the log, and after which each cell holds what it does in the report
//! ```
//!
//! Of every program; of racy ones it is all that can be said of values. The values of each cell
//! alone must be possible, which every device grants; then an interleaving must explain the log.

use super::Judgment;
use crate::coherence::{describe, incoherent};
use crate::observation::Observation;
use crate::order::{Found, Question, search};
use crate::threads::{CellId, Run, Step};
use babycuda_core::Cell;
use babycuda_core::launch::Group;
use std::ops::Range;

/// Threads that the search for an interleaving asks.
const WORK: usize = 1 << 17;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    explained(observed).0.clone()
}

/// The order of accesses that explains the log, by thread, if one was found.
pub(super) fn order<'a>(observed: &'a Observation<'_>) -> Option<&'a [usize]> {
    explained(observed).1.as_deref()
}

fn explained<'a>(observed: &'a Observation<'_>) -> &'a (Judgment, Option<Vec<usize>>) {
    observed.explained.get_or_init(|| match &observed.runs {
        Ok(runs) => searched(observed, runs),
        // That is the violation of another claim.
        Err(_) => (Judgment::NotApplicable, None),
    })
}

/// The threads in turn, phase by phase: does this interleaving explain the log? It does where they do not
/// interfere. The order of accesses, by thread.
fn in_turn(observed: &Observation<'_>, runs: &[Run], stored: &[Vec<u64>]) -> Option<Vec<usize>> {
    let report = observed.report;
    if report.threads.iter().any(|own| !own.passed.is_empty()) {
        // Barriers of tiles and warps make other turns.
        return None;
    }
    let mut memory = stored.to_vec();
    let mut order = Vec::with_capacity(runs.iter().map(|run| run.steps.len()).sum());
    for phase in 0..=report.last_phase {
        for (thread, run) in runs.iter().enumerate() {
            for Step { cell: (array, index), effect, .. } in run.phase(phase) {
                let index = usize::try_from(*index).ok()?;
                let held = memory.get_mut(*array as usize)?.get_mut(index)?;
                if effect.seen().is_some_and(|seen| seen != *held) {
                    return None;
                }
                *held = effect.stored().unwrap_or(*held);
                order.push(thread);
            }
        }
    }
    let left = memory.iter().eq(report.arrays.iter().map(|array| &array.cells));
    left.then_some(order)
}

/// Does an interleaving explain the log?
fn searched(observed: &Observation<'_>, runs: &[Run]) -> (Judgment, Option<Vec<usize>>) {
    let report = observed.report;
    let stored = observed.reference.stored(report);
    if let Some(order) = stored.as_ref().and_then(|stored| in_turn(observed, runs, stored)) {
        return (Judgment::Holds, Some(order));
    }
    let before = |(array, index): CellId| {
        let cells = stored.as_ref()?.get(array as usize)?;
        cells.get(usize::try_from(index).ok()?).copied()
    };
    let after = |(array, index): CellId| {
        let array = report.arrays.get(array as usize)?;
        array.cells.get(usize::try_from(index).ok()?).copied()
    };
    let last_phase = report.last_phase;
    let group = |group: &Group| group.first as usize..group.end as usize;
    let meetings = (0..=last_phase).map(|phase| report.meetings(phase).iter().map(group).collect());
    let meetings: Vec<Vec<Range<usize>>> = meetings.collect();
    let meetings = &meetings;
    let question = Question { runs, last_phase, meetings, before: &before, after: &after };
    let found = search(&question, WORK);
    let cells = (0u32..).zip(&report.arrays).flat_map(|(array, contents)| {
        (0u64..).zip(&contents.cells).map(move |(index, _)| (array, index))
    });
    // An interleaving explains the cells that are accessed; and others must be what they were.
    if let Some((array, index)) = incoherent(&question, cells, &found) {
        let cell = Cell::new(report.arrays[array as usize].name.clone(), index);
        let seen = describe(&question, (array, index));
        let why = format!("no order of the accesses to {cell} explains its values: {seen}");
        return (Judgment::Violated(why), None);
    }
    let judgment = match found {
        Found::Interleaving(order) => return (Judgment::Holds, Some(order)),
        Found::None => Judgment::BeyondInterleavings(
            "no interleaving has the values of the log and of the memory".to_owned(),
        ),
        Found::Undecided => Judgment::Undecided,
    };
    (judgment, None)
}
