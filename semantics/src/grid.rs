//! Grids: each block runs by itself from what the host stored; conflicting accesses of different
//! blocks to a global array race whatever their phases (THEORY §4). With barriers of the grid, blocks
//! run [together](babycuda_core::together).

use crate::instance::Instance;
use crate::options::{Limit, RunOptions};
use crate::outcome::{Outcome, Reason, Stuck};
use babycuda_core::history::RaceKind;
use babycuda_core::syntax::Space;
use babycuda_core::{AccessMode, Cell, History, Program, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Runs every block of the launch by the reference semantics, in order. Blocks that run together
/// have one run.
///
/// The limit on threads is for the whole grid, the others are for each block.
///
/// # Errors
/// [`Stuck`] when the grid has more threads than allowed.
pub fn run(instance: &Instance, options: &RunOptions) -> Result<Vec<Outcome>, Stuck> {
    run_by(instance, options, |block| block.run(options))
}

/// As [`run`], each block by `evaluate`: by [`vm::run`](crate::vm::run), for instance.
///
/// # Errors
/// [`Stuck`] when the grid has more threads than allowed.
pub fn run_by(
    instance: &Instance,
    options: &RunOptions,
    mut evaluate: impl FnMut(&Instance) -> Outcome,
) -> Result<Vec<Outcome>, Stuck> {
    let blocks = instance.configuration.launch.grid.count();
    let allowed = options.limits.threads;
    // A block without threads costs something too.
    if blocks.saturating_mul(instance.block().len().max(1)) > allowed {
        let reason = Reason::Limit { limit: Limit::Threads, allowed };
        return Err(Stuck { phase: 0, thread: allowed, site: None, reason });
    }
    let runs = if instance.blocks().is_some() { 1 } else { blocks };
    Ok((0..runs).map(|index| evaluate(&instance.clone().with_block(index))).collect())
}

/// A race between threads of different blocks. Each unordered pair of accesses is given once, the
/// one of the smaller block first.
///
/// As [`Race`](babycuda_core::history::Race), which is of one block and phase, it is read off
/// histories alone: they know neither launch nor statements, as a
/// [`Witness`](babycuda_core::evidence::Witness) does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GridRace {
    /// The cell, of a global array.
    pub cell: Cell,
    /// A thread, and how it accesses the cell.
    pub first: (Thread, AccessMode),
    /// A thread of another block.
    pub second: (Thread, AccessMode),
}

impl GridRace {
    /// Its kind.
    pub fn kind(&self) -> RaceKind {
        RaceKind::of(self.first.1, self.second.1)
    }
}

impl fmt::Display for GridRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side =
            |(Thread { block, index }, mode)| format!("block {block}, thread {index} {mode}");
        write!(f, "{} / {} on {}", side(self.first), side(self.second), self.cell)
    }
}

/// The accesses of each cell of a global array, by cell.
type ByCell<'a> = BTreeMap<&'a Cell, BTreeSet<(Thread, AccessMode)>>;

/// Every race between threads of different blocks, by cell, then by threads; `histories` are those
/// of the blocks, in order. Races within a block are [`History::races`].
pub fn cross_block_races<'a>(
    program: &'a Program,
    histories: impl IntoIterator<Item = &'a History>,
) -> impl Iterator<Item = GridRace> {
    let global =
        |cell: &Cell| program.array(&cell.array).is_some_and(|array| array.space == Space::Global);
    let mut by_cell = ByCell::new();
    for (block, history) in (0..).zip(histories) {
        for (_, phase) in history.chronological() {
            for (index, own) in phase.threads() {
                for (mode, cell) in own.iter().filter(|(_, cell)| global(cell)) {
                    by_cell.entry(cell).or_default().insert((Thread { block, index }, mode));
                }
            }
        }
    }
    by_cell.into_iter().flat_map(|(cell, accesses)| pairs(cell.clone(), accesses))
}

fn pairs(cell: Cell, accesses: BTreeSet<(Thread, AccessMode)>) -> impl Iterator<Item = GridRace> {
    let accesses: Vec<_> = accesses.into_iter().collect();
    let mut next = (0, 1);
    std::iter::from_fn(move || {
        loop {
            let (i, j) = next;
            let first = accesses.get(i)?;
            let Some(second) = accesses.get(j) else {
                next = (i + 1, i + 2);
                continue;
            };
            next = (i, j + 1);
            let apart = first.0.block != second.0.block;
            if apart && first.1.conflicts(second.1, false) {
                return Some(GridRace { cell: cell.clone(), first: *first, second: *second });
            }
        }
    })
}
