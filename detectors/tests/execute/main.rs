//! Kernels run: what they access and leave in memory.

mod effects;
mod integers;

use babycuda_core::trace::Event;
use babycuda_core::{AccessMode, Cell, Configuration, Dim3, Launch, Natural};
use babycuda_detectors::execute::{Limits, Run, Schedule, run};
use babycuda_frontend::{Options, parse_cuda};
use babycuda_kernel::Kernel;
use std::sync::Arc;

/// The tree of the one kernel of a file.
pub fn tree(source: &str) -> Arc<Kernel> {
    let kernels = parse_cuda(source, &Options::default()).unwrap();
    kernels[0].tree.clone().unwrap_or_else(|| panic!("{:?}", kernels[0].translation))
}

/// One block of so many threads.
pub fn block(threads: u32) -> Configuration {
    Configuration::threads(threads)
}

/// So many blocks of so many threads.
pub fn grid(blocks: u32, threads: u32) -> Configuration {
    Configuration::of_launch(Launch::new(Dim3::line(blocks), Dim3::line(threads)))
}

/// A run in order.
pub fn go(source: &str, configuration: &Configuration) -> Run {
    run(&tree(source), configuration, Schedule::InOrder, &Limits::default()).unwrap()
}

/// The cells of an array that hold something known, from the first.
pub fn cells(run: &Run, array: &str, count: u64) -> Vec<Option<u64>> {
    let of = |i| run.memory.get(&Cell::new(array, i)).and_then(Natural::to_u64);
    (0..count).map(of).collect()
}

/// The accesses, as `thread:rd A[0]`; barriers as `|` and their scope.
pub fn events(run: &Run) -> Vec<String> {
    let show = |event: &Event| match event {
        Event::Access { thread, mode, cell, .. } => format!("{thread}:{mode} {cell}"),
        Event::BlockBarrier { block } => format!("|block {block}"),
        Event::WarpBarrier { block, warp } => format!("|warp {block} {warp}"),
        Event::TileBarrier { block, size, first } => format!("|tile {block} {size} {first}"),
        Event::LaneBarrier { block, warp, lanes } => format!("|lanes {block} {warp} {lanes:#b}"),
        Event::GridBarrier => "|grid".to_owned(),
    };
    run.trace.events.iter().map(show).collect()
}

/// How often an access of a mode happens.
pub fn count(run: &Run, wanted: AccessMode) -> usize {
    let is = |e: &&Event| matches!(e, Event::Access { mode, .. } if *mode == wanted);
    run.trace.events.iter().filter(is).count()
}
