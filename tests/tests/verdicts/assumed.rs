//! Assumptions over what the host stored, against all contents in a small range.

use super::*;
use babycuda_core::Natural;

/// The values that cells may have, and the cells.
const VALUES: u64 = 3;
const CELLS: usize = 4;

/// All contents of `CELLS` cells.
fn all_contents() -> impl Iterator<Item = [u64; CELLS]> {
    let count = VALUES.pow(CELLS as u32);
    (0..count).map(|n| std::array::from_fn(|i| n / VALUES.pow(i as u32) % VALUES))
}

/// Kernels of three threads that read `P`.
const KERNELS: [&str; 8] = [
    "let x = P[tid] in A[x] := tid",
    "let x = P[tid] in let y = P[tid + 1] in forU e in x..y { A[e] := tid }",
    "let x = P[tid] in let y = P[x] in A[y] := tid",
    "let x = P[tid] in let y = P[0] in if x < y { A[0] := tid }",
    "let x = P[tid] in if x == tid { A[tid / 2] := tid }",
    "let x = P[2] in let y = P[1] in if tid < x { A[y] := tid }",
    "let x = P[0] in forS i in 0..x { A[tid] := 1; sync }; let y = P[3] in let z = A[tid + y] in skip",
    "let x = P[tid] in if x == 1 { sync }",
];

/// An assumption, and what it says of contents.
type Assumption = (String, Box<dyn Fn(&[u64; CELLS]) -> bool>);

type Relation = fn(u64, u64) -> bool;

fn assumptions() -> Vec<Assumption> {
    let relations: [(&str, Relation); 5] = [
        ("<=", |a, b| a <= b),
        ("<", |a, b| a < b),
        ("==", |a, b| a == b),
        ("!=", |a, b| a != b),
        (">", |a, b| a > b),
    ];
    let mut all: Vec<Assumption> = Vec::new();
    for (name, holds) in relations {
        let next = format!("forall i in 0..3: P[i] {name} P[i + 1]");
        all.push((next, Box::new(move |p| (0..3).all(|i| holds(p[i], p[i + 1])))));
        let last = format!("forall i in 1..4: P[i - 1] {name} P[i]");
        all.push((last, Box::new(move |p| (1..4).all(|i| holds(p[i - 1], p[i])))));
        let one = format!("forall i in 0..3: P[i - 1] {name} P[i] || i == 0");
        all.push((one, Box::new(move |p| (1..3).all(|i| holds(p[i - 1], p[i])))));
        let none = format!("forall i in 0..1: P[i - 1] {name} P[i]");
        all.push((none, Box::new(move |p| holds(p[0], p[0]))));
        let some = format!("forall i in 1..4: P[i - 1] {name} P[i] || P[i] == 0");
        let some_holds = move |p: &[u64; CELLS]| (1..4).all(|i| holds(p[i - 1], p[i]) || p[i] == 0);
        all.push((some, Box::new(some_holds)));
        let pairs = format!("forall i in 0..4: forall j in i + 1..4: P[i] {name} P[j]");
        let pairs_hold =
            move |p: &[u64; CELLS]| (0..4).all(|i| (i + 1..4).all(|j| holds(p[i], p[j])));
        all.push((pairs, Box::new(pairs_hold)));
        let two = format!("forall i in 0..3: forall j in 0..3: i == j || P[i] {name} P[j]");
        let two_hold =
            move |p: &[u64; CELLS]| (0..3).all(|i| (0..3).all(|j| i == j || holds(p[i], p[j])));
        all.push((two, Box::new(two_hold)));
        let through = format!("forall i in 0..3: P[P[i]] {name} i");
        let through_holds =
            move |p: &[u64; CELLS]| (0..3).all(|i| holds(p[p[i] as usize], i as u64));
        all.push((through, Box::new(through_holds)));
        let one = format!("P[1] {name} 1");
        all.push((one, Box::new(move |p| holds(p[1], 1))));
        let between = format!("forall i in P[0]..P[3]: P[i] {name} 1");
        let between_holds = move |p: &[u64; CELLS]| (p[0]..p[3]).all(|i| holds(p[i as usize], 1));
        all.push((between, Box::new(between_holds)));
    }
    all
}

