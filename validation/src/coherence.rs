//! What holds of the values of each cell by itself, in whichever order its accesses happened, on
//! every device: nothing is read that nobody stored, no thread loses its own store to an older
//! value, and what is left is some thread's last store.

use crate::threads::{CellId, Run, Step};
use std::collections::{BTreeMap, BTreeSet};

/// A value that no order of the accesses to its cell explains.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Incoherent {
    /// Of a read or an atomic update.
    #[error(
        "in phase {phase} thread {thread} sees {value} in cell {cell:?}, where only {possible:?} are possible"
    )]
    Seen { phase: u32, thread: usize, cell: CellId, value: u64, possible: BTreeSet<u64> },
    /// At the end.
    #[error("at the end cell {cell:?} holds {value}, where only {possible:?} are possible")]
    Left { cell: CellId, value: u64, possible: BTreeSet<u64> },
}

/// Checks every value that was seen, and every value that is left.
///
/// `before`: what the host stored. `after`: all cells, with what they hold at the end.
pub(crate) fn check(
    runs: &[Run],
    last_phase: u32,
    before: &dyn Fn(CellId) -> Option<u64>,
    after: impl Iterator<Item = (CellId, u64)>,
) -> Result<(), Incoherent> {
    let mut held: BTreeMap<CellId, BTreeSet<u64>> = BTreeMap::new();
    for phase in 0..=last_phase {
        check_phase(runs, phase, before, &mut held)?;
    }
    for (cell, value) in after {
        let possible = held.remove(&cell).unwrap_or_else(|| before(cell).into_iter().collect());
        if !possible.contains(&value) {
            return Err(Incoherent::Left { cell, value, possible });
        }
    }
    Ok(())
}

/// Checks a phase; `held` says what the cells that were accessed so far may hold.
fn check_phase(
    runs: &[Run],
    phase: u32,
    before: &dyn Fn(CellId) -> Option<u64>,
    held: &mut BTreeMap<CellId, BTreeSet<u64>>,
) -> Result<(), Incoherent> {
    let threads: Vec<&[Step]> = runs.iter().map(|run| run.phase(phase)).collect();
    // Per cell: which thread stored what, in order.
    let mut stores: BTreeMap<CellId, Vec<(usize, u64)>> = BTreeMap::new();
    for (thread, steps) in threads.iter().enumerate() {
        for step in *steps {
            if let Some(value) = step.effect.stored() {
                stores.entry(step.cell).or_default().push((thread, value));
            }
        }
    }
    for (thread, steps) in threads.iter().enumerate() {
        let mut own: BTreeMap<CellId, u64> = BTreeMap::new();
        for step in *steps {
            let cell = step.cell;
            if let Some(value) = step.effect.seen() {
                let others = stores.get(&cell).into_iter().flatten();
                let others = others.filter(|(other, _)| *other != thread).map(|(_, value)| *value);
                let older: BTreeSet<u64> = match (own.get(&cell), held.get(&cell)) {
                    (Some(own), _) => BTreeSet::from([*own]),
                    (None, Some(older)) => older.clone(),
                    (None, None) => before(cell).into_iter().collect(),
                };
                let possible: BTreeSet<u64> = older.into_iter().chain(others).collect();
                if !possible.contains(&value) {
                    return Err(Incoherent::Seen { phase, thread, cell, value, possible });
                }
                if !stores.contains_key(&cell) {
                    // Nobody stores it in this phase: this is what it holds.
                    held.insert(cell, BTreeSet::from([value]));
                }
            }
            own.extend(step.effect.stored().map(|value| (cell, value)));
        }
    }
    for (cell, stores) in stores {
        // Each thread's last store.
        let last: BTreeMap<usize, u64> = stores.into_iter().collect();
        held.insert(cell, last.into_values().collect());
    }
    Ok(())
}
