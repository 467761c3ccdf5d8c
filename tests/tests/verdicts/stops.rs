//! Threads that go no further: stuck on ⊥, at an overflow, at a stop, or waiting. What they would do
//! is not said.

use super::*;

/// Where a thread is stuck its phase is the last one: no divergence follows, and no later race.
#[test]
fn what_comes_after_a_stuck_thread_is_not_said() {
    let stuck = [
        "threads 2; if tid == 0 { sync; A[0] := 1 } else { let x = A[5] in skip }",
        "threads 2; shared A = [1]; if tid == 0 { sync } else { let x = A[5] in skip }",
        "threads 2; let x = A[5] in skip; sync; if tid == 0 { sync }; A[tid] := 1",
        "threads 3; if tid == 2 { let x = A[5] in skip }; if tid == 0 { sync }; A[tid] := 1",
        "threads 3; shared U; shared A; if tid == 2 { let x = U[7] in skip }; if tid == 0 { sync }",
        "threads *; shared U; shared A; if tid == blockDim.x - 1 { let x = U[7] in skip };
         if tid == 0 { sync }",
        // Runs that are too long to make.
        "threads 2; shared A = [1]; shared C; forU i in 0..3000000 { C[i * 2 + tid] := 1 };
         let x = A[7] in C[7777777] := 1",
        "threads 4; shared U; shared A; forU i in 0..2000000 { A[i * 4 + tid] := 1 };
         if tid == 3 { let x = U[7] in skip }; sync; A[0] := 1",
    ];
    for text in stuck {
        for decide in [Decide::Auto, Decide::Solve] {
            let outcome = checked(text, decide).verdict.outcome;
            assert!(!matches!(outcome, Outcome::Racy | Outcome::Divergent), "{text}: {outcome:?}");
        }
    }
}

#[test]
fn a_read_of_what_nobody_can_have_written_is_a_stop() {
    for decide in [Decide::Auto, Decide::Solve] {
        let outcome = |text: &str| checked(text, decide).verdict.outcome;
        // Nobody writes B, so nobody gets to A.
        assert_eq!(outcome("threads 2; let x = B[0] in A[0] := 1"), Outcome::Drf);
        let later = "threads 2; if tid == 0 { let x = B[0] in skip }; sync; A[0] := 1";
        assert_ne!(outcome(later), Outcome::Racy, "thread 1 waits for thread 0");
        let divergent = "threads 2; if tid == 0 { let x = B[0] in skip } else { sync }";
        assert_ne!(outcome(divergent), Outcome::Divergent);
        // What comes before counts, and so does what others do in the phase.
        assert_eq!(outcome("threads 2; A[0] := 1; let x = B[0] in skip"), Outcome::Racy);
        let others = "threads 3; if tid == 0 { let x = B[0] in skip }; A[0] := 1";
        assert_eq!(outcome(others), Outcome::Racy);
        let earlier = "threads 3; A[0] := 1; sync; if tid == 0 { let x = B[0] in skip }; sync";
        assert_eq!(outcome(earlier), Outcome::Racy);
        // Someone writes B: whether the read is of ⊥ is not said.
        let written = "threads 2; let x = B[0] in A[tid] := 1; B[tid + 5] := 2";
        assert_ne!(outcome(written), Outcome::Racy);
    }
}

