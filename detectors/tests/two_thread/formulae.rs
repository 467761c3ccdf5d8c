//! Kernels as formulae (§4).

use super::*;
use babycuda_detectors::Refusal;
use babycuda_detectors::two_thread::translate;

fn show(text: &str) -> String {
    translate(&body(text).tree, Reading::PRINTED).unwrap_or_else(|e| panic!("{e}")).to_string()
}

#[test]
fn conditional_statements_are_the_papers() {
    let shown = show("int x = 10; int y = 4; if (x > 9) { y = 6; } a[0] = y;");
    let wanted = "true => (== x0 10)\ntrue => (== y0 4)\n(> x0 9) => (== y1 6)\n!(> x0 9) => (== y1 y0)\n\
        true => (== a1 (store a0 0 y1))\n";
    assert_eq!(shown, wanted);
}

#[test]
fn both_branches_meet_in_a_new_variable() {
    let shown = show("int y; if (n > 9) { y = 6; a[0] = 1; } else { y = 7; a[1] = 2; }");
    let wanted = "(> n0 9) => (== y1 6)\n(> n0 9) => (== a1 (store a0 0 1))\n!(> n0 9) => (== y2 7)\n\
        !(> n0 9) => (== a2 (store a0 1 2))\n(> n0 9) => (== y3 y1)\n!(> n0 9) => (== y3 y2)\n\
        (> n0 9) => (== a3 a1)\n!(> n0 9) => (== a3 a2)\n";
    assert_eq!(shown, wanted);
}

#[test]
fn for_loops_are_the_papers() {
    let shown = show("int y = 0; for (int i = 0; i < 100; i++) { y = i + 9; }");
    let wanted = "true => (== y0 0)\ntrue => (== i0 0)\ntrue => (and (>= i.k0 0) (== i1 (+ i0 (* i.k0 1))))\n\
        (< i1 100) => (== y1 (+ i1 9))\n";
    assert_eq!(shown, wanted);
}

/// Example 2, lines 4 to 9. Its line 6 and the clause of Example 3 have `% 1`, where its Figure has an even thread: a slip.
#[test]
fn example_2() {
    let shown = show(
        "int tid = threadIdx.x; if (tid % 2 == 0) { __syncthreads(); b[tid] = a[tid] + 10; a[tid + 1] = 10; } \
        for (int i = 0; i < 100; i++) { a[i % 4] = i + 10; }",
    );
    let lines = [
        "(== (% tid0 2) 0) => BAR",
        "(== (% tid0 2) 0) => (== b1 (store b0 tid0 (+ (select a0 tid0) 10)))",
        "(== (% tid0 2) 0) => (== a1 (store a0 (+ tid0 1) 10))",
        "!(== (% tid0 2) 0) => (== a1 a0)",
        "(< i1 100) => (== a2 (store a1 (% i1 4) (+ i1 10)))",
    ];
    for line in lines {
        assert!(shown.lines().any(|l| l == line), "{line}\n{shown}");
    }
}

#[test]
fn operators_assign() {
    let shown = show("int i = 3; int j = i++ + 1; int k = --i; i <<= 2; j = !i; k = ~i; k = -k;");
    let wanted = "true => (== i0 3)\ntrue => (== i1 (+ i0 1))\ntrue => (== j0 (+ i0 1))\ntrue => (== i2 (- i1 1))\n\
        true => (== k0 i2)\ntrue => (== i3 (<< i2 2))\n";
    assert!(shown.starts_with(wanted), "{shown}");
    assert!(shown.ends_with("true => (== k1 ~i3)\ntrue => (== k2 -k1)\n"), "{shown}");
}

/// What the paper has not is refused, at its place.
#[test]
fn what_the_paper_has_not_is_refused() {
    for (text, construct) in [
        ("int *p = a;", "a pointer variable"),
        ("*a = 1;", "a pointer"),
        ("atomicAdd(&a[0], 1);", "atomicAdd"),
        ("__syncwarp();", "__syncwarp"),
        ("while (n > 3) { a[0] = 1; }", "a loop that is no simple `for`"),
        ("for (int i = 0; i < n; i *= 2) { a[i] = 1; }", "a loop that is no simple `for`"),
        ("for (int i = 1; i < n; i += i) { a[i] = 1; }", "a step that an iteration changes"),
        ("for (int i = 0; i < n; i++) { i += 1; }", "a loop whose body counts, too"),
        ("for (int i = 0; i < n; i++) { if (i == 2) break; }", "break"),
        ("for (int i = 0; i < n; i++) { if (i == 2) return; }", "a return in a loop"),
        ("switch (n) { case 1: a[0] = 1; }", "switch"),
    ] {
        match translate(&body(text).tree, Reading::PRINTED) {
            Err(Refusal::Unsupported { construct: found, .. }) => assert_eq!(found, construct),
            other => panic!("{text}: {other:?}"),
        }
    }
    let called =
        case("__device__ int f(int i) { return i; } __global__ void k(int *a) { a[f(1)] = 1; }");
    assert!(translate(&called.tree, Reading::PRINTED).is_err());
    // Its values are not among the formulae, and any others would be a false alarm.
    let table = "__constant__ const int c[2] = {0, 1};";
    let reads = case(&format!("{table} __global__ void k(int *a) {{ a[c[threadIdx.x]] = 1; }}"));
    assert!(translate(&reads.tree, Reading::PRINTED).is_err());
    let unused = case(&format!("{table} __global__ void k(int *a) {{ a[threadIdx.x] = 1; }}"));
    assert!(translate(&unused.tree, Reading::PRINTED).is_ok());
    // What the host may change is no constant.
    for (variable, is_one) in
        [("__device__ int c = 3;", false), ("__constant__ const int c = 3;", true)]
    {
        let tree = case(&format!("{variable} __global__ void k(int *a) {{ a[c] = 1; }}")).tree;
        let shown = translate(&tree, Reading::PRINTED).unwrap().to_string();
        assert_eq!(shown.contains("(== c0 3)"), is_one, "{shown}");
        assert_eq!(shown.contains("(select c0 0)"), !is_one, "{shown}");
    }
}

#[test]
fn rows_follow_each_other() {
    let case = case("__global__ void k() { __shared__ int t[4][8]; t[1][threadIdx.x] = 1; }");
    let shown = translate(&case.tree, Reading::PRINTED).expect("formulae").to_string();
    assert_eq!(shown, "true => (== t1 (store t0 (+ (* 1 8) tid.x0) 1))\n");
}
