//! Which pairs of threads are asked about, and in which phases.

use super::Subject;
use super::driver::Driver;
use super::encode::Encoded;
use super::path::{Path, paths, paths_of_phase};
use super::period::Period;
use super::world::{Threads, World};
use crate::relation::{Relation, of_grid};
use crate::split::{ParamPhase, Split, segments, unique_binders};
use babycuda_core::deep::grow;
use babycuda_core::expr::ArithOp;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{BarrierScope, Tree};
use babycuda_core::{Name, Num, Protocol, Site};
use std::collections::BTreeMap;

impl Driver<'_> {
    /// Asks about two threads of a block, relation by relation, and about those of different blocks.
    ///
    /// # Errors
    /// A barrier that is not understood.
    pub(super) fn related(&mut self) -> Result<(), (Site, BarrierScope)> {
        let relations = Relation::all(self.protocol, self.declarations.geometry.warp)?;
        let across = self.between_blocks()?;
        if relations != [Relation::BLOCK] {
            self.mentioned.insert(Name::new(reserved::TID));
        }
        let mut splits = Vec::new();
        for relation in relations {
            let protocol = relation.project(self.protocol);
            let Split { phases, obligations } = self.split(&protocol);
            for obligation in &obligations {
                if self.is_over() {
                    return Ok(());
                }
                if !self.obligation(obligation, relation) {
                    self.open.insert(obligation.site);
                }
            }
            splits.push((relation, protocol, phases));
        }
        self.aligned = self.open.is_empty() && splits.iter().all(|(.., phases)| phases.is_ok());
        // What orders two threads of a group stands in one phase of their block.
        let of_block = splits.last().and_then(|(.., phases)| phases.as_ref().ok());
        let periods = of_block.filter(|_| !self.updates.is_empty()).map_or(Vec::new(), |phases| {
            phases.iter().map(|phase| Period::of(&phase.body, self.declarations)).collect()
        });
        for (relation, protocol, phases) in splits {
            match phases {
                Ok(phases) if self.aligned => {
                    self.phases(&phases, Threads::SameBlock(relation), &periods);
                }
                Ok(_) => {
                    // What stands in a segment is not all that happens between two barriers.
                    self.phases(&segments(&protocol), Threads::SameBlock(relation), &[]);
                    self.meetings(&protocol, relation);
                }
                Err(unaligned) => self.undecided(Subject::Phases, unaligned.into()),
            }
        }
        if self.declarations.has_grid() && !self.is_over() {
            match across {
                // Also where threads diverge: what stands behind such a barrier is done only when
                // all threads of all blocks have reached it.
                Some(phases) => self.phases(&phases, Threads::DifferentBlocks, &[]),
                None => self.across(),
            }
        }
        Ok(())
    }

    /// The phases that barriers of the grid part; `None`: there are no such barriers.
    ///
    /// # Errors
    /// A barrier of the grid that not all threads of all blocks reach alike, by what guards and bounds
    /// around it mention.
    fn between_blocks(&self) -> Result<Option<Vec<ParamPhase>>, (Site, BarrierScope)> {
        let Some(barrier) = of_grid(self.protocol) else { return Ok(None) };
        let relation = Relation { within: BarrierScope::Grid, apart: Some(BarrierScope::Block) };
        let protocol = relation.project(self.protocol);
        let place = |x: &Name| reserved::BLOCK_IDX.contains(&x.as_str());
        if !self.declarations.has_grid() && !self.mentioned.iter().any(place) {
            return Ok(None);
        }
        match self.split(&protocol) {
            Split { phases: Ok(phases), obligations }
                if obligations.is_empty() && is_uniform(&protocol) =>
            {
                Ok(Some(phases))
            }
            _ => Err(barrier),
        }
    }

    /// Asks about each phase; `periods` are those of the block, where they are known.
    fn phases(&mut self, phases: &[ParamPhase], threads: Threads, periods: &[Period]) {
        self.result.statistics.phases += phases.len();
        for (number, phase) in phases.iter().enumerate() {
            if self.is_over() {
                return;
            }
            let own = match threads {
                Threads::SameBlock(Relation { within: BarrierScope::Block, .. }) => {
                    periods.get(number..=number).unwrap_or_default()
                }
                _ => periods,
            };
            let paths = paths_of_phase(phase, self.declarations);
            self.those(paths, threads, own);
        }
    }

    /// Accesses of different blocks to global arrays, whatever their phases.
    fn across(&mut self) {
        let all = paths(&unique_binders(self.protocol), Vec::new(), self.declarations);
        self.those(all, Threads::DifferentBlocks, &[]);
    }

    /// Asks about all pairs of these accesses; of different blocks only where they share the array.
    fn those(&mut self, mut paths: Vec<Path>, threads: Threads, periods: &[Period]) {
        if threads == Threads::DifferentBlocks {
            paths.retain(|p| self.declarations.is_global(&p.array));
        }
        self.pairs(&paths, threads, periods);
    }
}

impl World {
    /// Both threads are in one group of a scope, and in different ones of the narrower scope. Groups are
    /// those of the linear index: `tid` is known.
    pub(super) fn groups(&mut self, relation: Relation, warp: u32) -> Encoded<()> {
        let scopes = [(Some(relation.within), true), (relation.apart, false)];
        for (scope, together) in scopes {
            let size = match scope {
                Some(BarrierScope::Tile(size)) => size,
                Some(BarrierScope::Warp) => warp,
                None | Some(BarrierScope::Block | BarrierScope::Grid) => continue,
            };
            let tid = Num::var(reserved::TID);
            let group = Num::arith(ArithOp::Div, tid, Num::lit(size));
            let [a, b] = [0, 1].map(|thread| self.num(&group, thread, &BTreeMap::new()));
            let same = a?.equal(&b?)?;
            self.query.assert(&if together { same } else { same.not()? })?;
        }
        Ok(())
    }
}

/// Do guards and bounds around barriers mention only what all threads of the grid share?
fn is_uniform(p: &Protocol) -> bool {
    let shared = |x: &&Name| !reserved::is_private(x) && !reserved::BLOCK_IDX.contains(&x.as_str());
    let of_node = || match p {
        Protocol::Any { .. } | Protocol::Input { .. } => false,
        p => p.view().variables().iter().all(|x| shared(&x)),
    };
    !p.has_sync() || of_node() && p.children().all(|child| grow(|| is_uniform(child)))
}
