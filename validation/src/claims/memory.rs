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
    let host = observed.reference.instance.host();
    let changed = &observed.determined.changed;
    for (array, number) in observed.report.arrays.iter().zip(&observed.arrays) {
        let first = changed.partition_point(|(own, ..)| own < number);
        let mut changed = changed[first..].iter().take_while(|(own, ..)| own == number).peekable();
        let stored = host.array(&array.name);
        let mut listed = stored.into_iter().flat_map(|own| &own.cells).peekable();
        for (index, value) in (0u64..).zip(&array.cells) {
            let is_here = |other: &Natural| other.to_u64() == Some(index);
            let listed = listed.next_if(|(other, _)| is_here(other)).map(|(_, value)| value);
            let unchanged = listed.or_else(|| stored?.fill.as_ref());
            let changed = changed.next_if(|(_, other, _)| is_here(other));
            let holds = match changed {
                Some((.., expected)) => allows(expected, *value),
                None => unchanged.and_then(Natural::to_u64) == Some(*value),
            };
            if !holds {
                let unchanged = || unchanged.cloned().map_or(LastWrite::Undefined, LastWrite::One);
                let expected = changed.map_or_else(unchanged, |(.., expected)| expected.clone());
                let cell = Cell::new(array.name.clone(), index);
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
