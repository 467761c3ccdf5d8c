//! What replays a race or a divergence, and what only may be one.

use super::*;

/// The divergence that is reported is the one that the witness' launch has.
#[test]
fn a_reported_divergence_is_that_of_the_run() {
    let text = "threads *; shared B = fill 1; shared A = fill 2; shared C = fill 2;
        let x = B[(1 - tid)] in forS x in (blockDim.x - (1 + tid))..blockDim.x
        { sync; C[tid] := (x * tid) }; let x = A[x] in sync";
    let found = checked(text, Decide::Auto);
    for divergence in &found.verdict.divergences {
        let instance = Instance::of(program(text), divergence.configuration.clone());
        let outcome = babycuda::run(&instance, &babycuda_semantics::RunOptions::default());
        let ran = outcome.divergence().expect("it diverges");
        assert_eq!(*ran, divergence.divergence);
    }
    assert_eq!(found.verdict.outcome, Outcome::Divergent);
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

/// What an atomic update yields is one of several values: a run with one of them is no evidence.
/// No order of these updates gives one thread a 0 and the other a 2, and no fact says so.
#[test]
fn a_race_that_an_atomic_update_decides_is_potential() {
    let text = "threads 2; global C = any; shared A;
        let x = atomic C[0] max 1 in if x == 2 * tid { A[0] := 1 } else { skip }";
    for decide in [Decide::Auto, Decide::Solve] {
        let verdict = checked(text, decide).verdict;
        assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{verdict:?}");
        assert!(verdict.races.iter().all(|race| race.certainty == Certainty::Potential));
    }
}

/// Some order of the updates gives both threads what they need, from contents that the host may
/// have stored; the race is proved, but in no history of the big step.
#[test]
fn a_race_that_an_order_of_the_updates_has_is_proved() {
    let ticket = "let x = atomic C[0] add 1 in";
    for (declared, after, phase) in [
        ("threads 2; global C = any", "if x == tid { A[0] := 1 } else { skip }", 0),
        ("threads 2; shared C = fill 7", "A[(x + 1) / 2] := 1", 0),
        ("threads *; shared C = fill 0", "sync; if x < 4 { A[0] := tid } else { skip }", 1),
        ("threads 100; shared C = fill 0", "A[x % 80] := tid", 0),
    ] {
        let text = format!("{declared}; shared A; {ticket} {{ {after} }}");
        let verdict = checked(&text, Decide::Solve).verdict;
        let race = verdict.races.first().unwrap_or_else(|| panic!("{text}: {verdict:?}"));
        let found = (verdict.outcome.clone(), race.certainty, race.phase());
        assert_eq!(found, (Outcome::Racy, Certainty::Provable, Some(phase)), "{text}");
        assert!(race.replay.is_none(), "{text}");
    }
}

/// Both threads get a 7, whatever the solver took them to get: the race that is told is the one that
/// an interleaving has.
#[test]
fn the_race_that_an_order_has_may_be_of_another_cell() {
    let text = "threads 2; shared C = fill 7; shared A; let x = atomic C[0] max 1 in";
    let verdict = checked(&format!("{text} A[x] := 1"), Decide::Solve).verdict;
    let [race] = verdict.races.as_slice() else { panic!("{verdict:?}") };
    assert_eq!((race.certainty, race.cell.to_string().as_str()), (Certainty::Provable, "A[7]"));
    assert!(race.first.data.is_empty() && race.second.data.is_empty());
    // Of two statements, it is one of that which both threads come to.
    let two = format!("{text} if x == 9 {{ A[x] := 1 }} else {{ A[x + 1] := 2 }}");
    let verdict = checked(&two, Decide::Solve).verdict;
    let sure = verdict.races.iter().filter(|race| race.certainty != Certainty::Potential);
    let cells: Vec<String> = sure.map(|race| race.cell.to_string()).collect();
    assert_eq!(cells, ["A[8]"], "{verdict:?}");
}

/// The big step gives all threads the ticket that they would get alone. No interleaving does.
#[test]
fn a_run_of_no_interleaving_says_so() {
    use babycuda::{observe, unordered_in_grid};
    use babycuda_core::Cell;
    use babycuda_semantics::RunOptions;
    let of = |text: &str, block: u64| {
        let program = program(text);
        let launch = program.geometry.launch().unwrap();
        let instance = Instance::new(program, launch).with_block(block);
        let run = observe(&instance, &RunOptions::default());
        (run.unordered(&instance), run)
    };
    let ticket = "let t = atomic C[0] add 1 in";
    let counter = Some((0, Cell::new("C", 0u32)));
    for (text, expected) in [
        (format!("threads 2; shared C = fill 0; shared A; {ticket} A[t] := tid"), counter.clone()),
        // One thread alone does get that ticket.
        (format!("threads 1; shared C = fill 0; shared A; {ticket} A[t] := tid"), None),
        // The values decide nothing.
        (format!("threads 2; shared C = fill 0; shared A; {ticket} A[0] := t"), None),
        // A race before does not rest on them.
        (
            format!(
                "threads 2; shared C = fill 0; shared A; A[0] := tid; sync; {ticket} A[t] := 1"
            ),
            None,
        ),
        (
            format!("threads 2; shared C = fill 0; shared A; {ticket} A[t] := 1; sync; A[0] := 1"),
            counter.clone(),
        ),
        // Both may find it free, as far as the order goes.
        (
            "threads 2; shared C = fill 0; shared A; let t = atomic C[0] cas 0 if 0 in A[t] := 1"
                .to_owned(),
            None,
        ),
        // Each thread may find the 0 that it stored.
        (format!("threads 2; shared C = fill 0; shared A; C[0] := 0; {ticket} A[t] := 1"), None),
        // So may a thread of another block.
        (
            format!(
                "grid 2; threads 2; global C = fill 0; shared A; if blockIdx.x == 0
                 {{ {ticket} A[t] := 1 }} else {{ let t = atomic C[0] exch 0 in skip }}"
            ),
            None,
        ),
    ] {
        assert_eq!(of(&text, 0).0, expected, "{text}");
    }
    // Each block alone could be; not both together.
    let text =
        format!("grid 2; threads 1; global C = fill 0; global A = fill 0; {ticket} A[t] := 1");
    let [(one, first), (two, second)] = [of(&text, 0), of(&text, 1)];
    assert_eq!((one, two), (None, None));
    let cell = unordered_in_grid(&program(&text), &[&first, &second]);
    assert_eq!(cell, Some(Cell::new("C", 0u32)));
    assert_eq!(unordered_in_grid(&program(&text), &[&first]), None);
}

/// What a witness says that its threads read is what they read: what the program stored, not what the host did.
#[test]
fn what_was_read_is_what_was_there() {
    let guarded = "A[0] := 1 }";
    for (text, wanted) in [
        // The thread itself wrote in the phase of the race: what it read is not told.
        (format!("threads 2; B[tid] := 3; let x = B[tid] in if x > 1 {{ {guarded}"), None),
        (format!("threads 2; B[tid] := 3; sync; let x = B[tid] in if x > 1 {{ {guarded}"), Some(3)),
        (
            format!(
                "threads 2; global A; global B; global C = any; B[tid] := 0; sync; let x = C[tid] in if x == 7 {{ {guarded}"
            ),
            Some(7),
        ),
    ] {
        let checked = checked(&text, Decide::Auto);
        let [race] = &checked.verdict.races[..] else { panic!("{text}: {:?}", checked.verdict) };
        assert_eq!(race.certainty, Certainty::Replayed, "{text}");
        for choice in race.first.data.iter().chain(&race.second.data) {
            assert_eq!(choice.value.to_u64(), wanted, "{text}: {choice:?}");
        }
    }
}

/// What updates yield depends on their order: where an interleaving shows the race, nothing is said of it.
#[test]
fn an_interleaving_says_no_values_of_updates() {
    let text = "param n; threads 4; warp 2; shared S; shared A; S[tid] := 1; sync.warp;
        let x = atomic S[(tid + 2) % 4] add 1 in if x == 1 { A[0] := 1 }";
    let checked = checked(text, Decide::Auto);
    let race = checked.verdict.races.iter().find(|race| race.cell.array.as_str() == "A").unwrap();
    assert_eq!(race.confirmation, Confirmation::Interleaving);
    assert!(race.first.data.is_empty() && race.second.data.is_empty(), "{race:?}");
}

/// Who wants the verdict alone gets the same, with one race that is certain.
#[test]
fn a_verdict_alone_is_the_verdict() {
    let both = |text: &str, decide| {
        let alone = CheckOptions { verdict_only: true, ..deciding(decide) };
        (checked(text, decide), check(&program(text), &alone).unwrap())
    };
    for decide in [Decide::Enumerate, Decide::Solve] {
        let (all, alone) = both("threads 2; A[0] := 1; sync; A[1] := 2", decide);
        assert_eq!((all.verdict.races.len(), all.all_races), (2, true));
        assert_eq!((alone.verdict.races.len(), alone.all_races), (1, false));
        assert_eq!(alone.verdict.outcome, Outcome::Racy);
    }
    // The first race may be none.
    let text = "threads 2; shared A = fill 0; shared B; let x = A[2] in if x == 1 { A[1] := 1 } else { skip }; B[0] := tid";
    let (all, alone) = both(text, Decide::Solve);
    assert_eq!(all.verdict.outcome, Outcome::Racy);
    assert_eq!(all.verdict.races[0].certainty, Certainty::Potential);
    assert_eq!(alone.verdict.outcome, Outcome::Racy);
    assert!(alone.verdict.races.iter().all(|race| race.certainty != Certainty::Potential));
}

#[test]
fn a_verdict_alone_is_that_of_any_program() {
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() };
    proptest!(config, |((program, _) in programs_with_memory(Profile::ANY))| {
        for decide in [Decide::Auto, Decide::Enumerate, Decide::Solve] {
            let whole = CheckOptions { timeout: Duration::from_secs(20), ..deciding(decide) };
            let all = check(&program, &whole).unwrap();
            let alone = CheckOptions { verdict_only: true, ..whole };
            let alone = check(&program, &alone).unwrap();
            prop_assert_eq!(all.verdict.outcome.word(), alone.verdict.outcome.word());
            prop_assert!(!alone.all_races);
        }
    });
}