/// What an enumeration of all contents says: whether one that is as assumed races, and diverges; and
/// whether there are any.
fn by_brute_force(kernel: &str, holds: &dyn Fn(&[u64; CELLS]) -> bool) -> (bool, bool, bool) {
    let (mut races, mut diverges, mut any) = (false, false, false);
    for contents in all_contents().filter(|p| holds(p)) {
        let mut program = program(&format!("threads 3; shared A = fill 0; global P; {kernel}"));
        program.arrays[1].contents = Contents::Values(contents.map(Natural::from).to_vec());
        let launch = program.geometry.launch().unwrap();
        let outcome = Instance::new(program, launch).run(&Default::default());
        any = true;
        races |= !outcome.history().is_drf();
        diverges |= outcome.divergence().is_some();
    }
    (races, diverges, any)
}

#[test]
fn verdicts_under_assumptions_are_those_of_all_contents() {
    let (mut racy, mut free, mut vacuous) = (0, 0, 0);
    for (assumption, holds) in assumptions() {
        for kernel in KERNELS {
            let text = format!(
                "threads 3; shared A = fill 0; global P[4]: u8 = any; \
                 assume forall i in 0..4: P[i] < {VALUES}; assume {assumption}; {kernel}"
            );
            let found = checked(&text, Decide::Auto).verdict;
            let (races, diverges, any) = by_brute_force(kernel, &holds);
            match (&found.outcome, any) {
                (Outcome::Unknown(reason), false) => {
                    assert!(reason.contains("vacuous"), "{text}: {reason}");
                    vacuous += 1;
                }
                (Outcome::Racy, true) => {
                    assert!(races, "{text}: {:#?}", found.races);
                    racy += 1;
                }
                (Outcome::Divergent, true) => assert!(!races && diverges, "{text}"),
                (Outcome::Drf, true) => {
                    assert!(!races && !diverges, "{text}");
                    free += 1;
                }
                (outcome, _) => panic!("{text}: {outcome:?}, but {races} {diverges} {any}"),
            }
            // The contents of a witness are as assumed, and show it.
            for race in &found.races {
                let host = &race.replay.as_ref().unwrap().contents;
                let mut p = [0; CELLS];
                for (cell, value) in host {
                    p[cell.index.to_u64().unwrap() as usize] = value.to_u64().unwrap();
                }
                assert!(
                    host.iter().all(|(_, value)| *value != Natural::zero()),
                    "{text}: {host:?}"
                );
                assert!(holds(&p) && p.iter().all(|k| *k < VALUES), "{text}: {p:?}");
                let exactly = |q: &[u64; CELLS]| *q == p;
                assert!(by_brute_force(kernel, &exactly).0, "{text}: {p:?}");
            }
        }
    }
    println!("{racy} racy, {free} race-free, {vacuous} vacuous");
    assert!(racy > 40 && free > 20 && vacuous > 10, "{racy} {free} {vacuous}");
}

fn word(text: &str) -> &'static str {
    checked(text, Decide::Auto).verdict.outcome.word()
}

