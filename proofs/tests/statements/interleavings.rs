//! T6: whole runs of a block against all interleavings.

use crate::blocks::kind;
use crate::generate::instance;
use crate::{evidence, for_all};
use babycuda_core::Launch;
use babycuda_core::parse::parse_program;
use babycuda_proofs::{Failure, Vacuous, adequacy};
use babycuda_semantics::interleavings::{EndKind, ExplorationLimits, Reduction, explore};
use babycuda_semantics::{Instance, Policy, RunOptions};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, program, strategy};
use proptest::prelude::*;

/// Two or three threads of few accesses: all interleavings are visited.
fn few_accesses(choices: &mut Choices<'_>) -> Instance {
    let profile =
        *choices.pick(&[Profile::SYNCHRONIZED, Profile::ANY, Profile::PAPER, Profile::ANY]);
    let profile = Profile { huge: false, machine: false, arrays: 2, size: 6, ..profile };
    let program = program(choices, profile);
    instance(choices, program)
}

#[test]
fn t6_holds_on_random_blocks_of_few_accesses() {
    let limits = ExplorationLimits { executions: 1_000, steps: 50_000 };
    let seen = for_all(4_000, strategy(few_accesses), |instance| {
        let checked = adequacy::check(&instance, Reduction::SleepSets, &limits);
        let mut labels = vec![match &checked {
            Err(Failure::Undecided(Vacuous::TooLarge)) => "too large",
            checked => kind(checked),
        }];
        if let Some(e) = evidence(checked)? {
            labels.push(if e.first_racy.is_none() { "held, DRF" } else { "held, racy" });
            labels.extend(e.diverges.then_some("held, diverges"));
            labels.extend((e.history.len() > 1).then_some("held, several phases"));
            labels.extend((e.interleavings.executions > 1).then_some("held, several orders"));
            labels.extend(e.opened().is_some().then_some("held, opens accesses"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.4..=0.95);
    seen.assert_share("held, DRF", 0.2..=0.8);
    seen.assert_share("held, racy", 0.1..=0.6);
    seen.assert_share("held, several phases", 0.05..=0.6);
    seen.assert_share("held, several orders", 0.1..=0.7);
    seen.assert_share("held, diverges", 0.0003..=0.3);
    seen.assert_share("too large", 0.0..=0.3);
    seen.assert_share("stuck", 0.01..=0.4);
    seen.assert_share("undecided", 0.0..=0.02);
    seen.assert_share("otherwise vacuous", 0.01..=0.5);
}

/// After `max 2` and two `+1` on 0, in some order, a cell holds 2, 3 or 4; the history takes one of
/// those that it lists, and interleavings have others. T6 says nothing of it, and nothing is needed
/// where the cell is not read, or where all updates are of one kind.
#[test]
fn without_its_hypothesis_on_the_order_of_updates_t6_is_false() {
    let of = |updates: [&str; 3], then: &str| {
        let [a, b, c] = updates.map(|u| format!("let x = atomic A[0] {u} in skip"));
        let text = format!(
            "threads 3; shared A = fill 0; shared B = fill 0; \
             if tid == 0 {{ {a} }} else {{ if tid == 1 {{ {b} }} else {{ {c} }} }}; sync; {then}"
        );
        let program = parse_program(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        Instance::new(program, Launch::threads(3))
    };
    let limits = ExplorationLimits::default();
    let (mixed, read) = (["max 2", "add 1", "add 1"], "let y = A[0] in B[tid] := y");
    let counterexample = of(mixed, read);
    let found = adequacy::check(&counterexample, Reduction::SleepSets, &limits);
    let Err(Failure::Vacuous(why)) = found else { panic!("{found:?}") };
    assert!(matches!(why, Vacuous::OrderOfUpdates(_)), "{why}");
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let history = counterexample.run(&options).history().clone();
    let held = (history, false);
    let found = adequacy::compare(&counterexample, held, Reduction::SleepSets, &limits);
    assert!(matches!(found, Err(Failure::Refuted(_))), "{found:?}");
    for held in [of(mixed, "B[tid] := 1"), of(["add 3", "add 1", "add 1"], read)] {
        adequacy::check(&held, Reduction::SleepSets, &limits).unwrap();
    }
}

/// The reduction is sound: it reaches every end that naive exploration reaches.
#[test]
fn sleep_sets_reach_every_end() {
    let limits = ExplorationLimits { executions: 1_000, steps: 50_000 };
    let seen = for_all(3_000, strategy(few_accesses), |instance| {
        let Ok(all) = explore(&instance, Reduction::None, &limits) else {
            return Ok(vec!["too large"]);
        };
        let some = explore(&instance, Reduction::SleepSets, &limits)
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&all.ends, &some.ends, "{}", instance.program);
        prop_assert!(some.executions <= all.executions);
        let mut labels = vec!["compared"];
        labels.extend((some.executions < all.executions).then_some("fewer executions"));
        labels.extend((all.ends.len() > 1).then_some("several ends"));
        let is = |kind: fn(&EndKind) -> bool| all.ends.iter().any(|end| kind(&end.kind));
        labels.extend(is(|k| *k == EndKind::Diverged).then_some("diverged"));
        labels.extend(is(|k| matches!(k, EndKind::Stuck(_))).then_some("stuck"));
        Ok(labels)
    });
    seen.assert_share("compared", 0.5..=1.0);
    seen.assert_share("fewer executions", 0.1..=0.9);
    seen.assert_share("several ends", 0.05..=0.7);
    seen.assert_share("diverged", 0.0003..=0.3);
    seen.assert_share("stuck", 0.01..=0.4);
}
