//! Verdicts that rest on what atomic updates yield (THEORY T13), beside all interleavings.

use super::*;
use babycuda_semantics::interleavings::{ExplorationLimits, Reduction, explore};

/// Does some interleaving race? All are visited.
pub(super) fn some_interleaving_races(program: &Program) -> bool {
    let launch = program.geometry.launch().unwrap();
    let instance = Instance::new(program.clone(), launch);
    let limits = ExplorationLimits { executions: 2_000_000, steps: 40_000_000 };
    let all = explore(&instance, Reduction::SleepSets, &limits).unwrap();
    all.first_racy_interval().is_some()
}

/// The same of random programs, whose counters are arrays that are only added to: as long as all
/// interleavings can be tried.
#[test]
fn verdicts_on_random_counters_are_those_of_all_interleavings() {
    let counts = std::cell::Cell::new([0u32; 4]);
    let config =
        ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((program, host) in programs_with_memory(Profile::COUNTERS))| {
        let launch = program.geometry.launch().unwrap();
        let instance = Instance::new(program.clone(), launch).with_host(host);
        let limits = ExplorationLimits { executions: 20_000, steps: 400_000 };
        let Ok(all) = explore(&instance, Reduction::SleepSets, &limits) else { return Ok(()) };
        let races = all.first_racy_interval().is_some();
        let found = check(&program, &deciding(Decide::Solve)).unwrap().verdict;
        let given =
            program.arrays.iter().all(|a| !matches!(a.contents, Contents::Any | Contents::Opaque));
        let mut seen = counts.get();
        match found.outcome {
            Outcome::Drf => {
                prop_assert!(!races, "{}", program);
                seen[0] += 1;
            }
            Outcome::Racy => {
                prop_assert!(races || !given, "{}\n{:?}", program, found);
                seen[1] += 1;
            }
            _ => seen[2] += 1,
        }
        seen[3] += u32::from(program.body.subterms().any(|s| matches!(s, Stmt::Atomic { .. })));
        counts.set(seen);
    });
    let [free, racy, other, updates] = counts.get();
    println!("{free} race-free, {racy} racy, {other} others, {updates} with updates");
    assert!(free > 60 && racy > 60 && updates > 200);
}

/// What a thread may do with the cell before it takes its ticket.
const BEFORE: [&str; 9] = [
    "skip",
    "let y = atomic C[0] add.u8 1 in skip",
    "let y = atomic C[1] sub.u8 7 in skip",
    "let y = C[0] in skip",
    "C[0] := 3",
    "if tid == 0 { C[0] := 3 } else { skip }; sync",
    "let y = atomic C[0] sub.u8 1 in skip; sync",
    "let y = atomic C[tid % 2] exch 0 in skip",
    "let y = atomic C[0] add.u8 tid in sync",
];

/// How it takes it.
const TICKET: [&str; 12] = [
    "C[0] add.u8 1",
    "C[0] add.u8 2",
    "C[0] add.u8 128",
    "C[0] add.u8 86",
    "C[0] sub.u8 1",
    "C[0] inc 255",
    "C[0] inc 2",
    "C[0] cas 1 if 0",
    "C[0] cas tid if 0",
    "C[tid / 2] add.u8 1",
    "C[0] add.u8 tid",
    "C[0] add.u8 100 * tid",
];

/// What it does with its ticket `x`.
const AFTER: [&str; 8] = [
    "A[x] := tid",
    "A[x] := tid; A[x + 1] := tid",
    "A[add.u8(x, 1)] := tid; A[x] := tid",
    "if x == 0 { A[0] := tid } else { skip }",
    "A[2 * x] := tid",
    "sync; A[x] := tid",
    "sync; C[0] := 0; A[x] := 1",
    "forU k in 0..tid { A[x + k] := 1 }",
];

/// Everything small: what is called race-free has no interleaving that races, and what is called racy
/// has one.
#[test]
fn verdicts_on_counters_are_those_of_all_interleavings() {
    let mut counts = BTreeMap::new();
    let mut missed = Vec::new();
    for (threads, start) in [(2, 0), (3, 0), (3, 255)] {
        for before in BEFORE {
            for ticket in TICKET {
                for after in AFTER {
                    let text = format!(
                        "grid 1; threads {threads}; global C: u8 = fill {start}; shared A;
                         {before}; let x = atomic {ticket} in {{ {after} }}"
                    );
                    let program = program(&text);
                    let outcome =
                        check(&program, &deciding(Decide::Solve)).unwrap().verdict.outcome;
                    let races = some_interleaving_races(&program);
                    let (said, right) = match outcome {
                        Outcome::Drf => ("race-free", !races),
                        Outcome::Racy => ("racy", races),
                        Outcome::Divergent => ("divergent", false),
                        Outcome::Unknown(_) => ("unknown", true),
                    };
                    assert!(right, "{text}: {said}");
                    if said == "unknown" {
                        missed.push((races, text));
                    }
                    *counts.entry((said, races)).or_insert(0) += 1;
                }
            }
        }
    }
    println!("{counts:?}");
    if std::env::var_os("BABYCUDA_MISSED").is_some() {
        missed.iter().for_each(|(races, text)| println!("races: {races}: {text}"));
    }
    let of = |said, races| counts.get(&(said, races)).copied().unwrap_or(0);
    let (free, racy) = (of("race-free", false), of("racy", true));
    let unknown = [of("unknown", false), of("unknown", true)];
    assert!(free > 300 && racy > 300, "{counts:?}");
    assert!(unknown[0] < 2 * free && unknown[1] < racy, "{counts:?}");
}

