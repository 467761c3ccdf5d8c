//! What headers decide: those that are found are read, and what one that is missing may decide is
//! not translated, with the reason; nothing else is lost.

#[path = "../common/mod.rs"]
mod common;
mod compilers;
mod includers;

use babycuda_core::{Dim3, Settings};
use babycuda_frontend::{Includes, Options, Translation, parse_cuda};

/// What becomes of each kernel: its program's body, or why there is none.
fn kernels(source: &str, options: &Options) -> Vec<String> {
    let kernels = parse_cuda(source, options).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let text = |t: Translation| match t {
        Translation::Program(program) => program.body.to_string(),
        Translation::Unsupported(why) => why.to_string(),
    };
    kernels.into_iter().map(|k| format!("{}: {}", k.name, text(k.translation))).collect()
}

fn with(files: &[(&str, &str)]) -> Options {
    let includes = Includes::of(files.iter().copied());
    let settings = Settings { block: Some(Dim3::line(32)), ..Settings::default() };
    Options { includes, ..settings.into() }
}

const MISSING: &str = "`config.h` (line 1, not found)";

#[test]
fn a_macro_of_a_header_counts() {
    // Each is racy or race-free by what the header says.
    let source = "#include \"config.h\"\n#ifndef STEP\n#define STEP 1\n#endif\n\
                  __global__ void k(int *a) { BARRIER a[threadIdx.x * STEP] = 1; }";
    let header = "#pragma once\n#define STEP 0\n#define BARRIER __syncthreads();\n";
    assert_eq!(kernels(source, &with(&[("config.h", header)])), ["k: sync; a[0] := 1"]);
}

#[test]
fn a_directive_without_a_name_finds_nothing() {
    for name in ["", "\"\"", "<>"] {
        let source = format!(
            "#ifdef UNKNOWN\n#include {name}\n#endif\n__global__ void k(int *a) {{ a[7] = 1; }}"
        );
        assert_eq!(kernels(&source, &with(&[])), ["k: a[7] := 1"], "{name}");
    }
}

#[test]
fn macros_are_whole() {
    for (macros, statement, wanted) in [
        (
            "#define FOR(i, n) for (int i = 0; i < n; ++i)",
            "FOR(j, 3) a[j] = 1;",
            "forU j in 0..3 { a[j] := 1 }",
        ),
        ("#define MINUS(x) -x", "a[-MINUS(5)] = 1;", "a[5] := 1"),
        ("#define ADD(x, y) x += y; x++; x <<= 1", "int i = 1; ADD(i, 3); a[i] = 1;", "a[10] := 1"),
        ("#define AT(p, ...) p[__VA_ARGS__]", "AT(a, 7) = 1;", "a[7] := 1"),
        ("#define VAR(n) v##n\n#define NAME(n) VAR(n)", "int NAME(1) = 4; a[v1] = 1;", "a[4] := 1"),
        ("#define SAY(f, x...) printf(f, ##x); a[2] = 1", "SAY(\"n\");", "a[2] := 1"),
    ] {
        let source = format!("{macros}\n__global__ void k(int *a) {{ {statement} }}");
        let found = kernels(&source, &with(&[]));
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with(wanted), "{statement}: {found:?}");
    }
}

#[test]
fn an_error_in_a_macro_spoils_only_who_uses_it() {
    let source = "#define BAD(x) x ## )\n#define WORSE # 1\n#define UNREAD(x x\n\
                  __global__ void good(int *a) { a[0] = 1; }\n\
                  __global__ void bad(int *a) { a[BAD(0)] = 1; }\n\
                  __global__ void unread(int *a) { UNREAD(1); }\n\
                  #define HELP BAD(1)\n__device__ int f() { return HELP; }\n\
                  __global__ void calls(int *a) { a[f()] = 1; }";
    assert_eq!(
        kernels(source, &with(&[])),
        [
            "good: a[0] := 1",
            "bad: 5:33: not supported: `0` and `)` cannot be pasted to one token",
            "unread: 6:34: not supported: macro `UNREAD`: unfinished parameters",
            "calls: 9:35: not supported: `1` and `)` cannot be pasted to one token",
        ]
    );
}

