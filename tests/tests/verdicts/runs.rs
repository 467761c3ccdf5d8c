//! Verdicts beside the runs of the reference semantics.

use super::*;

/// What the reference run of a program with fixed contents says.
fn contradicts(
    program: &Program,
    host: &babycuda_core::HostMemory,
    found: &Checked,
) -> Option<String> {
    let launch = program.geometry.launch()?;
    let limits = RunLimits { steps: 20_000, ..RunLimits::default() };
    let options = babycuda_semantics::RunOptions { limits, ..Default::default() };
    let run = Instance::new(program.clone(), launch).with_host(host.clone()).run(&options);
    let racy = run.history().chronological().any(|(_, phase)| phase.is_racy());
    let fixed =
        program.arrays.iter().all(|a| !matches!(a.contents, Contents::Any | Contents::Opaque));
    // A race that another order of the updates has need not be one of this run.
    let mut races = found.verdict.races.iter().filter(|r| r.certainty != Certainty::Potential);
    let of_this_order = races.any(|r| r.witness.confirmation != Confirmation::Interleaving);
    let diverged = run.divergence().is_some();
    let ended = diverged || run.is_done();
    let wrong = match &found.verdict.outcome {
        Outcome::Drf => racy || diverged,
        Outcome::Racy => fixed && ended && !racy && of_this_order,
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

/// The one run decides only where it is the only one.
#[test]
fn a_run_decides_only_what_is_determined() {
    let outcome = |text: &str| checked(text, Decide::Auto).verdict.outcome;
    let unknown = |text: &str| match outcome(text) {
        Outcome::Unknown(reason) => reason,
        other => panic!("{text}: {other:?}"),
    };
    // In the order of threads nobody writes; in the other one both do.
    let either = "threads 2; shared C = [0]; shared A;
         let x = atomic C[0] add 1 in if x == tid { skip } else { A[0] := 1 }";
    assert_eq!(outcome(either), Outcome::Racy);
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

/// A program whose accesses rest on data, and of which everything is fixed: its run decides, also
/// with barriers of groups and of the grid.
#[test]
fn a_run_decides_what_rests_on_data_with_barriers_of_groups() {
    let ran = |text: &str| {
        let found = checked(text, Decide::Auto).verdict;
        assert_eq!(found.method, Method::Run, "{text}: {found:?}");
        found
    };
    let warps = |contents: &str, body: &str| {
        ran(&format!("threads 4; warp 2; shared P = {contents}; shared A = fill 0; {body}"))
    };
    let exchange = "A[tid] := 1; sync.warp; let x = P[tid] in A[x] := 2";
    assert_eq!(warps("[1, 0, 3, 2]", exchange).outcome, Outcome::Drf);
    let across = warps("[1, 2, 3, 0]", exchange);
    assert_eq!(across.outcome, Outcome::Racy);
    let sites = |race: &Report<Witness>| [race.first.site, race.second.site].map(|site| site.0);
    for race in &across.races {
        assert_eq!(race.certainty, Certainty::Replayed);
        let warps = [race.first.thread.index / 2, race.second.thread.index / 2];
        assert!(warps == [0, 1] && sites(race).contains(&3), "{race:?}");
    }
    // Thread 0 writes the cell before the barrier, and behind it where it races.
    let twice = "if tid == 0 { A[0] := 1 }; sync.warp; let x = P[tid] in A[x] := 2";
    let found = warps("[0, 0, 3, 2]", twice);
    let [race] = &found.races[..] else { panic!("{found:?}") };
    assert_eq!(sites(race), [4, 4]);
    // Both write it on both sides of a barrier of a part of them: behind it warp 1 has passed none.
    let apart = "if tid / 2 == 0 { A[4 + tid] := 1; sync.warp }; let x = P[tid] in A[4 + x] := 2";
    let found = warps("[6, 7, 1, 3]", apart);
    assert!(found.races.iter().any(|r| sites(r) == [1, 4]), "{found:?}");
    let halves = "let x = P[tid] in if x == 1 { sync.warp }";
    assert_eq!(warps("[1, 1, 0, 0]", halves).outcome, Outcome::Drf);
    let found = warps("[1, 1, 0, 1]", halves);
    assert_eq!(found.outcome, Outcome::Divergent);
    assert_eq!(found.divergences[0].divergence.scope, BarrierScope::Warp);
    // What is read has raced in its phase: no run decides.
    let text = "threads 4; warp 2; shared P = [0, 0, 0, 0]; shared A = fill 0;
        P[0] := tid; sync.warp; let x = P[0] in A[4 * x + tid] := 2";
    let found = checked(text, Decide::Auto).verdict;
    assert_ne!((found.method, found.outcome), (Method::Run, Outcome::Drf));

    let grid = |contents: &str, body: &str| {
        let head = "grid 2; threads 2; global A = fill 0;";
        ran(&format!("{head} shared P = {contents}; shared S = fill 0; {body}"))
    };
    let exchange = "{ let x = P[tid] in A[2 * blockIdx.x + x] := 1 }; sync.grid;
        { let x = P[tid] in A[2 - 2 * blockIdx.x + x] := 1 }; sync.grid; S[tid] := 1";
    assert_eq!(grid("[1, 0]", exchange).outcome, Outcome::Drf);
    let found = grid("[1, 3]", exchange);
    assert_eq!(found.outcome, Outcome::Racy);
    let race = &found.races[0];
    assert_eq!((race.first.thread.block, race.second.thread.block), (0, 1));
    assert_eq!((race.cell.index.to_u64(), race.certainty), (Some(3), Certainty::Replayed));
    let found = grid("[0, 0]", "{ let x = P[tid] in S[4 + x] := 1 }; sync.grid");
    let race = &found.races[0];
    assert!(race.same_block() && race.cell.index.to_u64() == Some(4), "{race:?}");
    let found = grid("[1, 0]", "{ let x = P[0] in if x == blockIdx.x { sync.grid } }");
    assert_eq!(found.outcome, Outcome::Divergent);
    assert_eq!(found.divergences[0].divergence.scope, BarrierScope::Grid);
}

/// A run of the big step is stuck on what other threads write in the same phase. Where they come first,
/// it is not: with barriers of warps, and in other blocks, too.
#[test]
fn threads_wait_for_what_others_write() {
    let read = "let x = S[(tid + 2) % 4] in";
    for (header, body, expected) in [
        ("shared S", format!("S[tid] := 1; sync.warp; {read} skip"), true),
        (
            "param n; shared S",
            format!("S[tid] := 1; sync.warp; {read} if x == 1 {{ A[0] := 1 }}"),
            true,
        ),
        (
            "param n; shared S",
            format!("S[tid] := 1; sync.warp; {read} if x == 2 {{ S[0] := 1 }}"),
            true,
        ),
        (
            "grid 2; global S",
            "S[tid + 4 * blockIdx.x] := 1; let x = S[7 - tid] in A[tid] := x".to_owned(),
            true,
        ),
        // Nobody writes it, or each waits for another one.
        ("shared S", format!("sync.warp; {read} S[0] := 1"), false),
        ("shared S", format!("{read} {{ S[tid] := 1; sync.warp; A[0] := 1 }}"), false),
    ] {
        let text = format!("{header}; threads 4; warp 2; shared A; {body}");
        let found = check(&program(&text), &CheckOptions::default()).unwrap().verdict;
        let sure = |r: &&Report<Witness>| r.certainty != Certainty::Potential;
        assert_eq!(found.races.iter().any(|r| sure(&r)), expected, "{text}: {found:?}");
        assert_eq!(
            found.races.iter().any(|r| r.confirmation == Confirmation::Interleaving),
            expected,
            "{text}: {found:?}"
        );
    }
}
