//! `babycuda emit`: kernels as text.

mod support;

use support::{Folder, Ran, babycuda, run_page};

fn emit(args: &[&str], program: &str) -> Ran {
    babycuda(&[&["emit"], args].concat(), program)
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
        let printed = emit(&["-", "--target", target], SHIFT).ends(0).out.clone();
        assert!(printed.contains(entry) && printed.contains(read), "{printed}");
        for account in [&["--instrumented"][..], &["--instrumented", "digest"]] {
            let args = [&["-", "--target", target], account].concat();
            let instrumented = emit(&args, SHIFT).ends(0).out.clone();
            assert!(instrumented.len() > printed.len(), "{instrumented}");
        }
    }
}

#[test]
fn a_monitored_kernel_in_every_language() {
    for (target, arguments, words) in [
        ("cuda", "unsigned long long *monitor_words", "words of 64 bits"),
        ("opencl", "__global ulong *monitor_words", "words of 64 bits"),
        ("wgsl", "monitor_words: array<atomic<u32>>", "words of 32 bits"),
    ] {
        let printed = emit(&["-", "--target", target, "--monitored"], SHIFT).ends(0).out.clone();
        assert!(printed.contains(arguments) && printed.contains(words), "{printed}");
        assert!(printed.contains("watch_global("), "{printed}");
    }
    let short = emit(&["-", "--target", "opencl", "--monitored", "32"], SHIFT).ends(0).out.clone();
    assert!(short.contains("__global uint *monitor_words"), "{short}");
    assert!(!short.contains("int64"), "{short}");
    // Another machine, and what is none.
    let folder = Folder::new("monitored");
    let table = include_str!("../../core/src/shadow/exact.csv");
    let exact = folder.file("exact.csv", table);
    let args = ["-", "--target", "opencl", "--monitored", "32", "--machine", &exact];
    assert_eq!(emit(&args, SHIFT).ends(0).out, short);
    let broken = folder.file("broken.csv", "state,next");
    let args = ["-", "--target", "opencl", "--monitored", "--machine", &broken];
    emit(&args, SHIFT).ends(2).warns("expected `state,access,sync,relation,next`");
    emit(&["-", "--target", "cuda", "--machine", &exact], SHIFT).ends(2).warns("--monitored");
    emit(&["-", "--target", "cuda", "--monitored", "--instrumented"], SHIFT).ends(2);
    emit(&["-", "--target", "json", "--monitored"], SHIFT).ends(2).warns("no instrumentation");
    let none = folder.file("host.cu", "int main() { return 0; }");
    babycuda(&["emit", &none, "--target", "cuda"], "").ends(2).warns("has no kernels");
    let open = "threads 4; shared A; A[tid] := 1";
    emit(&["-", "--target", "cuda", "--monitored"], open).ends(2).warns("must be known");
    // The fields of words: as said, none of another name, and none that a word has no room for.
    let few =
        ["-", "--target", "cuda", "--monitored", "--bits", "block-clock=3", "--bits", "block=12"];
    let few = emit(&few, SHIFT).ends(0).out.clone();
    let limits =
        "global memory: 4096 blocks, 4 threads of a block, 7 barriers of a block, 0 of a warp";
    assert!(few.contains(limits), "{few}");
    for (bits, says) in
        [("clock=3", "none of block"), ("block=x", "fewer than 64"), ("block", "block-clock=8")]
    {
        emit(&["-", "--target", "cuda", "--monitored", "--bits", bits], SHIFT).ends(2).warns(says);
    }
    emit(&["-", "--target", "cuda", "--monitored", "--bits", "block=60"], SHIFT)
        .ends(2)
        .warns("bits");
    emit(&["-", "--target", "cuda", "--bits", "block=6"], SHIFT).ends(2).warns("--monitored");
    let wide = "block 1024, 1, 1; grid 65535, 9, 1; global A; sync; A[0] := 1";
    emit(&["-", "--target", "wgsl", "--monitored"], wide).ends(2).warns("and have 32");
}

/// The commands of the page that says what monitored kernels are.
#[test]
fn the_commands_of_the_page_about_monitored_kernels_run() {
    assert_eq!(run_page("docs/MONITOR.md", &[]), 4);
}

/// What is printed from a kernel is a kernel again, of the same verdict.
#[test]
fn the_printed_kernel_has_the_verdict_of_the_original() {
    for (kernel, verdict) in [("reduce_sequential", 0), ("reduce_sequential_racy", 1)] {
        let file = format!("tests/corpus/{kernel}.cu");
        let printed = emit(&[&file, "--target", "cuda", "--block", "16"], "").ends(0).out.clone();
        let folder = Folder::new("emit");
        let again = folder.file(&format!("{kernel}.cu"), &printed);
        babycuda(&["check", &again, "--block", "16"], "").ends(verdict);
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
        emit(&[&["-"], args].concat(), program).ends(2).warns(why);
    }
    let known = emit(&["-", "--target", "wgsl", "--length", "A=4"], shared).ends(0).out.clone();
    assert!(known.contains("array<u64, 4>"), "{known}");
}

#[test]
fn one_kernel_is_one_text() {
    let two = "__global__ void f(int *a) { a[0] = 1; }\n__global__ void g(int *a) { a[1] = 2; }";
    emit(&["-", "--target", "cuda"], two).ends(2).warns("several kernels (f, g)");
    let printed = emit(&["-", "--target", "cuda", "--kernel", "g"], two).ends(0).out.clone();
    assert!(printed.contains("void g(") && !printed.contains("void f("), "{printed}");
}

/// What a verdict leaves out is no part of the kernel.
#[test]
fn signed_overflow_leaves_no_trace_in_a_text() {
    let printed = emit(&["tests/corpus/image_2d.cu", "--target", "cuda"], "").ends(0).out.clone();
    assert!(!printed.contains("overflow"), "{printed}");
}