/// Data that decides no access may overflow, and then there is no execution with the race.
#[test]
fn a_race_behind_an_overflow_of_data_is_not_replayed() {
    let source = |body: &str| {
        format!(
            "__global__ void k(int *b, int n) {{
                __shared__ int s[8]; int t = threadIdx.x; s[t] = t; __syncthreads(); {body}
            }}"
        )
    };
    let found = |body: &str| {
        let verdict = kernel(&source(body), &Settings::default(), Some(Dim3::line(4))).verdict;
        let sure = verdict.races.iter().any(|r| r.certainty != Certainty::Potential)
            || verdict.divergences.iter().any(|d| d.certainty != Certainty::Potential);
        let Outcome::Unknown(reason) = verdict.outcome else { return (true, sure) };
        assert!(reason.contains("signed overflow at 2:"), "{body}: {reason}");
        (false, sure)
    };
    for body in [
        "int v = 2147483647 + (s[t] + 1); b[0] = 1;",
        "if (s[t]) { int v = 2147483647 + 1; } __syncthreads(); b[0] = t;",
        "if (b[9] ? t == 1 : 1) { int v = 2147483647 + 1; } b[2] = 7;",
        "s[t] = 2147483647; s[t]++; b[0] = 1;",
        "int y = s[t] + 2147483647; if (t == 0) __syncthreads();",
    ] {
        assert_eq!(found(body), (false, false), "{body}");
    }
    // Where the data makes none.
    for body in [
        "int v = 2147483640 + s[t]; b[0] = 1;",
        "if (s[t] > 5) { int v = 2147483647 + 1; } b[2] = 7;",
        "int y = s[t] + 2147483640; if (t == 0) __syncthreads();",
    ] {
        assert_eq!(found(body), (true, true), "{body}");
    }
}

/// Which threads get to an access, or to a barrier, is said only where none may be stuck before.
#[test]
fn what_stuck_threads_would_do_is_not_provable() {
    let texts = [
        // Each thread reads ⊥ first, in whatever block it is.
        "threads 2; shared A; let x = A[tid] in { A[tid] := 1; if tid == blockIdx.x {sync} }",
        "threads *; shared A; let x = A[tid] in { A[tid] := 1; if tid == gridDim.x {sync} }",
        // Thread 1 waits for a write that stands behind a stop.
        "threads 2; shared B = [0]; shared S;
         if tid == 1 { let x = B[1] in B[5] := 1 } else { B[5] := 0; let y = S[0] in B[1] := 0 }",
        // The cell that is waited for is named by data.
        "threads 3; shared B = [0]; shared C; if tid == 1 { let x = B[1] in B[5] := 1 }
         else { if tid == 2 { C[0] := 7 } else { B[5] := 0; let y = C[0] in B[1 + y] := 0 } }",
    ];
    for text in texts {
        for decide in [Decide::Auto, Decide::Solve] {
            let mut options = deciding(decide);
            options.array = text.contains("shared C").then(|| "B".into());
            let verdict = check(&program(text), &options).unwrap().verdict;
            let sure = verdict.races.iter().any(|r| r.certainty != Certainty::Potential)
                || verdict.divergences.iter().any(|d| d.certainty != Certainty::Potential);
            assert!(!sure, "{text}: {verdict:?}");
        }
    }
    // Every thread overflows, in a run that is too long to make.
    let long = "__global__ void k(int *a, int *b) { __shared__ int s[64]; int t = threadIdx.x;
        s[t] = 2147483647; int v = s[t] + 1; a[t] = v;
        for (int i = 0; i < 3000000; i++) b[t] = i; a[70] = v; }";
    let two = Some(Dim3::line(2));
    let found = kernel(long, &Settings::default(), two).verdict.outcome;
    assert!(matches!(found, Outcome::Unknown(_)), "{found:?}");
    let block = "__global__ void k(int *a) { __shared__ int s[64]; int t = threadIdx.x;
        s[t] = 2147483647; int v = s[t] + 1; if (t == blockIdx.x) __syncthreads(); }";
    let found = kernel(block, &Settings::default(), two).verdict.outcome;
    assert!(matches!(found, Outcome::Unknown(_)), "{found:?}");
}

