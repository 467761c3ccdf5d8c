//! The question, phase by phase, its cells and values numbered.

use super::Question;
use crate::threads::{CellId, Step};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Range;

/// A value in a cell, by number.
pub(super) type Held = u32;

/// The accesses of a phase.
pub(super) struct Phase {
    /// Of each thread, those of [`Prepared::moves`].
    pub(super) threads: Vec<Range<usize>>,
    /// How many there are.
    pub(super) moves: usize,
    /// The groups of threads that meet at barriers of narrower scopes than the block.
    pub(super) meetings: Vec<Range<usize>>,
    /// Of each thread, its meetings in order, and how many moves it makes before each; of none, where
    /// there are no meetings.
    pub(super) own: Vec<Vec<(usize, usize)>>,
    /// What each cell is to hold afterwards.
    pub(super) wanted: Vec<Wanted>,
}

/// An access.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) cell: u32,
    pub(super) sees: Option<Held>,
    pub(super) stores: Option<Held>,
    /// Does no other thread interfere with the cell in the phase?
    pub(super) alone: bool,
    /// The meetings of its thread since its move before: these of [`Phase::own`].
    pub(super) after: (u32, u32),
}

/// What the accesses that follow a phase want a cell to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// This.
    Value(Held),
    /// Anything: nobody sees it.
    Anything,
    /// That depends on their order.
    Unknown,
}

/// The phases, and what the cells hold before and after.
pub(super) struct Prepared {
    pub(super) phases: Vec<Phase>,
    /// All moves, by thread, each one's in order.
    pub(super) moves: Vec<Move>,
    pub(super) before: Vec<Held>,
    pub(super) after: Vec<Held>,
    /// How many values in cells there are.
    pub(super) values: usize,
}

/// What got numbers, in the order in which it did.
struct Numbers<T> {
    all: Vec<T>,
    known: HashMap<T, u32, BuildHasherDefault<Words>>,
}

impl<T: Copy + Eq + Hash> Numbers<T> {
    fn for_about(count: usize) -> Numbers<T> {
        let known = HashMap::with_capacity_and_hasher(count, BuildHasherDefault::default());
        Numbers { all: Vec::new(), known }
    }

    fn of(&mut self, what: T) -> u32 {
        *self.known.entry(what).or_insert_with(|| {
            self.all.push(what);
            self.all.len() as u32 - 1
        })
    }
}

/// Hashes numbers. Nobody chooses them in order to be slow.
#[derive(Default)]
struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Prepares a search. None where an accessed cell has no value: nothing explains that.
pub(super) fn prepare(question: &Question<'_>) -> Option<Prepared> {
    let steps = || question.runs.iter().flat_map(|run| &run.steps);
    let count = question.runs.iter().map(|run| run.steps.len()).sum();
    let mut cells: Numbers<CellId> = Numbers::for_about(count);
    let mut values: Numbers<(u32, u64)> = Numbers::for_about(count);
    let mut moves = Vec::with_capacity(count);
    for Step { cell, effect, .. } in steps() {
        let cell = cells.of(*cell);
        let mut number = |value| values.of((cell, value));
        let (sees, stores) = (effect.seen().map(&mut number), effect.stored().map(number));
        moves.push(Move { cell, sees, stores, alone: false, after: (0, 0) });
    }
    let mut held = |of: &dyn Fn(CellId) -> Option<u64>| -> Option<Vec<Held>> {
        (0..).zip(&cells.all).map(|(n, cell)| Some(values.of((n, of(*cell)?)))).collect()
    };
    let (before, after) = (held(question.before)?, held(question.after)?);
    let values = values.all;
    let phases = phases(question, &mut moves, &after, &values);
    Some(Prepared { phases, moves, before, after, values: values.len() })
}

