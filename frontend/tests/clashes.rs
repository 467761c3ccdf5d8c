//! Names that need C++'s rules of lookup: what is not resolved exactly is refused.

mod common;

use babycuda_frontend::{Options, Translation, parse_cuda};
use common::{body, refusal};

/// `declarations`, and a kernel that writes `a[index]`.
fn file(declarations: &str, index: &str) -> String {
    format!("{declarations}\n__global__ void k(int *a) {{ int t = threadIdx.x; a[{index}] = 1; }}")
}

fn refused(declarations: &str, index: &str, wanted: &str) {
    let found = refusal(&file(declarations, index));
    assert!(found.contains(wanted), "{declarations}: {found}");
}

#[test]
fn explicit_specialisations_are_refused() {
    let wanted = "`f`, a template with an explicit specialisation";
    let primary = "template<int N> __device__ int f(int x) { return x * N; }\n";
    for special in [
        "template<> __device__ int f<3>(int x) { return 0; }",
        "template<> __device__ int f<3>(int x);",
    ] {
        refused(&format!("{primary}{special}"), "f<3>(t)", wanted);
        let through = "__device__ int g(int x) { return f<3>(x); }";
        refused(&format!("{primary}{special}\n{through}"), "g(t)", wanted);
        assert_eq!(body(&file(&format!("{primary}{special}"), "t")), body(&file("", "t")));
    }
    let deduced = "template<class T> __device__ T f(T x) { return x; }
        template<> __device__ int f(int x) { return x / 2; }";
    refused(deduced, "f(t)", wanted);
    assert_eq!(body(&file(primary, "f<3>(1)")), body(&file("", "3")));
}

#[test]
fn names_of_several_scopes_are_refused() {
    let wanted = "which is declared in several scopes";
    for (declarations, index) in [
        ("const int N = 0; namespace A { const int N = 1; }", "t * N"),
        ("typedef unsigned char T; namespace A { typedef int T; }", "(T)t"),
        ("using T = unsigned char; namespace A { using T = int; }", "(T)t"),
        ("enum { N = 0 }; namespace A { enum { N = 1 }; }", "t * N"),
        ("namespace A { const int N = 0; } namespace B { const int N = 1; }", "t * N"),
        ("namespace A { namespace B { const int N = 0; } const int N = 1; }", "t * N"),
        ("namespace A { __device__ int f(int x) { return 0; } }\n__device__ int f(int x);", "f(t)"),
        ("struct T { int x; }; namespace A { typedef int T; }", "(T)t"),
        (
            "const int N = 0; namespace A { const int N = 1; }\n\
             __device__ int f(int x) { return x * N; }",
            "f(t)",
        ),
    ] {
        refused(declarations, index, wanted);
    }
    let one = "namespace A { const int N = 2; } namespace A { __device__ int f() { return N; } }";
    assert_eq!(body(&file(one, "f()")), body(&file("", "2")));
    let parameter = "const int N = 0; namespace A { const int N = 1; }
        __device__ int f(int t); __device__ int f(int t) { return N; }";
    assert_eq!(body(&file(parameter, "t")), body(&file("", "t")));
    let unnamed = "namespace { const int N = 2; }";
    assert_eq!(body(&file(unnamed, "N")), body(&file("", "2")));
}

#[test]
fn names_of_namespaces_that_cuda_declares_are_refused() {
    for (declarations, index) in [
        ("namespace A { __device__ int max(int x, int y) { return x; } }", "max(t, 100)"),
        (
            "namespace A { __device__ int atomicAdd(int *p, int v) { return 0; } }",
            "atomicAdd(a, 1)",
        ),
        ("namespace A { typedef unsigned char uint; }", "(uint)t"),
        ("namespace A { const int warpSize = 1; }", "t % warpSize"),
        ("namespace A { template<class T> __device__ T min(T a, T b) { return a; } }", "min(t, 3)"),
    ] {
        refused(declarations, index, "which a namespace and CUDA declare");
    }
    refused(
        "namespace A { __device__ int __syncthreads() { return 0; } }",
        "__syncthreads()",
        "`__syncthreads`, which a namespace and CUDA declare",
    );
}

/// Each kernel is reported, whatever namespace it is in.
#[test]
fn kernels_of_one_name_are_all_reported() {
    let source = "namespace A { const int S = 0; __global__ void k(int *a) { a[S] = 1; } }
        namespace B { const int S = 1; __global__ void k(int *a) { a[S] = 1; } }";
    let kernels = parse_cuda(source, &Options::default()).expect("readable");
    assert_eq!(kernels.len(), 2);
    for kernel in kernels {
        assert_eq!(kernel.name, "k");
        assert!(matches!(kernel.translation, Translation::Unsupported(_)));
    }
}

