//! LGAGJL12 §3: what its definitions say of small kernels, and what is false.

use babycuda_core::expr::Relation;
use babycuda_detectors::amplification::model::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn kernel(threads: u64, commands: Vec<Vec<Command>>) -> Kernel {
    let edges = commands.into_iter().enumerate().map(|(l, commands)| (l, l + 1, commands));
    Kernel { threads, first: 0, edges: edges.collect() }
}

fn write(g: &'static str, index: impl Into<Operand>, value: impl Into<Operand>) -> Command {
    Command::Write(g, index.into(), value.into(), true)
}

fn read(x: &'static str, g: &'static str, index: impl Into<Operand>) -> Command {
    Command::Read(x, g, index.into(), true)
}

fn start(kernel: &Kernel) -> State {
    kernel.initial(&BTreeMap::new())
}

/// Theorem 1 as printed is false: a trace may be too short to show anything.
#[test]
fn theorem_1_is_false_for_unfinished_traces() {
    let kernel = kernel(1, vec![vec![Command::Assign("x", 1.into())]]);
    let initial = start(&kernel);
    let x = |state: &State| state.locals[0].get("x").copied().unwrap_or(0);
    // Nothing flows to x, not even by interleavings: Y may be empty.
    assert_eq!(flows_to(&kernel, [&initial, &initial], x, 9), Some(false));
    // The property x = 0 holds of the trace without transitions, and not of the one with one.
    assert_eq!(x(&initial), 0);
    assert_eq!(kernel.successors(&initial).iter().map(x).collect::<Vec<_>>(), [1]);
}

/// At equal step numbers, logs differ by who came first: every variable flows to the log.
#[test]
fn flows_to_of_two_threads_is_everything() {
    let kernel = kernel(2, vec![vec![write("g", "threadIdx", 1)]]);
    let initial = start(&kernel);
    let log = |state: &State| state.log.clone();
    assert_eq!(flows_to(&kernel, [&initial, &initial], log, 9), Some(true));
    // So Proposition 1 is false: no taint gets anywhere.
    assert!(static_flows_to(&kernel, &BTreeSet::from(["g", "data"])));
    // Complete runs have one log.
    assert_eq!(flows_to_at_the_end(&kernel, [&initial, &initial], log, 9), Some(false));
    let one = Kernel { threads: 1, ..kernel };
    let initial = start(&one);
    assert_eq!(flows_to(&one, [&initial, &initial], log, 9), Some(false));
}

/// Complete runs alone are no repair: a race may decide an address, without any taint.
#[test]
fn a_race_decides_an_address_without_taint() {
    let steps =
        vec![vec![write("g", 0, "threadIdx")], vec![read("x", "g", 0)], vec![write("h", "x", 1)]];
    let kernel = kernel(2, steps);
    let initial = start(&kernel);
    let data = BTreeSet::from(["h"]);
    assert!(static_flows_to(&kernel, &data));
    let log = |state: &State| state.log.clone();
    assert_eq!(flows_to_at_the_end(&kernel, [&initial, &initial], log, 9), Some(true));
    // No complete run has a clean log, so that nothing is amplified.
    assert_eq!(amplified(&kernel, &data, &initial, std::slice::from_ref(&initial), 9), None);
    let (ends, _) = complete_runs(&kernel, &initial, 9).expect("few states");
    assert!(ends.iter().all(|end| !clean(&end.log)));
}

fn printed(threads: u64, first: u64) -> Kernel {
    Kernel { threads, first, edges: printed_barrier(0, [1, 2], 3) }
}

/// §3.4: with the threads 0 to n - 1 of §3.2 no run passes a barrier.
#[test]
fn the_printed_barrier_lets_nobody_go() {
    for threads in 1..4 {
        let kernel = printed(threads, 0);
        let (ends, _) = complete_runs(&kernel, &start(&kernel), 40).expect("few states");
        assert!(ends.is_empty(), "{threads}");
    }
}

/// With threads 1 to n some runs pass, and some hang from two threads on.
#[test]
fn the_printed_barrier_hangs_with_other_numbers_too() {
    for threads in 1..4 {
        let kernel = printed(threads, 1);
        let (ends, all) = complete_runs(&kernel, &start(&kernel), 40).expect("few states");
        assert_eq!((ends.is_empty(), all), (false, threads == 1), "{threads}");
    }
}