#[test]
fn what_waits_for_other_threads_is_not_replayed_as_if_it_did_not() {
    for text in [
        "while (atomicCAS(l, 0, 1) != 0); c[0] = c[0] + 1; atomicExch(l, 0);",
        "while (atomicCAS(l, 0, 1) != 0) {} c[0] = c[0] + 1; __threadfence(); l[0] = 0;",
        "if (threadIdx.x == 0) { c[0] = 1; l[0] = 1; } else { while (l[0] == 0) {} c[0] = 2; }",
        "do {} while (atomicExch(l, 1) == 1); c[0] += 1; atomicExch(l, 0);",
        "bool done = false; while (!done) { if (atomicCAS(l, 0, 1) == 0) { c[0]++; atomicExch(l, 0); done = true; } }",
    ] {
        let text = format!("__global__ void k(volatile int *l, int *c) {{ {text} }}");
        let text = text.replace(
            "volatile int *l",
            if text.contains("atomic") { "int *l" } else { "volatile int *l" },
        );
        for launch in [None, Some(Dim3 { x: 4, y: 1, z: 1 })] {
            let settings = Settings { block: launch, ..Settings::default() };
            let found = kernel(&text, &settings, launch);
            let on_c = |r: &&Report<Witness>| r.cell.array.as_str() == "c";
            let sure = found
                .verdict
                .races
                .iter()
                .filter(on_c)
                .any(|r| r.certainty != Certainty::Potential);
            assert!(!sure && found.verdict.outcome != Outcome::Drf, "{text}: {:?}", found.verdict);
        }
    }
}

/// A thread goes no further than a failed assertion, a trap, or a loop that does not end.
#[test]
fn what_comes_after_a_stop_is_not_done() {
    let block = Dim3::line(4);
    for (statements, wanted) in [
        ("assert(t == 0); a[0] = t;", "race-free"),
        ("if (t > 0) __trap(); a[0] = t;", "race-free"),
        ("if (t > 0) while (true) {} a[0] = t;", "race-free"),
        ("if (t > 0) for (;;) a[t] = t; a[0] = t;", "race-free"),
        ("while (n > t) {} if (t < 2) a[0] = t;", "racy"),
        // The block does not get past the next barrier, and does not diverge there.
        ("assert(t < 3); __syncthreads(); a[0] = t;", "race-free"),
        ("assert(t < n); __syncthreads(); a[0] = t;", "racy"),
        ("a[0] = t; assert(t == 0);", "racy"),
        ("if (t < 2) a[0] = t; else __trap();", "racy"),
        // What an assertion reads is read.
        ("assert(a[0] >= 0); if (t == 0) a[0] = 1;", "racy"),
        ("__builtin_assume(a[0] >= 0); (void)a[0]; if (t == 0) a[0] = 1;", "race-free"),
        // What the kernel assumes holds, or the thread goes no further; of memory nothing is assumed.
        ("__builtin_assume(n == 1); a[n * t] = 1;", "race-free"),
        // (Nor of what may overflow.)
        ("__builtin_assume(n + 1 == 2); a[n * t] = 1;", "racy"),
        ("__builtin_assume(n < 2); a[n * t] = 1;", "racy"),
        ("a[n * t] = 1; __builtin_assume(n == 1);", "racy"),
        ("__builtin_assume(a[0] == 1 && n == 1); a[n * t] = 1;", "racy"),
        // Only one thread gets past it, whatever the array holds; that is not seen.
        (
            "__shared__ int s; if (t == 0) s = n; __syncthreads(); assert(s == t); a[0] = t;",
            "unknown",
        ),
        // A thread may never leave a loop whose number of turns is not known, if it does nothing.
        ("while (true) { if (t) break; } a[0] = t;", "unknown"),
        ("for (unsigned i = t; i != 1; i += 2); a[0] = t;", "unknown"),
        ("int x = t; while (x < 2) x = (x + 1) % 2; a[0] = t;", "unknown"),
        ("for (unsigned i = 0; i != 6; i += 4); a[0] = t;", "unknown"),
        ("for (int i = 10; i >= 0; i /= 2); a[0] = t;", "unknown"),
        ("for (int i = t; i < 10; i += t); __syncthreads(); a[90] = t;", "unknown"),
        (
            "if (t == 0) { for (unsigned i = 0; i != 1; i += 2); return; } __syncthreads();",
            "unknown",
        ),
        ("for (unsigned i = 0; i != 6; i += 4); a[t] = t;", "race-free"),
        ("if (t < 2) a[0] = t; while (true) { if (t) break; }", "racy"),
        // These end.
        ("for (int i = 0; i < n; i += 2); a[0] = t;", "racy"),
        ("for (unsigned i = t; i < 99; i += 3) if (n == 5) break; a[0] = t;", "racy"),
        ("unsigned i = 0; while (true) { if (i == 6) break; i += 2; } a[0] = t;", "racy"),
        // The loop may wait for ever.
        (
            "__shared__ int s; if (t == 0) s = 0; __syncthreads(); while (s == 0); a[0] = t;",
            "unknown",
        ),
    ] {
        let text =
            format!("__global__ void k(int *a, int n) {{ int t = threadIdx.x; {statements} }}");
        for settings in
            [Settings::default(), Settings { block: Some(block), ..Settings::default() }]
        {
            let fixed = settings.block;
            if fixed.is_none() && statements.contains("t < 3") {
                continue;
            }
            let found = match kernel(&text, &settings, fixed).verdict.outcome {
                Outcome::Drf => "race-free",
                Outcome::Racy => "racy",
                Outcome::Divergent => "divergent",
                Outcome::Unknown(_) => "unknown",
            };
            assert_eq!(found, wanted, "{statements} {fixed:?}");
        }
    }
}

