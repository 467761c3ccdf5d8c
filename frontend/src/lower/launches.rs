//! `threadIdx`, `blockIdx`, `blockDim`, `gridDim`, and the launches that are meant.

use super::meant::MOST_INT;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{as_lit, lit, machine};
use crate::options::Overflow;
use crate::value::Value;
use babycuda_core::expr::NumOp;
use babycuda_core::launch::{MAX_BLOCK_DIM, MAX_BLOCK_THREADS, MAX_GRID_DIM, WARP_SIZE};
use babycuda_core::name::reserved::{BLOCK_DIM, BLOCK_IDX, GRID_DIM, THREAD_IDX, TID};
use babycuda_core::syntax::{Extent, Geometry};
use babycuda_core::{Bool, Dim3, IntType, MachineOp, Name, Num};
use babycuda_kernel::{Expr, ExprKind, Launch, Node};
use std::collections::BTreeSet;

/// The largest number that `__mul24` takes as it is.
const MOST_24_BITS: u64 = 0x7f_ffff;

/// What the translation found out of the launches that are meant.
#[derive(Default, Debug)]
pub(super) struct Launches {
    /// The dimensions of a block that the kernel mentions.
    pub(super) mentioned: [bool; 3],
    /// The dimensions of the grid in which the threads are numbered by an `int`.
    pub(super) int_grid: [bool; 3],
    /// The most blocks that are meant in each dimension of the grid, where that is limited.
    pub(super) most_blocks: [Option<u64>; 3],
    /// The dimensions of the grid that the kernel mentions.
    pub(super) grid_mentioned: [bool; 3],
    /// Is a thread's place in linear order asked for, in the block and in the grid?
    pub(super) linear: [bool; 2],
    /// Has a block, or the grid, of unknown extents more than one dimension, as far as that place is
    /// concerned? An earlier translation knows.
    pub(super) of_rows: [bool; 2],
    /// Sizes of tiles that divide the number of threads of a block: the kernel partitions it.
    pub(super) tiles: BTreeSet<u32>,
    /// Are warps asked to do something together that CUDA wants of whole ones?
    pub(super) whole_warps: bool,
    /// What barriers expect as the number of a block's threads.
    pub(super) counts: Vec<Num>,
    /// The number of dimensions that the host says, where the kernel asks for it.
    pub(super) work_dim: Option<Num>,
}

impl Launches {
    /// What is found out from here on, where these have rows.
    pub(super) fn of_rows(of_rows: [bool; 2]) -> Self {
        Launches { of_rows, ..Launches::default() }
    }

    /// A barrier is made for so many threads: all of the block are meant.
    pub(super) fn counts(&mut self, threads: Num) {
        if !self.counts.contains(&threads) {
            self.counts.push(threads);
        }
    }

    /// All dimensions of one of CUDA's built-in indices are used, in a way that is not followed.
    pub(super) fn mention(&mut self, launch: Launch) {
        match launch {
            Launch::ThreadIdx | Launch::BlockDim => self.mentioned = [true; 3],
            Launch::BlockIdx | Launch::GridDim => self.grid_mentioned = [true; 3],
        }
    }
}

impl<'t> Lower<'t> {
    /// The value of one of CUDA's built-in indices.
    pub(super) fn launch(&mut self, launch: Launch, d: usize, at: At) -> Lowered<Value> {
        match d {
            0..3 => Ok(Value::Int(IntType::U32, self.index_of(launch, d))),
            _ => refuse(at, format!("dimension {d} of a launch")),
        }
    }

    /// The same as a number; `d` is below 3.
    pub(super) fn index_of(&mut self, launch: Launch, d: usize) -> Num {
        let block = self.block().map(|b| b[d]);
        let grid = self.grid().map(|g| g[d]);
        let (variable, known) = match launch {
            Launch::ThreadIdx => (THREAD_IDX[d], (block == Some(1)).then_some(0)),
            Launch::BlockDim => (BLOCK_DIM[d], block),
            Launch::BlockIdx => (BLOCK_IDX[d], (grid == Some(1)).then_some(0)),
            Launch::GridDim => (GRID_DIM[d], grid),
        };
        match launch {
            Launch::ThreadIdx | Launch::BlockDim => self.launches.mentioned[d] = true,
            Launch::BlockIdx | Launch::GridDim => self.launches.grid_mentioned[d] = true,
        }
        match known {
            Some(value) => lit(value.into()),
            None => Num::var(variable),
        }
    }

