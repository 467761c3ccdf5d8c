//! What people read.
//!
//! With `UPDATE_GOLDENS=1` in the environment the test writes the goldens anew, for a person to
//! review.

use super::corpus;
use babycuda_core::Program;
use babycuda_core::parse::parse_program;
use babycuda_gpu::emit::{EmitOptions, Instrumentation, Target, emit};
use std::path::Path;

/// Names that mean something elsewhere, contents of shared arrays, fixed parameters, shadowing,
/// atomics of every make, and a warning.
const CONSTRUCTS: &str = "
    kernel main;
    param int: i32; param N = 3; param `x'1`: u8;
    shared A = [7, 8, 9]; shared S[16]: i32 = fill 4294967295;
    global `as`: u32 = any; global long: i64 = fill 2; global data: u8 = opaque;
    threads *;
    assume lt.i32(int, 100);
    let x = A[tid] in
    let x = data[cast.i32.u64(sub.i32(int, x))] in
    if !(x == 0) && (tid < N || lt.i32(int, `x'1`)) { S[x - tid] := add.i32(x, 1) * 2 + 1 };
    forU i in tid..N * blockDim.x {
      forU i in 0..2 { S[shl.i32(i, x)] := div.i32(i, int) }
    };
    let old = atomic.block `as`[0] add.u32 tid in
    let old = atomic `as`[old] inc 10 in
    let old = atomic.system long[1] max.i64 old in
    let old = atomic long[1] sub old in
    let old = atomic A[0] cas 5 if old in
    if tid == 0 { sync; S[0] := select(old <= 5, old, rem.u32(old, 7)) };
    let old = atomic `as`[1] xor.u32 select(tid == 1, 3, 4) in skip";

fn check(name: &str, program: &Program, target: Target, options: &EmitOptions) {
    let text = emit(program, target, options).unwrap_or_else(|e| panic!("{name}: {e}")).text;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emit/goldens").join(name);
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&path, &text).expect("writable");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(text, golden, "{name}");
}

fn kernel(name: &str) -> Program {
    let found = corpus::programs().into_iter().find(|(file, _)| file == name);
    found.unwrap_or_else(|| panic!("no kernel {name}")).1
}

#[test]
fn texts_are_what_the_goldens_say() {
    let plain = EmitOptions::default();
    let constructs = parse_program(CONSTRUCTS).unwrap_or_else(|e| panic!("{e}"));
    check("constructs.cu", &constructs, Target::Cuda, &plain);
    check("constructs.cl", &constructs, Target::OpenCl, &plain);
    for name in ["histogram", "reduce_sequential"] {
        let program = kernel(name);
        check(&format!("{name}.cu"), &program, Target::Cuda, &plain);
        check(&format!("{name}.cl"), &program, Target::OpenCl, &plain);
        let lengths = [("s".into(), 256)].into();
        let options = EmitOptions { lengths, ..EmitOptions::default() };
        check(&format!("{name}.wgsl"), &program, Target::Wgsl, &options);
    }
    let program = parse_program(
        "kernel turn; threads 4; param n; shared S[4]; global A[8] = any;
         let x = A[tid] in S[tid] := x + n;
         sync;
         forU i in 0..n { let y = S[(tid + i) % 4] in let z = atomic A[tid] add y in skip }",
    );
    let program = program.unwrap_or_else(|e| panic!("{e}"));
    let log = EmitOptions { instrumentation: Instrumentation::Log, ..EmitOptions::default() };
    let digest = EmitOptions { instrumentation: Instrumentation::Digest, ..EmitOptions::default() };
    check("turn.log.cl", &program, Target::OpenCl, &log);
    check("turn.digest.cu", &program, Target::Cuda, &digest);
    check("turn.log.wgsl", &program, Target::Wgsl, &log);
    let monitor =
        EmitOptions { instrumentation: Instrumentation::Monitor, ..EmitOptions::default() };
    for (name, target) in [
        ("turn.monitor.cu", Target::Cuda),
        ("turn.monitor.cl", Target::OpenCl),
        ("turn.monitor.wgsl", Target::Wgsl),
    ] {
        check(name, &program, target, &monitor);
    }
}

#[test]
fn a_program_has_the_same_names_and_text_every_time() {
    let program = parse_program(CONSTRUCTS).unwrap_or_else(|e| panic!("{e}"));
    let text = |target| emit(&program, target, &EmitOptions::default()).expect("a text");
    assert_eq!(text(Target::Cuda), text(Target::Cuda));
    assert_eq!(text(Target::Cuda).kernel, text(Target::OpenCl).kernel);
    assert_eq!(text(Target::Cuda).arrays, text(Target::OpenCl).arrays);
}
