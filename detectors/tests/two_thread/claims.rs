//! The smallest kernels on which the paper's statements fail.

use super::*;
use babycuda_detectors::two_thread::claims::{
    Broken, property_1, property_2, property_3, theorem_1, theorem_2, theorem_3,
};
use babycuda_detectors::two_thread::{Arrays, Barriers, Intervals, Loops, Threads};

fn threads(n: u64) -> Vec<Thread> {
    (0..n).map(|index| Thread { block: 0, index }).collect()
}

fn false_race(text: &str, at: &Configuration, reading: Reading) -> bool {
    let case = body(text);
    let findings = case.findings(reading, at);
    findings.races.iter().any(|f| {
        let wrong = theorem_2(f, &case.truth(&f.witness.configuration));
        assert!(matches!(wrong, None | Some(Broken::FalseRace(_))));
        wrong.is_some()
    })
}

/// A barrier between a write and a read: Φ does not look at barriers, so Theorem 2 and "no false positives" are
/// false.
#[test]
fn printed_races_ignore_barriers() {
    let text = "s[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x] = s[1 - threadIdx.x];";
    assert!(false_race(text, &launch(1, 2), Reading::PRINTED));
    let repaired = Reading { intervals: Intervals::Same, ..Reading::PRINTED };
    assert!(!false_race(text, &launch(1, 2), repaired));
}

/// Threads of two blocks do not meet in shared memory, and threads of one index in two blocks do in global.
#[test]
fn printed_threads_have_no_block() {
    let text = "s[(threadIdx.x + blockIdx.x) % 2] = 1;";
    assert!(false_race(text, &launch(2, 2), Reading::PRINTED));
    let repaired = Reading { threads: Threads::Identity, ..Reading::PRINTED };
    assert!(!false_race(text, &launch(2, 2), repaired));
    let case = body("a[threadIdx.x] = 1;");
    let truth = case.truth(&launch(2, 1));
    let missed = theorem_1(&case.findings(Reading::PRINTED, &launch(2, 1)), &truth);
    assert!(matches!(missed, Some(Broken::MissedRace(_))), "{missed:?}");
    assert_eq!(theorem_1(&case.findings(repaired, &launch(2, 1)), &truth), None);
}

/// Both threads say what the one array is: after a thread has counted its element up, no thread is left that
/// agrees, and every race that rests on the array is missed. Theorem 1 is false.
#[test]
fn one_array_for_both_threads_contradicts_itself() {
    let case = body("int t = threadIdx.x; a[t] = a[t] + 1; b[a[t] / 2] = 1;");
    let truth = case.truth(&launch(1, 2));
    let shared = case.findings(Reading::PRINTED, &launch(1, 2));
    assert!(matches!(theorem_1(&shared, &truth), Some(Broken::MissedRace(_))), "{shared:?}");
    for arrays in [Arrays::Own, Arrays::Unknown] {
        let findings = case.findings(Reading { arrays, ..Reading::PRINTED }, &launch(1, 2));
        assert_eq!(theorem_1(&findings, &truth), None, "{arrays:?}");
    }
}

/// A thread that sees only what it wrote itself misses what another one wrote before a barrier.
#[test]
fn an_array_for_each_thread_hides_what_others_write() {
    let case = body(
        "int t = threadIdx.x; s[t] = 0; __syncthreads(); if (t == 1) { s[0] = 1; } __syncthreads(); \
        if (t == 0 && s[0] == 1) { b[1] = 1; } b[t] = 1;",
    );
    let truth = case.truth(&launch(1, 2));
    assert!(!truth.races.is_empty());
    let rest = Reading::REPAIRED;
    let own = case.findings(Reading { arrays: Arrays::Own, ..rest }, &launch(1, 2));
    assert!(matches!(theorem_1(&own, &truth), Some(Broken::MissedRace(_))), "{own:?}");
    assert_eq!(theorem_1(&case.findings(rest, &launch(1, 2)), &truth), None);
}

/// In the arbitrary iteration, a variable holds what it held before the loop.
#[test]
fn printed_loops_forget_what_they_assign() {
    let text = "int y = 0; for (int i = 0; i < 2; i++) { a[threadIdx.x + y] = 1; y = y + 1; }";
    let case = body(text);
    let truth = case.truth(&launch(1, 2));
    let printed = case.findings(Reading::PRINTED, &launch(1, 2));
    assert!(matches!(theorem_1(&printed, &truth), Some(Broken::MissedRace(_))), "{printed:?}");
    let repaired = Reading { loops: Loops::Unknown, ..Reading::PRINTED };
    assert_eq!(theorem_1(&case.findings(repaired, &launch(1, 2)), &truth), None);
}