/// Is there no race on `A`, as far as the check knows?
pub(super) fn is_free(program: &Program) -> bool {
    let options = CheckOptions { array: Some("A".into()), ..deciding(Decide::Solve) };
    let verdict = check(program, &options).unwrap().verdict;
    let ordered =
        verdict.scope.is_some_and(|scope| scope.ordered_updates.contains(&Name::new("C")));
    assert!(verdict.outcome != Outcome::Drf || ordered, "{program}: by what?");
    verdict.outcome == Outcome::Drf
}

/// What a period holds: all that other threads, other blocks and other iterations may do to the cell.
#[test]
fn what_others_may_do_to_a_counter_counts() {
    let ticket = "let t = atomic C[0] add.u32 1 in A[t] := 1";
    let reset = "if tid == 0 { C[0] := 0 } else { skip }; sync;";
    let late = "if tid == 0 { C[0] := 0 } else { skip }; let t = atomic C[0] add.u32 1 in";
    let winner = |expected: &str| {
        format!(
            "if tid == 0 {{ let x = atomic C[0] cas 1 if 0 in if x == 0 {{ A[0] := 1 }} }}
             else {{ let x = atomic C[0] cas 1 if {expected} in if x == 0 {{ A[0] := 2 }} }}"
        )
    };
    for (declared, body, free) in [
        ("grid 2; threads 2; global C: u32 = any", ticket, true),
        ("grid 2; threads 2; shared C: u32 = any", ticket, false),
        ("grid 1; threads 2; shared C: u32 = any", ticket, true),
        // Atomic against the threads of a block only.
        (
            "grid 2; threads 2; global C: u32 = any",
            "let t = atomic.block C[0] add.u32 1 in A[t] := 1",
            false,
        ),
        (
            "grid 1; threads 2; global C: u32 = any",
            "let t = atomic.block C[0] add.u32 1 in A[t] := 1",
            true,
        ),
        // Other blocks have other phases.
        ("grid 1; threads 2; global C: u32 = any", &format!("{reset} {ticket}"), true),
        ("grid 2; threads 2; global C: u32 = any", &format!("{reset} {ticket}"), false),
        ("threads 2; global C: u32 = any", &format!("{reset} {ticket}"), false),
        ("threads 2; shared C: u32 = any", &format!("{reset} {ticket}"), true),
        // The updates are of the phase of the reset, the accesses of the next.
        ("threads 2; shared C: u32 = any", &format!("{late} {{ sync; A[t] := 1 }}"), false),
        // So many that the counter comes around.
        ("grid *; threads *; global C: u32 = any", ticket, false),
        (
            "grid *; threads *; assume gridDim.x * blockDim.x <= 4294967296; global C: u32 = any",
            ticket,
            true,
        ),
        // Where no grid is given, as many blocks as a line may have.
        ("threads *; global C: u32 = any", ticket, false),
        ("threads 2; global C: u32 = any", ticket, true),
        ("grid 1; threads *; global C: u32 = any", ticket, true),
        (
            "threads *; global C: u32 = any",
            "let t = atomic C[0] add.u32 1 in A[t] := blockIdx.x",
            false,
        ),
        (
            "threads 2; param n: u32; shared C: u32 = any",
            &format!("forU i in 0..n {{ {ticket} }}"),
            false,
        ),
        ("threads 2; shared C: u32 = any", &format!("forU i in 0..100 {{ {ticket} }}"), true),
        (
            "threads 2; shared C: u8 = any",
            "forU i in 0..128 { let t = atomic C[0] add.u8 1 in A[t] := 1 }",
            true,
        ),
        (
            "threads 2; shared C: u8 = any",
            "forU i in 0..129 { let t = atomic C[0] add.u8 1 in A[t] := 1 }",
            false,
        ),
        // A compare-and-swap that expects something else may yield the same without success.
        ("grid 1; threads 2; shared C: u32 = fill 0", &winner("0"), true),
        ("grid 1; threads 2; shared C: u32 = fill 0", &winner("2"), false),
        // An addition may bring the 0 back.
        (
            "grid 1; threads 2; shared C: u8 = any",
            "let t = atomic C[0] add.u8 255 in
             let x = atomic C[0] cas 1 if 0 in if x == 0 { A[0] := 1 }",
            false,
        ),
        // Both 100s and both 33s lie between a 246 and a 0 that one thread and the other get.
        (
            "grid 1; threads 2; shared C: u8 = any",
            "let x = atomic C[0] add.u8 100 in let t = atomic C[0] add.u8 33 in
             let y = atomic C[0] add.u8 1 in
             { if tid == 0 && x == 246 { A[0] := 1 }; if tid == 1 && y == 0 { A[0] := 2 } }",
            false,
        ),
        // Of another width than the cell, the sum wraps earlier than it seems.
        ("threads 2; shared C: u32 = any", "let t = atomic C[0] add.u8 128 in A[t] := 1", false),
    ] {
        let found = is_free(&program(&format!("{declared}; global A; {body}")));
        assert_eq!(found, free, "{declared}; {body}");
    }
}

