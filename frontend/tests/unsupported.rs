//! What is not translated is said so, with its place; never dropped.

mod common;

use babycuda_core::{Dim3, Settings};
use babycuda_frontend::{FrontendError, Kernel, Options, Translation, parse_cuda};
use common::refusal;

/// A kernel with the given statements, on line 2.
fn kernel(statements: &str) -> String {
    format!("__global__ void k(int *a, float *f, int n, int **pp, float4 *v) {{\n{statements}\n}}")
}

#[test]
fn unsupported_constructs_are_named() {
    for (statements, wanted) in [
        (
            "__syncwarp(n);",
            "2:1: not supported: `__syncwarp` of some lanes: its mask is no constant, or no tile of a warp",
        ),
        (
            "__syncwarp(0x7fff);",
            "2:1: not supported: `__syncwarp` of some lanes: its mask is no constant, or no tile of a warp",
        ),
        (
            "f[0] = __shfl_xor_sync(-1, f, 1);",
            "2:28: not supported: a value that threads cannot exchange",
        ),
        ("asm volatile(\"bar.sync 1;\");", "2:1: not supported: inline assembly: `bar.sync`"),
        ("goto end; end: ;", "2:1: not supported: goto"),
        ("cg::sync(a);", "2:1: not supported: call of `cg::sync`"),
        ("b.sync();", "2:1: not supported: call of the method `b.sync`"),
        (
            "a[0] = helper(n);",
            "2:8: not supported: call of `helper`, which is not defined in this file",
        ),
        ("a[m] = 1;", "2:3: not supported: unknown name `m`"),
        ("n ? a[0] : a[1];", "2:1: not supported: choice of places whose value nobody wants"),
        // It is the new variable: `char`, and without a value.
        ("{ char n = sizeof(n); a[n] = 1; }", "2:19: not supported: `n` in its own initializer"),
        ("{ int n = n + 1; a[n] = 1; }", "2:11: not supported: `n` in its own initializer"),
        ("{ int &n = n; a[n] = 1; }", "2:12: not supported: `n` in its own initializer"),
        (
            "int (*fp)(int);",
            "2:5: not supported: function pointer, or function that is declared in a kernel",
        ),
        (
            "curandState *w = (curandState *)f;",
            "2:18: not supported: cast of a pointer to elements of another size",
        ),
        (
            "atomicAdd((unsigned long long *)a, 1ull); a[2] = 0;",
            "2:1: not supported: atomic update of what is accessed in parts, too",
        ),
        ("pp[0][1] = 2;", "2:1: not supported: an array whose elements are pointers"),
        (
            "int *p = n > 3 ? a : a + 1; *p = 0; int *q; *q = 1;",
            "2:45: not supported: a pointer into an array that is not known",
        ),
        (
            "while (a[0] != n) __syncthreads();",
            "2:1: not supported: barrier in a loop whose number of iterations is not known",
        ),
        // Its threads need not leave it together, or not after the same number of iterations each time.
        (
            "__shared__ int s[9]; s[threadIdx.x] = n; while (s[threadIdx.x]) __syncthreads();",
            "2:42: not supported: barrier in a loop whose number of iterations is not known",
        ),
        (
            "while (n--) while (__syncthreads_or(a[n])) a[n] = 1;",
            "2:13: not supported: barrier in a loop whose number of iterations is not known",
        ),
        (
            "while (__syncthreads_or(a[n])) if (a[0]) break;",
            "2:1: not supported: barrier in a loop whose number of iterations is not known",
        ),
        (
            // Another thread may change the limit before a barrier.
            "for (int i = 0; i < a[0]; i++) __syncthreads(); a[0] = n;",
            "2:1: not supported: barrier in a loop whose number of iterations is not known",
        ),
        (
            "for (int i = 0; i < n; i++) { if (a[i]) break; __syncthreads(); }",
            "2:1: not supported: barrier in a loop that may be left early",
        ),
        (
            "for (unsigned i = 0; i != n; i = i + 3u) __syncthreads();",
            "2:1: not supported: barrier in a loop whose counter `i` may overflow (an assumption that bounds it would help)",
        ),
        ("union { int i; float f; } u;", "2:1: not supported: union"),
        ("static int calls;", "2:1: not supported: static local variable"),
        ("for (int x : a) a[0] = x;", "2:1: not supported: range-based for loop"),
        ("auto g = [](int x) { return x; };", "2:10: not supported: lambda"),
        ("a[0] = ;", "2:6: not supported: syntax error"),
    ] {
        assert_eq!(refusal(&kernel(statements)), wanted, "{statements}");
    }
}

