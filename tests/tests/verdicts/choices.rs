//! Pointers that point into one of several arrays.

use super::*;

/// The outcome for a kernel of these statements, in blocks of 64 threads.
fn outcome(statements: &str) -> Outcome {
    let source = format!(
        "__device__ void put(float *to, int at) {{ to[at] = at; }}
         __global__ void k(float *a, float *b, float *c, float4 *v, int *p, int *q, int n) {{
             __shared__ float s[128];
             int i = threadIdx.x;
             {statements}
         }}"
    );
    kernel(&source, &Settings::default(), Some(Dim3::line(64))).verdict.outcome
}

#[test]
fn an_access_is_one_of_the_array_that_is_chosen() {
    let cases = [
        // By the thread, by a parameter, and by a branch.
        ("float *x = i < 32 ? a : b; x[i] = 1;", false),
        ("float *x = i < 32 ? a : b; x[i % 32] = 1;", false),
        ("float *x = i < 33 ? a : b; x[i % 32] = 1;", true),
        ("float *x = n ? a : b; x[i] = 1;", false),
        ("float *x = n ? a : b; x[0] = 1;", true),
        ("float *x = a; if (n > 3) x = b; x[i] = 1; a[i] = 2;", false),
        ("float *x = a; if (n > 3) x = b; x[i] = 1; a[i + 1] = 2;", true),
        ("float *x = a; if (n > 3) x = b; x[i] = 1; c[i + 1] = 2;", false),
        // What is read, and what a condition decides again.
        ("float *x = i % 2 ? a : b; b[i] = x[i];", false),
        ("float *x = i % 2 ? a : b; b[i] = x[i + 1];", true),
        ("float *x = i % 2 ? a : b; if (i % 2) c[i] = x[i]; else a[i] = x[i];", false),
        ("float *x = i % 2 ? a : b; if (i % 2) c[i] = x[i]; else a[i + 1] = x[i];", true),
        ("float *x = i % 2 ? a : b; if (i % 2) x[0] = a[i];", true),
        ("float *x = i ? a : b; if (!i) x[0] = b[1]; else x[i] = 1;", false),
        // Of cells that are made alike.
        ("float4 *x = n ? (float4 *)p : v; x[i].y = 1;", false),
        ("float4 *x = n ? (float4 *)p : v; x[i].y = 1; p[4 * i + 1] = 2;", false),
        ("float4 *x = n ? (float4 *)p : v; x[i].y = 1; p[4 * i + 5] = 2;", true),
        // Of different places, with arithmetic, and in loops.
        ("float *x = i < 32 ? a + 32 : b; x[i] = 1; a[i] = 2;", true),
        ("float *x = i < 32 ? a + 64 : b; x[i] = 1; a[i] = 2;", false),
        ("float *x = i < 32 ? a + 64 : a; x[i % 32] = 1; b[i] = 2;", false),
        (
            "float *x = i < 32 ? a : b; x += i; for (int j = 0; j < n; j++) { *x = j; x += 64; }",
            false,
        ),
        (
            "float *x = i < 32 ? a : b; x += i; for (int j = 0; j < n; j++) { *x = j; x += 16; }",
            true,
        ),
        ("for (int j = 0; j < 8; j++) { float *x = j % 2 ? a : b; x[8 * i + j] = 1; }", false),
        ("for (int j = 0; j < 9; j++) { float *x = j % 2 ? a : b; x[8 * i + j] = 1; }", true),
        // Of three, in functions, and of a block's own memory.
        ("float *x = i < 9 ? a : i < 32 ? b : c; x[i % 9] = 1;", true),
        ("float *x = i < 9 ? a : i < 18 ? b : c; if (i < 27) x[i % 9] = 1;", false),
        ("put(i < 32 ? a : b, i % 32);", false),
        ("put(i < 31 ? a : b, i % 32);", true),
        ("float *x = i < 32 ? s : a; x[i] = 1; s[i + 32] = 2;", false),
        ("float *x = i < 32 ? s : a; x[i] = 1; s[i] = 2;", false),
        ("float *x = i < 32 ? s : a; x[i] = 1; s[63 - i] = 2;", true),
        ("float *x = i < 32 ? a : b; x[i] += 1;", false),
        ("float *x = i < 32 ? a : b; x[i / 2] += 1;", true),
        // Whoever decides.
        ("float *x = p[i] ? a : b; x[i] = 1;", false),
        ("float *x = q[0] > 3 ? a : b; x[0] = 1;", true),
        // At other types.
        ("float4 *x = (float4 *)(i < 32 ? a : b); x[i] = v[i]; a[4 * i] = 1;", false),
        ("float4 *x = (float4 *)(i < 32 ? a : b); x[i] = v[i]; a[4 * i + 4] = 1;", true),
    ];
    let wanted = |racy: bool| if racy { Outcome::Racy } else { Outcome::Drf };
    let found = cases.map(|(statements, racy)| (statements, outcome(statements), wanted(racy)));
    let wrong: Vec<_> = found.iter().filter(|(_, found, wanted)| found != wanted).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Which array is chosen may not be known where it is accessed: that is refused.
#[test]
fn a_choice_that_is_not_known_is_refused() {
    for (statements, why) in [
        (
            "int *x = p; for (int j = 0; j < n; j++) { x[i] = 1; x = q; }",
            "a pointer into an array that is not known",
        ),
        (
            "int own = 0; int *x = n ? p : &own; *x = 1;",
            "a pointer that may point into several arrays",
        ),
        ("atomicAdd(n ? p : q, 1);", "a pointer that may point into several arrays"),
    ] {
        let source = format!(
            "__global__ void k(int *p, int *q, float4 *v, int n) {{ int i = threadIdx.x; {statements} }}"
        );
        let kernels = parse_cuda(&source, &Settings::default().into()).expect("readable");
        let Translation::Unsupported(refused) = &kernels[0].translation else {
            panic!("{statements}: translated")
        };
        assert_eq!(refused.construct, why, "{statements}");
    }
}
