//! Cooperative groups as values, and their methods.

use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Launch, Thread};

/// A cooperative group as a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GroupValue {
    pub(super) scope: BarrierScope,
    /// The size of the tile that it divides; 0: it divides a block.
    pub(super) of: u32,
}

impl GroupValue {
    pub(super) fn bits(self) -> u64 {
        let scope = match self.scope {
            BarrierScope::Block => 1 << 16,
            BarrierScope::Grid => 2 << 16,
            BarrierScope::Warp => 3 << 16,
            BarrierScope::Tile(size) => 4 << 16 | u64::from(size & 0xffff),
        };
        scope | u64::from(self.of) << 32
    }

    pub(super) fn read(bits: u64) -> Option<GroupValue> {
        let scope = match bits >> 16 & 0xffff {
            1 => BarrierScope::Block,
            2 => BarrierScope::Grid,
            3 => BarrierScope::Warp,
            4 => BarrierScope::Tile((bits & 0xffff) as u32),
            _ => return None,
        };
        Some(GroupValue { scope, of: (bits >> 32) as u32 })
    }

    /// How many threads a tile has.
    pub(super) fn tile(self, launch: &Launch) -> Option<u32> {
        match self.scope {
            BarrierScope::Warp => Some(launch.warp),
            BarrierScope::Tile(size) => Some(size),
            _ => None,
        }
    }
}

/// A method of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Sync,
    Rank,
    Size,
    MetaRank,
    MetaSize,
    BlockRank,
    Blocks,
    /// The lanes of the warp that are of the group.
    Mask,
    /// Tiles of so many threads.
    Partition(u64),
}

impl Method {
    /// The number that it yields for a thread; `None`: there is none.
    pub(super) fn number(self, group: GroupValue, launch: &Launch, thread: Thread) -> Option<u64> {
        let threads = launch.block.count();
        let tile = group.tile(launch).map(u64::from);
        Some(match (self, group.scope, tile) {
            (Method::Rank, BarrierScope::Grid, _) => thread.block * threads + thread.index,
            (Method::Size, BarrierScope::Grid, _) => launch.grid.count().checked_mul(threads)?,
            (Method::Rank, _, Some(size)) => thread.index % size,
            (Method::Size, _, Some(size)) => size,
            (Method::Rank, _, None) => thread.index,
            (Method::Size, _, None) => threads,
            (Method::MetaRank, _, Some(size)) => {
                let place = match group.of {
                    0 => thread.index,
                    of => thread.index % u64::from(of),
                };
                place / size
            }
            (Method::MetaSize, _, Some(size)) => {
                let of = if group.of == 0 { threads } else { u64::from(group.of) };
                of.div_ceil(size)
            }
            (Method::BlockRank, _, _) => thread.block,
            (Method::Blocks, _, _) => launch.grid.count(),
            (Method::Mask, _, Some(size)) => {
                let lane = thread.index % u64::from(launch.warp);
                let lanes = u64::MAX.checked_shr(64u32.checked_sub(size as u32)?)?;
                lanes << (lane / size * size)
            }
            _ => return None,
        })
    }

    /// The tiles of a group; what is wrong with them, if there are none.
    pub(super) fn tiles(
        size: u64,
        parent: GroupValue,
        launch: &Launch,
    ) -> Result<GroupValue, String> {
        let warp = u64::from(launch.warp);
        let of = parent.tile(launch).unwrap_or(0);
        if !size.is_power_of_two() || size > warp {
            return Err(format!("tiles of {size} threads"));
        }
        if parent.scope == BarrierScope::Grid || (of > 0 && u64::from(of) < size) {
            return Err("tiles of a group that has none".to_owned());
        }
        if !launch.block.count().is_multiple_of(size) {
            return Err("tiles that do not divide their block".to_owned());
        }
        let scope = match size == warp {
            true => BarrierScope::Warp,
            false => BarrierScope::Tile(size as u32),
        };
        Ok(GroupValue { scope, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_what_they_were() {
        for scope in
            [BarrierScope::Block, BarrierScope::Grid, BarrierScope::Warp, BarrierScope::Tile(4)]
        {
            let group = GroupValue { scope, of: 16 };
            assert_eq!(GroupValue::read(group.bits()), Some(group));
        }
    }
}
