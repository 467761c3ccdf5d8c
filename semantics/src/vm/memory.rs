//! What cells hold, phase by phase: `lastwrite` computed forwards.
//!
//! The reference looks back through the history; here every cell carries what `lastwrite` says of
//! it, brought up to date at the end of each phase. Written apart from `babycuda_core::lastwrite`,
//! so that comparing the two tests both.

use super::value::Value;
use babycuda_core::Natural;
use babycuda_core::history::{LastWrite, MAX_LISTED, Possible};
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

    /// One value if there is only one and no other is possible; `first` is that of the first
    /// thread.
    fn among(values: BTreeSet<Natural>, exhaustive: bool, first: Natural) -> Content {
        if exhaustive && values.len() == 1 {
            return Content::One(first.into());
        }
        Content::Several(Arc::new(Possible { values, exhaustive, first }))
    }

    /// The content when its value may also be another one.
    fn uncertain(self) -> Content {
        match self.into_values() {
            None => Content::Undefined,
            Some((values, first)) => Content::among(values, false, first),
        }
    }

    /// The values, and that of the first thread; `None` where undefined.
    fn into_values(self) -> Option<(BTreeSet<Natural>, Natural)> {
        match self {
            Content::Undefined => None,
            Content::One(value) => {
                let value = value.to_natural();
                Some((BTreeSet::from([value.clone()]), value))
            }
            Content::Several(possible) => Some((possible.values.clone(), possible.first.clone())),
        }
    }

    /// The content after one of two orders of many; with `most` values at most, or those of the
    /// falling order alone.
    pub(super) fn either(rising: Content, falling: Content, most: usize) -> Content {
        let (Some((rising, _)), Some((mut falling, first))) =
            (rising.into_values(), falling.into_values())
        else {
            return Content::Undefined;
        };
        if rising.union(&falling).count() <= most {
            falling.extend(rising);
        }
        Content::among(falling, false, first)
    }

    /// The content after an atomic update of every possible value.
    pub(super) fn updated(self, update: &AtomicUpdate<Natural>) -> Content {
        let after = match self {
            Content::Undefined => Content::Undefined,
            Content::One(value) => Content::One(update.apply(&value.to_natural()).into()),
            Content::Several(possible) => {
                let values = possible.values.iter().map(|value| update.apply(value)).collect();
                Content::among(values, possible.exhaustive, update.apply(&possible.first))
            }
        };
        if update.op == AtomicOp::Opaque { after.uncertain() } else { after }
    }
}

/// What one thread did to a cell in a phase, as far as it is visible afterwards.
#[derive(Clone)]
pub(super) struct Deed<'a> {
    /// The value it wrote last, if any.
    pub(super) written: Option<&'a Value>,
    /// Its atomic updates since then.
    pub(super) updates: &'a [AtomicUpdate<Natural>],
}

impl Deed<'_> {
    /// Are these updates by one operator that commutes, and nothing else?
    pub(super) fn commute(deeds: &[Deed<'_>]) -> bool {
        let mut operators = deeds.iter().flat_map(|deed| deed.updates).map(|update| update.op);
        let first = operators.next();
        let commute =
            first.is_some_and(|op| op.commutes()) && operators.all(|op| Some(op) == first);
        commute && deeds.iter().all(|deed| deed.written.is_none())
    }

    /// The content of the cell after this was done to it and nothing else.
    pub(super) fn done_to(&self, before: Content) -> Content {
        let before = self.written.map_or(before, |value| Content::One(value.clone()));
        self.updates.iter().fold(before, Content::updated)
    }
}

/// The content of a cell after a phase in which these threads, at least two, wrote or updated it;
/// by thread.
pub(super) fn after_phase(before: Content, deeds: &[Deed<'_>]) -> Content {
    let plain = deeds.iter().all(|deed| deed.updates.is_empty());
    if let Some(first) = deeds.iter().find_map(|deed| deed.written).filter(|_| plain) {
        let written = deeds.iter().filter_map(|deed| deed.written);
        let values = written.map(Value::to_natural).collect();
        return Content::among(values, true, first.to_natural());
    }
    if Deed::commute(deeds) {
        return deeds.iter().fold(before, |content, deed| deed.done_to(content));
    }
    // The order decides. Two of many: by thread, upwards and downwards; or only downwards, where
    // two would list too many values.
    let up = deeds.iter().fold(before.clone(), |content, deed| deed.done_to(content));
    let down = deeds.iter().rfold(before, |content, deed| deed.done_to(content));
    Content::either(up, down, MAX_LISTED)
}