#[test]
fn recursion_is_refused() {
    let source = "__device__ int f(int x) { return x > 0 ? f(x - 1) : 0; }\n\
                  __global__ void k(int *a) { a[f(3)] = 1; }";
    assert_eq!(refusal(source), "1:42: not supported: recursion in `f`");
}

#[test]
fn one_kernel_does_not_spoil_another() {
    let source = "__global__ void bad(int *a) { __syncwarp(7); }\n\
                  __global__ void good(int *a) { a[threadIdx.x] = 1; }\n\
                  __global__ void worse(int *a) { a[0] = = 1; }";
    let kernels = parse_cuda(source, &Options::default()).expect("readable");
    let translated: Vec<(&str, bool)> = kernels
        .iter()
        .map(|k| (k.name.as_str(), matches!(k.translation, Translation::Program(_))))
        .collect();
    assert_eq!(translated, [("bad", false), ("good", true), ("worse", false)]);
}

/// Where the parser is lost, what it took the rest for is not relied upon.
#[test]
fn nothing_is_known_beside_a_syntax_error() {
    for (function, known) in [("b[1] = 2; goto *b;", true), ("b[1] = ;", false)] {
        let source = format!(
            "__device__ void f(int *b) {{ {function} }}\n\
             __global__ void k(int *b) {{ b[0] = threadIdx.x; f(b); }}"
        );
        let kernels = parse_cuda(&source, &Options::default()).unwrap();
        let Translation::Unsupported(found) = &kernels[0].translation else {
            panic!("{kernels:?}")
        };
        assert_eq!(found.known.is_some(), known, "{found:?}");
    }
}

/// What stands behind a declaration that is refused has no variable of it, nor of an earlier attempt.
#[test]
fn what_is_refused_declares_nothing() {
    let source = "__global__ void f(const int *in, int *out, int n) {
        __shared__ cuda::barrier<cuda::thread_scope_block> bar;
        for (int k = 0; k < n; k++) {
            if (k < 5) cuda::memcpy_async(&out[threadIdx.x], &in[threadIdx.x], 4, bar);
            int v = in[0]; int w = v;
        }
    }";
    let kernels = parse_cuda(source, &Options::default()).unwrap();
    assert!(matches!(&kernels[0].translation, Translation::Unsupported(_)), "{kernels:?}");
}

/// What is marked as a kernel and cannot be read is a kernel of which nothing is known.
#[test]
fn no_kernel_is_dropped() {
    let first = "__global__ void first(int *a) { a[threadIdx.x] = 1; }";
    for (between, second) in [
        ("", "__global__ BOUNDS(256) void second(int *b) { b[0] = threadIdx.x; }"),
        ("", "__global__ void BOUNDS(256) second(int *b) { b[0] = threadIdx.x; }"),
        ("", "EXTERN_C { __global__ void second(int *b) { b[0] = threadIdx.x; } }"),
        ("", "NS(x) { __global__ void second(int *b) { b[0] = threadIdx.x; } }"),
        ("", "IF_CUDA(\n__global__ void second(int *b) { b[0] = threadIdx.x; }\n)"),
        ("", "__attribute__((global)) void second(int *b) { b[0] = threadIdx.x; }"),
        ("int f(", "__global__ void second(int *b) { b[0] = threadIdx.x; }"),
        ("{", "__global__ void second(int *b) { b[0] = threadIdx.x; }"),
        ("void f() {", "__global__ void second(int *b) { b[0] = threadIdx.x; }"),
        ("typedef", "__global__ void second(int *b) { b[0] = threadIdx.x; }"),
        ("union", "__global__ void second(int *b) { b[0] = threadIdx.x; }"),
        ("unsigned", "__global__ void second(int *b) { b[0] = threadIdx.x; }"),
        ("#include \"k.h\"", "KERNEL second(int *b) { b[0] = threadIdx.x; }"),
        ("#include \"k.h\"", "static KERNEL void second(int *b) { b[0] = threadIdx.x; }"),
    ] {
        let source = format!("{first}\n{between}\n{second}");
        let kernels = parse_cuda(&source, &Options::default()).expect("readable");
        let unread = |k: &Kernel| {
            let unsupported = matches!(k.translation, Translation::Unsupported(_));
            k.name == "second" && (unsupported || between == "unsigned")
        };
        assert!(kernels.iter().any(unread), "{source}: {kernels:?}");
    }
    for other in [
        "__global__ void second(int *b);",
        "template <int N> __global__ void second(int *b);",
        "struct s { friend __global__ void second(int *b); };",
        "const char *text = \"__global__ void second(int *b) {}\";",
        "// __global__ void second(int *b) {}",
        "extern \"C\" { __global__ void second(int *b); }",
        "#include \"k.h\"\nstatic int second(int x) { return x; }",
        "#include \"k.h\"\n__device__ half2x second(int x) { return x; }",
    ] {
        let kernels = parse_cuda(&format!("{other}\n{first}"), &Options::default()).expect("read");
        assert_eq!(kernels.len(), 1, "{other}: {kernels:?}");
    }
}