#[test]
fn rows_permutations_and_lists() {
    let rows = |assume: &str| {
        format!(
            "threads *; param n: u32; global row: u32 = any; global A; {assume}; \
             if tid < n {{ let lo = row[tid] in let hi = row[tid + 1] in \
             forU e in lo..hi {{ A[e] := tid }} }}"
        )
    };
    assert_eq!(word(&rows("assume n < 1000")), "racy");
    // Rows do not overlap: of any number of threads, once monotony compares any two.
    let monotone = "assume forall i in 0..n: forall j in i + 1..n + 1: row[i] <= row[j]";
    assert_eq!(word(&rows(monotone)), "drf");
    assert_eq!(word(&rows(&monotone.replace("<= row", "< row"))), "drf");
    // What compares neighbours does, too.
    let patient = |text: &str| {
        check(&program(text), &CheckOptions::default()).unwrap().verdict.outcome.word()
    };
    for (next, said) in [
        ("forall i in 0..n: row[i] <= row[i + 1]", "drf"),
        ("forall i in 0..n: row[1 + i] >= row[i]", "drf"),
        ("forall i in 1..n + 1: row[i - 1] <= row[i]", "drf"),
        ("forall i in 0..n: row[i] < row[i + 1]", "drf"),
        ("forall i in 0..n: row[i] == row[i + 1]", "drf"),
        ("forall i in 0..n: row[i] >= row[i + 1]", "drf"),
        // Where the last row begins, and the first one ends, is known.
        ("forall i in 0..n - 1: row[i] <= row[i + 1]", "drf"),
        ("forall i in 1..n: row[i] <= row[i + 1]", "drf"),
        ("assume n <= 8; assume forall i in 0..n - 2: row[i] <= row[i + 1]", "racy"),
        ("assume n <= 8; assume forall i in 2..n: row[i] <= row[i + 1]", "racy"),
        ("assume n <= 8; assume forall i in 2..n + 2: row[i - 2] <= row[i - 1]", "drf"),
        ("assume n <= 8; assume forall i in 3..n: row[i - 3] <= row[i - 2]", "racy"),
        ("assume n <= 8; assume forall i in 0..n: row[i] <= row[i + 2]", "racy"),
        ("assume n <= 8; assume forall i in 0..n: row[i] != row[i + 1]", "racy"),
        // An index that wraps is another one.
        ("forall i in 0..n: row[i] <= row[add.u64(i, 1)]", "drf"),
        ("assume n == 255; assume forall i in 0..255: row[i] <= row[add.u8(i, 1)]", "drf"),
    ] {
        let next = next.strip_prefix("assume ").unwrap_or(next);
        assert_eq!(patient(&rows(&format!("assume {next}"))), said, "{next}");
    }
    let wraps = "assume n == 300; assume forall i in 0..300: row[i] <= row[add.u8(i, 1)]";
    assert_ne!(word(&rows(wraps)), "drf");
    // Signs, and given ends.
    let signed = rows("assume forall i in 0..n: le.i32(row[i], row[i + 1])");
    assert_eq!(patient(&signed.replace("row: u32", "row: i32")), "drf");
    let ends = "assume forall i in 0..n: row[i] <= row[i + 1]; assume row[0] == 7; \
        assume row[n] == 9; assume 2 <= n && n <= 8";
    assert_eq!(patient(&rows(ends).replace("A[e] := tid", "A[e / 10] := tid")), "racy");
    assert_eq!(patient(&rows(ends).replace("A[e] := tid", "A[e / 9] := tid")), "racy");
    assert_eq!(patient(&rows(ends).replace("A[e] := tid", "A[e / 8] := tid")), "drf");
    // Each cell is more than the one before by 1 at least.
    let apart = "threads *; param n: u32; global p: u32 = any; global A; \
        assume forall i in 0..n: p[i] < p[i + 1]; \
        if tid < n && tid < 2 { let x = p[50 * tid] in if x / 50 == 7 { A[0] := tid } }";
    assert_eq!(patient(&apart.replace("< n &&", "< n && n == 100 &&")), "drf");
    assert_eq!(
        patient(&apart.replace("50 * tid", "49 * tid").replace("< n &&", "< n && n == 100 &&")),
        "racy"
    );
    // Also where nobody would look at all cells between.
    let far = apart.replace("50 * tid", "50 * tid + m").replace("param n", "param m: u32; param n");
    let far = far.replace("< n &&", "< n && n == 100000 && m < 1000 &&");
    assert_eq!(patient(&far), "drf");
    // A decreasing list has no rows.
    assert_eq!(word(&rows(&monotone.replace("<= row", "> row"))), "drf");
    let permuted = |assume: &str| {
        format!(
            "threads *; param n: u32; global p: u32 = any; global A; {assume}; \
             if tid < n {{ let x = p[tid] in A[x] := tid }}"
        )
    };
    let injective = "assume forall i in 0..n: forall j in 0..n: i == j || p[i] != p[j]";
    assert_eq!(word(&permuted("assume n < 1000")), "racy");
    assert_eq!(word(&permuted(injective)), "drf");
    // All but the last one.
    assert_eq!(word(&permuted(&injective.replace("in 0..n", "in 0..n - 1"))), "racy");
    // What is read behind the variable.
    let behind = "threads *; param n: u32; global p: u32 = any; global A; \
        assume forall i in 0..n: p[i + 3] == 5; \
        if tid < n { let x = p[tid + 3] in if x != 5 { A[0] := tid } }";
    assert_eq!(word(behind), "drf");
    assert_eq!(word(&behind.replace("tid < n", "tid < n + 2")), "racy");
    // Strictly rising.
    assert_eq!(
        word(&permuted("assume forall i in 0..n: forall j in i + 1..n: p[i] < p[j]")),
        "drf"
    );
}

