//! Algorithms 1 and 2 (§5).

use super::*;
use babycuda_core::AccessMode;
use babycuda_core::verdict::Outcome;
use babycuda_detectors::Detector;
use babycuda_detectors::two_thread::{Fixed, locate};

const TID: &str = "int t = threadIdx.x;";

fn found(text: &str, reading: Reading) -> (usize, usize) {
    let findings = body(&format!("{TID} {text}")).findings(reading, &launch(1, 4));
    assert_eq!(findings.undecided, []);
    (findings.races.len(), findings.divergences.len())
}

/// Races across several intervals, in one run (contribution 1), and both sides of each with line and column.
#[test]
fn all_races_are_found_in_one_run() {
    let text = "__global__ void k(int *a, int *b) {\n  int t = threadIdx.x;\n  a[t / 2] = t;\n  __syncthreads();\n  \
        b[t] = a[t + 1];\n  a[t] = 3;\n  __syncthreads();\n  b[t + 1] = t;\n  b[t] = 2;\n}\n";
    let case = case(text);
    let findings = case.findings(Reading::REPAIRED, &launch(1, 4));
    let place = |at| {
        let span = locate(&case.tree, at, text);
        (span.line, span.column)
    };
    let races: Vec<_> = findings.races.iter().map(|f| f.pair.map(|(at, _)| place(at))).collect();
    assert_eq!(races, [[(3, 3), (3, 3)], [(5, 10), (6, 3)], [(8, 3), (9, 3)]]);
    let truth = case.truth(&launch(1, 4));
    for finding in &findings.races {
        let witness = &finding.witness;
        assert!(witness.first.thread != witness.second.thread);
        assert!(
            truth.races.iter().any(|(cell, _)| cell.array == witness.cell.array),
            "{witness:#}"
        );
    }
    assert!(findings.races[1].witness.first.mode == AccessMode::Rd);
}

/// Examples 1 and 3. That IR 5 and IR 6 conflict is false where both stand under the condition that Example 2 prints: even
/// threads read at even places and write at odd ones. It is so where IR 5 stands outside, as the clause of Example 3 has it.
#[test]
fn examples_1_and_3() {
    let lines = |text: &str| {
        let case = case(text);
        let findings = case.findings(Reading::REPAIRED, &launch(1, 6));
        assert_eq!(findings.undecided, []);
        let line = |at| locate(&case.tree, at, text).line;
        let races: Vec<_> = findings.races.iter().map(|f| f.pair.map(|(at, _)| line(at))).collect();
        (races, findings.divergences.len())
    };
    let example = "__global__ void k(int *a, int *b, int *c) {\nint t = threadIdx.x;\n\
        a[t % 2] = t;\nc[t] = a[t];\n__syncthreads();\nif (t % 2 == 0) {\n__syncthreads();\n\
        b[t] = a[t] + 10;\na[t + 1] = 10;\n} }";
    assert_eq!(lines(example), (vec![[3, 3], [3, 4]], 1));
    let clause = "__global__ void k(int *a, int *b) {\nint t = threadIdx.x;\nb[t] = a[t] + 10;\n\
        if (t % 2 == 0)\na[t + 1] = 10; }";
    assert_eq!(lines(clause), (vec![[3, 5]], 0));
}

#[test]
fn barriers_in_branches_diverge() {
    for reading in [Reading::PRINTED, Reading::REPAIRED] {
        assert_eq!(found("if (t % 2 == 0) { __syncthreads(); }", reading).1, 1);
        assert_eq!(found("if (n > 2) { __syncthreads(); }", reading).1, 0);
        assert_eq!(found("if (t > 2) return; __syncthreads();", reading).1, 1);
        assert_eq!(found("if (t > 9) return; __syncthreads();", reading).1, 0);
    }
}

