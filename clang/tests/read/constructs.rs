//! Each construct by itself: the kernel that it becomes.

use super::{clang, read, unknown};
use babycuda_clang::Language::{self, Cuda, OpenCl};

/// The kernel of a text as it prints; it has nothing that is not understood.
fn shown(text: &str, language: Language) -> Option<String> {
    let mut found = read(&clang()?, text, language).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = found.remove(0).kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(unknown(&kernel), Vec::<String>::new(), "{kernel}");
    Some(kernel.to_string())
}

/// The body of a kernel becomes these lines.
#[track_caller]
fn becomes(before: &str, body: &str, wanted: &[&str]) {
    let text = format!("{before}\n__global__ void k(int *a, float *f, unsigned n) {{ {body} }}");
    let Some(shown) = shown(&text, Cuda) else { return };
    for line in wanted {
        assert!(shown.contains(line), "no `{line}` in\n{shown}");
    }
}

#[test]
fn conversions_are_said() {
    becomes("", "a[threadIdx.x] = n + 1L;", &["a[threadIdx.x] = (int)(((long)n) + 1l);"]);
    becomes("", "f[0] += 1;", &["f[0] += (float)1;"]);
    becomes(
        "",
        "char c = n; if (c) a[0] = 1;",
        &["signed char c = (signed char)n;", "if ((bool)c)"],
    );
    becomes("", "a[0] = sizeof(float4) + sizeof a[0];", &["(int)(16ul + 4ul)"]);
    becomes("", "__builtin_assume(n == 1); a[n] = 1;", &["__assume(n == ((unsigned int)1));"]);
}

#[test]
fn loops_and_switches() {
    becomes(
        "",
        "for (int i = 0, j = 1; i < n; i++) { if (i == 3) continue; a[j] = i; }",
        &["continue;"],
    );
    becomes("", "do { n--; } while (n);", &["do {", "} while ((bool)n);"]);
    becomes(
        "",
        "switch (n) { case 1: case 2: a[0] = 1; break; default: return; }",
        &["case 1u:", "case 2u:", "default:"],
    );
}

#[test]
fn functions_methods_and_lambdas() {
    let sum = "struct Sum { int *p; int by = 2; __device__ Sum(int *q) : p(q) {} \
               __device__ int &at(int i) { return p[i + by]; } };";
    becomes(
        sum,
        "Sum s(a); s.at(3) = 4;",
        &[
            "__device__ int *Sum_at(Sum &self",
            ".p[i + self",
            ".p = q;",
            ".by = 2;",
            "Sum s = Sum_Sum(a);",
            "*Sum_at(s, 3) = 4;",
        ],
    );
    becomes("", "auto g = [=](int i) { return a[i] + n; }; a[0] = g(1);", &["operator__(g, 1)"]);
    becomes(
        "template <class F> __device__ void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }",
        "each(4, [&](int i) { a[i] = 0; });",
        &["each(4, (closure){&a})", "(*self.a)[i_"],
    );
    becomes(
        "template <class T> __device__ void put(T *p, const T &v) { *p = v; }",
        "put(a, 3); put(f, f[1]);",
        &["put(a, 3);", "put_2(f, f[1]);", "float &v"],
    );
    becomes(
        "__device__ int f1(int x, int y = 7) { return x + y; }",
        "a[0] = f1(1);",
        &["f1(1, 7)"],
    );
    becomes(
        "template <int N> struct T { static const int size = N * 2; enum { more = N + 1 }; };",
        "a[T<3>::size] = T<3>::more;",
        &["= 4;"],
    );
}

/// A template in an instance of a template, whose own arguments stand behind its name.
#[test]
fn templates_in_templates() {
    becomes(
        "template <int N> struct Out {
             template <bool B> struct In { int v[N]; __device__ int at(int i) { return v[i + B]; } };
             template <bool B> __device__ static int first(In<B> &x) { return x.at(0); }
         };",
        "Out<3>::In<true> x; x.v[1] = n; a[0] = Out<3>::first(x); Out<4>::In<false> y; a[y.at(2)] = 0;",
        &["a[0] = "],
    );
}

