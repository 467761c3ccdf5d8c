//! Slots that counters give: what is added is a range of its own, and races that rest on it.

use super::counters::{is_free, some_interleaving_races};
use super::*;

/// As many cells as a thread adds are its own.
#[test]
fn what_is_added_is_a_range_of_its_own() {
    let range = "let p = atomic C[0] add.u32 d in forU k in 0..d { A[p + k] := 1 }";
    let wrapped = "let p = atomic C[0] add.u32 d in forU k in 0..d { A[add.u32(p, k)] := 1 }";
    let few = "assume forall i in 0..1024: D[i] < 4194305;";
    for (declared, body, free) in [
        ("threads *; global D: u8 = any;", format!("let d = D[tid] in {range}"), true),
        ("threads *; global D: u8 = any;", format!("let d = D[tid] in {wrapped}"), true),
        ("grid 9; threads 8; global D: u8 = any;", format!("let d = D[tid] in {range}"), true),
        // Two sums that come around.
        ("threads *; global D: u32 = any;", format!("let d = D[tid] in {range}"), false),
        ("threads 3; global D: u32 = any;", format!("let d = D[tid] in {wrapped}"), false),
        // What guards and assumptions bound.
        (
            "threads *; global D: u32 = any;",
            format!("let d = D[tid] in if d <= 4194304 {{ {range} }}"),
            true,
        ),
        (
            "threads *; global D: u32 = any;",
            format!("let d = D[tid] in if d <= 4194305 {{ {range} }}"),
            false,
        ),
        (
            &format!("threads *; global D: u32 = any; {few}"),
            format!("let d = D[tid] in {range}"),
            true,
        ),
        (
            &format!("threads *; global D: u32 = any; {few}"),
            format!("let d = D[tid + 1] in {range}"),
            false,
        ),
        // Copies of the update that add more.
        (
            "threads *; global D: u32 = any;",
            format!(
                "let d = D[tid] in {{ let p = atomic C[0] add.u32 d in skip; if d <= 9 {{ {range} }} }}"
            ),
            false,
        ),
        // Read again, where nobody writes; and where somebody may have.
        (
            "threads *; global D: u8 = any;",
            "let e = D[tid] in let p = atomic C[0] add.u32 e in let d = D[tid] in forU k in 0..d { A[p + k] := 1 }".to_owned(),
            true,
        ),
        (
            "threads *; shared D: u8 = any;",
            "D[tid] := 3; { let e = D[tid] in let p = atomic C[0] add.u32 e in let d = D[tid] in forU k in 0..d { A[p + k] := 1 } }".to_owned(),
            false,
        ),
        ("threads *;", format!("forU d in tid..tid + 1 {{ {range} }}"), true),
        // One more than was added.
        (
            "threads *; global D: u8 = any;",
            format!("let d = D[tid] in {}", range.replace("0..d", "0..(d + 1)")),
            false,
        ),
        // Each thread adds what the other one writes.
        (
            "threads 2; global D: u8 = any;",
            "let e = D[1 - tid] in let d = D[tid] in let p = atomic C[0] add.u32 e in
             forU k in 0..d { A[p + k] := 1 }"
                .to_owned(),
            false,
        ),
        // The operand of another iteration.
        (
            "threads 2; global D: u8 = any;",
            "forU i in 0..2 { let d = D[i] in let p = atomic C[0] add.u32 d in
             let e = D[i + 1] in forU k in 0..e { A[p + k] := 1 } }"
                .to_owned(),
            false,
        ),
        (
            "threads 2; global D: u8 = any;",
            format!("forU i in 0..2 {{ let d = D[i] in {range} }}"),
            true,
        ),
    ] {
        let text = format!("{declared} shared C: u32 = any; shared A; {body}");
        assert_eq!(is_free(&program(&text)), free, "{text}");
    }
}

