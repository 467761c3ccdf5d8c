//! Expressions that look like casts or templates are read as C++ reads them.

mod common;

use babycuda_frontend::{Options, Translation, parse_cuda};
use common::{body, refusal};

/// A kernel that uses `expression` as an index.
fn kernel(before: &str, expression: &str) -> String {
    format!(
        "{before}\n__global__ void k(int *a, unsigned x, unsigned y) {{ a[{expression}] = 1; }}"
    )
}

#[test]
fn a_variable_in_parentheses_is_no_cast() {
    for (looks_like_a_cast, plain) in [
        ("(x) - y % 3", "x - y % 3"),
        ("(x) + y % 3", "x + y % 3"),
        ("(x) * y % 3", "x * y % 3"),
        ("(x) & y % 3", "x & y % 3"),
        ("x * (x) - y * 3", "x * x - y * 3"),
        ("x % (x) - (y) - (x) * 2", "x % x - y - x * 2"),
        ("-(x) - -(y) % 3", "-x - -y % 3"),
        ("(N) - x % 3", "2 - x % 3"),
        ("(E) - x % 3", "1 - x % 3"),
        ("ID(x) - ID(y) % 3", "x - y % 3"),
    ] {
        let before = "const int N = 2; enum { Z, E };\n#define ID(i) (i)";
        let found = body(&kernel(before, looks_like_a_cast));
        assert_eq!(found, body(&kernel(before, plain)), "{looks_like_a_cast}");
    }
    let typed = "typedef unsigned char T;";
    assert_eq!(body(&kernel(typed, "(T)x * 2")), body(&kernel("", "(unsigned char)x * 2")));
}

#[test]
fn two_comparisons_are_no_template() {
    for (looks_like_a_template, plain) in [
        ("x < y || x > (3)", "(x < y) || (x > 3)"),
        ("x < y && y > (x + 1)", "(x < y) && (y > x + 1)"),
        ("x < 7 && (x < x || x >= 6)", "(x < 7) && ((x < x) || (x >= 6))"),
        ("x < x >> (y & 7)", "(x) < (x >> (y & 7))"),
        ("x < y && y > (x < 3 && 3 > (y))", "(x < y) && (y > ((x < 3) && (3 > y)))"),
        ("x < y && y > (x) - y % 3", "(x < y) && (y > x - y % 3)"),
        ("threadIdx.x < y && y > (x)", "(threadIdx.x < y) && (y > x)"),
        ("max(threadIdx.x < x ? x : y, y >> 4)", "max((threadIdx.x < x) ? x : y, y >> 4u)"),
    ] {
        let found = body(&kernel("", looks_like_a_template));
        assert_eq!(found, body(&kernel("", plain)), "{looks_like_a_template}");
    }
    let template = "template <unsigned N> __device__ unsigned f(unsigned i) { return N * i; }";
    assert_eq!(body(&kernel(template, "f<3>(x)")), body(&kernel("", "3u * x")));
}

/// A name is a type or a template wherever the file says so, whatever some block calls a variable;
/// a reference is a variable like any other.
#[test]
fn what_a_name_is_depends_on_where_it_is_declared() {
    let of = |before: &str, statements: &str| {
        body(&format!("{before}\n__global__ void k(int *a, int y) {{ {statements} }}"))
    };
    let typed = "typedef unsigned char T;";
    let cast = |t| format!("{{ int T = 3; a[5] = T; }} a[({t}) - y % 3] = 1;");
    assert_eq!(of(typed, &cast("T")), of(typed, &cast("unsigned char")));
    let template = "template <int N> __device__ int f(int i) { return N * i; }";
    let call = |x| format!("{{ int {x} = 3; a[5] = {x}; }} a[f < 2 > (3)] = 1;");
    assert_eq!(of(template, &call("f")), of(template, &call("g")));
    let by_reference = |e| {
        let function = format!("__device__ void g(int &x, int *a) {{ a[{e}] = 1; }}");
        of(&function, "int z = y; g(z, a);")
    };
    assert_eq!(by_reference("(x) - 5 % 3"), by_reference("x - 5 % 3"));
}

#[test]
fn places_stay_those_of_the_file() {
    let source = "__global__ void k(int *a, int x, int y) {\n  \
                  if (x < y && y > (x) - y % 3) a[y] = 1; goto end; }";
    assert!(refusal(source).starts_with("2:43: "), "{}", refusal(source));
    // What cannot be read stays so.
    for source in ["__global__ void k(int x) { (x - y % 3; }", "int x; int y = (x", "(x) -"] {
        let Ok(kernels) = parse_cuda(source, &Options::default()) else {
            assert!(source.ends_with("(x"), "{source}");
            continue;
        };
        assert!(kernels.iter().all(|k| matches!(k.translation, Translation::Unsupported(_))));
    }
}
