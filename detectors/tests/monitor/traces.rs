//! The header's steps, compiled for the host, beside [`Shadow`]'s and the definition of a race, on random traces.

use crate::host::{Line, Program};
use babycuda_core::AccessMode;
use babycuda_core::shadow::{MODES, Machine};
use babycuda_detectors::hirace::{Accessor, Shadow};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

/// How many threads of a block a word can tell apart.
const BLOCK: usize = 1024;

/// Blocks, warps of a block, and threads of a warp.
#[derive(Clone, Copy, Debug)]
struct Shape {
    blocks: usize,
    warps: usize,
    lanes: usize,
}

/// What happens. A thread is (block, warp, lane).
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A mode beyond [`MODES`] reads and writes.
    Access {
        cell: usize,
        thread: [usize; 3],
        mode: usize,
    },
    Warp(usize, usize),
    Block(usize),
    Grid,
    /// Some lanes of a warp: a bit each.
    Lanes(usize, usize, usize),
}

#[derive(Clone, Debug)]
struct Trace {
    shape: Shape,
    cells: usize,
    events: Vec<Event>,
}

fn number([block, warp, lane]: [usize; 3]) -> usize {
    block * BLOCK + warp * 32 + lane
}

/// How shared memory sees a trace of one block: a barrier of the grid is one of the block.
fn of_a_block(trace: &Trace) -> Trace {
    let events = trace.events.iter().map(|event| match event {
        Event::Grid => Event::Block(0),
        event => *event,
    });
    Trace { events: events.collect(), ..trace.clone() }
}

/// The accesses that an event is.
fn modes(mode: usize) -> Vec<AccessMode> {
    match MODES.get(mode) {
        Some(mode) => vec![*mode],
        None => vec![AccessMode::Rd, AccessMode::Wr],
    }
}

/// What the program reads of a trace.
fn show(trace: &Trace, layout: usize, is_shared: bool) -> String {
    let Shape { blocks, warps, lanes } = trace.shape;
    let mut out =
        format!("new {layout} {} {} {blocks} {warps} {lanes}\n", u8::from(is_shared), trace.cells);
    for event in &trace.events {
        out += &match event {
            Event::Access { cell, thread: [block, warp, lane], mode } => {
                format!("a {cell} {block} {} {mode}\n", warp * 32 + lane)
            }
            Event::Warp(block, warp) => format!("w {block} {warp}\n"),
            Event::Block(block) => format!("b {block}\n"),
            Event::Grid => "g\n".to_owned(),
            Event::Lanes(block, warp, mask) => format!("p {block} {warp} {mask}\n"),
        };
    }
    out + "end\n"
}

/// What [`Shadow`] sees: the event, and the threads of this access and of the last one. (Of a read and write, the write
/// has itself for the last one.) It has no barriers of the grid, and is made anew at each.
fn seen(trace: &Trace) -> Vec<(usize, usize, Option<usize>)> {
    let Shape { blocks, warps, lanes } = trace.shape;
    let new = || {
        Shadow::new(Machine::exact(), trace.cells, (blocks * BLOCK) as u64, &[16, 16])
            .expect("a layout")
    };
    let thread = |shadow: &Shadow, id: usize| {
        let (warp, block) = ((id / 32 * 32) as u64, (id / BLOCK * BLOCK) as u64);
        shadow
            .thread(id as u64, &[(warp..warp + 32, 0), (block..block + BLOCK as u64, 0)])
            .expect("a thread")
    };
    let ids = move || {
        let warp = move |block| {
            (0..warps).flat_map(move |warp| (0..lanes).map(move |lane| [block, warp, lane]))
        };
        (0..blocks).flat_map(warp).map(number)
    };
    let start = |shadow: &Shadow| {
        ids().map(|id| (id, thread(shadow, id))).collect::<Vec<(usize, Accessor)>>()
    };
    let mut shadow = new();
    let mut threads = start(&shadow);
    let mut all = Vec::new();
    for (place, event) in trace.events.iter().enumerate() {
        match *event {
            Event::Access { cell, thread, mode } => {
                let id = number(thread);
                let (_, accessor) =
                    threads.iter().find(|(other, _)| *other == id).expect("a thread");
                let found =
                    modes(mode).into_iter().find_map(|mode| shadow.access(cell, accessor, mode));
                let last = |last: usize| (last != id || mode < MODES.len()).then_some(last);
                all.extend(found.map(|race| (place, id, last(race.last as usize))));
            }
            Event::Warp(block, warp) => {
                let group = number([block, warp, 0]) / 32;
                let group = threads.iter_mut().filter(|(id, _)| id / 32 == group);
                group.for_each(|(_, thread)| shadow.pass(thread, 1).expect("room"));
            }
            Event::Block(block) => {
                let group = threads.iter_mut().filter(|(id, _)| id / BLOCK == block);
                group.for_each(|(_, thread)| shadow.pass(thread, 2).expect("room"));
            }
            Event::Grid => {
                shadow = new();
                threads = start(&shadow);
            }
            Event::Lanes(..) => unreachable!("Shadow has no barriers of lanes"),
        }
    }
    all
}

