//! Who reads kernels: the built-in parser, or clang. What needs clang passes
//! without it, where it is not required.

mod support;

use serde_json::Value;
use std::process::Command;
use support::{Folder, Ran, babycuda, has_clang, root, validate};

/// The names and verdicts of a text's kernels, with the reasons for `unknown`.
fn verdicts(args: &[&str], text: &str) -> Vec<(String, String, String)> {
    let ran = babycuda(&[&["check", "-", "--format", "json"], args].concat(), text);
    let document = ran.json();
    validate("verdict", &ran.out).unwrap_or_else(|e| panic!("{e}\n{}", ran.out));
    let kernels = document["kernels"].as_array().unwrap_or_else(|| panic!("{}", ran.out));
    let text = |k: &Value, key: &str| k[key].as_str().unwrap_or_default().to_owned();
    kernels.iter().map(|k| (text(k, "name"), text(k, "verdict"), text(k, "reason"))).collect()
}

#[test]
fn what_is_assumed_is_noted() {
    if !has_clang() {
        return;
    }
    let text = "#define I threadIdx.x\n#include \"nowhere.h\"\n#if __CUDA_ARCH__ >= 800\n#define J I\n\
        #else\n#define J 0\n#endif\n__global__ void k(int *a, int *b) { a[J] = b[J]; }";
    let [builtin, clang] = ["builtin", "clang"].map(|parser| {
        let ran = babycuda(&["check", "-", "--format", "json", "--parser", parser], text);
        ran.json()["kernels"][0].clone()
    });
    assert_eq!(clang["notes"], builtin["notes"], "{clang}");
    assert!(clang["notes"].as_array().is_some_and(|notes| notes.len() >= 3), "{clang}");
    assert_eq!(clang["verdict"], "drf", "{clang}");
    assert!(
        clang["parser"].as_str().is_some_and(|p| p.contains("clang"))
            && builtin["parser"].is_null()
    );
}

/// Whom a barrier holds is not known: without a race there is none with it, and a race is none that is known.
#[test]
fn a_kernel_may_be_race_free_without_a_barrier() {
    let kernel = |rest: &str| {
        format!(
            "__global__ void k(int *a, int n) {{ int i = threadIdx.x; a[i] = 1; __syncwarp(n);{rest} }}"
        )
    };
    babycuda(&["check", "-", "--block", "64"], &kernel(""))
        .ends(0)
        .says("race-free even if `__syncwarp` of some lanes at 1:67 orders nothing");
    babycuda(&["check", "-", "--block", "64"], &kernel(" a[i ^ 1] = 2;"))
        .ends(3)
        .says("not supported: `__syncwarp` of some lanes")
        .says("orders them, the accesses at ");
    let before = kernel(" a[0] = 2;").replace("a[i] = 1", "a[i / 2] = 1");
    babycuda(&["check", "-", "--block", "64"], &before)
        .ends(1)
        .says("there may be other races: not supported: `__syncwarp` of some lanes");
}

/// Nor is what a call of a work-group orders: all programs that bound the kernel have to be race-free.
#[test]
fn a_work_group_may_order_nothing() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("parsers-open");
    let check = |index: &str| {
        let text = format!(
            "kernel void k(global int *a) {{ int i = get_local_id(0); a[i] = 1; \
             int any = work_group_any(i == 3); a[{index}] = any; }}"
        );
        babycuda(&["check", &folder.file("k.cl", &text), "--block", "64"], "")
    };
    check("i").ends(0).says("race-free even if a function of work-groups between accesses of `a`");
    check("i ^ 1").ends(3).says("orders them, the accesses at ");
}

