//! From what a device left in the buffers to reports. Nothing in there is trusted.

use super::error::{CompiledError, Malformed};
use super::layout::Layout;
use super::{DigestReport, Output};
use crate::digest::Digest;
use crate::image::{ENTRY_LONGS, THREAD_WORDS};
use crate::job::JobOptions;
use crate::numbers::{result, status};
use crate::report::{ArrayReport, Entry, Passed, Place, Report, Status, Stop, ThreadReport};
use babycuda_core::syntax::{BarrierScope, Space, Tree};
use babycuda_core::{AccessMode, Cell, Name, Site, Stmt};
use babycuda_semantics::Block;

/// The statements of a text, by the numbers that it calls them by.
#[derive(Debug)]
pub(super) struct Sites {
    statements: Vec<Statement>,
}

#[derive(Clone, Copy, Debug)]
struct Statement {
    /// Its site in the program.
    site: Site,
    /// How it accesses which array of the reports, if it does.
    access: Option<(AccessMode, u32)>,
    /// The scope, if it is a barrier of a tile or warp.
    barrier: Option<BarrierScope>,
}

impl Sites {
    /// The statements of `body`, whose text calls them by their numbers in pre-order.
    pub(super) fn new<'a>(
        body: &Stmt,
        arrays: impl Iterator<Item = (&'a Name, Space, usize)>,
    ) -> Sites {
        let arrays: Vec<&Name> = arrays.map(|(name, ..)| name).collect();
        let access = |b: &Stmt| {
            let (mode, array) = b.head().access()?;
            let position = arrays.iter().position(|known| *known == array)?;
            Some((mode, position as u32))
        };
        // Both are visited in pre-order, in which the numbers were given.
        let barrier = |b: &Stmt| match b {
            Stmt::Sync { scope, .. } if *scope < BarrierScope::Block => Some(*scope),
            _ => None,
        };
        let statement =
            |b: &Stmt| Some(Statement { site: b.site()?, access: access(b), barrier: barrier(b) });
        let statements = body.subterms().filter_map(statement).collect();
        Sites { statements }
    }

    fn get(&self, number: u64) -> Result<Statement, Malformed> {
        let statement = usize::try_from(number).ok().and_then(|at| self.statements.get(at));
        statement.copied().ok_or(Malformed::Site(number))
    }

    pub(super) fn access(&self, number: u64) -> Result<(Site, AccessMode, u32), Malformed> {
        let statement = self.get(number)?;
        let (mode, array) = statement.access.ok_or(Malformed::Site(number))?;
        Ok((statement.site, mode, array))
    }
}

/// The words of a thread's result.
struct ThreadResult {
    status: u32,
    site: u32,
    count: u32,
    overflow: u32,
    phase: u32,
    index: u64,
}

impl ThreadResult {
    /// `words` are [`THREAD_WORDS`].
    fn read(words: &[u32]) -> ThreadResult {
        ThreadResult {
            status: words[result::STATUS],
            site: words[result::PC],
            count: words[result::LOGGED],
            overflow: words[result::OVERFLOW],
            phase: words[result::PHASE],
            index: u64::from(words[result::OUTSIDE]) | u64::from(words[result::OUTSIDE_HIGH]) << 32,
        }
    }

    /// Where the thread stopped, and the status that follows from it if it is at fault.
    fn stop(
        &self,
        thread: u64,
        layout: &Layout,
        sites: &Sites,
    ) -> Result<(Stop, Option<Status>), Malformed> {
        let number = u64::from(self.site);
        let place = |site| Place { thread, site: Some(site) };
        Ok(match self.status {
            status::HALTED => (Stop::End, None),
            status::OUT_OF_FUEL => {
                let site = sites.get(number)?.site;
                (Stop::OutOfFuel(Some(site)), Some(Status::OutOfFuel(place(site))))
            }
            status::LOG_FULL => {
                let Statement { site, access, barrier } = sites.get(number)?;
                if access.is_none() && barrier.is_none() {
                    return Err(Malformed::Site(number));
                }
                (Stop::LogFull(site), Some(Status::LogFull(place(site))))
            }
            status::OUTSIDE => {
                let (site, _, array) = sites.access(number)?;
                let array = layout.arrays().nth(array as usize);
                let (name, _, length) = array.ok_or(Malformed::Site(number))?;
                if self.index < length as u64 {
                    return Err(Malformed::Index(self.index));
                }
                let cell = Cell::new(name.clone(), self.index);
                (Stop::OutOfBounds(site), Some(Status::OutOfBounds { place: place(site), cell }))
            }
            status => return Err(Malformed::Status(status)),
        })
    }

    fn overflow(&self, thread: u64, sites: &Sites) -> Result<Option<Place>, Malformed> {
        match self.overflow.checked_sub(1) {
            None => Ok(None),
            Some(number) => {
                let site = Some(sites.get(u64::from(number))?.site);
                Ok(Some(Place { thread, site }))
            }
        }
    }

