//! Types that are more than data, and operators that do more than compute, are refused.

mod common;

use babycuda_frontend::{Options, Translation, parse_cuda};

/// Why the kernel is refused; `None`: it is translated.
fn refusal(source: &str) -> Option<String> {
    let kernels =
        parse_cuda(source, &Options::default()).unwrap_or_else(|e| panic!("{source}: {e}"));
    kernels.into_iter().find_map(|kernel| match kernel.translation {
        Translation::Program(_) => None,
        Translation::Unsupported(unsupported) => Some(unsupported.construct),
    })
}

#[track_caller]
fn refused(source: &str, why: &str) {
    let found = refusal(source).unwrap_or_else(|| panic!("translated: {source}"));
    assert!(found.contains(why), "{source}: {found}");
}

#[test]
fn references_by_another_name_are_refused() {
    for (types, body) in [
        ("typedef int &R;", "R x = a[0]; x = 1;"),
        ("using R = int &;", "R x = a[0]; x = 1;"),
        ("typedef int &R; typedef R Q;", "Q x = a[0]; x = 1;"),
        ("namespace n { typedef int &R; }", "n::R x = a[0]; x = 1;"),
        ("template <class T> using R = T &;", "R<int> x = a[0]; x = 1;"),
        ("template <class T> struct Id { using type = T; };", "Id<int &>::type x = a[0]; x = 1;"),
        ("struct S { int &r; };", "S s = {a[0]}; s.r = 1;"),
        ("struct S { int &r; }; struct Q { S s; };", "Q q = {{a[0]}}; q.s.r = 1;"),
    ] {
        refused(&format!("{types} __global__ void k(int *a) {{ {body} }}"), "more than data");
    }
    refused("__global__ void k(int *a) { decltype(auto) x = a[0]; x = 1; }", "type");
    let f = "template <class T> __device__ void f(T x) { x = 1; }";
    refused(&format!("{f} __global__ void k(int *a) {{ f<int &>(a[0]); }}"), "reference");
    let f = "template <class T, class R = T &> __device__ void f(R x) { x = 1; }";
    refused(&format!("{f} __global__ void k(int *a) {{ f<int>(a[0]); }}"), "reference");
}

#[test]
fn references_are_bound_to_variables_or_refused() {
    let call = |parameter: &str, argument: &str| {
        format!(
            "__device__ int g; __device__ void z({parameter}) {{ }} \
             __global__ void k(int *a) {{ int q = threadIdx.x; z({argument}); a[q] = 1; }}"
        )
    };
    for argument in ["(int &)a[0]", "(q, q)", "q = q", "q += 0", "--q", "true ? q : q"] {
        refused(&call("int &x", argument), "");
        refused(&call("const int &x", argument), "");
    }
    refused(&call("int &x = g", ""), "default argument of a reference");
    refused(&call("int &&x", "q + 1"), "no variable");
    for (parameter, argument) in [("int &x", "q"), ("const int &x", "q + 1"), ("const int &x", "3")]
    {
        assert_eq!(refusal(&call(parameter, argument)), None);
    }
}

#[test]
fn special_functions_that_reach_further_are_refused() {
    for member in [
        "__device__ W() { g[0] = 1; }",
        "__device__ W(int x) : v(atomicAdd(g, x)) {}",
        "__device__ W(int &x) { x = 1; }",
        "__device__ ~W() { __syncthreads(); }",
        "__device__ W &operator=(const W &w) { s = 1; return *this; }",
        "__device__ W operator+(const W &w) const { g[0] = 1; return w; }",
        "__device__ operator int() const { return g[0]; }",
        "__device__ W();",
        "int w = g[0];",
    ] {
        let types = format!("__device__ int g[4], s; struct W {{ int v; {member} }};");
        refused(
            &format!("{types} __global__ void k(int *a) {{ W w; a[threadIdx.x] = 1; }}"),
            "more than data",
        );
        let around = format!("{types} struct V : W {{ }};");
        refused(
            &format!("{around} __global__ void k(int *a) {{ V w; a[threadIdx.x] = 1; }}"),
            "more than data",
        );
    }
    let harmless = "struct W { float x, y; __device__ W(float a, float b) : x(a), y(b) {} \
        __device__ W operator+(const W &w) const { return W(x + w.x, y + w.y); } \
        __device__ float norm() { return x * x; } };";
    let kernel = "__global__ void k(float *a) { W w(1.0f, 2.0f); a[threadIdx.x] = 1; }";
    assert_eq!(refusal(&format!("{harmless} {kernel}")), None);
}

