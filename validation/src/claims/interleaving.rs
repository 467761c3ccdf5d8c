//! Values are of an interleaving.
//!
//! ```text
//! there is an interleaving of the threads' accesses in which each read and each update yields the
//! value in the log, and after which each cell holds what it does in the report
//! ```
//!
//! Of every program; of racy ones it is all that can be said of values. First the values of each cell
//! alone must be possible, which every device grants; then an interleaving must explain the log.

use super::Judgment;
use crate::coherence;
use crate::observation::Observation;
use crate::order::{Found, Question, search};
use crate::threads::{CellId, Run};
use babycuda_core::Cell;

/// Moves of the search for an interleaving.
const MOVES: usize = 1 << 14;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    observed.explained.get_or_init(|| explained(observed)).clone()
}

fn explained(observed: &Observation<'_>) -> Judgment {
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
    searched(observed, runs, &before)
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
) -> Judgment {
    let report = observed.report;
    let after = |(array, index): CellId| {
        let array = report.arrays.get(array as usize)?;
        array.cells.get(usize::try_from(index).ok()?).copied()
    };
    let last_phase = report.last_phase;
    let question = Question { runs, last_phase, before, after: &after };
    match search(&question, MOVES) {
        Found::Interleaving => Judgment::Holds,
        Found::None => Judgment::BeyondInterleavings(
            "no interleaving has the values of the log and of the memory".to_owned(),
        ),
        Found::Undecided => Judgment::Undecided,
    }
}
