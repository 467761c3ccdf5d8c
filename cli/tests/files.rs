//! Which files are read, and for what.

mod support;

use support::{Folder, babycuda};

const RACY: &str = "__global__ void r(int *a) { a[0] = threadIdx.x; }\n";

#[test]
fn documents_are_of_what_they_were_translated_for() {
    // The lanes that have ended let the others pass, as a document says, too.
    let half = ["tests/corpus/half_warp.cu", "--block", "64"];
    babycuda(&[&["check"], &half[..]].concat(), "").ends(3).says("CUDA lets the others pass");
    let printed =
        babycuda(&[&["emit", "--target", "json"], &half[..]].concat(), "").ends(0).out.clone();
    let again = babycuda(&["emit", "-", "--target", "json"], &printed).ends(0).out.clone();
    for document in [printed, again] {
        babycuda(&["check", "-"], &document).ends(3).says("CUDA lets the others pass");
    }
    // Of what it was translated for, it says more than of anything else.
    let scan = ["emit", "tests/corpus/grid_scan.cu", "--target", "json"];
    let line = babycuda(&scan, "").ends(0).out.clone();
    babycuda(&["check", "-", "--block", "4", "--grid", "1"], &line).ends(0);
    babycuda(&["check", "-", "--block", "2,2", "--grid", "1"], &line).ends(2).warns(
        "was translated for a block of (*,1,1), not for a block of (2,2,1): say so where its source",
    );
    let square = babycuda(&[&scan[..], &["--block", "2,2"]].concat(), "").ends(0).out.clone();
    babycuda(&["check", "-", "--grid", "1"], &square).ends(0);
    babycuda(&["check", "-", "--block", "8"], &square).ends(2).warns("a block of (2,2,1)");
    // What it requires is in it, and how it was read.
    let text =
        "//@ requires n > 0;\n__global__ void k(int *a, int n) { a[threadIdx.x * n] = 0; }\n";
    let folder = Folder::new("translated");
    let source = folder.file("k.cu", text);
    let emit = ["emit", &source, "--target", "json", "--block", "2"];
    let document = folder.file("k.json", &babycuda(&emit, "").ends(0).out);
    babycuda(&["check", &source, "--contract", "none", "--block", "2"], "").ends(1);
    babycuda(&["check", &document], "").ends(0);
    for options in [
        &["--contract", "none"][..],
        &["--contract", "infer"],
        &["--overflow", "wrap"],
        &["-D", "N=1"],
        &["-U", "N"],
        &["-I", "."],
        &["--std", "c++20"],
        &["--parser", "clang"],
        &["--includer", "none"],
    ] {
        let asked = [&["check", &document], options].concat();
        babycuda(&asked, "").ends(2).warns("`k` was translated already, not for ");
    }
    // Devices wrap around, whatever is not said.
    babycuda(&["emit", &document, "--target", "opencl", "--param", "n=1"], "").ends(0);
}

/// Compilers pass over byte order marks. A directive behind one counts.
#[test]
fn byte_order_marks_are_passed_over() {
    let folder = Folder::new("marks");
    let kernel = "#ifdef RACY\n__global__ void k(int *a) { a[0] = threadIdx.x; }\n#endif\n";
    let defined = folder.file("defined.cu", &format!("\u{feff}#define RACY\n{kernel}"));
    folder.file("racy.h", "\u{feff}#define RACY\n");
    let included = folder.file("included.cu", &format!("\u{feff}#include \"racy.h\"\n{kernel}"));
    let bare = folder.file("bare.cu", &format!("\u{feff}{RACY}"));
    // A comment that is not UTF-8.
    let other = folder.path("other.cu");
    let text = [&b"\xef\xbb\xbf#define RACY // \xe9\n"[..], kernel.as_bytes()].concat();
    std::fs::write(&other, text).unwrap();
    for path in [&defined, &included, &bare, &other] {
        babycuda(&["check", path, "--parser", "builtin", "--block", "32"], "").ends(1);
    }
}

