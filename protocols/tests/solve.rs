//! Race-freedom by solver, against enumeration (T8).
#![cfg(feature = "smt")]

mod common;

use babycuda_core::evidence::{Confirmation, PairKey, Side, Witness};
use babycuda_core::history::{HostArray, RaceKind};
use babycuda_core::parse::{parse_bool, parse_protocol};
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Extent, Geometry, Space};
use babycuda_core::{
    Configuration, Declarations, Dim3, IntType, Launch, Name, Natural, Protocol, Site,
};
use babycuda_protocols::enumerate::{self, enumerate};
use babycuda_protocols::solve::{Cause, Checked, SolveOptions, Subject, Undecided, check};
use babycuda_protocols::split::Unaligned;
use babycuda_smt::{Builtin, Solver, SolverName};
use common::{Control, protocol, reading};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

fn parsed(text: &str) -> Protocol {
    parse_protocol(text).unwrap_or_else(|e| panic!("{e}"))
}

fn line() -> Declarations {
    Declarations::of_geometry(Geometry::line())
}

fn assuming(mut declarations: Declarations, conditions: &[&str]) -> Declarations {
    declarations.assumptions =
        conditions.iter().map(|c| parse_bool(c).unwrap_or_else(|e| panic!("{e}"))).collect();
    declarations
}

fn with_array(mut d: Declarations, name: &str, space: Space, contents: Contents) -> Declarations {
    d.arrays.push(ArrayDecl {
        name: name.into(),
        space,
        element: Domain::Machine(IntType::U32),
        contents,
        length: None,
    });
    d
}

fn solved(text: &str, declarations: &Declarations) -> Checked {
    check(&parsed(text), declarations, &Builtin, &SolveOptions::default())
}

#[track_caller]
fn drf(text: &str, declarations: &Declarations) {
    let result = solved(text, declarations);
    assert!(result.is_drf(), "{text}: {result:#?}");
}

/// The result, which has races only, all of them confirmed by running.
#[track_caller]
fn racy(text: &str, declarations: &Declarations) -> Checked {
    let result = solved(text, declarations);
    assert!(!result.races.is_empty(), "{text}: {result:#?}");
    assert!(result.undecided.is_empty() && result.divergences.is_empty(), "{text}: {result:#?}");
    result
}

#[test]
fn any_number_of_threads() {
    drf("wr[tid]", &line());
    drf("wr[threadIdx.x]; sync; rd[tid + 1]", &line());
    let result = racy("wr[tid]; rd[tid + 1]", &line());
    let witness = &result.races[0];
    assert_eq!(witness.kind(), RaceKind::ReadWrite);
    assert_eq!((witness.phase(), witness.confirmation), (Some(0), Confirmation::Run));
    assert!(witness.configuration.launch.block.count() <= 64);
}

#[test]
fn parameters_of_any_value() {
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    drf("wr[add.u32(mul.u32(n, 2048), tid)]", &d);
    let result = racy("if tid < n { wr[0] }", &d);
    assert!(result.races[0].configuration.parameters[&Name::new("n")] >= Natural::from(2u32));
    drf("if tid < n { wr[0] }", &assuming(d.clone(), &["n <= 1"]));
    // Unsigned wrap-around: 512 * 2^23 is 2^32.
    racy("wr[mul.u32(tid, n)]", &assuming(d, &["n == 0x800000"]));
}

#[test]
fn two_and_three_dimensions() {
    let cube = Declarations::of_geometry(Geometry { block: [Extent::Symbolic; 3], grid: None });
    drf("wr[tid]", &cube);
    drf("wr[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)]", &cube);
    let result = racy("wr[threadIdx.x + 16 * threadIdx.y]", &cube);
    assert!(result.races[0].first.thread != result.races[0].second.thread);
    let plane =
        Geometry { block: [Extent::Known(16), Extent::Known(16), Extent::Known(1)], grid: None };
    drf("wr[threadIdx.x + 16 * threadIdx.y]", &Declarations::of_geometry(plane));
}

