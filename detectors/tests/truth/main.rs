//! What schedules and HiRace say of kernels whose races are known.

mod benign;
mod corpus;

use babycuda_core::syntax::{BarrierScope, Scope, Space};
use babycuda_core::trace::{Event, Trace};
use babycuda_core::verdict::{Outcome, Verdict};
use babycuda_core::{AccessMode, Cell, Configuration, Dim3, Launch, Thread};
use babycuda_detectors::execute::{Limits, Schedule, run};
use babycuda_detectors::happens_before::{Clash, Trials, diverges, races, tried};
use babycuda_detectors::hirace::HiRace;
use babycuda_detectors::{Detector, Refusal, all};
use babycuda_frontend::{Options, parse_cuda};
use babycuda_kernel::{At, Kernel};
use std::sync::Arc;

/// The tree of the one kernel of a file.
pub fn tree(source: &str) -> Arc<Kernel> {
    parse_cuda(source, &Options::default()).unwrap()[0].tree.clone().unwrap()
}

fn launch(blocks: u32, threads: u32) -> Launch {
    Launch::new(Dim3::line(blocks), Dim3::line(threads))
}

fn lines(verdict: &Verdict, kernel: &Kernel, source: &str) -> Vec<[usize; 2]> {
    let line = |site: babycuda_core::Site| {
        let origin = &kernel.origins[site.0 as usize];
        source[..origin.bytes.start].matches('\n').count() + 1
    };
    let of = |r: &babycuda_core::evidence::Report<babycuda_core::evidence::Witness>| {
        let mut both = [line(r.first.site), line(r.second.site)];
        both.sort_unstable();
        both
    };
    verdict.races.iter().map(of).collect()
}

#[test]
fn races_of_traces_are_those_of_the_definition() {
    // Two blocks of two warps of four threads.
    let launch = Launch { warp: 4, ..launch(2, 8) };
    let scopes =
        [BarrierScope::Tile(2), BarrierScope::Warp, BarrierScope::Block, BarrierScope::Grid];
    let mut seed = 5u64;
    let mut draw = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let modes = [
        AccessMode::Rd,
        AccessMode::Wr,
        AccessMode::At(Scope::Block),
        AccessMode::At(Scope::Device),
    ];
    let (mut racy, mut free) = (0, 0);
    for round in 0..3000 {
        let mut passed: Vec<Vec<Thread>> = Vec::new();
        let mut events = Vec::new();
        // Few accesses and many barriers, where there are such of lanes.
        let few = round % 2 == 0;
        for _ in 0..if few { draw(14) } else { draw(7) } + 1 {
            let thread = match few {
                true => Thread { block: draw(4) / 3, index: draw(10) % 8 % (4 + draw(5)) },
                false => Thread { block: draw(2), index: draw(8) },
            };
            // Barriers of lanes are in every second round, and stay within the first warp mostly.
            if few && draw(5) < 2 {
                let (block, warp, lanes) = (draw(4) / 3, draw(4) / 3, draw(16));
                let named = (0..4).filter(|lane| lanes >> lane & 1 == 1);
                passed.push(named.map(|lane| Thread { block, index: warp * 4 + lane }).collect());
                events.push(Event::LaneBarrier { block, warp, lanes });
            } else if draw(2) == 0 {
                let scope = if few { draw(5) / 4 } else { draw(4) };
                let group = launch.group(scopes[scope as usize], thread);
                let block = group.block.unwrap_or(0);
                events.push(match group.scope {
                    BarrierScope::Grid => Event::GridBarrier,
                    BarrierScope::Block => Event::BlockBarrier { block },
                    BarrierScope::Warp => Event::WarpBarrier { block, warp: group.first / 4 },
                    BarrierScope::Tile(size) => {
                        Event::TileBarrier { block, size, first: group.first }
                    }
                });
                passed.push(launch.members(group).collect());
            } else {
                let mode = modes[draw(4) as usize];
                events.push(Event::Access {
                    thread,
                    mode,
                    cell: Cell::new("A", draw(2)),
                    site: None,
                });
                passed.push(Vec::new());
            }
        }
        let trace = Trace { launch, shared: Default::default(), events };
        let mut wanted = false;
        for (i, first) in trace.events.iter().enumerate() {
            for (j, second) in trace.events.iter().enumerate().skip(i + 1) {
                let (
                    Event::Access { thread: t, mode: m, cell: c, .. },
                    Event::Access { thread: u, mode: n, cell: d, .. },
                ) = (first, second)
                else {
                    continue;
                };
                let mut reached = vec![*t];
                for members in &passed[i..j] {
                    if members.iter().any(|member| reached.contains(member)) {
                        reached.extend(members);
                    }
                }
                let ordered = reached.contains(u);
                wanted |= c == d && m.conflicts(*n, t.block == u.block) && !ordered;
            }
        }
        assert_eq!(!races(&trace, 1000).unwrap().is_empty(), wanted, "{trace:?}");
        *(if wanted { &mut racy } else { &mut free }) += 1;
    }
    assert!(racy > 500 && free > 500, "{racy} {free}");
}

