//! Programs without a text, each with its place.

use babycuda_core::parse::parse_program;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Scope};
use babycuda_core::{Num, Program, Site, Stmt};
use babycuda_gpu::emit::{EmitErrorKind, EmitOptions, Instrumentation, MAX_SHARED, Target, emit};
use std::sync::Arc;

fn refused(text: &str, target: Target) -> (EmitErrorKind, Option<u32>) {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    let error = emit(&program, target, &EmitOptions::default()).expect_err(text);
    assert!(!error.to_string().is_empty());
    (error.kind, error.span.map(|span| span.column))
}

#[test]
fn barriers_that_may_differ() {
    let text = "shared A[4]; if tid == 0 { sync }";
    assert_eq!(refused(text, Target::Wgsl), (EmitErrorKind::Barrier, Some(28)));
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    for target in [Target::Cuda, Target::OpenCl] {
        let text = emit(&program, target, &EmitOptions::default()).expect("a text").text;
        assert!(text.contains("WARNING: not all threads"), "{text}");
        for instrumentation in
            [Instrumentation::Log, Instrumentation::Digest, Instrumentation::Monitor]
        {
            let options = EmitOptions { instrumentation, ..EmitOptions::default() };
            let error = emit(&program, target, &options).expect_err("it may hang");
            assert_eq!(error.kind, EmitErrorKind::Barrier);
        }
    }
}

#[test]
fn barriers_that_the_language_has_not() {
    let tiles = "threads 99; shared A[4] = fill 0; if tid / 8 == 1 { sync.tile4 }; sync.warp";
    let program = parse_program(tiles).unwrap_or_else(|e| panic!("{e}"));
    let with = |target, instrumentation| {
        emit(&program, target, &EmitOptions { instrumentation, ..EmitOptions::default() })
    };
    for instrumentation in [Instrumentation::None, Instrumentation::Log] {
        let text = with(Target::Cuda, instrumentation).expect("a text").text;
        assert!(text.contains("__syncwarp(0xfu << (thread_index & 28u));"), "{text}");
        assert!(text.contains("__syncwarp();"), "{text}");
        // Both have a place in the log.
        let logged = if instrumentation == Instrumentation::Log { 2 } else { 0 };
        assert_eq!(text.matches("record(&thread, ").count(), logged, "{text}");
    }
    for target in [Target::OpenCl, Target::Wgsl] {
        // Not all threads of a block reach the first one; a block's barrier stands for the second.
        let error = with(target, Instrumentation::Log).expect_err("it may hang");
        assert_eq!(error.kind, EmitErrorKind::Barrier);
        let alone = "threads 99; shared A[4] = fill 0; sync.warp";
        let kind = refused(alone, target).0;
        assert!(matches!(kind, EmitErrorKind::Scope { .. }), "{kind}");
        let program = parse_program(alone).unwrap_or_else(|e| panic!("{e}"));
        let options =
            EmitOptions { instrumentation: Instrumentation::Log, ..EmitOptions::default() };
        assert!(emit(&program, target, &options).is_ok());
    }
    for (text, said) in [
        ("warp 3; threads 9; sync.warp", "no barrier of such groups"),
        ("threads 9; grid 2; sync.grid", "no barriers of several blocks"),
        // A text of one block may be launched with several.
        ("threads 9; grid 1; sync.grid", "may be launched with several"),
        ("threads 9; sync.grid", "may be launched with several"),
    ] {
        let kind = refused(text, Target::Cuda).0;
        assert!(matches!(kind, EmitErrorKind::Scope { .. }), "{kind}");
        assert!(kind.to_string().contains(said), "{text}: {kind}");
    }
    let digest = with(Target::Cuda, Instrumentation::Digest).expect_err("digests have no stages");
    assert!(matches!(digest.kind, EmitErrorKind::Scope { .. }));
    // Threads give up loops together, or not at all.
    let text = "threads 99; if tid / 32 == 1 { forS x in 0..3 { sync.warp } }";
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    let options = EmitOptions { instrumentation: Instrumentation::Log, ..EmitOptions::default() };
    let error = emit(&program, Target::Cuda, &options).expect_err("it may hang");
    assert_eq!(error.kind, EmitErrorKind::Barrier);
    assert!(emit(&program, Target::Cuda, &EmitOptions::default()).is_ok());
}

