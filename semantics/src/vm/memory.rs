//! What cells hold, phase by phase: `lastwrite` computed forwards.
//!
//! The reference looks back through the history; here every cell carries what `lastwrite` says of
//! it, brought up to date at the end of each phase. Written apart from `babycuda_core::lastwrite`,
//! so that comparing the two tests both.

use super::value::Value;
use babycuda_core::Natural;
use babycuda_core::history::{LastWrite, Possible};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a cell may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Content {
    Undefined,
    One(Value),
    Several(Arc<Possible>),
}

impl Content {
    pub(super) fn of(host: Option<&Natural>) -> Content {
        host.map_or(Content::Undefined, |k| Content::One(k.clone().into()))
    }

    pub(super) fn to_lastwrite(&self) -> LastWrite {
        match self {
            Content::Undefined => LastWrite::Undefined,
            Content::One(value) => LastWrite::One(value.to_natural()),
            Content::Several(possible) => LastWrite::Several((**possible).clone()),
        }
    }

    /// One value if there is only one and no other is possible.
    pub(super) fn among(values: BTreeSet<Natural>, exhaustive: bool) -> Content {
        match values.first() {
            Some(value) if exhaustive && values.len() == 1 => Content::One(value.clone().into()),
            _ => Content::Several(Arc::new(Possible { values, exhaustive })),
        }
    }

    /// The content when its value may also be another one.
    fn uncertain(self) -> Content {
        match self {
            Content::Undefined => Content::Undefined,
            Content::One(value) => Content::among(BTreeSet::from([value.to_natural()]), false),
            Content::Several(possible) => Content::among(possible.values.clone(), false),
        }
    }

    /// The content after an atomic update of every possible value.
    pub(super) fn updated(self, update: &AtomicUpdate<Natural>) -> Content {
        let after = match self {
            Content::Undefined => Content::Undefined,
            Content::One(value) => Content::One(update.apply(&value.to_natural()).into()),
            Content::Several(possible) => {
                let values = possible.values.iter().map(|value| update.apply(value)).collect();
                Content::among(values, possible.exhaustive)
            }
        };
        if update.op == AtomicOp::Opaque { after.uncertain() } else { after }
    }
}

/// What one thread did to a cell in a phase.
pub(super) struct Deed<'a> {
    /// The value it wrote last, if any.
    pub(super) written: Option<&'a Value>,
    /// Its atomic updates, those since its last write, and what it would hold if the thread ran
    /// alone; if any.
    pub(super) atomics: Option<(&'a [AtomicUpdate<Natural>], &'a Content)>,
}

/// The content of a cell after a phase in which these threads wrote or updated it, in the order of
/// their identifiers.
pub(super) fn after_phase(before: Content, deeds: &[Deed<'_>]) -> Content {
    if deeds.iter().any(|deed| deed.written.is_some()) {
        after_writes(deeds)
    } else {
        after_atomics(before, deeds)
    }
}

/// Some thread wrote the cell: what it held before is lost.
fn after_writes(deeds: &[Deed<'_>]) -> Content {
    let mut values = BTreeSet::new();
    let mut exhaustive = deeds.len() == 1 || deeds.iter().all(|deed| deed.atomics.is_none());
    for deed in deeds {
        match (deed.written, deed.atomics) {
            (None, _) => {}
            (Some(value), None) => {
                values.insert(value.to_natural());
            }
            (Some(_), Some((_, Content::Undefined))) => {}
            (Some(_), Some((_, Content::One(value)))) => {
                values.insert(value.to_natural());
            }
            (Some(_), Some((_, Content::Several(possible)))) => {
                values.extend(possible.values.iter().cloned());
                exhaustive &= possible.exhaustive;
            }
        }
    }
    Content::among(values, exhaustive)
}

/// The cell was only updated: in any order, unless all updates are of one commutative kind.
fn after_atomics(before: Content, deeds: &[Deed<'_>]) -> Content {
    let updates = || deeds.iter().filter_map(|deed| deed.atomics).flat_map(|(all, _)| all);
    let first = updates().next().map(|update| update.op);
    let commute = updates().all(|update| Some(update.op) == first && update.op.commutes());
    let after = updates().fold(before, Content::updated);
    if deeds.len() == 1 || commute { after } else { after.uncertain() }
}
