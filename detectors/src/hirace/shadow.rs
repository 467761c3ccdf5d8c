//! Shadow memory: a word for each cell, with the state of its machine and the record of its last accessor
//! (HiRace Fig. 3 and Algorithm 1).

use babycuda_core::AccessMode;
use babycuda_core::shadow::{Label, Machine, State};
use babycuda_core::syntax::Scope;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many levels of a chain a word can have clocks for.
const LEVELS: usize = 4;

/// What a word of 64 bits holds below its state, from its highest bits: a thread, and a clock for each level
/// of the chain that has barriers; the narrowest one's is lowest.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Layout {
    thread: u32,
    clocks: [u32; LEVELS],
    /// Where the thread begins, behind all clocks.
    at: u32,
    /// Where the state begins, behind the thread. A state has a bit at least, so both are places in a word.
    state: u32,
    /// The bits of each clock.
    masks: [u64; LEVELS],
    /// The lowest bit of each clock, and of what is above a clock that has none.
    starts: [u64; LEVELS],
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
    /// A run whose threads, cells or barriers have no numbers.
    #[error("a run of more than 2^32 threads, cells or barriers")]
    Run,
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
    /// The number of threads in one of its groups, or a group that it is not in.
    #[error("thread {thread} has no group of level {level} of less than 2^32 threads")]
    #[allow(missing_docs)]
    Group { thread: u64, level: usize },
}

/// A thread, as its private variables know it: its number, its groups, and how many barriers it passed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Accessor {
    id: u64,
    /// What a word of it holds below the state.
    own: u64,
    /// By level below the grid: how many threads of its group are before it, and how many there are.
    groups: [(u32, u32); LEVELS],
}

impl Accessor {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The threads of its group of a level below the grid.
    pub(super) fn group(&self, level: usize) -> Range<u64> {
        let (before, all) = self.groups[level.clamp(1, LEVELS) - 1];
        let first = self.id.saturating_sub(before.into());
        first..first.saturating_add(all.into())
    }
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
    /// The machine by [`place`], its race, and the level of its blocks.
    next: Vec<State>,
    race: State,
    block: usize,
    words: Vec<AtomicU64>,
}

