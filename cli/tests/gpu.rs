//! `babycuda gpu`: a device beside the semantics.

mod support;

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use support::{Folder, Ran, babycuda, run_page};

fn gpu(args: &[&str], program: &str) -> Ran {
    babycuda(&[&["gpu", "-"], args].concat(), program)
}

const SIM: &[&str] = &["--backend", "sim"];
/// Every thread takes what its neighbour holds, which the neighbour may already have changed.
const RACY: &str =
    "threads 3; A[tid] := tid; sync; let x = A[(tid + 1) % 3] in A[tid] := x + 5; sync; B[0] := 7";
const DRF: &str = "threads 3; A[tid] := tid; sync; let x = A[(tid + 1) % 3] in B[tid] := x + 5";

#[test]
fn a_race_free_program_does_what_the_semantics_says() {
    gpu(SIM, DRF)
        .ends(0)
        .says("the device did what the semantics says")
        .says("thread 2: wr B[2]                := 5                   := 5");
}

#[test]
fn the_first_difference_is_marked() {
    let differing = |seed: &u64| {
        let seed = seed.to_string();
        let output = gpu(&["--backend", "sim", "--seed", &seed], RACY);
        (output.status == 3).then_some((seed, output.out))
    };
    let (seed, shown) = (0..50).find_map(|seed| differing(&seed)).expect("some schedule differs");
    let marked: Vec<&str> = shown.lines().filter(|l| l.contains("<-- first difference")).collect();
    assert_eq!(marked.len(), 1, "{shown}");
    let first_mark = shown.lines().find(|l| l.contains("<--")).unwrap();
    assert_eq!(first_mark, marked[0]);
    assert!(shown.contains("phase 1: RACY"), "{shown}");
    assert!(shown.contains("the order of threads may decide"), "{shown}");

    let args = ["--backend", "sim", "--seed", &seed, "--format", "json"];
    let document = gpu(&args, RACY).json();
    let run = &document["runs"][0];
    assert_eq!(document["device"]["backend"], "sim");
    assert_eq!(run["drf"], false);
    assert_eq!(run["difference"]["phase"], 1);
    assert_eq!(run["finding"], "racy");
    assert_eq!(run["report"]["status"], "done");
}

#[test]
fn the_order_of_atomic_updates_decides_nothing() {
    let ticket = "threads 3; global T = [0]; global A; \
                  let x = atomic T[0] add 1 in A[x] := tid";
    let differs = |seed: u64| {
        let output = gpu(&["--backend", "sim", "--seed", &seed.to_string()], ticket);
        assert_ne!(output.status, 1, "{}", output.out);
        (output.status == 3).then_some(output.out)
    };
    let shown = (0..50).find_map(differs).expect("some schedule differs");
    assert!(shown.contains("the order of the atomic updates may decide"), "{shown}");
}

#[test]
fn races_between_blocks_are_listed() {
    let output = gpu(&[SIM, &["--grid", "2"]].concat(), "threads 2; global A; A[tid] := 1");
    let race = "racy across blocks: block 0, thread 0 wr / block 1, thread 0 wr on A[0]";
    output.says(race);
}

/// Blocks that wait for each other have one history, of which a block's own tells nothing.
#[test]
fn blocks_that_wait_for_each_other_are_not_compared() {
    let waits = "grid 2; threads 2; global A; if blockIdx.x == 0 { A[tid] := 1 }; sync.grid;
                 if blockIdx.x == 1 { A[tid] := 2 }";
    let ran = gpu(SIM, waits);
    ran.ends(3).says("nothing to compare: `sync.grid` of several blocks");
    assert!(!ran.out.contains("racy"), "{}", ran.out);
}

#[test]
fn a_semantics_that_gives_up_is_compared_with_nothing() {
    let long = "threads 2; forU x in 0..60000 { forU y in 0..100 { skip } }; A[tid] := 1";
    gpu(&[SIM, &["--fuel", "100000000"]].concat(), long)
        .ends(3)
        .says("nothing to compare: the semantics gave up: ");
}

#[test]
fn a_divergence_is_seen_on_both_sides() {
    let output = gpu(SIM, "threads 2; if tid == 0 { sync }; A[tid] := 1");
    output.ends(0);
    assert_eq!(output.out.matches("at barrier").count(), 2, "{}", output.out);
}

