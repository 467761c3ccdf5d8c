//! What is said of a log is what the definition of a race says of its trace (THEORY §4), whatever memory there is;
//! and the machine says of each cell what HiRace's shadow memory says.

mod common;

use babycuda_campaign::setting;
use babycuda_core::shadow::{Chain, Machine};
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Name, Site};
use babycuda_detectors::happens_before::{earlier, races};
use babycuda_detectors::hirace::replay;
use babycuda_traces::{Checked, Format, Options, Outcome, Side, check, write_trace};
use common::{Barriers, trace};
use std::collections::{BTreeMap, BTreeSet};

fn checked(trace: &Trace, memory: usize, machine: Option<Machine>) -> Checked {
    let log = write_trace(Vec::new(), Format::Binary, trace).expect("a trace that a log may have");
    let options = Options { memory, races: 10_000, machine, ..Options::default() };
    check(|| Ok(log.as_slice()), &options).expect("a log")
}

/// An array, two statements that race there, and whether in one block. No statement is one of its own.
type Pair = (Name, [Statement; 2], bool);
type Statement = (Option<Site>, AccessMode);

fn pair_of(array: Name, mut statements: [Statement; 2], same_block: bool) -> Pair {
    statements.sort_unstable();
    (array, statements, same_block)
}

/// The pairs of statements that race by the definition.
fn pairs(trace: &Trace) -> BTreeSet<Pair> {
    let side = |number: usize| match &trace.events[number] {
        Event::Access { thread, mode, cell, site } => {
            (cell.array.clone(), thread.block, (*site, *mode))
        }
        barrier => panic!("{barrier:?} is no access"),
    };
    let found = races(trace, u64::MAX).expect("few pairs of accesses");
    let pair = |(first, second): (usize, usize)| {
        let ((array, block, one), (_, other_block, other)) = (side(first), side(second));
        pair_of(array, [one, other], block == other_block)
    };
    found.iter().map(|clash| pair((clash.first, clash.second))).collect()
}

/// The cells of a trace, each with all that happens to it.
fn cells(trace: &Trace) -> BTreeMap<(Cell, Option<u64>), Trace> {
    let place = |event: &Event| match event {
        Event::Access { thread, cell, .. } => {
            let own = trace.shared.contains(&cell.array).then_some(thread.block);
            Some((cell.clone(), own))
        }
        _ => None,
    };
    let all: BTreeSet<_> = trace.events.iter().filter_map(place).collect();
    let only = |cell: &(Cell, Option<u64>)| {
        let here = |event: &&Event| place(event).is_none_or(|at| at == *cell);
        Trace { events: trace.events.iter().filter(here).cloned().collect(), ..trace.clone() }
    };
    all.into_iter().map(|cell| (cell.clone(), only(&cell))).collect()
}

fn agree(trace: &Trace, memory: usize) -> Result<Checked, String> {
    let checked = checked(trace, memory, None);
    let (expected, launch) = (pairs(trace), trace.launch);
    let of = |race: &babycuda_traces::Race| {
        let side = |side: &Side| (side.site, side.mode);
        let array = checked.cell(race).array;
        pair_of(array, [side(&race.first), side(&race.second)], race.same_block())
    };
    let found: BTreeSet<Pair> = checked.races.iter().map(of).collect();
    let fail = |what: String| Err(format!("{what}\n{launch:?}\n{:?}", trace.events));
    if found != expected || found.len() != checked.races.len() || checked.more.is_some() {
        return fail(format!("{found:?}\nand not {expected:?}; {:?}", checked.more));
    }
    let racy = cells(trace).values().filter(|trace| !pairs(trace).is_empty()).count() as u64;
    if checked.racy != racy || checked.racy_of.iter().map(|(_, cells)| cells).sum::<u64>() != racy {
        return fail(format!("{} cells, and not {racy}", checked.racy));
    }
    let outcome = if racy > 0 { Outcome::Racy } else { Outcome::Drf };
    if checked.outcome != outcome {
        return fail(format!("{:?}", checked.outcome));
    }
    for race in &checked.races {
        let [first, second] = [race.first.event as usize, race.second.event as usize];
        let known = earlier(trace, &BTreeSet::from([second]));
        if !known.get(&second).is_some_and(|racing| racing.contains(&first)) {
            return fail(format!("{race:?} is no race"));
        }
        let said = |side: &Side, at: usize| match &trace.events[at] {
            Event::Access { thread, mode, cell, site } => {
                (side.thread, side.mode, side.site, checked.cell(race))
                    == (*thread, *mode, *site, cell.clone())
            }
            _ => false,
        };
        if !said(&race.first, first) || !said(&race.second, second) {
            return fail(format!("{race:?} is another event"));
        }
    }
    Ok(checked)
}