#[test]
fn structures_named_like_types_of_cuda_are_refused() {
    let wanted = "`uchar`, a structure with the name of a type of CUDA";
    let structure = "struct uchar { int x; __device__ operator int() { return 0; } };";
    refused(structure, "(uchar)t", wanted);
    assert_eq!(body(&file("struct mine { int x; };", "t")), body(&file("", "t")));
}

#[test]
fn overloads_that_are_not_defined_are_refused() {
    let wanted = "`f`, of which an overload is not defined in this file";
    let defined = "__device__ int f(int x) { return x; }\n";
    refused(&format!("{defined}__device__ int f(unsigned x);"), "f(threadIdx.x)", wanted);
    refused(
        "__device__ int f(int x);\ntemplate<class T> __device__ int f(T x) { return x; }",
        "f(t)",
        wanted,
    );
    let same = format!("__device__ int f(int);\n{defined}__device__ int f(int y = 3);");
    assert_eq!(body(&file(&same, "f(5)")), body(&file("", "5")));
}

/// A template argument is a value of its parameter's type.
#[test]
fn template_arguments_are_converted() {
    for (parameter, argument, index, wanted) in [
        ("unsigned N", "8", "t - N < 0 ? t : 0", "0"),
        ("unsigned N = 8", "", "t - N < 0 ? t : 0", "0"),
        ("unsigned char N", "8", "N - 9 < 0 ? 1 : t", "1"),
        ("long long N", "2147483647", "t + N < 0 ? t : 3", "3"),
        ("class T, T N", "unsigned, 8", "t - N < 0 ? t : 0", "0"),
    ] {
        let declarations =
            format!("template<{parameter}> __device__ int f(int t) {{ return {index}; }}");
        let call = format!("f<{argument}>((int)(threadIdx.x & 3))");
        let (found, wanted) = (body(&file(&declarations, &call)), body(&file("", wanted)));
        assert_eq!(found, wanted, "{parameter}");
    }
    let template = "template<int N> __device__ int f(int t) { return N; }";
    refused(template, "f<int>(t)", "argument of the template parameter `N`");
}

/// Where CUDA declares a function of the same name, the types decide which one is meant.
#[test]
fn own_functions_with_names_of_cuda() {
    for (declarations, index) in [
        ("__device__ short abs(short x) { return x; }", "abs(t)"),
        (
            "__device__ unsigned char min(unsigned char x, unsigned char y) { return x; }",
            "min(t, 9)",
        ),
        ("__device__ int atomicAdd(float *p, float v) { return 0; }", "atomicAdd(a, 1)"),
        ("template<class T> __device__ T max(T x, T y) { return x; }", "max(t, 3)"),
    ] {
        refused(declarations, index, "which CUDA declares too");
    }
    // Types that are one here, and two for C++.
    for (own, index) in [
        ("__device__ int min(long x, long long y) { return 5; }", "min((long)t, (long)t)"),
        ("enum E { A0 };\n__device__ int min(E x, E y) { return 5; }", "min((int)t, (int)t)"),
        ("__device__ int min(char32_t x, char32_t y) { return 5; }", "min(1u, 2u)"),
        // A function of the host, where CUDA's is the only one.
        ("int min(short x, short y) { return 5; }", "min((short)t, (short)3)"),
    ] {
        refused(own, index, "which CUDA declares too");
    }
    let own = "__device__ int min(short x, short y) { return 5; }";
    assert_eq!(body(&file(own, "min((short)t, (short)3)")), body(&file("", "5")));
    let behind = format!("{}\n{own}", file("", "min((short)t, (short)3)"));
    assert!(refusal(&behind).contains("which CUDA declares too"));
    let template = "template<class T> __device__ int min(T x, T y);";
    refused(template, "min((short)t, (short)3)", "not defined in this file");
    // C++ takes it where CUDA's would need a conversion.
    for own in [
        "template<class... T> __device__ int min(T... x) { return 5; }",
        "template<class T> __device__ int min(T x, T y, ...) { return 5; }",
        "__device__ int min(short x, ...) { return 5; }",
    ] {
        refused(own, "min((short)t, (short)3)", "takes any number of arguments");
    }
    let own = "__device__ short abs(short x) { return 5; }";
    assert_eq!(body(&file(own, "abs((short)t)")), body(&file("", "5")));
    let own = "__device__ int max(int x, int y) { return 5; }\n";
    assert_eq!(body(&file(own, "max(t, 3)")), body(&file("", "5")));
    assert_eq!(body(&file(own, "std::max(4, 3)")), body(&file("", "4")));
}

