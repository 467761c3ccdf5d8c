//! Which barriers stand between an access and those before it.
//!
//! Barriers are counted. An access has as its time how many stood before it; a group, when its last barrier was.
//! Groups nest, so one barrier stands between two accesses whose group holds both threads iff the earlier access's
//! time is below that of a group, from the narrowest that holds both on.

use super::lanes::Clocks;
use super::pages::Mix;
use crate::record::Barrier;
use crate::tables::mask;
use babycuda_core::{Launch, Thread};
use std::collections::HashMap;

/// Levels: a thread, tiles of 2, 4, … up to the warp of at most 1024, the block, the grid.
pub(super) const LEVELS: usize = 13;

/// Barriers of a log: one by one they have numbers of 32 bits, from 2 on.
const MAX_BARRIERS: u32 = 4_294_967_293;

/// Threads as numbers: the block, and below it the index, by bits. The bits in which two differ say how wide the
/// narrowest group is that holds both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    threads: u64,
    index_bits: u32,
    warp_bits: u32,
}

impl Shape {
    /// That of a launch that a log may have.
    pub(super) fn new(launch: Launch) -> Shape {
        let threads = launch.block.count();
        let index_bits = threads.next_power_of_two().trailing_zeros();
        Shape { threads, index_bits, warp_bits: launch.warp.trailing_zeros() }
    }

    #[inline]
    pub(super) fn id(&self, thread: Thread) -> u32 {
        // The launch has room for it.
        (thread.block << self.index_bits | thread.index) as u32
    }

    pub(super) fn thread(&self, id: u32) -> Thread {
        let block = self.block_of(id);
        Thread { block, index: u64::from(id) - (block << self.index_bits) }
    }

    pub(super) fn block_of(&self, id: u32) -> u64 {
        u64::from(id) >> self.index_bits
    }

    /// The warp of a thread, by a number of its own.
    #[inline]
    fn warp_of(&self, id: u32) -> u64 {
        u64::from(id) >> self.warp_bits.min(self.index_bits)
    }

    pub(super) fn lane(&self, id: u32) -> u32 {
        (self.thread(id).index & ((1 << self.warp_bits) - 1)) as u32
    }

    pub(super) fn warp(&self) -> usize {
        self.warp_bits as usize
    }

    pub(super) fn block(&self) -> usize {
        self.warp_bits as usize + 1
    }

    #[inline]
    pub(super) fn grid(&self) -> usize {
        self.warp_bits as usize + 2
    }

    /// The level of the narrowest group that holds both threads; 0: they are one.
    #[inline]
    pub(super) fn level(&self, one: u32, other: u32) -> usize {
        let bits = u32::BITS - (one ^ other).leading_zeros();
        if bits > self.index_bits {
            self.grid()
        } else if bits > self.warp_bits {
            self.block()
        } else {
            bits as usize
        }
    }
}

/// More barriers than there are times.
pub(super) struct Over;

/// When the groups of the launch passed barriers, and those of the thread whose turn it is.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) shape: Shape,
    /// From 1 on, so that 0 is before everything.
    pub(super) now: u32,
    grid: u32,
    blocks: HashMap<u64, u32, Mix>,
    warps: HashMap<u64, u32, Mix>,
    /// By warp: of its tiles, the one of a thread of a level at `(warp size + lane) >> level`.
    tiles: HashMap<u64, Box<[u32]>, Mix>,
    /// By warp, where barriers of lanes are followed.
    clocks: Option<HashMap<u64, Clocks, Mix>>,
    /// The thread's number.
    pub(super) id: u32,
    /// By level: when its group of that level, or a wider one, passed the last barrier. No access of its own is before
    /// any of its own.
    pub(super) since: [u32; LEVELS],
    warp: Option<u64>,
    tiled: bool,
}

impl Times {
    /// Before the first barrier; with `lanes`, barriers of lanes are followed.
    pub(super) fn new(launch: Launch, lanes: bool) -> Times {
        let mix = Mix::new();
        let map = || HashMap::with_hasher(mix);
        Times {
            shape: Shape::new(launch),
            now: 1,
            grid: 1,
            blocks: map(),
            warps: map(),
            tiles: HashMap::with_hasher(mix),
            clocks: lanes.then(|| HashMap::with_hasher(mix)),
            id: 0,
            since: [u32::MAX; LEVELS],
            warp: None,
            tiled: false,
        }
    }

    /// It is this thread's turn.
    #[inline]
    pub(super) fn turn(&mut self, thread: Thread) {
        self.id = self.shape.id(thread);
        if self.tiled || self.warp != Some(self.shape.warp_of(self.id)) {
            self.look();
        }
    }

