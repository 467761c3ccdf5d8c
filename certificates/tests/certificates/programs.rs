//! What is certified: the paper's figures and examples, kernels of the corpus, random programs.

use babycuda_core::parse::parse_program;
use babycuda_core::{Dim3, Launch, Program, Settings};
use babycuda_frontend::{Translation, parse_cuda};
use babycuda_semantics::{Derivation, Instance, Policy, RunOptions};
use babycuda_testkit::generators::{Profile, programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::path::Path;
use std::sync::Arc;

/// The figures and examples of LCL22, and one program or more for each rule of the judgments.
pub const EXAMPLES: [(&str, &str); 16] = [
    (
        "figure 3",
        "threads 2; param M = 2; shared A = [5, 6];
         forU x in 0..M { let y = A[x] in A[x] := y + 1 }",
    ),
    ("figure 4", "threads 3; if tid == 0 { A[0] := tid } else { skip }"),
    ("figure 4, one thread", "threads 1; if tid == 0 { A[0] := tid } else { skip }"),
    (
        "equation 1",
        "threads 2; A[tid + 1] := tid + 9; sync;
         A[0] := tid; if tid == 1 { let x = A[0] in skip } else { skip }",
    ),
    ("equation 2", "threads 4; A[tid] := tid; let x = A[tid] in A[x] := 9"),
    ("no iterations", "threads 2; forU x in 3..1 { A[x] := 1 }; skip"),
    ("nested loops", "threads 2; forU x in 0..2 { forU y in 0..x { A[x + y] := tid } }"),
    (
        "shadowing",
        "threads 1; shared A = [3, 1]; let x = A[0] in { let x = A[1] in A[x] := x }; A[2] := 0",
    ),
    (
        "a synchronized loop",
        "threads 2; shared A = [1, 2, 3];
         forS x in 0..2 { let y = A[tid + x] in { sync; A[tid] := y } }",
    ),
    (
        "a barrier below a guard",
        "threads 2; shared A = fill 1;
         let x = A[0] in { if x == 1 { sync; A[tid] := x } else { skip } }",
    ),
    (
        "a barrier that is passed by",
        "threads 1; shared A = fill 1;
         let x = A[0] in { if x == 0 { sync } else { skip }; sync }",
    ),
    ("divergence", "threads 3; if tid == 1 { sync } else { A[tid] := 1 }"),
    ("two barriers", "threads 2; if tid == 0 { sync } else { sync; A[0] := 1 }"),
    (
        "two arrays",
        "threads 2; shared A = [1, 2]; shared B = fill 7;
         let x = A[tid] in B[x] := x; sync; let y = B[3 - tid] in A[tid] := y",
    ),
    (
        "huge numbers",
        "threads 1; A[340282366920938463463374607431768211456 * 2] := 18446744073709551616 % 7",
    ),
    (
        "machine arithmetic",
        "threads 2; A[sub.i32(tid, 1)] := cast.i8.u64(add.u8(shr.i16(65535, 3), 128));
         if lt.i32(sub.i32(tid, 1), 0) {
             A[select(ge.u64(tid, 1), 4, mul.i64(tid, 3))] := div.i32(sub.i32(0, 7), 2)
         } else { skip }",
    ),
];

/// The program of a text.
pub fn parse(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The run of a program; `None` where a thread is stuck. Reads of racy cells go on.
pub fn run(program: &Program) -> Option<Arc<Derivation>> {
    let launch = program.geometry.launch()?;
    let mut instance = Instance::new(program.clone(), launch);
    for param in program.params.iter().filter(|param| param.value.is_none()) {
        instance = instance.with_parameter(param.name.clone(), 4u32);
    }
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    instance.evaluate(&options).derivation
}

/// The kernels of the corpus that the front end translates, by name, each for a block of four
/// threads.
pub fn corpus() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let entries = std::fs::read_dir(folder).expect("tests/corpus");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "cu"));
    files.sort();
    let kernels = files.iter().filter_map(|file| {
        let source = std::fs::read_to_string(file).expect("readable");
        let name = file.file_stem()?.to_string_lossy().into_owned();
        Some((name, kernel(&source)?))
    });
    kernels.collect()
}

fn kernel(source: &str) -> Option<Program> {
    let square = source.contains("threadIdx.y");
    let block = if square { Dim3 { x: 2, y: 2, z: 1 } } else { Dim3::line(4) };
    let launch = Launch::new(Dim3::line(1), block);
    let settings = Settings { block: Some(block), grid: Some(launch.grid), ..Settings::default() };
    let kernel = parse_cuda(source, &settings.into()).ok()?.into_iter().next()?;
    match kernel.translation {
        Translation::Program(program) if program.body.scoped_barrier().is_none() => {
            Some(program.with_launch(launch))
        }
        Translation::Program(_) | Translation::Unsupported(_) => None,
    }
}

/// Programs of a profile, always the same.
pub fn random(profile: Profile, count: usize) -> Vec<Program> {
    let mut runner = TestRunner::deterministic();
    let strategy = programs(profile);
    let program = |_| strategy.new_tree(&mut runner).expect("nothing is rejected").current();
    (0..count).map(program).collect()
}