/// Threads of different blocks take tickets of one counter: what they write races where the tickets
/// meet, as an interleaving of all blocks shows, and nowhere else.
#[test]
fn tickets_of_several_blocks() {
    for (grid, threads) in [("2", 1), ("2", 2), ("3", 1), ("*", 1)] {
        for (body, races) in [
            ("A[t] := 1", false),
            ("A[t / 2] := 1", true),
            ("if t == 0 { A[0] := 1 }", false),
            ("if t < 2 { A[0] := 1 }", true),
            ("A[2 * t] := 1; A[2 * t + 1] := 1", false),
            ("A[t] := 1; A[t + 1] := 1", true),
            ("if blockIdx.x == 1 { A[t] := 1 } else { A[t + 1] := 1 }", true),
        ] {
            let bound = "assume gridDim.x <= 4;";
            let text = format!(
                "grid {grid}, 1, 1; threads {threads}; {bound} global C: u32 = fill 0; global A;
                 let t = atomic C[0] add.u32 1 in {{ {body} }}"
            );
            let program = program(&text);
            assert_eq!(is_free(&program), !races, "{text}");
            let found = check(&program, &deciding(Decide::Solve)).unwrap().verdict;
            if races {
                assert_eq!(found.outcome, Outcome::Racy, "{text}: {found:?}");
                let mut sure = found.races.iter().filter(|r| r.certainty == Certainty::Provable);
                assert!(sure.any(|race| !race.same_block()), "{text}: {:?}", found.races);
            }
        }
    }
}

/// Where copies of a statement share their site, it does not tell which cell a value comes from.
#[test]
fn a_site_of_copies_tells_no_cell() {
    let text = "grid 1; threads 2; shared C: u32 = fill 0; global A;
        let x = atomic C[tid] add.u32 1 in let y = atomic C[0] add.u32 1 in A[x] := tid";
    let mut program = program(text);
    assert!(!is_free(&program) && some_interleaving_races(&program));
    let first = program.body.site().unwrap();
    let last = program.body.subterms().filter_map(Stmt::site).last();
    program.body = program.body.map_sites(&mut |s| if Some(s) == last { s } else { first });
    assert!(!is_free(&program));
}

/// An order of the updates proves the race of its two statements, and no other of their threads.
#[test]
fn a_race_that_an_order_has_proves_no_race_of_other_statements() {
    for (text, proved) in [
        (
            "threads 2; shared C: u8 = fill 0; shared A; \
             let t = atomic C[0] exch 5 in if t == 5 { A[0] := 1 } else { if t == 0 { A[0] := 2 } }",
            1,
        ),
        // Nobody sees a 7.
        (
            "threads 4; shared C = fill 0; shared A; let x = atomic C[0] max 1 in { \
             if x == 7 { A[0] := 1 }; sync; if tid < 2 { A[0] := 2 } }",
            1,
        ),
    ] {
        let found = check(&parse_program(text).unwrap(), &deciding(Decide::Solve)).unwrap().verdict;
        assert_eq!(found.outcome, Outcome::Racy);
        let sure = found.races.iter().filter(|race| race.certainty != Certainty::Potential);
        assert_eq!(sure.count(), proved, "{text}: {:?}", found.races);
    }
}

/// Of a whole block of the largest size.
#[test]
fn tickets_of_many_threads_race() {
    let text = "threads 1024; shared C: u32 = fill 0; shared A; \
        let t = atomic C[0] add.u32 1 in A[t / 2] := tid";
    let found = check(&program(text), &deciding(Decide::Solve)).unwrap().verdict;
    assert_eq!(found.outcome, Outcome::Racy, "{found:?}");
    assert_eq!(found.races[0].certainty, Certainty::Provable);
}

/// What the host has to store in a counter is part of the witness.
#[test]
fn a_race_that_rests_on_a_counter_says_what_it_starts_from() {
    let text = "threads 2; global C: u16 = any; global A; \
                let t = atomic C[0] max 0 in if t == 3 { A[6] := tid }";
    let found = check(&parse_program(text).unwrap(), &deciding(Decide::Solve)).unwrap().verdict;
    let [race] = &found.races[..] else { panic!("{found:?}") };
    let stored = race.configuration.host.get(&babycuda_core::Cell::new("C", 0u32)).cloned();
    assert_eq!((found.outcome, stored), (Outcome::Racy, Some(3u32.into())));
}

