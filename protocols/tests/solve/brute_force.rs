//! Against enumeration of every small launch.

use super::*;

/// Is the solver's answer that of enumeration, up to divergences?
fn agrees_on(
    p: &Protocol,
    declarations: &Declarations,
    solver: &dyn Solver,
    counts: &Counts,
) -> Result<(), TestCaseError> {
    let (pairs, diverges) = enumerated(p, declarations);
    let result = check(p, declarations, solver, &SolveOptions::default());
    for undecided in &result.undecided {
        // Some solvers leave a few questions open.
        let open = matches!(undecided.cause, Cause::Unaligned(_) | Cause::Solver(_));
        let meeting = matches!(undecided.cause, Cause::NoDivergence | Cause::MeetAgain);
        // A block that diverges before may stand in for all that do not.
        let diverging = diverges && undecided.cause == Cause::Diverging;
        prop_assert!(open || meeting || diverging, "{}\n{:?}", p, undecided);
    }
    let decided = result.undecided.is_empty();
    if decided {
        prop_assert_eq!(!result.divergences.is_empty(), diverges, "{}\n{:#?}", p, result);
    }
    let found: Pairs = result.races.iter().map(Witness::pair).collect();
    prop_assert_eq!(found.len(), result.races.len(), "{}", p);
    for witness in &result.races {
        prop_assert_eq!(witness.confirmation, Confirmation::Run);
    }
    prop_assert!(found.is_subset(&pairs), "{}\n{:?}\n{:?}", p, found, pairs);
    if decided {
        prop_assert_eq!(&found, &pairs, "{}", p);
    }
    count(&counts.divergent, diverges);
    count(&counts.decided, diverges && decided);
    count(&counts.both, diverges && decided && !pairs.is_empty());
    count(&counts.free, !diverges && pairs.is_empty());
    count(&counts.racy, !diverges && !pairs.is_empty());
    Ok(())
}

fn agrees(solver: &dyn Solver, cases: u32) {
    let counts = Counts::default();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let declarations = small(None);
    let control = prop_oneof![Just(Control::Uniform), Just(Control::Free)];
    let protocols = control.prop_flat_map(|c| protocol(c, 3));
    proptest!(config, |(p in protocols)| {
        agrees_on(&p, &declarations, solver, &counts)?;
    });
    assert!(counts.racy.get() > cases / 8, "{} racy", counts.racy.get());
    assert!(counts.free.get() > cases / 20, "{} free of races", counts.free.get());
    assert!(counts.divergent.get() > cases / 100, "{} divergent", counts.divergent.get());
}

#[test]
fn races_up_to_a_divergence_are_those_of_enumeration() {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let counts = Counts::default();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let launch = prop_oneof![2 => Just(None), 1 => (2u32..=4).prop_map(Some)];
    let blocks = proptest::bool::weighted(0.3);
    proptest!(config, |(p in protocol(Control::Free, 4), threads in launch, blocks in blocks)| {
        let mut declarations = small(threads);
        if blocks {
            declarations.geometry.grid =
                Some([Extent::Known(2), Extent::Known(1), Extent::Known(1)]);
            declarations = with_array(declarations, "A", Space::Global, Contents::Any);
        }
        agrees_on(&p, &declarations, &Builtin, &counts)?;
    });
    let of = |counter: &Cell<u32>| counter.get() * 100 / counts.divergent.get().max(1);
    let shares = [counts.divergent.get() * 100 / cases, of(&counts.decided), of(&counts.both)];
    println!(
        "{}% divergent, {}% of them decided, {}% racy before",
        shares[0], shares[1], shares[2]
    );
    assert!(shares[0] > 6 && shares[1] > 60 && shares[2] > 15, "{shares:?}");
}

#[test]
fn threads_that_part_in_a_loop_may_meet_again_or_not() {
    let divergent = |text: &str, declarations: &Declarations| {
        let result = solved(text, declarations);
        assert_eq!(result.divergences.len(), 1, "{text}: {result:#?}");
        assert!(result.races.is_empty(), "{text}: {result:#?}");
        result.undecided.iter().any(|u| u.cause == Cause::MeetAgain)
    };
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let d = assuming(d, &["n < 100"]);
    // Who leaves does not come back.
    let shrinking = "wr[tid]; forS i in 0..3 { if tid < 8 - 2 * i { wr[tid]; sync } }";
    assert!(!divergent(shrinking, &line()));
    let nested = "forS j in 0..n { if tid < n - j { wr[tid]; sync }; wr[tid]; sync }";
    assert!(!divergent(nested, &d));
    // Who is late may come to the barrier that others are at.
    let growing = "forS i in 0..3 { if tid < 2 + 2 * i { wr[tid]; sync } }";
    assert!(divergent(growing, &line()));
    let outer = "forS j in 0..2 { forS i in 0..tid { wr[tid]; sync } }";
    assert!(divergent(outer, &line()));
}

#[test]
fn a_race_in_the_phase_that_ends_in_a_divergence_counts() {
    let fixed = |n: u32| Declarations::of_geometry(Geometry::exactly(Launch::threads(n)));
    let pairs = |text: &str, declarations: &Declarations| {
        let result = solved(text, declarations);
        assert_eq!(result.divergences.len(), 1, "{text}: {result:#?}");
        assert!(result.undecided.is_empty(), "{text}: {result:#?}");
        result.races.len()
    };
    // Thread 0 writes its cell and stops; thread 1 writes that cell on its way to the end.
    let text = "sync; wr[tid]; if tid == 0 { sync; wr[0] } else { wr[0] }";
    assert_eq!(pairs(text, &fixed(2)), 1);
    // Between several of those that do not stop, too.
    assert_eq!(pairs(text, &line()), 2);
    // What stands behind the barrier that is not passed does not count.
    assert_eq!(pairs("wr[tid]; if tid == 0 { sync; wr[1] }", &fixed(2)), 0);
    // Two threads would pass together, but the third of the block never lets them.
    let result = solved("if tid < 2 { sync; wr[0] }", &fixed(3));
    assert!(result.races.is_empty() && result.divergences.len() == 1, "{result:#?}");
    assert_eq!(pairs("if tid < 2 { sync; wr[0] }", &line()), 1);
}

#[test]
fn the_builtin_solver_agrees_with_brute_force() {
    agrees(&Builtin, 300);
}

#[test]
fn outside_solvers_agree_with_brute_force_where_they_are_installed() {
    for name in [SolverName::Z3, SolverName::Cvc5] {
        let solver = name.solver();
        let probe =
            check(&parsed("wr[tid]; rd[tid + 1]"), &line(), &solver, &SolveOptions::default());
        if !probe.races.is_empty() {
            agrees(&solver, 150);
        }
    }
}
