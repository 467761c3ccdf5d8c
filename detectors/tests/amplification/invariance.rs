//! Access invariance: what is invariant, and which inputs decide accesses.

use super::*;
use babycuda_detectors::amplification::{Input, inputs, integrity};

/// LGAGJL12 Fig. 1.
const SCALAR_PROD: &str = include_str!("../../../examples/paper/lgagjl12-fig1.cu");

fn names(source: &str) -> Vec<String> {
    let kernel = kernel(source);
    let found = integrity(&kernel).unwrap_or_else(|e| panic!("{e:?}"));
    found.into_iter().map(|input| input.name(&kernel).to_string()).collect()
}

fn invariant(body: &str) -> bool {
    analysed(&format!(
        "__device__ int twice(int x) {{ return 2 * x; }}
         __device__ void put(int *p, int i, int x) {{ p[i] = x; }}
         __device__ void set(int &r, int x) {{ r = x; }}
         __device__ int chosen(int x) {{ if (x > 0) return 1; return 2; }}
         __global__ void k(int *a, int *b, int n, float f) {{
             __shared__ int s[64]; int t = threadIdx.x; {body} }}"
    ))
    .holds()
}

/// §3.4: the property-integrity inputs of Fig. 1 are a subset of the configuration.
#[test]
fn the_scalar_product_is_invariant() {
    assert!(analysed(SCALAR_PROD).holds());
    assert_eq!(names(SCALAR_PROD), ["sizeN"]);
}

#[test]
fn data_that_decides_no_access() {
    for body in [
        "a[t] = b[t] * b[t + n];",
        "int x = b[t]; int y = x; a[t] = y;",
        // A condition that decides values alone: the paper refuses it (§4.1), and needs not.
        "int x = 0; if (b[t] > 0) x = 1; a[t] = x;",
        "int x = b[t] > 0 ? 1 : 2; a[t] = x;",
        "int x = b[t]; int y = 0; for (int i = 0; i < x; i++) y += i; a[t] = y;",
        "if (f > 0.0f) { int x = 3; x++; } a[t] = 1;",
        // Functions are followed with the arguments of each call.
        "int x = twice(b[t]); a[twice(t)] = x;",
        "int x; set(x, b[t]); int i = 0; set(i, t); put(a, i, x);",
        "int i; i = t; int j; if (n > 3) j = 1; else j = 2; a[i + j] = 3;",
        "int *p = a + n; p[t] = b[t];",
        "int x = chosen(b[t]); a[t] = x;",
        "int l[4]; l[0] = b[t]; a[t] = l[0];",
        "int x = 0; switch (b[t]) { case 1: x = 3; break; default: break; } a[t] = x;",
        "s[t] = b[t]; __syncthreads(); a[t] = s[63 - t];",
        "if (n > 7) { a[t] = 1; } else { return; } b[t] = 1;",
        "for (int i = 0; i < n; i++) { if (i == 3) continue; a[t + i] = 0; }",
        "int x = b[t], y = 0; for (int i = 0; i < n; i++) { a[i] = y; if (x) continue; y = 3; }",
        "a[t] = 0; if (b[t]) return;",
        "a[__popc(n) + t] = 1;",
    ] {
        assert!(invariant(body), "{body}");
    }
}

