//! Launches: blocks, grids, threads and warps.

use crate::name::{Name, reserved};
use crate::natural::Natural;
use crate::syntax::BarrierScope;
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
/// Threads in a warp, on every CUDA device so far: what launches say unless told otherwise.
pub const WARP_SIZE: u32 = 32;

/// A concrete launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Launch {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Threads in a warp: consecutive ones by linear index in the block. The last may be ragged.
    #[serde(default = "warp_size", skip_serializing_if = "is_warp_size")]
    pub warp: u32,
}

/// [`WARP_SIZE`], which documents leave out.
pub(crate) fn warp_size() -> u32 {
    WARP_SIZE
}

pub(crate) fn is_warp_size(warp: &u32) -> bool {
    *warp == WARP_SIZE
}

impl Launch {
    /// The paper's set of threads `T = {0, …, n-1}`: one block, one dimension.
    pub fn threads(n: u32) -> Launch {
        Launch::new(Dim3::line(1), Dim3::line(n))
    }

    /// A launch with warps of [`WARP_SIZE`].
    pub fn new(grid: Dim3, block: Dim3) -> Launch {
        Launch { grid, block, warp: WARP_SIZE }
    }

    /// The group of `thread` for barriers of a scope. A tile does not reach beyond its warp.
    pub fn group(self, scope: BarrierScope, thread: Thread) -> Group {
        let (block, index) = (thread.block, thread.index);
        // The first of each `size` threads from `base` on, up to `end`.
        let aligned = |base: u64, end: u64, size: u32| {
            let size = u64::from(size.max(1));
            let first = base + (index - base) / size * size;
            (first, end.min(first.saturating_add(size)))
        };
        let threads = self.block.count();
        let (block, (first, end)) = match scope {
            BarrierScope::Grid => (None, (0, threads)),
            BarrierScope::Block => (Some(block), (0, threads)),
            BarrierScope::Warp => (Some(block), aligned(0, threads, self.warp)),
            BarrierScope::Tile(size) => {
                let (first, end) = aligned(0, threads, self.warp);
                (Some(block), aligned(first, end, size))
            }
        };
        Group { scope, block, first, end }
    }

    /// The threads of a group, in order.
    pub fn members(self, group: Group) -> impl Iterator<Item = Thread> {
        let blocks = match group.block {
            Some(block) => block..block.saturating_add(1),
            None => 0..self.grid.count(),
        };
        blocks.flat_map(move |block| {
            (group.first..group.end).map(move |index| Thread { block, index })
        })
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

/// The threads that a barrier holds together ([`Launch::group`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Group {
    /// The scope of the barrier.
    pub scope: BarrierScope,
    /// Their block; `None`: all blocks of the grid.
    pub block: Option<u64>,
    /// The linear index in its block of the first thread.
    pub first: u64,
    /// That behind the last.
    pub end: u64,
}

impl Group {
    /// Is the thread of the group?
    pub fn holds(self, thread: Thread) -> bool {
        self.block.is_none_or(|block| block == thread.block)
            && (self.first..self.end).contains(&thread.index)
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
    fn groups_nest_and_tile_the_launch() {
        for (warp, threads, tile) in [(4, 10, 2), (2, 5, 2), (32, 7, 4), (4, 3, 8), (0, 3, 0)] {
            let launch = Launch { warp, ..Launch::new(Dim3::line(2), Dim3::line(threads)) };
            let scopes = [BarrierScope::Tile(tile), BarrierScope::Warp, BarrierScope::Block];
            for thread in launch.all() {
                let group = |scope| launch.group(scope, thread);
                for scope in scopes.into_iter().chain([BarrierScope::Grid]) {
                    let members: Vec<Thread> = launch.members(group(scope)).collect();
                    assert!(members.contains(&thread));
                    for other in launch.all() {
                        let together = launch.group(scope, other) == group(scope);
                        assert_eq!(together, members.contains(&other));
                        assert_eq!(together, group(scope).holds(other));
                    }
                }
                for pair in scopes.windows(2) {
                    let wider: Vec<Thread> = launch.members(group(pair[1])).collect();
                    assert!(launch.members(group(pair[0])).all(|t| wider.contains(&t)));
                }
            }
        }
        let launch = Launch { warp: 4, ..Launch::threads(10) };
        let ragged = launch.group(BarrierScope::Warp, Thread { block: 0, index: 9 });
        assert_eq!((ragged.first, ragged.end), (8, 10));
    }

    #[test]
    fn positions_and_linear_indices_are_inverse() {
        let dims = Dim3 { x: 3, y: 4, z: 5 };
        for i in 0..dims.count() {
            assert_eq!(dims.linear(dims.position(i)), i);
        }
    }
}
