//! The checker's own `lastwrite` (LCL22 Fig. 5), from the definition and not from
//! `babycuda_core::history::lastwrite`: which values does the relation give a cell?

use babycuda_core::history::{MAX_LISTED, Place};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use babycuda_core::{Accesses, Cell, History, Natural, Phase};
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

/// What a thread did to the cell between two barriers: its last plain write, and its updates since.
type Deed<'a> = (Option<&'a Natural>, Vec<&'a AtomicUpdate<Natural>>);

/// What was done to the cell in a phase: by whom, before the how-manieth stage ended, what.
type Deeds<'a> = (&'a Phase, Vec<(Place, Deed<'a>)>);

fn deed<'a>(cell: &Cell, accesses: &'a Accesses) -> Option<Deed<'a>> {
    let written = accesses.writes.get(cell);
    let log = accesses.atomics.get(cell);
    let updates = log.map(|log| log.updates.iter().collect()).unwrap_or_default();
    (written.is_some() || log.is_some()).then_some((written, updates))
}

/// `lastwrite(j, {i:A} :: H)`
pub(super) fn lastwrite(cell: &Cell, history: &History, own: &Accesses) -> Held {
    // What was done to the cell, phase by phase, the newest first, up to a phase that writes it.
    let nothing = Phase::default();
    let done = |(place, accesses)| Some((place, deed(cell, accesses)?));
    let mut phases: Vec<Deeds<'_>> = vec![(&nothing, done(((0, 0), own)).into_iter().collect())];
    let writes = |(_, deeds): &Deeds<'_>| deeds.iter().any(|(_, (written, _))| written.is_some());
    let mut written = writes(&phases[0]);
    for phase in [history.begun()].into_iter().chain(history.newest_first()) {
        if written {
            break;
        }
        let deeds = (phase, phase.places().filter_map(done).collect());
        written = writes(&deeds);
        phases.push(deeds);
    }
    let host = if written { None } else { history.host().get(cell) };
    let before = Held { values: host.into_iter().cloned().collect(), all: true };
    phases.iter().rev().fold(before, after)
}

/// Does a barrier that held both stand between the deeds, the first one before it?
fn first_before(phase: &Phase, (k, i): Place, (l, j): Place) -> bool {
    let mut passed = phase.stages().enumerate().filter(|(n, _)| k <= *n && *n < l);
    k < l && i == j || passed.any(|(_, s)| [i, j].iter().all(|t| (s.first..s.end).contains(t)))
}

/// What the cell holds after a phase in which this was done to it: a part after the other, each of
/// which is done before the next begins.
fn after(before: Held, (phase, deeds): &Deeds<'_>) -> Held {
    let precedes = |(p, _): &(Place, _), (q, _): &(Place, _)| first_before(phase, *p, *q);
    let mut held = before;
    let mut start = 0;
    for end in 1..=deeds.len() {
        let (done, left) = deeds.split_at(end);
        let apart = phase.stages().next().is_some()
            && done[start..].iter().all(|p| left.iter().all(|q| precedes(p, q)));
        if left.is_empty() || apart {
            held = after_part(held, phase, &done[start..]);
            start = end;
        }
    }
    held
}

/// The same of one part.
fn after_part(before: Held, phase: &Phase, deeds: &[(Place, Deed<'_>)]) -> Held {
    let precedes = |(p, _): &(Place, _), (q, _): &(Place, _)| first_before(phase, *p, *q);
    let staged = phase.stages().next().is_some();
    let last = deeds.iter().filter(|p| !staged || !deeds.iter().any(|q| precedes(p, q)));
    let last: Vec<&Deed<'_>> = last.map(|(_, deed)| deed).collect();
    if deeds.len() > 1 && last.iter().all(|(_, updates)| updates.is_empty()) {
        let values = last.iter().filter_map(|(written, _)| written.cloned()).collect();
        return Held { values, all: true };
    }
    let in_turn = |falling: bool| {
        let mut left: Vec<&(Place, Deed<'_>)> = deeds.iter().collect();
        left.sort_by_key(|((k, i), _)| (if falling { u64::MAX - i } else { *i }, *k));
        let mut turns = Vec::new();
        while !left.is_empty() {
            let first = left.iter().position(|p| !staged || left.iter().all(|q| !precedes(q, p)));
            turns.push(&left.remove(first.unwrap_or(0)).1);
        }
        in_order(&before.values, turns.into_iter())
    };
    let (upwards, downwards) = (in_turn(false), in_turn(true));
    let deeds: Vec<&Deed<'_>> = deeds.iter().map(|(_, deed)| deed).collect();
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