#[test]
fn folders_are_the_kernels_in_them() {
    let folder = Folder::new("kernels");
    folder.file("clean.cu", "__global__ void c(int *a) { a[threadIdx.x] = 1; }\n");
    let check = |name: &str| babycuda(&["check", &folder.path(name), "--format", "short"], "");
    check("").ends(0);
    // Nobody includes it.
    folder.file("apart/r.cuh", RACY);
    check("").ends(1).says("r.cuh:1:");
    check("apart").ends(1);
    // Its kernels are those of the file that includes it, also by way of another header.
    folder.file("apart/by.h", "#include \"r.cuh\"\n");
    folder.file("apart/k.cu", "#include \"by.h\"\n");
    let found = check("apart").ends(1).out.clone();
    assert!(found.lines().count() == 1 && found.contains("k.cu:1:"), "{found}");
    folder.file("none/readme.txt", "");
    let none = check("none");
    none.ends(2).warns("none: no file in this folder is of a kind that is read").warns(".cuh, .cl");
    babycuda(&["run", &folder.path("none")], "").ends(2).warns("none: a folder is no file");
    // One that is closed is not passed over. (Root reads everything.)
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| {
            let closed = folder.path("apart");
            std::fs::set_permissions(&closed, PermissionsExt::from_mode(mode)).unwrap();
            std::fs::read_dir(closed).is_err()
        };
        if mode(0o000) {
            check("").ends(2).warns("apart: Permission denied");
        }
        mode(0o755);
    }
    // A front end that fails prints no program.
    for empty in ["{}", " { }\n"] {
        babycuda(&["check", "-"], empty).ends(2).warns("missing field");
    }
}

/// What is asked of several files is asked of those that have it, and of one at least.
#[test]
fn several_files_are_checked_with_what_they_have() {
    let folder = Folder::new("several");
    folder.file("a.cu", "__global__ void a(int *a, int n) { a[threadIdx.x * n] = 1; }\n");
    folder.file("b.cu", "__global__ void b(int *b) { b[threadIdx.x] = 1; }\n");
    folder.file("c.bcuda", "param m; A[m] := 1");
    folder.file("host.cu", "int host(int n);\n");
    let check = |options: &[&str]| {
        let args = ["check", &folder.path(""), "--format", "short", "--block", "2", "--grid", "1"];
        babycuda(&[&args, options].concat(), "")
    };
    check(&["--param", "n=1"]).ends(1).is_silent_of("a.cu").says("c.bcuda:1:10: race");
    let assumed = check(&["--assume", "n > 0 && n < 9"]);
    assumed.ends(1).says("a.cu: note: kernel a is race-free").says("c.bcuda:1:10: race");
    check(&["--param", "n=0"]).ends(1).says("a.cu:1:");
    check(&["--kernel", "b"]).ends(0).is_silent_of("race");
    check(&["--kernel", "a"]).ends(1).says("a.cu:1:").is_silent_of("c.bcuda");
    check(&["--array", "b"]).ends(0).is_silent_of("race");
    // What no file has is said once, and there is a verdict without it.
    for (option, why) in [
        (["--param", "x=1"], "a.cu: parameter `x`: no kernel has an integer parameter of this"),
        (["--assume", "x > 0"], "a.cu: assumption `x > 0`: unknown name `x`"),
        (["--kernel", "x"], "a.cu has no kernel `x` (it has a)"),
        (["--array", "x"], "a.cu: no kernel has an array `x`"),
    ] {
        let ran = check(&option);
        ran.ends(2).warns(why).warns("nor has any other of these files");
        assert_eq!(ran.err.matches("error").count(), 1, "{}", ran.err);
    }
    // One file has it all.
    babycuda(&["check", &folder.path("b.cu"), "--param", "n=1"], "").ends(2).warns("b.cu: param");
}

/// A value that the type of one kernel lacks makes that one unknown; of no kernel, it is a mistake.
#[test]
fn a_value_need_fit_one_kernel_of_a_file() {
    let text = "__global__ void a(int *a, int n, int m) { a[threadIdx.x * n + m] = 1; }\n\
                __global__ void b(int *a, signed char n) { a[threadIdx.x * n] = 1; }\n";
    let check = |option: &[&str]| {
        let args = ["check", "-", "--format", "short", "--block", "2", "--grid", "1", "--param"];
        babycuda(&[&args, option].concat(), text)
    };
    let unfit = "-:2:1: unknown [BC007]: kernel b was not decided: not supported: the value 300 of the `i8` `n`";
    check(&["n=300"]).ends(3).says(unfit).is_silent_of("kernel a");
    check(&["n=300", "--param", "m=1"]).ends(3).says(unfit);
    check(&["n=300", "--kernel", "a"]).ends(0);
    check(&["n=99999999999"]).ends(2).warns("99999999999 is no value of type i32");
}
