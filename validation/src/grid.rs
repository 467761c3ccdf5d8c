//! A grid as one block of all its threads: what the theory is asked of, and the reports of its blocks as
//! the one report that claims are about.
//!
//! ```text
//! the interleavings of the blocks of a launch are those of the one block, in which a barrier of the
//! grid, a block or a warp is one of the block, a warp or a tile (THEORY §4)
//!     ⟹  what claims say of every run of the one block, they say of every run of the grid
//! ```
//!
//! It does not matter whether blocks wait for each other. Where the grid has no barriers, all of it is
//! in one phase, and no barrier stands between accesses of different blocks: they race whatever the
//! phases of their blocks.

use crate::threads::follow;
use babycuda_core::evidence::Divergence;
use babycuda_core::syntax::{BarrierScope, Space};
use babycuda_core::{Cell, Launch, Site, Stmt, Thread, Together};
use babycuda_gpu::report::{self, ArrayReport, Entry, Passed, Status, Stop, ThreadReport};
use babycuda_gpu::{Malformed, Report};
use babycuda_semantics::vm::Code;
use babycuda_semantics::{Block, Instance};
use std::collections::BTreeMap;

/// A barrier that no program has: where a thread of a block did what its program does not, nobody knows
/// which ones the block passed.
const UNKNOWN: Site = Site(u32::MAX);

/// The blocks of a launch.
#[derive(Debug)]
pub(crate) struct Grid {
    /// Each one's instance; the launch is the grid's.
    blocks: Vec<Instance>,
    /// Their program, compiled.
    code: Code,
    /// The launch of the one block.
    launch: Launch,
    /// The barriers, with their scopes in the one block.
    scopes: BTreeMap<Site, BarrierScope>,
}

impl Grid {
    /// The blocks of the instance's launch, and the instance of the one block; None where they cannot
    /// be one ([`Together::all`]).
    pub(crate) fn new(instance: Instance) -> Option<(Grid, Instance)> {
        let (program, launch) = (&instance.program, instance.configuration.launch);
        let one = instance.in_one(Together::all(program, &program.body, launch)?);
        let barrier = |b: &Stmt| match b {
            Stmt::Sync { site, scope } => Some((*site, *scope)),
            _ => None,
        };
        let scopes = one.program.body.subterms().filter_map(barrier).collect();
        let code = Code::compile(&program.body);
        let blocks = (0..launch.grid.count()).map(|block| instance.clone().with_block(block));
        let (blocks, launch) = (blocks.collect(), one.configuration.launch);
        Some((Grid { blocks, code, launch, scopes }, one))
    }

    /// Are there threads of different blocks in the one block?
    pub(crate) fn apart(&self, one: u64, other: u64) -> bool {
        one / self.threads() != other / self.threads()
    }

    /// Do the blocks wait for each other?
    pub(crate) fn waits(&self) -> bool {
        self.scopes.values().any(|scope| *scope == BarrierScope::Block)
    }

    /// The report of the one block, of the reports of all blocks.
    ///
    /// # Errors
    /// [`Malformed`]: all threads wait at one barrier of the grid, or a thread passed a barrier of its
    /// block that others of it did not.
    pub(crate) fn report(&self, blocks: &[Report]) -> Result<Report, Malformed> {
        let threads = (0u64..).zip(blocks).zip(&self.blocks);
        let threads = threads.flat_map(|((block, report), own)| self.block(block, report, own));
        let (phases, threads): (Vec<u32>, Vec<ThreadReport>) = threads.unzip();
        let last_phase = phases.into_iter().max().unwrap_or(0);
        let overflow = (0u64..)
            .zip(blocks)
            .find_map(|(block, report)| report.overflow.map(|place| self.place(block, place)));
        let report = Report {
            block: Block { launch: self.launch, index: 0 },
            status: self.status(blocks, &threads, last_phase)?,
            overflow,
            last_phase,
            arrays: arrays(blocks),
            threads,
        };
        report.without_its_group().map_or(Ok(report), |thread| Err(Malformed::Alone(thread)))
    }

    /// How many threads a block has.
    fn threads(&self) -> u64 {
        self.blocks.first().map_or(1, |block| block.block().len().max(1))
    }

    /// The threads of a block, each with the phase in which it stopped.
    fn block(&self, block: u64, report: &Report, own: &Instance) -> Vec<(u32, ThreadReport)> {
        let barriers: Vec<Vec<Site>> = match follow(&self.code, own, report) {
            Ok(runs) => runs.into_iter().map(|run| run.barriers).collect(),
            Err(_) => vec![vec![UNKNOWN; report.last_phase as usize]; report.threads.len()],
        };
        let own = report.threads.iter().zip(barriers);
        own.map(|(thread, barriers)| self.thread(block, report, thread, &barriers)).collect()
    }