#[test]
fn what_a_missing_header_may_decide_is_unknown() {
    let kernel = |before: &str, statements: &str| {
        let source = format!(
            "#include \"config.h\"\n{before}\n__global__ void k(int *a) {{ {statements} }}"
        );
        kernels(&source, &with(&[])).pop().unwrap_or_default()
    };
    let conditional = |place: &str, name: &str| {
        format!("k: {place}: not supported: conditional on `{name}`, which {MISSING} may define")
    };
    // A conditional in the kernel.
    assert_eq!(kernel("", "\n#ifdef FAST\na[0] = 1;\n#endif\n"), conditional("4:1", "FAST"));
    assert_eq!(
        kernel("", "\n#if defined(X) || SIZE > 4\n#else\na[0] = 1;\n#endif\n"),
        conditional("4:1", "X")
    );
    // A macro that a conditional defines.
    let guard = "#ifndef N\n#define N 4\n#endif";
    assert_eq!(
        kernel(guard, "a[N] = 1;"),
        format!(
            "k: 5:31: not supported: macro `N`: conditional on `N`, which {MISSING} may define"
        )
    );
    assert_eq!(
        kernel("#ifdef D\n#define M 1\n#endif", "a[M] = 1;"),
        format!("k: 5:31: not supported: `M`: conditional on `D`, which {MISSING} may define")
    );
    // A macro that a conditional defines anew, or may.
    for change in ["#undef N\n#define N 0", "#define N 0", "#undef N"] {
        let found = kernel(&format!("#define N 4\n#ifdef D\n{change}\n#endif"), "a[N] = 1;");
        assert!(found.contains("macro `N`: conditional on `D`"), "{change}: {found}");
        let found = kernel(&format!("#define N 4\n#ifndef D\n{change}\n#endif"), "a[N] = 1;");
        assert!(found.contains("conditional on `D`"), "{change}: {found}");
        let settled = format!("#define N 4\n#ifdef D\n{change}\n#endif\n#undef N\n#define N 2");
        assert_eq!(kernel(&settled, "a[N] = 1;"), "k: a[2] := 1", "{change}");
    }
    // A type that it declares, directly and through another.
    for (before, name) in [
        ("#ifdef D\ntypedef int T;\n#else\ntypedef float T;\n#endif", "T"),
        (
            "#ifdef D\nstruct S { int x; };\n#endif\n#ifdef D\ntypedef int T;\n#endif\ntypedef T U;",
            "U",
        ),
        (
            "#ifdef D\n__device__ int U() { return 1; }\n#else\n__device__ int U() { return 0; }\n#endif",
            "U",
        ),
    ] {
        let found = kernel(before, &format!("a[({name})(0)] = 1;"));
        assert!(found.contains("conditional on `D`"), "{before}: {found}");
    }
    // A type is one of numbers, of which nothing else is known.
    for statements in ["Real x = 0; a[x] = 1;", "a[(Index)3] = 1;"] {
        assert!(kernel("", statements).contains("a[u] := 1"), "{}", kernel("", statements));
    }
    // An extent, a call, and a name before a statement.
    for (statements, name) in [
        ("__shared__ int s[TILE]; s[0] = 1;", "TILE"),
        ("a[index(3)] = 1;", "index"),
        ("BARRIER a[1] = 1;", "BARRIER"),
        ("BARRIER *a = 1;", "BARRIER"),
        ("BARRIER; a[1] = 1;", "BARRIER"),
        ("LOOP(i, 3) a[i] = 1;", ""),
        ("BARRIER if (a[0]) a[1] = 1;", ""),
    ] {
        let found = kernel("", statements);
        assert!(found.contains("not supported"), "{statements}: {found}");
        assert!(found.contains(name), "{statements}: {found}");
    }
    // Even when no header is missing.
    let source = "__global__ void k(int *a) { BARRIER a[1] = 1; }";
    assert_eq!(
        kernels(source, &with(&[])),
        ["k: 1:29: not supported: unknown name `BARRIER` before a statement"]
    );
}

