//! `lastwrite(j, H)` (LCL22 Fig. 5, rules lastwrite-curr, lastwrite-prev, lastwrite-undef).

use super::{Accesses, Cell, History, Phase};
use crate::natural::Natural;
use crate::syntax::{AtomicOp, AtomicUpdate};
use std::collections::BTreeSet;

/// What a cell may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LastWrite {
    /// `⊥`: nobody wrote the cell.
    Undefined,
    /// Exactly this value.
    One(Natural),
    /// The newest phase that writes the cell is racy on it: several values are possible.
    Several(Possible),
}

/// The values that a cell may hold after a phase that is racy on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Possible {
    /// Possible values: as a relation, `lastwrite` relates the cell to each of them.
    pub values: BTreeSet<Natural>,
    /// Are these all? They are when all writers of the phase are plain writes. Where atomics of
    /// different kinds mix, the order decides and other values may arise.
    pub exhaustive: bool,
}

impl LastWrite {
    /// Applies an atomic update to every possible value.
    fn update(self, update: &AtomicUpdate<Natural>) -> LastWrite {
        let opaque = update.op == AtomicOp::Opaque;
        match self {
            LastWrite::Undefined => LastWrite::Undefined,
            LastWrite::One(v) if opaque => {
                LastWrite::Several(Possible { values: BTreeSet::from([v]), exhaustive: false })
            }
            LastWrite::One(v) => LastWrite::One(update.apply(&v)),
            LastWrite::Several(p) => LastWrite::of(
                p.values.iter().map(|v| update.apply(v)).collect(),
                p.exhaustive && !opaque,
            ),
        }
    }

    fn of(values: BTreeSet<Natural>, exhaustive: bool) -> LastWrite {
        match values.first() {
            Some(v) if exhaustive && values.len() == 1 => LastWrite::One(v.clone()),
            _ => LastWrite::Several(Possible { values, exhaustive }),
        }
    }
}

/// `lastwrite(j, H)`: the newest phase with a writer of `j` decides; before all phases stands what
/// the host stored.
///
/// When several threads wrote `j` in that phase, the paper's rule relates `j` to each of their
/// values: [`LastWrite::Several`], unless they are all equal. Atomic updates apply to what the
/// cell held before; when all of them are the same commutative operator their order is immaterial.
pub fn lastwrite(cell: &Cell, history: &History) -> LastWrite {
    // The phases up to the first that decides alone, newest first.
    let mut updates: Vec<&Phase> = Vec::new();
    let mut value = None;
    for phase in history.newest_first() {
        match writers(cell, phase) {
            Writers::None => {}
            Writers::Decide(v) => {
                value = Some(v);
                break;
            }
            Writers::Update => updates.push(phase),
        }
    }
    let mut value = value.unwrap_or_else(|| match history.host().get(cell) {
        Some(k) => LastWrite::One(k.clone()),
        None => LastWrite::Undefined,
    });
    for phase in updates.into_iter().rev() {
        value = after_atomics(cell, phase, value);
    }
    value
}

/// What a phase does to a cell.
enum Writers {
    /// Nothing (lastwrite-prev).
    None,
    /// Some thread wrote it: the phase decides alone (lastwrite-curr).
    Decide(LastWrite),
    /// It is only updated atomically: the value before matters.
    Update,
}

fn writers(cell: &Cell, phase: &Phase) -> Writers {
    let mut values = BTreeSet::new();
    let (mut threads, mut updated) = (0usize, false);
    for (_, a) in phase.threads() {
        let log = a.atomics.get(cell);
        match (a.writes.get(cell), log) {
            (None, None) => continue,
            (None, Some(_)) => {}
            (Some(k), None) => {
                values.insert(k.clone());
            }
            (Some(k), Some(log)) => {
                let own = log.updates.iter().fold(LastWrite::One(k.clone()), |v, u| v.update(u));
                match own {
                    LastWrite::One(v) => {
                        values.insert(v);
                    }
                    LastWrite::Several(p) => values.extend(p.values),
                    LastWrite::Undefined => {}
                }
                updated |= log.updates.iter().any(|u| u.op == AtomicOp::Opaque);
            }
        }
        threads += 1;
        updated |= threads > 1 && log.is_some();
    }
    // A lone thread's atomics are ordered with its writes; other threads' are not.
    let mixed =
        updated || (threads > 1 && phase.threads().any(|(_, a)| a.atomics.contains_key(cell)));
    match (threads, values.is_empty()) {
        (0, _) => Writers::None,
        (_, true) => Writers::Update,
        (_, false) => Writers::Decide(LastWrite::of(values, !mixed)),
    }
}

/// What the cell holds after a phase that only updates it atomically.
fn after_atomics(cell: &Cell, phase: &Phase, before: LastWrite) -> LastWrite {
    let logs: Vec<&Accesses> =
        phase.threads().map(|(_, a)| a).filter(|a| a.atomics.contains_key(cell)).collect();
    let updates = || logs.iter().flat_map(|a| a.atomics.get(cell)).flat_map(|log| &log.updates);
    let mut operators: Vec<AtomicOp> = updates().map(|u| u.op).collect();
    operators.sort();
    operators.dedup();
    let ordered = logs.len() == 1 || matches!(operators.as_slice(), [op] if op.commutes());
    let value = updates().fold(before, LastWrite::update);
    match value {
        LastWrite::One(v) if !ordered => {
            LastWrite::Several(Possible { values: BTreeSet::from([v]), exhaustive: false })
        }
        LastWrite::Several(p) if !ordered => {
            LastWrite::Several(Possible { exhaustive: false, ..p })
        }
        value => value,
    }
}