#[test]
fn minus_one_is_a_cell_of_its_own() {
    drf("wr[sub.i32(tid, 1)]; sync; rd[sub.u32(tid, 1)]", &line());
    let result = racy("wr[sub.i32(tid, 1)]; if tid == 5 { rd[0xffffffff] }", &line());
    assert_eq!(result.races[0].cell.index, Natural::from(0xffff_ffffu32));
    racy("wr[tid - 1]", &line());
}

#[test]
fn a_loop_of_barriers_may_run_zero_times() {
    let text = "wr[tid]; forS i in 0..n { sync; rd[(tid + i) % blockDim.x] }; rd[tid + 1]";
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let result = racy(text, &d);
    assert_eq!(result.races.len(), 1);
    assert_eq!(result.races[0].configuration.parameters[&Name::new("n")], Natural::zero());
    drf(text, &assuming(d, &["n > 0"]));
}

#[test]
fn synchronized_counters_are_shared_and_others_are_not() {
    drf("forS i in 0..4 { wr[i * 1024 + tid]; sync }", &line());
    drf("forS i in 0..4 { if tid == i { wr[0] }; sync }", &line());
    racy("forU i in 0..4 { if tid == i { wr[0] } }", &line());
    // A forS loop without a barrier synchronizes nothing.
    racy("forS i in 0..4 { if tid == i { wr[0] } }", &line());
}

#[test]
fn a_counter_is_no_parameter_of_its_name() {
    let d = line().with_param("i", Domain::Machine(IntType::U32));
    let d = assuming(d, &["i > 10"]);
    racy("forS i in 0..4 { wr[i]; sync }", &d);
    racy("forU i in 0..4 { wr[i] }", &d);
    // A backquoted parameter cannot pass for a thread's own counter either.
    let d = assuming(line().with_param("i@1", Domain::Machine(IntType::U32)), &["`i@1` > 10"]);
    assert!(!solved("forU i in 0..4 { wr[i] }", &d).is_drf());
    let d = assuming(line().with_param("i@", Domain::Machine(IntType::U32)), &["`i@` > 10"]);
    assert!(!solved("forS i in 0..4 { wr[i]; sync }", &d).is_drf());
}

#[test]
fn strides_that_double() {
    // A tree reduction whose stride is 2^k, in the operators that CUDA's shifts become.
    let text = "wr[tid]; sync; \
        forS k in 0..10 { \
            if mul.u32(shl.u32(2, k), tid) < blockDim.x { \
                rd[add.u32(mul.u32(shl.u32(2, k), tid), shl.u32(1, k))]; \
                wr[mul.u32(shl.u32(2, k), tid)] \
            }; sync }";
    drf(text, &line());
    racy(&text.replace("shl.u32(1, k)", "shl.u32(2, k)"), &line());
}

#[test]
fn bits() {
    // One step of a bitonic sort: partners by exclusive or.
    let text = "forS k in 0..10 { \
        if tid < xor.u32(tid, shl.u32(1, k)) { wr[tid]; wr[xor.u32(tid, shl.u32(1, k))] }; sync }";
    drf(text, &line());
    racy(
        &text.replace("tid < xor", "tid <= xor").replace("<= xor.u32(tid, shl.u32(1, k))", "< 9"),
        &line(),
    );
    drf("wr[and.u32(tid, 1023)]", &line());
    racy("wr[and.u32(tid, 511)]", &line());
}