/// A failure, with as few events as it takes.
fn reduced(mut trace: Trace, memory: usize, mut why: String) -> String {
    let mut at = 0;
    while at < trace.events.len() {
        let mut smaller = trace.clone();
        smaller.events.remove(at);
        match agree(&smaller, memory) {
            Ok(_) => at += 1,
            Err(again) => (trace, why) = (smaller, again),
        }
    }
    why
}

#[test]
fn logs_race_as_the_definition_says() {
    let cases = setting("BABYCUDA_CASES", 4_000);
    let (mut racy, mut lanes, mut several) = (0, 0, 0);
    for seed in 0..cases {
        let barriers = [Barriers::Nested, Barriers::Lanes][usize::from(seed % 3 == 2)];
        let memory = [1 << 30, 12_000][usize::from(seed % 2 == 1)];
        let trace = trace(seed, barriers);
        match agree(&trace, memory) {
            Ok(checked) => {
                racy += u64::from(checked.outcome == Outcome::Racy);
                several += u64::from(checked.passes > 2);
            }
            Err(why) => panic!("seed {seed}: {}", reduced(trace, memory, why)),
        }
        let is_lanes = |event: &Event| matches!(event, Event::LaneBarrier { .. });
        lanes += u64::from(trace.events.iter().any(is_lanes));
    }
    // What was drawn did not collapse.
    assert!(cases / 4 < racy && racy < cases * 3 / 4, "{racy} racy");
    assert!(lanes > cases / 8, "{lanes} with barriers of lanes");
    assert!(several > cases / 20, "{several} in several passes");
}

/// The exact machine, and one that overlooks reads.
fn machines() -> [Machine; 2] {
    let exact = Machine::exact();
    let next = |state, label: babycuda_core::shadow::Label| match exact.next(state, label) {
        next if next == exact.race() && label.mode == AccessMode::Rd => state,
        next => next,
    };
    let blind = Machine::new(Chain::published(), exact.names().to_vec(), exact.race(), next);
    [exact.clone(), blind.expect("as many states")]
}

#[test]
fn machines_judge_logs_as_shadow_memory_does() {
    let (mut stopped, mut missed) = (0, 0);
    for seed in 0..2_000 {
        let barriers = [Barriers::WarpsAndBlocks, Barriers::Nested][usize::from(seed % 4 == 3)];
        let mut trace = trace(seed, barriers);
        // HiRace's replay takes every barrier of a tile for one of lanes.
        let whole = |event: &Event| matches!(event, Event::TileBarrier { size, .. } if *size == trace.launch.warp);
        trace.events.retain(|event| !whole(event));
        for (number, machine) in machines().into_iter().enumerate() {
            let memory = [1 << 30, 8_000][seed as usize % 2];
            let Some(judged) = checked(&trace, memory, Some(machine.clone())).machine else {
                panic!("seed {seed}: the machine was not asked");
            };
            let end = judged.stop.as_ref().map_or(trace.events.len(), |(event, _)| *event as usize);
            stopped += u64::from(judged.stop.is_some());
            let seen = Trace { events: trace.events[..end].to_vec(), ..trace.clone() };
            let seen = replay(&seen, &machine, &[20, 20]).expect("a layout of 46 bits");
            assert_eq!(seen.stop, None, "seed {seed}");
            assert_eq!(
                judged.racy,
                seen.races.len() as u64,
                "seed {seed}: {:?} {:?} {judged:?}",
                trace.launch,
                trace.events
            );
            // The exact one is right.
            if number == 0 {
                let none = Some((0, None));
                assert_eq!(judged.false_alarms, none, "seed {seed}");
                assert!(judged.missed == none || judged.stop.is_some(), "seed {seed}");
            }
            missed += judged.missed.map_or(0, |(missed, _)| missed);
        }
    }
    assert!(stopped > 200 && missed > 100, "{stopped} {missed}");
}
