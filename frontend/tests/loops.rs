//! What loops access, against what C says: with every value known, and with none.

mod common;

use babycuda_frontend::Options;
use common::{Mode, accesses, check};

/// The cells that each thread writes, in order.
fn written(
    source: &str,
    params: &[(&str, i128)],
    threads: u32,
    known: bool,
) -> Option<Vec<Vec<i64>>> {
    accesses(source, params, threads, known, Mode::Write)
}

/// The loop is solved, not unrolled and not unknown: the same also with open parameters.
fn check_solved(statements: &str, params: &[(&str, i128)], wanted: &[i64]) {
    check(statements, params, wanted);
    let declared: Vec<String> = params.iter().map(|(x, _)| format!("int {x}")).collect();
    let source = format!(
        "__global__ void k(int *A, {}) {{ int t = threadIdx.x; {statements} }}",
        declared.join(", ")
    );
    let open = written(&source, params, 2, false).unwrap_or_else(|| panic!("open: {statements}"));
    assert_eq!(open[1], wanted, "with open values: {statements}");
}

#[test]
fn the_nearer_of_two_limits_ends_a_loop() {
    for (n, m, wanted) in [(3, 2, &[0, 1][..]), (1, 5, &[0]), (4, -1, &[])] {
        let given = [("n", n), ("m", m)];
        check_solved("for (int i = 0; i < n && i < m; i++) A[i] = 1;", &given, wanted);
    }
    let given = [("n", 3), ("m", 2)];
    check_solved(
        "int i = 0; while (i < n && i < m) A[i++] = 1; A[50 + i] = 1;",
        &given,
        &[0, 1, 52],
    );
    check_solved("for (int i = 0, j = 9; i < n && j > m; i++, j--) A[j] = 1;", &given, &[9, 8, 7]);
    check_solved("for (int i = 1; i <= n && i < m + 9; i += 2) A[i] = 1;", &given, &[1, 3]);
}

#[test]
fn conditions_have_effects_in_the_body_and_after_the_loop() {
    check("int i = 1; while (i-- > 0) A[t * 10 + i] = 1; A[100 + i] = 1;", &[], &[10, 99]);
    check("int d = 2; do A[d] = 1; while (--d >= 0); A[50 + d] = 1;", &[], &[2, 1, 0, 49]);
    check("int i = 3; while (i--) A[i] = 1; A[50 + i] = 1;", &[], &[2, 1, 0, 49]);
    check("int i = 0; for (; i++ < 4;) A[i] = 1; A[50 + i] = 1;", &[], &[1, 2, 3, 4, 55]);
    check("int i = 0; while (i-- > 0) A[i] = 1; A[50 + i] = 1;", &[], &[49]);
    check(
        "int i = 3, j = 0; while (i-- && j++ < 2) A[j] = i; A[50 + i * 10 + j] = 1;",
        &[],
        &[1, 2, 53],
    );
    check(
        "int i = 3, j = 0; while (i-- > 0 || j++ < 2) A[i + 10 * j] = 1; A[50 + j] = 1;",
        &[],
        &[2, 1, 0, 9, 18, 53],
    );
    check_solved("while (n-- > 0) A[n] = 1; A[50 + n] = 1;", &[("n", 3)], &[2, 1, 0, 49]);
    check_solved("while (--n > 0) A[n] = 1; A[50 + n] = 1;", &[("n", 3)], &[2, 1, 50]);
    check_solved(
        "int i = 0; while (i++ < n) A[i] = 1; A[50 + i] = 1;",
        &[("n", 3)],
        &[1, 2, 3, 54],
    );
    check_solved("int i = 0; while (i++ < n) A[i] = 1; A[50 + i] = 1;", &[("n", -3)], &[51]);
    check_solved("do A[n] = 1; while (--n >= 0); A[50 + n] = 1;", &[("n", 2)], &[2, 1, 0, 49]);
    check_solved(
        "for (int i = 0; i < n; i++) { int j = 2; while (j-- > 0) A[10 * i + j] = 1; }",
        &[("n", 2)],
        &[1, 0, 11, 10],
    );
}