#[test]
fn divergence_has_two_threads_and_their_barriers() {
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let result = solved("if tid < n { sync }", &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
    let found = result.divergences[&Site(0)].divergence;
    assert_eq!(found.phase, 0);
    assert_eq!([found.first.1, found.second.1], [Some(Site(1)), None]);
    drf("if tid < 1024 { sync }", &d);
    drf("if tid < n { wr[tid] }; sync", &d);
    let result = solved("forS i in 0..tid / 512 { sync }", &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
    let result = solved("if tid < 7 { sync } else { sync }", &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
}

#[test]
fn different_decisions_that_meet_at_one_barrier_are_not_called_divergent() {
    // Each thread is at the one barrier once, in different iterations.
    let result = solved("forS i in 0..2 { if tid % 2 == i { sync } }", &line());
    assert!(result.divergences.is_empty());
    assert!(result.undecided.iter().any(|u| u.cause == Cause::NoDivergence), "{result:#?}");
}

#[test]
fn blocks_of_a_grid() {
    let geometry = Geometry {
        block: [Extent::Symbolic, Extent::Known(1), Extent::Known(1)],
        grid: Some([Extent::Symbolic, Extent::Known(1), Extent::Known(1)]),
    };
    let d = Declarations::of_geometry(geometry);
    let d = with_array(d, "G", Space::Global, Contents::Any);
    let d = with_array(d, "S", Space::Shared, Contents::Undefined);
    drf("wr S[tid]", &d);
    drf("wr G[tid + blockDim.x * blockIdx.x]", &d);
    let result = racy("wr G[tid]", &d);
    assert!(!result.races[0].same_block());
    assert_eq!(result.races[0].phase(), None);
    // Barriers do not order blocks.
    racy("if blockIdx.x == 0 { wr G[tid] }; sync; if blockIdx.x == 1 { rd G[tid] }", &d);
    racy("if tid == 0 { at.block G[0] }", &d);
    drf("at G[0]", &d);
}

#[test]
fn data_is_each_threads_own() {
    let d = with_array(line(), "I", Space::Global, Contents::Any);
    let text = |index: &str| format!("rd I[{index}]; any x: u32 {{ wr A[x] }}");
    let mut p = parsed(&text("tid"));
    p = p.map_sites(&mut |s| if s == Site(1) { Site(0) } else { s });
    let result = check(&p, &d, &Builtin, &SolveOptions::default());
    assert_eq!(result.races.len(), 1, "{result:#?}");
    let witness = &result.races[0];
    assert!(witness.depends_on_data());
    let cell = |side: &Side| side.data[0].cell.clone();
    assert_eq!(cell(&witness.first).unwrap().array.as_str(), "I");
    assert_ne!(cell(&witness.first), cell(&witness.second));
    // Who reads one cell reads one value: only thread x writes A[0].
    let p = parsed("rd I[0]; any x: u32 { if tid == x { wr A[0] } }")
        .map_sites(&mut |s| if s == Site(1) { Site(0) } else { s });
    let result = check(&p, &d, &Builtin, &SolveOptions::default());
    assert!(result.is_drf(), "{result:#?}");
    // Not so when the array is written, or its contents are not known to be an array's.
    let opaque = with_array(line(), "I", Space::Global, Contents::Opaque);
    let result = check(&p, &opaque, &Builtin, &SolveOptions::default());
    assert_eq!(result.races.len(), 1, "{result:#?}");
    assert!(result.races[0].depends_on_data());
    // Data that does not matter to the access is not reported.
    let result = solved("any x: u32 { wr A[0] }", &d);
    assert!(!result.races[0].depends_on_data());
}

#[test]
fn unbounded_naturals_are_not_called_free_of_races_below_a_bound() {
    let d = line().with_param("n", Domain::Natural).with_param("m", Domain::Natural);
    // Racy only for n = m + 100, beyond the bounds of the first search.
    let result = solved("if n == m + 100 { wr[0] }", &d);
    assert!(!result.is_drf(), "{result:#?}");
    let result = solved("if n * n == 2 * m * m + 2 { if m > 5000000 { wr[0] } }", &d);
    assert!(!result.is_drf(), "{result:#?}");
}

#[test]
fn what_is_not_understood_is_undecided() {
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let result = solved("forS i in 0..n { if i % 2 == 0 { sync } }", &d);
    assert!(matches!(result.undecided[0].subject, Subject::Phases), "{result:#?}");
    let result = solved("wr[y]", &line());
    assert!(matches!(result.undecided[0].cause, Cause::Unbound(_)), "{result:#?}");
    // A loop whose body always synchronizes, though only the solver sees it.
    let d = assuming(d, &["n < 1000"]);
    let text = "forS i in 1..n { if i * i >= i { wr[tid]; sync } else { skip } ; rd[tid] }";
    drf(text, &d);
}

#[test]
fn a_query_is_asked_once() {
    let text = "wr[tid + 1 - 1]; wr[tid + 1 - 1]; wr[tid + 1 - 1]";
    let result = solved(text, &line());
    assert!(result.is_drf());
    assert_eq!(result.statistics.pairs, 6);
    assert!(result.statistics.queries <= 2, "{:?}", result.statistics);
}

type Pairs = BTreeSet<PairKey>;

/// Launches of one to four threads: all of them, or one; parameters below 3.
fn small(threads: Option<u32>) -> Declarations {
    let line = threads.map_or(Geometry::line(), |n| Geometry::exactly(Launch::threads(n)));
    assuming(
        Declarations::of_geometry(line)
            .with_param("n", Domain::Natural)
            .with_param("m", Domain::Natural),
        &["n < 3", "m < 3", "blockDim.x <= 4"],
    )
}

/// Brute force: the pairs that race, and whether anything diverges.
fn enumerated(p: &Protocol, declarations: &Declarations) -> (Pairs, bool) {
    let (mut pairs, mut diverges) = (BTreeSet::new(), false);
    for threads in 1u32..=4 {
        for n in 0u32..3 {
            for m in 0u32..3 {
                let blocks = if declarations.has_grid() { 2 } else { 1 };
                let launch = Launch { grid: Dim3::line(blocks), ..Launch::threads(threads) };
                let at = Configuration::of_launch(launch).with("n", n).with("m", m);
                if !declarations.admits(&at) {
                    continue;
                }
                let limits = enumerate::EnumerationLimits::default();
                let result = enumerate(p, declarations, &at, &limits).unwrap();
                diverges |= !result.divergences.is_empty();
                pairs.extend(result.races.into_keys());
            }
        }
    }
    (pairs, diverges)
}

/// How many of the cases were what.
#[derive(Default)]
struct Counts {
    racy: Cell<u32>,
    free: Cell<u32>,
    divergent: Cell<u32>,
    /// Divergent, and everything decided.
    decided: Cell<u32>,
    /// Divergent, with races before.
    both: Cell<u32>,
}

fn count(counter: &Cell<u32>, what: bool) {
    counter.set(counter.get() + u32::from(what));
}

/// Is the solver's answer that of enumeration, up to divergences?
fn agrees_on(
    p: &Protocol,
    declarations: &Declarations,
    solver: &dyn Solver,
    counts: &Counts,
) -> Result<(), TestCaseError> {
    let (pairs, diverges) = enumerated(p, declarations);
    let result = check(p, declarations, solver, &SolveOptions::default());
    for undecided in &result.undecided {
        // Some solvers leave a few questions open.
        let open = matches!(undecided.cause, Cause::Unaligned(_) | Cause::Solver(_));
        let meeting = matches!(undecided.cause, Cause::NoDivergence | Cause::MeetAgain);
        // A block that diverges before may stand in for all that do not.
        let diverging = diverges && undecided.cause == Cause::Diverging;
        prop_assert!(open || meeting || diverging, "{}\n{:?}", p, undecided);
    }
    let decided = result.undecided.is_empty();
    if decided {
        prop_assert_eq!(!result.divergences.is_empty(), diverges, "{}\n{:#?}", p, result);
    }
    let found: Pairs = result.races.iter().map(Witness::pair).collect();
    prop_assert_eq!(found.len(), result.races.len(), "{}", p);
    for witness in &result.races {
        prop_assert_eq!(witness.confirmation, Confirmation::Run);
    }
    prop_assert!(found.is_subset(&pairs), "{}\n{:?}\n{:?}", p, found, pairs);
    if decided {
        prop_assert_eq!(&found, &pairs, "{}", p);
    }
    count(&counts.divergent, diverges);
    count(&counts.decided, diverges && decided);
    count(&counts.both, diverges && decided && !pairs.is_empty());
    count(&counts.free, !diverges && pairs.is_empty());
    count(&counts.racy, !diverges && !pairs.is_empty());
    Ok(())
}

fn agrees(solver: &dyn Solver, cases: u32) {
    let counts = Counts::default();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let declarations = small(None);
    let control = prop_oneof![Just(Control::Uniform), Just(Control::Free)];
    let protocols = control.prop_flat_map(|c| protocol(c, 3));
    proptest!(config, |(p in protocols)| {
        agrees_on(&p, &declarations, solver, &counts)?;
    });
    assert!(counts.racy.get() > cases / 8, "{} racy", counts.racy.get());
    assert!(counts.free.get() > cases / 20, "{} free of races", counts.free.get());
    assert!(counts.divergent.get() > cases / 100, "{} divergent", counts.divergent.get());
}

#[test]
fn races_up_to_a_divergence_are_those_of_enumeration() {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let counts = Counts::default();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let launch = prop_oneof![2 => Just(None), 1 => (2u32..=4).prop_map(Some)];
    let blocks = proptest::bool::weighted(0.3);
    proptest!(config, |(p in protocol(Control::Free, 4), threads in launch, blocks in blocks)| {
        let mut declarations = small(threads);
        if blocks {
            declarations.geometry.grid =
                Some([Extent::Known(2), Extent::Known(1), Extent::Known(1)]);
            declarations = with_array(declarations, "A", Space::Global, Contents::Any);
        }
        agrees_on(&p, &declarations, &Builtin, &counts)?;
    });
    let of = |counter: &Cell<u32>| counter.get() * 100 / counts.divergent.get().max(1);
    let shares = [counts.divergent.get() * 100 / cases, of(&counts.decided), of(&counts.both)];
    println!(
        "{}% divergent, {}% of them decided, {}% racy before",
        shares[0], shares[1], shares[2]
    );
    assert!(shares[0] > 6 && shares[1] > 60 && shares[2] > 15, "{shares:?}");
}

#[test]
fn threads_that_part_in_a_loop_may_meet_again_or_not() {
    let divergent = |text: &str, declarations: &Declarations| {
        let result = solved(text, declarations);
        assert_eq!(result.divergences.len(), 1, "{text}: {result:#?}");
        assert!(result.races.is_empty(), "{text}: {result:#?}");
        result.undecided.iter().any(|u| u.cause == Cause::MeetAgain)
    };
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let d = assuming(d, &["n < 100"]);
    // Who leaves does not come back.
    let shrinking = "wr[tid]; forS i in 0..3 { if tid < 8 - 2 * i { wr[tid]; sync } }";
    assert!(!divergent(shrinking, &line()));
    let nested = "forS j in 0..n { if tid < n - j { wr[tid]; sync }; wr[tid]; sync }";
    assert!(!divergent(nested, &d));
    // Who is late may come to the barrier that others are at.
    let growing = "forS i in 0..3 { if tid < 2 + 2 * i { wr[tid]; sync } }";
    assert!(divergent(growing, &line()));
    let outer = "forS j in 0..2 { forS i in 0..tid { wr[tid]; sync } }";
    assert!(divergent(outer, &line()));
}

#[test]
fn a_race_in_the_phase_that_ends_in_a_divergence_counts() {
    let fixed = |n: u32| Declarations::of_geometry(Geometry::exactly(Launch::threads(n)));
    let pairs = |text: &str, declarations: &Declarations| {
        let result = solved(text, declarations);
        assert_eq!(result.divergences.len(), 1, "{text}: {result:#?}");
        assert!(result.undecided.is_empty(), "{text}: {result:#?}");
        result.races.len()
    };
    // Thread 0 writes its cell and stops; thread 1 writes that cell on its way to the end.
    let text = "sync; wr[tid]; if tid == 0 { sync; wr[0] } else { wr[0] }";
    assert_eq!(pairs(text, &fixed(2)), 1);
    // Between several of those that do not stop, too.
    assert_eq!(pairs(text, &line()), 2);
    // What stands behind the barrier that is not passed does not count.
    assert_eq!(pairs("wr[tid]; if tid == 0 { sync; wr[1] }", &fixed(2)), 0);
    // Two threads would pass together, but the third of the block never lets them.
    let result = solved("if tid < 2 { sync; wr[0] }", &fixed(3));
    assert!(result.races.is_empty() && result.divergences.len() == 1, "{result:#?}");
    assert_eq!(pairs("if tid < 2 { sync; wr[0] }", &line()), 1);
}

#[test]
fn the_builtin_solver_agrees_with_brute_force() {
    agrees(&Builtin, 300);
}

#[test]
fn outside_solvers_agree_with_brute_force_where_they_are_installed() {
    for name in [SolverName::Z3, SolverName::Cvc5] {
        let solver = name.solver();
        let probe =
            check(&parsed("wr[tid]; rd[tid + 1]"), &line(), &solver, &SolveOptions::default());
        if !probe.races.is_empty() {
            agrees(&solver, 150);
        }
    }
}

/// Races and divergences relative to the host's contents are those of enumeration in them: in
/// declared contents, and where the host chooses, free of races only if all contents are.
#[test]
fn races_relative_to_inputs_are_those_of_enumeration() {
    let (counts, chosen) = (Counts::default(), Cell::new(0u32));
    let config = ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() };
    let control = prop_oneof![Just(Control::Uniform), Just(Control::Free)];
    let protocols = control.prop_flat_map(|c| protocol(c, 3));
    let index = proptest::sample::select(&["0", "1", "m", "tid", "tid / 2", "tid % 2 + m"][..]);
    let values = proptest::collection::vec(0u32..4, 8);
    proptest!(config, |(p in protocols, place in 0usize..5, index in index, values in values)| {
        let p = reading(&p, place, index);
        let given = |contents| {
            let d = with_array(small(None), "P", Space::Global, contents);
            let d = with_array(d, "A", Space::Global, Contents::Undefined);
            with_array(d, "B", Space::Global, Contents::Undefined)
        };
        let known = given(Contents::Values(values.iter().map(|k| Natural::from(*k)).collect()));
        let (pairs, diverges) = enumerated(&p, &known);
        let result = check(&p, &known, &Builtin, &SolveOptions::default());
        let found: Pairs = result.races.iter().map(Witness::pair).collect();
        prop_assert!(found.is_subset(&pairs), "{}\n{:?}\n{:?}", p, found, pairs);
        if result.undecided.is_empty() {
            prop_assert_eq!(&found, &pairs, "{}\n{:?}", p, values);
            prop_assert_eq!(!result.divergences.is_empty(), diverges, "{}\n{:#?}", p, result);
        }
        let open = given(Contents::Any);
        let result = check(&p, &open, &Builtin, &SolveOptions::default());
        if result.undecided.is_empty() {
            let found: Pairs = result.races.iter().map(Witness::pair).collect();
            prop_assert!(pairs.is_subset(&found), "{}\n{:?}\n{:?}", p, found, pairs);
            prop_assert!(!diverges || !result.divergences.is_empty(), "{}", p);
            count(&chosen, true);
        }
        // What the model chose is enough: in these contents there is such a race.
        for witness in &result.races {
            let mut at = witness.configuration.clone();
            at.host.insert("P".into(), HostArray { fill: Some(Natural::zero()), ..Default::default() });
            for choice in witness.first.data.iter().chain(&witness.second.data) {
                at.host.set(choice.cell.clone().unwrap(), choice.value.clone());
            }
            let limits = enumerate::EnumerationLimits::default();
            let races = enumerate(&p, &open, &at, &limits).unwrap().races;
            prop_assert!(races.contains_key(&witness.pair()), "{}\n{:#?}", p, witness);
        }
        count(&counts.divergent, diverges);
        count(&counts.free, !diverges && pairs.is_empty());
        count(&counts.racy, !pairs.is_empty());
    });
    let shares =
        [&counts.divergent, &counts.free, &counts.racy, &chosen].map(|c| c.get() * 100 / 3000);
    println!("divergent, free, racy, decided for all contents: {shares:?} %");
    assert!(shares[0] > 1 && shares[1] > 5 && shares[2] > 10 && shares[3] > 40, "{shares:?}");
}

#[test]
fn what_the_host_stored_decides_alike_for_all_threads() {
    let d = with_array(line(), "P", Space::Global, Contents::Any);
    let d = with_array(d, "S", Space::Shared, Contents::Undefined);
    // A number of rounds that all threads read in one cell; the same in a cell of each.
    let rounds = |index: &str| {
        format!("let n = input P[{index}] in forS i in 0..n {{ wr S[tid]; sync; rd S[0]; sync }}")
    };
    drf(&rounds("0"), &d);
    let result = solved(&rounds("tid"), &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
    let data = &result.divergences.values().next().unwrap().data;
    assert!(data.iter().all(|choices| choices.iter().all(|c| c.cell.is_some())), "{data:?}");
    // Below a guard, and by way of another input.
    drf("let n = input P[0] in let m = input P[n] in if m == 1 { wr S[tid]; sync; rd S[0] }", &d);
    // A read in each round stays in it.
    let result = solved("forS i in 0..4 { let x = input P[i] in wr S[x + tid]; sync }", &d);
    assert!(result.is_drf(), "{result:#?}");
    let undecided = solved("forS i in 0..4 { let x = input P[i] in if x == 0 { sync } }", &d);
    let data = |u: &Undecided| matches!(u.cause, Cause::Unaligned(Unaligned::Data { .. }));
    assert!(undecided.undecided.iter().any(data), "{undecided:#?}");
}

#[test]
fn equal_indices_of_an_input_give_equal_values() {
    let any = with_array(line(), "P", Space::Global, Contents::Any);
    let same = "let x = input P[0] in if tid == x { wr B[0] }";
    drf(same, &any);
    drf("let x = input P[3] in let y = input P[3] in if x < y { wr B[0] }", &any);
    let result = racy("let x = input P[tid] in wr B[x]", &any);
    let side = &result.races[0].first;
    assert_eq!(side.data.len(), 1, "{side:?}");
    assert_eq!(result.races[0].confirmation, Confirmation::Run);
    // Declared contents are what they are.
    let of = |contents| with_array(line(), "P", Space::Global, contents);
    let values = |k: &[u32]| of(Contents::Values(k.iter().map(|k| Natural::from(*k)).collect()));
    let four =
        |d: Declarations| Declarations { geometry: Geometry::exactly(Launch::threads(4)), ..d };
    drf("let x = input P[tid] in wr B[x]", &four(values(&[3, 1, 0, 2])));
    let result = racy("let x = input P[tid] in wr B[x]", &four(values(&[3, 1, 0, 3])));
    assert!(!result.races[0].depends_on_data());
    racy("let x = input P[tid] in wr B[x]", &four(of(Contents::Fill(7u32.into()))));
    drf("let x = input P[tid] in if x == 8 { wr B[0] }", &four(of(Contents::Fill(7u32.into()))));
}

/// What is declared of an array that the program writes is not what is read there.
#[test]
fn declared_contents_of_written_arrays_are_not_known() {
    let text = "rd C[tid]; wr C[0]";
    let mut p = parsed(&format!("{text}; any x: u32 {{ if x == 9 {{ wr B[0] }} }}"));
    // The value is that of the read, as in the protocol of a program.
    p = p.map_sites(&mut |site| if site == Site(2) { Site(0) } else { site });
    let d = with_array(line(), "C", Space::Global, Contents::Fill(7u32.into()));
    let result = check(&p, &d, &Builtin, &SolveOptions::default());
    assert!(result.undecided.is_empty(), "{result:#?}");
    assert!(result.races.iter().any(|w| w.cell.array.as_str() == "B"), "{result:#?}");
}
