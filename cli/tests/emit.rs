//! `babycuda emit`: kernels as text.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn emit(args: &[&str], program: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .arg("emit")
        .args(args)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that rejects its arguments may not read its input.
    let _ = child.stdin.take().unwrap().write_all(program.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", error(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
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
        let folder = std::env::temp_dir().join(format!("babycuda-emit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let again = folder.join(format!("{kernel}.cu"));
        std::fs::write(&again, printed).unwrap();
        let checked = Command::new(env!("CARGO_BIN_EXE_babycuda"))
            .args(["check", again.to_str().unwrap(), "--block", "16"])
            .output()
            .unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(checked.status.code(), Some(verdict), "{kernel}: {}", error(&checked));
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
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(error(&output).contains(why), "{args:?}: {}", error(&output));
    }
    let known = text(&emit(&["-", "--target", "wgsl", "--length", "A=4"], shared));
    assert!(known.contains("array<u64, 4>"), "{known}");
}

#[test]
fn one_kernel_is_one_text() {
    let two = "__global__ void f(int *a) { a[0] = 1; }\n__global__ void g(int *a) { a[1] = 2; }";
    let output = emit(&["-", "--target", "cuda"], two);
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output).contains("several kernels (f, g)"), "{}", error(&output));
    let printed = text(&emit(&["-", "--target", "cuda", "--kernel", "g"], two));
    assert!(printed.contains("void g(") && !printed.contains("void f("), "{printed}");
}

/// What a verdict leaves out is no part of the kernel.
#[test]
fn signed_overflow_leaves_no_trace_in_a_text() {
    let printed = text(&emit(&["tests/corpus/image_2d.cu", "--target", "cuda"], ""));
    assert!(!printed.contains("overflow"), "{printed}");
}
