//! Traces: the accesses and barriers of one run, in the order in which they happened.

use crate::history::{AccessMode, Cell};
use crate::launch::{Launch, Thread};
use crate::name::Name;
use crate::site::Site;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What happened in one run, in one total order of it.
///
/// Which pairs of accesses a trace orders is THEORY §4: those of one thread, and those between which stands a
/// barrier whose group holds both threads, or between which barriers lead from one thread to the other (which is
/// more only where there are barriers of [lanes](Event::LaneBarrier)).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// The launch.
    pub launch: Launch,
    /// The arrays that each block has its own of; all others are global.
    #[serde(default)]
    pub shared: BTreeSet<Name>,
    /// What happened.
    pub events: Vec<Event>,
}

/// One event of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// A thread accessed a cell.
    #[allow(missing_docs)]
    Access {
        thread: Thread,
        mode: AccessMode,
        cell: Cell,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<Site>,
    },
    /// All threads of the block passed a barrier.
    #[allow(missing_docs)]
    BlockBarrier { block: u64 },
    /// All threads of the warp passed a barrier.
    #[allow(missing_docs)]
    WarpBarrier { block: u64, warp: u64 },
    /// All threads of a tile passed a barrier: the tile of `size` threads whose first one is `first`, by its
    /// linear index in the block.
    #[allow(missing_docs)]
    TileBarrier { block: u64, size: u32, first: u64 },
    /// Some threads of a warp passed a barrier, which are no tile: those whose bits `lanes` has, the lowest one
    /// being that of the warp's first thread. Such barriers overlap without one holding the other.
    #[allow(missing_docs)]
    LaneBarrier { block: u64, warp: u64, lanes: u64 },
    /// All threads of the launch passed a barrier.
    GridBarrier,
}
