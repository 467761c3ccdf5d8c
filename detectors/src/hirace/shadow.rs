//! Shadow memory: a word for each cell, with the state of its machine and the record of its last accessor
//! (HiRace Fig. 3 and Algorithm 1).

use babycuda_core::AccessMode;
use babycuda_core::shadow::{Label, Machine, State};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many levels of a chain a word can have clocks for.
const LEVELS: usize = 4;

/// What a word of 64 bits holds below its state, from its highest bits: a thread, and a clock for each level
/// of the chain that has barriers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Layout {
    thread: u32,
    clocks: [u32; LEVELS],
}

/// A layout that does not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// More than 64 bits.
    #[error("{0} bits for state, thread and clocks do not fit into a word of 64")]
    Bits(u64),
    /// Another number of clocks than the chain has levels with barriers, or more than there is room for.
    #[error("{given} clocks, where the chain has {wanted} levels with barriers (at most {LEVELS})")]
    #[allow(missing_docs)]
    Clocks { given: usize, wanted: usize },
}

/// What a word cannot hold of a thread: what was found before stands, and nothing is known of what comes
/// after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Overflow {
    /// Its number.
    #[error("no word has room for the number of thread {0}")]
    Thread(u64),
    /// One of its clocks.
    #[error(
        "thread {thread} passed more than {most} barriers of level {level}, which is all its clock counts"
    )]
    #[allow(missing_docs)]
    Clock { thread: u64, level: usize, most: u64 },
}

/// A thread, as its private variables know it: its number, its groups, and how many barriers it passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accessor {
    id: u64,
    /// The threads of its group of each level, from the narrowest; the grid's are all.
    groups: [Range<u64>; LEVELS],
    clocks: [u64; LEVELS],
}

/// A race that a word saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The thread whose access it is.
    pub thread: u64,
    /// The last thread that accessed the cell before. The race may be with one before that: a word knows no
    /// other.
    pub last: u64,
}

/// The shadow of some cells under a machine.
#[derive(Debug)]
pub struct Shadow {
    machine: Machine,
    layout: Layout,
    words: Vec<AtomicU64>,
}

impl Shadow {
    /// Of `cells` cells that nobody accessed, for `threads` threads; `clocks` are the bits of the clocks,
    /// from the narrowest level with barriers.
    ///
    /// # Errors
    /// Words of more than 64 bits, and another number of clocks than the machine's chain needs.
    pub fn new(
        machine: Machine,
        cells: usize,
        threads: u64,
        clocks: &[u32],
    ) -> Result<Shadow, LayoutError> {
        let wanted = machine.chain().widest_barrier();
        if clocks.len() != wanted || wanted > LEVELS {
            return Err(LayoutError::Clocks { given: clocks.len(), wanted });
        }
        let bits = |values: u64| u64::BITS - values.saturating_sub(1).leading_zeros();
        let (states, thread) = (bits(machine.names().len() as u64), bits(threads));
        let all = clocks.iter().map(|bits| u64::from(*bits)).sum::<u64>();
        let all = all + u64::from(states + thread);
        if all > u64::from(u64::BITS) {
            return Err(LayoutError::Bits(all));
        }
        let clocks = std::array::from_fn(|level| clocks.get(level).copied().unwrap_or(0));
        let words = std::iter::repeat_with(|| AtomicU64::new(0)).take(cells).collect();
        Ok(Shadow { machine, layout: Layout { thread, clocks }, words })
    }

    /// A thread with its groups of the levels below the grid, from the narrowest, each with the number of
    /// barriers of that level that it passed.
    ///
    /// # Errors
    /// No word has room for it.
    pub fn thread(&self, id: u64, groups: &[(Range<u64>, u64)]) -> Result<Accessor, Overflow> {
        if id > mask(self.layout.thread) {
            return Err(Overflow::Thread(id));
        }
        let none = (0..u64::MAX, 0);
        let group = |level| groups.get(level).unwrap_or(&none);
        let (spans, clocks) = (|level| group(level).0.clone(), |level| group(level).1);
        let (groups, clocks) = (std::array::from_fn(spans), std::array::from_fn(clocks));
        let thread = Accessor { id, groups, clocks };
        (1..=LEVELS).try_for_each(|level| self.counts(&thread, level))?;
        Ok(thread)
    }

    /// The thread passes a barrier of a level, with all of its group.
    ///
    /// # Errors
    /// Its clock has no more bits.
    pub fn pass(&self, thread: &mut Accessor, level: usize) -> Result<(), Overflow> {
        thread.clocks[level.clamp(1, LEVELS) - 1] += 1;
        self.counts(thread, level)
    }

    /// Has the thread's clock of this level enough bits?
    fn counts(&self, thread: &Accessor, level: usize) -> Result<(), Overflow> {
        let place = level.clamp(1, LEVELS) - 1;
        let most = mask(self.layout.clocks[place]);
        match thread.clocks[place] <= most {
            true => Ok(()),
            false => Err(Overflow::Clock { thread: thread.id, level, most }),
        }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The thread accesses a cell, as other threads may at the same time (Algorithm 1). Gives the race that
    /// the access has with one before, if it is the first one of the cell. A cell that has no word has no race.
    pub fn access(&self, cell: usize, thread: &Accessor, mode: AccessMode) -> Option<Sighting> {
        let word = self.words.get(cell)?;
        let mut old = word.load(Ordering::Relaxed);
        loop {
            let (new, sighting) = self.after(old, thread, mode);
            // Nothing to say is nothing to write.
            if new == old {
                return None;
            }
            match word.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return sighting,
                Err(now) => old = now,
            }
        }
    }

    /// The same where no other thread is there.
    pub fn access_alone(
        &mut self,
        cell: usize,
        thread: &Accessor,
        mode: AccessMode,
    ) -> Option<Sighting> {
        let old = *self.words.get_mut(cell)?.get_mut();
        let (new, sighting) = self.after(old, thread, mode);
        *self.words.get_mut(cell)?.get_mut() = new;
        sighting
    }

    /// The word after an access.
    #[inline]
    fn after(&self, old: u64, thread: &Accessor, mode: AccessMode) -> (u64, Option<Sighting>) {
        let Layout { thread: bits, clocks } = &self.layout;
        let grid = self.machine.chain().grid();
        let widest = self.machine.chain().widest_barrier();
        let mut rest = old;
        let mut new = 0;
        let (mut sync, mut at) = (0, 0);
        for (level, (bits, clock)) in (1..).zip(clocks.iter().zip(thread.clocks)).take(widest) {
            if rest & mask(*bits) != clock {
                sync = level;
            }
            rest = shifted(rest, *bits);
            new |= clock << at;
            at += bits;
        }
        let last = rest & mask(*bits);
        let state = shifted(rest, *bits) as State;
        let relation = match last == thread.id {
            true => 0,
            false => {
                let holds = |group: &Range<u64>| group.start <= last && last < group.end;
                thread.groups.iter().take(grid - 1).position(holds).map_or(grid, |i| i + 1)
            }
        };
        let label = Label { mode, sync, relation }.comparable();
        let next = self.machine.next(state, label);
        let race = self.machine.race();
        let found = next == race && state != race;
        new |= thread.id << at;
        new |= u64::from(next) << (at + bits);
        (new, found.then_some(Sighting { thread: thread.id, last }))
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}

fn shifted(word: u64, bits: u32) -> u64 {
    word.checked_shr(bits).unwrap_or(0)
}
