//! The words of a monitored text.

use super::{MonitorOptions, WordBits};
use crate::emit::error::{EmitError, EmitErrorKind};
use babycuda_core::Stmt;
use babycuda_core::launch::MAX_BLOCK_THREADS;
use babycuda_core::syntax::{BarrierScope, Extent, Program, Space};

/// How many bits of a word each field has, from the lowest: the thread, the barriers of its warp since the last of its
/// block, the barriers of its block, its block; and the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WordLayout {
    /// Of the whole word: 32 or 64.
    pub bits: u32,
    /// The last accessor's index in its block.
    pub thread: u32,
    /// The barriers that it passed of its warp, since the last one of its block.
    pub warp_clock: u32,
    /// The barriers that it passed of its block.
    pub block_clock: u32,
    /// Its block; words of shared memory are of one block.
    pub block: u32,
    /// The state of the machine.
    pub state: u32,
}

impl WordLayout {
    /// The layout of words for arrays of a space, in a program that may leave parts of its launch open.
    pub(super) fn new(
        program: &Program,
        options: &MonitorOptions,
        (space, words): (Space, WordBits),
        states: usize,
    ) -> Result<WordLayout, EmitError> {
        let word = match space {
            Space::Global => words,
            Space::Shared => WordBits::W32,
        };
        let state = bits(states as u64).max(1);
        let thread = bits(threads(program));
        let clocks = Clocks::of(program);
        let block = match (space, blocks(program), options.block) {
            (Space::Shared, ..) => Some(0),
            (Space::Global, _, Some(wanted)) => Some(wanted),
            (Space::Global, known, None) => known.map(bits),
        };
        let left = |taken: u32| word.bits().saturating_sub(taken);
        let block = block.unwrap_or_else(|| match clocks.any() {
            // Half of what is left: clocks need the others.
            true => (left(state + thread) / 2).min(MOST_BLOCK),
            false => left(state + thread).min(MOST_BLOCK),
        });
        let room = left(state.saturating_add(thread).saturating_add(block));
        let warp_clock = options.warp_clock.unwrap_or_else(|| match (clocks.warp, clocks.block) {
            (false, _) => 0,
            (true, false) => room.min(MOST_CLOCK),
            (true, true) => (room / 3).clamp(1, MOST_CLOCK),
        });
        let block_clock = options.block_clock.unwrap_or_else(|| match clocks.block {
            false => 0,
            true => room.saturating_sub(warp_clock).clamp(1, MOST_CLOCK),
        });
        let layout =
            WordLayout { bits: word.bits(), thread, warp_clock, block_clock, block, state };
        let needed = [thread, warp_clock, block_clock, block, state];
        let needed = needed.into_iter().fold(0u32, u32::saturating_add);
        let too_wide = |bits: u32| bits > MOST_CLOCK;
        if needed > word.bits() || [warp_clock, block_clock, block].into_iter().any(too_wide) {
            let kind = EmitErrorKind::Word { space, needed, bits: word.bits() };
            return Err(kind.declared());
        }
        Ok(layout)
    }

    /// Where the clock of the warp begins.
    pub(crate) fn warp_clock_at(self) -> u32 {
        self.thread
    }

    /// Where the clock of the block begins.
    pub(crate) fn block_clock_at(self) -> u32 {
        self.thread + self.warp_clock
    }

    /// Where the block begins.
    pub(crate) fn block_at(self) -> u32 {
        self.block_clock_at() + self.block_clock
    }

    /// The fields between the thread and the state that there are: a monitor's names for them, and where they begin.
    pub(crate) fn between(self) -> impl Iterator<Item = (&'static str, u32)> {
        let fields = [
            (self.warp_clock, "warp_clock", self.warp_clock_at()),
            (self.block_clock, "block_clock", self.block_clock_at()),
            (self.block, "block", self.block_at()),
        ];
        fields.into_iter().filter(|(bits, ..)| *bits > 0).map(|(_, name, at)| (name, at))
    }

    /// Where the state begins.
    pub(crate) fn state_at(self) -> u32 {
        self.block_at() + self.block
    }
}

/// More bits than this no field has: the texts count in words of 32 bits.
const MOST_CLOCK: u32 = 31;
/// Bits for blocks, where the launch is open: CUDA's grids have fewer blocks in one dimension.
const MOST_BLOCK: u32 = 31;

/// The greatest number that a field of so many bits holds.
pub(crate) fn most(bits: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - bits.min(u64::BITS)).unwrap_or(0)
}

/// The bits of numbers below `values`.
fn bits(values: u64) -> u32 {
    u64::BITS - values.saturating_sub(1).leading_zeros()
}

/// The threads of a block, at most.
fn threads(program: &Program) -> u64 {
    product(program.geometry.block).unwrap_or(MAX_BLOCK_THREADS)
}

/// The blocks of the grid, where that is known.
fn blocks(program: &Program) -> Option<u64> {
    program.geometry.grid.and_then(product)
}

fn product(extents: [Extent; 3]) -> Option<u64> {
    let known = extents.map(|extent| match extent {
        Extent::Known(n) => Some(u64::from(n)),
        Extent::Symbolic => None,
    });
    known.into_iter().try_fold(1u64, |all, n| Some(all.saturating_mul(n?)))
}

/// Which clocks a program needs.
struct Clocks {
    warp: bool,
    block: bool,
}

impl Clocks {
    fn of(program: &Program) -> Clocks {
        let scopes = program.body.subterms().filter_map(|b| match b {
            Stmt::Sync { scope, .. } => Some(*scope),
            _ => None,
        });
        let scopes: Vec<BarrierScope> = scopes.collect();
        Clocks {
            warp: scopes.iter().any(|scope| *scope < BarrierScope::Block),
            block: scopes.contains(&BarrierScope::Block),
        }
    }

    fn any(&self) -> bool {
        self.warp || self.block
    }
}