#[test]
fn breaks_and_continues_keep_the_effects_of_conditions() {
    check(
        "int i = 5; while (i-- > 0) { if (i == 3) continue; if (i == 1) break; A[i] = 1; } A[50 + i] = 1;",
        &[],
        &[4, 2, 51],
    );
    check(
        "int i = 5; do { if (i == 3) continue; A[i] = 1; } while (--i > t); A[50 + i] = 1;",
        &[],
        &[5, 4, 2, 51],
    );
    check(
        "for (int i = 0; i < 4; A[10 + i] = 1, i++) { if (i == t) continue; if (i == 2) break; A[i] = 1; }",
        &[],
        &[0, 10, 11],
    );
    check(
        "int x = 0; for (int i = 0; i < 9; i++) { if (i == 4) { x = 7; break; } } A[x] = 1;",
        &[],
        &[7],
    );
}

/// A condition whose right side is not known still has its effects.
#[test]
fn unknown_conditions_have_effects_too() {
    let source = "__global__ void k(int *A, float *f) {
        int i = 3; while (--i && f[0] < 4.0f) A[i] = 1; }";
    let text = common::body(source);
    assert!(!text.contains("A[3]"), "{text}");
    let source = "__global__ void k(int *A, float x) {
        int i = 3; while (--i && x < 4.0f) A[i] = 1; A[50 + i] = 1; }";
    let text = common::body(source);
    assert!(!text.contains("A[3]") && !text.contains("A[53]"), "{text}");
    assert!(!text.contains("select"), "{text}");
}

#[test]
fn barriers_in_loops_whose_condition_counts() {
    let source = "__global__ void k(int *A, int n) {
        while (n-- > 0) { A[n * blockDim.x + threadIdx.x] = 1; __syncthreads(); } }";
    assert!(common::body(source).starts_with("forS "), "{}", common::body(source));
    let written = written(source, &[("n", 2)], 2, false).expect("nothing is unknown");
    assert_eq!(written, [[2, 0], [3, 1]]);
}

#[test]
fn narrow_closed_forms() {
    check("unsigned char x = 1; for (int j = 0; j < 256; j++) x *= 2; A[x] = 1;", &[], &[0]);
    check_solved(
        "unsigned char x = 1; for (int j = 0; j < n; j++) x *= 2; A[x] = 1;",
        &[("n", 256)],
        &[0],
    );
    check(
        "signed char x = -100; for (int j = 0; j < n; j++) x >>= 2; A[x + 5] = 1;",
        &[("n", 64)],
        &[4],
    );
    check_solved(
        "int x = -1; for (int j = 0; j < n; j++) x = x / 2u; A[x] = 1;",
        &[("n", 30)],
        &[3],
    );
    check_solved(
        "long long x = 1; for (int j = 0; j < n; j++) x <<= 3; A[x] = 1;",
        &[("n", 22)],
        &[0],
    );
    check_solved(
        "unsigned x = n; for (int j = 0; j < 40; j++) x >>= 1; A[x] = 1;",
        &[("n", -1)],
        &[0],
    );
}

/// A counter that is shifted, or divided, from a start that may be negative: then there is no iteration.
#[test]
fn counters_that_shrink() {
    for (n, wanted) in
        [(-1, &[50][..]), (i128::from(i32::MIN), &[50]), (0, &[50]), (9, &[9, 2, 50])]
    {
        for head in [
            "int x = n; x > 0; x >>= 2",
            "int x = n; x >= 1; x >>= 2",
            "int x = n; 0 < x; x = x >> 2",
        ] {
            check_solved(&format!("for ({head}) A[x] = 1; A[50] = 1;"), &[("n", n)], wanted);
        }
        let source = "__global__ void k(int *A, int n) {
            for (int x = n; x > 0; x >>= 2) { A[x] = 1; __syncthreads(); } }";
        assert!(common::body(source).starts_with("forS "), "{}", common::body(source));
    }
}

