//! Names of the compiler, the platform and the command line, and what is assumed of them.

use super::*;

/// What depends on the compiler, the platform or the command line is not decided, be a header
/// included or not.
#[test]
fn what_the_compiler_may_define_decides_nothing() {
    for condition in [
        "if CUDA_VERSION >= 9000",
        "if __CUDACC_VER_BUILD__ >= 9",
        "ifdef __NVCC__",
        "if !defined(CUDA_VERSION)",
        "ifdef assert",
        "ifdef __linux__",
        "ifndef _WIN32",
        "if defined(_MSC_VER) && 1",
        "if __GNUC__ > 4",
        "ifdef __clang__",
        "ifdef __x86_64__",
        "if !__STDC__",
        "ifdef NDEBUG",
        "ifdef _DEBUG",
        "ifdef WIN32",
        "if __has_builtin(__builtin_trap)",
        "ifdef __some_name_that_nobody_defines",
    ] {
        for header in ["", "#include <cuda_runtime.h>\n"] {
            let source = format!(
                "{header}#{condition}\n#define S 0\n#else\n#define S 1\n#endif\n\
                 __global__ void k(int *a) {{ a[threadIdx.x * S] = 1; }}"
            );
            let refusal = common::refusal(&source);
            assert!(refusal.contains("which the compiler may define"), "{condition}: {refusal}");
        }
    }
    let source = "#undef CUDART_VERSION\n#ifdef CUDART_VERSION\n#define S 0\n#else\n#define S 1\n\
                  #endif\n__global__ void k(int *a) { a[threadIdx.x * S] = 1; }";
    assert!(common::body(source).contains("threadIdx.x"));
}

/// Device emulation is gone: nobody but the command line defines its name.
#[test]
fn names_that_are_gone_decide() {
    let source = "#ifdef __DEVICE_EMULATION__\n#define S 0\n#else\n#define S 1\n#endif\n\
                  __global__ void k(int *a) { a[threadIdx.x * S] = 1; }";
    assert!(common::body(source).contains("threadIdx.x"));
    let defines = vec![("__DEVICE_EMULATION__".to_owned(), "1".to_owned())];
    let defined = Options { defines, ..Options::default() };
    assert_eq!(kernels(source, &defined), ["k: a[0] := 1"]);
}

/// Nor does it where a file defines the name, if compilers do. A missing header may define any
/// name, but for those of the command line.
#[test]
fn whose_a_name_is_decides_who_may_define_it() {
    let source = |before: &str, name: &str| {
        format!(
            "{before}\n#ifndef {name}\n#define {name} 1\n#define S 1\n#else\n#define S 0\n#endif\n\
             __global__ void k(int *a) {{ a[threadIdx.x * S] = 1; }}"
        )
    };
    for name in ["__CUDACC_FOO", "__linux__", "__GNUC__", "_WIN32"] {
        let refusal = common::refusal(&source("", name));
        assert!(refusal.contains("which the compiler may define"), "{name}: {refusal}");
    }
    let missing = "#include \"config.h\"";
    let refusal = common::refusal(&source(missing, "FOO"));
    assert!(refusal.contains("`config.h`") && refusal.contains("may define"), "{refusal}");
    for (before, name) in
        [("", "FOO"), ("", "__FOO"), (missing, "LINUX"), (missing, "UNIX"), (missing, "APPLE")]
    {
        assert!(common::body(&source(before, name)).contains("threadIdx.x"), "{before} {name}");
    }
}

/// `-D` and `-U` decide, and a name that the file itself defines is the file's.
#[test]
fn the_command_line_says_what_the_compiler_defines() {
    let source = "#ifdef __linux__\n#define S 2\n#else\n#define S 3\n#endif\n\
                  __global__ void k(int *a) { a[S] = 1; }";
    let mut options = with(&[]);
    options.defines.push(("__linux__".into(), "1".into()));
    assert_eq!(kernels(source, &options), ["k: a[2] := 1"]);
    let mut options = with(&[]);
    options.undefines.insert("__linux__".into());
    assert_eq!(kernels(source, &options), ["k: a[3] := 1"]);
    options.defines.push(("__linux__".into(), "1".into()));
    assert!(parse_cuda(source, &options).is_err());
    // What is undefined at the start may be defined by the file.
    let mut options = with(&[]);
    options.undefines.extend(["N".to_owned(), "__CUDA_ARCH__".to_owned()]);
    let source = "#ifdef N\n#define M 5\n#endif\n#define N 4\n#ifdef __CUDA_ARCH__\n#define N 1\n\
                  #endif\n__global__ void k(int *a) { a[N] = 1; }";
    assert_eq!(kernels(source, &options), ["k: a[4] := 1"]);
    // The last definition counts, and macros may have parameters.
    let mut options = with(&[]);
    for (head, body) in [("N", "1"), ("N", "2"), ("F(x)", "x+1")] {
        options.defines.push((head.into(), body.into()));
    }
    let source = "#define F(x) 0\n__global__ void k(int *a) { a[F(N) * 3] = 1; }";
    assert_eq!(kernels(source, &options), ["k: a[5] := 1"]);
    options.defines.push(("G(x".into(), "x".into()));
    assert!(parse_cuda(source, &options).is_err());
    let source = "#if defined(_SIZE_)\n#define S 2\n#else\n#define _SIZE_ 16\n#define S 3\n#endif\n\
                  __global__ void k(int *a) { a[S] = 1; }";
    assert_eq!(kernels(source, &with(&[])), ["k: a[3] := 1"]);
}

