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