#[test]
fn a_race_has_its_two_statements_once() {
    let source = "__global__ void k(int *a) {
        __shared__ int s[4];
        s[threadIdx.x] = 1;
        a[threadIdx.x] = s[3 - threadIdx.x];
    }";
    let kernel = tree(source);
    let configuration = Configuration::of_launch(launch(2, 4));
    let verdict = tried(&kernel, &configuration, &Trials::default()).unwrap();
    assert_eq!(verdict.outcome, Outcome::Racy);
    let mut found = lines(&verdict, &kernel, source);
    found.sort_unstable();
    // The shared array within a block, the other one across blocks.
    assert_eq!(found, [[3, 4], [4, 4]]);
    let few = run(&kernel, &configuration, Schedule::InOrder, &Limits::default()).unwrap();
    assert_eq!(races(&few.trace, 3), Err(Refusal::Limit("pairs of accesses")));
    assert!(races(&few.trace, 100).unwrap().iter().all(|Clash { first, second }| first < second));
}

#[test]
fn no_schedule_matters_without_atomics() {
    let kernel = tree("__global__ void k(int *a) { a[threadIdx.x] = 1; }");
    let at = Configuration::threads(4);
    assert_eq!(tried(&kernel, &at, &Trials::default()).unwrap().outcome, Outcome::Drf);
    let kernel = tree("__global__ void k(int *a) { a[atomicAdd(a + 9, 1)] = 1; }");
    let verdict = tried(&kernel, &at, &Trials::default()).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{verdict:?}");
}

#[test]
fn some_races_need_a_schedule() {
    // Thread 0 writes only where thread 1 was first.
    let source = "__global__ void k(int *a, int *b) {
        if (atomicExch(a, threadIdx.x + 1) == 2 || threadIdx.x == 1) b[0] = 1;
    }";
    let kernel = tree(source);
    let at = Configuration::threads(2);
    let first = run(&kernel, &at, Schedule::InOrder, &Limits::default()).unwrap();
    assert_eq!(races(&first.trace, 1000), Ok(Vec::new()));
    let verdict = tried(&kernel, &at, &Trials::default()).unwrap();
    assert_eq!(verdict.outcome, Outcome::Racy);
}

/// No paper knows them, and a barrier that orders too much hides races.
#[test]
fn barriers_of_one_space_are_refused_by_all() {
    let source = "__global__ void k(int *a) { a[threadIdx.x] = 1; __syncthreads(); }";
    let mut kernel = Kernel::clone(&tree(source));
    for detector in all() {
        assert!(
            detector.detect(&kernel, &Configuration::threads(2)).is_ok(),
            "{}",
            detector.name()
        );
    }
    kernel.narrow_barriers = vec![(At(0), Space::Shared)];
    for detector in all() {
        let refused = detector.detect(&kernel, &Configuration::threads(2));
        assert!(matches!(refused, Err(Refusal::Unsupported { .. })), "{}", detector.name());
    }
}

#[test]
fn hirace_says_where_and_who() {
    let source = "__global__ void k(int *a) {
        __shared__ int s[64];
        s[threadIdx.x] = 1;
        a[threadIdx.x] = s[63 - threadIdx.x];
    }";
    let kernel = tree(source);
    let hirace = HiRace::default();
    let verdict = hirace.detect(&kernel, &Configuration::threads(64)).unwrap();
    assert_eq!(verdict.outcome, Outcome::Racy);
    assert_eq!(lines(&verdict, &kernel, source), [[3, 4]]);
    let race = &verdict.races[0];
    assert_eq!(
        (race.first.thread.index + race.second.thread.index, race.cell.array.as_str()),
        (63, "s")
    );
    let free = source.replace("a[threadIdx.x] =", "__syncthreads(); a[threadIdx.x] =");
    let verdict = hirace.detect(&tree(&free), &Configuration::threads(64)).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{verdict:?}");
}

