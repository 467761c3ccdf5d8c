//! What clang rejects.

use super::{TIME, clang, read, source};
use babycuda_clang::Language::Cuda;
use babycuda_clang::{ClangError, Found};

/// A kernel's name, and the line and text of what clang says of it.
type Said = (String, Option<(u32, String)>);

fn messages(text: &str) -> Option<Vec<Said>> {
    let found = read(&clang()?, text, Cuda).expect("a file");
    let one = |k: Found| (k.name, k.kernel.err().map(|e| (e.span.line, e.message)));
    Some(found.into_iter().map(one).collect())
}

#[test]
fn an_error_concerns_the_kernel_that_uses_it() {
    let text = "__device__ int wrong(int x) {\n  return y;\n}
__global__ void uses(int *a) { a[0] = wrong(1); }
__global__ void other(int *a) { a[0] = 1; }
void host() { std::nothing x; }";
    let Some(found) = messages(text) else { return };
    let wanted = Some((2, "use of undeclared identifier 'y'".to_owned()));
    assert_eq!(found, [("uses".to_owned(), wanted), ("other".to_owned(), None)]);
}

/// Without its declaration, another overload would be meant.
#[test]
fn a_declaration_that_is_dropped_concerns_all() {
    let text = "__device__ int f(double x) { return 1; }
__device__ int f(unknown x, int y = 0) { return 2; }
__global__ void k(int *a) { a[f(1)] = 1; }";
    let Some(found) = messages(text) else { return };
    assert!(
        found[0].1.as_ref().is_some_and(|(line, m)| *line == 2 && m.contains("unknown")),
        "{found:?}"
    );
}

#[test]
fn headers_that_nobody_has_are_empty_and_said() {
    let Some(clang) = clang() else { return };
    let text =
        "#include <nobody/has.h>\n#include \"../this.h\"\n__global__ void k(int *a) { a[0] = 1; }";
    let source = super::source(text, None, Cuda);
    let (kernels, missing) = clang.read(&source, super::TIME).expect("a file");
    assert!(kernels[0].kernel.is_ok());
    assert_eq!(missing, ["nobody/has.h", "../this.h"]);
}

#[test]
fn templates_are_read_once_for_each_instance() {
    let text = "template <class T, int N> __global__ void k(T *a) { a[N] = 1; }
template <class T> __global__ void never(T *a) { a[0] = 1; }
void host(int *a, float *b) { k<int, 3><<<1, 1>>>(a); k<float, 4><<<1, 1>>>(b); k<int, 3><<<2, 1>>>(a); }";
    let Some(found) = messages(text) else { return };
    let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["k<int, 3>", "k<float, 4>", "never"]);
    assert!(found[2].1.is_some() && found[0].1.is_none());
}

#[test]
fn a_program_that_is_not_there_is_said() {
    let error = babycuda_clang::Clang::at("/nowhere/clang").expect_err("none");
    assert!(matches!(error, ClangError::Unavailable(_)), "{error}");
}

#[test]
fn what_an_included_file_has_wrong_stands_at_the_include() {
    let Some(clang) = clang() else { return };
    let folder = std::env::temp_dir().join(format!("babycuda-clang-errors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("wrong.cuh"), "\n__device__ int f() { return missing; }\n")
        .expect("a file");
    let text = "// a file\n#include \"wrong.cuh\"\n__global__ void k(int *a) { a[0] = f(); }";
    let path = folder.join("k.cu");
    let mut found = clang.read(&source(text, Some(&path), Cuda), TIME).expect("a file").0;
    let _ = std::fs::remove_dir_all(&folder);
    let wrong = found.remove(0).kernel.expect_err("no kernel");
    assert_eq!((wrong.span.line, wrong.span.column), (2, 1), "{wrong}");
    assert!(wrong.message.contains("(`wrong.cuh`, line 2)"), "{wrong}");
}

/// What is dropped concerns the kernels that use a name of it, directly or not, and no other.
#[test]
fn a_declaration_that_is_dropped_concerns_those_that_use_its_name() {
    let kernels = "__device__ int g(int x) { return f(x); }
__global__ void uses(int *a) { a[f(1)] = 1; }
__global__ void indirectly(int *a) { a[g(1)] = 1; }
__global__ void other(int *a) { a[threadIdx.x] = 1; }";
    let all = ["uses", "indirectly", "other"];
    let spoiled = |dropped: &str| {
        let text = format!("__device__ int f(double x) {{ return 1; }}\n{dropped}\n{kernels}");
        let found = messages(&text)?;
        assert_eq!(found.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), all, "{dropped}");
        Some(found.into_iter().filter(|(_, why)| why.is_some()).map(|(name, _)| name).collect())
    };
    let is = |dropped: &str, wanted: &[&str]| {
        if let Some(found) = spoiled(dropped) {
            let found: Vec<String> = found;
            assert_eq!(found, wanted, "{dropped}");
        }
    };
    for dropped in [
        "__device__ int f(unknown x, int y = 0);",
        "__device__ int f(unknown x, int y = 0) { int a = other + threadIdx.x; return a; }",
        "template <class T> __device__ int f(unknown x, T *y = 0) { return 2; }",
        "#define UNUSED(x) x\n__device__ __forceinline__ int f(unknown x, int y = 0) { return 2; } // other",
    ] {
        is(dropped, &all[..2]);
    }
    is("__device__ int h(unknown x) { return 2; }", &[]);
    // What may be anything.
    for dropped in [
        "#define DECLARE(name) __device__ int name(unknown x, int y = 0)\nDECLARE(f);",
        "#define DECLARE(name) name(unknown x, int y = 0)\n__device__ DECLARE(f);",
        "__device__ int operator+(unknown x, int y);",
    ] {
        is(dropped, &all);
    }
}