/// Where every branch gives a kernel the same, nothing is open.
#[test]
fn what_branches_have_in_common_is_certain() {
    for before in [
        "#ifdef __linux__\n#include <unistd.h>\n#else\n#include <windows.h>\n#endif",
        "#ifdef _WIN32\n#define EXPORT __declspec(dllexport)\n#else\n#define EXPORT\n#endif",
        "#ifndef NDEBUG\nvoid report(int x) {}\n#endif",
        "#if defined(__GNUC__)\n#pragma GCC diagnostic push\n#endif",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f();\n#ifdef __cplusplus\n}\n#endif",
        "#ifdef __CUDA_ARCH__\nint x;\n#endif",
    ] {
        let source = format!("{before}\n__global__ void k(int *a) {{ a[1] = 1; }}");
        assert_eq!(kernels(&source, &with(&[])), ["k: a[1] := 1"], "{before}");
        assert_eq!(assumptions(&source), Vec::<String>::new(), "{before}");
    }
}

/// A header that is found, but perhaps not included, puts in doubt what it defines.
#[test]
fn headers_that_are_perhaps_included() {
    let header = "#ifndef H\n#define H\n#define A 3\nconst int K = 5;\n#include \"h.h\"\n#endif\n";
    let options = with(&[("h.h", header)]);
    let kernel = |before: &str, index: &str| {
        let source = format!("{before}\n__global__ void k(int *a) {{ a[{index}] = 1; }}");
        kernels(&source, &options).pop().unwrap_or_default()
    };
    let perhaps = "#define A 1\n#ifdef __linux__\n#include \"h.h\"\n#endif";
    assert!(kernel(perhaps, "A").contains("macro `A`: conditional on `__linux__`"));
    assert!(kernel(perhaps, "K").contains("`K`: conditional on `__linux__`"));
    assert_eq!(kernel(perhaps, "7"), "k: a[7] := 1");
    // No header is missing: other names are certain.
    assert_eq!(
        kernel(&format!("{perhaps}\n#ifdef B\n#define C 1\n#else\n#define C 2\n#endif"), "C"),
        "k: a[2] := 1"
    );
    // Included once more, it is read, or was before.
    let again = format!("{perhaps}\n#undef A\n#define A 2\n#include \"h.h\"");
    assert!(kernel(&again, "A").contains("conditional on `__linux__`"), "{}", kernel(&again, "A"));
    assert_eq!(kernel("#include \"h.h\"", "A + K"), "k: a[8] := 1");
}

/// The notes on the only kernel that say what is assumed.
fn assumptions(source: &str) -> Vec<String> {
    let notes = common::program(source, &with(&[])).declarations.notes;
    notes.into_iter().map(|n| n.message).filter(|m| m.contains("assumed")).collect()
}

#[test]
fn what_a_missing_header_is_assumed_to_leave_alone_is_said() {
    let kernel = |before: &str, index: &str| {
        assumptions(&format!("{before}\n__global__ void k(int *a) {{ a[{index}] = 1; }}"))
    };
    let leaves = |line: u32| {
        format!(
            "headers that are missing, as `config.h` (line {line}, not found), are assumed to leave \
             alone the macros before them"
        )
    };
    let include = "#include \"config.h\"";
    // A macro before it, used at once or by way of another, of a constant, or of a conditional.
    for (before, index) in [
        (format!("#define N 1\n{include}"), "N"),
        (format!("#define N 1\n{include}\n#define M (N + 1)"), "M"),
        (format!("#define N 1\n{include}\nconst int C = N;"), "C"),
        (format!("#define N 1\n{include}\n__device__ int f() {{ return N; }}"), "f()"),
        (format!("#define N 1\n{include}\n#if N > 0\n#define M 2\n#endif"), "M"),
        (
            format!(
                "#define N 1\n{include}\n#ifdef N\nconst int C = 2;\n#else\nconst int C = 3;\n#endif"
            ),
            "C",
        ),
    ] {
        assert_eq!(kernel(&before, index), [leaves(2)], "{before}");
    }
    // Not one that is defined after it, is not used, or comes before a header that is known.
    for (before, index) in [
        (format!("{include}\n#define N 1"), "N"),
        (format!("#define N 1\n{include}"), "1"),
        (format!("#define N 1\n{include}\n#undef N\n#define N 2"), "N"),
        ("#define N 1\n#include <cuda_runtime.h>\n#include <vector>".to_owned(), "N"),
    ] {
        assert_eq!(kernel(&before, index), Vec::<String>::new(), "{before}");
    }
    // Another function of the name might fit better, unless nothing can.
    let function = format!("{include}\n__device__ int f(long long x) {{ return x; }}");
    assert_eq!(
        kernel(&function, "f(1)"),
        ["`config.h` (line 1, not found) is assumed to declare no other `f`"]
    );
    assert_eq!(kernel(&function, "f(1ll)"), Vec::<String>::new());
    let template = format!("{include}\ntemplate<class T> __device__ int f(T x) {{ return x; }}");
    assert_eq!(kernel(&template, "f(1)").len(), 1);
    assert_eq!(kernel("__device__ int f(long long x) { return x; }", "f(1)"), Vec::<String>::new());
}

