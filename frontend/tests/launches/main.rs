//! What the host code of a file says of its launches: relations that hold, and nothing else.

mod refused;

use babycuda_core::syntax::Extent;
use babycuda_frontend::launches::{LaunchSite, Launched, launches};
use babycuda_frontend::{Kernel, Options, parse_cuda};

const KERNEL: &str =
    "__global__ void k(float *a, int n) { a[blockIdx.x * n + threadIdx.x] = 0; }\n";

/// The sites of the kernels and the kernels of a text.
fn read(source: &str) -> (Vec<LaunchSite>, Vec<Kernel>) {
    let options = Options::default();
    let sites = launches(source, &options).expect("the file can be read");
    (sites, parse_cuda(source, &options).expect("the file can be read"))
}

/// The launches of the only kernel.
fn launched(source: &str) -> Vec<Option<Launched>> {
    let (sites, kernels) = read(source);
    let options = Options::default();
    sites.iter().map(|site| site.under(&kernels[0], source, &options)).collect()
}

/// What the launches say, each in words.
fn said(host: &str) -> Vec<Vec<String>> {
    let source = format!("{KERNEL}{host}");
    launched(&source)
        .into_iter()
        .map(|l| l.expect("a kernel under its launch").conditions)
        .collect()
}

/// What the only launch in the body of a host function says, whose parameters are `int n, int m, float *d`.
fn body(statements: &str) -> Vec<String> {
    let mut all = said(&format!("void f(int n, int m, float *d) {{ {statements} }}"));
    assert_eq!(all.len(), 1, "{statements}");
    all.remove(0)
}

#[test]
fn constants_are_the_launch() {
    let expected = ["blocks of 64", "n == 5", "gridDim.x == 3"];
    assert_eq!(body("k<<<3, 64>>>(d, 5);"), expected);
    assert_eq!(body("const int b = 8 * 8; dim3 grid(3); k<<<grid, b>>>(d, 5);"), expected);
    assert_eq!(body("dim3 grid(3), block(64, 1, 1); k<<<grid, block, 0, 0>>>(d, 5);"), expected);
    assert_eq!(body("dim3 block = dim3(64); k<<<3, block>>>(d, 5);"), expected);
    assert_eq!(body("dim3 block{64}; k<<<dim3(3), block>>>(d, 5);"), expected);
    assert_eq!(body("dim3 block; block.x = 64; k<<<3, block>>>(d, 5);"), expected);
    assert_eq!(
        body("k<<<dim3(2, 3), dim3(16, 8)>>>(d, 1);"),
        ["blocks of 16 x 8 x 1", "n == 1", "gridDim.x == 2", "gridDim.y == 3"]
    );
}

/// Blocks race with each other: those of a launch are looked at together.
#[test]
fn a_launch_has_all_of_its_blocks() {
    let grid = |host: &str| {
        let source = format!("{KERNEL}void f(int n, int m, float *d, dim3 g) {{ {host} }}");
        let mut launched = launched(&source);
        launched.remove(0).and_then(|l| l.program.geometry.grid)
    };
    let (one, any) = (Extent::Known(1), Extent::Symbolic);
    assert_eq!(grid("k<<<3, 64>>>(d, 5);"), Some([Extent::Known(3), one, one]));
    assert_eq!(grid("k<<<m, 64>>>(d, 5);"), Some([any, one, one]));
    assert_eq!(grid("k<<<dim3(2, m), 64>>>(d, 5);"), Some([Extent::Known(2), any, one]));
    // Of other dimensions than the kernel's no more than one is meant: such a launch grants nothing.
    assert_eq!(grid("k<<<g, 64>>>(d, 5);"), Some([any, one, one]));
    assert_eq!(grid("k<<<0, 64>>>(d, 5);"), None);
    assert_eq!(grid("k<<<dim3(1, 70000), 64>>>(d, 5);"), None);
}

#[test]
fn constants_of_the_file_and_macros() {
    let host = "#define BLOCK 64\nconst int GRID = BLOCK / 32;\nenum { FIVE = 5 };\n\
        void f(float *d) { k<<<GRID, BLOCK>>>(d, FIVE); }";
    assert_eq!(said(host), [["blocks of 64", "n == 5", "gridDim.x == 2"]]);
}

#[test]
fn parameters_of_the_host_are_those_of_the_kernel() {
    let round = "int blocks = (n + 255) / 256; k<<<blocks, 256>>>(d, n);";
    assert_eq!(body(round), ["blocks of 256", "gridDim.x == (n + 255) / 256"]);
    let other = "int b = m; k<<<n / b, b>>>(d, n);";
    assert_eq!(body(other), ["blockDim.x == host.m", "gridDim.x == n / host.m"]);
    // Another type: a variable of its own.
    let wide = said("void f(float *d, long n) { k<<<n, 32>>>(d, n); }");
    assert_eq!(wide, [["blocks of 32", "gridDim.x == (uint32_t)host.n", "n == (int32_t)host.n"]]);
}

