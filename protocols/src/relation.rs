//! Scopes of barriers, by projection (THEORY T12).
//!
//! Only barriers whose groups hold both threads order two accesses. So for the pairs of threads that a
//! group holds, and no narrower one, the barriers of narrower scopes do not matter: without them the
//! protocol is one whose barriers all hold the whole group, as those of a block hold the block.

use babycuda_core::syntax::{BarrierScope, Tree};
use babycuda_core::{Launch, Protocol, Site, Thread};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which pairs of threads: those of one group of a scope, and of different groups of a narrower one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation {
    /// The scope of the group that holds both.
    pub within: BarrierScope,
    /// The next narrower scope, of which no group does; `None`: there are none but threads.
    pub apart: Option<BarrierScope>,
}

impl Relation {
    /// Any two threads of a block.
    pub const BLOCK: Relation = Relation { within: BarrierScope::Block, apart: None };

    /// The relations of two threads of a block that the barriers of a protocol tell apart, the
    /// narrowest first; any two threads are in one.
    ///
    /// # Errors
    /// A barrier whose groups need not hold those of narrower scopes: sizes must be powers of two,
    /// and no tile is larger than a warp.
    pub fn all(protocol: &Protocol, warp: u32) -> Result<Vec<Relation>, (Site, BarrierScope)> {
        let mut scopes = BTreeSet::from([BarrierScope::Block]);
        for node in protocol.subterms() {
            let Protocol::Sync { site, scope } = node else { continue };
            let nested = match scope {
                BarrierScope::Tile(size) => size.is_power_of_two() && *size <= warp,
                BarrierScope::Warp | BarrierScope::Block | BarrierScope::Grid => true,
            };
            if *scope < BarrierScope::Block && !(nested && warp.is_power_of_two()) {
                return Err((*site, *scope));
            }
            scopes.insert((*scope).min(BarrierScope::Block));
        }
        let mut apart = None;
        let relations = scopes.into_iter().map(|within| {
            let relation = Relation { within, apart };
            apart = Some(within);
            relation
        });
        Ok(relations.collect())
    }

    /// Are two threads of the launch in this relation?
    pub fn holds(self, launch: Launch, a: Thread, b: Thread) -> bool {
        let together = |scope| launch.group(scope, a) == launch.group(scope, b);
        a != b && together(self.within) && !self.apart.is_some_and(together)
    }

    /// What of a protocol orders pairs in this relation: barriers of narrower scopes are gone, and the
    /// others stand as barriers of blocks.
    pub fn project(self, protocol: &Protocol) -> Protocol {
        if !protocol.has_sync() {
            return protocol.clone();
        }
        match protocol {
            Protocol::Sync { scope, .. } if *scope < self.within => Protocol::Skip,
            Protocol::Sync { site, .. } => {
                Protocol::Sync { site: *site, scope: BarrierScope::Block }
            }
            p => {
                p.map_children(|child| Arc::new(babycuda_core::deep::grow(|| self.project(child))))
            }
        }
    }
}

/// The first barrier of the grid.
#[cfg(feature = "smt")]
pub(crate) fn of_grid(protocol: &Protocol) -> Option<(Site, BarrierScope)> {
    protocol.subterms().find_map(|p| match p {
        Protocol::Sync { site, scope: scope @ BarrierScope::Grid } => Some((*site, *scope)),
        _ => None,
    })
}