/// What hosts of CUDA's samples call keeps no kernel from being made.
#[test]
fn helpers_of_samples() {
    let Some(clang) = clang() else { return };
    let text = "#include <helper_cuda.h>\n#include <helper_functions.h>\n
        template <class T> __global__ void put(T *a) { a[threadIdx.x] = 0; }
        template <class T> void run(T *a) {
            StopWatchInterface *timer = 0;
            sdkCreateTimer(&timer);
            checkCudaErrors(cudaMalloc(&a, 4));
            put<T><<<1, 32>>>(a);
            getLastCudaError(\"failed\");
        }
        int main(int c, char **v) { findCudaDevice(c, (const char **)v); run<float>(0); run<int>(0); }";
    let found = read(&clang, text, Language::Cuda).expect("readable");
    let names: Vec<&str> = found.iter().map(|kernel| &*kernel.name).collect();
    assert_eq!(names, ["put<float>", "put<int>"]);
    assert!(found.iter().all(|kernel| kernel.kernel.is_ok()));
}

#[test]
fn what_libraries_declare() {
    becomes("enum E { A = 0, B = 1 };", "a[0] = B == (E)n ? A : 2;", &["a[0] ="]);
    becomes("", "int e; f[0] = frexp(f[1], &e); a[0] = e;", &["frexp(f[1], &e)"]);
    becomes(
        "#include <cufft.h>",
        "cufftComplex c; c.x = f[0]; cuDoubleComplex d; d.y = c.x; f[1] = d.y;",
        &["float2 c;", "double2 d;"],
    );
}

#[test]
fn references_and_pointers() {
    becomes(
        "",
        "int &r = a[n]; r = 1; const float &c = 2.0f; f[0] = c;",
        &["int &r = a[n];", "float c = 2.0f;"],
    );
    becomes(
        "",
        "__shared__ float s[2][8]; float (*row)[8] = s; row[1][2] = 0;",
        &["float (*row)[8ul] = s;"],
    );
    becomes("", "int *p = n ? a : nullptr; *p++ = 1;", &["(int *)nullptr", "*(p++) = 1;"]);
    becomes(
        "",
        "extern __shared__ char raw[]; ((float *)raw)[1] = 0;",
        &["extern __shared__ signed char raw[];"],
    );
}

#[test]
fn vectors_atomics_exchanges() {
    becomes(
        "#include <helper_math.h>",
        "float4 v = make_float4(1, 2, 3, 4); v = v * 2.0f; f[0] = v.y;",
        &["float4 v = make_float4((float)1", "f[0] = v.y;"],
    );
    becomes(
        "",
        "atomicCAS_block(&a[0], 1, 2); atomicAdd(f, 1);",
        &["atomicCAS_block(&a[0], 1, 2);", "atomicAdd(f, (float)1);"],
    );
    becomes(
        "",
        "a[0] = __shfl_down_sync(~0u, a[1], 2);",
        &["__shfl_down_sync(~0u, a[1], (unsigned int)2)"],
    );
    becomes(
        "",
        "dim3 d = blockDim; a[d.x] = 1; a[threadIdx.y] = gridDim.z;",
        &["a[d.x] = 1;", "(int)gridDim.z"],
    );
}

#[test]
fn groups() {
    let head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;";
    becomes(
        head,
        "auto b = cg::this_thread_block(); auto t = cg::tiled_partition<16>(b); \
                   a[b.thread_index().x] = t.shfl_down(a[0], 1); t.sync(); cg::sync(b); \
                   a[1] = cg::reduce(t, a[2], cg::plus<int>());",
        &[
            "thread_block_tile<16> t = cooperative_groups::tiled_partition(b);",
            "a[threadIdx.x] = cooperative_groups::shfl_down(t, a[0], (unsigned int)1);",
            "cooperative_groups::reduce(t, a[2])",
        ],
    );
}

/// Its text is that of the file, or of the macro that makes it.
#[test]
fn assembly() {
    becomes(
        "#define LANE(x) asm volatile( \\\n  \"mov.u32 %0, %%tid.y;\" \\\n : \"=r\"(x))",
        "unsigned l; LANE(l); a[l] = 1; asm(\"bar.sync 0;\" ::: \"memory\");",
        &["l = threadIdx.y;", "__syncthreads()"],
    );
    becomes(
        "",
        "asm(\"st.global.u32 [%0 + 4], %1;\" :: \"l\"(a), \"r\"(7));",
        &["*((unsigned int *)(((unsigned char *)a) + 4l)) = (unsigned int)7"],
    );
}

#[test]
fn what_is_not_understood_has_its_place() {
    let Some(clang) = clang() else { return };
    let text = "__global__ void k(int *a) {\n  a[0] = 1;\n  asm(\"nop;\");\n  goto end;\n  end: a[1] = 2;\n}";
    let kernel = read(&clang, text, Cuda).expect("a file").remove(0).kernel.expect("a kernel");
    assert_eq!(unknown(&kernel), ["inline assembly: `nop`", "goto", "label, for `goto`"]);
    let body = &kernel.entry().expect("a function").body;
    let nodes = babycuda_kernel::Node::from(body);
    let node = nodes.subterms().find(|n| n.unsupported().is_some()).expect("one");
    assert!(text[kernel[node.at()].bytes.clone()].starts_with("asm"));
}

/// What uses a declaration that clang rejects is in no document: a statement, or a part of one.
#[test]
fn what_clang_leaves_out_is_said() {
    let Some(clang) = clang() else { return };
    let kernel = |declared: &str, statements: &str| {
        let text = format!("{declared}\n__global__ void k(int *p) {{ {statements} }}");
        read(&clang, &text, Cuda).expect("a file").remove(0).kernel
    };
    for declared in [
        "__constant__ Nobody c;",
        "__constant__ int n; __constant__ Nobody c;",
        "__device__ int c(int x) { return x; } __device__ int c(int x) { return 1; }",
        "surface<void, nobody> c;",
        "const int c = nobody(3);",
    ] {
        for statements in [
            "p[0] = threadIdx.x + c;",
            "p[threadIdx.x] = 0; if (p) { p[0] = c(1); }",
            "switch (3) { case 3: p[0] = c; }",
            "int x = 1, y = (x = c(0), 2); p[x * threadIdx.x] = y;",
            "for (int i = 0; i < 3; i += c) p[i] = threadIdx.x;",
        ] {
            let known =
                kernel(declared, statements).is_ok_and(|kernel| unknown(&kernel).is_empty());
            assert!(!known, "{declared} {statements}");
        }
    }
    // Here nothing is; but for the host's function all has its place.
    let macros = "#define EMPTY(x)\n#define NONE\n#define SET(a, b) a = b\n#define TWO a(); a()";
    let declared = format!("void host() {{ nobody(); }}\n__device__ void a() {{}}\n{macros}");
    let statements = "// p\nEMPTY((1)); NONE /* p */ SET(p[0], (1)); {\n#pragma unroll\n\
        for (;;) { SET(p[1], 2); TWO; } }; __syncthreads(); int x = 0, y; (void)x;";
    let kernel = kernel(&declared, statements).expect("a kernel");
    assert_eq!(unknown(&kernel), [""; 0]);
}

#[test]
fn macros_have_both_places() {
    let Some(clang) = clang() else { return };
    let text = "#define AT(i) a[i]\n__global__ void k(int *a) { AT(0) = AT(1); }";
    let kernel = read(&clang, text, Cuda).expect("a file").remove(0).kernel.expect("a kernel");
    let used: Vec<(&str, &str)> = kernel
        .origins
        .iter()
        .filter_map(|o| Some((&text[o.bytes.clone()], &text[o.spelled.clone()?])))
        .collect();
    assert!(used.contains(&("AT", "a[i]")) && used.contains(&("AT", "1")), "{used:?}");
}

#[test]
fn opencl() {
    let text = "__kernel void k(__global float4 *a, __local int *s, uint n) {
        __local int t[8];
        size_t i = get_global_id(0);
        t[get_local_id(0)] = n;
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        float2 v = a[i].xy;
        a[i].w = v.y;
        if (i < n && s[0]) s[1] = 2;
        a[i].xz = v.yx;
        a[i].hi *= 2;
        __global float4 *p = a + i;
        p->y = (float2)(1, 2).y;
    }";
    let Some(shown) = shown(text, OpenCl) else { return };
    for line in [
        "__shared__ int t[8ul];",
        "(((unsigned long)blockIdx.x) * ((unsigned long)blockDim.x)) + ((unsigned long)threadIdx.x)",
        "__syncthreads();",
        "a[i].w = v.y;",
        "float component_6 = v.y;",
        "a[i].z = component_7;",
        "a[i].w *= component_9;",
        "(*p).y = (float)2;",
    ] {
        assert!(shown.contains(line), "no `{line}` in\n{shown}");
    }
}
