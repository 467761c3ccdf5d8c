//! Φ_Det over logs, held equal to its definition.

use babycuda_core::syntax::Scope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Dim3, Launch, Name, Site, Thread};
use babycuda_detectors::amplification::{CheckError, LEAST_BUDGET, LogError, conflicts};
use proptest::prelude::*;
use std::collections::BTreeSet;

const R: AccessMode = AccessMode::Rd;
const W: AccessMode = AccessMode::Wr;

/// Two blocks of two warps of two threads.
fn launch() -> Launch {
    Launch { warp: 2, ..Launch::new(Dim3::line(2), Dim3::line(4)) }
}

fn access(block: u64, index: u64, mode: AccessMode, array: &str, at: u64) -> Event {
    let (thread, cell) = (Thread { block, index }, Cell::new(array, at));
    Event::Access { thread, mode, cell, site: Some(Site(at as u32)) }
}

fn trace(events: Vec<Event>) -> Trace {
    Trace { launch: launch(), shared: BTreeSet::from([Name::new("S")]), events }
}

/// The cells, with their blocks if they are shared, on which a trace has a conflict.
fn found(trace: &Trace) -> BTreeSet<(Name, u64, u64)> {
    let place = std::env::temp_dir();
    let (sweep, arrays) = conflicts(trace, LEAST_BUDGET, &place).expect("a log");
    let mut found = BTreeSet::new();
    for conflict in sweep {
        let conflict = conflict.expect("entries");
        let (first, second) = (conflict.first, conflict.second);
        assert!(first.who() != second.who());
        assert!(first.mode.conflicts(second.mode, first.block == second.block));
        let cell = (arrays[first.array as usize].clone(), first.owner, first.index);
        assert!(found.insert(cell), "two conflicts of one cell");
    }
    found
}

/// The same by definition (THEORY §4): all pairs of accesses that nothing orders.
fn defined(trace: &Trace) -> BTreeSet<(Name, u64, u64)> {
    let mut found = BTreeSet::new();
    let events = &trace.events;
    for (i, one) in events.iter().enumerate() {
        for (j, other) in events.iter().enumerate().skip(i + 1) {
            let (
                Event::Access { thread: t, mode: m, cell: c, .. },
                Event::Access { thread: u, mode: n, cell: d, .. },
            ) = (one, other)
            else {
                continue;
            };
            let shared = trace.shared.contains(&c.array);
            let same_block = t.block == u.block;
            let warp = |t: &Thread| t.index / u64::from(trace.launch.warp);
            let ordered = events[i..j].iter().any(|event| match event {
                Event::BlockBarrier { block } => same_block && t.block == *block,
                Event::WarpBarrier { block, warp: w } => {
                    same_block && t.block == *block && warp(t) == *w && warp(u) == *w
                }
                Event::GridBarrier => true,
                Event::TileBarrier { .. } | Event::LaneBarrier { .. } | Event::Access { .. } => {
                    false
                }
            });
            let one_cell = c == d && (same_block || !shared);
            if t != u && one_cell && !ordered && m.conflicts(*n, same_block) {
                let owner = if shared { t.block + 1 } else { 0 };
                let index = c.index.to_u64().expect("a small index");
                found.insert((c.array.clone(), owner, index));
            }
        }
    }
    found
}

fn check(events: Vec<Event>, wanted: usize) {
    let trace = trace(events);
    assert_eq!(found(&trace), defined(&trace));
    assert_eq!(found(&trace).len(), wanted, "{trace:?}");
}

