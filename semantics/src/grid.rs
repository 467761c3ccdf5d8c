//! Grids: each block runs by itself from what the host stored; conflicting accesses of different
//! blocks to a global array race whatever their phases (THEORY §4).

use crate::instance::Instance;
use crate::options::{Limit, Options};
use crate::outcome::{Outcome, Reason, Stuck};
use babycuda_core::history::RaceKind;
use babycuda_core::syntax::Space;
use babycuda_core::{AccessMode, Cell, History, Program, Thread};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Runs every block of the launch by the reference semantics, in order.
///
/// The limit on threads is for the whole grid, the others are for each block.
///
/// # Errors
/// [`Stuck`] when the grid has more threads than allowed.
pub fn run(instance: &Instance, options: &Options) -> Result<Vec<Outcome>, Stuck> {
    run_by(instance, options, |block| block.run(options))
}

/// As [`run`], each block by `evaluate`: by [`vm::run`](crate::vm::run), for instance.
///
/// # Errors
/// [`Stuck`] when the grid has more threads than allowed.
pub fn run_by(
    instance: &Instance,
    options: &Options,
    mut evaluate: impl FnMut(&Instance) -> Outcome,
) -> Result<Vec<Outcome>, Stuck> {
    let blocks = instance.configuration.launch.grid.count();
    let allowed = options.limits.threads;
    // A block without threads costs something too.
    if blocks.saturating_mul(instance.block().len().max(1)) > allowed {
        let reason = Reason::Limit { limit: Limit::Threads, allowed };
        return Err(Stuck { phase: 0, thread: allowed, site: None, reason });
    }
    Ok((0..blocks).map(|index| evaluate(&instance.clone().with_block(index))).collect())
}

/// An access in a grid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GridAccess {
    /// The thread.
    pub thread: Thread,
    /// How it accesses the cell.
    pub mode: AccessMode,
    /// The first phase of its block in which it does, from 0.
    pub phase: usize,
}

/// A race between threads of different blocks. Each unordered pair of accesses is given once, the
/// one of the smaller block first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GridRace {
    /// The cell, of a global array.
    pub cell: Cell,
    /// One access.
    pub first: GridAccess,
    /// The other, by a thread of another block.
    pub second: GridAccess,
}

impl GridRace {
    /// Its kind.
    pub fn kind(&self) -> RaceKind {
        RaceKind::of(self.first.mode, self.second.mode)
    }
}

impl fmt::Display for GridRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |a: &GridAccess| {
            let Thread { block, index } = a.thread;
            format!("block {block}, thread {index} {}", a.mode)
        };
        write!(f, "{} / {} on {}", side(&self.first), side(&self.second), self.cell)
    }
}

/// The accesses of each cell of a global array, by cell.
type ByCell<'a> = BTreeMap<&'a Cell, BTreeMap<(Thread, AccessMode), usize>>;

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
        for (phase, accesses) in history.chronological() {
            for (index, own) in accesses.threads() {
                for (mode, cell) in own.iter().filter(|(_, cell)| global(cell)) {
                    let access = (Thread { block, index }, mode);
                    by_cell.entry(cell).or_default().entry(access).or_insert(phase);
                }
            }
        }
    }
    by_cell.into_iter().flat_map(|(cell, accesses)| pairs(cell.clone(), accesses))
}

fn pairs(
    cell: Cell,
    accesses: BTreeMap<(Thread, AccessMode), usize>,
) -> impl Iterator<Item = GridRace> {
    let accesses: Vec<GridAccess> = accesses
        .into_iter()
        .map(|((thread, mode), phase)| GridAccess { thread, mode, phase })
        .collect();
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
            let apart = first.thread.block != second.thread.block;
            if apart && first.mode.conflicts(second.mode, false) {
                return Some(GridRace { cell: cell.clone(), first: *first, second: *second });
            }
        }
    })
}
