//! The checker's own `lastwrite` (LCL22 Fig. 5), from the definition and not from
//! `babycuda_core::history::lastwrite`: which values does the relation give a cell?

use babycuda_core::history::MAX_LISTED;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use babycuda_core::{Accesses, Cell, History, Natural};
use std::collections::BTreeSet;

/// The values that a cell may hold; empty: ⊥.
pub(super) struct Held {
    /// Those that `lastwrite` relates to the cell.
    pub(super) values: BTreeSet<Natural>,
    /// Are these all? Not where the order of atomic updates decides: then the values of two orders
    /// are listed, by rising and by falling thread, or of the falling one alone where two would
    /// make more than [`MAX_LISTED`].
    pub(super) all: bool,
}

impl Held {
    /// Is there a choice?
    pub(super) fn is_open(&self) -> bool {
        self.values.len() > 1 || !self.all && !self.values.is_empty()
    }
}

/// What a thread did to the cell in a phase: its last plain write, and its updates since.
type Deed<'a> = (Option<&'a Natural>, Vec<&'a AtomicUpdate<Natural>>);

fn deed<'a>(cell: &Cell, accesses: &'a Accesses) -> Option<Deed<'a>> {
    let written = accesses.writes.get(cell);
    let log = accesses.atomics.get(cell);
    let updates = log.map(|log| log.updates.iter().collect()).unwrap_or_default();
    (written.is_some() || log.is_some()).then_some((written, updates))
}

/// `lastwrite(j, {i:A} :: H)`
pub(super) fn lastwrite(cell: &Cell, history: &History, own: &Accesses) -> Held {
    // What was done to the cell, phase by phase, the newest first, up to a phase that writes it.
    let mut phases: Vec<Vec<Deed<'_>>> = vec![deed(cell, own).into_iter().collect()];
    let mut written = phases[0].iter().any(|(w, _)| w.is_some());
    for phase in history.newest_first() {
        if written {
            break;
        }
        let deeds: Vec<_> = phase.threads().filter_map(|(_, a)| deed(cell, a)).collect();
        written = deeds.iter().any(|(w, _)| w.is_some());
        phases.push(deeds);
    }
    let host = if written { None } else { history.host().get(cell) };
    let before = Held { values: host.into_iter().cloned().collect(), all: true };
    phases.iter().rev().fold(before, after)
}

/// What the cell holds after a phase in which this was done to it.
fn after(before: Held, deeds: &Vec<Deed<'_>>) -> Held {
    if deeds.is_empty() {
        return before;
    }
    if deeds.iter().all(|(_, updates)| updates.is_empty()) {
        let values = deeds.iter().filter_map(|(written, _)| written.cloned()).collect();
        return Held { values, all: true };
    }
    let upwards = in_order(&before.values, deeds.iter());
    let downwards = in_order(&before.values, deeds.iter().rev());
    let mut operators = deeds.iter().flat_map(|(_, updates)| updates).map(|update| update.op);
    let first = operators.next();
    let writes = deeds.iter().any(|(written, _)| written.is_some());
    let opaque =
        first == Some(AtomicOp::Opaque) || operators.clone().any(|o| o == AtomicOp::Opaque);
    // One thread, or updates in whichever order.
    let immaterial = deeds.len() == 1
        || !writes && first.is_some_and(AtomicOp::commutes) && operators.all(|o| Some(o) == first);
    let known = before.all || deeds.len() == 1 && writes;
    let mut values = &upwards | &downwards;
    if !immaterial && values.len() > MAX_LISTED {
        values = downwards;
    }
    Held { values, all: known && immaterial && !opaque }
}

/// The values after the threads' deeds, one thread after the other.
fn in_order<'a>(
    before: &BTreeSet<Natural>,
    deeds: impl Iterator<Item = &'a Deed<'a>>,
) -> BTreeSet<Natural> {
    deeds.fold(before.clone(), |values, (written, updates)| {
        let values = match written {
            Some(k) => BTreeSet::from([(*k).clone()]),
            None => values,
        };
        values.iter().map(|v| updates.iter().fold(v.clone(), |v, u| u.apply(&v))).collect()
    })
}
