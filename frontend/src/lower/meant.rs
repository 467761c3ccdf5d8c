//! What is assumed of launches, because the kernel is meant for them alone.

use super::Lower;
use super::copies::is_product;
use crate::arith::{as_lit, compare_natural, lit, natural};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::launch::MAX_GRID_DIM;
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::syntax::Extent;
use babycuda_core::{Bool, Num};

/// The largest `int`: that many threads a grid has at most in a dimension whose index is an `int`.
pub(super) const MOST_INT: u64 = i32::MAX as u64;

impl Lower<'_> {
    /// What is assumed that can be said in words.
    pub(super) fn said_assumptions(&self) -> Vec<(Bool, String)> {
        let of_groups = self.tile_assumption().into_iter().chain(self.warp_assumption());
        let counted = self.count_assumptions().into_iter().chain(self.dimension_assumptions());
        let counted = counted.chain(self.copier_assumptions());
        of_groups.chain(counted).collect()
    }

    /// What is assumed of launches for [`Lower::divided`], also in words.
    fn tile_assumption(&self) -> Option<(Bool, String)> {
        let threads =
            self.extents().into_iter().fold(lit(1), |n, extent| natural(ArithOp::Mul, n, extent));
        // Sizes are powers of two: the largest says it all.
        let tile = self.launches.tiles.last().filter(|tile| **tile > 1)?;
        let rest = natural(ArithOp::Mod, threads, lit((*tile).into()));
        let words = format!("blocks of a multiple of {tile} threads");
        Some((compare_natural(Relation::Eq, rest, lit(0)), words))
    }

    /// What is assumed of launches for [`Lower::lane_of_warp`], also in words.
    fn warp_assumption(&self) -> Option<(Bool, String)> {
        let warp = self.warp();
        let asked = self.launches.whole_warps && self.block().is_none();
        let rest = natural(ArithOp::Mod, Num::var(BLOCK_DIM[0]), lit(warp.into()));
        let words = format!("blocks whose rows are multiples of {warp} threads");
        asked.then(|| (compare_natural(Relation::Eq, rest, lit(0)), words))
    }

    /// What is assumed of launches for [`Launches::counts`](super::launches::Launches::counts), also in words.
    fn count_assumptions(&self) -> Vec<(Bool, String)> {
        let extents: Vec<Num> = self.extents();
        let free: Vec<Num> = extents.iter().filter(|n| as_lit(n) != Some(1)).cloned().collect();
        let others = self.launches.counts.iter().filter(|count| !is_product(count, &free));
        let said = others.map(|count| {
            let threads = extents.iter().cloned().fold(lit(1), |n, e| natural(ArithOp::Mul, n, e));
            let all = compare_natural(Relation::Eq, threads, count.clone());
            (all, "barriers that expect all threads of the block".to_owned())
        });
        said.collect()
    }

    /// The extents of a block, as far as they are known.
    pub(super) fn extents(&self) -> Vec<Num> {
        let extents = self.geometry().block.into_iter().zip(BLOCK_DIM);
        let extents = extents.map(|(extent, name)| match extent {
            Extent::Known(extent) => lit(extent.into()),
            Extent::Symbolic => Num::var(name),
        });
        extents.collect()
    }

    /// What is assumed of launches for [`Lower::fits_int`].
    pub(super) fn grid_assumptions(&self) -> Vec<Bool> {
        let mut assumptions = Vec::new();
        for d in 0..3 {
            let grid = || Num::var(GRID_DIM[d]);
            if let Some(most) = self.launches.most_blocks[d] {
                assumptions.push(compare_natural(Relation::Le, grid(), lit(most)));
            }
            if self.launches.int_grid[d] && u64::from(MAX_GRID_DIM[d]) * 1024 > MOST_INT {
                let threads = natural(ArithOp::Mul, grid(), self.block_extent(d));
                assumptions.push(compare_natural(Relation::Le, threads, lit(MOST_INT)));
            }
        }
        assumptions
    }
}
