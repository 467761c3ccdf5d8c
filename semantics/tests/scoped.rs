//! Programs with barriers of tiles and warps, by the reference semantics.

use babycuda_core::evidence::Divergence;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Launch, Site};
use babycuda_semantics::{Instance, Outcome, Reason, Rule, RunOptions, check_derivation};

/// The outcome of a block of `threads`, with warps of 2; its derivation is checked.
fn run(text: &str, threads: u32) -> Outcome {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    program.check_scope().unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = Launch { warp: program.geometry.warp, ..Launch::threads(threads) };
    let evaluation = Instance::new(program, launch).evaluate(&RunOptions::default());
    if let Some(derivation) = &evaluation.derivation {
        check_derivation(derivation).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    evaluation.outcome
}

const A: &str = "warp 2; shared A = fill 0; ";

fn races(body: &str, threads: u32) -> usize {
    match run(&format!("{A}{body}"), threads) {
        Outcome::Done { history } => history.races().count(),
        other => panic!("{body}: {other:?}"),
    }
}

fn diverges(body: &str, threads: u32) -> Divergence {
    match run(&format!("{A}{body}"), threads) {
        Outcome::Diverged { divergence, .. } => divergence,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_warp_barrier_orders_its_warp_only() {
    let exchange = |sync: &str| {
        format!("A[tid] := tid; {sync}; let x = A[tid / 2 * 2 + 1 - tid % 2] in A[4 + tid] := x")
    };
    assert_eq!(races(&exchange("sync.warp"), 4), 0);
    assert_eq!(races(&exchange("sync.tile2"), 4), 0);
    assert_eq!(races(&exchange("sync"), 4), 0);
    assert_eq!(races(&exchange("sync.tile1"), 4), 4);
    assert_eq!(races(&exchange("skip"), 4), 4);
    // To the neighbour in the other warp.
    let across =
        |sync: &str| format!("A[tid] := tid; {sync}; let x = A[(tid + 1) % 4] in A[4 + tid] := x");
    assert_eq!(races(&across("sync.warp"), 4), 2);
    assert_eq!(races(&across("sync"), 4), 0);
}

#[test]
fn values_pass_a_warp_barrier() {
    let text = "warp 2; shared A; A[tid] := tid + 5; sync.warp; \
                let x = A[tid / 2 * 2 + 1 - tid % 2] in A[4 + tid] := x";
    let Outcome::Done { history } = run(text, 4) else { panic!("it ends") };
    let phase = history.head().unwrap();
    let written = |i: u64| {
        let open = phase.get(i);
        open.writes.values().next().unwrap().to_u64().unwrap()
    };
    assert_eq!([0, 1, 2, 3].map(written), [6, 5, 8, 7]);
    assert_eq!(phase.stages().count(), 2);
    // Without it, a thread reads what nobody wrote.
    let stuck = run(&text.replace("sync.warp", "skip"), 4);
    assert!(matches!(stuck.stuck().unwrap().reason, Reason::Undefined { .. }));
}

#[test]
fn a_barrier_of_one_warp_alone_is_passed() {
    assert_eq!(races("if tid / 2 == 0 { A[tid] := 1; sync.warp; A[1 - tid] := 2 }", 4), 0);
    // Phase by phase of a shared counter, warp 1's race would be missed.
    let text =
        "forS x in 0..2 { if tid / 2 == 0 { sync.warp }; A[4 * (tid / 2) + tid % 2 + x] := 0 }";
    assert_eq!(races(text, 4), 1);
    // One warp may wait for the block while another one goes on.
    assert_eq!(
        races("if tid / 2 == 0 { sync.warp; sync.warp }; A[tid] := 1; sync; A[3 - tid] := 2", 4),
        0
    );
}

#[test]
fn divergence_names_group_and_scope() {
    let found = diverges("if tid == 2 { sync.warp }", 4);
    let expected = Divergence {
        phase: 0,
        first: (2, Some(Site(1))),
        second: (3, None),
        scope: BarrierScope::Warp,
    };
    assert_eq!(found, expected);
    assert_eq!(
        found.to_string(),
        "after phase 0, in the warp of thread 2, thread 2 is at barrier #1 and thread 3 is at its end"
    );
    // Different barriers of one scope; and a warp that waits for the block with a half.
    assert_eq!(diverges("if tid % 2 == 0 { sync.warp } else { sync.warp }", 4).first.0, 0);
    let found = diverges("if tid == 3 { sync.warp } else { sync }", 4);
    assert_eq!((found.scope, found.first.0, found.second.0), (BarrierScope::Warp, 2, 3));
    // Each waits for the other.
    let found = diverges("if tid / 2 == 0 { sync } else { sync }", 4);
    assert_eq!((found.scope, found.first.0, found.second.0), (BarrierScope::Block, 0, 2));
}

#[test]
fn the_last_warp_may_be_ragged() {
    assert_eq!(races("A[tid] := 1; sync.warp; A[tid] := 2", 3), 0);
    assert_eq!(races("if tid == 2 { sync.warp }", 3), 0);
}

#[test]
fn a_grid_barrier_is_that_of_the_block_where_it_is_alone() {
    let text = "threads 2; shared A = fill 0; A[tid] := 1; sync.grid; A[1 - tid] := 2";
    let Outcome::Done { history } = run(text, 2) else { panic!("it ends") };
    assert_eq!((history.len(), history.is_drf()), (2, true));
    let program = parse_program(text).unwrap();
    let launch = Launch::new(babycuda_core::Dim3::line(2), babycuda_core::Dim3::line(2));
    let outcome = Instance::new(program, launch).run(&RunOptions::default());
    assert_eq!(outcome.stuck().unwrap().reason, Reason::Scope(BarrierScope::Grid));
}

#[test]
fn derivations_use_the_rule_for_groups() {
    let program = parse_program("warp 2; A[tid] := 1; sync.warp; A[0] := 2").unwrap();
    let launch = Launch { warp: 2, ..Launch::threads(4) };
    let evaluation = Instance::new(program, launch).evaluate(&RunOptions::default());
    let derivation = evaluation.derivation.unwrap();
    assert!(derivation.nodes().any(|(_, node)| node.rule == Rule::BlockGroupSyncs));
}
