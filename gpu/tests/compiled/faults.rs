//! Faults, and programs that must not run.

use babycuda_core::parse::parse_program;
use babycuda_core::{Launch, Name};
use babycuda_gpu::compiled::{self, CompiledError};
use babycuda_gpu::emit::EmitErrorKind;
use babycuda_gpu::report::Status;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{Job, JobOptions, Report, Runner};
use babycuda_semantics::Instance;

fn instance(text: &str) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    Instance::new(program, Launch::threads(4))
}

fn compiled<B: TextBackend>(backend: &mut B, text: &str, options: &JobOptions) -> Report {
    compiled::run(backend, &instance(text), options).unwrap_or_else(|e| panic!("{e}")).remove(0)
}

pub fn faults_are_reported_as_the_bytecode_reports_them<B: TextBackend>(backend: &mut B) {
    let options = JobOptions { log: 3, length: 8, ..JobOptions::default() };
    for text in [
        // Out of bounds, for one thread and for all; a thread that faulted accesses nothing more.
        "threads 4; A[tid * 4] := 1; A[tid] := 2",
        "threads 4; let x = A[1000000000000] in A[0] := x",
        "threads 4; let x = atomic A[tid + 6] add 1 in skip",
        "threads 4; shared S[3]; S[tid] := 1",
        // One access more than there is room for.
        "threads 4; forU k in 0..tid + 1 { A[tid] := k }",
    ] {
        let found = compiled(backend, text, &options);
        let job = Job::new(&instance(text), &options).unwrap();
        let bytecode = Runner::new(backend).run_one(&job).expect("a report");
        assert_ne!(found.status, Status::Done);
        assert_eq!(found, bytecode, "{text}");
    }
}

pub fn a_long_loop_ends_or_runs_out_of_fuel<B: TextBackend>(backend: &mut B) {
    let options = JobOptions { fuel: 1 << 22, ..JobOptions::default() };
    for iterations in [100, 5_000, 70_000, 200_000] {
        let text =
            format!("threads 4; forU x in 0..{iterations} {{ skip }}; A[tid] := {iterations}");
        let found = compiled(backend, &text, &options);
        match found.status {
            Status::Done => assert_eq!(found.value(&Name::new("A"), 3), Some(iterations)),
            Status::OutOfFuel(_) => assert!(iterations > 5_000),
            other => panic!("{iterations} iterations: {other}"),
        }
    }
}

pub fn a_block_gives_up_a_loop_with_barriers_together<B: TextBackend>(backend: &mut B) {
    let options = JobOptions { fuel: 100, log: 1000, ..JobOptions::default() };
    // Nothing but iterations, which cost fuel as well.
    let found = compiled(backend, "threads 4; forU k in 0..tid * 10000000000 { skip }", &options);
    assert!(matches!(found.status, Status::OutOfFuel(place) if place.thread == 1));
    // All threads leave after the same iteration.
    let text = "threads 4; forS k in 0..10000000000 { if tid == 3 { A[tid] := k }; sync }";
    let found = compiled(backend, text, &options);
    assert!(matches!(found.status, Status::OutOfFuel(place) if place.thread == 0));
    assert_eq!(found.last_phase, 100);
}

pub fn barriers_that_may_differ_are_refused<B: TextBackend>(backend: &mut B) {
    let text = "threads 4; if tid < 4 { sync }";
    match compiled::run(backend, &instance(text), &JobOptions::default()) {
        Err(CompiledError::Emit(error)) => assert_eq!(error.kind, EmitErrorKind::Barrier),
        other => panic!("{other:?}"),
    }
}