#[test]
fn numbers_beyond_a_word() {
    let wide = "A[0] := 18446744073709551616";
    assert_eq!(refused(wide, Target::Cuda), (EmitErrorKind::Number { bits: 65 }, Some(1)));
    let param = "param M = 18446744073709551616; A[0] := M";
    assert_eq!(refused(param, Target::OpenCl), (EmitErrorKind::Number { bits: 65 }, None));
}

#[test]
fn lengths_that_nobody_knows() {
    let length = |name: &str| EmitErrorKind::Length(name.into());
    assert_eq!(refused("shared A; A[0] := 1", Target::Wgsl).0, length("A"));
    let two = "shared A; shared B; A[0] := 1; B[0] := 1";
    assert_eq!(refused(two, Target::Cuda).0, length("B"));
    assert_eq!(refused("shared A = fill 3; A[0] := 1", Target::Cuda).0, length("A"));
    let long = format!("shared A[{}]; A[0] := 1", MAX_SHARED + 1);
    assert!(matches!(refused(&long, Target::Cuda).0, EmitErrorKind::TooLong { .. }));
    let huge = "shared A[100000000000000000000000]; A[0] := 1";
    assert!(matches!(refused(huge, Target::Cuda).0, EmitErrorKind::TooLong { .. }));
    // Told the lengths, all of them have texts.
    let program = parse_program(two).unwrap_or_else(|e| panic!("{e}"));
    let lengths = [("A".into(), 4), ("B".into(), 5)].into();
    let options = EmitOptions { lengths, ..EmitOptions::default() };
    for target in Target::ALL {
        assert!(emit(&program, target, &options).is_ok());
    }
}

#[test]
fn updates_that_no_device_has() {
    let narrow = "global A: u8; let x = atomic A[0] add.u8 1 in skip";
    for target in Target::ALL {
        let (kind, column) = refused(narrow, target);
        assert!(matches!(kind, EmitErrorKind::Atomic(..)), "{kind}");
        assert_eq!(column, Some(23));
    }
    let opaque = "global A: u32; let x = atomic A[0] opaque 0 in skip";
    assert_eq!(refused(opaque, Target::Cuda), (EmitErrorKind::Opaque, Some(24)));
}

#[test]
fn programs_that_are_not_well_scoped() {
    let of = |body: Stmt| Program::of_body(body).with_arrays(Vec::new());
    let kind = |program: &Program| {
        let error = emit(program, Target::Cuda, &EmitOptions::default()).expect_err("no text");
        assert_eq!(error.site, Some(Site(0)));
        error.kind
    };
    let undeclared = of(Stmt::write("A", Num::lit(0u32), Num::lit(0u32)));
    assert_eq!(kind(&undeclared), EmitErrorKind::Undeclared("A".into()));
    let unbound = Program::of_body(Stmt::write("A", Num::lit(0u32), Num::var("x")));
    assert_eq!(kind(&unbound), EmitErrorKind::Unbound("x".into()));
}

#[test]
fn a_text_that_would_be_too_large() {
    // A tree of 2^40 nodes, in 40 of them.
    let mut n = Num::var("tid");
    for _ in 0..40 {
        let shared = Arc::new(n);
        let op = babycuda_core::NumOp::Natural(babycuda_core::expr::ArithOp::Max);
        n = Num::Binary(op, shared.clone(), shared);
    }
    let update = AtomicUpdate { op: AtomicOp::Exch, operand: n, expected: None };
    let body = Stmt::atomic("x", "A", Num::lit(0u32), update, Scope::Device, Stmt::Skip);
    let program = Program::of_body(body);
    let error = emit(&program, Target::Cuda, &EmitOptions::default()).expect_err("no text");
    assert_eq!(error.kind, EmitErrorKind::TooLarge);
    // Nor may its parts be visited before anyone counts them.
    std::mem::forget(program);
}

#[test]
fn deep_programs_have_texts() {
    let mut body = Stmt::write("A", Num::var("tid"), Num::lit(0u32));
    let mut n = Num::var("tid");
    for _ in 0..20_000 {
        n = Num::arith(babycuda_core::expr::ArithOp::Sub, n, Num::lit(1u32));
        body = Stmt::branch(
            babycuda_core::Bool::Lit(true),
            Stmt::read("x", "A", Num::lit(0u32), body),
            Stmt::Skip,
        );
    }
    let program = Program::of_body(Stmt::seq(Stmt::write("A", n, Num::lit(1u32)), body));
    for target in [Target::Cuda, Target::OpenCl] {
        let text = emit(&program, target, &EmitOptions::default()).expect("a text").text;
        assert!(text.lines().count() > 60_000);
    }
}
