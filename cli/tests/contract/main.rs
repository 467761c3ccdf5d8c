//! The command line contract: formats, exit statuses, errors with their place.

mod benign;
mod run;
#[path = "../support/mod.rs"]
mod support;

use support::{Folder, babycuda};

const FIG3: &str = "threads 2; param M = 3; shared A = [7, 8, 9];\n\
                    forU x in 0..M { let y = A[x] in A[x] := y + 1 }";
const FIG4: &str = "threads 4; if tid == 0 { A[0] := tid } else { skip }";
const EQ2: &str = "threads 4; A[tid] := tid; let x = A[tid] in A[x] := 9";

#[test]
fn a_race_is_reported_with_both_accesses_and_its_history() {
    babycuda(&["check", "-"], FIG3)
        .ends(1)
        .says("error[BC002]: read-write race on A[0]")
        .says("thread (0,0,0) reads")
        .says("thread (1,0,0) writes")
        .says("replayed history, phase 0 of 1")
        .says("wr A[0] := 8   <-- race");
}

#[test]
fn a_drf_program_says_for_what_it_is_race_free() {
    babycuda(&["check", "-"], FIG4)
        .ends(0)
        .says("main: race-free")
        .says("scope: blocks of 4 x 1 x 1");
}

#[test]
fn reports_say_what_is_so() {
    let check = |text: &str, args: &[&str]| {
        let output = babycuda(&[&["check", "-"], args].concat(), text);
        (output.status, output.out)
    };
    // A vacuous verdict names the assumptions, and says that nothing was checked.
    let (code, text) = check("threads 2; assume 1 == 2; A[0] := 1", &[]);
    assert_eq!(code, 3);
    assert!(text.contains("unknown: vacuous: no launch satisfies `1 == 2`"), "{text}");
    // Nor is anything run that is not assumed.
    let command = |command: &str| {
        let text = "threads 2; param n; assume 0 < n; A[tid] := n";
        let output = babycuda(&[command, "-", "--param", "n=0"], text);
        (output.status, output.err)
    };
    for name in ["run", "derive", "gpu"] {
        let (code, text) = command(name);
        assert_eq!(code, 2, "{name}: {text}");
        assert!(text.contains("vacuous: the launch and parameters do not satisfy"), "{text}");
    }
    // A race that is not replayed says where the run stopped, and enumeration is enumeration.
    let half = "threads 2; if tid == 0 { B[1] := 1 } else { skip }; let x = B[0] in A[0] := 1";
    let (code, text) = check(half, &[]);
    assert_eq!(code, 3);
    assert!(text.contains("thread 0 at 1:61: reads B[0], which nobody wrote"), "{text}");
    assert!(!text.contains("the reference semantics runs into it"), "{text}");
    assert!(text.contains("method: enumeration"), "{text}");
    // Where nobody can have written, nobody goes on.
    let (code, text) = check("threads 2; let x = B[0] in A[0] := 1", &[]);
    assert_eq!(code, 0);
    assert!(text.contains("reads what nobody wrote at 1:20"), "{text}");
    // Threads of one block are not called different blocks, even where no phase is known.
    let opaque = "global U = opaque; shared A; threads *; let k = U[0] in \
        if k == tid { A[0] := 1; sync } else { A[0] := 2; sync }";
    let (_, text) = check(opaque, &[]);
    assert!(!text.contains("different blocks"), "{text}");
    // A race before a divergence.
    let text = "threads *; sync; A[tid] := tid; if tid == 0 { sync } else { A[0] := 2 }";
    let (code, text) = check(text, &[]);
    assert_eq!(code, 1);
    assert!(text.contains("main: racy") && text.contains("error[BC004]"), "{text}");
    // Threads that are stuck arrive at no barrier.
    let stuck = "threads *; shared A; shared B; \
        if tid == 0 { let x = B[0] in sync } else { sync }; A[tid] := 1";
    babycuda(&["check", "-", "--method", "smt"], stuck)
        .says("those that were followed meet again, or are stuck before");
    // What is not supported has no scope.
    let kernel = "__global__ void k(int *a) { asm(\"bar\"); a[0] = 1; }";
    let folder = Folder::new("reports");
    babycuda(&["check", &folder.file("asm.cu", kernel)], "").ends(3).is_silent_of("scope");
}