/// Zero-extended counters are not negative at a wider type.
#[test]
fn counters_that_are_compared_at_a_wider_type() {
    check(
        "int i = n; int r = 0; while ((long long)(unsigned)i < m && r < 3) { A[r] = 1; i++; r++; }",
        &[("n", -1), ("m", 5)],
        &[],
    );
    check(
        "signed char i = -2; while ((unsigned short)i > 5 && i < 100) { A[i + 10] = 1; i++; }",
        &[],
        &[8, 9],
    );
}

/// A read again of a cell is no other access, if it stands at the same place of the source and there
/// is no barrier in between.
#[test]
fn reads_that_a_loop_repeats() {
    let read = |body: &str| {
        let source = format!(
            "__global__ void k(int *A) {{ int t = threadIdx.x;
             for (int i = 0; i < 3; i = i * i + 1) {{ {body} }} }}"
        );
        accesses(&source, &[], 2, false, Mode::Read).expect("nothing is unknown")[1].clone()
    };
    assert_eq!(read("int x = A[t];"), [1]);
    assert_eq!(read("int x = A[t]; __syncthreads();"), [1, 1, 1]);
    assert_eq!(read("int x = A[i];"), [0, 1, 2]);
}

#[test]
fn fields_that_are_the_same_for_all_threads_are_parameters() {
    let params = |body: &str| {
        let source = format!(
            "struct P {{ int w; float f; int *out; }}; __constant__ P c; __device__ void inc(P &p) {{ p.w++; }}
             __device__ int own(P q) {{ q.w = 3; return q.w; }}
             __global__ void k(int *A, P p, int3 d) {{ {body} }}"
        );
        let program = common::program(&source, &Options::default());
        let names = program.declarations.params.iter().map(|p| p.name.to_string());
        names.collect::<Vec<_>>()
    };
    let none = Vec::<String>::new();
    assert_eq!(params("A[p.w + d.y] = d.y;"), ["p.w", "d.y"]);
    assert_eq!(params("A[c.w] = p.f;"), ["c.w"]);
    assert_eq!(params("P q = p; A[q.w] = 1;"), ["p.w"]);
    assert_eq!(params("p.w = threadIdx.x; A[p.w] = 1;"), none);
    assert_eq!(params("inc(p); A[p.w] = 1;"), ["p.w"]);
    assert_eq!(params("int *a = &p.w; *a = threadIdx.x; A[p.w] = 1;"), none);
    assert_eq!(params("A[p.w + own(p)] = 1;"), ["p.w"]);
    // A long array in it is one, as long as it is as it was given.
    let reads = |body: &str| {
        let source = format!(
            "struct Q {{ int *out; int n[25]; }}; __global__ void k(Q q) {{ int *o = q.out; {body} o[q.n[1]] = 1; }}"
        );
        let program = common::program(&source, &Options::default());
        program.body.arrays().contains(&babycuda_core::Name::new("q.n"))
    };
    assert!(reads("Q r = q; r.out = o + 1;"));
    assert!(!reads("((char *)&q)[threadIdx.x & 15] = 1;"));
    // What a pointer in it points to is one array.
    let source = "struct P { int *out; }; __global__ void k(P p) { p.out[1] = p.out[2]; }";
    let program = common::program(source, &Options::default());
    assert!(program.body.to_string().contains("p.out[1] := "), "{program}");
}

/// An array has at least one element: the step of the loop is no less.
#[test]
fn extents_of_arrays_are_steps() {
    let source = |extent: &str| {
        format!(
            "template <int N> __global__ void k(float *a, int w) {{
                 __shared__ float s[{extent}][2];
                 for (int i = 0; i < w; i += N) {{ s[0][0] = a[i]; __syncthreads(); }}
             }}"
        )
    };
    let assumed = common::program(&source("N"), &Options::default());
    assert_eq!(assumed.sources.stated[0].1, "N >= 1");
    for extent in ["4", "N + 1"] {
        let refused = common::refusal(&source(extent));
        assert!(refused.contains("counter `i` may overflow"), "{extent}: {refused}");
    }
}