#[test]
fn an_alarm_without_contents_is_no_race() {
    // The assumption is about more than can be evaluated, and does not exclude the alarm.
    let text = "threads 2; global p: u32 = any; global A; \
        assume forall i in 0..4000000000: forall j in i + 1..4000000000: p[i] <= p[j]; \
        let x = p[tid] in A[x] := tid";
    let Outcome::Unknown(reason) = checked(text, Decide::Auto).verdict.outcome else { panic!() };
    assert!(reason.contains("no contents of the host were found that are as assumed"), "{reason}");
    assert!(reason.contains("more than 262144 values"), "{reason}");
    // It is shown, as one that is potential.
    let found = checked(text, Decide::Auto).verdict;
    let [alarm] = &found.races[..] else { panic!("{found:?}") };
    assert_eq!((alarm.certainty, &alarm.replay), (Certainty::Potential, &None));
    assert_eq!(alarm.first.data.len(), 1, "{alarm:?}");
    let map = "threads 2; global p: u32 = any; global A; \
        assume forall i in 0..4000000000: p[i] <= p[i + 1]; let x = input p[tid] in wr A[x]";
    let found = check_protocol(&parse_map(map).unwrap(), &deciding(Decide::Auto)).unwrap().verdict;
    assert!(matches!(found.outcome, Outcome::Unknown(_)), "{found:?}");
    assert_eq!(found.races[0].certainty, Certainty::Potential);
    // It still excludes what it excludes.
    let text = text.replace("<= p[j]", "< p[j]");
    let found = checked(&text, Decide::Auto).verdict;
    assert_eq!(found.outcome, Outcome::Drf);
    let scope = found.scope.unwrap();
    assert!(scope.assumptions.iter().any(|said| said.contains("some contents are as assumed")));
    // Single cells of many are found one after the other.
    let some = "threads 2; global p: u32 = any; global A; \
        assume forall i in 0..3000: i % 200 != 0 || p[i] == i * 3 + 1; \
        let x = p[tid + 1] in A[x] := tid";
    let found = checked(some, Decide::Auto).verdict;
    assert_eq!(found.outcome, Outcome::Racy);
    assert_eq!(found.races[0].replay.as_ref().unwrap().contents.len(), 15);
    // Nobody can tell whether contents are as assumed that no array has.
    let text = "threads 2; global p = [0, 1]; global A; assume forall i in 0..2: p[i] < p[i + 1]; \
        let x = p[tid] in A[0] := x";
    let Outcome::Unknown(reason) = checked(text, Decide::Auto).verdict.outcome else { panic!() };
    assert!(reason.contains("vacuous") && reason.contains("does not hold for i = 1"), "{reason}");
    let Outcome::Unknown(reason) = checked(text, Decide::Solve).verdict.outcome else { panic!() };
    assert!(reason.contains("vacuous"), "{reason}");
}