#[test]
fn operators_on_what_is_no_class_are_refused() {
    for operator in [
        "enum E { A, B }; __device__ E operator|(E a, E b) { return A; }",
        "struct S { int v; }; __device__ int g; __device__ bool operator!(S s) { g = 1; return true; }",
        "struct S { int v; }; __device__ S operator+(S &a, S b) { a.v = 1; return b; }",
    ] {
        refused(
            &format!("{operator} __global__ void k(int *a) {{ a[threadIdx.x] = 1; }}"),
            "operator",
        );
    }
    let harmless = "__device__ void operator+=(float4 &a, float4 b) { a.x += b.x; } \
        __device__ float4 operator*(float s, float4 b) { return make_float4(s * b.x, 0, 0, 0); }";
    assert_eq!(
        refusal(&format!("{harmless} __global__ void k(int *a) {{ a[threadIdx.x] = 1; }}")),
        None
    );
}

#[test]
fn types_that_nobody_declares_are_those_of_numbers() {
    let source =
        "__global__ void k(real *a, real x) { real y = x * 2; a[threadIdx.x] = y; a[32] += x; }";
    let found = common::program(source, &babycuda_frontend::Options::default());
    let assumed = "`real`, which nobody declares, is assumed to be a type of numbers";
    assert!(found.notes.iter().any(|note| note.message == assumed), "{:?}", found.notes);
    // A number has no parts, holds no cells, and nobody knows how long it is.
    refused("__global__ void k(real *a) { a[threadIdx.x].v = 1; }", "member `v`");
    refused("__global__ void k(real a) { a[threadIdx.x] = 1; }", "");
    refused("__global__ void k(int *a) { real x; f(x); a[0] = 1; }", "f");
    for library in ["nvshmem_team_t", "MPI_Comm"] {
        let source = format!("__global__ void k(int *a, {library} n) {{ a[threadIdx.x] = n; }}");
        refused(&source, &format!("unknown type `{library}`"));
    }
    let header = "#include <thrust/device_vector.h>\n";
    refused(
        &format!("{header}__global__ void k(int *a) {{ thrust::ref x = a[0]; }}"),
        "thrust::ref",
    );
}

#[test]
fn names_in_capitals_that_nobody_declares_are_constants() {
    let source = "__device__ int twice(int x) { return x * SCALE; }
        __global__ void k(int *a) { __shared__ int s[SIZE]; s[threadIdx.x] = 1; a[twice(threadIdx.x)] = SIZE; }";
    let found = common::program(source, &babycuda_frontend::Options::default());
    let names: Vec<&str> = found.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["SIZE", "SCALE"], "{:?}", found.notes);
    let notes =
        found.notes.iter().filter(|note| note.message.contains("to be a constant of type `int`"));
    assert_eq!(notes.count(), 2);
    // Names in other letters, of libraries, called, or assigned to, are not.
    for (statement, name) in [
        ("a[step] = 1;", "unknown name `step`"),
        ("a[Step] = 1;", "unknown name `Step`"),
        ("a[N] = 1;", "unknown name `N`"),
        ("a[CUDART_STEP] = 1;", "unknown name `CUDART_STEP`"),
        ("a[STEP(1)] = 1;", "STEP"),
        ("int *p = NULL; *p = 1;", "null pointer"),
        ("STEP = 1;", "unknown name `STEP`"),
    ] {
        refused(&format!("__global__ void k(int *a) {{ {statement} }}"), name);
    }
    let header = "#include \"sizes.h\"\n__global__ void k(int *a) { a[STEP] = 1; }";
    refused(header, "unknown name `STEP`");
}