#[test]
fn the_report_says_who_read() {
    if !has_clang() {
        return;
    }
    let text = "template <class T> struct add { T by; __device__ T operator()(T x) { return x + by; } };\n\
        __global__ void k(int *a) { add<int> f{1}; a[0] = f(threadIdx.x); }\n\
        __global__ void plain(int *a) { a[threadIdx.x] = 1; }\n";
    babycuda(&["check", "-"], text).ends(1).says("read by: ").says("plain: race-free");
    babycuda(&["check", "-", "--kernel", "plain"], text).ends(0).is_silent_of("read by: ");
    babycuda(&["check", "-", "--parser", "builtin"], text).ends(3).is_silent_of("read by: ");
    let sarif = babycuda(&["check", "-", "--format", "sarif"], text).json();
    let parser = &sarif["runs"][0]["results"][0]["properties"]["parser"];
    assert!(parser.as_str().is_some_and(|p| p.contains("clang")), "{sarif}");
    let more = "assumption"; // It is about a kernel's own parameters, whoever reads it.
    let text = "template <class T> struct halved { __device__ T operator()(T x) { return x / 2; } };\n\
        __global__ void k(int *a, int n) { halved<int> f; if (threadIdx.x < n) a[f(threadIdx.x)] = 1; }\n";
    babycuda(&["check", "-", "--block", "64"], text).ends(1);
    babycuda(&["check", "-", "--block", "64", "--assume", "n == 1"], text).ends(0);
    babycuda(&["check", "-", "--block", "64", "--assume", "m <= 1"], text).ends(2).warns(more);
    babycuda(&["check", "-", "--block", "64", "--param", "n=1"], text).ends(0);
    let instances = "template <class T, int N> __global__ void k(T *a) { auto f = [] { return threadIdx.x / N; }; a[f()] = 1; }\n\
        void host() { k<float, 1><<<1, 1>>>(0); k<int, 2><<<1, 1>>>(0); }\n";
    let found = verdicts(&["--block", "64", "--kernel", "k"], instances);
    let found: Vec<_> = found.iter().map(|(name, verdict, _)| (&**name, &**verdict)).collect();
    assert_eq!(found, [("k<float, 1>", "drf"), ("k<int, 2>", "racy")]);
    // An instance may leave its arguments to be found; it is no other kernel.
    let instances = "template <class T> struct It { T *p; };\n\
        template <class T> __global__ void k(It<T> a) { a.p[threadIdx.x] = 1; }\n\
        template __global__ void k(It<float>);\ntemplate __global__ void k<int>(It<int>);\n";
    let found = verdicts(&[], instances);
    let found: Vec<_> = found.iter().map(|(name, verdict, _)| (&**name, &**verdict)).collect();
    assert_eq!(found, [("k<float>", "drf"), ("k<int>", "drf")]);
}

/// A kernel that a platform may have, or an extension, is not forgotten.
#[test]
fn kernels_that_may_not_be_compiled_are_named() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("conditional-kernels");
    for (condition, word, verdict) in [
        ("ifdef WIN32", "kernel", "unknown: not supported: conditional on `WIN32`"),
        ("ifdef cl_amd_fp64", "__kernel", "unknown: not supported: conditional on `cl_amd_fp64`"),
        ("ifndef cl_intel_x", "__kernel", "unknown: not supported: conditional on `cl_intel_x`"),
        ("ifdef NDEBUG", "OWN", "unknown: not supported: conditional on `NDEBUG`"),
        ("if defined(cl_amd_fp64) || defined(cl_khr_fp64)", "kernel", "racy"),
    ] {
        let text = format!(
            "#define OWN extern_kernel\n#define extern_kernel __kernel\n#{condition}\n\
             {word} void k(global double *a) {{ a[0] = 1; }}\n#endif\n"
        );
        let ran = babycuda(&["check", &folder.file("k.cl", &text)], "");
        assert!(ran.out.contains(&format!("k: {verdict}")), "{condition}\n{}", ran.out);
    }
    let text = "#define KERNEL extern \"C\" __global__\n#ifdef WIN32\nKERNEL void k(int *a) { a[0] = 1; }\n#endif\n";
    babycuda(&["check", &folder.file("k.cu", text)], "").ends(3).says("conditional on `WIN32`");
}