#[test]
fn what_a_missing_header_cannot_decide_keeps_its_verdict() {
    let kernel = |before: &str, statements: &str| {
        let source = format!("{before}\n__global__ void k(int *a) {{ {statements} }}");
        kernels(&source, &with(&[])).pop().unwrap_or_default()
    };
    let missing = "#include \"config.h\"\n#include <other/thing.hpp>";
    for before in [
        missing.to_owned(),
        format!("{missing}\n#ifdef OTHER\nint other(Strange x);\n#else\nint another;\n#endif"),
        format!("{missing}\n#ifndef SIZE\n#error give SIZE\n#endif"),
        format!("{missing}\n#undef D\n#ifdef D\n#define a b\n#endif"),
        format!("#define D 1\n{missing}\n#ifndef D\n#define a b\n#endif"),
        format!("{missing}\n#if defined(__OPENCL_VERSION__) || __HIPCC__\n#define a b\n#endif"),
        format!("{missing}\n#ifndef _MINE_\n#define _MINE_ 1\n#else\n#define a b\n#endif"),
        format!("{missing}\n#if 0 && D\n#define a b\n#endif"),
        "#include <cuda_runtime.h>\n#include <cstdio>\n#ifdef D\n#define a b\n#endif".to_owned(),
    ] {
        assert_eq!(kernel(&before, "a[1] = 1;"), "k: a[1] := 1", "{before}");
    }
    assert_eq!(kernel("#include <limits.h>", "a[INT_MAX / INT_MAX] = 1;"), "k: a[1] := 1");
    // A header's guard is no open question.
    let files = [("b.h", "#ifndef B_H\n#define B_H\n#define STEP 3\n#endif\n")];
    let source =
        "#include \"config.h\"\n#include \"b.h\"\n__global__ void k(int *a) { a[STEP] = 1; }";
    assert_eq!(kernels(source, &with(&files)), ["k: a[3] := 1"]);
}

#[test]
fn kernels_in_branches_that_may_be_compiled_are_not_dropped() {
    let source = "#include \"config.h\"\n#ifdef NEW\n__global__ void __launch_bounds__(64) fresh(int *a) { a[0] = 1; }\n\
                  #else\n__global__ void old(int *a) { a[0] = 1; }\n#endif\n\
                  __global__ void k(int *a) { a[1] = 1; }";
    let why = format!("not supported: conditional on `NEW`, which {MISSING} may define");
    assert_eq!(
        kernels(source, &with(&[])),
        [format!("old: 5:1: {why}"), "k: a[1] := 1".to_owned(), format!("fresh: 3:1: {why}")]
    );
}

#[test]
fn places_in_included_files_are_those_of_the_include() {
    let files = [(
        "b.cuh",
        "\n__global__ void k(int *a) {\n  a[0] = 1;\n}\n__global__ void l(int *a) {\n  __nothing();\n}",
    )];
    let source = "// a comment\n#include \"b.cuh\"\n";
    let found = parse_cuda(source, &with(&files)).expect("readable");
    let Translation::Program(program) = &found[0].translation else { panic!() };
    assert!(program.sources.spans.values().all(|s| (s.line, s.column) == (2, 1)));
    assert!(
        program.notes.iter().any(|n| n.message.contains("`b.cuh`, line 2")),
        "{:?}",
        program.notes
    );
    let Translation::Unsupported(why) = &found[1].translation else { panic!() };
    assert_eq!(
        why.to_string(),
        "2:1: not supported: call of `__nothing`, which is not defined in this file (`b.cuh`, line 6)"
    );
}

/// How often a missing header uses `__COUNTER__` is not known.
#[test]
fn a_missing_header_may_count() {
    let counts =
        "#define X __COUNTER__\n__global__ void k(int *a) { a[X] = 1; a[__COUNTER__] = 2; }";
    assert!(common::body(counts).contains("a[1] := 2"));
    let refusal = common::refusal(&format!("#include \"gone.h\"\n{counts}"));
    assert!(refusal.contains("`__COUNTER__`") && refusal.contains("`gone.h`"), "{refusal}");
}
