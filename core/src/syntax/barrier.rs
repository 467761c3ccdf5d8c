//! Scopes of barriers (THEORY §4, T12).

use serde::{Deserialize, Serialize};

/// Which threads a barrier holds together: a chain, the narrowest scope first. Each partitions the
/// threads of a launch into [groups](crate::launch::Launch::group), which hold those of the
/// narrower ones.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(into = "String", try_from = "String")]
pub enum BarrierScope {
    /// `tile4`: aligned tiles of that many threads of a warp, a power of two (a cooperative
    /// group's `tiled_partition`).
    Tile(u32),
    /// `warp`: `__syncwarp()` with all lanes.
    Warp,
    /// `block`: `__syncthreads()`, and what plain `sync` means.
    #[default]
    Block,
    /// `grid`: all threads of the launch (a cooperative grid).
    Grid,
}

impl BarrierScope {
    /// Is it that of a plain `sync`?
    pub fn is_block(&self) -> bool {
        *self == BarrierScope::Block
    }
}