/// The iterations of a loop around a barrier are in step.
#[test]
fn intervals_count_iterations() {
    let repaired = Reading::REPAIRED;
    let around = |inside: &str| format!("for (int i = 0; i < 3; i++) {{ {inside} }}");
    assert_eq!(
        found(&around("s[t] = 1; __syncthreads(); a[t] = s[t + 1]; __syncthreads();"), repaired).0,
        0
    );
    assert_eq!(found(&around("s[t] = 1; __syncthreads(); a[t] = s[t + 1];"), repaired).0, 1);
    assert_eq!(found(&around("s[(t + i) % 4] = 1; __syncthreads();"), repaired).0, 0);
    assert_eq!(found(&around("s[(t + i) % 4] = 1;"), repaired).0, 1);
    // What a loop leaves behind meets what is behind it.
    assert_eq!(
        found(&format!("{} a[t] = s[t];", around("__syncthreads(); s[t + i] = 1;")), repaired).0,
        1
    );
    assert_eq!(
        found(&format!("{} a[t] = s[t];", around("__syncthreads(); s[t] = 1;")), repaired).0,
        0
    );
}

/// Short-circuits, `?:`, early returns and data.
#[test]
fn conditions_are_kept() {
    let repaired = Reading::REPAIRED;
    assert_eq!(
        found("if (t > 2 && a[0] > 1) { b[t] = 1; } if (t < 1) { a[0] = 1; }", repaired).0,
        1
    );
    assert_eq!(
        found("if (t > 2 || a[0] > 1) { b[t] = 1; } if (t == 3) { a[0] = 1; }", repaired).0,
        1
    );
    assert_eq!(
        found("if (t > 0 && a[t] > 1) { b[t] = 1; } if (t == 1) { a[0] = 1; }", repaired).0,
        0
    );
    assert_eq!(found("int i = t > 2 ? t : 0; a[i] = 1;", repaired).0, 1);
    assert_eq!(found("int i = t > 2 ? t : t + 0; a[i] = 1;", repaired).0, 0);
    assert_eq!(found("if (t > 0) return; a[0] = t;", repaired).0, 0);
    assert_eq!(found("float f = a[t]; if (f > 1.5f) { b[0] = 1; }", repaired).0, 1);
    // The condition itself is read, wherever it stands, and a value that nobody takes is not.
    for (text, races) in [
        ("a[t] = a[0] ? 1 : 2;", 1),
        ("int x = a[0] ? 1 : 2; a[t] = x;", 1),
        ("b[a[0] ? t : t + 4] = 1; a[t] = 1;", 1),
        ("if (a[0] ? t > 1 : t > 2) { b[t] = 1; } a[t] = 1;", 1),
        ("b[t] = t > 5 ? (a[0] ? 1 : 2) : 3; a[t] = 1;", 0),
        ("a[t] = a[t] ? 1 : 2; a[t + 1];", 0),
        ("a[t] = 1; (void)a[t + 1];", 0),
        ("a[t] = 1; b[a[t + 1]];", 1),
    ] {
        assert_eq!(found(text, repaired).0, races, "{text}");
    }
}

/// What a loop did before another one is not forgotten in the turns of that one.
#[test]
fn loops_that_ended_stay_ended() {
    let first = "for (int k = 0; k < 1; k++) { s[t] = 1; __syncthreads(); }";
    let behind = "b[t] = s[t + 1];";
    for between in
        ["", "for (int r = 0; r < 1; r++) {}", "for (int r = 0; r < 3; r++) { a[t] = r; }"]
    {
        assert_eq!(
            found(&format!("{first} {between} {behind}"), Reading::REPAIRED).0,
            0,
            "{between}"
        );
        let without = first.replace("__syncthreads();", "");
        assert_eq!(
            found(&format!("{without} {between} {behind}"), Reading::REPAIRED).0,
            1,
            "{between}"
        );
    }
    // A loop in another one begins anew.
    let inner = "for (int r = 0; r < 2; r++) { for (int k = 0; k < r; k++) { __syncthreads(); s[t] = 1; } b[t] = s[t + 1]; }";
    assert_eq!(found(inner, Reading::REPAIRED).0, 1);
}