/// An arbitrary iteration may be one that the loop never gets to: its counter steps over the end.
#[test]
fn an_arbitrary_iteration_may_be_none() {
    let text = "for (int i = 0; i != 1; i++) { a[2 * threadIdx.x + i] = 1; }";
    assert!(false_race(text, &launch(1, 2), Reading::PRINTED));
    assert!(false_race(text, &launch(1, 2), Reading::REPAIRED), "not repaired: see the module");
    let less = "for (int i = 0; i < 1; i++) { a[2 * threadIdx.x + i] = 1; }";
    assert!(!false_race(less, &launch(1, 2), Reading::PRINTED));
}

/// What an array holds is any value, so that an alarm may rest on contents that are never there.
#[test]
fn contents_are_arbitrary() {
    let text = "s[threadIdx.x] = 0; __syncthreads(); if (s[threadIdx.x] == 1) { a[0] = 1; }";
    assert!(false_race(text, &launch(1, 2), Reading::REPAIRED));
    let own = Reading { arrays: Arrays::Own, ..Reading::REPAIRED };
    assert!(!false_race(text, &launch(1, 2), own));
}

/// Every barrier in a loop is divergent as printed: one thread is in the loop, the other behind it. Theorem 3
/// is false.
#[test]
fn printed_barriers_in_loops_diverge() {
    let case = body("for (int i = 0; i < 1; i++) { __syncthreads(); }");
    let truth = case.truth(&launch(1, 2));
    let printed = case.findings(Reading::PRINTED, &launch(1, 2));
    let wrong = theorem_3(&printed.divergences[0], &truth);
    assert!(matches!(wrong, Some(Broken::FalseDivergence(_))));
    let repaired = Reading { barriers: Barriers::SameIteration, ..Reading::PRINTED };
    assert!(case.findings(repaired, &launch(1, 2)).divergences.is_empty());
    let uneven = body("for (int i = 0; i < threadIdx.x; i++) { __syncthreads(); }");
    let found = uneven.findings(repaired, &launch(1, 2));
    assert_eq!(theorem_3(&found.divergences[0], &uneven.truth(&launch(1, 2))), None);
}

/// Property 1 says that one alarm means both a race and a divergence.
#[test]
fn one_kind_of_alarm_does_not_imply_the_other() {
    for text in ["a[0] = threadIdx.x;", "if (threadIdx.x == 0) { __syncthreads(); }"] {
        let case = body(text);
        let (at, reading) = (launch(1, 2), Reading::PRINTED);
        assert_eq!(
            property_1(&case.findings(reading, &at), &case.truth(&at)),
            Some(Broken::NotBoth)
        );
    }
    let case = body("a[0] = threadIdx.x; if (threadIdx.x == 0) { __syncthreads(); }");
    let at = launch(1, 2);
    assert_eq!(property_1(&case.findings(Reading::PRINTED, &at), &case.truth(&at)), None);
}

/// Property 2 holds of two threads in a run of all, and not of a run of these two alone: here a third one opens
/// the way.
#[test]
fn pairs_race_in_the_company_of_others() {
    let case = body(
        "if (threadIdx.x == 2 && n > 0) { s[0] = 1; } __syncthreads(); \
        if (threadIdx.x < 2 && s[0] == 1) { a[0] = 1; }",
    );
    let at = |n: u32| launch(1, 3).with("n", n);
    let [all, without] = [1, 0].map(|n| case.truth(&at(n)));
    let pair_of = |truth: &Truth, p: [Thread; 2]| truth.races.iter().any(|(_, t)| *t == p);
    assert_eq!(property_2(&all, &threads(3), |p| pair_of(&all, p)), None);
    assert_eq!(property_2(&all, &threads(3), |p| pair_of(&without, p)), Some(Broken::NoPair));
    assert_eq!(property_2(&without, &threads(3), |p| pair_of(&without, p)), None);
}

/// Property 3: a divergence is one of two threads.
#[test]
fn divergence_is_of_pairs() {
    for (text, limit) in [("if (threadIdx.x < 2) { __syncthreads(); }", 2), ("__syncthreads();", 0)]
    {
        let truth = body(text).truth(&launch(1, 3));
        let pair = |[i, j]: [Thread; 2]| (i.index < limit) != (j.index < limit);
        assert_eq!(property_3(&truth, &threads(3), pair), None, "{text}");
        assert_eq!(
            property_3(&truth, &threads(3), |p| !pair(p)),
            Some(Broken::NoPair).filter(|_| limit == 0),
            "{text}"
        );
    }
}