/// Where barriers of warps stand too, a phase of the block holds all that its threads do to a counter;
/// that a warp waited before and behind a store of another one does not order it.
#[test]
fn counters_of_a_phase_with_barriers_of_warps() {
    let reset = "if tid == 0 { C[0] := 0 } else { skip }; sync;";
    for (declared, body, free) in [
        ("u32", "let t = atomic C[0] add.u32 1 in { A[t] := 1; sync.warp }", true),
        ("u32", "let t = atomic C[0] add.u32 1 in { sync.warp; A[t] := 1 }", false),
        ("u32", "sync.warp; let t = atomic C[0] add.u32 1 in A[t] := 1", true),
        (
            "u32",
            "sync.warp; { let t = atomic C[0] add.u32 1 in A[t] := 1 }; sync.warp;
            if tid == 3 { C[0] := 0 }",
            false,
        ),
        (
            "u32",
            "sync.warp; { let t = atomic C[0] add.u32 1 in A[t] := 1 }; sync;
            if tid == 3 { C[0] := 0 }",
            true,
        ),
        ("u8", "forU i in 0..64 { let t = atomic C[0] add.u8 1 in A[t] := 1 }; sync.warp", true),
        ("u8", "forU i in 0..65 { let t = atomic C[0] add.u8 1 in A[t] := 1 }; sync.warp", false),
    ] {
        let text = format!(
            "grid 1; threads 4; warp 2; shared C: {declared} = any; global A; {reset} {body}"
        );
        assert_eq!(is_free(&program(&text)), free, "{text}");
    }
}

/// A statement of a loop stands in several phases: in the first one no thread stores anything, in the
/// others one does.
#[test]
fn counters_of_a_loop_are_those_of_all_its_phases() {
    let of = |reset: &str| {
        is_free(&program(&format!(
            "grid 1; threads 4; warp 4; shared C: u32 = any; global A; forS i in 0..2 {{
             {{ let t = atomic C[0] add.u32 1 in {{ A[t] := 1; sync.warp }} }}; sync; {reset} }}"
        )))
    };
    assert!(of("skip"));
    assert!(!of("if tid == 0 { C[0] := 0 }"));
}

/// Where threads diverge, what stands behind a barrier is more than one phase: here the last
/// iteration and the store behind the loop, which lets two threads draw the same ticket.
#[test]
fn counters_where_threads_diverge_later() {
    let text = "grid 1; threads 2; shared C: u32 = fill 0; global A;
        forS i in 0..2 { sync; let t = atomic C[0] add.u32 1 in A[t] := 1 };
        if tid == 0 { C[0] := 0 }; sync; if tid == 0 { sync }";
    let program = program(text);
    let options = CheckOptions { array: Some("A".into()), ..deciding(Decide::Solve) };
    let found = check(&program, &options).unwrap().verdict;
    assert_eq!(found.races.len(), 1, "{found:?}");
    assert_ne!(found.outcome, Outcome::Divergent, "a race may come first");
}

/// Loop bounds and amounts that an assumption limits.
#[test]
fn what_is_assumed_of_parameters_limits_updates() {
    let rounds = "forU i in 0..n { let t = atomic C[0] add.u8 1 in A[t] := 1 }";
    let amount = "let t = atomic C[0] add.u8 n in A[t] := 1";
    for (assumed, body, free) in [
        ("assume n <= 128;", rounds, true),
        ("assume n <= 129;", rounds, false),
        ("assume n < 200; assume n < 129;", rounds, true),
        ("assume n == 5;", rounds, true),
        ("assume n != 5;", rounds, false),
        ("assume n < 129 || n == 255;", rounds, false),
        ("assume 1 <= n && n <= 128;", amount, true),
        ("assume n <= 128;", amount, false),
        ("assume 1 <= n && n <= 129;", amount, false),
    ] {
        let text =
            format!("threads 2; param n: u8; shared C: u8 = any; shared A; {assumed} {body}");
        assert_eq!(is_free(&program(&text)), free, "{text}");
    }
}