#[test]
fn what_the_calculus_does_not_know_is_compared_with_nothing() {
    let outgrown = "threads 1; A[0] := 18446744073709551615 + 1";
    for (program, args, why) in [
        (outgrown, &[][..], "outgrew 64 bits"),
        ("threads 1; A[9] := 1", &["--length", "4"], "A[9] is outside its array"),
        ("threads 2; forU x in 0..9 { A[x] := tid }", &["--log", "3"], "too many accesses"),
        ("threads 2; forU x in 0..99 { skip }", &["--fuel", "50"], "too many instructions"),
    ] {
        gpu(&[SIM, args].concat(), program).ends(3).says(why);
    }
}

#[test]
fn what_no_device_can_hold_is_an_error() {
    for (program, why) in [
        ("threads 1; A[0] := 99999999999999999999", "64 bits"),
        ("threads 1; shared A[99999999999999999999]; A[0] := 1", "cells"),
        ("A[tid] := 1", "--block"),
        ("threads 2; A[tid] := n", "n"),
    ] {
        gpu(SIM, program).ends(2).warns(why);
    }
}

#[test]
fn a_back_end_that_is_missing_says_why() {
    for backend in ["opencl", "wgpu", "cuda"] {
        let output = gpu(&["--backend", backend], DRF);
        let error = &output.err;
        match output.status {
            0 => assert!(output.out.starts_with(&format!("{backend}: "))),
            2 => assert!(error.contains(&format!("back end {backend} is not available: "))),
            other => panic!("status {other}: {error}"),
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(["gpu", "-", "--backend", "sim", "--format", "json", "--length", "1000000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(DRF.as_bytes()).unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// A kernel with a race on line 3, which a run has where `p` holds equal numbers.
const SCATTER: &str = "__global__ void k(int *a, const int *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[p[i]] = i;
}";

fn scatter(args: &[&str]) -> Ran {
    gpu(&[SIM, &["--block", "4"], args].concat(), SCATTER)
}

#[test]
fn arrays_are_given() {
    scatter(&["--array", "p=[3, 2, 1, 0]"])
        .ends(0)
        .says("thread 0: rd p[0]                rd                     rd 3");
    scatter(&["--array", "p=[3, 2, 3, 0]"])
        .says("races of the device's log: 1 cell")
        .says("write-write race on a[3], in one block")
        .says("block 0, thread 0 writes, -:3:5")
        .says("block 0, thread 2 writes, -:3:5")
        .is_silent_of("the semantics has none");
    let drawn = |args: &[&str]| scatter(args).out;
    let [one, same, other] = [
        drawn(&["--array", "p=random:4"]),
        drawn(&["--array", "p=random:4", "--choose", "seed:0"]),
        drawn(&["--array", "p=random:4", "--choose", "seed:1"]),
    ];
    assert!(one.contains("rd p[3]"), "{one}");
    let reads = |text: &str| {
        text.lines().filter(|l| l.contains("rd p[")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(reads(&one), reads(&same));
    assert_ne!(reads(&one), reads(&other));
}

/// So does `run`; beyond what is given, nothing is stored.
#[test]
fn runs_take_arrays_too() {
    let run = |array: &str| babycuda(&["run", "-", "--block", "4", "--array", array], SCATTER);
    run("p=[3, 2, 1, 0]").ends(0);
    run("p=[3, 2, 3, 0]").ends(1).says("a[3]");
    run("p=[3, 2, 1]").ends(3).says("p[3]");
}

#[test]
fn a_file_of_numpy_s_is_read() {
    let folder = Folder::new("gpu");
    let path = folder.path("p.npy");
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    [2_i32, 2, 1, 0].iter().for_each(|k| bytes.extend(k.to_le_bytes()));
    std::fs::write(&path, &bytes).unwrap();
    let array = format!("p={path}");
    scatter(&["--array", &array]).says("write-write race on a[2]");
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    scatter(&["--array", &array]).ends(2).warns("15 bytes of numbers, where its shape needs 16");
    std::fs::write(&path, &bytes[..20]).unwrap();
    let cut =
        format!("{path}: the file ends in its header: it has 20 bytes of {}", bytes.len() - 16);
    scatter(&["--array", &array]).ends(2).warns(&cut);
    scatter(&["--array", "p=nowhere.npy"]).ends(2).warns("nowhere.npy: ");
}

/// The page that takes one kernel through all tools.
#[test]
fn the_page_of_tools_is_true() {
    let folder = Folder::new("tools");
    assert_eq!(run_page("docs/TOOLS.md", &[("FOLDER", folder.path(""))]), 6);
}

#[test]
fn arrays_of_another_shape_or_type_are_refused() {
    for (array, why) in [
        ("q=[1]", "no array of the kernel whose contents are open"),
        ("p=[1, 2147483648]", "2147483648, for cell 1, is not of its type"),
        ("p=[1, x]", "number 2 of the list: `x` is not an integer"),
        ("p=file.csv", "is none of NAME=[1, 2, 3]"),
    ] {
        scatter(&["--array", array]).ends(2).warns(why);
    }
    scatter(&["--array", "p=[1]", "--array", "p=[2]"]).ends(2).warns("given twice");
    let declared = "threads 2; global A[2] = any; global B; let x = A[tid] in B[tid] := x";
    gpu(&[SIM, &["--array", "A=[1, 2, 3]"]].concat(), declared)
        .ends(2)
        .warns("3 cells given, where the array has 2");
    gpu(&[SIM, &["--array", "A=random"]].concat(), declared).ends(0);
}

#[test]
fn a_screen_is_shown_unless_all_is_asked_for() {
    let wide = "threads 512; A[tid] := tid; sync; B[511 - tid] := tid";
    let lines = |args: &[&str]| gpu(&[SIM, args].concat(), wide).ends(0).out.lines().count();
    assert!(lines(&[]) < 48);
    assert!(lines(&["--rows", "all"]) > 2 * 1024);
    gpu(SIM, wide).says("… 1008 more rows");
    gpu(&[SIM, &["--grid", "64"]].concat(), wide).says("63 more blocks as the semantics says");
    gpu(&[SIM, &["--rows", "few"]].concat(), wide).ends(2).warns("expected a number, or all");
    // What differs is among what is shown.
    let late = "threads 64; A[tid] := tid; sync; let x = A[(tid + 1) % 64] in A[tid] := x + 1";
    let differing = (0..50).find_map(|seed: u64| {
        let ran = gpu(&["--backend", "sim", "--seed", &seed.to_string()], late);
        (ran.status == 3).then_some(ran)
    });
    differing.expect("some schedule differs").says("<-- first difference").says("more rows");
}

/// Barriers of tiles order what the log has.
#[test]
fn barriers_of_tiles_are_in_the_log() {
    let of = |reader: &str| {
        format!("threads 4; A[tid] := tid; sync.tile2; let x = A[{reader}] in B[tid] := x")
    };
    gpu(SIM, &of("tid / 2 * 2")).ends(0).is_silent_of("races of the device's log");
    gpu(SIM, &of("0")).says("read-write race on A[0], in one block");
}

/// A grid that is launched at once has one memory: what other blocks write is none of a block's own.
#[test]
fn a_compiled_grid_is_a_real_launch() {
    let compiled = ["--compiled", "--grid", "4", "--block", "8"];
    let text = "global A; global B; A[blockIdx.x * blockDim.x + tid] := blockIdx.x + 7";
    let ran = gpu(&compiled, text);
    if ran.status == 2 && ran.err.contains("is not available") {
        let required = std::env::var("BABYCUDA_REQUIRE_BACKENDS").unwrap_or_default();
        assert!(!required.contains("opencl"), "{}", ran.err);
        return;
    }
    ran.ends(0).says("3 more blocks as the semantics says");
    // Each block writes all cells: which one is last, the program does not say.
    gpu(&compiled, "global A; A[tid] := blockIdx.x")
        .ends(0)
        .says("write-write race on A[0], between blocks")
        .says("racy across blocks");
    // What a block reads, another one may have written.
    let read = gpu(
        &compiled,
        "global A = fill 0; global B; let x = A[7 - tid] in B[blockIdx.x * 8 + tid] := x; A[tid] := 1",
    );
    assert!([0, 3].contains(&read.status), "{}", read.out);
    let uneven = gpu(&compiled, "if tid == 0 { sync }; A[tid] := 1");
    uneven.ends(2).warns("does not fit on a device");
    gpu(&["--compiled", "--backend", "sim"], DRF).ends(2).warns("the simulator compiles nothing");
}