#[test]
fn places_inside_macros_are_those_of_their_use() {
    let source =
        "#define WARP __syncwarp(7)\n__global__ void k(int *a) {\n    a[0] = 1;\n    WARP;\n}";
    assert!(refusal(source).starts_with("4:5: "));
}

#[test]
fn options_are_checked() {
    let source = "__global__ void k(int *a, unsigned n) { a[n] = 1; }";
    let run = |settings: Settings| parse_cuda(source, &settings.into()).map(|_| ());
    let assume = |text: &str| Settings { assumptions: vec![text.into()], ..Settings::default() };
    let param = |name: &str, value: i64| Settings {
        params: [(name.into(), value.into())].into(),
        ..Settings::default()
    };
    // A parameter may have a name of the calculus.
    let source_of_tid = "__global__ void k(int *a, int tid) { a[tid] = 1; }";
    assert!(parse_cuda(source_of_tid, &param("tid", 1).into()).is_ok());
    assert_eq!(run(assume("n < 5 && blockDim.x == 32")), Ok(()));
    for bad in
        ["n <", "m < 5", "threadIdx.x < 5", "a[0] == 1", "n < 5) } void f() { (1", "n < 1; n"]
    {
        assert!(matches!(run(assume(bad)), Err(FrontendError::Assumption { .. })), "{bad}");
    }
    for bad in ["n = 3", "(n++, true)", "--n", "n < 5 && (n += 1)"] {
        let error = run(assume(bad)).map_err(|e| e.to_string());
        let wanted = format!("assumption `{bad}`: an assumption must not assign");
        assert_eq!(error, Err(wanted));
    }
    assert_eq!(run(param("n", 7)), Ok(()));
    assert!(matches!(run(param("n", -1)), Err(FrontendError::Parameter { .. })));
    assert!(matches!(run(param("m", 1)), Err(FrontendError::NoSuchParameter { .. })));
}

#[test]
fn a_truth_value_is_0_or_1() {
    let source = "__global__ void k(int *a, bool b) { a[b] = 1; }";
    let run = |value: i32| {
        let params = [("b".into(), value.into())].into();
        let settings = Settings { params, ..Settings::default() };
        parse_cuda(source, &settings.into())
            .map(|k| matches!(k[0].translation, Translation::Program(_)))
    };
    assert_eq!([0, 1, 2].map(run), [Ok(true), Ok(true), Ok(false)]);
}

#[test]
fn known_values_take_the_place_of_parameters() {
    let source =
        "__global__ void k(int *a, int n) { for (int i = 0; i < n; i++) a[i * blockDim.x] = 1; }";
    let (block, params) = (Some(Dim3::line(32)), [("n".into(), 4.into())].into());
    let settings = Settings { block, params, ..Settings::default() };
    let program = common::program(source, &settings.into());
    assert_eq!(program.body.to_string(), "forU i in 0..4 { a[mul.u32(i, 32)] := 1 }");
}