#[test]
fn json_is_the_contracts() {
    let document = babycuda(&["check", "-", "--format", "json"], FIG3).json();
    assert_eq!(document["version"], 1);
    assert_eq!(document["file"], "-");
    let kernel = &document["kernels"][0];
    assert_eq!(kernel["name"], "main");
    assert_eq!(kernel["verdict"], "racy");
    let race = &kernel["races"][0];
    for field in ["array", "kind", "phase", "index", "certainty", "first", "second", "parameters"] {
        assert!(race.get(field).is_some(), "no {field} in {race}");
    }
    assert_eq!(race["certainty"], "replayed");
    for field in ["thread", "mode", "line", "column"] {
        assert!(race["first"].get(field).is_some(), "no {field}");
    }
    assert_eq!(race["parameters"]["M"], 3);
}

#[test]
fn sarif_has_a_result_with_its_region() {
    let document = babycuda(&["check", "-", "--format", "sarif"], FIG3).json();
    assert_eq!(document["version"], "2.1.0");
    let result = &document["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 2);
}

/// A thread that only reads races with those that write.
#[test]
fn accesses_of_a_run_race_with_whom_they_do() {
    let text =
        "threads 3; shared A = fill 0; if tid == 2 { A[0] := 1 } else { let x = A[0] in skip }";
    babycuda(&["run", "-"], text)
        .says("thread 0: rd A[0]   <-- race with 2\n")
        .says("thread 1: rd A[0]   <-- race with 2\n")
        .says("thread 2: wr A[0] := 1   <-- race with 0, 1\n");
}

/// Group, size of warps, block, and what must have been read: in every format.
#[test]
fn reports_lose_nothing_of_a_witness() {
    let formats = |text: &str| {
        ["human", "json", "sarif"].map(|f| babycuda(&["check", "-", "--format", f], text).out)
    };
    let [human, json, sarif] = formats("threads 8; warp 4; if tid < 2 { sync.warp }");
    for text in [human, sarif] {
        assert!(text.contains("after phase 0, in the warp of thread (0,0,0)"), "{text}");
        assert!(text.contains("witness: block (8,1,1), warps of 4"), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let divergence = &json["kernels"][0]["divergences"][0];
    assert_eq!((&divergence["scope"], &divergence["launch"]["warp"]), (&"warp".into(), &4.into()));

    let [human, json, _] =
        formats("grid 2; threads 2; if blockIdx.x == 1 { if tid == 0 { sync } }");
    assert!(human.contains("thread (0,0,0) of block (1,0,0) waits here"), "{human}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kernels"][0]["divergences"][0]["second"]["block"][0], 1);

    let blocks = "grid 2; threads 1; global A; A[0] := 1";
    let [human, _, sarif] = formats(blocks);
    for text in [human, sarif] {
        assert!(text.contains("of block (1,0,0) writes"), "{text}");
    }

    let data = "threads 4; shared A; global B = opaque; let x = B[tid] in A[x] := tid";
    let [human, json, _] = formats(data);
    assert!(human.contains(" read from B[") || human.contains(" read"), "{human}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = &json["kernels"][0]["races"][0]["first"];
    assert!(first["reads"].as_object().is_some_and(|reads| !reads.is_empty()), "{json}");

    // By the cells of the source, as their types read them.
    let data = "threads 2; global A; global B: i32 = any; let x = B[tid] in if eq.i32(x, 0 - 5) { A[0] := 1 }";
    let data = data.replace("0 - 5", "4294967291");
    let [human, json, _] = formats(&data);
    assert!(human.contains("-5 read from B[0]"), "{human}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let race = &json["kernels"][0]["races"][0];
    assert_eq!(race["host"], serde_json::json!({ "B": { "0": -5, "1": -5 } }), "{json}");
    for side in [&race["first"], &race["second"]] {
        let cell = format!("B[{}]", side["thread"][0]);
        assert_eq!(side["reads"], serde_json::json!({ cell: -5 }), "{json}");
    }
}

#[test]
fn the_worst_kernel_decides_the_exit_status() {
    let folder = Folder::new("contract");
    let drf = folder.file("drf.bcuda", FIG4);
    let racy = folder.file("racy.bcuda", FIG3);
    let unknown =
        folder.file("unknown.cu", "__global__ void k(int *a) { __syncwarp(7); a[0] = 1; }");
    let bad = folder.file("bad.bcuda", "A[0] :=");
    let check = |paths: &[&String]| {
        let mut args = vec!["check"];
        args.extend(paths.iter().map(|p| p.as_str()));
        babycuda(&args, "").status
    };
    assert_eq!(check(&[&drf]), 0);
    assert_eq!(check(&[&unknown]), 3);
    assert_eq!(check(&[&drf, &unknown]), 3);
    assert_eq!(check(&[&drf, &racy, &unknown]), 1);
    assert_eq!(check(&[&racy, &bad, &drf]), 2);
}

#[test]
fn bad_input_has_its_place_and_status_2() {
    babycuda(&["check", "-"], "threads 2;\nA[0] := ;").ends(2).warns("-:2:9");
    for args in [
        &["check", "no/such/file.cu"][..],
        &["check", "README.md"],
        &["check", "-", "--block", "0"],
        &["check", "-", "--block", "2,600"],
        &["check", "-", "--param", "N=1"],
        &["check", "-", "--array", "B"],
        &["check", "-", "--kernel", "other"],
        &["check", "-", "--assume", "tid == 0"],
        &["check"],
        &["frobnicate"],
        &["run", "-", "--block", "x"],
    ] {
        babycuda(args, FIG4).ends(2);
    }
}

#[test]
fn every_command_makes_the_same_scope_check() {
    let commands: [&[&str]; 7] = [
        &["check", "-"],
        &["type", "-"],
        &["run", "-"],
        &["derive", "-"],
        &["derive", "-", "--judgment", "type"],
        &["emit", "-", "--target", "cuda"],
        &["gpu", "-", "--backend", "sim"],
    ];
    for (text, message) in [
        ("threads 2; param tid = 3; A[0] := tid", "`tid` is given its meaning by the launch"),
        ("threads 0; A[0] := 1", "a launch of no threads"),
        ("threads 2; A[x] := 1", "unbound variable `x`"),
        ("threads 2; shared A; B[0] := 1", "undeclared array `B`"),
        ("threads 2; param N: u8 = 300; A[0] := N", "the value of `N` is none of its type"),
        (
            "threads 2; shared A: u8 = [1, 256]; A[0] := 1",
            "`A` holds a value that is none of its type",
        ),
        (
            "threads 2; shared A: i8 = fill 256; A[0] := 1",
            "`A` holds a value that is none of its type",
        ),
    ] {
        for command in commands {
            babycuda(command, text).ends(2).warns(message);
        }
    }
    for command in [&["check", "-"][..], &["type", "-"]] {
        babycuda(command, "threads 2; forU x in 0..2 { rd[y] }")
            .ends(2)
            .warns("unbound variable `y`");
    }
}

#[test]
fn an_ill_typed_program_of_which_nothing_is_open_is_decided_by_its_run() {
    babycuda(&["check", "-"], EQ2).ends(0).says("method: run");
}

#[test]
fn a_divergence_is_reported_with_both_threads() {
    babycuda(&["check", "-"], "threads 2; if tid == 0 { sync }; A[tid] := 1")
        .ends(1)
        .says("error[BC004]: barrier divergence")
        .says("thread (0,0,0) waits here");
}

#[test]
fn protocols_are_checked_as_they_stand() {
    let folder = Folder::new("map");
    let text = "param M: u32; assume M <= 8; forU x in 0..M { rd[x]; wr[x] }";
    let path = folder.file("fig3.map", text);
    babycuda(&["check", &path], "").ends(1).says("provable");
    babycuda(&["check", &path, "--assume", "M == 0"], "").ends(0);
}

#[test]
fn help_and_version_work() {
    for command in ["check", "type", "run", "derive", "verify"] {
        babycuda(&[command, "--help"], "").ends(0).says("Usage: babycuda");
    }
    assert!(babycuda(&["--version"], "").out.starts_with("babycuda "));
}

#[test]
fn includes_are_found_beside_the_file_then_in_folders() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("includes");
    std::fs::create_dir_all(folder.join("more")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "k.cu",
        "#include \"sub.h\"\n#include <step.h>\n__global__ void k(int *a) { a[threadIdx.x * STEP] = 1; }",
    );
    write("sub.h", "#include \"more/../more/first.h\"\n");
    write("more/first.h", "#ifndef FIRST\n#define FIRST 1\n#endif\n");
    write("more/step.h", "#define STEP FIRST\n");
    let path = folder.join("k.cu").to_string_lossy().into_owned();
    let more = folder.join("more").to_string_lossy().into_owned();
    let check = |args: &[&str]| babycuda(&[&["check", &path, "--block", "32"], args].concat(), "");
    check(&["-I", &more]).ends(0);
    check(&["-I", &more, "-D", "FIRST=0"]).ends(1);
    check(&[]).ends(3).says("unknown name `STEP`");
}

/// CUDA lets lanes pass that the calculus keeps waiting, so nobody knows what such a kernel does.
#[test]
fn lanes_at_different_barriers_of_a_warp_decide_nothing() {
    let says = "come to different barriers of it, or end before: CUDA lets the others pass then";
    let lanes = |first: &str| {
        format!(
            "__global__ void k(int *a) {{ {first} if (threadIdx.x < 2) __syncwarp(); \
             else __syncwarp(); a[threadIdx.x] = 1; }}"
        )
    };
    for command in ["run", "check"] {
        for format in ["human", "json"] {
            let args = [command, "-", "--block", "4", "--format", format];
            babycuda(&args, &lanes("")).ends(3).says(says);
            // A race before them is one.
            babycuda(&args, &lanes("a[0] = threadIdx.x;")).ends(1);
            // So it is where the warp is the whole block, and blocks wait for each other.
            let grid = lanes("").replace("} }", "}").replace("a[threadIdx.x] = 1; }", "");
            let grid = format!("{grid} cooperative_groups::this_grid().sync(); }}");
            let warps = ["--warp", "4", "--grid", "2"];
            babycuda(&[&args[..], &warps[..]].concat(), &grid).ends(3).says(says);
        }
    }
}

#[test]
fn macros_and_parameters_of_the_command_line() {
    let kernel = "__global__ void k(int *a, int n) {\n#ifdef __linux__\na[F(0)] = 1;\n#else\n\
                  a[threadIdx.x * n] = 1;\n#endif\n}";
    babycuda(&["check", "-", "--block", "2", "-D", "F(i)=threadIdx.x+i"], kernel)
        .ends(3)
        .says("`-D __linux__` or `-U __linux__`");
    let args = ["check", "-", "--block", "2", "-D", "F(i)=threadIdx.x+i", "-D__linux__"];
    babycuda(&args, kernel).ends(0);
    babycuda(&["check", "-", "--block", "2", "-U", "__linux__"], kernel).ends(1);
    for bad in ["F(x=x", "2N", "F(x)y=1", ""] {
        babycuda(&["check", "-", "-D", bad], kernel).ends(2);
    }
    for bad in ["2N", "N=1", "F(x)"] {
        babycuda(&["check", "-", "-U", bad], kernel).ends(2);
    }
    // A compiler takes the last one; here the order of `-D` and `-U` is not known.
    let both = ["check", "-", "-U", "A", "-D", "A"];
    babycuda(&both, kernel).ends(2).warns("`A`: both defined and undefined");
    let twice = ["check", "-", "-U", "__linux__", "--param", "n=1", "--param", "n=2"];
    babycuda(&twice, kernel).ends(2).warns("parameter `n` has two values");
}

/// A witness is printed so that it can be given back.
#[test]
fn parameters_of_signed_types_are_printed_as_they_are_given() {
    let kernel = "__global__ void k(int *a, int n) { if (n < -2147483646) a[0] = 1; }";
    let output = babycuda(&["check", "-", "--block", "2"], kernel);
    let text = &output.out;
    let witness = text.split(", n = ").nth(1).and_then(|rest| rest.lines().next());
    let param = format!("n={}", witness.unwrap_or_else(|| panic!("{text}")));
    let output = babycuda(&["check", "-", "--block", "2", "--param", &param], kernel);
    output.ends(1);
    assert!(output.out.contains(&format!(
        "scope: blocks of 2 x 1 x 1, one block, {}",
        param.replace('=', " = ")
    )));
}

#[test]
fn what_is_assumed_is_in_every_report() {
    let kernel = "#define N 1\n#include \"missing.h\"\n\
                  __global__ void k(int *a) { a[threadIdx.x * N] = 1; }";
    let says = "headers that are missing, as `missing.h` (line 2, not found), are assumed to leave \
                alone the macros before them";
    babycuda(&["check", "-"], kernel).ends(0).says(says);
    let json = babycuda(&["check", "-", "--format", "json"], kernel).json();
    assert_eq!(json["kernels"][0]["notes"][0]["message"].as_str(), Some(says));
}

/// What comes before the construct is known, and its races are races.
#[test]
fn a_race_before_what_is_not_supported_is_reported() {
    let kernel = "__global__ void k(int *a) { a[0] = threadIdx.x; goto end; end: ; }";
    let output = babycuda(&["check", "-"], kernel);
    output.ends(1).says("k: racy").says("there may be other races: not supported: goto at 1:49");
    let document = babycuda(&["check", "-", "--format", "json"], kernel).json();
    assert_eq!(document["kernels"][0]["races"].as_array().map(Vec::len), Some(1));
    let array = ["check", "-", "--array", "b"];
    babycuda(&array, kernel).ends(3).says("k: unknown: not supported: goto");
}

/// A run says what a kernel does that cannot be translated: here nobody knows how often a loop with barriers runs.
#[test]
fn a_race_of_a_run_of_what_is_not_supported_is_reported() {
    let kernel = |first: &str| {
        format!(
            "__global__ void k(float *a) {{
                 __shared__ int done;
                 while (true) {{
                     {first} done = 1;
                     __syncthreads();
                     if (a[threadIdx.x] > 1.0f) atomicExch(&done, 0);
                     __syncthreads();
                     if (done) break;
                     __syncthreads();
                 }}
             }}"
        )
    };
    let racy = babycuda(&["check", "-"], &kernel(""));
    let why = "there may be other races: not supported: barrier in a loop whose number of iterations is not known";
    racy.ends(1).says("write-write race on done").says(why);
    let free = babycuda(&["check", "-"], &kernel("if (threadIdx.x == 0)"));
    free.ends(3).says("k: unknown: not supported: barrier in a loop whose number");
}

#[test]
fn a_kernel_that_is_not_supported_has_no_scope() {
    let kernel = "__global__ void k(int *a) { a[threadIdx.x] = 1; goto end; end: ; }";
    let output = babycuda(&["check", "-"], kernel);
    output.says("k: unknown: not supported: goto at 1:49").is_silent_of("scope:");
    let document = babycuda(&["check", "-", "--format", "json"], kernel).json();
    assert_eq!(document["kernels"][0]["scope"], serde_json::Value::Null);
}
