//! Has a cell a race? Per cell, what all later accesses must know of those before: one record for each mode.
//!
//! A record is the last access of the mode, and for each level whether there is another one, by a thread whose
//! narrowest common group with the last one's is of that level, with no barrier behind it of that group or a wider
//! one. That is enough. For an access by a thread t, at level d from the last one's thread u:
//!
//! - Accesses at level d from t are in the group of that level that holds t and u, and so is u's, which is later: if
//!   one of them is unordered with t's, u's is.
//! - Those at a level above d from t are at that level from u, too: the record says whether one is unordered.
//! - Those at a level below d from t are at level d from u. If one is unordered with t's, so is u's, and where modes
//!   conflict at some level they conflict at a higher one.
//!
//! The same makes the record of the next access from that of the last. A write that does not race conflicts with
//! all that any access before it conflicts with, which are ordered before it: nothing else need be known behind it.
//! The first race of a cell ends its account.

use super::pages::{CELLS, Key, Marked, Page, Pages, Part};
use super::times::Times;
use babycuda_core::AccessMode;
use babycuda_core::syntax::Scope;

/// The accesses of one mode. A time of 0 is before every barrier, so that nothing is unordered with it.
#[derive(Clone, Copy, Default, Debug)]
struct Last {
    thread: u32,
    time: u32,
}

/// For each level by its bit: is there another one?
type Others = u16;

impl Last {
    /// Is one of these accesses, at a level from `lowest` on, unordered with what the thread does whose turn it is?
    #[inline]
    fn races(self, others: Others, lowest: usize, times: &Times) -> bool {
        let level = times.shape.level(self.thread, times.id);
        (level >= lowest && times.live(level, self.time))
            || (others != 0 && self.alive(others, times) >> (level + 1).max(lowest) != 0)
    }

    /// The levels of `others` of which no barrier came behind.
    fn alive(self, others: Others, times: &Times) -> Others {
        let levels = (1..=times.shape.grid()).filter(|level| times.live(*level, self.time));
        others & levels.fold(0, |bits, level| bits | 1 << level)
    }

    /// The thread whose turn it is accesses the cell in this mode.
    #[inline]
    fn put(&mut self, others: &mut Others, times: &Times) {
        let level = times.shape.level(self.thread, times.id);
        let own = Others::from(times.live(level, self.time)) << level;
        let wider = match *others {
            0 => 0,
            others => self.alive(others, times) >> (level + 1) << (level + 1),
        };
        *others = wider | own;
        *self = Last { thread: times.id, time: times.now };
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    write: Last,
    read: Last,
    readers: Others,
    /// Where its atomics are, from 1.
    atomics: u8,
    raced: bool,
}

/// Atomic updates of the block, and of the device or the system.
#[derive(Clone, Copy, Default, Debug)]
struct Atomics {
    last: [Last; 2],
    others: [Others; 2],
}

#[derive(Debug)]
struct Cells {
    cells: [Cell; CELLS],
    atomics: Vec<Atomics>,
}

impl Default for Cells {
    fn default() -> Cells {
        Cells { cells: [Cell::default(); CELLS], atomics: Vec::new() }
    }
}

impl Page for Cells {
    fn more(&self) -> usize {
        self.atomics.len() * 2 * size_of::<Atomics>()
    }
}

/// What is known of all cells.
#[derive(Debug)]
pub(super) struct Compact {
    pages: Pages<Cells>,
}

impl Compact {
    pub(super) fn new(part: Part, budget: usize) -> Compact {
        Compact { pages: Pages::new(part, budget) }
    }

    /// The thread whose turn it is accesses a cell.
    #[inline]
    pub(super) fn access(&mut self, (key, place): (Key, usize), mode: AccessMode, times: &Times) {
        let Some(page) = self.pages.page(key) else { return };
        let Cells { cells, atomics } = page;
        let cell = &mut cells[place % CELLS];
        if cell.raced {
            return;
        }
        let Cell { write, read, readers, .. } = *cell;
        match mode {
            AccessMode::Rd => {
                if (read.thread, read.time) == (times.id, times.now) {
                    return;
                }
                // Writes that do not race are ordered: there is no other than the last.
                cell.raced = write.races(0, 1, times) || raced(cell.atomics, atomics, 1, times);
                cell.read.put(&mut cell.readers, times);
            }
            AccessMode::Wr => {
                cell.raced = write.races(0, 1, times)
                    || read.races(readers, 1, times)
                    || raced(cell.atomics, atomics, 1, times);
                cell.write = Last { thread: times.id, time: times.now };
                (cell.read, cell.readers) = (Last::default(), 0);
                if let Some(atomics) = known(cell.atomics, atomics) {
                    *atomics = Atomics::default();
                }
            }
            AccessMode::At(scope) => {
                let raced = write.races(0, 1, times) || read.races(readers, 1, times);
                let grew = cell.update(atomics, raced, scope, times);
                self.pages.grew(grew);
            }
        }
    }

    /// Which cells of its part race; and what was left to later passes, or whether there was no room for a page.
    pub(super) fn end(self, marked: &mut Marked) -> (Vec<Part>, bool) {
        for (key, page) in self.pages.all() {
            let bits = page.cells.iter().rev();
            marked.add(key, bits.fold(0, |bits, cell| bits << 1 | u64::from(cell.raced)));
        }
        (self.pages.later, self.pages.full)
    }
}

fn known(place: u8, atomics: &mut [Atomics]) -> Option<&mut Atomics> {
    atomics.get_mut(usize::from(place).checked_sub(1)?)
}

/// Does an atomic of any kind race at these levels?
#[inline]
fn raced(place: u8, atomics: &mut [Atomics], lowest: usize, times: &Times) -> bool {
    let Some(Atomics { last, others }) = known(place, atomics) else { return false };
    last.iter().zip(others).any(|(last, others)| last.races(*others, lowest, times))
}

impl Cell {
    /// An atomic update; how many bytes more it takes.
    #[inline(never)]
    fn update(
        &mut self,
        atomics: &mut Vec<Atomics>,
        raced: bool,
        scope: Scope,
        times: &Times,
    ) -> usize {
        let grew = if self.atomics == 0 {
            atomics.push(Atomics::default());
            // A page has 64 cells.
            self.atomics = atomics.len() as u8;
            2 * size_of::<Atomics>()
        } else {
            0
        };
        let kind = usize::from(scope != Scope::Block);
        if let Some(Atomics { last, others }) = known(self.atomics, atomics) {
            // Atomics conflict across blocks alone, if one of them is of its block.
            let grid = times.shape.grid();
            let block = last[0].races(others[0], grid, times);
            let device = kind == 0 && last[1].races(others[1], grid, times);
            self.raced = raced || block || device;
            last[kind].put(&mut others[kind], times);
        }
        grew
    }
}