#[test]
fn values_of_the_compiler_that_are_assumed_are_said() {
    let arch = "`__CUDA_ARCH__` is assumed to be 800 (`-D __CUDA_ARCH__=…` says another)";
    for source in [
        "#if __CUDA_ARCH__ >= 700\n#define S 1\n#else\n#define S 0\n#endif\n\
         __global__ void k(int *a) { a[S] = 1; }",
        "#if __CUDA_ARCH__ < 600\n#define S 0\n#endif\n#ifndef S\n#define S 1\n#endif\n\
         __global__ void k(int *a) { a[S] = 1; }",
        "__global__ void k(int *a) { a[0] = 1;\n#if __CUDA_ARCH__ < 600\na[1] = 1;\n#endif\n}",
        "__global__ void k(int *a) { a[__CUDA_ARCH__] = 1; }",
        "#if __CUDA_ARCH__ < 600\n__device__ int atomicAdd(int *p, int x) { *p = x; return x; }\n#endif\n\
         __global__ void k(int *a) { atomicAdd(a, 1); }",
    ] {
        assert_eq!(assumptions(source), [arch], "{source}");
    }
    let source = "#if __cplusplus >= 201103L\n#define S 1\n#else\n#define S 0\n#endif\n\
                  __global__ void k(int *a) { a[S] = 1; }";
    assert!(assumptions(source)[0].contains("`__cplusplus` is assumed to be 201703"));
    for (name, least) in [("CUDART_VERSION", 3000), ("__CUDACC_VER_MAJOR__", 9)] {
        let source = format!(
            "#if {name} < {least}\n#define S 0\n#else\n#define S 1\n#endif\n\
             __global__ void k(int *a) {{ a[S] = 1; }}"
        );
        assert!(assumptions(&source)[0].contains(&format!("`{name}` is assumed to be 12")));
        assert_eq!(kernels(&source, &with(&[])), ["k: a[1] := 1"]);
    }
    // What the command line says is not assumed.
    let without = Options { undefines: ["__CUDA_ARCH__".to_owned()].into(), ..with(&[]) };
    let source = "#ifdef __CUDA_ARCH__\n#define S 1\n#else\n#define S 0\n#endif\n\
                  __global__ void k(int *a) { a[S] = 1; }";
    let found = common::program(source, &without);
    assert!(found.body.to_string().contains("a[0]"), "{found}");
    assert!(!found.notes.iter().any(|n| n.message.contains("assumed")), "{:?}", found.notes);
    let fixed = Options { defines: vec![("__CUDA_ARCH__".into(), "700".into())], ..with(&[]) };
    let source = "__global__ void k(int *a) { a[__CUDA_ARCH__] = 1; }";
    let notes = common::program(source, &fixed).declarations.notes;
    assert!(notes.is_empty(), "{notes:?}");
}

/// What a pragma sets back may be anything, and a kernel without the macro is as it was.
#[test]
fn macros_that_a_pragma_sets_back_are_not_known() {
    let source = |pop: &str, index: &str| {
        format!(
            "#define S 0\n#pragma push_macro(\"S\")\n#undef S\n#define S 1\n{pop}\n\
             __global__ void k(int *a) {{ a[{index}] = 1; }}"
        )
    };
    for pop in [
        "#pragma pop_macro(\"S\")",
        "#ifdef NDEBUG\n#pragma pop_macro(\"S\")\n#endif",
        "_Pragma(\"pop_macro(\\\"S\\\")\")",
        "#define POP _Pragma(\"pop_macro(\\\"S\\\")\")\nPOP",
    ] {
        let refusal = common::refusal(&source(pop, "threadIdx.x * S"));
        assert!(refusal.contains("`S`, which `#pragma pop_macro` sets back"), "{refusal}");
        assert!(common::body(&source(pop, "threadIdx.x")).contains("threadIdx.x"));
    }
    assert!(common::body(&source("", "threadIdx.x * S")).contains("threadIdx.x"));
}