    /// Where the thread is in its block, in linear order: `threadIdx.x`, unless the block has rows.
    pub(super) fn linear(&mut self) -> Num {
        self.launches.linear[0] = true;
        let (rows, most) = match self.block() {
            Some([x, y, z]) => (y != 1 || z != 1, [x, y, z].map(u64::from).into_iter().product()),
            None => (self.launches.of_rows[0], MAX_BLOCK_THREADS),
        };
        if !rows {
            return self.index_of(Launch::ThreadIdx, 0);
        }
        let tid = Name::new(TID);
        self.ranges.set(tid.clone(), IntType::U32, (0, i128::from(most.max(1)) - 1));
        Num::Var(tid)
    }

    /// How many threads a block has.
    pub(super) fn threads_of_block(&mut self) -> Num {
        self.linear();
        self.product(Launch::BlockDim, 0, IntType::U32)
    }

    /// Where the block is in the grid, in linear order, as an `unsigned long long`.
    pub(super) fn linear_block(&mut self) -> Num {
        self.launches.linear[1] = true;
        let last = if self.has_rows(1) { 2 } else { 0 };
        let mut place = lit(0);
        for d in (0..=last).rev() {
            let (extent, index) =
                (self.index_of(Launch::GridDim, d), self.index_of(Launch::BlockIdx, d));
            let rows = machine(MachineOp::Mul, IntType::U64, place, extent);
            place = machine(MachineOp::Add, IntType::U64, rows, index);
        }
        place
    }

    /// How many blocks the grid has.
    pub(super) fn blocks_of_grid(&mut self) -> Num {
        self.launches.linear[1] = true;
        self.product(Launch::GridDim, 1, IntType::U64)
    }

    fn product(&mut self, of: Launch, place: usize, t: IntType) -> Num {
        let last = if self.has_rows(place) { 2 } else { 0 };
        let extents = (0..=last).map(|d| self.index_of(of, d)).collect::<Vec<_>>();
        extents.into_iter().fold(lit(1), |n, extent| machine(MachineOp::Mul, t, n, extent))
    }

    fn has_rows(&self, place: usize) -> bool {
        let known = if place == 0 { self.block() } else { self.grid() };
        known.map_or(self.launches.of_rows[place], |[_, y, z]| y != 1 || z != 1)
    }

    /// Which of the places in linear order this translation took for those of one dimension, though
    /// the kernel mentions more.
    pub(super) fn more_rows(&self) -> Option<[bool; 2]> {
        let Launches { mentioned, grid_mentioned, linear, of_rows, .. } = &self.launches;
        let rows = |mentioned: &[bool; 3]| mentioned[1] || mentioned[2];
        let wanted = [linear[0] && rows(mentioned), linear[1] && rows(grid_mentioned)];
        let more = [of_rows[0] || wanted[0], of_rows[1] || wanted[1]];
        (more != *of_rows).then_some(more)
    }

    /// Blocks are partitioned into tiles of so many threads: CUDA wants the number of a block's threads
    /// to be a multiple. That is assumed where every thread gets here.
    pub(super) fn divided(&mut self, tile: u32) {
        let all = self.out.depth() == 1 && self.env.active() == Bool::Lit(true);
        if all && !self.mode.perhaps && self.arrays.stop.is_none() {
            self.launches.tiles.insert(tile);
        }
    }

    /// A thread's place in its warp, where warps do something together: rows of blocks are assumed to be whole warps,
    /// where nobody says otherwise.
    pub(super) fn lane_of_warp(&mut self) -> Num {
        let warp = self.warp();
        let rows = self.block().is_none_or(|block| block[0] % warp == 0);
        let place = if rows { self.index_of(Launch::ThreadIdx, 0) } else { self.linear() };
        self.launches.whole_warps = true;
        machine(MachineOp::Rem, IntType::U32, place, lit(warp.into()))
    }

    /// Records what the extents may be.
    pub(super) fn limit_extents(&mut self) {
        for d in 0..3 {
            let extent = |known: Option<[u32; 3]>, max: u32| match known {
                Some(values) => (i128::from(values[d]), i128::from(values[d])),
                None => (1, i128::from(max)),
            };
            let block = extent(self.block(), MAX_BLOCK_DIM[d]);
            let grid = extent(self.grid(), MAX_GRID_DIM[d]);
            self.ranges.set(Name::new(BLOCK_DIM[d]), IntType::U32, block);
            self.ranges.set(Name::new(GRID_DIM[d]), IntType::U32, grid);
        }
        self.limit_indices();
    }

    /// Records what the indices may be, given what the extents may be.
    pub(super) fn limit_indices(&mut self) {
        for d in 0..3 {
            for (index, extent) in [(THREAD_IDX[d], BLOCK_DIM[d]), (BLOCK_IDX[d], GRID_DIM[d])] {
                if let Some((t, range)) = self.ranges.get(&Name::new(extent)) {
                    self.ranges.set(Name::new(index), t, (0, (range.1 - 1).max(0)));
                }
            }
        }
    }