#[test]
fn a_protocol_races_in_given_contents() {
    let map = |header: &str, text: &str| {
        let map = parse_map(&format!("{header}; global P: u8 = any; global A; {text}")).unwrap();
        check_protocol(&map, &deciding(Decide::Auto)).unwrap().verdict
    };
    let read = "let x = input P[tid] in";
    let found = map("threads 4", &format!("{read} if x == 7 {{ wr A[0] }}"));
    assert_eq!(found.outcome, Outcome::Racy);
    let race = &found.races[0];
    assert_eq!(race.certainty, Certainty::Provable);
    let sevens: Vec<_> =
        race.configuration.host.cells().filter(|(_, k)| *k != Natural::zero()).collect();
    assert_eq!(sevens.len(), 2, "{sevens:?}");
    assert!(sevens.iter().all(|(_, k)| *k == Natural::from(7u32)), "{sevens:?}");
    let found = map("threads 4", &format!("{read} if x == 7 {{ sync }}"));
    assert_eq!(found.outcome, Outcome::Divergent);
    assert_eq!(found.divergences[0].certainty, Certainty::Provable);
    // What is assumed excludes it.
    let none = "threads 4; assume forall i in 0..4: P[i] < 7";
    assert_eq!(map(none, &format!("{read} if x == 7 {{ wr A[0] }}")).outcome, Outcome::Drf);
    // Data that nobody knows stays potential.
    let found = map("threads 4", &format!("{read} any y {{ if x == y {{ wr A[0] }} }}"));
    assert!(matches!(found.outcome, Outcome::Unknown(_)), "{found:?}");
    assert_eq!(found.races[0].certainty, Certainty::Potential);
}

/// 300 different numbers below 256: that there are none was not found in time. What would be race-free
/// is unknown then, as all may be about nothing.
#[test]
fn what_may_be_about_no_contents_is_not_race_free() {
    let of = |cells: u32, body: &str| {
        let text = format!(
            "threads 4; global P[{cells}]: u8 = any; global A;
             assume forall i in 0..{cells}: forall j in 0..i: P[i] != P[j]; {body}"
        );
        checked(&text, Decide::Auto).verdict.outcome
    };
    assert_eq!(of(200, "A[tid] := 1"), Outcome::Drf);
    for body in ["A[tid] := 1", "let x = P[tid] in A[x] := tid"] {
        let Outcome::Unknown(why) = of(300, body) else { panic!("{body}") };
        assert!(why.contains("whether anything is as assumed"), "{why}");
    }
}

/// The contents of a witness hold the least numbers that the race needs.
#[test]
fn contents_of_witnesses_are_small() {
    for (condition, least) in
        [("x > 5", 6u32), ("x >= 1000", 1000), ("x % 2 == 1", 1), ("x != 0", 1)]
    {
        for decide in [Decide::Auto, Decide::Solve] {
            let text = format!(
                "threads 2; shared A; global B: u32 = any; let x = B[0] in
                 if {condition} {{ A[0] := tid }} else {{ A[1 + tid] := x }}"
            );
            let found = checked(&text, decide).verdict;
            let [race] = &found.races[..] else { panic!("{text}: {found:?}") };
            let contents = race.replay.as_ref().map(|replay| replay.contents.clone());
            let cell = babycuda_core::Cell::new("B", 0u32);
            assert_eq!(contents, Some(vec![(cell, least.into())]), "{text}");
            // What each thread is said to read is what is stored.
            for choice in race.first.data.iter().chain(&race.second.data) {
                assert_eq!(choice.value, least.into(), "{text}: {race:?}");
            }
        }
    }
}
