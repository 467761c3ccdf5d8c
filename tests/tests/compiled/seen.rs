//! What a translation with unknown values lets a thread do to cells, held against what it did.

use crate::case::Case;
use crate::log::{self, Deed, Mode};
use babycuda_core::history::Cell;
use babycuda_core::{Name, Natural};
use std::collections::{BTreeMap, BTreeSet};

/// A value; `None` is unknown.
pub type Value = Option<Natural>;

/// What a thread did to a cell in a phase.
#[derive(Clone, Default, Debug)]
pub struct Possible {
    /// May it be accessed so? And must it?
    pub modes: BTreeMap<Mode, bool>,
    /// What it wrote last.
    pub written: Value,
}

/// What a thread did in a phase.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    pub cells: BTreeMap<Cell, Possible>,
    /// Accesses at unknown indices.
    pub anywhere: BTreeSet<(Name, Mode)>,
}

/// What a thread did to cells.
type Deeds = BTreeMap<log::Cell, Deed>;

/// The first access that is not allowed.
pub fn may_not(seen: &Seen, deeds: &Deeds) -> Option<String> {
    let accesses = deeds.iter().flat_map(|(cell, deed)| deed.modes().map(move |m| (cell, m)));
    accesses.into_iter().find_map(|((array, index), mode)| {
        let cell = Cell::new(array.as_str(), *index);
        let listed = seen.cells.get(&cell).is_some_and(|p| p.modes.contains_key(&mode));
        let allowed = listed || seen.anywhere.contains(&(cell.array.clone(), mode));
        (!allowed).then(|| format!("it may not access {cell}: {mode:?}"))
    })
}

/// Is what a thread did in a phase allowed, and all that it had to do?
pub fn difference(case: &Case, seen: &Seen, deeds: &Deeds) -> Option<String> {
    if let Some(text) = may_not(seen, deeds) {
        return Some(text);
    }
    for ((array, index), deed) in deeds {
        let cell = Cell::new(array.as_str(), *index);
        let possible = seen.cells.get(&cell);
        let must = possible
            .and_then(|p| p.written.as_ref())
            .filter(|_| possible.is_some_and(|p| p.modes.get(&Mode::Write) == Some(&true)));
        if let (Some(must), Some(written)) = (must, deed.written)
            && must.to_u64() != Some(written)
        {
            return Some(format!("it writes {written} to {cell}, not {must}"));
        }
    }
    for (cell, possible) in &seen.cells {
        if case.is_constant(cell.array.as_str()) {
            continue;
        }
        let index = cell.index.to_u64()?;
        let deed = deeds.get(&(cell.array.to_string(), index));
        for (mode, must) in &possible.modes {
            let did = deed.is_some_and(|d| d.modes().any(|m| m == *mode));
            if *must && !did {
                return Some(format!("it must access {cell}: {mode:?}"));
            }
        }
    }
    None
}