    #[inline(never)]
    fn look(&mut self) {
        let Shape { warp_bits, .. } = self.shape;
        let warp = self.shape.warp_of(self.id);
        self.warp = Some(warp);
        let block = self.shape.block_of(self.id);
        let mut since = self.grid;
        self.since[self.shape.grid()] = since;
        since = since.max(self.blocks.get(&block).copied().unwrap_or(0));
        self.since[self.shape.block()] = since;
        since = since.max(self.warps.get(&warp).copied().unwrap_or(0));
        let tiles = self.tiles.get(&warp);
        self.tiled = tiles.is_some();
        let lane = self.shape.lane(self.id) as usize;
        for level in (1..=warp_bits as usize).rev() {
            if let Some(tiles) = tiles {
                let tile = ((1 << warp_bits) + lane) >> level;
                since = since.max(tiles.get(tile).copied().unwrap_or(0));
            }
            self.since[level] = since;
        }
        // A warp of one thread has no other.
        self.since[0] = u32::MAX;
    }

    /// When the thread's warp, or a wider group, passed the last barrier.
    pub(super) fn warp_since(&self) -> u32 {
        self.since[self.shape.warp().max(1)]
    }

    /// Is an access of this time, by a thread whose narrowest common group with this one is of the level, not behind
    /// a barrier?
    #[inline]
    pub(super) fn live(&self, level: usize, time: u32) -> bool {
        self.since[level] <= time
    }

    /// How the launch knows a barrier of lanes: as one of the warp or of a tile, if the mask says so.
    pub(super) fn wider(&self, barrier: Barrier) -> Barrier {
        let Barrier::Lanes { block, warp, lanes } = barrier else { return barrier };
        let size = 1u64 << self.shape.warp_bits;
        let first = warp * size;
        let there = size.min(self.shape.threads - first);
        let lanes = lanes & mask(there);
        if lanes == mask(there) {
            return Barrier::Warp { block, warp };
        }
        let lane = u64::from(lanes.trailing_zeros());
        for bits in 0..self.shape.warp_bits {
            let tile = 1u64 << bits;
            let of = lane / tile * tile;
            if lanes == mask(tile) << of & mask(there) {
                return Barrier::Tile { block, size: tile as u32, first: first + of };
            }
        }
        Barrier::Lanes { block, warp, lanes }
    }

    /// Threads pass a barrier.
    ///
    /// # Errors
    /// [`Over`]
    pub(super) fn pass(&mut self, barrier: Barrier) -> Result<(), Over> {
        self.now = self.now.checked_add(1).filter(|now| now - 1 <= MAX_BARRIERS).ok_or(Over)?;
        self.warp = None;
        let (now, size) = (self.now, 1u64 << self.shape.warp_bits);
        match barrier {
            Barrier::Grid => self.grid = now,
            Barrier::Block { block } => {
                self.blocks.insert(block, now);
            }
            Barrier::Warp { block, warp } => {
                self.warps.insert(self.warp_at(block, warp * size), now);
            }
            Barrier::Tile { block, size: tile, first } if u64::from(tile) == size => {
                self.warps.insert(self.warp_at(block, first), now);
            }
            Barrier::Tile { block, size: tile, first } => {
                let warp = self.warp_at(block, first);
                if self.clocks.is_some() {
                    let lanes = mask(tile.into()) << (first % size);
                    self.lanes(block, first, lanes);
                } else {
                    let tiles = self.tiles.entry(warp);
                    let tiles = tiles.or_insert_with(|| vec![0; 2 * size as usize].into());
                    let tile = (size + first % size) >> tile.trailing_zeros();
                    if let Some(known) = tiles.get_mut(tile as usize) {
                        *known = now;
                    }
                }
            }
            Barrier::Lanes { block, warp, lanes } => self.lanes(block, warp * size, lanes),
        }
        Ok(())
    }

    fn warp_at(&self, block: u64, first: u64) -> u64 {
        self.shape.warp_of(self.shape.id(Thread { block, index: first }))
    }

    /// Lanes of the warp of a thread meet.
    fn lanes(&mut self, block: u64, index: u64, lanes: u64) {
        self.turn(Thread { block, index });
        let (since, size) = (self.warp_since(), 1usize << self.shape.warp_bits);
        let warp = self.shape.warp_of(self.id);
        self.warp = None;
        if let Some(clocks) = &mut self.clocks {
            let clocks = clocks.entry(warp).or_insert_with(|| Clocks::new(size));
            clocks.renew(since);
            clocks.pass(lanes);
        }
    }

    /// The clocks of the thread's warp, if lanes of it met since all of it did.
    pub(super) fn clocks(&self) -> Option<&Clocks> {
        let clocks = self.clocks.as_ref()?.get(&self.shape.warp_of(self.id))?;
        (clocks.since() == self.warp_since()).then_some(clocks)
    }

    /// Are barriers of lanes followed?
    pub(super) fn follows_lanes(&self) -> bool {
        self.clocks.is_some()
    }

    /// Bytes of all this, roughly.
    pub(super) fn memory(&self) -> usize {
        let size = 1usize << self.shape.warp_bits;
        let clocks = self.clocks.as_ref().map_or(0, HashMap::len);
        (self.blocks.capacity() + self.warps.capacity() + self.tiles.capacity()) * 32
            + self.tiles.len() * (8 * size + 32)
            + clocks * Clocks::memory(size)
    }
}