    /// The thread's log, from the longs that it has for it.
    fn log(
        &self,
        longs: &[u64],
        layout: &Layout,
        sites: &Sites,
    ) -> Result<(Vec<Entry>, Vec<Passed>), Malformed> {
        let lengths: Vec<usize> = layout.arrays().map(|(.., length)| length).collect();
        if self.count as usize > longs.len() / ENTRY_LONGS {
            return Err(Malformed::Count(self.count));
        }
        let (mut log, mut passed, mut before) = (Vec::new(), Vec::new(), 0);
        let written = longs.chunks_exact(ENTRY_LONGS).take(self.count as usize);
        for longs in written {
            let (number, phase) = (longs[0] & u64::from(u32::MAX), (longs[0] >> 32) as u32);
            if phase < before || phase > self.phase {
                return Err(Malformed::Phase(phase));
            }
            before = phase;
            let (index, value) = (longs[1], longs[2]);
            if let Statement { site, barrier: Some(scope), .. } = sites.get(number)? {
                passed.push(Passed { phase, site, scope, after: log.len() as u32 });
                continue;
            }
            let (site, mode, array) = sites.access(number)?;
            // Every array of a statement is one of the layout: `Sites` looked it up there.
            if index >= lengths[array as usize] as u64 {
                return Err(Malformed::Index(index));
            }
            log.push(Entry { phase, site, mode, array, index, value });
        }
        Ok((log, passed))
    }
}

/// The reports of all blocks.
pub(super) fn reports(
    layout: &Layout,
    sites: &Sites,
    output: &Output,
    options: &JobOptions,
) -> Result<Vec<Report>, CompiledError> {
    let launch = layout.launch();
    let block_threads = launch.block.count() as usize;
    let longs = options.log as usize * ENTRY_LONGS;
    let mut reports = Vec::new();
    for (index, number) in (0..launch.grid.count()).zip(0usize..) {
        let block = Block { launch, index };
        let first = number * block_threads;
        let mut report = Report {
            block,
            status: Status::Done,
            overflow: None,
            last_phase: 0,
            arrays: arrays(layout, &output.memory, number),
            threads: Vec::with_capacity(block_threads),
        };
        for (thread, position) in (0..launch.block.count()).zip(first..) {
            let malformed = |kind| CompiledError::Malformed { thread: block.thread(thread), kind };
            let words = &output.results[position * THREAD_WORDS..][..THREAD_WORDS];
            let result = ThreadResult::read(words);
            let (stop, status) = result.stop(thread, layout, sites).map_err(malformed)?;
            let own = &output.entries[position * longs..][..longs];
            let (log, passed) = result.log(own, layout, sites).map_err(malformed)?;
            let overflow = result.overflow(thread, sites).map_err(malformed)?;
            match thread {
                0 => report.last_phase = result.phase,
                _ if result.phase != report.last_phase => {
                    return Err(malformed(Malformed::Ending(result.phase)));
                }
                _ => {}
            }
            if let (Status::Done, Some(status)) = (&report.status, status) {
                report.status = status;
            }
            report.overflow = report.overflow.or(overflow);
            report.threads.push(ThreadReport { stop, log, passed });
        }
        // A thread that is at fault still goes to its barriers, and logs no more.
        if let (Status::Done, Some(thread)) = (&report.status, report.without_its_group()) {
            let thread = block.thread(thread);
            return Err(CompiledError::Malformed { thread, kind: Malformed::Alone });
        }
        reports.push(report);
    }
    Ok(reports)
}

/// What a digest run tells.
pub(super) fn digested(
    layout: &Layout,
    sites: &Sites,
    output: Output,
) -> Result<DigestReport, CompiledError> {
    let launch = layout.launch();
    let (mut fault, mut overflow, mut accesses) = (None, None, 0u64);
    let arrays = arrays(layout, &output.memory, 0);
    for (thread, words) in launch.all().zip(output.results.chunks_exact(THREAD_WORDS)) {
        let malformed = |kind| CompiledError::Malformed { thread, kind };
        let result = ThreadResult::read(words);
        let (_, status) = result.stop(thread.index, layout, sites).map_err(malformed)?;
        let marked = result.overflow(thread.index, sites).map_err(malformed)?;
        fault = fault.or(status.map(|status| (thread, status)));
        overflow = overflow.or(marked.map(|place| (thread, place)));
        accesses = accesses.saturating_add(u64::from(result.count));
    }
    let cells = usize::try_from(layout.cells()).map_err(|_| CompiledError::TooLarge)?;
    let sums = if cells == 0 { Vec::new() } else { output.entries };
    let digest = Digest::from_sums(cells, sums).ok_or(CompiledError::TooLarge)?;
    Ok(DigestReport { digest, fault, overflow, accesses, arrays })
}

/// The arrays as a block sees them.
fn arrays(layout: &Layout, memory: &[u64], block: usize) -> Vec<ArrayReport> {
    let array = |(position, (name, space, _)): (usize, (&Name, Space, usize))| ArrayReport {
        name: name.clone(),
        space,
        cells: layout.cells_of(memory, position, block).to_vec(),
    };
    // A grid of no blocks has no shared arrays to show.
    if layout.launch().grid.count() == 0 {
        return Vec::new();
    }
    layout.arrays().enumerate().map(array).collect()
}