#[test]
fn functions_that_only_return() {
    let host = "int up(int a, int b) { return (a % b != 0) ? (a / b + 1) : (a / b); }\n\
        void f(float *d, int n) { k<<<up(n, 64), 64>>>(d, n); }";
    let expected = "gridDim.x == (n % 64 != 0 ? n / 64 + 1 : n / 64)";
    assert_eq!(said(host), [["blocks of 64", expected]]);
    let ceil = body("k<<<(int)ceil(n / 64.0), 64>>>(d, n);");
    assert_eq!(ceil[1], "gridDim.x == (int32_t)(n > 0 ? (n + 63) / 64 : n / 64)");
    // A `float` has not all integers.
    assert_eq!(body("k<<<(int)ceil(n / 64.0f), 64>>>(d, n);"), ["blocks of 64"]);
}

#[test]
fn conditions_on_the_way() {
    let guarded = body("if (n % 64) return; if (n > m) { k<<<n / 64, 64>>>(d, n); }");
    assert_eq!(guarded, ["blocks of 64", "gridDim.x == n / 64", "!(n % 64)", "n > host.m"]);
    let otherwise = body("if (n < 64) { d = 0; } else k<<<1, 64>>>(d, n);");
    assert_eq!(otherwise, ["blocks of 64", "gridDim.x == 1", "!(n < 64)"]);
}

#[test]
fn two_launches_are_two() {
    let host = "void f(float *d) { k<<<1, 64>>>(d, 1); k<<<2, 32>>>(d, 2); }";
    let expected = [
        ["blocks of 64", "n == 1", "gridDim.x == 1"],
        ["blocks of 32", "n == 2", "gridDim.x == 2"],
    ];
    assert_eq!(said(host), expected);
}

#[test]
fn what_is_assigned_later_does_not_matter() {
    assert_eq!(body("int b = 64; k<<<1, b>>>(d, 1); b = 32;")[0], "blocks of 64");
    assert_eq!(body("int b; b = 64; k<<<1, b>>>(d, 1);")[0], "blocks of 64");
}

#[test]
fn templates_and_other_ways_to_launch() {
    let kernel =
        "template <int B, typename T> __global__ void k(T *a, int n) { a[threadIdx.x / B] = 0; }\n";
    let source = format!("{kernel}void f(float *d) {{ k<16, float><<<1, 64>>>(d, 2); }}");
    let all = launched(&source);
    let under = all[0].as_ref().expect("a kernel under its launch");
    assert_eq!(under.conditions, ["blocks of 64", "n == 2", "B == 16", "gridDim.x == 1"]);
    assert!(under.exact);
    assert_eq!(
        body("hipLaunchKernelGGL(k, dim3(2), dim3(64), 0, 0, d, 3);"),
        ["blocks of 64", "n == 3", "gridDim.x == 2"]
    );
    assert_eq!(
        body("void *args[2]; cudaLaunchKernel((void *)k, dim3(2), dim3(64), args, 0, 0);"),
        ["blocks of 64", "gridDim.x == 2"]
    );
}

#[test]
fn only_constants_say_all() {
    let exact = |statements: &str| {
        let source = format!("{KERNEL}void f(int n, float *d) {{ {statements} }}");
        launched(&source)[0].as_ref().expect("a kernel under its launch").exact
    };
    assert!(exact("k<<<1, 64>>>(d, 2);"));
    assert!(!exact("k<<<1, 64>>>(d, n);"));
    assert!(!exact("k<<<n, 64>>>(d, 2);"));
    assert!(!exact("k<<<1, n>>>(d, 2);"));
}

#[test]
fn pointers_that_overlap() {
    let kernel =
        "__global__ void k(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x + 1]; }\n";
    let overlapping = |call: &str| {
        let source = format!("{kernel}void f(float *x, float *y) {{ {call} }}");
        launched(&source)[0].as_ref().expect("a kernel under its launch").overlapping.clone()
    };
    assert_eq!(overlapping("k<<<1, 64>>>(x, y);"), None);
    let both = Some(["a".to_owned(), "b".to_owned()]);
    assert_eq!(overlapping("k<<<1, 64>>>(x, x);"), both);
    assert_eq!(overlapping("k<<<1, 64>>>(x + 64, x);"), both);
}
