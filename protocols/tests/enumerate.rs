//! Enumeration against the reference semantics.

mod common;

use babycuda_core::evidence::PairKey;
use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Extent, Geometry, Space};
use babycuda_core::{Configuration, Declarations, Dim3, Launch, Name, Natural, Protocol, Site};
use babycuda_protocols::enumerate::{Enumeration, EnumerationLimits, Refusal};
use babycuda_protocols::map::{AccessEvent, Ending, MapError, evaluate};
use babycuda_protocols::{enumerate, map};
use common::{Control, STOPS, protocol, with_stops};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

fn parsed(text: &str) -> Protocol {
    parse_protocol(text).unwrap_or_else(|e| panic!("{e}"))
}

fn declarations(grid: bool) -> Declarations {
    let mut declarations = Declarations::of_geometry(Geometry {
        block: [Extent::Symbolic; 3],
        grid: grid.then_some([Extent::Symbolic; 3]),
        ..Geometry::line()
    });
    let array = |name: &str, space| ArrayDecl {
        name: name.into(),
        space,
        element: Domain::Natural,
        contents: Contents::Undefined,
        length: None,
    };
    declarations.arrays = vec![array("A", Space::Shared), array("B", Space::Global)];
    declarations
}

fn enumerated(text: &str, at: &Configuration) -> Enumeration {
    enumerate(&parsed(text), &declarations(false), at, &EnumerationLimits::default())
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The racing pairs of Λ, counted by the definition: every two events.
fn pairs(blocks: &[(u64, Vec<(usize, AccessEvent)>)], grid: bool) -> BTreeMap<PairKey, u64> {
    let events: Vec<(u64, usize, &AccessEvent)> = blocks
        .iter()
        .flat_map(|(block, events)| events.iter().map(move |(phase, e)| (*block, *phase, e)))
        .collect();
    let mut found = BTreeSet::new();
    for (i, (b, p, e)) in events.iter().enumerate() {
        for (c, q, f) in &events[i + 1..] {
            let same_block = b == c;
            let unordered = if same_block {
                p == q && e.thread != f.thread
            } else {
                grid && e.cell.array.as_str() == "B"
            };
            if !unordered || e.cell != f.cell || !e.mode.conflicts(f.mode, same_block) {
                continue;
            }
            let mut sides =
                [((e.site, e.mode), (*b, e.thread)), ((f.site, f.mode), (*c, f.thread))];
            sides.sort();
            let key = PairKey {
                array: e.cell.array.clone(),
                first: sides[0].0,
                second: sides[1].0,
                same_block,
            };
            let phase = if same_block { Some((*b, *p)) } else { None };
            found.insert((key, e.cell.clone(), phase, sides[0].1, sides[1].1));
        }
    }
    let mut counts = BTreeMap::new();
    for (key, ..) in found {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

/// Compares the enumeration of a launch with Λ of each of its blocks; returns whether it races.
fn compare(p: &Protocol, at: &Configuration, grid: bool) -> Result<bool, String> {
    let result = enumerate(p, &declarations(grid), at, &EnumerationLimits::default())
        .map_err(|e| format!("{e}"))?;
    let blocks = if grid { 0..at.launch.grid.count() } else { at.block..at.block + 1 };
    let mut events = Vec::new();
    let mut divergences = Vec::new();
    let mut stuck = Vec::new();
    let mut phases = 0;
    for block in blocks {
        let at = Configuration { block, ..at.clone() };
        let lambda = evaluate(p, &at, &map::MapLimits::default()).map_err(|e| format!("{e}"))?;
        phases += lambda.phases.len() as u64;
        let last = lambda.phases.len() - 1;
        match lambda.ending {
            Ending::Done => {}
            Ending::Divergence { first, second } => divergences.push((block, last, first, second)),
            Ending::Stuck { thread, site } => stuck.push((block, last, thread, site)),
        }
        let numbered = lambda.phases.into_iter().enumerate();
        let all = numbered.flat_map(|(i, phase)| phase.events.into_iter().map(move |e| (i, e)));
        events.push((block, all.collect::<Vec<_>>()));
    }
    let expected = pairs(&events, grid);
    let counts: BTreeMap<_, _> =
        result.races.iter().map(|(k, pair)| (k.clone(), pair.count)).collect();
    if counts != expected {
        return Err(format!("{counts:?} instead of {expected:?}"));
    }
    let found: Vec<_> =
        result.divergences.iter().map(|(b, d)| (*b, d.phase, d.first, d.second)).collect();
    if found != divergences {
        return Err(format!("{found:?} instead of {divergences:?}"));
    }
    let found: Vec<_> = result.stuck.iter().map(|s| (s.block, s.phase, s.thread, s.site)).collect();
    if found != stuck {
        return Err(format!("{found:?} instead of {stuck:?}"));
    }
    let total: usize = events.iter().map(|(_, e)| e.len()).sum();
    if (result.accesses, result.phases) != (total as u64, phases) || !result.complete {
        return Err(format!("{} accesses in {} phases", result.accesses, result.phases));
    }
    // Each witness is an event of Λ on both sides, iteration included.
    for pair in result.races.values() {
        let w = &pair.witness;
        for side in [&w.first, &w.second] {
            let (_, block) =
                events.iter().find(|(b, _)| *b == side.thread.block).ok_or("no such block")?;
            let real = block.iter().any(|(phase, e)| {
                Some(*phase) == side.phase
                    && (e.thread, e.site, e.mode) == (side.thread.index, side.site, side.mode)
                    && e.cell == w.cell
                    && e.iteration.iter().eq(side.iteration.iter())
            });
            if !real {
                return Err(format!("no event of Λ: {side:?} on {}", w.cell));
            }
        }
        if w.same_block() && (w.first.phase != w.second.phase || w.first.thread == w.second.thread)
        {
            return Err(format!("ordered: {w:?}"));
        }
    }
    Ok(!expected.is_empty())
}

#[test]
fn neighbours_race_and_a_barrier_separates_them() {
    let at = Configuration::threads(8);
    let racy = enumerated("wr[tid]; rd[tid + 1]", &at);
    assert_eq!(racy.races.values().map(|p| p.count).collect::<Vec<_>>(), [7]);
    let witness = &racy.races.values().next().unwrap().witness;
    assert_eq!(witness.cell.index, Natural::from(1u32));
    assert!(enumerated("wr[tid]; sync; rd[tid + 1]", &at).is_drf());
}

#[test]
fn one_thread_does_not_race_with_itself() {
    let at = Configuration::threads(4);
    assert!(enumerated("if tid == 2 { wr[0]; rd[0]; wr[0] }", &at).is_drf());
    assert!(enumerated("forU i in 0..9 { wr[9 * tid + i]; rd[9 * tid + i] }", &at).is_drf());
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let at = Configuration::threads(4);
    assert!(enumerated("at[0]; at.block[0]", &at).is_drf());
    assert_eq!(enumerated("at[0]; rd[0]", &at).races.values().next().unwrap().count, 12);
}

#[test]
fn minus_one_is_a_cell_of_its_own() {
    let at = Configuration::threads(4);
    let before = "wr[sub.u32(tid, 1)]; rd[sub.i32(tid, 1)]";
    let result = enumerated(before, &at);
    assert!(result.is_drf(), "{result:?}");
    // Truncated subtraction, though, brings threads 0 and 1 together.
    let result = enumerated("wr[tid - 1]", &at);
    assert_eq!(result.races.values().next().unwrap().count, 1);
    // Unsigned wrap-around: 2^31 * 2 is 0 in 32 bits.
    let result = enumerated("wr[mul.u32(tid, 0x80000000)]", &at);
    assert_eq!(result.races.values().next().unwrap().count, 2);
}

#[test]
fn a_loop_of_barriers_may_run_zero_times() {
    let text = "wr[tid]; forS i in 0..n { sync }; rd[tid + 1]";
    let at = |n: u32| Configuration::threads(4).with("n", n);
    assert_eq!(enumerated(text, &at(0)).races.len(), 1);
    assert!(enumerated(text, &at(1)).is_drf());
    assert_eq!(enumerated(text, &at(5)).phases, 6);
}

#[test]
fn divergence_names_two_threads_and_their_barriers() {
    let at = Configuration::threads(4);
    let result = enumerated("sync; if tid < 2 { sync } else { skip }; wr[tid]", &at);
    let d = result.divergences[&0];
    assert_eq!((d.phase, d.first, d.second), (1, (0, Some(Site(2))), (2, None)));
    // Copies of one barrier are one place.
    assert!(enumerated("forS i in tid..tid + 3 { sync }", &at).is_drf());
}

#[test]
fn blocks_share_global_arrays_only_and_barriers_do_not_order_them() {
    let launch = Launch::new(Dim3::line(3), Dim3::line(4));
    let at = Configuration::of_launch(launch);
    let run = |text: &str| {
        enumerate(&parsed(text), &declarations(true), &at, &EnumerationLimits::default()).unwrap()
    };
    assert!(run("wr A[tid]").is_drf());
    assert!(run("wr B[tid + 4 * blockIdx.x]").is_drf());
    let result = run("if blockIdx.x == 0 { wr B[tid] } else { sync; rd B[tid] }");
    let pair = result.races.values().next().unwrap();
    assert_eq!((result.races.len(), pair.count), (1, 8));
    assert_eq!((pair.witness.first.phase, pair.witness.second.phase), (Some(0), Some(1)));
    assert_eq!(run("at.block B[0]").races.values().next().unwrap().count, 48);
    assert!(run("at.device B[0]").is_drf());
}

/// The first phase with a race is the last one that is looked at, and nothing is missed where there is none.
#[test]
fn one_race_may_be_enough() {
    let at = Configuration::threads(4);
    let found = |text: &str, one_race: bool| {
        let limits = EnumerationLimits { one_race, ..EnumerationLimits::default() };
        enumerate(&parsed(text), &declarations(false), &at, &limits).unwrap()
    };
    let text = "wr[tid]; sync; wr[0]; sync; wr[1]; sync; wr[2]";
    let (all, one) = (found(text, false), found(text, true));
    assert_eq!((all.races.len(), all.phases, all.complete), (3, 4, true));
    assert_eq!((one.races.len(), one.phases, one.complete), (1, 2, false));
    assert!(one.races.keys().all(|key| all.races.contains_key(key)));
    let free = "wr[tid]; sync; wr[4 + tid]";
    assert_eq!(found(free, true), found(free, false));
}

#[test]
fn what_cannot_be_enumerated_is_refused() {
    let at = Configuration::threads(4).with("n", 1u64 << 63);
    let refusal = |text: &str, limits: &EnumerationLimits| {
        enumerate(&parsed(text), &declarations(false), &at, limits).unwrap_err()
    };
    let limits = EnumerationLimits::default();
    assert_eq!(refusal("sync; wr[n * tid + n]", &limits), Refusal::Overflow(Site(1)));
    assert!(matches!(refusal("wr[y]", &limits), Refusal::Map(MapError::Unbound(Site(0), _))));
    assert!(matches!(refusal("any x { wr[x] }", &limits), Refusal::Map(MapError::Any { .. })));
    let few = EnumerationLimits { steps: 1000, ..limits };
    assert_eq!(refusal("forU i in 0..n { skip }", &few), Refusal::Steps(1000));
    let small = EnumerationLimits { memory: 100_000, ..limits };
    assert!(matches!(
        refusal("forU i in 0..1000 { wr[4096 * i] }", &small),
        Refusal::Memory { .. }
    ));
}

#[test]
fn shadow_memory_is_at_most_16_bytes_a_cell_where_cells_are_dense() {
    let at = Configuration::threads(1024);
    let result = enumerated("forU i in 0..1024 { wr A[1024 * i + tid] }", &at);
    assert_eq!(result.accesses, 1 << 20);
    assert!(result.shadow[&Name::new("A")] <= 16 << 20, "{:?}", result.shadow);
}

#[test]
fn enumeration_agrees_with_the_definition() {
    let (racy, free) = (Cell::new(0u32), Cell::new(0u32));
    let config =
        ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() };
    let launches = proptest::sample::select(vec![
        Launch::threads(3),
        Launch::new(Dim3::line(1), Dim3 { x: 2, y: 2, z: 1 }),
        Launch::new(Dim3::line(2), Dim3::line(2)),
    ]);
    let control = prop_oneof![2 => Just(Control::Uniform), 1 => Just(Control::Free)];
    let protocols = control.prop_flat_map(|c| protocol(c, 3));
    proptest!(config, |(p in protocols, launch in launches, n in 0u32..4, m in 0u32..4)| {
        let at = Configuration::of_launch(launch).with("n", n).with("m", m);
        let grid = launch.grid.count() > 1;
        match compare(&p, &at, grid) {
            Ok(true) => racy.set(racy.get() + 1),
            Ok(false) => free.set(free.get() + 1),
            Err(e) => prop_assert!(false, "{}\n{}", p, e),
        }
        let (p, at) = (with_stops(&p), Configuration { stops: [STOPS.into()].into(), ..at });
        if let Err(e) = compare(&p, &at, grid) {
            prop_assert!(false, "{}\n{}", p, e);
        }
    });
    assert!(racy.get() > 300, "{} racy", racy.get());
    assert!(free.get() > 300, "{} free of races", free.get());
}
