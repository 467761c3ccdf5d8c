//! Random traces, small and close together, so that many have a race and many have none.
#![allow(dead_code)] // each test uses its part

use babycuda_core::syntax::Scope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Dim3, Launch, Site, Thread};

/// Numbers from a seed (SplitMix64).
pub struct Draw(pub u64);

impl Draw {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound.max(1)
    }

    pub fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

/// Which barriers a trace has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barriers {
    WarpsAndBlocks,
    Nested,
    Lanes,
}

pub fn trace(seed: u64, barriers: Barriers) -> Trace {
    let mut draw = Draw(seed);
    let block = match draw.below(4) {
        0 => Dim3 { x: 2, y: 2, z: 1 },
        n => Dim3::line([3, 8, 11][n as usize - 1]),
    };
    let warp = [1, 2, 4, 8][draw.below(4) as usize];
    let launch = Launch { warp, ..Launch::new(Dim3::line(1 + draw.below(3) as u32), block) };
    let (blocks, threads) = (launch.grid.count(), block.count());
    let (cells, favour) = (1 + draw.below(4), draw.below(5));
    let (calm, most) = (1 + draw.below(5), 4 + draw.below(60));
    let mut at = Thread { block: 0, index: 0 };
    let mut events = Vec::new();
    for _ in 0..most {
        if !draw.one_in(3) {
            at.index = draw.below(threads);
        }
        if draw.one_in(4) {
            at.block = draw.below(blocks);
        }
        if draw.one_in(calm + 1) {
            events.push(barrier(&mut draw, launch, at, barriers));
            continue;
        }
        let mode = if draw.one_in(4) { draw.below(5) } else { favour };
        let modes = [
            AccessMode::Rd,
            AccessMode::Wr,
            AccessMode::At(Scope::Block),
            AccessMode::At(Scope::Device),
            AccessMode::At(Scope::System),
        ];
        // Mostly a cell of its own, so that not all is racy.
        let own = at.block * threads + at.index;
        let index = if draw.one_in(2) { draw.below(cells) } else { 100 + own };
        let array = ["g", "s"][draw.below(2) as usize];
        let cell = Cell::new(array, index * 67);
        let site = Some(Site(draw.below(3) as u32)).filter(|_| !draw.one_in(5));
        events.push(Event::Access { thread: at, mode: modes[mode as usize], cell, site });
    }
    Trace { launch, shared: ["s".into()].into(), events }
}

fn barrier(draw: &mut Draw, launch: Launch, at: Thread, barriers: Barriers) -> Event {
    let Thread { block, index } = at;
    let warp = index / u64::from(launch.warp);
    let kinds = if barriers == Barriers::WarpsAndBlocks { 2 } else { 5 };
    match draw.below(kinds) {
        0 => Event::BlockBarrier { block },
        1 => Event::WarpBarrier { block, warp },
        2 if draw.one_in(3) => Event::GridBarrier,
        _ if barriers == Barriers::Lanes => {
            let lane = index % u64::from(launch.warp);
            let lanes = (draw.word() & draw.word() | 1 << lane) & ((1 << launch.warp) - 1);
            Event::LaneBarrier { block, warp, lanes }
        }
        _ => {
            let bits = draw.below(u64::from(launch.warp.trailing_zeros()) + 1);
            let size = 1u32 << bits;
            Event::TileBarrier { block, size, first: index / u64::from(size) * u64::from(size) }
        }
    }
}