/// Other blocks of the grid add to a counter, too, whether the program mentions them or not.
#[test]
fn blocks_that_are_not_mentioned_count() {
    let found = |grid: &str| {
        let text = format!(
            "threads *; {grid} global C: u32 = fill 0; global A; \
             let x = atomic C[0] add.u32 4194304 in A[shr.u32(x, 22)] := tid"
        );
        check(&parse_program(&text).unwrap(), &deciding(Decide::Solve)).unwrap().verdict.outcome
    };
    assert!(!matches!(found(""), Outcome::Drf));
    assert_eq!(found("grid 1;"), Outcome::Drf);
}

/// A thread that is stuck holds back its group at a barrier of a warp.
#[test]
fn behind_a_barrier_of_a_warp_that_no_run_passes_there_is_no_race() {
    for barrier in ["sync.warp", "sync.tile1", "sync"] {
        let text =
            format!("threads 2; warp 2; shared C; let x = C[5] in {{ {barrier}; C[0] := 1 }}");
        let found = check(&parse_program(&text).unwrap(), &deciding(Decide::Solve)).unwrap();
        let outcome = found.verdict.outcome;
        assert!(matches!(outcome, Outcome::Unknown(_)), "{barrier}: {outcome:?}");
    }
}

/// Nor what it is: of the copies here one stores, and one adds.
#[test]
fn a_site_of_copies_tells_no_update() {
    let of = |last: &str| {
        let text = format!(
            "grid 1; threads 2; shared C: u32 = fill 0; global A; let x = atomic C[0] add.u32 1 in {{
             {{ let y = atomic C[0] add.u32 1 in let z = atomic C[0] {last} in skip }}; A[x] := 1 }}"
        );
        let mut program = program(&text);
        let sites: Vec<_> = program.body.subterms().filter_map(Stmt::site).collect();
        program.body = program.body.map_sites(&mut |s| if s == sites[2] { sites[1] } else { s });
        is_free(&program)
    };
    assert!(of("add.u32 2"));
    assert!(!of("exch 0"));
}

/// A run in which all updates yield one value is none where there is no such order: threads that
/// are stuck in every order race nowhere behind.
#[test]
fn a_run_without_an_order_of_its_updates_shows_nothing() {
    let tickets = "threads 2; shared C = fill 0; shared S; shared A; \
                   { let p = atomic C[0] add 1 in S[tid] := p }; sync;";
    for stuck in [
        "{ let x = S[0] in let y = S[1] in if x != y { let z = S[2] in skip } };",
        "{ let x = S[0] in let y = S[1] in if x != y { let z = S[2] in skip } }; sync;",
        "{ let x = S[0] in let y = S[1] in let z = S[x + y + 1] in skip };",
        "{ let x = S[tid] in let z = S[2 * x + 1 - tid] in skip };",
    ] {
        let text = format!("{tickets} {stuck} A[0] := tid");
        let found = check(&program(&text), &CheckOptions::default()).expect("well-scoped").verdict;
        let sure = |race: &Report<Witness>| race.certainty != Certainty::Potential;
        assert!(!found.races.iter().any(sure), "{text}: {found:?}");
    }
    // Where nobody is stuck, they are real in every order.
    let text = format!("{tickets} A[0] := tid");
    let found = check(&program(&text), &CheckOptions::default()).expect("well-scoped").verdict;
    assert_eq!(found.outcome, Outcome::Racy);
    let text = "threads 2; shared C = fill 0; shared A; \
                { let p = atomic C[0] add 1 in A[p] := 1 }; sync; A[9] := 1";
    let found = check(&program(text), &CheckOptions::default()).expect("well-scoped").verdict;
    assert_eq!(found.outcome, Outcome::Racy);
}
