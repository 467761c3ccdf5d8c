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
use babycuda_core::{Cell, LastWrite, Natural};

pub(super) fn check(observed: &Observation<'_>) -> Judgment {
    if observed.faulted() || observed.determined.determined().is_none() {
        return Judgment::NotApplicable;
    }
    let (host, changed) = (observed.reference.instance.host(), observed.determined.changed());
    for array in &observed.report.arrays {
        let stored = host.array(&array.name);
        let mut cell = Cell::new(array.name.clone(), 0u32);
        for (index, value) in (0u64..).zip(&array.cells) {
            cell.index = index.into();
            let holds = match changed.get(&cell) {
                Some(expected) => allows(expected, *value),
                None => stored.and_then(|own| own.get(&cell.index)) == Some(&Natural::from(*value)),
            };
            if !holds {
                let host = || stored.and_then(|own| own.get(&cell.index)).cloned();
                let unchanged = || host().map_or(LastWrite::Undefined, LastWrite::One);
                let expected = changed.get(&cell).cloned().unwrap_or_else(unchanged);
                return Judgment::violated(format!(
                    "{cell} holds {value}, lastwrite is {expected:?}"
                ));
            }
        }
    }
    Judgment::Holds
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
