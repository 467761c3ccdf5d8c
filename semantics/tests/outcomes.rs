//! Every way in which a run may end is a value, the same from the reference and the machine.

use babycuda_core::evidence::Divergence;
use babycuda_core::history::LastWrite;
use babycuda_core::parse::parse_program;
use babycuda_core::{Accesses, Cell, Launch, Name, Natural, Site};
use babycuda_semantics::{
    AtomicPolicy, AtomicQuery, Instance, Limit, Outcome, Policy, Reason, RunLimits, RunOptions,
    Stuck, parallel, thread, vm,
};
use std::sync::Arc;

fn instance(text: &str, threads: u32) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Instance::new(program, Launch::threads(threads))
}

/// The outcome, on which both semantics must agree.
fn outcome(instance: &Instance, options: &RunOptions) -> Outcome {
    let outcome = instance.run(options);
    assert_eq!(vm::run(instance, options), outcome);
    outcome
}

fn stuck(text: &str, threads: u32, options: &RunOptions) -> Stuck {
    match outcome(&instance(text, threads), options) {
        Outcome::Stuck { stuck, .. } => stuck,
        other => panic!("{text}: {other:?}"),
    }
}

fn written(text: &str, threads: u32, options: &RunOptions) -> String {
    match outcome(&instance(text, threads), options) {
        Outcome::Done { history } => history.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

fn limits(limits: RunLimits) -> RunOptions {
    RunOptions { limits, ..RunOptions::default() }
}

#[test]
fn reading_a_cell_that_nobody_wrote_names_cell_site_and_thread() {
    let text = "if tid == 0 { A[0] := 1 } else { skip }; sync; let x = A[tid] in skip";
    let stuck = stuck(text, 2, &RunOptions::default());
    let cell = Cell::new("A", 1u32);
    let reason = Reason::Undefined { cell };
    assert_eq!(stuck, Stuck { phase: 1, thread: 1, site: Some(Site(3)), reason });
    assert_eq!(
        stuck.to_string(),
        "phase 1, thread 1, statement #3: reads A[1], which nobody wrote"
    );
}

#[test]
fn writes_of_other_threads_are_invisible_until_the_barrier() {
    let text = "if tid == 0 { A[0] := 1 } else { let x = A[0] in skip }";
    assert!(matches!(stuck(text, 2, &RunOptions::default()).reason, Reason::Undefined { .. }));
    let text = "shared A = [7]; if tid == 0 { A[0] := 1 } else { let x = A[0] in A[1] := x }";
    let history = "[{0: (∅, {0: 1}), 1: ({0}, {1: 7})}]";
    assert_eq!(written(text, 2, &RunOptions::default()), history);
    let text = "A[0] := 5; let x = A[0] in A[1] := x";
    assert_eq!(written(text, 1, &RunOptions::default()), "[{0: ({0}, {0: 5, 1: 5})}]");
}

#[test]
fn a_stuck_run_keeps_the_phases_that_were_complete() {
    let text = "A[tid] := 1; sync; A[tid] := 2; if tid == 1 { let x = A[9] in skip } else { skip }";
    let outcome = outcome(&instance(text, 2), &RunOptions::default());
    assert_eq!(outcome.history().to_string(), "[{0: (∅, {0: 1}), 1: (∅, {1: 1})}]");
}

#[test]
fn an_ambiguous_read_stops_or_chooses() {
    let text = "A[0] := 10 + tid; sync; if tid == 0 { let x = A[0] in A[1] := x } else { skip }";
    let stuck = stuck(text, 3, &RunOptions::default());
    let Reason::Ambiguous { possible, .. } = &stuck.reason else { panic!("{stuck}") };
    assert_eq!(possible.values, [10u32, 11, 12].map(Natural::from).into());
    assert!(possible.exhaustive);
    assert_eq!(
        stuck.to_string(),
        "phase 1, thread 0, statement #3: reads A[0], which may hold 10 or 11 or 12"
    );
    let chosen = |ambiguous| written(text, 3, &RunOptions { ambiguous, ..RunOptions::default() });
    assert!(chosen(Policy::Smallest).starts_with("[{0: ({0}, {1: 10})}"));
    assert!(chosen(Policy::Largest).starts_with("[{0: ({0}, {1: 12})}"));
    // All wrote the same value: nothing to choose.
    let text = "A[0] := 4; sync; if tid == 0 { let x = A[0] in A[1] := x } else { skip }";
    assert!(written(text, 3, &RunOptions::default()).starts_with("[{0: ({0}, {1: 4})}"));
}

#[test]
fn unbound_variables_are_named() {
    for (text, name) in [
        ("A[x] := 1", "x"),
        ("A[0] := y", "y"),
        ("if z == 0 { skip } else { skip }", "z"),
        ("forU i in a..b { skip }", "a"),
        ("forU i in 0..b { skip }", "b"),
        ("A[select(u == 0, v, w)] := 1", "v"),
        ("{ forU i in 0..1 { skip } }; A[i] := 1", "i"),
        ("let x = atomic A[0] cas 1 if e in skip", "e"),
    ] {
        let reason = stuck(text, 1, &RunOptions::default()).reason;
        assert_eq!(reason, Reason::Unbound { name: Name::new(name) }, "{text}");
    }
    // A variable that is never evaluated is never missed.
    assert_eq!(
        written("if tid == 0 { skip } else { A[x] := 1 }", 1, &RunOptions::default()),
        "[∅]"
    );
}

#[test]
fn divergence_names_two_threads_and_their_barriers() {
    let text = "sync; if tid == 2 { sync } else { if tid == 3 { sync } else { skip } }";
    for (threads, second) in [(3, (2, Some(Site(2)))), (5, (2, Some(Site(2))))] {
        let outcome = outcome(&instance(text, threads), &RunOptions::default());
        let expected = Divergence::of_block(1, (0, None), second);
        assert_eq!(outcome.divergence(), Some(&expected));
        assert_eq!(outcome.history().len(), 2);
    }
    let text = "if tid == 0 { sync } else { sync }";
    let outcome = outcome(&instance(text, 2), &RunOptions::default());
    let divergence = outcome.divergence().expect("two barriers");
    assert_eq!(
        divergence.to_string(),
        "after phase 0, thread 0 is at barrier #1 and thread 1 is at barrier #2"
    );
    // Alone, no thread diverges.
    assert_eq!(written(text, 1, &RunOptions::default()), "[∅, ∅]");
}

#[test]
fn barriers_in_loops_leave_the_rest_of_the_iteration_and_the_loop() {
    let text = "forS x in 0..2 { A[tid] := x; sync; B[tid] := x }; A[tid] := 9";
    let history = "[{0: (∅, {0: 9, B[0]: 1})}, {0: (∅, {0: 1, B[0]: 0})}, {0: (∅, {0: 0})}]";
    assert_eq!(written(text, 1, &RunOptions::default()), history);
}

#[test]
fn limits_are_outcomes() {
    let reached = |text, options: &RunOptions| match stuck(text, 2, options).reason {
        Reason::Limit { limit, allowed } => (limit, allowed),
        other => panic!("{other}"),
    };
    let default = RunLimits::default();
    let few_threads = limits(RunLimits { threads: 1, ..default });
    assert_eq!(reached("skip", &few_threads), (Limit::Threads, 1));
    // Two writes and a branch each: the limit is for all threads together.
    let text = "A[0] := 1; if tid == 0 { skip } else { A[0] := 1 }";
    let steps = |steps| limits(RunLimits { steps, ..default });
    assert_eq!(reached(text, &steps(4)), (Limit::Steps, 4));
    assert!(outcome(&instance(text, 2), &steps(5)).is_done());
    let endless = "forU x in 0..1000000000000000000000 { skip }";
    assert_eq!(reached(endless, &steps(1000)), (Limit::Steps, 1000));
    let squares = "A[0] := 2; forU x in 0..40 { let y = A[0] in A[0] := y * y }";
    let bits = limits(RunLimits { number_bits: 1000, ..default });
    assert_eq!(reached(squares, &bits), (Limit::NumberBits, 1000));
    assert_eq!(reached(squares, &RunOptions::default()), (Limit::NumberBits, 1 << 16));
}

#[test]
fn numbers_go_beyond_64_bits_and_come_back() {
    let text = "A[18446744073709551615 + 1] := 18446744073709551616 * 18446744073709551616;
                let x = A[18446744073709551616] in {
                    A[0] := x / 340282366920938463463374607431768211455;
                    A[1] := x - x; A[2] := cast.u64.u8(x + 300); A[3] := select(x > 5, x, 0) % 7 }";
    let history = written(text, 1, &RunOptions::default());
    assert_eq!(
        history,
        "[{0: ({18446744073709551616}, {0: 1, 1: 0, 2: 44, 3: 4, \
         18446744073709551616: 340282366920938463463374607431768211456})}]"
    );
    let text =
        "forU i in 18446744073709551614..18446744073709551618 { A[i - 18446744073709551614] := i }";
    let history = written(text, 1, &RunOptions::default());
    assert!(history.contains("3: 18446744073709551617"), "{history}");
}

#[test]
fn an_atomic_update_yields_what_the_thread_would_see_alone() {
    let text = "shared A = [5]; let x = atomic A[0] add 2 in let y = atomic A[0] add 3 in A[1 + tid] := x * 10 + y";
    let history = written(text, 2, &RunOptions::default());
    assert!(history.contains("1: 57") && history.contains("2: 57"), "{history}");
    // Where it is undefined, any value will do.
    let text = "let x = atomic A[0] add 1 in A[1] := x";
    assert!(written(text, 1, &RunOptions::default()).contains("1: 0"));
    // Its result is visible behind the barrier, whatever the order.
    let text = "shared A = [5]; { let x = atomic A[0] add 2 in skip }; sync; let y = A[0] in A[1 + tid] := y";
    assert!(written(text, 3, &RunOptions::default()).contains("3: 11"));
}

#[test]
fn an_oracle_decides_what_atomics_yield() {
    let oracle = |query: &AtomicQuery<'_>| {
        assert_eq!(query.cell, &Cell::new("A", 0u32));
        assert_eq!(query.view, &LastWrite::One(Natural::from(5u32)));
        assert_eq!((query.phase, query.site), (0, Site(0)));
        Natural::from(100 + query.thread)
    };
    let options =
        RunOptions { atomics: AtomicPolicy::Oracle(Arc::new(oracle)), ..RunOptions::default() };
    let text = "shared A = [5]; let x = atomic A[0] add 1 in A[1 + tid] := x";
    let history = written(text, 2, &options);
    assert!(history.contains("1: 100") && history.contains("2: 101"), "{history}");
}

#[test]
fn the_thread_judgment_has_no_rule_for_barriers() {
    let instance = instance("A[0] := 1; sync", 1);
    let (start, options) = (instance.start(), RunOptions::default());
    let result = thread::evaluate(&Accesses::default(), &instance.body(), &start, 0, &options);
    assert_eq!(result.map_err(|stuck| stuck.reason), Err(Reason::Barrier));
}

#[test]
fn the_parallel_judgment_needs_a_phase() {
    let instance = instance("A[0] := 1", 1);
    let empty = babycuda_core::History::default();
    let result = parallel::run(&empty, &instance.body(), instance.block(), &RunOptions::default());
    assert_eq!(result.map_err(|stuck| stuck.reason), Err(Reason::NoPhase));
}

#[test]
fn threads_see_the_launch_they_are_in() {
    use babycuda_core::Dim3;
    let text = "A[tid] := threadIdx.x + 10 * threadIdx.y + 100 * blockIdx.x + 1000 * blockDim.x \
                + 10000 * gridDim.x";
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    let launch = Launch::new(Dim3::line(3), Dim3 { x: 2, y: 2, z: 1 });
    let instance = Instance::new(program, launch).with_block(2);
    let history = outcome(&instance, &RunOptions::default()).history().to_string();
    assert_eq!(
        history,
        "[{0: (∅, {0: 32200}), 1: (∅, {1: 32201}), 2: (∅, {2: 32210}), 3: (∅, {3: 32211})}]"
    );
}

#[test]
fn parameters_have_the_values_given() {
    let text = "param n; param m = 2; A[n] := m";
    let given = instance(text, 1).with_parameter("n", 7u32);
    let history = outcome(&given, &RunOptions::default()).history().to_string();
    assert_eq!(history, "[{0: (∅, {7: 2})}]");
    let reason = stuck(text, 1, &RunOptions::default()).reason;
    assert_eq!(reason, Reason::Unbound { name: Name::new("n") });
}

#[test]
fn memory_that_is_defined_everywhere_is_never_bottom() {
    let instance = instance("shared A = [1]; let x = A[0] in let y = A[5] in A[6] := x + y", 1);
    assert!(outcome(&instance, &RunOptions::default()).stuck().is_some());
    let defined = instance.defined_everywhere(&Natural::from(8u32));
    let history = outcome(&defined, &RunOptions::default()).history().to_string();
    assert_eq!(history, "[{0: ({0, 5}, {6: 9})}]");
}