    /// What a thread did, that passed these barriers of its block and of the grid.
    fn thread(
        &self,
        block: u64,
        report: &Report,
        own: &ThreadReport,
        barriers: &[Site],
    ) -> (u32, ThreadReport) {
        let (mut phases, mut passed) = (vec![0], Vec::new());
        let mut narrow = own.passed.iter().peekable();
        for phase in 0..=barriers.len() {
            let now = phases[phase];
            while let Some(barrier) = narrow.next_if(|barrier| barrier.phase as usize == phase) {
                let scope = self.scope(barrier.site);
                passed.push(Passed { phase: now, scope, ..*barrier });
            }
            let Some(&site) = barriers.get(phase) else { break };
            let scope = self.scope(site);
            phases.push(now + u32::from(scope == BarrierScope::Block));
            if scope < BarrierScope::Block {
                let after = own.log.partition_point(|entry| entry.phase as usize <= phase);
                passed.push(Passed { phase: now, site, scope, after: after as u32 });
            }
        }
        let entry = |entry: &Entry| {
            let space = report.arrays.get(entry.array as usize).map(|array| array.space);
            let phase = phases.get(entry.phase as usize).copied().unwrap_or_default();
            Entry { phase, index: self.index(entry.index, space, block), ..*entry }
        };
        let log = own.log.iter().map(entry).collect();
        let last = phases.last().copied().unwrap_or_default();
        (last, ThreadReport { stop: own.stop, log, passed })
    }

    fn scope(&self, site: Site) -> BarrierScope {
        self.scopes.get(&site).copied().unwrap_or(BarrierScope::Warp)
    }

    /// The index of a block's cell in the one block.
    fn index(&self, index: u64, space: Option<Space>, block: u64) -> u64 {
        match space {
            Some(Space::Shared) => index.saturating_mul(self.blocks.len() as u64) + block,
            _ => index,
        }
    }

    fn place(&self, block: u64, place: report::Place) -> report::Place {
        report::Place { thread: block * self.threads() + place.thread, ..place }
    }

    /// What the stops of all threads come to: the first fault; else the first two threads of the first
    /// group of the narrowest scope of which one waits that are at different places.
    fn status(
        &self,
        blocks: &[Report],
        threads: &[ThreadReport],
        phase: u32,
    ) -> Result<Status, Malformed> {
        for (block, report) in (0u64..).zip(blocks) {
            match &report.status {
                Status::OutOfFuel(place) => {
                    return Ok(Status::OutOfFuel(self.place(block, *place)));
                }
                Status::LogFull(place) => return Ok(Status::LogFull(self.place(block, *place))),
                Status::OutOfBounds { place, cell } => {
                    let place = self.place(block, *place);
                    let array = report.arrays.iter().find(|array| array.name == cell.array);
                    let index = cell.index.to_u64().unwrap_or(u64::MAX);
                    let index = self.index(index, array.map(|array| array.space), block);
                    let cell = Cell::new(cell.array.clone(), index);
                    return Ok(Status::OutOfBounds { place, cell });
                }
                Status::Done | Status::Divergence(_) | Status::Waits(_) => {}
            }
        }
        let waiting = (0u64..).zip(threads).filter_map(|(i, thread)| match thread.stop {
            Stop::Barrier(site) => Some((self.scope(site), i, site)),
            _ => None,
        });
        let Some((scope, i, at)) = waiting.min() else { return Ok(Status::Done) };
        let group = self.launch.group(scope, Thread { block: 0, index: i });
        let place = |(i, thread): (u64, &ThreadReport)| match thread.stop {
            Stop::Barrier(site) => (i, Some(site)),
            _ => (i, None),
        };
        let mut places =
            (0u64..).zip(threads).map(place).filter(|(i, _)| (group.first..group.end).contains(i));
        let first = places.next().unwrap_or((i, Some(at)));
        match places.find(|(_, site)| *site != first.1) {
            Some(second) => {
                Ok(Status::Divergence(Divergence { phase: phase as usize, first, second, scope }))
            }
            None => Err(Malformed::OneBarrier(at, BarrierScope::Grid)),
        }
    }
}

/// The arrays of the one block: a shared one has the cells of all blocks.
fn arrays(blocks: &[Report]) -> Vec<ArrayReport> {
    let Some(first) = blocks.first() else { return Vec::new() };
    let array = |(number, array): (usize, &ArrayReport)| {
        let own = || blocks.iter().filter_map(|block| block.arrays.get(number));
        let cells = match array.space {
            Space::Global => array.cells.clone(),
            Space::Shared => (0..array.cells.len())
                .flat_map(|index| own().filter_map(move |one| one.cells.get(index)).copied())
                .collect(),
        };
        ArrayReport { cells, ..array.clone() }
    };
    first.arrays.iter().enumerate().map(array).collect()
}