/// The phases with these moves, of all threads in order, and these values in cells.
fn phases(
    question: &Question<'_>,
    moves: &mut [Move],
    after: &[Held],
    values: &[(u32, u64)],
) -> Vec<Phase> {
    // Where the moves of each thread that are left end: the last phase comes first.
    let mut start = 0;
    let left = question.runs.iter().map(|run| {
        let end = start + run.steps.partition_point(|step| step.phase <= question.last_phase);
        start += run.steps.len();
        end
    });
    let mut left: Vec<usize> = left.collect();
    let mut uses = Uses::new(after.len(), values);
    // What is wanted of each cell after a phase, found from the last phase backwards.
    let mut wanted: Vec<Wanted> = after.iter().copied().map(Wanted::Value).collect();
    let mut phases = Vec::new();
    for phase in (0..=question.last_phase).rev() {
        let steps: Vec<&[Step]> = question.runs.iter().map(|run| run.phase(phase)).collect();
        let groups = question.meetings.get(phase as usize).map_or(&[][..], Vec::as_slice);
        let (meetings, own) = (groups.to_vec(), own_meetings(&steps, groups));
        let threads = steps.iter().zip(&mut left).map(|(steps, end)| {
            let behind = *end;
            *end -= steps.len();
            *end..behind
        });
        let threads: Vec<Range<usize>> = threads.collect();
        uses.look(moves, &threads);
        for (own, steps) in threads.iter().zip(&steps) {
            let mut before = 0;
            for (m, step) in moves[own.clone()].iter_mut().zip(*steps) {
                m.alone = uses.of[m.cell as usize].alone();
                m.after = (before, step.passed as u32);
                before = step.passed as u32;
            }
        }
        let wanted_after = wanted.clone();
        for cell in uses.touched.drain(..) {
            wanted[cell as usize] = std::mem::take(&mut uses.of[cell as usize]).wants();
        }
        let moves = threads.iter().map(Range::len).sum();
        phases.push(Phase { threads, moves, meetings, own, wanted: wanted_after });
    }
    phases.reverse();
    phases
}

/// Of each thread, the meetings of these groups that it is in, and how many steps it takes before each.
fn own_meetings(threads: &[&[Step]], groups: &[Range<usize>]) -> Vec<Vec<(usize, usize)>> {
    if groups.is_empty() {
        return Vec::new();
    }
    let mut own = vec![Vec::new(); threads.len()];
    for (number, group) in groups.iter().enumerate() {
        for thread in group.clone() {
            let passed = own[thread].len();
            let before = threads[thread].partition_point(|step| step.passed <= passed);
            own[thread].push((number, before));
        }
    }
    own
}

/// How the threads of a phase use a cell.
#[derive(Clone, Default)]
struct Use {
    /// The thread of the first access, and what that sees.
    first: Option<(usize, Option<Held>)>,
    /// Is there an access of another thread?
    shared: bool,
    seen: bool,
    stored: bool,
    /// The least value that is seen and not stored.
    unstored: Option<Held>,
}

impl Use {
    fn alone(&self) -> bool {
        !self.shared || !self.stored
    }

    /// What is wanted of the cell before.
    fn wants(self) -> Wanted {
        let value = match self.alone() {
            // Threads that only read all see what is there.
            true => self.first.and_then(|(_, seen)| seen),
            false if self.seen && self.unstored.is_none() => return Wanted::Unknown,
            false => self.unstored,
        };
        value.map_or(Wanted::Anything, Wanted::Value)
    }
}

/// How each cell is used in a phase.
struct Uses<'a> {
    of: Vec<Use>,
    /// The cells that are.
    touched: Vec<u32>,
    values: &'a [(u32, u64)],
    /// The last of the phases looked at that stores each value, counted from 1.
    stored: Vec<u32>,
    phase: u32,
}

impl<'a> Uses<'a> {
    fn new(cells: usize, values: &'a [(u32, u64)]) -> Uses<'a> {
        let (of, stored) = (vec![Use::default(); cells], vec![0; values.len()]);
        Uses { of, touched: Vec::new(), values, stored, phase: 0 }
    }

    /// Looks at the moves of a phase; the uses of another one were taken.
    fn look(&mut self, moves: &[Move], threads: &[Range<usize>]) {
        self.phase += 1;
        for (thread, own) in threads.iter().enumerate() {
            for m in &moves[own.clone()] {
                let used = &mut self.of[m.cell as usize];
                if used.first.is_none() {
                    self.touched.push(m.cell);
                }
                used.shared |= used.first.get_or_insert((thread, m.sees)).0 != thread;
                used.seen |= m.sees.is_some();
                used.stored |= m.stores.is_some();
                if let Some(value) = m.stores {
                    self.stored[value as usize] = self.phase;
                }
            }
        }
        for m in threads.iter().flat_map(|own| &moves[own.clone()]) {
            if let Some(value) = m.sees.filter(|seen| self.stored[*seen as usize] != self.phase) {
                let least = &mut self.of[m.cell as usize].unstored;
                let less =
                    |other: &Held| self.values[value as usize].1 < self.values[*other as usize].1;
                if least.as_ref().is_none_or(less) {
                    *least = Some(value);
                }
            }
        }
    }
}
