//! Blocks run by themselves; races between them are found across phases.

use babycuda_core::history::RaceKind;
use babycuda_core::parse::parse_program;
use babycuda_core::{Dim3, Launch};
use babycuda_semantics::grid::{self, cross_block_races};
use babycuda_semantics::{Instance, Limit, Outcome, Reason, RunLimits, RunOptions, vm};

fn races(text: &str, blocks: u32, threads: u32) -> Vec<String> {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = Launch::new(Dim3::line(blocks), Dim3::line(threads));
    let instance = Instance::new(program, launch);
    let options = RunOptions::default();
    let outcomes = grid::run(&instance, &options).unwrap_or_else(|e| panic!("{e}"));
    let fast = grid::run_by(&instance, &options, |block| vm::run(block, &options));
    assert_eq!(fast.as_ref(), Ok(&outcomes));
    let histories = outcomes.iter().map(Outcome::history);
    let races: Vec<_> = cross_block_races(&instance.program, histories).collect();
    assert!(races.iter().all(|race| race.first.0.block < race.second.0.block));
    races.iter().map(|race| format!("{} {race}", race.kind())).collect()
}

#[test]
fn blocks_race_on_global_arrays_whatever_their_phases() {
    // Within a block, the barrier orders the two; between blocks, nothing does.
    let text = "global G = fill 0; if tid == 0 { G[0] := 1 } else { skip }; sync; \
                if tid == 1 { let x = G[0] in skip } else { skip }";
    assert_eq!(
        races(text, 2, 2),
        [
            "ww block 0, thread 0 wr / block 1, thread 0 wr on G[0]",
            "rw block 0, thread 0 wr / block 1, thread 1 rd on G[0]",
            "rw block 0, thread 1 rd / block 1, thread 0 wr on G[0]",
        ]
    );
}

#[test]
fn each_block_has_its_own_shared_arrays() {
    assert!(races("shared S; S[0] := 1", 3, 1).is_empty());
    assert!(races("global G; G[blockIdx.x] := 1", 3, 1).is_empty());
    assert_eq!(races("global G; G[0] := 1", 3, 1).len(), 3);
}

#[test]
fn a_block_scoped_atomic_does_not_cover_other_blocks() {
    let text = |scope: &str| format!("global G = fill 0; let x = atomic{scope} G[0] add 1 in skip");
    assert!(races(&text(""), 2, 2).is_empty());
    assert!(races(&text(".system"), 2, 2).is_empty());
    let found = races(&text(".block"), 2, 1);
    assert_eq!(
        found,
        [format!("{} block 0, thread 0 at / block 1, thread 0 at on G[0]", RaceKind::Atomic)]
    );
}

#[test]
fn a_grid_with_too_many_threads_is_refused() {
    let program = parse_program("skip").unwrap_or_else(|e| panic!("{e}"));
    let launch = Launch::new(Dim3 { x: u32::MAX, y: u32::MAX, z: 9 }, Dim3::line(8));
    let limits = RunLimits { threads: 100, ..RunLimits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let refused = grid::run(&Instance::new(program, launch), &options).map_err(|e| e.reason);
    assert_eq!(refused, Err(Reason::Limit { limit: Limit::Threads, allowed: 100 }));
}
