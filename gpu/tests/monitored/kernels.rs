//! Kernels of the corpus, and some that show one thing each.

use super::corpus;
use super::same::compare;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::Extent;
use babycuda_core::{Dim3, Launch, Natural, Stmt, Thread};
use babycuda_gpu::emit::{MonitorOptions, WordBits, nonuniform_barriers};
use babycuda_gpu::report::Status;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{JobOptions, compiled};
use babycuda_semantics::Instance;

/// Is it an update, and something made of the value that it yields? The order of updates decides that.
fn uses_update(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Atomic { var, body, .. } if body.free_vars().contains(var))
}

pub fn the_corpus_has_the_races_of_the_definition<B: TextBackend>(backend: &mut B) {
    let options = JobOptions { fuel: 1 << 20, log: 1 << 13, ..JobOptions::default() };
    let (mut racy, mut free) = (0, 0);
    let mut instances = Vec::new();
    for (name, program) in corpus::programs().into_iter().step_by(corpus::step()) {
        let decided = !program.body.subterms().any(uses_update);
        if !nonuniform_barriers(&program.body).is_empty() || !decided {
            continue;
        }
        let plane = program.geometry.block[1] != Extent::Known(1);
        let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
        let launch = Launch { warp: 4, ..Launch::new(Dim3::line(2), block) };
        let mut instance = Instance::new(program, launch);
        // Small, as the processor device of Mesa ends all loops after 65,535 iterations.
        for param in instance.program.params.clone() {
            instance = instance.with_parameter(param.name, 3u32);
        }
        instances.push((name, instance.defined_everywhere(&Natural::zero())));
    }
    let own: Vec<(Instance, usize)> = instances.iter().map(|(_, i)| (i.clone(), 1)).collect();
    let logged = compiled::run_all(backend, &own, &options);
    for ((name, instance), reports) in instances.iter().zip(logged) {
        let Some(reports) = reports.ok().and_then(|mut runs| runs.pop()) else { continue };
        // An index of -1 is one beyond the end.
        if reports.iter().any(|r| r.status != Status::Done || r.overflow.is_some()) {
            continue;
        }
        let words = if racy % 2 == 0 { WordBits::W32 } else { WordBits::W64 };
        if let Some(found) = compare(backend, instance, &reports, &options, words, 1) {
            println!("{name}: {} cells", found.racy);
            racy += usize::from(found.racy > 0);
            free += usize::from(found.racy == 0);
        }
    }
    println!("{racy} racy, {free} free");
    assert!(racy * corpus::step() >= 12 && free * corpus::step() >= 15, "{racy}, {free}");
}

fn run<B: TextBackend>(backend: &mut B, text: &str, launch: Launch) -> compiled::MonitorReport {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    let instance = Instance::new(program, launch).defined_everywhere(&Natural::zero());
    let (options, monitor) = (JobOptions::default(), MonitorOptions::default());
    let found = compiled::monitor(backend, &instance, &options, &monitor);
    found.unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub fn a_race_is_told_with_its_place<B: TextBackend>(backend: &mut B) {
    let text = "threads 64; global A[64] = fill 0; global B[64]: u8 = fill 200;
        let x = B[tid] in
        if tid == 40 { A[7] := 1 };
        if tid == 7 { A[7] := x }";
    let found = run(backend, text, Launch::threads(64));
    assert_eq!((found.racy, found.flags), (1, 0));
    let [race] = &found.findings[..] else { panic!("{found:?}") };
    assert_eq!(race.cell.to_string(), "A[7]");
    // Whoever comes second.
    let (line, second, first) = match race.thread.index {
        7 => (4, 7, 40),
        _ => (3, 40, 7),
    };
    let thread = |index| Thread { block: 0, index };
    assert_eq!((race.thread, race.last), (thread(second), thread(first)));
    assert_eq!((race.span.map(|s| s.line), race.before.as_str()), (Some(line), "W.W.W"));
    let cells = &found.arrays.iter().find(|a| a.name.as_str() == "A").expect("an array").cells;
    assert!(matches!(cells[7], 1 | 200), "{cells:?}");
}

/// Two blocks at the same cells in the same order: where one overtakes the other between a look at a word and the step,
/// a race would be lost.
pub fn blocks_that_meet_at_a_cell_race<B: TextBackend>(backend: &mut B) {
    let launch = Launch::new(Dim3::line(2), Dim3::line(1));
    let text = "block 1, 1, 1; grid 2, 1, 1; global A[1500]: u32; forU k in 0..1500 { A[k] := 1 }";
    for _ in 0..16 {
        let found = run(backend, text, launch);
        assert_eq!((found.racy, found.flags), (1500, 0));
    }
}

/// An update in the scope of a block is one of that block alone.
pub fn updates_of_two_blocks_race<B: TextBackend>(backend: &mut B) {
    let launch = Launch::new(Dim3::line(2), Dim3::line(4));
    let text = |scope: &str| {
        format!(
            "block 4, 1, 1; grid 2, 1, 1; global A[1]: u32 = fill 0; \
             let x = atomic{scope} A[0] add.u32 1 in skip"
        )
    };
    for (scope, racy) in [(".block", 1), ("", 0)] {
        let found = run(backend, &text(scope), launch);
        assert_eq!((found.racy, found.flags), (racy, 0), "{scope}");
    }
}

/// Many threads at one cell: a step that is lost would lose a race.
pub fn every_round_of_a_hot_cell_counts<B: TextBackend>(backend: &mut B) {
    let launch = Launch::new(Dim3::line(16), Dim3::line(64));
    let free = "block 64, 1, 1; grid 16, 1, 1; global A[17]: u32 = fill 0; global B[1024]: u32;
        forU k in 0..16 { let x = atomic A[k] add.u32 1 in skip };
        let x = A[16] in B[tid + 64 * blockIdx.x] := x";
    for _ in 0..8 {
        let found = run(backend, free, launch);
        assert_eq!((found.racy, found.flags), (0, 0));
        let counts = &found.arrays.iter().find(|a| a.name.as_str() == "A").expect("A").cells;
        assert_eq!(counts[..16], [1024; 16]);
    }
    let racy = "block 64, 1, 1; grid 16, 1, 1; global A[17]: u32 = fill 0;
        forU k in 0..16 { let x = A[k] in if tid == k { A[k] := x } }";
    for _ in 0..8 {
        let found = run(backend, racy, launch);
        assert_eq!((found.racy, found.flags), (16, 0));
    }
}
