//! The definition of a race, by all pairs of the accesses of a logged run.

use babycuda_core::syntax::{BarrierScope, Space};
use babycuda_core::{AccessMode, Cell, Launch, Name, Thread};
use babycuda_gpu::Report;
use babycuda_gpu::report::ThreadReport;
use std::collections::{BTreeMap, BTreeSet};

/// A cell; of a shared array, that of one block.
pub type Place = (Option<u64>, Cell);

/// An access as the definition sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Made {
    thread: Thread,
    mode: AccessMode,
    /// Barriers passed of its block, and of its warp since.
    passed: (u32, u32),
}

/// The cells of a run that have a race, and the threads that take part in races of each; and whether there were
/// accesses behind barriers of some lanes of a warp, which are left out.
pub struct Races {
    pub cells: BTreeMap<Place, BTreeSet<Thread>>,
    pub partial: bool,
}

/// The races of a run. Of the arrays that are `watched`, barriers of some lanes end what is known of a thread.
pub fn races(reports: &[Report], watched: &BTreeSet<Name>) -> Races {
    let mut cells: BTreeMap<Place, BTreeSet<Made>> = BTreeMap::new();
    let mut partial = false;
    for report in reports {
        let launch = report.block.launch;
        for (index, own) in (0u64..).zip(&report.threads) {
            let thread = Thread { block: report.block.index, index };
            for (place, entry) in own.log.iter().enumerate() {
                let array = &report.arrays[entry.array as usize];
                if !watched.contains(&array.name) {
                    continue;
                }
                let Some(warps) = warps(own, entry.phase, place, launch) else {
                    partial = true;
                    continue;
                };
                let block = (array.space == Space::Shared).then_some(thread.block);
                let made = Made { thread, mode: entry.mode, passed: (entry.phase, warps) };
                cells.entry((block, report.cell(entry))).or_default().insert(made);
            }
        }
    }
    let race = |(cell, made): (Place, BTreeSet<Made>)| {
        let racing = |a: &&Made| made.iter().any(|b| race(reports[0].block.launch, a, b));
        let threads: BTreeSet<Thread> = made.iter().filter(racing).map(|a| a.thread).collect();
        (!threads.is_empty()).then_some((cell, threads))
    };
    Races { cells: cells.into_iter().filter_map(race).collect(), partial }
}

/// The barriers of its warp that a thread passed in the phase of its access of this place; `None`: after them one of
/// some lanes.
fn warps(own: &ThreadReport, phase: u32, place: usize, launch: Launch) -> Option<u32> {
    let passed = own.passed.iter().filter(|p| p.phase == phase && p.after as usize <= place);
    let mut warps = Some(0);
    let mut whole = 0;
    for barrier in passed {
        let partial = matches!(barrier.scope, BarrierScope::Tile(size) if size < launch.warp);
        whole += u32::from(!partial);
        warps = (!partial).then_some(whole);
    }
    warps
}

fn race(launch: Launch, a: &Made, b: &Made) -> bool {
    let same_block = a.thread.block == b.thread.block;
    let warp = |made: &Made| made.thread.index / u64::from(launch.warp.max(1));
    let ordered =
        same_block && (a.passed.0 != b.passed.0 || warp(a) == warp(b) && a.passed.1 != b.passed.1);
    a.thread != b.thread && a.mode.conflicts(b.mode, same_block) && !ordered
}
