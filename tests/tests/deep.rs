//! Programs of great height go through every stage on a small stack.

use babycuda::gpu::emit::{self, Target};
use babycuda::semantics::{Instance, RunOptions};
use babycuda::smt::SolverName;
use babycuda::{CheckOptions, Decide, check, check_protocol, run, typing};
use babycuda_core::json::{from_json, to_json};
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_core::{Budget, Program};
use std::time::Duration;

/// Tests run on 2 MB of stack; one frame for each level would not fit.
fn options(decide: Decide) -> CheckOptions {
    let budget = Budget::time(Duration::from_secs(3));
    CheckOptions { decide, budget, solvers: vec![SolverName::Builtin], ..CheckOptions::default() }
}

fn everything(text: &str) {
    let program = parse_program(text).unwrap();
    for decide in [Decide::Enumerate, Decide::Solve, Decide::Auto] {
        check(&program, &options(decide)).unwrap();
    }
    if let Ok(typed) = typing::type_program(&program) {
        typing::check_derivation(&typed.derivation).unwrap();
        let _text = typed.protocol.to_string();
    }
    if let Some(launch) = program.geometry.launch() {
        run(&Instance::new(program.clone(), launch), &RunOptions::default());
    }
    let back: Program = from_json(&to_json(&program).unwrap()).unwrap();
    assert!(back == program);
    assert!(parse_program(&program.to_string()).unwrap().body == program.body);
    let _text = emit::emit(&program, Target::OpenCl, &emit::EmitOptions::default());
}

#[test]
fn sequences() {
    everything(&format!("threads 2; {}", vec!["A[tid] := 1"; 100_000].join(";")));
    everything(&vec!["A[tid] := 1"; 20_000].join(";"));
}

#[test]
fn barriers() {
    everything(&format!("threads 2; {}", vec!["A[tid] := 1; sync"; 20_000].join(";")));
}

#[test]
fn conditions() {
    everything(&format!("threads 2; if {}(tid == 0) {{ A[0] := 1 }}", "!".repeat(100_000)));
    let all = vec!["tid < 9"; 30_000];
    everything(&format!("if {} {{ A[0] := 1 }}", all.join("&&")));
    everything(&format!("if {} {{ A[0] := 1; sync }}", all.join("||")));
}

#[test]
fn sums() {
    // Printing and emitting them takes long; what is bounded here is the stack.
    let program = parse_program(&format!("threads 2; A[{}] := 1", vec!["1"; 200_000].join("+")));
    check(&program.unwrap(), &options(Decide::Auto)).unwrap();
    everything(&format!("threads *; A[{}] := 1", vec!["tid"; 5_000].join("+")));
}

#[test]
fn nests() {
    let nest = |open: &str, inner: &str| {
        format!("threads 2; {}{inner}{}", open.repeat(2_000), "}".repeat(2_000))
    };
    everything(&nest("if tid == 0 {", "A[0] := 1"));
    everything(&nest("if tid < 9 {", "sync"));
    everything(&nest("forU i in 0..1 {", "A[i] := 1"));
    everything(&nest("forS i in 0..1 {", "A[i] := 1; sync"));
}

#[test]
fn protocols() {
    let nest = |open: &str, inner: &str| {
        format!("threads *; {}{inner}{}", open.repeat(2_000), "}".repeat(2_000))
    };
    for text in [
        format!("threads 2; {}", vec!["wr[tid]"; 100_000].join(";")),
        format!("threads *; {}", vec!["wr[tid]; sync"; 20_000].join(";")),
        nest("any x {", "wr[x]"),
        nest("forS i in 0..2 {", "wr[i]; sync"),
        nest("if tid < 2 {", "wr[0]"),
    ] {
        let map = parse_map(&text).unwrap();
        for decide in [Decide::Enumerate, Decide::Solve] {
            check_protocol(&map, &options(decide)).unwrap();
        }
    }
}
