//! `threadIdx`, `blockIdx`, `blockDim`, `gridDim`, and what launches allow them to be.

use super::Lower;
use crate::arith::lit;
use crate::value::Value;
use babycuda_core::launch::{MAX_BLOCK_DIM, MAX_GRID_DIM};
use babycuda_core::name::reserved::{BLOCK_DIM, BLOCK_IDX, GRID_DIM, THREAD_IDX};
use babycuda_core::syntax::{Extent, Geometry};
use babycuda_core::{IntType, Name, Num};

impl<'t> Lower<'t> {
    /// The value of `name.field`, when that is one of CUDA's built-in indices.
    pub(super) fn builtin(&mut self, name: &str, field: &str) -> Option<Value> {
        let d = ["x", "y", "z"].iter().position(|f| *f == field)?;
        let block = self.options.block.map(|b| b[d]);
        let grid = self.options.grid.map(|g| g[d]);
        let (variable, known) = match name {
            "threadIdx" => (THREAD_IDX[d], (block == Some(1)).then_some(0)),
            "blockDim" => (BLOCK_DIM[d], block),
            "blockIdx" => (BLOCK_IDX[d], (grid == Some(1)).then_some(0)),
            "gridDim" => (GRID_DIM[d], grid),
            _ => return None,
        };
        if matches!(name, "threadIdx" | "blockDim") {
            self.mentioned.block[d] = true;
        }
        let num = match known {
            Some(value) => lit(value.into()),
            None => Num::var(variable),
        };
        Some(Value::Int(IntType::U32, num))
    }

    /// Records what the extents may be.
    pub(super) fn limit_extents(&mut self) {
        for d in 0..3 {
            let extent = |known: Option<[u32; 3]>, max: u32| match known {
                Some(values) => (i128::from(values[d]), i128::from(values[d])),
                None => (1, i128::from(max)),
            };
            let block = extent(self.options.block, MAX_BLOCK_DIM[d]);
            let grid = extent(self.options.grid, MAX_GRID_DIM[d]);
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

    /// The launches that the program is meant for. A dimension that the kernel never mentions
    /// counts as 1, except the first: a kernel that mentions none still runs in many threads.
    pub(super) fn geometry(&self) -> Geometry {
        let known = |extents: [u32; 3]| extents.map(Extent::Known);
        let mentioned = self.mentioned.block;
        let free = |d: usize| {
            if d == 0 || mentioned[d] { Extent::Symbolic } else { Extent::Known(1) }
        };
        Geometry {
            block: match self.options.block {
                Some(block) => known(block),
                None => [free(0), free(1), free(2)],
            },
            grid: self.options.grid.filter(|g| *g != [1, 1, 1]).map(known),
        }
    }
}