/// An enumeration has the type that it states, or the first that holds its values.
#[test]
fn enumerations_have_their_type() {
    for (declarations, index, wanted) in [
        ("enum { A, B = 3, C };", "A - 1 < 0 ? C : t", "4"),
        ("enum E : unsigned { N = 8 };", "t - N < 0 ? t : 0", "0"),
        ("enum E : unsigned char { N = 8 };", "N - 9 < 0 ? 1 : t", "1"),
        ("enum { N = 0xFFFFFFFF };", "N < 0 ? t : 0", "0"),
        ("enum { N = 0xFFFFFFFF, M = -1 };", "M < 0 && N > 0 ? 1 : t", "1"),
        ("enum { N = 2147483647, M };", "M > 0 ? 1 : t", "1"),
        ("enum E : long long { N = 2147483647 };", "(int)threadIdx.x % 2 + 1 + N > 0 ? 0 : t", "0"),
        ("enum E : unsigned char { X };", "(E)258", "2"),
        ("enum E : unsigned char { X };", "(enum E)258", "2"),
        ("typedef enum { X = 4 } E;", "X", "4"),
        ("const int N = 2; enum class E { N = 1 };", "N", "2"),
    ] {
        assert_eq!(body(&file(declarations, index)), body(&file("", wanted)), "{declarations}");
    }
    refused("enum class E { N = 1 };", "N", "unknown name `N`");
    refused("enum E : unsigned char { N = 256 };", "N", "unknown name `N`");
}

/// The instances of a template have shared arrays of their own.
#[test]
fn shared_arrays_of_templates() {
    let template =
        "template<int N> __device__ int f(int t) { __shared__ int s[8]; s[t] = N; return N; }";
    let both = body(&file(template, "f<1>(t) + f<2>(t)"));
    assert!(
        both.contains("s[threadIdx.x] := 1") && both.contains("s'1[threadIdx.x] := 2"),
        "{both}"
    );
    assert_eq!(body(&file(template, "f<1>(t) + f<1>(t)")).matches("s[").count(), 2);
    // Whatever a reference is bound to, the function is one.
    let reference = "__device__ int f(const int &x) { __shared__ int s[8]; s[x] = 1; return x; }";
    assert_eq!(body(&file(reference, "f(t) + f(2 * t)")).matches("s[").count(), 2);
    // Two names may be of one instance, and one form may be that of two.
    let of_type = "constexpr int sq(int x) { return x * x; }
template<class T = int> __device__ int g(T x) { __shared__ int s[8]; s[x] = 1; return x; }";
    let of_value = format!("{template}\n{of_type}");
    for call in ["f<4>(t) + f<sq(2)>(t)", "g(1l) + g(1ll)", "g('a') + g((signed char)t)"] {
        refused(
            &of_value,
            call,
            "call that may be of the same instance of a template as another one",
        );
    }
    assert_eq!(body(&file(&of_value, "g(t) + g<>(t) + g<int>(t)")).matches("s[").count(), 3);
    assert_eq!(body(&file(&of_value, "g(t) + g(1u)")).matches("s'1[").count(), 1);
}

#[test]
fn own_functions_that_cuda_cannot_mean_are_called() {
    let minimum = "__device__ int min(int x, int y, long z) { return x + y + z; }";
    assert_eq!(body(&file(minimum, "min(t, 1u, 2)")), body(&file("", "(int)(t + 1 + 2l)")));
    assert_eq!(body(&file(minimum, "min(t, 1)")), body(&file("", "min(t, 1)")));
    let absolute = "__device__ int abs(unsigned char x, int y) { return x + y; }";
    assert_eq!(body(&file(absolute, "abs(t, 1)")), body(&file("", "(unsigned char)t + 1")));
    let own = "__device__ int make_index(unsigned char x) { return x * 2; }";
    assert_eq!(body(&file(own, "make_index(t)")), body(&file("", "(unsigned char)t * 2")));
    for (declarations, index) in [
        ("__device__ int min(int x, long y) { return 0; }", "min(t, 1)"),
        ("__device__ int abs(long x) { return 0; }", "abs(t)"),
        (
            "struct P { int x; };\n__device__ int make_int2(long x, long y) { return 0; }",
            "make_int2(t, t)",
        ),
    ] {
        refused(declarations, index, "which CUDA declares too");
    }
}
