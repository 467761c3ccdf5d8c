//! Benign races, by both notions: the smallest kernels on which they differ.

use crate::{launch, tree};
use babycuda_core::{AccessMode, Cell, Configuration, Thread};
use babycuda_detectors::benign::{Runs, determined};
use babycuda_detectors::happens_before::{Trials, tried};

/// What is said of the one race of a kernel with three threads: same value, determined.
fn of(body: &str) -> (Option<bool>, Option<bool>) {
    let tree =
        tree(&format!("__global__ void k(int *a, int *b) {{ int t = threadIdx.x; {body} }}"));
    let (configuration, trials) = (Configuration::of_launch(launch(1, 3)), Trials::default());
    let verdict = tried(&tree, &configuration, &trials).unwrap();
    let [race] = &verdict.races[..] else { panic!("{body}: {:?}", verdict.races) };
    let runs = Runs::of(&tree, &configuration, &trials).unwrap();
    (runs.same_value(race), determined(&tree, &configuration, &runs))
}

#[test]
fn the_two_notions_differ() {
    let (yes, no) = (Some(true), Some(false));
    for (body, wanted) in [
        ("a[0] = 7;", (yes, yes)),
        ("a[0] = t;", (no, no)),
        // A read and a write are no writes of one value. That nobody stores what was read leaves memory determined.
        ("if (t == 0) a[0] = 1; else if (t == 1) { int x = a[0]; }", (no, yes)),
        ("if (t == 0) a[0] = 1; else if (t == 1) b[0] = a[0];", (no, no)),
        // The last phase decides what is left, and what a phase before it wrote alike is alike all the same.
        ("if (t < 2) a[0] = 3; __syncthreads(); if (t == 2) a[0] = 4;", (yes, yes)),
        // The same statement stores another value later in the phase.
        ("if (t < 2) for (int i = 0; i < 1 + t; i++) a[0] = i;", (no, no)),
    ] {
        assert_eq!(of(body), wanted, "{body}");
    }
}

/// Of a kernel that is not in the language whose schedules are explored, two runs may say no, and none says yes.
#[test]
fn runs_refute_and_do_not_prove() {
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(of("atomicAdd(&b[0], 0); a[0] = 7;"), (yes, None));
    assert_eq!(of("atomicAdd(&b[0], 0); a[0] = t;"), (no, no));
    // What a float is is not always known.
    assert_eq!(of("a[0] = (int)(__sinf(1.0f) * 100.0f);").0, None);
}

/// What two threads store in `a[0]` is the same in the run in order, and all runs count. One in which one of them stores
/// nothing says nothing against it.
#[test]
fn all_runs_count() {
    let of = |body: &str| {
        let tree =
            tree(&format!("__global__ void k(int *a, int *b) {{ int t = threadIdx.x; {body} }}"));
        let configuration = Configuration::of_launch(launch(1, 3));
        let trials = Trials { random: 20, ..Trials::default() };
        let verdict = tried(&tree, &configuration, &trials).unwrap();
        let runs = Runs::of(&tree, &configuration, &trials).unwrap();
        let stores = verdict.races.iter().filter(|race| {
            race.cell.array.as_str() == "a"
                && [&race.first, &race.second].iter().all(|side| side.mode == AccessMode::Wr)
        });
        stores.map(|race| runs.same_value(race)).collect::<Vec<_>>()
    };
    assert_eq!(of("if (t == 0) b[0] = 5; a[0] = b[0];"), [Some(false)]);
    let sometimes = "if (t == 0) { b[0] = 1; a[0] = 1; } else if (b[0]) a[0] = 1;";
    assert_eq!(of(sometimes), [Some(true); 2]);
}

/// A witness is held to the runs: its cell, its two threads, and no barrier between.
#[test]
fn runs_have_a_race_or_not() {
    let source = "__global__ void k(int *a) { __shared__ int s[4]; int t = threadIdx.x;
        s[0] = blockIdx.x; a[t / 2] = t; __syncthreads(); if (t == 3) a[0] = 1; }";
    let configuration = Configuration::of_launch(launch(2, 4));
    let (tree, trials) = (tree(source), Trials::default());
    let verdict = tried(&tree, &configuration, &trials).unwrap();
    let runs = Runs::of(&tree, &configuration, &trials).unwrap();
    let found: Vec<_> = verdict.races.iter().map(|race| &race.witness).collect();
    assert!(found.len() > 2 && runs.have(&found).iter().all(|has| *has));
    let of = |array: &str, index: u64, threads: [(u64, u64); 2]| {
        let mut race = found[0].clone();
        race.cell = Cell::new(array, index);
        let [first, second] = threads.map(|(block, index)| Thread { block, index });
        (race.first.thread, race.second.thread) = (first, second);
        runs.have(&[&race]) == [true]
    };
    assert!(of("a", 0, [(0, 1), (0, 0)]) && of("a", 1, [(0, 2), (0, 3)]));
    assert!(!of("a", 1, [(0, 0), (0, 1)]), "another cell");
    assert!(!of("a", 0, [(0, 0), (0, 3)]), "a barrier stands between");
    assert!(of("a", 0, [(0, 0), (1, 3)]), "no barrier orders blocks");
    assert!(!of("a", 0, [(0, 0), (0, 0)]), "one thread");
    assert!(
        of("s", 0, [(1, 0), (1, 3)]) && !of("s", 0, [(0, 0), (1, 3)]),
        "each block has its own"
    );
}