/// Do barriers lead from one thread to another?
fn are_ordered(events: &[Event], from: [usize; 3], to: [usize; 3]) -> bool {
    // The lanes of its warp that the first thread's barriers lead to.
    let mut lanes = 1 << from[2];
    events.iter().any(|event| match *event {
        Event::Warp(block, warp) => [from, to].iter().all(|t| t[..2] == [block, warp]),
        Event::Block(block) => [from, to].iter().all(|t| t[0] == block),
        Event::Grid => true,
        Event::Lanes(block, warp, mask) => {
            if from[..2] == [block, warp] && lanes & mask != 0 {
                lanes |= mask;
            }
            from[..2] == to[..2] && lanes >> to[2] & 1 == 1
        }
        Event::Access { .. } => false,
    })
}

/// The first race of each cell between two barriers of the grid, by the definition: all pairs of accesses.
fn defined(trace: &Trace) -> Vec<usize> {
    let mut racy = Vec::new();
    let mut all = Vec::new();
    let mut first = 0;
    for (place, event) in trace.events.iter().enumerate() {
        let Event::Access { cell, thread, mode } = *event else {
            if let Event::Grid = event {
                first = place;
                racy.clear();
            }
            continue;
        };
        let races = (first..place).any(|before| {
            let Event::Access { cell: other, thread: earlier, mode: known } = trace.events[before]
            else {
                return false;
            };
            let ordered = are_ordered(&trace.events[before..place], earlier, thread);
            let conflict = modes(mode).into_iter().any(|mode| {
                modes(known).into_iter().any(|known| mode.conflicts(known, earlier[0] == thread[0]))
            });
            cell == other && thread != earlier && !ordered && conflict
        });
        if races && !racy.contains(&cell) {
            racy.push(cell);
            all.push(place);
        }
    }
    all
}

/// With `masks`, some barriers are of some lanes.
fn traces(blocks: std::ops::Range<usize>, masks: bool) -> impl Strategy<Value = Trace> {
    let drawn = prop::collection::vec((0..12u8, any::<u16>(), any::<u16>(), any::<u16>()), 1..60);
    let favoured = prop::array::uniform3(0..=MODES.len());
    (blocks, 1..4usize, 1..4usize, 1..4usize, favoured, drawn).prop_map(
        move |(blocks, warps, lanes, cells, favoured, drawn)| {
            let shape = Shape { blocks, warps, lanes };
            let mut at = [0, 0, 0];
            let events = drawn.into_iter().map(|(kind, a, b, c)| {
                let (a, b, c) = (usize::from(a), usize::from(b), usize::from(c));
                match kind {
                    0..7 => {
                        // Often near the last access, in the mode that the cell favours: others race at once.
                        at = match c % 5 {
                            0 => [a % blocks, a / 7 % warps, a / 49 % lanes],
                            1 => [at[0], a / 7 % warps, a / 49 % lanes],
                            2 => at,
                            _ => [at[0], at[1], a / 49 % lanes],
                        };
                        let cell = b % cells;
                        let mode = if b / 7 % 4 == 0 { a / 343 % 5 } else { favoured[cell] };
                        Event::Access { cell, thread: at, mode }
                    }
                    7..9 if masks => Event::Lanes(at[0], at[1], a % (1 << lanes)),
                    7..9 if b % 3 > 0 => Event::Warp(at[0], at[1]),
                    7..9 => Event::Warp(a % blocks, a / 7 % warps),
                    9..11 if b % 3 > 0 => Event::Block(at[0]),
                    9..11 => Event::Block(a % blocks),
                    _ if b % 4 == 0 => Event::Grid,
                    _ => Event::Block(at[0]),
                }
            });
            let events = events.collect();
            Trace { shape, cells, events }
        },
    )
}

/// So many random traces, or `BABYCUDA_CASES`, if that is more.
fn drawn(blocks: std::ops::Range<usize>, masks: bool, least: usize) -> Vec<Trace> {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(least);
    let mut runner = TestRunner::new(Config::default());
    let strategy = traces(blocks, masks);
    let draw = |_| strategy.new_tree(&mut runner).expect("a trace").current();
    (0..cases.max(least)).map(draw).collect()
}