/// Where the next state stands: of a state, a mode, the level of a barrier, and that of a relation.
fn place(state: u64, mode: AccessMode, sync: usize, relation: usize) -> usize {
    let mode = match mode {
        AccessMode::Rd => 0,
        AccessMode::Wr => 1,
        AccessMode::At(Scope::Block) => 2,
        AccessMode::At(_) => 3,
    };
    // Levels go up to LEVELS + 1, and states have 16 bits.
    (state as usize) << 8 | mode << 6 | sync << 3 | relation
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
        let (states, thread) = (bits(machine.names().len() as u64).max(1), bits(threads));
        let all = clocks.iter().map(|bits| u64::from(*bits)).sum::<u64>();
        let all = all + u64::from(states + thread);
        if all > u64::from(u64::BITS) {
            return Err(LayoutError::Bits(all));
        }
        let clocks = std::array::from_fn(|level| clocks.get(level).copied().unwrap_or(0));
        let starts = |level: usize| clocks[..level].iter().sum::<u32>();
        let masks = std::array::from_fn(|level| up(mask(clocks[level]), starts(level)));
        let at = starts(LEVELS);
        let lowest = std::array::from_fn(|level| 1 << starts(level));
        let layout = Layout { thread, clocks, at, state: at + thread, masks, starts: lowest };
        let mut next = vec![machine.race(); machine.names().len() << 8];
        for state in 0..machine.names().len() as State {
            for label in machine.chain().labels() {
                let Label { mode, sync, relation } = label;
                let known = machine.next(state, label.comparable());
                next[place(state.into(), mode, sync, relation)] = known;
            }
        }
        let words = std::iter::repeat_with(|| AtomicU64::new(0)).take(cells).collect();
        let (race, block) = (machine.race(), machine.chain().block());
        Ok(Shadow { machine, layout, next, race, block, words })
    }

    /// A thread with its groups of the levels below the grid, from the narrowest, each with the number of
    /// barriers of that level that it passed. Each group holds the thread, and the groups before it.
    ///
    /// # Errors
    /// No word has room for it.
    pub fn thread(&self, id: u64, groups: &[(Range<u64>, u64)]) -> Result<Accessor, Overflow> {
        if id > mask(self.layout.thread) {
            return Err(Overflow::Thread(id));
        }
        let mut own = up(id, self.layout.at);
        let mut known = [(0, u32::MAX); LEVELS];
        let levels = 1..=self.machine.chain().block();
        for (level, known) in levels.zip(&mut known) {
            let (group, passed) = groups.get(level - 1).unwrap_or(&(0..0, 0));
            let before = id.checked_sub(group.start).and_then(|n| u32::try_from(n).ok());
            let all = group.end.checked_sub(group.start).and_then(|n| u32::try_from(n).ok());
            let span = before.zip(all).filter(|(before, all)| before < all);
            *known = span.ok_or(Overflow::Group { thread: id, level })?;
            own |= self.clock(id, level, *passed)?;
        }
        Ok(Accessor { id, own, groups: known })
    }

    /// The thread passes a barrier of a level, with all of its group.
    ///
    /// # Errors
    /// Its clock has no more bits.
    pub fn pass(&self, thread: &mut Accessor, level: usize) -> Result<(), Overflow> {
        self.pass_all(std::slice::from_mut(thread), level)
    }

    /// Threads of one group of a level pass a barrier of it. So far they passed as many.
    ///
    /// # Errors
    /// The clock of the first has no more bits, and so nobody's has.
    pub(super) fn pass_all(&self, threads: &mut [Accessor], level: usize) -> Result<(), Overflow> {
        let level = level.clamp(1, LEVELS);
        let bits = self.layout.masks[level - 1];
        let Some(first) = threads.first() else { return Ok(()) };
        let passed = down(first.own & bits, bits.trailing_zeros());
        let now = self.clock(first.id, level, passed + 1)?;
        for thread in threads {
            thread.own = thread.own & !bits | now;
        }
        Ok(())
    }

    /// The bits of a clock in a word.
    fn clock(&self, thread: u64, level: usize, passed: u64) -> Result<u64, Overflow> {
        let bits = self.layout.masks[level - 1];
        let most = mask(self.layout.clocks[level - 1]);
        match passed <= most {
            true => Ok(up(passed, bits.trailing_zeros())),
            false => Err(Overflow::Clock { thread, level, most }),
        }
    }

    /// The clocks of a thread of a level and those above, as a word has them.
    pub(super) fn clocks_from(&self, level: usize, thread: &Accessor) -> u64 {
        let masks = self.layout.masks.iter().skip(level.saturating_sub(1));
        thread.own & masks.fold(0, |all, mask| all | mask)
    }

    /// As if all threads of the thread's group of a level were one: the first of them, without barriers of its own.
    pub(super) fn as_group(&self, level: usize, thread: &Accessor) -> Accessor {
        let group = thread.group(level);
        let own = up(group.start, self.layout.at) | self.clocks_from(level + 1, thread);
        let moved = (thread.id - group.start) as u32;
        let groups = thread.groups.map(|(before, all)| (before.saturating_sub(moved), all));
        Accessor { id: group.start, own, groups }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The thread accesses a cell, as other threads may at the same time (Algorithm 1). Gives the race that
    /// the access has with one before, if it is the first one of the cell. A cell that has no word has no race.
    #[inline]
    pub fn access(&self, cell: usize, thread: &Accessor, mode: AccessMode) -> Option<Sighting> {
        let word = self.words.get(cell)?;
        let mut old = word.load(Ordering::Relaxed);
        loop {
            let (new, found) = self.after(old, thread, mode);
            // Nothing to say is nothing to write.
            if new == old {
                return None;
            }
            match word.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return found.then(|| self.sighting(old, thread)),
                Err(now) => old = now,
            }
        }
    }

    /// The same where no other thread is there.
    #[inline]
    pub fn access_alone(
        &mut self,
        cell: usize,
        thread: &Accessor,
        mode: AccessMode,
    ) -> Option<Sighting> {
        let word = self.words.get(cell)?;
        // Nobody else has the words.
        let old = word.load(Ordering::Relaxed);
        let (new, found) = self.after(old, thread, mode);
        word.store(new, Ordering::Relaxed);
        found.then(|| self.sighting(old, thread))
    }

    /// The race that an access has with one that left this word.
    #[cold]
    fn sighting(&self, old: u64, thread: &Accessor) -> Sighting {
        let last = down(old, self.layout.at) & mask(self.layout.thread);
        Sighting { thread: thread.id, last }
    }

    /// The word after an access; and whether that is the first race of its cell.
    #[inline(always)]
    fn after(&self, old: u64, thread: &Accessor, mode: AccessMode) -> (u64, bool) {
        let Layout { at, state, starts, .. } = &self.layout;
        let (at, above) = (at % u64::BITS, state % u64::BITS);
        let below = (1 << above) - 1;
        let known = old & below;
        let differs = known ^ thread.own;
        // Wider levels have higher clocks: as many levels as there are up to the highest bit that differs. (A level
        // without barriers has no bits.)
        let clocks = differs & ((1 << at) - 1);
        let sync = starts.iter().map(|start| usize::from(clocks >= *start)).sum();
        // Groups nest: each that does not hold the last accessor puts it a level further away.
        let moved = (known >> at).wrapping_sub(thread.id);
        let mut relation = usize::from(moved != 0);
        for (before, all) in thread.groups.iter().take(self.block) {
            let place = moved.wrapping_add(u64::from(*before));
            relation += usize::from(place >= u64::from(*all));
        }
        let (state, race) = (old >> above, self.race);
        let next = self.next.get(place(state, mode, sync, relation)).copied().unwrap_or(race);
        let found = next == race && state != u64::from(race);
        (thread.own | u64::from(next) << above, found)
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}

fn down(word: u64, bits: u32) -> u64 {
    word.checked_shr(bits).unwrap_or(0)
}

fn up(word: u64, bits: u32) -> u64 {
    word.checked_shl(bits).unwrap_or(0)
}
