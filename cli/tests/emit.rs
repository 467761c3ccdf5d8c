//! `babycuda emit`: kernels as text.

mod support;

use std::process::Output;
use support::{Folder, babycuda, err, out, status};

fn emit(args: &[&str], program: &str) -> Output {
    babycuda(&[&["emit"], args].concat(), program)
}

fn text(output: &Output) -> String {
    assert_eq!(status(output), 0, "{}", err(output));
    out(output)
}

const SHIFT: &str = "kernel shift; threads 4; param n: u32; global A: i32;\n\
                     if lt.u32(threadIdx.x, n) { let x = A[threadIdx.x + 1] in A[threadIdx.x] := x }";

#[test]
fn a_kernel_in_every_language() {
    for (target, entry, read) in [
        (
            "cuda",
            "__global__ void shift(",
            "const int x = A[(unsigned long long)threadIdx.x + 1ull];",
        ),
        ("opencl", "__kernel void shift(", "const int x = A["),
        ("wgsl", "fn shift(", "let x: i32 = A["),
    ] {
        let printed = text(&emit(&["-", "--target", target], SHIFT));
        assert!(printed.contains(entry) && printed.contains(read), "{printed}");
        for account in [&["--instrumented"][..], &["--instrumented", "digest"]] {
            let args = [&["-", "--target", target], account].concat();
            let instrumented = text(&emit(&args, SHIFT));
            assert!(instrumented.len() > printed.len(), "{instrumented}");
        }
    }
}

/// What is printed from a kernel is a kernel again, of the same verdict.
#[test]
fn the_printed_kernel_has_the_verdict_of_the_original() {
    for (kernel, verdict) in [("reduce_sequential", 0), ("reduce_sequential_racy", 1)] {
        let file = format!("tests/corpus/{kernel}.cu");
        let printed = text(&emit(&[&file, "--target", "cuda", "--block", "16"], ""));
        let folder = Folder::new("emit");
        let again = folder.file(&format!("{kernel}.cu"), &printed);
        let checked = babycuda(&["check", &again, "--block", "16"], "");
        assert_eq!(status(&checked), verdict, "{kernel}: {}", err(&checked));
    }
}

#[test]
fn what_has_no_text_is_an_error_with_its_place() {
    let divergent = "threads 2;\nif tid == 0 { sync }";
    let shared = "threads 2; shared A; A[tid] := 1";
    for (args, program, why) in [
        (&["--target", "wgsl"][..], divergent, "-:2:15"),
        (&["--target", "cuda", "--instrumented"], divergent, "may differ between threads"),
        (&["--target", "wgsl"], shared, "the length of shared array `A` must be known"),
        (&["--target", "cuda", "--length", "B=4"], shared, "no kernel has an array `B`"),
        (&["--target", "cuda", "--length", "A"], shared, "ARRAY=CELLS"),
        (&["--target", "fortran"], shared, "fortran"),
        (&[], shared, "--target"),
        (&["--target", "cuda"], "A[0] :=", "-:1:"),
    ] {
        let output = emit(&[&["-"], args].concat(), program);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(err(&output).contains(why), "{args:?}: {}", err(&output));
    }
    let known = text(&emit(&["-", "--target", "wgsl", "--length", "A=4"], shared));
    assert!(known.contains("array<u64, 4>"), "{known}");
}

#[test]
fn one_kernel_is_one_text() {
    let two = "__global__ void f(int *a) { a[0] = 1; }\n__global__ void g(int *a) { a[1] = 2; }";
    let output = emit(&["-", "--target", "cuda"], two);
    assert_eq!(status(&output), 2);
    assert!(err(&output).contains("several kernels (f, g)"), "{}", err(&output));
    let printed = text(&emit(&["-", "--target", "cuda", "--kernel", "g"], two));
    assert!(printed.contains("void g(") && !printed.contains("void f("), "{printed}");
}

/// What a verdict leaves out is no part of the kernel.
#[test]
fn signed_overflow_leaves_no_trace_in_a_text() {
    let printed = text(&emit(&["tests/corpus/image_2d.cu", "--target", "cuda"], ""));
    assert!(!printed.contains("overflow"), "{printed}");
}