    /// How many threads a warp has: at least one.
    pub(super) fn warp(&self) -> u32 {
        self.options.settings.warp.unwrap_or(WARP_SIZE)
    }

    /// Is something assumed that may leave out a part of the kernel? The launches that it is meant for are the same.
    fn is_narrowed(&self) -> bool {
        let settings = &self.options.settings;
        !settings.params.is_empty()
            || !settings.assumptions.is_empty()
            || !self.kernel.assumptions.is_empty()
    }

    /// What the text of the kernel mentions.
    pub(super) fn places_mentioned(&self) -> impl Iterator<Item = (Launch, usize)> {
        let bodies = self.kernel.functions.iter().map(|f| Node::from(&f.body));
        bodies.flat_map(|body| body.subterms()).filter_map(|node| match node {
            Node::Expr(Expr { kind: ExprKind::Launch(launch, d), .. }) if *d < 3 => {
                Some((*launch, *d))
            }
            _ => None,
        })
    }

    /// The launches that the program is meant for. A dimension that the kernel never mentions
    /// counts as 1, except the first of a block: a kernel that mentions none still runs in many threads. One that
    /// mentions no dimension of the grid is meant for one block.
    pub(super) fn geometry(&self) -> Geometry {
        let known = |extents: [u32; 3]| extents.map(Extent::Known);
        let Launches { mut mentioned, mut grid_mentioned, .. } = self.launches;
        if self.is_narrowed() {
            for (launch, d) in self.places_mentioned() {
                match launch {
                    Launch::ThreadIdx | Launch::BlockDim => mentioned[d] = true,
                    Launch::BlockIdx | Launch::GridDim => grid_mentioned[d] = true,
                }
            }
        }
        let free = |d: usize| {
            if d == 0 || mentioned[d] { Extent::Symbolic } else { Extent::Known(1) }
        };
        let any = grid_mentioned.map(|any| if any { Extent::Symbolic } else { Extent::Known(1) });
        Geometry {
            block: match self.block() {
                Some(block) => known(block),
                None => [free(0), free(1), free(2)],
            },
            grid: match self.grid() {
                Some(grid) => (grid != [1, 1, 1]).then_some(known(grid)),
                None => (self.any_grid() && grid_mentioned.contains(&true)).then_some(any),
            },
            warp: self.warp(),
        }
    }

    /// A value of an unsigned type becomes an `int`. Where it is made of the block's place in the
    /// grid, only grids are meant in which it fits.
    pub(super) fn fits_int(&mut self, from: IntType, to: IntType, num: &Num) {
        let int = to == IntType::I32 && matches!(from, IntType::U32 | IntType::U64);
        if !int
            || self.mode.pure
            || self.options.overflow == Overflow::Wrap
            || self.grid().is_some()
        {
            return;
        }
        let free = num.free_vars();
        for (d, place) in BLOCK_IDX.iter().enumerate() {
            if !free.contains(&Name::new(place)) {
                continue;
            }
            if self.ranges.of(num, from).1 <= i128::from(MOST_INT) {
                return;
            }
            if let Some(most) = self.most_blocks(num, d) {
                self.limit_blocks(d, most);
                continue;
            }
            self.launches.int_grid[d] = true;
            self.know_threads(d);
            if is_index(num, d) {
                self.ranges.assume(num, from, (0, i128::from(MOST_INT) - 1));
            }
        }
    }

    /// A factor of a product of 24 bits. Where it is the place in the grid, only grids are meant in which it fits.
    pub(super) fn fits_24_bits(&mut self, factor: &Num) {
        if self.mode.pure || self.options.overflow == Overflow::Wrap || self.grid().is_some() {
            return;
        }
        let is = |name: &str| matches!(factor, Num::Var(x) if x.as_str() == name);
        for d in 0..3 {
            if is(BLOCK_IDX[d]) || is(GRID_DIM[d]) {
                self.limit_blocks(d, MOST_24_BITS);
            }
        }
    }

    /// Grids are meant of so many blocks at most in dimension `d`.
    fn limit_blocks(&mut self, d: usize, most: u64) {
        if most < u64::from(MAX_GRID_DIM[d]) {
            let known = self.launches.most_blocks[d].unwrap_or(u64::MAX).min(most);
            self.launches.most_blocks[d] = Some(known);
            let known = i128::from(known);
            self.ranges.set(Name::new(GRID_DIM[d]), IntType::U32, (1, known));
            self.ranges.set(Name::new(BLOCK_IDX[d]), IntType::U32, (0, known - 1));
        }
    }