/// A thread that stops holds back the groups that it is of, and no others: what these do in its phase
/// counts, and what it holds back does not.
#[test]
fn a_warp_goes_on_without_one_that_is_stuck() {
    let stop = "{ if tid == 0 { let x = B[0] in skip } }";
    for (body, expected) in [
        // Warp 1 passes its barrier and races, warp 0 does not come to that.
        (format!("{stop}; sync.warp; A[tid / 2] := 1"), Outcome::Racy),
        (
            format!("{stop}; sync.warp; if tid < 2 {{ A[0] := 1 }} else {{ A[tid] := 1 }}"),
            Outcome::Drf,
        ),
        (format!("{stop}; sync.warp; A[tid] := 1; if tid == 3 {{ A[2] := 1 }}"), Outcome::Racy),
        // Thread 1 waits for thread 0, before it writes.
        (format!("{stop}; sync.warp; if tid % 2 == 1 {{ A[0] := 1 }}"), Outcome::Drf),
        (format!("{stop}; if tid % 2 == 1 {{ A[0] := 1 }}; sync.warp"), Outcome::Racy),
        // Nobody gets past a barrier of the block.
        (format!("{stop}; sync.warp; sync; A[0] := 1"), Outcome::Drf),
        // Who is stuck does not diverge, nor does who waits for it.
        (format!("{stop}; if tid < 2 {{ sync.warp }}; A[tid] := 1"), Outcome::Drf),
    ] {
        let text = format!("threads 4; warp 2; shared A; shared B; {body}");
        for decide in [Decide::Auto, Decide::Enumerate] {
            let found = checked(&text, decide).verdict;
            assert_eq!(found.outcome, expected, "{text}: {found:?}");
            for race in &found.races {
                assert_eq!(race.certainty, Certainty::Provable, "{text}");
            }
        }
        // The run is stuck in that phase, and has no other.
        let run = Instance::new(program(&text), program(&text).geometry.launch().unwrap())
            .run(&babycuda_semantics::RunOptions::default());
        assert!(run.stuck().is_some() && run.history().is_empty(), "{text}: {run:?}");
    }
    // Nor does it race where it waits for a cell that nobody writes, of an array that somebody writes.
    let text = "threads 4; warp 2; shared A; shared B; if tid == 3 { B[0] := 1 };
        { if tid == 0 { let x = B[5] in skip } }; sync.warp; if tid < 2 { A[0] := 1 }";
    assert_ne!(checked(text, Decide::Auto).verdict.outcome, Outcome::Racy);
}
