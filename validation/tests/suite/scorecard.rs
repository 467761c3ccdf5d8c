//! The kernels of the scorecard, and the page.

use babycuda_campaign::Distribution;
use babycuda_core::AccessMode;
use babycuda_core::shadow::Machine;
use babycuda_validation::scorecard::kernel::{Line, Small};
use babycuda_validation::scorecard::page::{SAMPLE, SAMPLE_HEAD, counts};
use babycuda_validation::scorecard::truth::Truth;
use babycuda_validation::scorecard::{Case, Claim, Fragment, Technique, score, techniques};

#[test]
fn kernels_of_every_fragment_are_wrong_and_clean() {
    let mut seen = Distribution::default();
    for number in 0..2200 {
        let case = Case::of(0, number).unwrap_or_else(|| panic!("{number} is not understood"));
        let (truth, contents) = case.worst().unwrap_or_else(|| panic!("no end:\n{}", case.small));
        assert_eq!(case.truth(contents), Some(truth));
        seen.case([format!("{}: {truth:?}", case.fragment)]);
    }
    println!("{seen}");
    for fragment in Fragment::ALL {
        for truth in [Truth::Clean, Truth::Racy] {
            assert!(
                seen.count(&format!("{fragment}: {truth:?}")) > 30,
                "{fragment} {truth:?}\n{seen}"
            );
        }
    }
    assert!(seen.count("divergent barriers: Divergent") > 10);
}

/// The protocols of the calculus are held to the same truth as all others, and hold.
#[test]
fn the_protocols_claims_hold() {
    let techniques = techniques();
    let score = score(&techniques[..1], 7, 550);
    for claim in [Claim::MissesNoRace, Claim::RaisesNoFalseAlarm] {
        assert!(!score.refuted.contains_key(&("protocols", claim)), "{claim:?}");
    }
    let answers: u64 = score.tallies.values().map(|tally| tally.found + tally.clean).sum();
    assert!(answers > 400, "{answers} of 550 are decided");
}

/// Two writes of the same value race and are not harmful.
#[test]
fn a_race_is_harmful_where_schedules_leave_different_memories() {
    for (statement, harmful) in [
        ("X[0] = 7u;", false),
        ("X[0] = t;", true),
        ("X[t] = X[0] + 1u;", true),
        ("X[t] = t;", false),
    ] {
        let small = Small { array: "s", n: 2, body: vec![Line::Code(statement.into())] };
        let case = Case::read(Fragment::BenignWrites, small).expect("it is understood");
        assert_eq!(case.is_harmful(0), harmful, "{statement}");
        assert_eq!(case.truth(0) == Some(Truth::Racy), statement != "X[t] = t;", "{statement}");
    }
}

/// A technique that calls everything clean, or everything wrong, is found out.
#[test]
fn a_false_claim_has_a_small_counterexample() {
    let case = (0..).filter_map(|number| Case::of(0, number)).find(|case| {
        case.worst().is_some_and(|(truth, _)| truth == Truth::Racy) && case.small.size() > 4
    });
    let case = case.unwrap();
    let racy =
        |case: &Case| case.worst().is_some_and(|(truth, _)| truth == Truth::Racy).then_some(());
    let (least, ()) = babycuda_campaign::reduce((case, ()), Case::smaller, racy, 500);
    assert!(least.smaller().all(|case| racy(&case).is_none()), "{}", least.small);
    assert!(least.small.size() <= 3, "{}", least.small);
}

/// HiRace with another machine is judged beside HiRace: one that calls every write a race raises false alarms.
#[test]
fn another_machine_is_judged_by_itself() {
    let exact = Machine::exact();
    let race = exact.race();
    let next = |state, label: babycuda_core::shadow::Label| match label.mode {
        AccessMode::Wr => race,
        _ => exact.next(state, label),
    };
    let names = exact.names().to_vec();
    let hasty = Machine::new(exact.chain().clone(), names, race, next).unwrap();
    let key = ("hirace (published)", Claim::RaisesNoFalseAlarm);
    for (machine, holds) in [(exact.clone(), true), (hasty, false)] {
        let score = score(&[Technique::of_machine(machine)], 0, 44);
        assert_eq!(!score.refuted.contains_key(&key), holds);
    }
}

#[test]
fn the_page_is_current_on_a_sample() {
    let page = include_str!("../../../docs/SCORECARD.md");
    let (_, sample) = page.split_once(SAMPLE_HEAD).unwrap();
    let techniques = techniques();
    let now = counts(&techniques, &score(&techniques, 0, SAMPLE));
    assert_eq!(sample.trim(), now.trim(), "write it anew: babycuda-validation scorecard --write");
}