    /// `l * r` at an unsigned type. Where it is the number of the grid's threads in a dimension, only grids are
    /// meant in which an `int` counts them. Where all grids are meant, so it is for the number of threads in the blocks
    /// before.
    pub(super) fn counts_threads(&mut self, t: IntType, l: &Num, r: &Num) {
        if t != IntType::U32
            || self.mode.pure
            || self.options.overflow == Overflow::Wrap
            || self.grid().is_some()
        {
            return;
        }
        for (d, extent) in GRID_DIM.iter().enumerate() {
            let block = self.block_extent(d);
            let place = self.any_grid().then_some(BLOCK_IDX[d]);
            let is_grid = |n: &Num| matches!(n, Num::Var(x) if x.as_str() == *extent || Some(x.as_str()) == place);
            let other = match (is_grid(l), is_grid(r)) {
                (true, _) => r,
                (_, true) => l,
                _ => continue,
            };
            if *other == block {
                self.launches.int_grid[d] = true;
                self.know_threads(d);
            } else if let Some(k) = as_lit(other).filter(|k| self.any_grid() && *k > 0) {
                self.limit_blocks(d, (MOST_INT / k).max(1));
            }
        }
    }

    /// What is known of the numbers of threads in the grid.
    pub(super) fn know_all_threads(&mut self) {
        let counted = self.launches.int_grid;
        (0..3).filter(|d| counted[*d]).for_each(|d| self.know_threads(d));
    }

    /// The extent of a block in dimension `d`.
    pub(super) fn block_extent(&self, d: usize) -> Num {
        match self.block() {
            Some(block) => lit(block[d].into()),
            None => Num::var(BLOCK_DIM[d]),
        }
    }

    /// Grids are meant whose threads in dimension `d` an `int` counts.
    fn know_threads(&mut self, d: usize) {
        let grid = Num::var(GRID_DIM[d]);
        let block = self.block_extent(d);
        for (l, r) in [(&grid, &block), (&block, &grid)] {
            for t in [IntType::U32, IntType::U64] {
                let threads = machine(MachineOp::Mul, t, l.clone(), r.clone());
                self.ranges.assume(&threads, t, (1, i128::from(MOST_INT)));
            }
        }
    }

    /// The most blocks in dimension `d` for which `blockIdx * k + n` is an `int`, for a literal k
    /// and n of known range.
    fn most_blocks(&self, num: &Num, d: usize) -> Option<u64> {
        let factor = |n: &Num| match n {
            Num::Binary(NumOp::Machine(MachineOp::Mul, _), l, r) => {
                let is_idx = |n: &Num| matches!(n, Num::Var(x) if x.as_str() == BLOCK_IDX[d]);
                match (is_idx(l), is_idx(r)) {
                    (true, _) => as_lit(r),
                    (_, true) => as_lit(l),
                    _ => None,
                }
            }
            _ => None,
        };
        let (k, rest) = match num {
            Num::Binary(NumOp::Machine(MachineOp::Add, t), l, r) => {
                let (k, rest) = factor(l).map(|k| (k, r)).or_else(|| Some((factor(r)?, l)))?;
                let unsigned = IntType { signed: false, ..*t };
                (k, self.ranges.of(rest, unsigned).1)
            }
            other => (factor(other)?, 0),
        };
        let room = i128::from(MOST_INT) - rest;
        let most = u64::try_from(room.checked_div(i128::from(k))?).ok()? + 1;
        // The threads of the grid are no more than an `int` counts (THEORY §4).
        let is_extent = self.block().is_some_and(|block| u64::from(block[d]) == k);
        let most = if is_extent { most.min(MOST_INT / k) } else { most };
        let possible = k > 0 && room >= 0 && most < u64::from(MAX_GRID_DIM[d]);
        possible.then_some(most)
    }

    pub(super) fn block(&self) -> Option<[u32; 3]> {
        self.options.settings.block.map(Dim3::components).or(self.kernel.block)
    }

    pub(super) fn grid(&self) -> Option<[u32; 3]> {
        self.options.settings.grid.map(Dim3::components)
    }

    /// Are all grids meant?
    fn any_grid(&self) -> bool {
        self.options.settings.any_grid && self.options.settings.grid.is_none()
    }
}

/// Is it `blockIdx * blockDim + threadIdx` in dimension `d`, or without the last?
fn is_index(num: &Num, d: usize) -> bool {
    let is = |n: &Num, name: &str| matches!(n, Num::Var(x) if x.as_str() == name);
    let extent = |n: &Num| is(n, BLOCK_DIM[d]);
    let first = |n: &Num| match n {
        Num::Binary(NumOp::Machine(MachineOp::Mul, _), l, r) => {
            (is(l, BLOCK_IDX[d]) && extent(r)) || (extent(l) && is(r, BLOCK_IDX[d]))
        }
        _ => false,
    };
    match num {
        Num::Binary(NumOp::Machine(MachineOp::Add, _), l, r) => {
            (first(l) && is(r, THREAD_IDX[d])) || (is(l, THREAD_IDX[d]) && first(r))
        }
        other => first(other),
    }
}