/// What nobody declares may be a macro of the command line, in OpenCL C as in CUDA.
#[test]
fn constants_that_nobody_declares_are_any() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("assumed-constants");
    let kernel = |body: &str| {
        let text = format!(
            "kernel void k(global int *a, local int *s) {{ int t = get_local_id(0); {body} }}"
        );
        folder.file("k.cl", &text)
    };
    let rows = kernel("s[t * SIZE] = t; barrier(CLK_LOCAL_MEM_FENCE); a[t] = s[t * SIZE];");
    let note = "`SIZE`, which nobody declares, is assumed to be a constant of type `int`";
    babycuda(&["check", &rows], "").ends(1).says("SIZE = 0").says(note);
    babycuda(&["check", &rows, "-D", "SIZE=3"], "").ends(0);
    babycuda(&["check", &rows, "--assume", "SIZE == 3"], "").ends(0);
    babycuda(&["check", &rows, "--param", "SIZE=3"], "").ends(0);
    let cuda = "__global__ void k(int *a) { a[threadIdx.x * SIZE] = 1; }";
    babycuda(&["check", "-"], cuda).ends(1).says("SIZE = 0").says(note);
    babycuda(&["check", "-", "--assume", "SIZE == 3"], cuda).ends(0);
    // An assumption declares nothing.
    for file in [&*rows, "-"] {
        let ran = babycuda(&["check", file, "--assume", "SIEZ == 3"], cuda);
        ran.ends(2).warns("SIEZ");
    }
    let loops =
        kernel("for (int i = 0; i < SIZE; i++) { a[t] = i; barrier(CLK_GLOBAL_MEM_FENCE); }");
    babycuda(&["check", &loops], "").ends(0).says("any SIZE");
    for name in ["size", "Size", "N", "CL_SIZE"] {
        let other = kernel(&format!("a[t] = {name};"));
        let message = format!("use of undeclared identifier '{name}'");
        babycuda(&["check", &other], "").ends(3).says(&message);
    }
    let missing = "#include \"sizes.h\"\nkernel void k(global int *a) { a[0] = SIZE; }";
    babycuda(&["check", &folder.file("k.cl", missing)], "").ends(3).says("SIZE");
    // A local array of such a size has no size.
    babycuda(&["check", &kernel("local int r[SIZE]; r[t] = 1;")], "").ends(3);
}

/// A barrier of OpenCL C orders the memory that its flags name, and all threads wait at it.
#[test]
fn each_space_of_memory_has_its_barriers() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("fences");
    for (statements, verdict) in [
        ("s[t] = g[t]; o[t] = 1; barrier(LOCAL); o[t] = s[63 - t];", "race-free"),
        ("o[t] = 1; barrier(LOCAL); g[t] = o[63 - t];", "racy"),
        ("o[t] = 1; barrier(LOCAL | GLOBAL); g[t] = o[63 - t];", "race-free"),
        ("s[t] = 1; barrier(GLOBAL); g[t] = s[63 - t];", "racy"),
        ("s[t] = o[t]; barrier(GLOBAL); o[t] = s[t]; g[t] = o[t];", "race-free"),
        ("o[t] = 1; barrier(LOCAL); barrier(GLOBAL); g[t] = o[63 - t];", "race-free"),
        (
            "o[t] = 1; barrier(LOCAL); s[t] = 1; barrier(LOCAL); g[t] = o[63 - t] + s[63 - t];",
            "racy",
        ),
        (
            "for (int i = 0; i < n; i++) { s[t] = i; barrier(LOCAL); o[t + i * 64] = s[63 - t];
             barrier(LOCAL); }",
            "race-free",
        ),
        (
            "for (int i = 0; i < n; i++) { s[t] = i; barrier(LOCAL); o[t + i] = s[63 - t];
             barrier(LOCAL); }",
            "racy",
        ),
        ("o[t] = 2; if (t < 3) barrier(LOCAL); o[t] = s[t];", "divergent"),
        // What is read in the other space decides where this one is accessed.
        ("s[t] = t; o[t] = 1; barrier(LOCAL); o[64 + s[63 - t]] = t;", "unknown"),
    ] {
        let text = format!(
            "#define LOCAL CLK_LOCAL_MEM_FENCE
             #define GLOBAL CLK_GLOBAL_MEM_FENCE
             kernel void k(global int *g, global int *o, int n) {{
                 local int s[64]; int t = get_local_id(0); {statements}
             }}"
        );
        let kernel = folder.file("k.cl", &text);
        let ran = babycuda(&["check", &kernel, "--block", "64"], "");
        assert!(ran.out.contains(&format!("k: {verdict}")), "{statements}\n{}", ran.out);
    }
}

