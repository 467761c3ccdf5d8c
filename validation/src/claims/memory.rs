//! Race-free programs end in `lastwrite`.
//!
//! ```text
//! no phase of H is racy  ⟹  after every run, each cell j holds lastwrite(j, H)
//! ```
//!
//! T6. Where several atomic updates that do not commute leave several values possible, any of
//! them will do here; the claim on interleavings decides.

use super::Judgment;
use crate::observation::Observation;
use babycuda_core::history::lastwrite;
use babycuda_core::{Cell, History, LastWrite, Natural};
use std::collections::BTreeSet;

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    if observed.faulted() || observed.determined.determined().is_none() {
        return Judgment::NotApplicable;
    }
    let history = observed.determined.outcome.history();
    let changed = changed(history);
    for array in &observed.report.arrays {
        for (index, value) in (0u64..).zip(&array.cells) {
            let cell = Cell::new(array.name.clone(), index);
            let expected = match changed.contains(&cell) {
                true => lastwrite(&cell, history),
                false => {
                    history.host().get(&cell).cloned().map_or(LastWrite::Undefined, LastWrite::One)
                }
            };
            if !allows(&expected, *value) {
                return Judgment::violated(format!(
                    "{cell} holds {value}, lastwrite is {expected:?}"
                ));
            }
        }
    }
    Judgment::Holds
}

/// The cells that the history writes or updates.
fn changed(history: &History) -> BTreeSet<&Cell> {
    let accesses = history.newest_first().flat_map(|phase| phase.threads());
    accesses.flat_map(|(_, own)| own.writes.keys().chain(own.atomics.keys())).collect()
}

/// May a cell with this `lastwrite` hold the value?
fn allows(lastwrite: &LastWrite, value: u64) -> bool {
    let value = Natural::from(value);
    match lastwrite {
        // Every cell is defined.
        LastWrite::Undefined => false,
        LastWrite::One(expected) => *expected == value,
        LastWrite::Several(possible) => !possible.exhaustive || possible.values.contains(&value),
    }
}