#[test]
fn data_that_decides_an_access() {
    for body in [
        "int x; if (x > 0) a[t] = 1;",
        "int x; while (x > 0) { a[t] = 1; }",
        "a[b[t]] = 1;",
        "int x = a[b[t]];",
        "int x = b[t]; int y = x + 1; a[y] = 1;",
        "int x = f; a[x] = 1;",
        "int x = 0; if (b[t] > 0) x = 1; a[x] = 1;",
        "int x = b[t] > 0 ? 1 : 2; a[x] = 1;",
        "if (b[t] > 0) a[t] = 1;",
        "if (b[t] > 0) { } else { a[t] = 1; }",
        "int x = b[t] > 0 && a[t] > 0;",
        "int x = b[t] ? a[t] : 3;",
        "if (b[t]) return; a[t] = 1;",
        "while (b[t] > 0) { }",
        "int x = b[t]; while (x > 0) { a[t] = 1; x--; }",
        "int x = b[t]; int i = 0; for (int j = 0; j < x; j++) i++; a[i] = 1;",
        "int x = b[t]; for (int i = 0; i < n; i++) { if (x == i) break; a[i] = 1; }",
        "int x = b[t]; for (int i = 0; i < n; i++) { a[i] = 1; if (x == i) break; }",
        "int x = b[t]; for (int i = 0; i < n; i++) { if (x == i) continue; a[i] = 1; }",
        "int x = b[t]; for (int i = 0; i < n; i++) { if (x == i) return; } a[0] = 1;",
        "switch (b[t]) { case 1: a[0] = 1; break; default: break; }",
        "int x = b[t]; switch (n) { case 1: if (x) break; a[0] = 1; break; default: break; }",
        "if (b[t]) __syncthreads();",
        "if (b[t]) put(a, t, 1);",
        "put(a, b[t], 1);",
        "int i = 0; set(i, b[t]); a[i] = 1;",
        "a[twice(b[t])] = 1;",
        "a[chosen(b[t])] = 1;",
        "int *p = b[t] ? a : b; *p = 1;",
        "int *p = a; if (b[t]) p = a + 1; *p = 1;",
        "int i; a[i] = 1;",
        "int i; if (n) i = 1; a[i] = 1;",
        "int l[4]; l[0] = b[t]; a[l[1]] = 1;",
        "int l[2] = { 1, 2 }; a[l[b[t] & 1]] = 1;",
        "int l[4]; l[b[t]] = 1; a[l[1]] = 1;",
        "s[t] = t; __syncthreads(); a[s[t]] = 1;",
        "int i = atomicAdd(a, 1); b[i] = 1;",
        "int i = __shfl_sync(0xffffffff, b[t], 0); a[i] = 1;",
        "int i = __ballot_sync(0xffffffff, n); a[i] = 1;",
        "assert(b[t]);",
        "if (b[t]) __trap();",
        "nobody_knows(t);",
    ] {
        assert!(!invariant(body), "{body}");
    }
}

/// §5.2: the least set of inputs, where more were called configuration.
#[test]
fn property_integrity_inputs_are_found() {
    // Rows of an image: the width decides, the height does not (as in convolutionSeparable).
    let rows = "__global__ void rows(float *out, const float *in, int width, int height, float k) {
        int x = threadIdx.x; float e = height; out[blockIdx.x * width + x] = in[x] * k / e; }";
    assert_eq!(names(rows), ["width"]);
    let gather = "__global__ void gather(int *out, const int *in, const int *at, int n) {
        if (threadIdx.x < n) out[threadIdx.x] = in[at[threadIdx.x]]; }";
    assert_eq!(names(gather), ["n", "at"]);
    let nothing = "__global__ void fill(int *out, int x) { out[threadIdx.x] = x; }";
    assert!(names(nothing).is_empty());
    let clock = "__global__ void k(int *out) { out[clock()] = 1; }";
    assert!(integrity(&kernel(clock)).is_err());
}

/// All inputs that are no property-integrity inputs may vary at once.
#[test]
fn all_others_may_vary_together() {
    for source in [
        SCALAR_PROD,
        "__global__ void k(int *a, int *b, int *c, int n, int m, int o)
        { int i = n; if (m > 3) i = b[0] * 0 + n; a[i + threadIdx.x] = c[o]; }",
    ] {
        let kernel = kernel(source);
        let decide = integrity(&kernel).expect("they decide alone");
        let others = inputs(&kernel).into_iter().filter(|input| !decide.contains(input)).collect();
        assert!(invariance(&kernel, &others).holds());
        assert!(!decide.is_empty());
    }
}

#[test]
fn inputs_of_memory_and_parameters() {
    let source = "__constant__ int open[4]; __device__ int cell; __constant__ const int two = 2;
        struct Pair { int *p; int n; };
        __global__ void k(Pair pair, float *a, int n) {
            __shared__ int s[4]; pair.p[threadIdx.x * pair.n] = open[0] + cell + two + s[0] + n; a[0] = 1; }";
    let kernel = kernel(source);
    let of = |contents: bool| {
        let all = inputs(&kernel).into_iter();
        let mut names: Vec<String> = all
            .filter(|input| matches!(input, Input::Contents(_)) == contents)
            .map(|input| input.name(&kernel).to_string())
            .collect();
        names.sort();
        names
    };
    assert_eq!(of(false), ["n", "pair"]);
    assert_eq!(of(true), ["a", "cell", "open", "pair", "s"]);
    assert!(analysed(source).holds());
    assert_eq!(names(source), ["pair"]);
}