fn without_clang(args: &[&str]) -> Ran {
    let command = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(args)
        .current_dir(root())
        .env("BABYCUDA_CLANG", "/nowhere/clang")
        .output();
    Ran::new(format!("{args:?} without clang"), command.unwrap())
}

#[test]
fn without_clang_nothing_changes() {
    let folder = Folder::new("without-clang");
    let lambda = folder
        .file("lambda.cu", "__global__ void k(int *a) { auto f = [] { return 0; }; a[f()] = 1; }");
    let kernel = folder.file("k.cl", "kernel void k(global int *a) { a[0] = 1; }");
    without_clang(&["check", "tests/corpus/vector_add.cu"]).ends(0);
    without_clang(&["check", &lambda]).ends(3).says("lambda").is_silent_of("clang");
    without_clang(&["check", &lambda, "--parser", "clang"]).ends(2).warns("install clang");
    without_clang(&["check", &kernel]).ends(2).warns("install clang");
    without_clang(&["check", &kernel, "--parser", "builtin"]).ends(2).warns("--parser clang");
}

#[test]
fn files_are_taken_as_compilers_take_them() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("parsers");
    let kernel = "#include <size.h>\n__global__ void k(int *a) { a[threadIdx.x / SIZE / TWO] = [] { return 1; }(); }";
    let path = folder.file("k.cu", kernel);
    folder.file("none.cu", "int host() { return 0; }\n");
    folder.file("k.cl", "kernel void k(global int *a) { a[get_local_id(0)] = CAST 1; }");
    folder.file("read.txt", "nothing");
    let at = std::path::Path::new(&path).parent().unwrap().to_str().unwrap();
    std::fs::create_dir_all(format!("{at}/inc")).unwrap();
    folder.file("inc/size.h", "#pragma once\n#define SIZE 1\n");
    let one = format!(
        r#"{{"directory": "{at}", "file": "k.cu", "command": "nvcc -I inc -DTWO=1 -std=c++14 k.cu"}}"#
    );
    let other = format!(
        r#"{{"directory": "{at}", "file": "k.cl", "arguments": ["clang", "-D", "CAST=(int)", "k.cl"]}}"#
    );
    let database = folder.file("compile_commands.json", &format!("[{one}, {other}]"));
    for from in [&*database, at] {
        let ran = babycuda(&["check", at, "--block", "64", "--compile-commands", from], "");
        ran.ends(0).says("k: race-free");
    }
    // The command line comes last.
    let more = ["--block", "64", "--compile-commands", at];
    babycuda(&[&["check", &path, "-DTWO=2"], &more[..]].concat(), "").ends(1);
    babycuda(&["check", &path, "-I", &format!("{at}/inc"), "-D", "TWO=1", "-std=c++17"], "")
        .ends(0);
    babycuda(&["check", &format!("{at}/none.cu")], "").ends(0);
    babycuda(&["check", &format!("{at}/none.cu"), "--kernel", "k"], "").ends(2);
    // A database that is not there is said once, not for each file.
    let missing = format!("{at}/nowhere.json");
    let files = [&*path, &format!("{at}/none.cu"), "--compile-commands", &missing];
    let ran = babycuda(&[&["check"], &files[..]].concat(), "");
    assert_eq!(ran.err.matches("nowhere.json").count(), 1, "{}", ran.err);
    ran.ends(2);
    let broken = folder.file("broken.json", "[{}]");
    babycuda(&["check", &path, "--compile-commands", &broken], "").ends(2).warns("without a file");
}

