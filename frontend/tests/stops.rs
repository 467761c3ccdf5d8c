//! Where a thread goes no further for another reason than overflow: an assertion that fails, a
//! trap, a loop that does not end.

mod common;

use babycuda_core::{Launch, Stmt};
use babycuda_frontend::Options;
use common::{Machine, Mode, accesses, body, program, refusal};

fn written(statements: &str, n: i128) -> Vec<Vec<i64>> {
    let source =
        format!("__global__ void k(int *A, int n) {{ int t = threadIdx.x; {statements} }}");
    let known = accesses(&source, &[("n", n)], 3, true, Mode::Write).expect("known");
    let open = accesses(&source, &[("n", n)], 3, false, Mode::Write);
    assert!(open.is_none_or(|open| open == known), "{statements}");
    known
}

fn read(statements: &str) -> Vec<i64> {
    let source = format!("__global__ void k(int *A, int n) {{ {statements} A[9] = 1; }}");
    accesses(&source, &[("n", 1)], 1, false, Mode::Read).expect("known").remove(0)
}

#[test]
fn a_thread_stops_where_an_assertion_fails() {
    let none = Vec::<i64>::new;
    assert_eq!(written("A[5] = 1; assert(t < n); A[t] = 1;", 2), [vec![5, 0], vec![5, 1], vec![5]]);
    assert_eq!(
        written("if (t > 0) assert(n > 4 && t < 2); A[t] = 1;", 3),
        [vec![0], none(), none()]
    );
    assert_eq!(written("bool c = t > 0 && (assert(t > 1), true); A[c] = 1;", 3)[1], none());
    assert_eq!(written("bool c = t > 0 && (assert(t > 1), true); A[c] = 1;", 3)[2], [1]);
    assert_eq!(written("for (int i = 0; i < 3; i++) { assert(i != t); A[i] = 1; }", 3)[2], [0, 1]);
    assert_eq!(written("assert(0); A[t] = 1;", 3)[0], none());
    assert_eq!(body("__global__ void k(int *A) { assert(1 + 1 == 2); A[0] = 1; }"), "A[0] := 1");
    // What it asserts is read.
    assert_eq!(read("assert(A[3] == 0);"), [3]);
    let source = "__global__ void k(int *A) { assert(A[0] == threadIdx.x); A[1] = 1; }";
    let found = program(source, &Options::default());
    assert!(found.body.to_string().contains("stop[0]"), "the stop depends on data: {found}");
    assert_eq!(found.sources.stops.values().next().map(String::as_str), Some("an assertion fails"));
    assert!(found.notes.iter().any(|n| n.message.contains("`assert` is active")));
}

/// With `NDEBUG` an assertion is nothing: `assert.h` says so each time it is included.
#[test]
fn assertions_that_are_switched_off() {
    let kernel = |before: &str, options: &Options| {
        let source =
            format!("{before}\n__global__ void k(int *A) {{ assert(A[1] > 0); A[0] = 1; }}");
        babycuda_frontend::parse_cuda(&source, options).map(|kernels| {
            match &kernels[0].translation {
                babycuda_frontend::Translation::Program(program) => program.body.to_string(),
                babycuda_frontend::Translation::Unsupported(why) => why.to_string(),
            }
        })
    };
    let stops = |before: &str| {
        let body = kernel(before, &Options::default()).expect("readable");
        assert!(!body.contains("not supported"), "{before}: {body}");
        body.contains("stop[0]")
    };
    assert!(stops(""));
    assert!(stops("#include <assert.h>"));
    assert!(!stops("#define NDEBUG\n#include <assert.h>"));
    assert!(!stops("#define NDEBUG\n#include <stdio.h>\n#include <cassert>"));
    // CUDA's compiler has included it before the file starts.
    assert!(stops("#define NDEBUG"));
    assert!(stops("#include <assert.h>\n#define NDEBUG"));
    assert!(stops("#define NDEBUG\n#include <assert.h>\n#undef NDEBUG\n#include <assert.h>"));
    assert!(!stops("#define assert(e)"));
    assert!(stops("#define assert(e)\n#include <assert.h>"));
    // A file's own is its own, after any other header too.
    let own = "#define NDEBUG\n#define assert(e) if (!(e)) return";
    let after = kernel(&format!("{own}\n#include <cub/cub.cuh>"), &Options::default());
    assert_eq!(after, kernel(own, &Options::default()));
    assert!(after.is_ok_and(|body| body.contains("if ") && !body.contains("not supported")));
    let defined = Options { defines: vec![("NDEBUG".into(), "1".into())], ..Options::default() };
    assert_eq!(kernel("#include <cassert>", &defined).as_deref(), Ok("A[0] := 1"));
    for before in [
        "#define NDEBUG\n#include <thrust/sort.h>",
        "#define NDEBUG\n#include \"missing.h\"",
        "#ifdef _WIN32\n#define NDEBUG\n#endif\n#include <assert.h>",
        "#define NDEBUG\n#ifdef _WIN32\n#include <assert.h>\n#endif",
    ] {
        let found = kernel(before, &Options::default()).expect("readable");
        assert!(
            found.contains("not supported: `assert`") || found.contains("may include"),
            "{before}: {found}"
        );
    }
}

