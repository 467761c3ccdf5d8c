//! Programs with barriers of tiles and warps, by the reference semantics.

use babycuda_core::evidence::Divergence;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Access, Dim3, History, Launch, Site, Thread};
use babycuda_semantics::interleavings::{ExplorationLimits, Reduction, explore};
use babycuda_semantics::{
    Instance, Outcome, Reason, Rule, RunEvidence, RunOptions, check_derivation, check_run, vm,
};
use std::collections::BTreeSet;

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
}

/// The instance of the program for the launch that it declares.
fn declared(text: &str) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    program.check_scope().unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = program.geometry.launch().unwrap_or_else(|| panic!("{text}: no launch"));
    Instance::new(program, launch)
}

/// The outcome of a grid. All evaluators have it, and the checker accepts its derivation.
fn run_grid(text: &str) -> Outcome {
    let (instance, options) = (declared(text), RunOptions::default());
    let evaluation = instance.evaluate(&options);
    assert_eq!(vm::run(&instance, &options), evaluation.outcome, "{text}");
    if let Some(derivation) = evaluation.derivation {
        let derivation = std::sync::Arc::unwrap_or_clone(derivation);
        let evidence = RunEvidence::new(&instance, &evaluation.choices, derivation);
        check_run(&evidence).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let limits = ExplorationLimits::default();
    let all = explore(&instance, Reduction::SleepSets, &limits).unwrap();
    let history = evaluation.outcome.history();
    if !matches!(evaluation.outcome, Outcome::Stuck { .. }) {
        assert_eq!(all.first_racy_interval().is_some(), !history.is_drf(), "{text}");
    }
    evaluation.outcome
}

const GRID: &str = "grid 2; threads 2; global A = fill 0; shared S = fill 0; ";

#[test]
fn barriers_of_the_grid_order_what_blocks_do() {
    let races = |body: &str| match run_grid(&format!("{GRID}{body}")) {
        Outcome::Done { history } => history.races().count(),
        other => panic!("{body}: {other:?}"),
    };
    // Each block writes its half, and reads that of the other.
    let exchange = |sync: &str| {
        format!(
            "A[2 * blockIdx.x + tid] := 1; {sync};
             let x = A[2 - 2 * blockIdx.x + tid] in A[4 + 2 * blockIdx.x + tid] := x; sync.grid"
        )
    };
    assert_eq!(races(&exchange("sync.grid")), 0);
    assert_eq!(races(&exchange("sync")), 4);
    assert_eq!(races(&exchange("if blockIdx.x == 0 { sync }")), 4);
    // A shared array is each block's own, and a barrier of the grid is one of every block.
    assert_eq!(races("if tid == 0 { S[0] := 1 }; sync.grid; if tid == 1 { S[0] := 2 }"), 0);
    assert_eq!(races("sync.grid; S[tid] := 1; sync; let x = S[1 - tid] in skip"), 0);
    assert_eq!(races("sync.grid; S[tid] := 1; let x = S[1 - tid] in skip"), 4);
    assert_eq!(races("sync.grid; S[0] := 1"), 2);
    assert_eq!(races("sync.grid; A[0] := 1"), 6);
    // What one block wrote to its own, no other one reads.
    let body = "if blockIdx.x == 0 { S[tid] := 7 }; sync.grid;
                let x = S[1 - tid] in A[8 * x + 2 * blockIdx.x + tid] := 1";
    let Outcome::Done { history } = run_grid(&format!("{GRID}{body}")) else { panic!("it ends") };
    let last = history.head().unwrap();
    let written = |i: u64| last.get(i).writes.keys().next().unwrap().index.to_u64().unwrap();
    assert_eq!([0, 1, 2, 3].map(written), [56, 57, 2, 3]);
}

#[test]
fn what_a_grid_is_launched_with_is_known_to_each_thread() {
    let text = "grid 2, 2, 3; block 3, 2, 1; global A; sync.grid;
        A[((threadIdx.x * 10 + threadIdx.y) * 10 + threadIdx.z) * 1000
          + (blockIdx.x * 10 + blockIdx.y) * 10 + blockIdx.z] := tid * 10000
          + blockDim.x * 1000 + blockDim.y * 100 + gridDim.x * 10 + gridDim.z";
    let instance = declared(text);
    let launch = instance.configuration.launch;
    let history = instance.run(&RunOptions::default()).history().clone();
    for (number, thread) in (0..).zip(launch.all()) {
        let accesses = history.head().unwrap().get(number);
        let (cell, value) = accesses.writes.iter().next().unwrap();
        let (at, of) = (launch.block.position(thread.index), launch.grid.position(thread.block));
        let digits = |d: Dim3| u64::from((d.x * 10 + d.y) * 10 + d.z);
        assert_eq!(cell.index.to_u64().unwrap(), digits(at) * 1000 + digits(of));
        assert_eq!(value.to_u64().unwrap(), thread.index * 10000 + 3223);
    }
}

#[test]
fn a_grid_diverges_where_some_block_does_not_come() {
    let scope = |body: &str| match run_grid(&format!("{GRID}{body}")) {
        Outcome::Diverged { divergence, .. } => {
            let instance = declared(&format!("{GRID}{body}"));
            let found = instance.blocks().unwrap().divergence(&instance.program.body, divergence);
            (found.scope, found.first.0, found.second.0)
        }
        other => panic!("{body}: {other:?}"),
    };
    assert_eq!(scope("if blockIdx.x == 0 { sync.grid }"), (BarrierScope::Grid, 0, 2));
    assert_eq!(scope("sync.grid; if tid + blockIdx.x == 2 { sync }"), (BarrierScope::Block, 2, 3));
    assert_eq!(
        scope("warp 1; sync.grid; if blockIdx.x == 1 { sync.grid } else { sync.warp }").0,
        BarrierScope::Grid
    );
}

/// Up to their numbers, accesses that rest on no data are those that each block makes alone.
#[test]
fn accesses_are_those_of_each_block_alone() {
    for body in [
        "A[tid] := blockIdx.x; sync.grid; let x = S[1 - tid] in A[7 - tid] := x; sync; S[5] := tid",
        "forS i in 0..3 { S[tid + i] := i; sync; sync.grid; let x = A[i * 2 + blockIdx.x] in skip }",
        "let x = atomic S[blockIdx.x] add 2 in skip; sync.grid; let y = atomic A[3] add 1 in skip",
    ] {
        let text = format!("{GRID}{body}");
        let (whole, apart) = (declared(&text), declared(&text.replace("sync.grid", "sync")));
        let blocks = whole.blocks().unwrap();
        let accesses = |history: &History, named: &dyn Fn(Access) -> (Thread, Access)| {
            let all = history.newest_first().flat_map(|phase| phase.accesses());
            all.map(named).collect::<BTreeSet<_>>()
        };
        let history = run_grid(&text).history().clone();
        let together = accesses(&history, &|a| {
            let thread = blocks.thread(a.thread);
            assert_eq!(blocks.cell(&blocks.own(&a.cell), thread.block), a.cell);
            (thread, Access { thread: 0, cell: blocks.own(&a.cell), ..a })
        });
        let mut alone = BTreeSet::new();
        for block in 0..2 {
            let outcome = apart.clone().with_block(block).run(&RunOptions::default());
            alone.extend(accesses(outcome.history(), &|a| {
                (Thread { block, index: a.thread }, Access { thread: 0, ..a })
            }));
        }
        assert_eq!(together, alone, "{body}");
    }
}

#[test]
fn blocks_that_cannot_be_one_are_refused() {
    for text in [
        "grid 2; threads 2; global A = fill 0; sync.grid; let x = atomic.block A[0] add 1 in skip",
        "grid 2; threads 2; shared S = any; sync.grid; S[0] := 1",
    ] {
        let outcome = declared(text).run(&RunOptions::default());
        let reason = outcome.stuck().map(|stuck| stuck.reason.clone());
        assert_eq!(reason, Some(Reason::Scope(BarrierScope::Grid)), "{text}");
        assert_eq!(vm::run(&declared(text), &RunOptions::default()), outcome);
    }
}

/// The derivation of another grid, or of the same one from other contents, is none of this run.
#[test]
fn derivations_are_of_their_grid() {
    let text = format!("{GRID}S[tid] := 1; sync.grid; let x = A[2 + tid] in skip");
    let instance = declared(&text);
    let evaluation = instance.evaluate(&RunOptions::default());
    let derivation = std::sync::Arc::unwrap_or_clone(evaluation.derivation.unwrap());
    let evidence =
        |text: &str| RunEvidence::new(&declared(text), &evaluation.choices, derivation.clone());
    assert_eq!(check_run(&evidence(&text)), Ok(()));
    for (from, to) in [
        ("grid 2", "grid 3"),
        ("threads 2", "threads 1"),
        ("A = fill 0", "A = fill 1"),
        ("shared S", "global S"),
        ("sync.grid", "sync"),
        ("2 + tid", "2 + blockIdx.x"),
    ] {
        assert!(check_run(&evidence(&text.replacen(from, to, 1))).is_err(), "{to}");
    }
}

#[test]
fn derivations_use_the_rule_for_groups() {
    let program = parse_program("warp 2; A[tid] := 1; sync.warp; A[0] := 2").unwrap();
    let launch = Launch { warp: 2, ..Launch::threads(4) };
    let evaluation = Instance::new(program, launch).evaluate(&RunOptions::default());
    let derivation = evaluation.derivation.unwrap();
    assert!(derivation.nodes().any(|(_, node)| node.rule == Rule::BlockGroupSyncs));
}
