//! Shadow words: who was at a cell.

use super::Refusal;
use babycuda_core::AccessMode;
use babycuda_core::syntax::Scope;
use std::collections::HashMap;

/// The five modes as bits.
pub(super) fn mode_bit(mode: AccessMode) -> u64 {
    match mode {
        AccessMode::Rd => 1,
        AccessMode::Wr => 2,
        AccessMode::At(Scope::Block) => 4,
        AccessMode::At(Scope::Device) => 8,
        AccessMode::At(Scope::System) => 16,
    }
}

const MODES: [AccessMode; 5] = [
    AccessMode::Rd,
    AccessMode::Wr,
    AccessMode::At(Scope::Block),
    AccessMode::At(Scope::Device),
    AccessMode::At(Scope::System),
];

/// The modes that conflict with `mode`, as bits.
pub(super) fn conflicting(mode: AccessMode, same_block: bool) -> u64 {
    let modes = MODES.into_iter().filter(|m| mode.conflicts(*m, same_block));
    modes.map(mode_bit).sum()
}

const MODE_BITS: u32 = 5;
const RACY: u64 = 1 << (2 * MODE_BITS);
const WHO: u32 = 2 * MODE_BITS + 1;
/// Bits for the thread in a word whose upper half is the phase.
pub(super) const THREAD_BITS: u32 = 32 - WHO;

/// One more access of a cell. `who` is the accessor, with the epoch before it; an accessor never
/// comes back after another one was there. Returns whether the cell has just become racy.
#[inline]
fn visit(word: &mut u64, who: u64, epoch_shift: u32, bit: u64, conflicting: u64) -> bool {
    let old = *word;
    let (mut last, mut before, mut racy) = (0, 0, 0);
    if old >> WHO == who {
        last = old & 31;
        if last & bit != 0 {
            return false;
        }
        before = (old >> MODE_BITS) & 31;
        racy = old & RACY;
    } else if old != 0 && (old >> WHO) >> epoch_shift == who >> epoch_shift {
        before = ((old >> MODE_BITS) | old) & 31;
        racy = old & RACY;
    }
    last |= bit;
    let races = before & conflicting != 0;
    let now = if races { RACY } else { racy };
    *word = who << WHO | now | before << MODE_BITS | last;
    races && racy == 0
}

/// Cells of one array, allocated as they are touched.
pub(super) struct Table {
    near: Vec<Option<Box<Chunk>>>,
    far: HashMap<u64, Box<[u64]>>,
    /// Bytes allocated.
    pub bytes: u64,
}

/// Small: threads that access the rows of a matrix touch one for each row.
const NEAR_SHIFT: u32 = 9;
/// Chunks that the directory may name: cells below 2^28.
const NEAR_CHUNKS: u64 = 1 << 19;
type Chunk = [u64; 1 << NEAR_SHIFT];
const FAR_SHIFT: u32 = 6;

impl Table {
    pub(super) fn new() -> Table {
        Table { near: Vec::new(), far: HashMap::new(), bytes: 0 }
    }

    /// The word of a cell.
    #[inline]
    fn word(&mut self, index: u64, budget: &mut u64) -> Option<&mut u64> {
        let chunk = index >> NEAR_SHIFT;
        if chunk >= NEAR_CHUNKS {
            return self.far_word(index, budget);
        }
        let at = chunk as usize;
        if self.near.get(at).is_none_or(Option::is_none) {
            self.allocate(at, budget)?;
        }
        let offset = (index & ((1 << NEAR_SHIFT) - 1)) as usize;
        self.near.get_mut(at)?.as_mut()?.get_mut(offset)
    }

    #[cold]
    fn allocate(&mut self, at: usize, budget: &mut u64) -> Option<()> {
        let bytes = 8u64 << NEAR_SHIFT;
        *budget = budget.checked_sub(bytes)?;
        self.bytes += bytes;
        if self.near.len() <= at {
            self.near.resize_with(at + 1, || None);
        }
        self.near[at] = Some(Box::new([0; 1 << NEAR_SHIFT]));
        Some(())
    }

    #[cold]
    fn far_word(&mut self, index: u64, budget: &mut u64) -> Option<&mut u64> {
        let key = index >> FAR_SHIFT;
        if !self.far.contains_key(&key) {
            let bytes = (8u64 << FAR_SHIFT) + 48;
            *budget = budget.checked_sub(bytes)?;
            self.bytes += bytes;
            self.far.insert(key, vec![0; 1 << FAR_SHIFT].into_boxed_slice());
        }
        let offset = (index & ((1 << FAR_SHIFT) - 1)) as usize;
        self.far.get_mut(&key)?.get_mut(offset)
    }
}

/// One array's shadow: within blocks, and across blocks where it has to be.
pub(super) struct Shadow {
    within: Table,
    across: Option<Table>,
}

/// What an access has made racy.
#[derive(Clone, Copy, Default)]
pub(super) struct News {
    pub within: bool,
    pub across: bool,
}

/// Masks of an access statement.
#[derive(Clone, Copy)]
pub(super) struct Masks {
    pub bit: u64,
    pub within: u64,
    pub across: u64,
}

impl Shadow {
    pub(super) fn new(across: bool) -> Shadow {
        Shadow { within: Table::new(), across: across.then(Table::new) }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.within.bytes + self.across.as_ref().map_or(0, |t| t.bytes)
    }

    /// One more access, by `thread` of `block` in the phase numbered `epoch` over all blocks.
    /// `None`: the budget is used up. Epochs and blocks are counted from 1, so that a word of 0
    /// means that no one was here.
    #[inline]
    pub(super) fn visit(
        &mut self,
        at: (u64, u64, u64),
        index: u64,
        masks: Masks,
        budget: &mut u64,
    ) -> Option<News> {
        let (epoch, thread, block) = at;
        let word = self.within.word(index, budget)?;
        let who = epoch << THREAD_BITS | thread;
        let within = visit(word, who, THREAD_BITS, masks.bit, masks.within);
        let across = match &mut self.across {
            None => false,
            // All blocks are in one epoch.
            Some(table) => {
                let word = table.word(index, budget)?;
                visit(word, block, 63, masks.bit, masks.across)
            }
        };
        Some(News { within, across })
    }
}

/// The refusal of a launch whose shadow does not fit.
pub(super) fn refusal(limit: u64) -> Refusal {
    Refusal::Memory { what: "shadow words", limit }
}