/// The last accessor of the cell may be the thread itself, or have read what this one reads: the race is with one
/// before. Of several accesses of that thread it is the last.
#[test]
fn hirace_names_an_access_that_races() {
    for (statements, wanted) in [
        ("if (t == 0) { a[0] = 1;\nb[0] = a[0];\n} else b[t] = a[0];", [2, 4]),
        ("int x = a[0];\nif (t == 1) a[0] = x;", [2, 3]),
        ("if (t == 0) { a[0] = 1;\na[0] = 2;\n} else b[t] = a[0];", [3, 4]),
    ] {
        let source =
            format!("__global__ void k(int *a, int *b) {{ int t = threadIdx.x;\n{statements} }}");
        let kernel = tree(&source);
        let verdict = HiRace::default().detect(&kernel, &Configuration::threads(2)).unwrap();
        assert_eq!(lines(&verdict, &kernel, &source), [wanted], "{source}");
        let race = &verdict.races[0];
        assert_ne!(race.first.thread, race.second.thread, "{source}");
        assert!(race.first.mode.conflicts(race.second.mode, true), "{source}");
    }
}

/// A thread that stops has not made all of its accesses: no schedule says that there is no race.
#[test]
fn a_thread_that_stops_leaves_it_open() {
    let source =
        "__global__ void k(int *a) { if (threadIdx.x == 1) __trap(); a[threadIdx.x] = 1; }";
    let verdict = tried(&tree(source), &Configuration::threads(2), &Trials::default()).unwrap();
    let Outcome::Unknown(why) = &verdict.outcome else { panic!("{verdict:?}") };
    assert!(why.ends_with("stops a thread"), "{why}");
    let whole = tree(&source.replace("__trap()", "a[9] = 2"));
    let verdict = tried(&whole, &Configuration::threads(2), &Trials::default()).unwrap();
    assert_eq!(verdict.outcome, Outcome::Drf);
}

/// Threads of a block diverge at its barriers; CUDA is laxer with those of a warp.
#[test]
fn divergences_are_those_of_blocks() {
    for (barrier, wanted) in [("__syncthreads()", true), ("__syncwarp()", false)] {
        let source = format!(
            "__global__ void k(int *a) {{ if (threadIdx.x < 3) {barrier}; else {barrier}; }}"
        );
        let (kernel, at) = (tree(&source), Configuration::threads(8));
        let run = run(&kernel, &at, Schedule::InOrder, &Limits::default()).unwrap();
        assert_eq!(diverges(&run), wanted, "{source}");
    }
}

/// A clock has 12 bits: so many barriers of a block are counted, and no more.
#[test]
fn hirace_counts_as_far_as_its_clocks_go() {
    let says = |barriers: u32| {
        let source = format!(
            "__global__ void k(int *a) {{ for (int i = 0; i < {barriers}; i++) __syncthreads(); a[threadIdx.x] = 1; }}"
        );
        let verdict = HiRace::default().detect(&tree(&source), &Configuration::threads(2)).unwrap();
        let Outcome::Unknown(why) = verdict.outcome else { panic!("{verdict:?}") };
        why
    };
    assert!(!says(4095).contains("clock"), "{}", says(4095));
    assert!(says(4096).contains("clock"), "{}", says(4096));
}

#[test]
fn hirace_stops_at_barriers_that_it_does_not_know() {
    let source = "#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *a) { cg::this_grid().sync(); a[0] = 1; }";
    let verdict = HiRace::default().detect(&tree(source), &Configuration::threads(2)).unwrap();
    let Outcome::Unknown(why) = verdict.outcome else { panic!("{verdict:?}") };
    assert_eq!(why, "no race in this run; it does not know barriers of a grid");
}