#[test]
fn parameters_and_launches_may_be_any() {
    let case = body("a[threadIdx.x % n] = 1;");
    let wide = launch(1, 8).with("n", 8u32);
    assert!(case.findings(Reading::REPAIRED, &wide).races.is_empty());
    let any = TwoThread { reading: Reading::REPAIRED, ..TwoThread::default() };
    let races = any.findings(&case.tree, &wide).expect("findings").races;
    let witness = &races[0].witness;
    assert_eq!(case.truth(&witness.configuration).races.len().min(1), 1, "{witness:#}");
    let any = TwoThread { launch: Fixed::Symbolic, ..TwoThread::reading(Reading::REPAIRED) };
    let case = body("if (threadIdx.x < 9) return; a[threadIdx.x / 11] = 1;");
    let races = any.findings(&case.tree, &launch(1, 1)).expect("findings").races;
    assert!(races[0].witness.configuration.launch.block.x > 10);
    let case = body("a[threadIdx.x] = 1;");
    let verdict = any.detect(&case.tree, &launch(1, 1)).expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{:?}", verdict.outcome);
    assert!(any.findings(&case.tree, &launch(1, 1)).expect("findings").is_clean());
}

/// Of all launches: extents are behind all indices, and a block has at most 1024 threads.
#[test]
fn launches_are_those_that_there_are() {
    let any = TwoThread { launch: Fixed::Symbolic, ..TwoThread::reading(Reading::REPAIRED) };
    let clean =
        |text: &str| any.findings(&body(text).tree, &launch(1, 1)).expect("findings").is_clean();
    assert!(clean("if (threadIdx.x == blockDim.x) a[0] = blockIdx.x;"));
    assert!(clean("if (threadIdx.x == 1023 && threadIdx.y > 0) a[0] = blockIdx.x;"));
    assert!(!clean("if (threadIdx.x == 511 && threadIdx.y > 0) a[0] = blockIdx.x;"));
}

/// What C leaves undefined is no execution, where it is reached.
#[test]
fn what_is_undefined_does_not_happen() {
    let repaired = Reading::REPAIRED;
    assert_eq!(found("if (t + 2147483647 > 0) a[0] = t;", repaired).0, 0);
    assert_eq!(found("if (t + 2147483640 > 0) a[0] = t;", repaired).0, 1);
    assert_eq!(found("if (t == 0 || 7 / t == 7) a[0] = t;", repaired).0, 1);
    assert_eq!(found("if (t != 0 && 7 / t == 7) a[0] = t;", repaired).0, 0);
}

/// A variable that one side of a branch assigns keeps its value on the other.
#[test]
fn what_a_side_does_not_assign_stays() {
    let repaired = Reading::REPAIRED;
    assert_eq!(found("int i = t; if (t > 1) { } else { i = 1 - t; } a[i] = 1;", repaired).0, 0);
    assert_eq!(found("int i = t; if (t > 1) { i = 5 - t; } a[i] = 1;", repaired).0, 0);
    assert_eq!(found("int i = t; if (t > 1) { i = t - 2; } a[i] = 1;", repaired).0, 1);
}

#[test]
fn a_launch_without_threads_is_refused() {
    assert!(TwoThread::default().findings(&body("a[0] = 1;").tree, &launch(0, 1)).is_err());
}

#[test]
fn what_it_claims_is_said() {
    let verdict = TwoThread::default().detect(&body("a[0] = threadIdx.x;").tree, &launch(1, 2));
    assert_eq!(verdict.expect("a verdict").outcome, Outcome::Racy);
    let claims = TwoThread::default().claims();
    assert!(claims.misses_no_race.is_none());
    let holds = claims.raises_no_false_alarm.expect("a fragment").holds;
    assert!(holds(&body("a[0] = 1;").tree) && !holds(&body("atomicAdd(&a[0], 1);").tree));
}

/// A barrier orders the threads of its block alone.
#[test]
fn barriers_order_no_other_block() {
    let case =
        body("if (blockIdx.x == 0) a[0] = 1; __syncthreads(); if (blockIdx.x == 1) a[0] = 2;");
    let repaired = TwoThread::reading(Reading::REPAIRED);
    let races = |grid| repaired.findings(&case.tree, &launch(grid, 1)).expect("findings").races;
    assert_eq!((races(1).len(), races(2).len()), (0, 1));
}
