//! What words cannot hold is told, or refused.

use babycuda_core::parse::parse_program;
use babycuda_core::shadow::{Chain, Machine};
use babycuda_core::syntax::Space;
use babycuda_core::{Dim3, Launch, Natural};
use babycuda_gpu::JobOptions;
use babycuda_gpu::compiled::{CompiledError, MonitorReport, monitor};
use babycuda_gpu::emit::{EmitErrorKind, MonitorOptions, WordBits, flag};
use babycuda_gpu::text::TextBackend;
use babycuda_semantics::Instance;

fn instance(text: &str) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    // Proof: the programs here fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    Instance::new(program, launch).defined_everywhere(&Natural::zero())
}

fn run<B: TextBackend>(backend: &mut B, text: &str, options: &MonitorOptions) -> MonitorReport {
    let found = monitor(backend, &instance(text), &JobOptions::default(), options);
    found.unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub fn a_clock_that_is_full_is_told<B: TextBackend>(backend: &mut B) {
    let tiny =
        MonitorOptions { block_clock: Some(2), warp_clock: Some(1), ..MonitorOptions::default() };
    for space in ["shared", "global"] {
        // Three barriers are counted, and the fourth is not.
        for (barriers, flags) in [(3, 0), (4, flag::CLOCK), (9, flag::CLOCK)] {
            let free = format!(
                "block 64, 1, 1; {space} A[64]; forS k in 0..{barriers} {{ sync }}; A[tid] := 1"
            );
            let found = run(backend, &free, &tiny);
            assert_eq!((found.racy, found.flags), (0, flags), "{free}");
            // What comes behind a full clock is not looked at, what came before is.
            let racy = format!(
                "block 64, 1, 1; {space} A[64]; A[tid / 32] := 1; forS k in 0..{barriers} {{ sync }}; A[tid / 2] := 1"
            );
            let found = run(backend, &racy, &tiny);
            let cells = if flags == 0 { 32 } else { 2 };
            assert_eq!((found.racy, found.flags), (cells, flags), "{racy}");
        }
        for (barriers, flags) in [(1, 0), (2, flag::WARP_CLOCK), (3, flag::WARP_CLOCK)] {
            let warps = "sync.warp; ".repeat(barriers);
            let free = format!(
                "block 64, 1, 1; {space} A[64]; A[tid] := 1; {warps} A[tid / 32 * 32 + (tid + 1) % 32] := 1"
            );
            let found = run(backend, &free, &tiny);
            assert_eq!((found.racy, found.flags), (0, flags), "{free}");
            // The next barrier of the block ends that.
            let again = format!("{free}; sync; A[tid / 2] := 1");
            let found = run(backend, &again, &tiny);
            assert_eq!((found.racy, found.flags), (32, flags), "{again}");
        }
    }
}

pub fn a_barrier_of_some_lanes_is_told<B: TextBackend>(backend: &mut B) {
    let options = MonitorOptions::default();
    for (end, racy) in
        [("skip", 0), ("sync; A[tid / 2] := 1", 32), ("sync.warp; A[tid / 2] := 1", 32)]
    {
        let text = format!(
            "block 64, 1, 1; shared A[64]; A[tid] := 1; sync.tile2; A[tid / 2 * 2] := 1; {end}"
        );
        let found = run(backend, &text, &options);
        assert_eq!((found.racy, found.flags), (racy, flag::PARTIAL), "{text}");
    }
}

pub fn blocks_beyond_the_bits_are_told<B: TextBackend>(backend: &mut B) {
    let options = MonitorOptions { block: Some(1), ..MonitorOptions::default() };
    let text = "block 2, 1, 1; grid 4, 1, 1; global A[8]; A[tid] := 1";
    let found = run(backend, text, &options);
    assert_eq!((found.racy, found.flags), (2, flag::BLOCK));
    // Words of shared memory have no blocks.
    let text = "block 2, 1, 1; grid 4, 1, 1; shared A[8]; A[0] := 1";
    let found = run(backend, text, &options);
    assert_eq!((found.racy, found.flags), (4, 0));
}

pub fn a_launch_that_does_not_fit_is_refused<B: TextBackend>(backend: &mut B) {
    let text = "block 1024, 1, 1; grid 65535, 1, 8; global A[1024]; sync; A[tid] := 1";
    let options = MonitorOptions { words: Some(WordBits::W32), ..MonitorOptions::default() };
    match monitor(backend, &instance(text), &JobOptions::default(), &options) {
        Err(CompiledError::Emit(error)) => {
            let needed = EmitErrorKind::Word { space: Space::Global, needed: 32, bits: 32 };
            assert!(matches!(error.kind, EmitErrorKind::Word { .. }), "{error}, {needed}");
        }
        other => panic!("{:?}", other.map(|found| found.racy)),
    }
    let wide = MonitorOptions { block_clock: Some(60), ..MonitorOptions::default() };
    let refused = monitor(backend, &instance(text), &JobOptions::default(), &wide);
    assert!(matches!(refused, Err(CompiledError::Emit(_))), "{refused:?}");
}

pub fn what_is_not_accessed_is_told<B: TextBackend>(backend: &mut B) {
    let options = MonitorOptions::default();
    for space in ["shared", "global"] {
        for statement in [
            "A[tid * 2] := 1",
            "let x = A[10000000000000 + tid] in skip",
            "let x = atomic A[tid + 5] add 1 in skip",
        ] {
            let text = format!("block 8, 1, 1; {space} A[8] = fill 0; {statement}");
            let found = run(backend, &text, &options);
            assert_eq!((found.racy, found.flags), (0, flag::OUTSIDE), "{text}");
            assert_eq!(found.reasons().len(), 1);
        }
    }
    // All threads leave a loop with barriers together.
    let long = "block 8, 1, 1; shared A[8]; forS k in 0..1000000000000 { sync }; A[0] := 1";
    let found = run(backend, long, &options);
    assert_eq!(found.flags & flag::FUEL, flag::FUEL);
    let long = "block 8, 1, 1; shared A[8]; forU k in 0..1000000000000 { A[tid] := k }";
    let found = run(backend, long, &options);
    assert_eq!((found.racy, found.flags), (0, flag::FUEL));
}

/// A machine to which any two threads race, and the exact one in another order of states.
pub fn another_machine_says_what_its_table_says<B: TextBackend>(backend: &mut B) {
    let chain = Chain::published();
    let names = ["NEW", "ONE", "RACE"].map(str::to_owned).to_vec();
    let machine = Machine::new(chain, names, 2, |state, label| match (state, label.relation) {
        (0, _) => 1,
        (1, 0) => 1,
        _ => 2,
    });
    let options = MonitorOptions { machine, ..MonitorOptions::default() };
    let text = "block 8, 1, 1; global A[8] = fill 0; let x = A[0] in A[tid] := x";
    let found = run(backend, text, &options);
    assert_eq!((found.racy, found.flags), (1, 0));
    let free = "block 8, 1, 1; shared A[8] = fill 0; A[tid] := 1; sync; let x = A[7 - tid] in skip";
    let found = run(backend, free, &options);
    assert_eq!((found.racy, found.findings[0].before.as_str()), (8, "ONE"));
    let exact = run(backend, free, &MonitorOptions::default());
    assert_eq!((exact.racy, exact.flags), (0, 0));
    let launch = Launch::new(Dim3::line(1), Dim3::line(8));
    assert_eq!(instance(free).configuration.launch, launch);
}
