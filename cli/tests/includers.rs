//! Files that are read as part of another one, which includes them.

mod support;

use support::{Folder, babycuda, has_clang};

/// The arguments of a check of `file`.
fn of_file<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["check", file], more].concat()
}

/// A file of kernels that another one includes, with what it needs, is read as a part of that one.
#[test]
fn a_part_is_read_with_the_file_that_includes_it() {
    let folder = Folder::new("includers");
    let part = "__global__ void k(real *a) { a[threadIdx.x * STEP()] = 1; }\n\
        __global__ void plain(int *a) { a[0] = threadIdx.x; }\n";
    let part = folder.file("part.cu", part);
    babycuda(&of_file(&part, &["--kernel", "k"]), "").ends(3).is_silent_of("read as part");
    let whole = "typedef float real;\n#define STEP() 1\n#include \"part.cu\"\n\
        __global__ void own(int *a) { a[0] = threadIdx.x; }\n";
    let whole = folder.file("whole.cu", whole);
    for parser in ["auto", "builtin", "clang"] {
        if parser == "clang" && !has_clang() {
            continue;
        }
        let arguments = of_file(&part, &["--kernel", "k", "--parser", parser]);
        let noted = "whole.cu`, which includes this file";
        babycuda(&arguments, "").ends(0).says("k: race-free").says(noted);
        let none = [&*arguments, &["--includer", "none"]].concat();
        babycuda(&none, "").ends(3).is_silent_of("which includes this file");
        let told = [&*arguments, &["--includer", &whole]].concat();
        babycuda(&told, "").ends(0).says(noted);
    }
    let all = babycuda(&of_file(&part, &[]), "");
    all.ends(1).says("k: race-free").says("plain: racy").is_silent_of("own: ");
    let other = folder.file("other.cu", "int nothing;\n");
    let told = of_file(&part, &["--includer", &other]);
    babycuda(&told, "").ends(2).warns("does not include");
}

/// What is assumed of names that nobody declares counts less than what a file says that includes this one.
#[test]
fn a_file_that_includes_it_knows_its_constants() {
    let folder = Folder::new("constants");
    let part = folder.file("part.cu", "__global__ void k(int *a) { a[threadIdx.x * STEP] = 1; }\n");
    let assumed = "`STEP`, which nobody declares, is assumed to be a constant of type `int`";
    babycuda(&of_file(&part, &[]), "").ends(1).says(assumed).says("any STEP");
    babycuda(&of_file(&part, &["--param", "STEP=2"]), "").ends(0).says("STEP = 2");
    babycuda(&of_file(&part, &["-D", "STEP=2"]), "")
        .ends(0)
        .is_silent_of("assumed to be a constant");
    folder.file("whole.cu", "#define STEP 1\n#include \"part.cu\"\n");
    babycuda(&of_file(&part, &[]), "").ends(0).is_silent_of(assumed).says("read as part");
    let alone = of_file(&part, &["--includer", "none"]);
    babycuda(&alone, "").ends(1).says(assumed);
}

/// A header in quotes that is nowhere else stands in the folder above.
#[test]
fn headers_are_looked_for_in_the_folder_above() {
    let folder = Folder::new("above");
    let inner = "#include \"sizes.h\"\n__global__ void k(int *a) { a[threadIdx.x * size] = 1; }\n";
    let inner = folder.file("kernels/k.cu", inner);
    babycuda(&of_file(&inner, &[]), "").ends(3);
    folder.file("sizes.h", "#define size 2\n");
    for parser in ["builtin", "clang"] {
        if parser == "builtin" || has_clang() {
            babycuda(&of_file(&inner, &["--parser", parser]), "").ends(0);
        }
    }
    folder.file("kernels/sizes.h", "#define size 0\n");
    babycuda(&of_file(&inner, &[]), "").ends(1);
}

/// Templates are read for the launches of the file that includes them.
#[test]
fn a_template_is_launched_by_the_file_that_includes_it() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("including-templates");
    let part = "template <class T> __global__ void k(T *a) { a[T::at(threadIdx.x)] = T(); }\n";
    let part = folder.file("part.cuh", part);
    let whole = "struct S { int v; static __device__ int at(int i) { return i; } };\n#include \"part.cuh\"\n\
        void host(S *a) { k<S><<<1, 32>>>(a); }\n";
    folder.file("whole.cu", whole);
    babycuda(&of_file(&part, &[]), "").ends(0).says("k<S>: race-free");
}