#[test]
fn a_clang_that_takes_too_long_leaves_kernels_unknown() {
    let folder = Folder::new("slow-clang");
    let slow = "#!/bin/sh\ncase $1 in --version) echo clang version 14;; *) sleep 30;; esac\n";
    let slow = folder.file("clang", slow);
    let allowed = Command::new("chmod").args(["+x", &slow]).status();
    assert!(allowed.is_ok_and(|status| status.success()));
    let kernel = folder.file("k.cl", "kernel void k(global int *a) { a[0] = 1; }");
    let args = ["check", &kernel, "--time-limit", "2"];
    let run = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(args)
        .env("BABYCUDA_CLANG", slow)
        .output();
    let ran = Ran::new(format!("{args:?} with a slow clang"), run.unwrap());
    assert!(!ran.err.contains("install clang"), "{}", ran.err);
    ran.ends(3);
}

const FLAT: &str = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";

#[test]
fn a_version_that_is_none_is_an_error() {
    for standard in ["c++98q", "c99", "c++", "CL9", "17"] {
        for parser in ["auto", "builtin"] {
            let args = ["check", "-", "--parser", parser, "--std", standard];
            babycuda(&args, FLAT).ends(2).warns(standard).is_silent_of("install");
        }
    }
    for standard in ["c++03", "gnu++17", "c++2a", "c++23"] {
        babycuda(&["check", "-", "--parser", "builtin", "--std", standard], FLAT).ends(0);
    }
}

#[test]
fn broken_files_are_errors() {
    let folder = Folder::new("broken-files");
    let cut = folder.file("cut.cu", &format!("{FLAT}\nint host() {{\n  return 0"));
    babycuda(&["check", &cut], "").ends(2).warns("2:12").warns("not closed");
    let binary = folder.file("binary.cu", "\u{7f}ELF\u{1}\0\0");
    babycuda(&["check", &binary], "").ends(2).warns("no text");
}

#[test]
fn blocks_that_a_kernel_does_not_have_are_an_error() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("other-blocks");
    let said = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global int *a) \
        { a[get_local_id(0)] = 1; }";
    let path = folder.file("k.cl", said);
    let ran = babycuda(&["check", &path, "--block", "65"], "");
    ran.ends(2).warns("65 x 1 x 1").warns("64 x 1 x 1");
    babycuda(&["check", &path, "--block", "64"], "").ends(0);
    // Another kernel of the file has them.
    let both = format!("{said}\nkernel void other(global int *a) {{ a[get_local_id(0)] = 1; }}");
    let path = folder.file("both.cl", &both);
    babycuda(&["check", &path, "--block", "65"], "").ends(3).says("65 x 1 x 1");
}

#[test]
fn what_the_compiler_defines_the_command_line_may_define() {
    if !has_clang() {
        return;
    }
    let text = format!(
        "#if CUDART_VERSION >= 11000\n#define I threadIdx.x\n#else\n#define I 0\n#endif\n{}",
        FLAT.replace("threadIdx.x", "I")
    );
    for parser in ["builtin", "clang"] {
        let with = |more: &[&str]| {
            babycuda(&[&["check", "-", "--block", "64", "--parser", parser], more].concat(), &text)
        };
        with(&[]).ends(0);
        with(&["-D", "CUDART_VERSION=9000"]).ends(1);
        with(&["-U", "CUDART_VERSION"]).ends(1);
    }
}

#[test]
fn fields_have_one_name() {
    let text = "struct P { int w; }; __global__ void k(int *a, P p) { a[threadIdx.x / p.w] = 1; }";
    babycuda(&["check", "-", "--block", "64", "--param", "p.w=1"], text).ends(0);
    babycuda(&["check", "-", "--block", "64", "--param", "p.w=2"], text).ends(1).says("p.w");
    babycuda(&["check", "-", "--block", "64", "--assume", "p.w == 1"], text).ends(0);
    babycuda(&["check", "-", "--block", "64", "--param", "p_w=1"], text).ends(2);
}