/// Two barriers in a row: thread n may pass both while another has not left the first.
#[test]
fn the_printed_barrier_lets_a_thread_through() {
    let mut edges = printed_barrier(0, [1, 2], 3);
    edges.extend(printed_barrier(3, [4, 5], 6));
    let passed = |kernel: &Kernel| {
        let mut seen = BTreeSet::from([start(kernel)]);
        let mut pending: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = pending.pop() {
            let next = kernel.successors(&state).into_iter().filter(|s| seen.insert(s.clone()));
            pending.extend(next);
        }
        let ends = *kernel.edges.iter().map(|(_, to, _)| to).max().expect("an edge");
        let behind = ends / 2;
        seen.iter().any(|s| s.at.contains(&ends) && s.at.iter().any(|at| *at < behind))
    };
    assert!(passed(&Kernel { threads: 2, first: 1, edges }));
    let mut edges = repaired_barrier(0, 1, 2);
    edges.extend(repaired_barrier(2, 3, 4));
    for first in 0..2 {
        for threads in 1..4 {
            let kernel = Kernel { threads, first, edges: edges.clone() };
            assert!(!passed(&kernel));
            let (ends, all) = complete_runs(&kernel, &start(&kernel), 40).expect("few states");
            assert!(all && !ends.is_empty());
            let times = ends.iter().flat_map(|end| &end.locals).map(|locals| locals["timestamp"]);
            assert!(times.into_iter().all(|time| time == 2));
        }
    }
}

/// A branch on data, and one on the thread.
#[test]
fn assumes_decide_what_comes_after_them() {
    let branch = |x: &'static str| {
        let is = |relation| Command::Assume(Operand::Local(x).compare(relation, 0));
        let edges = vec![
            (0, 1, vec![is(Relation::Eq)]),
            (0, 2, vec![is(Relation::Ne)]),
            (1, 3, vec![write("g", "threadIdx", 1)]),
        ];
        Kernel { threads: 2, first: 0, edges }
    };
    let data = BTreeSet::from(["d"]);
    assert!(!static_flows_to(&branch("d"), &data));
    assert!(static_flows_to(&branch("threadIdx"), &data));
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        Just(Operand::Local("x")),
        Just(Operand::Local("y")),
        Just(Operand::Local("threadIdx")),
        (0..2u64).prop_map(Operand::Number),
    ]
}

fn commands() -> impl Strategy<Value = Vec<Command>> {
    let local = || prop_oneof![Just("x"), Just("y")];
    let array = || prop_oneof![Just("d"), Just("g")];
    let own = prop_oneof![3 => Just(Operand::Local("threadIdx")), 1 => operand()].boxed();
    let (index, other) = (own.clone(), own);
    prop_oneof![
        2 => (local(), operand()).prop_map(|(x, e)| vec![Command::Assign(x, e)]),
        3 => (local(), array(), index).prop_map(|(x, g, e)| vec![Command::Read(x, g, e, true)]),
        3 => (array(), other, operand()).prop_map(|(g, e, v)| vec![Command::Write(g, e, v, true)]),
    ]
}

/// A kernel of two threads: steps, some only where a local is 0, and a barrier in the middle.
fn random() -> impl Strategy<Value = Kernel> {
    let step = (commands(), proptest::option::weighted(0.3, prop_oneof![Just("x"), Just("y")]));
    (proptest::collection::vec(step, 1..6), proptest::option::of(0..5usize)).prop_map(
        |(steps, sync)| {
            let (mut edges, mut at) = (Vec::new(), 0);
            for (number, (commands, guard)) in steps.into_iter().enumerate() {
                if sync == Some(number) {
                    edges.extend(repaired_barrier(at, at + 1, at + 2));
                    at += 2;
                }
                match guard {
                    None => edges.push((at, at + 1, commands)),
                    Some(x) => {
                        let is = |r| Command::Assume(Operand::Local(x).compare(r, 0));
                        let guarded = [vec![is(Relation::Eq)], commands].concat();
                        edges.push((at, at + 1, guarded));
                        edges.push((at, at + 1, vec![is(Relation::Ne)]));
                    }
                }
                at += 1;
            }
            Kernel { threads: 2, first: 0, edges }
        },
    )
}

/// The repaired proposition on random kernels, and how often it says something.
#[test]
fn amplification_holds_for_clean_complete_runs() {
    use proptest::test_runner::{Config, TestRunner};
    let (said, moved) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let mut runner = TestRunner::new_with_rng(
        Config::with_cases(1500),
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    );
    let data = BTreeSet::from(["d"]);
    let result = runner.run(&random(), |kernel| {
        let contents = |d: [u64; 2]| {
            let cells = (0..).zip(d).map(|(n, value)| (("d", Some(n)), value));
            kernel.initial(&cells.collect())
        };
        let others = [[0, 1], [1, 0], [1, 1]].map(contents);
        if let Some(holds) = amplified(&kernel, &data, &contents([0, 0]), &others, 40) {
            prop_assert!(holds);
            said.set(said.get() + 1);
        } else if !static_flows_to(&kernel, &data) {
            moved.set(moved.get() + 1);
        }
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    assert!(said.get() > 150 && moved.get() > 150, "{} {}", said.get(), moved.get());
}