#[test]
fn a_thread_stops_at_a_trap() {
    assert_eq!(written("if (t == 1) __trap(); A[t] = 1;", 0), [vec![0], vec![], vec![2]]);
    let source = "__device__ void check(int c) { if (!c) __trap(); }
        __global__ void k(int *A, int n) { check(threadIdx.x < n); A[threadIdx.x] = 1; }";
    let found = accesses(source, &[("n", 1)], 2, false, Mode::Write).expect("known");
    assert_eq!(found, [vec![0], vec![]]);
}

#[test]
fn a_thread_does_not_get_past_a_loop_that_does_not_end() {
    let first = |statements: &str, n| written(&format!("{statements} A[t] = 1;"), n);
    for forever in [
        "while (true) {}",
        "while (1);",
        "for (;;);",
        "do {} while (true);",
        "for (int i = 0; ; ) {}",
    ] {
        assert_eq!(
            first(&format!("if (t > 0) {forever}"), 0),
            [vec![0], vec![], vec![]],
            "{forever}"
        );
    }
    // A condition that no iteration changes.
    assert_eq!(first("if (t > 0) while (n > t) {}", 2), [vec![0], vec![], vec![2]]);
    // The last evaluation of the condition has its effects.
    assert_eq!(written("int i = 0; while (i++, n > 5) {} A[i] = 1;", 2)[0], [1]);
    // Loops that are left.
    assert_eq!(first("while (true) { if (t >= 0) break; }", 0), [[0], [1], [2]]);
    assert_eq!(first("int i = 0; while (true) { if (i++ > t) break; }", 0), [[0], [1], [2]]);
    // What changes its condition may be anything.
    for changing in [
        "int x = 0; int *p = &x; while (x < 5) *p += 1;",
        "int x[2]; x[0] = 0; while (x[0] < 5) x[0]++;",
        "float x = n; while (x > 1.0f) x *= 0.5f;",
        "volatile int x = 0; while (!x) x = A[3];",
        "while (true) { if (t < 5) break; else continue; }",
    ] {
        let source = format!(
            "__global__ void k(int *A, int n) {{ int t = threadIdx.x; {changing} A[t] = 1; }}"
        );
        assert!(!body(&source).contains("stop[0]"), "{changing}: {}", body(&source));
    }
    // What an endless loop accesses counts, and what follows does not.
    let source = "__global__ void k(int *A) { for (;;) { A[1] = 1; } A[0] = 1; }";
    let found = program(source, &Options::default());
    let last = found.body.subterms().filter(|b| matches!(b, Stmt::Write { .. })).count();
    assert_eq!(last, 2);
    let launch = Launch::threads(1);
    let run = Machine::new(&found, launch).run(launch.all().next().expect("a thread"));
    assert!(run.stuck);
    let barrier = "__global__ void k(int *A) { while (true) { __syncthreads(); } }";
    assert!(refusal(barrier).contains("barrier in a loop that does not end"));
}

/// A loop that waits evaluates its condition at least once.
#[test]
fn a_loop_that_waits_reads_what_it_waits_for() {
    let found = program("__global__ void k(int *A) { while (A[3] == 0); }", &Options::default());
    let Stmt::Read { index, .. } = &found.body else { panic!("{found}") };
    assert_eq!(index.to_string(), "3");
}

#[test]
fn what_is_discarded_or_not_evaluated_is_not_read() {
    let none = Vec::<i64>::new();
    for statement in [
        "(void)A[3];",
        "(void)(A[3]);",
        "static_cast<void>(A[3]);",
        "void(A[3]);",
        "(void)*A;",
        "__builtin_assume(A[3] == 0);",
        "__builtin_assume(n > 0 && A[3] == 0);",
        "__assume(A[3]);",
    ] {
        assert_eq!(read(statement), none, "{statement}");
    }
    assert_eq!(read("(void)(A[3] + 1);"), [3]);
    assert_eq!(read("(void)A[A[3]];"), [3]);
    assert_eq!(read("volatile int *p = A; (void)p[3];"), [3]);
    let scalar = "__device__ int g; __global__ void k(int *A) { g; (void)g; A[0] = 1; }";
    assert_eq!(body(scalar), "A[0] := 1");
    for effect in ["__builtin_assume(n++ > 0);", "__builtin_assume(atomicAdd(A, 1) > 0);"] {
        let source = format!("__global__ void k(int *A, int n) {{ {effect} }}");
        assert!(refusal(&source).contains("an effect in what is not evaluated"), "{effect}");
    }
}

/// What is undefined stops a thread, too, and what is said of the kernel rests on that it does not happen.
#[test]
fn what_is_assumed_not_to_happen_is_said() {
    let notes = |statement: &str| {
        let source = format!("__global__ void k(char *A, int n) {{ {statement} A[n] = 1; }}");
        let found = program(&source, &Options::default());
        let place = |n: &babycuda_core::syntax::Note| n.span.map(|span| span.line);
        found.notes.iter().map(|n| (n.message.clone(), place(n))).collect::<Vec<_>>()
    };
    let assumed = |what: &str| [(format!("assumed not to happen: {what}"), Some(1))];
    assert_eq!(notes("memset(A, 0, n);"), assumed("more bytes than any object has"));
    assert_eq!(
        notes("memset(A, 0, n * sizeof(short));"),
        assumed("more bytes than any object has")
    );
    assert_eq!(notes("__builtin_assume(n > 9);"), assumed("what the kernel assumes does not hold"));
    let none = notes("memset(A, 0, 8); memset(A, 0, (unsigned char)n); __builtin_assume(1);");
    assert!(none.is_empty(), "{none:?}");
}
