//! Values are of an interleaving.
//!
//! ```text
//! there is an interleaving of the threads' accesses in which each read and each update yields the
//! value in the log, and after which each cell holds what it does in the report
//! ```
//!
//! Of every program; of racy ones it is all that can be said of values. It is decided in three
//! steps: whether the values of each cell alone are possible, which every device must grant; whether
//! an interleaving explains the log; and, for small racy programs, whether a visit of all of the
//! program's interleavings, which knows nothing of the log, comes to the same accesses and memory.

use super::{Effort, Judgment};
use crate::coherence;
use crate::observation::Observation;
use crate::order::{Found, Question, search};
use crate::threads::{CellId, Run};
use babycuda_core::Cell;
use babycuda_gpu::report::Status;
use babycuda_semantics::interleavings::{End, EndKind, Limits, Reduction, explore};

/// The most threads of a program whose interleavings are visited.
const VISITED_THREADS: usize = 4;

pub(super) fn check(observed: &Observation<'_>, effort: Effort) -> Judgment {
    let Ok(runs) = &observed.runs else {
        // That is the violation of another claim.
        return Judgment::NotApplicable;
    };
    let report = observed.report;
    let cells = (0u32..).zip(&report.arrays).flat_map(|(array, contents)| {
        (0u64..).zip(&contents.cells).map(move |(index, value)| ((array, index), *value))
    });
    let before = |cell| before(observed, cell);
    if let Err(incoherent) = coherence::check(runs, report.last_phase, &before, cells) {
        return Judgment::violated(incoherent);
    }
    match searched(observed, runs, &before, effort) {
        Judgment::Holds => visited(observed, effort),
        other => other,
    }
}

/// What the host stored in the cell.
fn before(observed: &Observation<'_>, (array, index): CellId) -> Option<u64> {
    let array = observed.report.arrays.get(array as usize)?;
    observed.reference.instance.host.get(&Cell::new(array.name.clone(), index))?.to_u64()
}

/// Does an interleaving explain the log?
fn searched(
    observed: &Observation<'_>,
    runs: &[Run],
    before: &dyn Fn(CellId) -> Option<u64>,
    effort: Effort,
) -> Judgment {
    let report = observed.report;
    let after = |(array, index): CellId| {
        let array = report.arrays.get(array as usize)?;
        array.cells.get(usize::try_from(index).ok()?).copied()
    };
    let last_phase = report.last_phase;
    let question = Question { runs, last_phase, before, after: &after };
    match search(&question, effort.moves) {
        Found::Interleaving => Judgment::Holds,
        Found::None => Judgment::BeyondInterleavings(
            "no interleaving has the values of the log and of the memory".to_owned(),
        ),
        Found::Undecided => Judgment::Undecided,
    }
}

/// Is it among all interleavings of a racy program, where they are few?
fn visited(observed: &Observation<'_>, effort: Effort) -> Judgment {
    let kind = match &observed.report.status {
        Status::Done => EndKind::Done,
        Status::Divergence(_) => EndKind::Diverged,
        Status::OutOfFuel(_) | Status::LogFull(_) | Status::OutOfBounds { .. } => {
            return Judgment::Holds;
        }
    };
    let small = observed.report.threads.len() <= VISITED_THREADS;
    if observed.determined.first_racy.is_none() || effort.steps == 0 || !small {
        return Judgment::Holds;
    }
    let limits = Limits { steps: effort.steps, ..Limits::default() };
    match explore(&observed.reference.instance, Reduction::SleepSets, &limits) {
        // The search has its witness; that there are more interleavings than can be visited here
        // takes nothing from it.
        Err(_) => Judgment::Holds,
        Ok(all) if all.ends.iter().any(|end| is_end(observed, end, &kind)) => Judgment::Holds,
        Ok(all) => Judgment::violated(format!(
            "an interleaving of the log was found, and none of the {} ends of the program is it",
            all.ends.len()
        )),
    }
}

/// Is this how the report ends?
fn is_end(observed: &Observation<'_>, end: &End, kind: &EndKind) -> bool {
    let report = observed.report;
    let holds = |(cell, value): (&Cell, &babycuda_core::Natural)| {
        let index = cell.index.to_u64();
        let held = index.and_then(|index| report.value(&cell.array, index));
        held.is_some() && held == value.to_u64()
    };
    end.kind == *kind && end.intervals == observed.accesses && end.memory.iter().all(holds)
}
