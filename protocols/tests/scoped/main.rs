//! Barriers of warps, tiles and blocks against the one ordering sentence (THEORY T12).
//!
//! The model here knows neither phases nor projections: it is the sentence, on what each thread does
//! in its order. Two accesses are ordered iff they are of one thread, or a barrier whose group holds
//! both threads stands between them.
#![cfg(feature = "smt")]

mod model;
mod open;
mod together;

use babycuda_core::evidence::{Confirmation, PairKey, Witness};
use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::{ArrayDecl, BarrierScope, Contents, Domain, Geometry, Space};
use babycuda_core::{Configuration, Declarations, Dim3, Launch, Protocol, Thread, Together};
use babycuda_protocols::Relation;
use babycuda_protocols::enumerate::{EnumerationLimits, Refusal, enumerate};
use babycuda_protocols::map::{Ending, MapError, MapLimits, evaluate};
use babycuda_protocols::solve::{Cause, Checked, SolveOptions, check};
use babycuda_smt::Builtin;
use model::Model;
use std::collections::BTreeSet;

type Pairs = BTreeSet<PairKey>;

fn launch(threads: u32, warp: u32) -> Launch {
    Launch { warp, ..Launch::threads(threads) }
}

fn parsed(text: &str) -> Protocol {
    parse_protocol(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn fixed(launch: Launch) -> Declarations {
    Declarations::of_geometry(Geometry::exactly(launch))
}

fn solved(p: &Protocol, launch: Launch) -> Checked {
    check(p, &fixed(launch), &Builtin, &SolveOptions::default())
}

/// What the cases were.
#[derive(Default, Debug)]
struct Counts {
    racy: u32,
    free: u32,
    divergent: u32,
    /// Not divergent, and not decided by the solver.
    undecided: u32,
    /// Race-free only because of a barrier that is narrower than the block.
    ordered: u32,
}

/// Λ and enumeration are the model.
fn runs_agree(p: &Protocol, launch: Launch, counts: &mut Counts) -> Model {
    let model = Model::of(p, launch);
    let (enumerated, ending) = evaluators_agree(p, &Configuration::of_launch(launch));
    assert_eq!(model.runs, ending == Ending::Done, "{p}");
    if model.runs {
        assert_eq!(enumerated, model.races, "{p}");
        let erased = Model::without_narrow(p, launch);
        counts.ordered += u32::from(model.races.is_empty() && !erased.races.is_empty());
    }
    counts.divergent += u32::from(!model.runs);
    counts.racy += u32::from(model.runs && !model.races.is_empty());
    counts.free += u32::from(model.runs && model.races.is_empty());
    model
}

/// Λ and enumeration find the same races, up to where a block ends, and the same ending.
fn evaluators_agree(p: &Protocol, at: &Configuration) -> (Pairs, Ending) {
    let lambda = evaluate(p, at, &MapLimits::default()).unwrap();
    let declarations = fixed(at.launch);
    let result = enumerate(p, &declarations, at, &EnumerationLimits::default()).unwrap();
    let diverged = result.divergences.get(&0).map(|d| (d.phase, d.first, d.second));
    for divergence in result.divergences.values() {
        // Both are of one group of the scope.
        let of = |index| Thread { block: 0, index };
        let [a, b] = [divergence.first.0, divergence.second.0].map(of);
        assert!(at.launch.group(divergence.scope, a).holds(b), "{p}: {divergence}");
    }
    let stuck = result.stuck.first().map(|s| (s.phase, s.thread, s.site));
    let last = lambda.phases.len() - 1;
    let expected = match &lambda.ending {
        Ending::Done => (None, None),
        Ending::Divergence { first, second } => (Some((last, *first, *second)), None),
        Ending::Stuck { thread, site } => (None, Some((last, *thread, *site))),
    };
    assert_eq!((diverged, stuck), expected, "{p}");
    assert_eq!(result.phases as usize, lambda.phases.len(), "{p}");
    assert_eq!(
        result.accesses as usize,
        lambda.phases.iter().map(|phase| phase.events.len()).sum::<usize>(),
        "{p}"
    );
    let mut of_lambda = Pairs::new();
    for phase in &lambda.phases {
        for (n, a) in phase.events.iter().enumerate() {
            for b in phase.events[n + 1..].iter().filter(|b| phase.race(a, b)) {
                let statements = [(a.site, a.mode), (b.site, b.mode)];
                of_lambda.insert(PairKey::new(a.cell.array.clone(), statements, true));
            }
        }
    }
    let races: BTreeSet<_> =
        lambda.races().into_iter().map(|r| (r.cell, r.first, r.second)).collect();
    assert_eq!(of_lambda.is_empty(), races.is_empty(), "{p}");
    let enumerated: Pairs = result.races.keys().cloned().collect();
    assert_eq!(of_lambda, enumerated, "{p}");
    for pair in result.races.values() {
        let Witness { cell, first, second, .. } = &pair.witness;
        let lambda_has = races.iter().any(|(c, a, b)| {
            let found = [(first.thread.index, first.mode), (second.thread.index, second.mode)];
            c == cell && ([*a, *b] == found || [*b, *a] == found)
        });
        assert!(lambda_has, "{p}: {}", pair.witness);
    }
    (enumerated, lambda.ending)
}

/// The solver's answer is the model's.
fn solver_agrees(p: &Protocol, launch: Launch, counts: &mut Counts) {
    let model = runs_agree(p, launch, counts);
    let result = solved(p, launch);
    let found: Pairs = result.races.iter().map(Witness::pair).collect();
    for witness in &result.races {
        assert_eq!(witness.confirmation, Confirmation::Run, "{p}");
    }
    if result.is_drf() {
        assert!(model.runs && model.races.is_empty(), "{p}: {:?}", model.races);
    }
    if model.runs {
        assert!(result.divergences.is_empty(), "{p}: {result:#?}");
        assert!(found.is_subset(&model.races), "{p}: {result:#?}");
    } else {
        assert!(!result.undecided.is_empty() || !result.divergences.is_empty(), "{p}: {result:#?}");
    }
    for undecided in &result.undecided {
        assert!(!matches!(undecided.cause, Cause::Model(_)), "{p}: {result:#?}");
    }
    if result.undecided.is_empty() && model.runs {
        assert_eq!(found, model.races, "{p}");
    }
    counts.undecided += u32::from(model.runs && !result.undecided.is_empty());
}

/// Statements of warps of two, in a block of four.
const ACCESSES: [&str; 6] = [
    "wr A[0]",
    "wr A[tid]",
    "wr A[tid % 2]",
    "wr A[tid / 2 + 4]",
    "rd A[tid + 1]",
    "rd A[2 * (tid / 2) + 1 - tid % 2]",
];
const BARRIERS: [&str; 3] = ["sync", "sync.warp", "sync.tile1"];
const GUARDS: [&str; 4] = ["tid / 2 == 0", "tid == 0", "tid % 2 == 1", "0 < tid / 2"];

/// Accesses, barriers, and both under guards.
fn statements() -> Vec<String> {
    let plain = ACCESSES.into_iter().chain(BARRIERS);
    let guarded = GUARDS.into_iter().flat_map(|g| {
        let inside =
            ["sync.warp", "sync", "wr A[tid]", "wr A[1]; sync.warp", "sync.warp; rd A[5 - tid]"];
        inside.map(|s| format!("if {g} {{ {s} }}"))
    });
    plain.map(str::to_owned).chain(guarded).collect()
}

#[test]
fn all_small_protocols_are_as_the_sentence_says() {
    let (statements, mut counts) = (statements(), Counts::default());
    let mut number = 0u32;
    for first in &statements {
        for second in &statements {
            for third in &statements {
                let p = parsed(&format!("{first}; {second}; {third}")).numbered();
                number += 1;
                // The solver takes its time.
                if number.is_multiple_of(31) {
                    solver_agrees(&p, launch(4, 2), &mut counts);
                } else {
                    runs_agree(&p, launch(4, 2), &mut counts);
                }
            }
        }
    }
    println!("{counts:?}");
    let Counts { racy, free, divergent, ordered, undecided } = counts;
    assert!(racy > 2000 && free > 300 && divergent > 2000 && ordered > 100, "{counts:?}");
    assert!(undecided == 0, "{counts:?}");
}

#[test]
fn all_small_loops_are_as_the_sentence_says() {
    let inside = [
        "wr A[x]",
        "wr A[tid % 2 + x]",
        "wr A[4 * (tid / 2) + tid % 2 + x]",
        "rd A[2 * (tid / 2) + 1 - tid % 2]",
        "wr A[tid]",
        "sync.warp",
        "sync",
        "if tid / 2 == 0 { sync.warp }",
        "if x == 0 { sync.warp }",
        "if x < 1 { sync } else { sync.warp }",
        "if tid / 2 == x { sync.warp; wr A[x] }",
    ];
    let bounds = ["0..2", "0..tid / 2", "tid / 2..2", "0..3 - tid % 2"];
    let mut counts = Counts::default();
    let mut number = 0u32;
    for range in bounds {
        for first in inside {
            for second in inside {
                for after in ["skip", "wr A[0]", "sync.warp; wr A[tid % 2]", "sync; rd A[tid + 2]"]
                {
                    let text = format!("forS x in {range} {{ {first}; {second} }}; {after}");
                    let p = parsed(&text).numbered();
                    number += 1;
                    if number.is_multiple_of(4) {
                        solver_agrees(&p, launch(4, 2), &mut counts);
                    } else {
                        runs_agree(&p, launch(4, 2), &mut counts);
                    }
                }
            }
        }
    }
    println!("{counts:?}");
    // A loop with bounds of its thread, of which some iterations have a barrier, is not understood.
    let Counts { racy, free, divergent, ordered, undecided } = counts;
    assert!(racy > 300 && free > 50 && divergent > 300 && ordered > 10, "{counts:?}");
    assert!(undecided * 20 < number, "{counts:?}");
}

#[test]
fn a_thread_that_is_stuck_holds_its_groups_back() {
    let launch = launch(4, 2);
    let at = Configuration { stops: ["S".into()].into(), ..Configuration::of_launch(launch) };
    let declarations = Declarations { stops: at.stops.clone(), ..fixed(launch) };
    let (mut stuck, mut racy) = (0, 0);
    for first in &statements() {
        for second in &statements() {
            for stop in ["if tid == 3 { rd S[0] }", "if tid < 2 { rd S[0] }"] {
                let p = parsed(&format!("{first}; {stop}; {second}")).numbered();
                let (races, ending) = evaluators_agree(&p, &at);
                stuck += u32::from(matches!(ending, Ending::Stuck { .. }));
                racy += u32::from(!races.is_empty());
                let result = check(&p, &declarations, &Builtin, &SolveOptions::default());
                let found: Pairs = result.races.iter().map(Witness::pair).collect();
                if result.undecided.is_empty() && result.divergences.is_empty() {
                    assert!(races.is_subset(&found), "{p}: {result:#?}");
                }
            }
        }
    }
    assert!(stuck > 400 && racy > 300, "{stuck} {racy}");
    // The other warp goes on: what it does behind its barrier counts.
    let p = parsed("if tid == 0 { rd S[0] }; sync.warp; wr A[tid % 2]; if tid == 1 { wr A[0] }");
    let (races, ending) = evaluators_agree(&p.numbered(), &at);
    assert!(races.is_empty() && matches!(ending, Ending::Stuck { thread: 0, .. }), "{ending:?}");
}

#[test]
fn groups_that_do_not_nest_are_not_understood() {
    let scopes = |text: &str, warp| {
        let relations = Relation::all(&parsed(text), warp);
        relations.map(|r| r.len()).map_err(|(_, scope)| scope)
    };
    assert_eq!(scopes("sync.tile2; sync.warp; sync; sync.tile4; sync.grid", 4), Ok(4));
    assert_eq!(scopes("sync; sync.grid", 3), Ok(1));
    assert_eq!(scopes("sync.tile3", 4), Err(BarrierScope::Tile(3)));
    assert_eq!(scopes("sync.tile8", 4), Err(BarrierScope::Tile(8)));
    assert_eq!(scopes("sync.warp", 6), Err(BarrierScope::Warp));
    let p = parsed("wr A[tid]; sync.tile3; rd A[0]");
    let at = Configuration::of_launch(launch(4, 4));
    let refused = enumerate(&p, &fixed(launch(4, 4)), &at, &EnumerationLimits::default());
    assert!(matches!(refused, Err(Refusal::Map(MapError::Scope { .. }))), "{refused:?}");
    assert!(!solved(&p, launch(4, 4)).undecided.is_empty());
}

#[test]
fn a_loop_of_another_warp_has_a_counter_of_its_own() {
    // Warp 1 passes no barrier: all its iterations are in one phase. A counter that its threads
    // shared would hide its race.
    let p = parsed(
        "forS x in 0..2 { if tid / 2 == 0 { sync.warp }; wr A[4 * (tid / 2) + tid % 2 + x] }",
    );
    let result = solved(&p, launch(4, 2));
    assert!(result.undecided.is_empty() && result.divergences.is_empty(), "{result:#?}");
    let [race] = result.races.as_slice() else { panic!("{result:#?}") };
    assert_eq!([race.first.thread.index / 2, race.second.thread.index / 2], [1, 1]);
    // Each warp in step: free of races.
    let p = parsed("forS x in 0..2 { sync.warp; wr A[4 * (tid / 2) + tid % 2 + x] }");
    assert!(solved(&p, launch(4, 2)).is_drf());
}

#[test]
fn barriers_of_the_grid_order_blocks() {
    let launch = Launch { grid: Dim3::line(2), ..launch(2, 2) };
    let declarations = with_global("A", fixed(launch));
    let statements = [
        "wr A[tid]",
        "wr A[2 * blockIdx.x + tid]",
        "rd A[3 - 2 * blockIdx.x - tid]",
        "wr A[blockIdx.x]",
        "sync.grid",
        "sync",
        "if blockIdx.x == 0 { wr A[5] }",
        "if tid == 0 { rd A[2] }",
        "if blockIdx.x == 1 { sync.grid }",
        "forS x in 0..2 { sync.grid; wr A[2 * ((blockIdx.x + x) % 2) + tid] }",
        "forS x in 0..2 { wr A[2 * ((blockIdx.x + x) % 2) + tid]; sync.grid }",
        "forS x in 0..2 { wr A[2 * x + tid]; if x == blockIdx.x { sync } }",
    ];
    let (mut free, mut racy, mut undecided) = (0, 0, 0);
    for first in statements {
        for second in statements {
            for third in statements {
                let p = parsed(&format!("{first}; {second}; {third}")).numbered();
                let model = Model::of(&p, launch);
                let result = check(&p, &declarations, &Builtin, &SolveOptions::default());
                if !result.undecided.is_empty() || !result.divergences.is_empty() {
                    undecided += 1;
                    continue;
                }
                assert!(model.runs, "{p}");
                let found: Pairs = result.races.iter().map(Witness::pair).collect();
                assert_eq!(found, model.races, "{p}: {result:#?}");
                free += u32::from(found.is_empty());
                racy += u32::from(!found.is_empty());
            }
        }
    }
    // Those with a guard of one block around the barrier are left open.
    assert!(free > 100 && racy > 900 && undecided < 450, "{free} {racy} {undecided}");
}

/// Also where threads of a block diverge: nobody passes a barrier of the grid that others do not reach.
#[test]
fn barriers_of_the_grid_order_blocks_that_diverge() {
    let launch = Launch { grid: Dim3::line(2), ..launch(2, 2) };
    let declarations = with_global("A", fixed(launch));
    let (own, other) = ("wr A[2 * blockIdx.x + tid]", "wr A[2 * (1 - blockIdx.x) + tid]");
    let apart = "if tid == 0 { sync }";
    for (text, free) in [
        (format!("{own}; sync.grid; {other}; {apart}"), true),
        (format!("{own}; sync.grid; {other}; sync.grid; {own}; {apart}"), true),
        (format!("{own}; sync.grid; {other}; {own}; {apart}"), false),
        (format!("{own}; {other}; sync.grid; {apart}"), false),
        (format!("{own}; {apart}; sync.grid; {other}"), true),
    ] {
        let p = parsed(&text).numbered();
        let result = check(&p, &declarations, &Builtin, &SolveOptions::default());
        assert_eq!(result.divergences.len(), 1, "{p}: {result:#?}");
        let blocks = Together::of(&declarations, &p, launch).unwrap();
        let at = blocks.configuration(&Configuration::of_launch(launch));
        let limits = EnumerationLimits::default();
        let all = enumerate(&blocks.code(&p), &blocks.declarations(), &at, &limits).unwrap();
        let parted = result.races.is_empty() && result.undecided.is_empty();
        assert_eq!((parted, all.races.is_empty()), (free, free), "{p}: {result:#?}");
    }
}

fn with_global(name: &str, declarations: Declarations) -> Declarations {
    with_array(name, Space::Global, Contents::Any, declarations)
}

fn with_array(
    name: &str,
    space: Space,
    contents: Contents,
    mut declarations: Declarations,
) -> Declarations {
    let (name, element, length) = (name.into(), Domain::Natural, None);
    declarations.arrays.push(ArrayDecl { name, space, element, contents, length });
    declarations
}