/// What the program says of all traces.
fn found(
    program: &Program,
    traces: &[Trace],
    layout: usize,
    is_shared: bool,
) -> Vec<(Vec<Line>, u32)> {
    let input: String = traces.iter().map(|trace| show(trace, layout, is_shared)).collect();
    let all = program.run(&input);
    assert_eq!(all.len(), traces.len());
    all
}

#[test]
fn every_sighting_is_shadows() {
    let Some(program) = Program::compiled() else { return };
    for (is_shared, blocks) in [(false, 1..4), (true, 1..2)] {
        let traces = drawn(blocks, false, 3000);
        let as_seen = |trace: &Trace| if is_shared { of_a_block(trace) } else { trace.clone() };
        let (mut races, mut clean) = (0, 0);
        let expected: Vec<_> =
            traces.iter().map(as_seen).map(|trace| (seen(&trace), defined(&trace))).collect();
        for layout in 0..3 {
            let all = found(program, &traces, layout, is_shared);
            for ((trace, (lines, flags)), (seen, defined)) in traces.iter().zip(all).zip(&expected)
            {
                let places: Vec<usize> = lines.iter().map(|line| line.event).collect();
                assert_eq!(places, *defined, "layout {layout}, the definition: {trace:?}");
                assert_eq!(flags, 0, "layout {layout}: {trace:?}");
                assert_eq!(lines.len(), seen.len(), "layout {layout}: {trace:?}");
                for (line, (place, thread, last)) in lines.iter().zip(seen) {
                    let own = line.block * BLOCK + line.thread;
                    assert_eq!(
                        (line.event, own, line.line),
                        (*place, *thread, *place),
                        "layout {layout}: {trace:?}"
                    );
                    // Of accesses by several threads the word keeps one.
                    let known = line.last_block * BLOCK + line.last_thread;
                    let size = [1, 32, BLOCK, usize::MAX][line.level];
                    let is_own = last.is_none_or(|last| known / size == last / size);
                    assert!(is_own, "layout {layout}: {trace:?}");
                }
            }
        }
        for (_, defined) in &expected {
            races += usize::from(!defined.is_empty());
            clean += usize::from(defined.is_empty());
        }
        assert!(races > traces.len() / 5 && clean > traces.len() / 20, "{races} racy, {clean} not");
    }
}

/// Where clocks or blocks have no room, and behind barriers of some lanes, what is found is a race, and where one is
/// missing, the flags say so.
#[test]
fn what_is_not_supported_is_inconclusive() {
    let Some(program) = Program::compiled() else { return };
    for (is_shared, blocks, masks) in
        [(false, 1..4, false), (true, 1..2, false), (false, 1..3, true), (true, 1..2, true)]
    {
        let traces = drawn(blocks, masks, 500);
        let (mut flagged, mut told) = (0, 0);
        for layout in if masks { 0..1 } else { 3..5 } {
            for (trace, (lines, flags)) in
                traces.iter().zip(found(program, &traces, layout, is_shared))
            {
                let trace = &if is_shared { of_a_block(trace) } else { trace.clone() };
                let places: Vec<usize> = lines.iter().map(|line| line.event).collect();
                if flags == 0 {
                    assert_eq!(places, defined(trace), "layout {layout}: {trace:?}");
                }
                flagged += usize::from(flags != 0);
                told += places.len();
                for place in places {
                    assert!(is_race(trace, place), "layout {layout}, {place}: {trace:?}");
                }
            }
        }
        assert!(flagged > traces.len() / 10 && told > 0, "{flagged}, {told}");
    }
}

/// Is the access of a place in a race with one before?
fn is_race(trace: &Trace, place: usize) -> bool {
    let Event::Access { cell, .. } = trace.events[place] else { return false };
    // Other accesses of the cell do not matter, but for being the first race.
    let begin =
        trace.events[..place].iter().rposition(|event| matches!(event, Event::Grid)).unwrap_or(0);
    let others = (begin..place)
        .filter(|other| matches!(trace.events[*other], Event::Access { cell: c, .. } if c == cell));
    others.into_iter().any(|other| {
        let keep = |(at, event): (usize, &Event)| match event {
            Event::Access { .. } => at == other || at == place,
            _ => true,
        };
        let events = trace.events.iter().enumerate().take(place + 1);
        let events =
            events.filter(|pair| keep((pair.0, pair.1))).map(|(_, event)| *event).collect();
        !defined(&Trace { events, ..trace.clone() }).is_empty()
    })
}
