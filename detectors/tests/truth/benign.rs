//! Benign races, by both notions: the smallest kernels on which they differ.

use crate::{launch, tree};
use babycuda_core::evidence::Witness;
use babycuda_core::{AccessMode, Cell, Configuration, Site, Thread};
use babycuda_detectors::benign::{Runs, determined};
use babycuda_detectors::happens_before::{Claim, ClaimedAccess, Trials, tried};
use std::collections::BTreeSet;

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

/// A witness is held to the runs: its cell, its two threads, both accesses, and no barrier between.
#[test]
fn runs_have_a_race_or_not() {
    let source = "__global__ void k(int *a) { __shared__ int s[4]; int t = threadIdx.x;
        s[0] = blockIdx.x; a[t / 2] = t; __syncthreads(); if (t == 3) a[0] = 1; }";
    let configuration = Configuration::of_launch(launch(2, 4));
    let (tree, trials) = (tree(source), Trials::default());
    let verdict = tried(&tree, &configuration, &trials).unwrap();
    let runs = Runs::of(&tree, &configuration, &trials).unwrap();
    let claim = |race: &Witness| Claim::of(race, |site, _| BTreeSet::from([site])).unwrap();
    let found: Vec<_> = verdict.races.iter().map(|race| claim(&race.witness)).collect();
    assert!(found.len() > 2 && runs.have(&found).iter().all(|has| *has));
    // The three stores, by what they store to.
    let store = |text: &str| {
        let is = |at: &u32| tree.origins[*at as usize].bytes.start == source.find(text).unwrap();
        (0..tree.origins.len() as u32).filter(is).map(Site).collect::<BTreeSet<Site>>()
    };
    let [shared, half, one] = ["s[0]", "a[t / 2]", "a[0]"].map(store);
    let of = |array: &str, index: u64, sides: [(u64, u64, &BTreeSet<Site>); 2]| {
        let sides = sides.map(|(block, index, sites)| ClaimedAccess {
            thread: Thread { block, index },
            mode: AccessMode::Wr,
            sites: sites.clone(),
        });
        runs.have(&[Claim { cell: Cell::new(array, index), sides }]) == [true]
    };
    let halves = |array, index, first: (u64, u64), second: (u64, u64)| {
        of(array, index, [(first.0, first.1, &half), (second.0, second.1, &half)])
    };
    assert!(halves("a", 0, (0, 1), (0, 0)) && halves("a", 1, (0, 2), (0, 3)));
    assert!(!halves("a", 1, (0, 0), (0, 1)), "another cell");
    assert!(!of("a", 0, [(0, 0, &half), (0, 3, &one)]), "a barrier stands between");
    assert!(of("a", 0, [(0, 0, &half), (1, 3, &one)]), "no barrier orders blocks");
    assert!(of("a", 0, [(1, 3, &one), (0, 0, &half)]), "in any order");
    assert!(!of("a", 0, [(0, 0, &one), (1, 3, &half)]), "each thread has its access");
    assert!(!halves("a", 0, (0, 0), (1, 3)), "another access");
    assert!(!halves("a", 0, (0, 0), (0, 0)), "one thread");
    let shareds = |first, second| of("s", 0, [(first, 0, &shared), (second, 3, &shared)]);
    assert!(shareds(1, 1) && !shareds(0, 1), "each block has its own");
    let mut reads = found[0].clone();
    reads.sides[0].mode = AccessMode::Rd;
    assert_eq!(runs.have(&[reads]), [false], "another mode");
}
