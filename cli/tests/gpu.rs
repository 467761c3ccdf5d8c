//! `babycuda gpu`: a device beside the semantics.

mod support;

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use support::{Ran, babycuda};

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