/// LGAGJL12 §4.2: when two accesses race.
#[test]
fn global_and_shared_memory() {
    let barrier = || Event::BlockBarrier { block: 0 };
    let write = |block, thread, array| access(block, thread, W, array, 0);
    check(vec![write(0, 0, "G"), write(0, 1, "G")], 1);
    check(vec![write(0, 0, "G"), barrier(), write(0, 1, "G")], 0);
    // Blocks are ordered by nothing.
    check(vec![write(0, 0, "G"), barrier(), write(1, 0, "G")], 1);
    // Each block has its own.
    check(vec![write(0, 0, "S"), write(1, 0, "S")], 0);
    check(vec![write(1, 0, "S"), write(1, 1, "S"), barrier()], 1);
    check(vec![access(0, 0, R, "G", 0), access(0, 1, R, "G", 0)], 0);
    check(vec![access(0, 0, R, "G", 0), access(0, 1, W, "G", 0)], 1);
    check(vec![write(0, 0, "G"), access(0, 0, R, "G", 0)], 0);
}

/// Barriers of warps and atomics, of which the paper has none.
#[test]
fn warps_and_atomics() {
    let sync = |warp| Event::WarpBarrier { block: 0, warp };
    let write = |thread| access(0, thread, W, "G", 0);
    check(vec![write(0), sync(0), write(1)], 0);
    check(vec![write(0), sync(1), write(1)], 1);
    check(vec![write(0), sync(0), sync(1), write(2)], 1);
    let of_block = AccessMode::At(Scope::Block);
    let atomic = |block, thread| access(block, thread, of_block, "G", 0);
    check(vec![atomic(0, 0), atomic(0, 2)], 0);
    check(vec![atomic(0, 0), atomic(1, 0)], 1);
    check(vec![atomic(0, 0), atomic(0, 1), write(3)], 1);
}

/// What stays in the windows is enough: of many reads before a write, one by another thread.
#[test]
fn a_third_reader_is_not_needed() {
    for writer in 0..4 {
        let mut events: Vec<Event> = (0..4).map(|t| access(0, t, R, "G", 0)).collect();
        events.push(access(0, writer, W, "G", 0));
        check(events, 1);
    }
}

#[test]
fn what_is_no_event_of_the_launch_is_refused() {
    let refused = |event: Event| {
        let result = conflicts(&trace(vec![event]), 0, &std::env::temp_dir());
        result.err().map(|error| match error {
            CheckError::Log(error) => error,
            other => panic!("{other}"),
        })
    };
    assert_eq!(refused(access(2, 0, W, "G", 0)), Some(LogError::Launch));
    assert_eq!(refused(access(0, 4, W, "G", 0)), Some(LogError::Launch));
    assert_eq!(refused(Event::BlockBarrier { block: 2 }), Some(LogError::Launch));
    let warp = Event::WarpBarrier { block: 0, warp: u64::MAX };
    assert_eq!(refused(warp), Some(LogError::Launch));
    let cell =
        Cell::new("G", "18446744073709551616".parse::<babycuda_core::Natural>().expect("2^64"));
    let thread = Thread { block: 0, index: 0 };
    let event = Event::Access { thread, mode: R, cell: cell.clone(), site: None };
    assert_eq!(refused(event), Some(LogError::Index(cell)));
}

fn event() -> impl Strategy<Value = Event> {
    let mode = prop_oneof![
        Just(R),
        Just(W),
        Just(AccessMode::At(Scope::Block)),
        Just(AccessMode::At(Scope::Device)),
    ];
    let array = prop_oneof![Just("G"), Just("S")];
    let access = (0..2u64, 0..4u64, mode, array, 0..2u64)
        .prop_map(|(block, thread, mode, array, at)| access(block, thread, mode, array, at));
    prop_oneof![
        6 => access,
        1 => (0..2u64).prop_map(|block| Event::BlockBarrier { block }),
        1 => (0..2u64, 0..2u64).prop_map(|(block, warp)| Event::WarpBarrier { block, warp }),
        1 => Just(Event::GridBarrier),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn is_what_the_definition_says(events in proptest::collection::vec(event(), 0..14)) {
        let trace = trace(events);
        prop_assert_eq!(found(&trace), defined(&trace));
    }
}
