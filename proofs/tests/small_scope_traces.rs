//! T9 on every short trace of a cell, against the histories of the semantics.

use babycuda_core::syntax::Scope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Dim3, Launch, Thread};
use babycuda_proofs::shadow_machine_is_exact::check;
use babycuda_proofs::small_scope::raise;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Two blocks of two warps of two threads.
fn launch() -> Launch {
    Launch { warp: 2, ..Launch::new(Dim3::line(2), Dim3::line(4)) }
}

/// What can happen to the cell.
fn events() -> Vec<Event> {
    let cell = Cell::new("A", 0u32);
    let scopes = [Scope::Block, Scope::Device].map(AccessMode::At);
    let modes = [AccessMode::Rd, AccessMode::Wr, scopes[0], scopes[1]];
    let accesses = launch().all().flat_map(|thread: Thread| {
        let cell = cell.clone();
        modes.map(move |mode| Event::Access { thread, mode, cell: cell.clone(), site: None })
    });
    let blocks = (0..2).map(|block| Event::BlockBarrier { block });
    let warps = (0..4).map(|i| Event::WarpBarrier { block: i / 2, warp: i % 2 });
    accesses.chain(blocks).chain(warps).collect()
}

/// How many traces are racy, and how many are not, of those that begin so and have at most so many events
/// more. What follows a race is left out.
fn count(begin: Vec<Event>, more: usize, events: &[Event]) -> (usize, usize) {
    let trace = Trace { launch: launch(), shared: BTreeSet::new(), events: begin };
    match check(&trace).unwrap_or_else(|failure| panic!("{failure}")) {
        true => (1, 0),
        false if more == 0 => (0, 1),
        false => {
            let then = |event: &Event| {
                count(
                    [trace.events.as_slice(), std::slice::from_ref(event)].concat(),
                    more - 1,
                    events,
                )
            };
            events.par_iter().map(then).reduce(|| (0, 1), |a, b| (a.0 + b.0, a.1 + b.1))
        }
    }
}

/// All traces of three events that an access by the first thread begins: another first thread is that of
/// a symmetric trace. (`BABYCUDA_SCOPE=1` takes four.)
#[test]
fn t9_on_all_short_traces() {
    let more = 2 + raise();
    let all = events();
    let counts = all[..4].par_iter().map(|first| count(vec![first.clone()], more, &all));
    let (racy, free) = counts.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(racy > 1_000 && free > 1_000, "{racy} {free}");
}
