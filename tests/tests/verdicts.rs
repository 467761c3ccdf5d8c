//! Verdicts: what a check says is so in the reference semantics, or it says that it does not know.

use babycuda::core::evidence::{Certainty, Report, Witness};
use babycuda::core::parse::{parse_map, parse_program};
use babycuda::core::syntax::{Contents, Program};
use babycuda::core::verdict::{Method, Outcome};
use babycuda::frontend::{self, Translation, parse_cuda};
use babycuda::{Checked, Decide, Options, Settings, check, check_protocol};
use babycuda_core::Dim3;
use babycuda_semantics::{Instance, Limits};
use babycuda_testkit::generators::{Profile, programs_with_memory};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

fn deciding(decide: Decide) -> Options {
    Options { decide, timeout: Duration::from_secs(2), ..Options::default() }
}

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn checked(text: &str, decide: Decide) -> Checked {
    check(&program(text), &deciding(decide)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The only kernel of a CUDA file, under settings.
fn kernel(text: &str, settings: &Settings, launch: Option<Dim3>) -> Checked {
    let block = launch.map(|d| d.components());
    let options = frontend::Options { block, ..frontend::Options::default() };
    let kernels = parse_cuda(text, &options).unwrap();
    let translation = kernels.into_iter().next().map(|k| k.translation);
    let Some(Translation::Program(program)) = translation else { panic!("{text}: not translated") };
    let program = settings.apply(&program).unwrap().around(program.body.clone());
    check(&program, &Options::default()).unwrap()
}

#[track_caller]
fn vacuous(found: &Checked, assumption: &str) {
    let Outcome::Unknown(reason) = &found.verdict.outcome else { panic!("{:?}", found.verdict) };
    assert!(reason.contains("vacuous: no launch satisfies"), "{reason}");
    assert!(reason.contains(assumption), "{reason}");
}

#[test]
fn a_verdict_about_no_launch_is_unknown() {
    // By enumeration, by a run, and by solver.
    let fixed = "threads 2; assume 1 == 2; A[tid] := 1";
    vacuous(&checked(fixed, Decide::Auto), "1 == 2");
    vacuous(&checked(fixed, Decide::Solve), "1 == 2");
    let untyped = "threads 2; param n = 3; assume n < 2; let x = B[0] in A[x + tid] := 1";
    vacuous(&checked(untyped, Decide::Auto), "n < 2");
    let symbolic = "threads *; param n: u32; assume n > 5; assume n < 3; A[0] := 1";
    vacuous(&checked(symbolic, Decide::Auto), "n > 5");
    vacuous(&checked("threads *; assume blockDim.x > 2000; A[0] := 1", Decide::Auto), "2000");
    // The assumption of a grid that nobody fixed is no contradiction.
    let grid = checked("threads 2; assume gridDim.x > 4; A[tid] := 1", Decide::Auto);
    assert_eq!(grid.verdict.outcome, Outcome::Drf);
    // And one that holds is none either.
    let held = checked("threads *; param n: u32; assume n > 5; A[tid] := 1", Decide::Auto);
    assert_eq!(held.verdict.outcome, Outcome::Drf);
}

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

/// The divergence that is reported is the one that the witness' launch has.
#[test]
fn a_reported_divergence_is_that_of_the_run() {
    let text = "threads *; shared B = fill 1; shared A = fill 2; shared C = fill 2;
        let x = B[(1 - tid)] in forS x in (blockDim.x - (1 + tid))..blockDim.x
        { sync; C[tid] := (x * tid) }; let x = A[x] in sync";
    let found = checked(text, Decide::Auto);
    for divergence in &found.verdict.divergences {
        let instance = Instance::of(program(text), divergence.configuration.clone());
        let outcome = babycuda::run(&instance, &babycuda_semantics::Options::default());
        let ran = outcome.divergence().expect("it diverges");
        assert_eq!(*ran, divergence.divergence);
    }
    assert_eq!(found.verdict.outcome, Outcome::Divergent);
}

#[test]
fn a_block_beyond_the_launch_bounds_is_no_launch() {
    let text = "__global__ void __launch_bounds__(64) k(int *a, int n)
        { if (threadIdx.x < n) a[threadIdx.x] = 1; }";
    let block = |x| Some(Dim3 { x, y: 1, z: 1 });
    let settings = |x, n: Option<i128>| Settings {
        block: block(x),
        params: n.map(|n| ("n".into(), n.into())).into_iter().collect::<BTreeMap<_, _>>(),
        ..Settings::default()
    };
    for n in [None, Some(3)] {
        vacuous(&kernel(text, &settings(128, n), block(128)), "<= 64");
        assert_eq!(kernel(text, &settings(64, n), block(64)).verdict.outcome, Outcome::Drf);
    }
}

#[test]
fn protocols_are_held_to_their_scope() {
    let failure = |text: &str| {
        let map = parse_map(text).unwrap();
        [Decide::Auto, Decide::Solve]
            .map(|decide| check_protocol(&map, &deciding(decide)).unwrap_err().to_string())
    };
    for error in failure("assume threadIdx.x == 0; threads 2; wr[0]") {
        assert!(error.contains("`threadIdx.x` differs between them"), "{error}");
    }
    for error in failure("threads 0; wr[0]") {
        assert!(error.contains("no threads"), "{error}");
    }
    for error in failure("threads 2; wr[y]") {
        assert!(error.contains("unbound variable `y`"), "{error}");
    }
}

/// A divergence that is sure is no answer while a race before it is open, and one that rests on data
/// is none at all; nor is either race-free.
#[test]
fn a_divergence_with_something_open_is_unknown() {
    for (text, why) in [
        (
            "threads 2; global U = opaque; shared A; { let x = U[tid] in A[x] := 1 };
             if tid == 0 { sync }",
            "whether a race comes first is open",
        ),
        (
            "threads 2; global U = opaque; let x = U[tid] in if x == 1 { sync }",
            "a potential barrier divergence rests on data",
        ),
        // The run says why it is none.
        (
            "threads 3; if tid == 2 { let x = A[5] in skip }; if tid == 0 { sync }; A[tid] := 1",
            "a potential divergence was not replayed: in phase 0, thread 2",
        ),
    ] {
        for decide in [Decide::Auto, Decide::Solve] {
            let found = checked(text, decide).verdict;
            let Outcome::Unknown(reason) = &found.outcome else { panic!("{text}: {found:?}") };
            assert!(reason.contains(why), "{text}: {reason}");
        }
    }
}

#[test]
fn a_divergence_hides_no_race_before_it() {
    let text = "threads 2; sync; A[tid] := tid; if tid == 0 { sync; A[0] := 1 } else { A[0] := 2 }";
    for text in [text.to_owned(), text.replace("threads 2", "threads *")] {
        let found = checked(&text, Decide::Solve);
        assert_eq!(found.verdict.outcome, Outcome::Racy, "{text}");
        assert_eq!(found.verdict.divergences.len(), 1, "{text}");
        assert!(found.verdict.races.iter().all(|r| r.certainty == Certainty::Replayed), "{text}");
    }
    // Behind the barrier that is not passed nothing happens.
    let text = "threads 2; A[tid] := 1; if tid == 0 { sync; A[1] := 1 }";
    for decide in [Decide::Auto, Decide::Solve] {
        assert_eq!(checked(text, decide).verdict.outcome, Outcome::Divergent);
    }
}

#[test]
fn a_replay_is_of_the_statements_and_of_the_phase() {
    // Thread 0 writes A[0] before and behind the barrier that thread 1 never reaches.
    let text = "threads 2; if tid == 0 { A[0] := 1; sync; A[0] := 2 } else { A[0] := 3 }";
    for decide in [Decide::Auto, Decide::Solve] {
        let found = checked(text, decide);
        assert_eq!(found.verdict.outcome, Outcome::Racy);
        let sites = |r: &Report<Witness>| (r.first.site, r.second.site);
        let sites: Vec<_> = found.verdict.races.iter().map(sites).collect();
        let behind = program(text).body.subterms().filter_map(|b| b.site()).nth(3);
        assert!(
            behind.is_some() && sites.iter().all(|(a, b)| Some(*a) != behind && Some(*b) != behind)
        );
    }
}

#[test]
fn a_replay_makes_up_no_contents() {
    let unknown = |text: &str| {
        for decide in [Decide::Auto, Decide::Solve] {
            let outcome = checked(text, decide).verdict.outcome;
            assert!(matches!(outcome, Outcome::Unknown(_) | Outcome::Drf), "{text}: {outcome:?}");
        }
    };
    // Each waits for the other.
    unknown("threads 2; let x = A[1 - tid] in A[tid] := 1");
    // Thread 3 waits for ever, and the others for it, one after the other.
    unknown("threads 4; let x = A[tid + 1] in A[tid] := 1");
    unknown("shared A = [1]; shared B; threads 2; let x = A[1] in B[0] := 1");
    // Here the cell is written first in some interleaving.
    for text in [
        "threads 2; A[tid] := 1; let x = A[1 - tid] in skip",
        "threads 2; if tid == 0 { A[0] := 1 } else { let x = A[0] in A[0] := 2 }",
    ] {
        for decide in [Decide::Auto, Decide::Solve] {
            let found = checked(text, decide);
            assert_eq!(found.verdict.outcome, Outcome::Racy, "{text}");
            assert!(
                found.verdict.races.iter().all(|r| r.certainty == Certainty::Provable),
                "{text}"
            );
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

#[test]
fn a_chain_of_reads_is_checked() {
    let text = "__global__ void k(int *a) { int s = a[threadIdx.x]; int ns = a[s]; a[ns] = 1; }";
    let found = kernel(text, &Settings::default(), None);
    let Outcome::Unknown(reason) = &found.verdict.outcome else {
        assert_eq!(found.verdict.outcome, Outcome::Racy);
        return;
    };
    assert!(!reason.contains("internal") && !reason.contains("unbound"), "{reason}");
}

#[test]
fn the_method_is_the_one_that_was_used() {
    let found = checked("threads 2; let x = B[0] in A[0] := 1", Decide::Enumerate);
    assert_eq!(found.verdict.method, Method::Enumeration);
    let found = checked("threads *; A[tid] := 1", Decide::Enumerate);
    assert_eq!(found.verdict.method, Method::None);
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

/// What the reference run of a program with fixed contents says.
fn contradicts(
    program: &Program,
    host: &babycuda_core::HostMemory,
    found: &Checked,
) -> Option<String> {
    let launch = program.geometry.launch()?;
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let options = babycuda_semantics::Options { limits, ..Default::default() };
    let run = Instance::new(program.clone(), launch).with_host(host.clone()).run(&options);
    let racy = run.history().chronological().any(|(_, phase)| phase.is_racy());
    let fixed =
        program.arrays.iter().all(|a| !matches!(a.contents, Contents::Any | Contents::Opaque));
    let diverged = run.divergence().is_some();
    let ended = diverged || run.is_done();
    let wrong = match &found.verdict.outcome {
        Outcome::Drf => racy || diverged,
        Outcome::Racy => fixed && ended && !racy,
        Outcome::Divergent => fixed && ended && (racy || !diverged),
        Outcome::Unknown(_) => false,
    };
    wrong.then(|| format!("{:?}, but the run is racy: {racy}, diverges: {diverged}", found.verdict))
}

fn agrees_with_runs(decide: Decide, cases: u32, profile: Profile) {
    let mut decided = std::cell::Cell::new([0u32; 3]);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((program, host) in programs_with_memory(profile))| {
        let found = check(&program, &deciding(decide)).unwrap();
        let wrong = contradicts(&program, &host, &found);
        prop_assert!(wrong.is_none(), "{}\n{}", program, wrong.unwrap_or_default());
        let mut counts = decided.get();
        match found.verdict.outcome {
            Outcome::Drf => counts[0] += 1,
            Outcome::Racy => counts[1] += 1,
            Outcome::Divergent => counts[2] += 1,
            Outcome::Unknown(_) => {}
        }
        decided.set(counts);
    });
    let [free, racy, divergent] = *decided.get_mut();
    println!("{cases} cases: {free} race-free, {racy} racy, {divergent} divergent");
    assert!(free > cases / 10 && racy > cases / 20 && divergent >= cases / 500);
}

#[test]
fn verdicts_are_those_of_runs() {
    agrees_with_runs(Decide::Auto, 1000, Profile::ANY);
}

#[test]
fn verdicts_of_solvers_are_those_of_runs() {
    let profile = Profile { size: 12, ..Profile::ANY };
    agrees_with_runs(Decide::Solve, 200, profile);
}

/// What fits no program, and no device.
#[test]
fn settings_that_do_not_fit_are_refused() {
    let p = program("threads *; param n: u8; A[tid] := n");
    let assume = |text: &str| Settings {
        assumptions: vec![babycuda::parse::parse_bool(text).unwrap()],
        ..Settings::default()
    };
    let param = |name: &str, value: i64| Settings {
        params: [(name.into(), value.into())].into(),
        ..Settings::default()
    };
    let block = |x| Settings { block: Some(Dim3::line(x)), ..Settings::default() };
    for settings in [assume("n < 3"), assume("blockDim.x > n"), param("n", 255), block(1024)] {
        assert!(settings.apply(&p).is_ok(), "{settings:?}");
    }
    for settings in
        [assume("tid < 3"), assume("m == 1"), param("n", 256), param("m", 1), block(0), block(1025)]
    {
        assert!(settings.apply(&p).is_err(), "{settings:?}");
    }
}

/// The one run decides only where it is the only one.
#[test]
fn a_run_decides_only_what_is_determined() {
    let outcome = |text: &str| checked(text, Decide::Auto).verdict.outcome;
    let unknown = |text: &str| match outcome(text) {
        Outcome::Unknown(reason) => reason,
        other => panic!("{text}: {other:?}"),
    };
    // In the order of threads nobody writes; in the other one both do.
    unknown(
        "threads 2; shared C = [0]; shared A;
         let x = atomic C[0] add 1 in if x == tid { skip } else { A[0] := 1 }",
    );
    let broken = "threads 2; shared A; shared B = [0]; param n = 3; assume n < 2;
        let x = B[0] in A[x + tid] := 1";
    vacuous(&checked(broken, Decide::Auto), "n < 2");
    // Stuck before it comes to an end.
    unknown(
        "threads 2; shared A; shared B = [0];
         let x = B[0] in if x == 0 { B[5 + tid] := 1; let y = B[7] in A[tid + y] := 1 }",
    );
    // What comes after a racy phase may differ from the run.
    let text = "threads 2; shared A; shared B = [0]; shared C;
        let x = B[0] in { A[x] := tid; sync; C[x] := tid }";
    let races = checked(text, Decide::Auto).verdict.races;
    assert!(races.iter().all(|race| race.cell.array.as_str() == "A") && !races.is_empty());
}

/// What an atomic update yields is one of several values: a run with one of them is no evidence.
#[test]
fn a_race_that_an_atomic_update_decides_is_potential() {
    let text = "threads 2; global C = any; shared A;
        let x = atomic C[0] add 1 in if x == tid { A[0] := 1 } else { skip }";
    for decide in [Decide::Auto, Decide::Solve] {
        let verdict = checked(text, decide).verdict;
        assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{verdict:?}");
        assert!(verdict.races.iter().all(|race| race.certainty == Certainty::Potential));
    }
}

#[test]
fn only_races_of_the_array_that_is_asked_for_count() {
    let p = program("threads 2; shared A; shared B; A[0] := tid; B[0] := tid");
    for decide in [Decide::Auto, Decide::Solve] {
        let options = Options { array: Some("A".into()), ..deciding(decide) };
        let races = check(&p, &options).unwrap().verdict.races;
        let arrays: Vec<&str> = races.iter().map(|race| race.cell.array.as_str()).collect();
        assert_eq!(arrays, ["A"]);
    }
}

/// One block does not stand for those of a grid.
#[test]
fn a_block_whose_place_is_open_is_not_enumerated() {
    let text = "threads 2; global A; if blockIdx.x == 1 { A[0] := 1 } else { skip }";
    let outcome = checked(text, Decide::Enumerate).verdict.outcome;
    let Outcome::Unknown(reason) = &outcome else { panic!("{outcome:?}") };
    assert!(reason.contains("place in the grid is not fixed"), "{reason}");
    assert_eq!(checked(text, Decide::Solve).verdict.outcome, Outcome::Racy);
}
