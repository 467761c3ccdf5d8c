//! Launches: blocks, grids, threads and warps.

use crate::name::{Name, reserved};
use crate::natural::Natural;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Three extents, or a position in three dimensions; `x` varies fastest in linear order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    /// `(x, 1, 1)`.
    pub fn line(x: u32) -> Dim3 {
        Dim3 { x, y: 1, z: 1 }
    }

    /// The three components.
    pub fn components(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// How many positions: the product.
    pub fn count(self) -> u64 {
        // u32 * u32 fits in u64; a third factor may not, and no machine enumerates that many.
        (u64::from(self.x) * u64::from(self.y)).saturating_mul(u64::from(self.z))
    }

    /// The position with the given linear index; meaningless at or beyond [`Dim3::count`].
    pub fn position(self, linear: u64) -> Dim3 {
        let (w, h) = (u64::from(self.x.max(1)), u64::from(self.y.max(1)));
        Dim3 {
            x: (linear % w) as u32,
            y: (linear / w % h) as u32,
            z: u32::try_from(linear / w / h).unwrap_or(u32::MAX),
        }
    }

    /// The linear index of `position`.
    pub fn linear(self, position: Dim3) -> u64 {
        u64::from(position.x)
            + u64::from(self.x)
                * (u64::from(position.y) + u64::from(self.y) * u64::from(position.z))
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{},{})", self.x, self.y, self.z)
    }
}

/// The largest number of threads in a block on every CUDA device.
pub const MAX_BLOCK_THREADS: u64 = 1024;
/// The largest extent of a block in each dimension on every CUDA device.
pub const MAX_BLOCK_DIM: [u32; 3] = [1024, 1024, 64];
/// The largest extent of a grid in each dimension on every CUDA device.
pub const MAX_GRID_DIM: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Threads in a warp, on every CUDA device so far.
pub const WARP_SIZE: u32 = 32;

/// A concrete launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Launch {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
}

impl Launch {
    /// The paper's set of threads `T = {0, …, n-1}`: one block, one dimension.
    pub fn threads(n: u32) -> Launch {
        Launch { grid: Dim3::line(1), block: Dim3::line(n) }
    }

    /// Every thread of the launch, block by block, in linear order.
    pub fn all(self) -> impl Iterator<Item = Thread> {
        (0..self.grid.count()).flat_map(move |block| {
            (0..self.block.count()).map(move |index| Thread { block, index })
        })
    }

    /// The value that the launch gives the reserved variable `name` in `thread`;
    /// `None` when `name` is not reserved.
    pub fn value_of(self, name: &str, thread: Thread) -> Option<Natural> {
        if name == reserved::TID {
            return Some(Natural::from(thread.index));
        }
        let at = |names: [&str; 3]| names.iter().position(|n| *n == name);
        let (dims, d) = if let Some(d) = at(reserved::THREAD_IDX) {
            (self.block.position(thread.index), d)
        } else if let Some(d) = at(reserved::BLOCK_IDX) {
            (self.grid.position(thread.block), d)
        } else if let Some(d) = at(reserved::BLOCK_DIM) {
            (self.block, d)
        } else {
            (self.grid, at(reserved::GRID_DIM)?)
        };
        Some(Natural::from(dims.components()[d]))
    }

    /// The reserved variables that are the same for every thread of a launch, with their values.
    pub fn uniform_values(self) -> Vec<(Name, Natural)> {
        let pairs = |names: [&'static str; 3], dims: Dim3| {
            names.into_iter().zip(dims.components()).map(|(n, v)| (Name::new(n), Natural::from(v)))
        };
        pairs(reserved::BLOCK_DIM, self.block).chain(pairs(reserved::GRID_DIM, self.grid)).collect()
    }

    /// The reserved variables that depend on the thread, with their values in `thread`.
    pub fn thread_values(self, thread: Thread) -> Vec<(Name, Natural)> {
        [reserved::TID]
            .into_iter()
            .chain(reserved::THREAD_IDX)
            .chain(reserved::BLOCK_IDX)
            .filter_map(|n| Some((Name::new(n), self.value_of(n, thread)?)))
            .collect()
    }
}

/// A thread of a launch: its block and its index in the block, both linear.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thread {
    /// Linear index of the block in the grid.
    pub block: u64,
    /// Linear index of the thread in its block: the calculus' thread identifier `i`.
    pub index: u64,
}

impl Thread {
    /// The warp within the block.
    pub fn warp(self) -> u64 {
        self.index / u64::from(WARP_SIZE)
    }

    /// The lane within the warp.
    pub fn lane(self) -> u64 {
        self.index % u64::from(WARP_SIZE)
    }
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.block == 0 {
            write!(f, "{}", self.index)
        } else {
            write!(f, "{}@{}", self.index, self.block)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_linear_indices_are_inverse() {
        let dims = Dim3 { x: 3, y: 4, z: 5 };
        for i in 0..dims.count() {
            assert_eq!(dims.linear(dims.position(i)), i);
        }
    }
}