/// Behind `__syncwarp` of four lanes: the neighbour's cell of those four is ordered, that of the next four is not.
#[test]
fn hirace_goes_on_behind_barriers_of_lanes() {
    let source = |distance: u32| {
        format!(
            "__global__ void k(int *a) {{
        __shared__ int s[32];
        s[threadIdx.x] = 1;
        __syncwarp(0xfu << (threadIdx.x / 4 * 4));
        a[threadIdx.x] = s[threadIdx.x ^ {distance}];
    }}"
        )
    };
    let at = Configuration::threads(32);
    let free = HiRace::default().detect(&tree(&source(3)), &at).unwrap();
    let why = "no race in this run; one run is not all of them";
    assert_eq!(free.outcome, Outcome::Unknown(why.to_owned()));
    let (kernel, racy) = (tree(&source(4)), source(4));
    let verdict = HiRace::default().detect(&kernel, &at).unwrap();
    assert_eq!(verdict.outcome, Outcome::Racy);
    assert_eq!(lines(&verdict, &kernel, &racy), [[3, 5]]);
    let race = &verdict.races[0];
    assert_eq!(race.first.thread.index ^ race.second.thread.index, 4);
}

/// The same access behind a mask is another one.
#[test]
fn an_access_behind_a_mask_is_not_the_one_before() {
    let at = |index, mode| {
        let thread = Thread { block: 0, index };
        Event::Access { thread, mode, cell: Cell::new("A", 0u64), site: None }
    };
    let lanes = Event::LaneBarrier { block: 0, warp: 0, lanes: 0b101 };
    let found = |events: &[Event]| {
        let trace =
            Trace { launch: launch(1, 4), shared: Default::default(), events: events.to_vec() };
        races(&trace, 100).unwrap()
    };
    let (write, read) = (at(0, AccessMode::Wr), at(2, AccessMode::Rd));
    assert_eq!(found(&[write.clone(), lanes.clone(), read.clone()]), []);
    let twice = [write.clone(), lanes, write, read];
    assert_eq!(found(&twice), [Clash { first: 2, second: 3 }]);
}

/// More accesses than are remembered, behind a barrier of some lanes: what was forgotten is said.
#[test]
fn hirace_says_what_it_forgot() {
    let source = "__global__ void k(int *a) {
        int x = a[0];
        __syncwarp(0xfu << (threadIdx.x / 4 * 4));
        a[threadIdx.x + 1] = x;
    }";
    let verdict = HiRace::default().detect(&tree(source), &Configuration::threads(32)).unwrap();
    let why = "no race in this run; one run is not all of them, and of this one 28 accesses were forgotten behind \
               barriers of lanes";
    assert_eq!(verdict.outcome, Outcome::Unknown(why.to_owned()));
}

/// Masks lead from lane to lane: from 0 to 2, and on to 5. Lane 4 is at none of these barriers, and 1 not at the second.
#[test]
fn masks_that_name_no_tile_order_what_they_lead_to() {
    let source = |reader: u32| {
        format!(
            "__global__ void k(int *a) {{
        __shared__ int s[1];
        if (threadIdx.x == 0) s[0] = 1;
        if (threadIdx.x < 3) __syncwarp(0x7);
        if (threadIdx.x == 2 || threadIdx.x == 5) __syncwarp(0x24);
        if (threadIdx.x == {reader}) a[0] = s[0];
    }}"
        )
    };
    let at = Configuration::threads(32);
    for (reader, ordered) in [(1, true), (2, true), (3, false), (4, false), (5, true)] {
        let (kernel, source) = (tree(&source(reader)), source(reader));
        let truth = tried(&kernel, &at, &Trials::default()).unwrap();
        assert_eq!(truth.outcome == Outcome::Drf, ordered, "{reader}: {:?}", truth.outcome);
        assert_eq!(truth.outcome == Outcome::Racy, !ordered, "{reader}: {:?}", truth.outcome);
        let verdict = HiRace::default().detect(&kernel, &at).unwrap();
        let wanted: &[[usize; 2]] = if ordered { &[] } else { &[[3, 6]] };
        assert_eq!(lines(&verdict, &kernel, &source), wanted, "{reader}");
        if ordered {
            let why = "no race in this run; one run is not all of them";
            assert_eq!(verdict.outcome, Outcome::Unknown(why.to_owned()));
        }
    }
}

#[test]
fn each_technique_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> = all().iter().map(|d| d.name()).collect();
    assert_eq!(names.len(), all().len());
    assert!(names.contains("hirace"));
}
