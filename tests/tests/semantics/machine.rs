//! The virtual machine has the results of the reference semantics: the same histories, outcomes
//! and witnesses, on random programs of the whole language.

use crate::instances::{for_instances, for_raw_instances, for_scoped_instances, options};
use babycuda_core::history::MAX_LISTED;
use babycuda_core::parse::parse_program;
use babycuda_core::{Bool, Cell, Natural, Num};
use babycuda_semantics::vm::{self, Code, Machine};
use babycuda_semantics::{
    Derivation, Instance, Open, Outcome, Policy, Premise, Reason, RunOptions, check_derivation,
};
use proptest::prelude::*;
use std::cell::RefCell;

/// What an outcome is, in words.
fn labels(outcome: &Outcome) -> Vec<&'static str> {
    let history = outcome.history();
    let kind = match outcome {
        Outcome::Done { .. } if history.is_drf() => "done, race-free",
        Outcome::Done { .. } => "done, racy",
        Outcome::Diverged { .. } => "diverged",
        Outcome::Stuck { stuck, .. } => match &stuck.reason {
            Reason::Undefined { .. } => "stuck on ⊥",
            Reason::Ambiguous { .. } => "stuck on several values",
            Reason::Limit { .. } => "stuck at a limit",
            Reason::Unbound { .. } => "stuck on an unbound variable",
            _ => "stuck otherwise",
        },
    };
    let mut labels = vec![kind];
    let large = |number: &Natural| number.to_u64().is_none();
    let accesses = || history.newest_first().flat_map(|p| p.threads()).map(|(_, a)| a);
    if accesses().any(|a| a.writes.iter().any(|(cell, k)| large(&cell.index) || large(k))) {
        labels.push("beyond 64 bits");
    }
    if history.len() > 1 {
        labels.push("several phases");
    }
    if accesses().any(|a| !a.atomics.is_empty()) {
        labels.push("atomics");
    }
    if history.newest_first().all(|p| p.threads().next().is_none()) {
        labels.push("no access");
    }
    labels
}

/// Is a natural of more than 64 bits computed in the derivation?
fn is_wide(derivation: &Derivation) -> bool {
    let premises = derivation.nodes().flat_map(|(_, node)| &node.premises);
    premises.into_iter().any(|premise| match premise {
        Premise::Value { expression, .. } => num_is_wide(expression),
        Premise::Truth { condition, .. } => bool_is_wide(condition),
        Premise::Derived(_) | Premise::LastWrite { .. } | Premise::Chosen { .. } => false,
    })
}

/// Does a part of the closed expression need more than 64 bits?
fn num_is_wide(n: &Num) -> bool {
    let large = || n.value().is_ok_and(|value| value.to_u64().is_none());
    match n {
        Num::Var(_) | Num::Lit(_) => large(),
        Num::Binary(_, l, r) => num_is_wide(l) || num_is_wide(r) || large(),
        Num::Cast(_, _, n) => num_is_wide(n),
        Num::Select(c, n, m) => bool_is_wide(c) || num_is_wide(n) || num_is_wide(m),
    }
}

fn bool_is_wide(c: &Bool) -> bool {
    match c {
        Bool::Lit(_) => false,
        Bool::Compare(_, l, r) => num_is_wide(l) || num_is_wide(r),
        Bool::Connective(_, c, d) => bool_is_wide(c) || bool_is_wide(d),
        Bool::Not(c) => bool_is_wide(c),
    }
}

#[test]
fn the_virtual_machine_has_the_outcomes_of_the_reference() {
    let machine = RefCell::new(Machine::default());
    let seen = for_instances(50_000, |instance, choice| {
        let options = options(choice);
        let expected = instance.run(&options);
        let code = Code::compile(&instance.program.body);
        let mut machine = machine.borrow_mut();
        let run = machine.run(&code, &instance, &options);
        prop_assert_eq!(&run.outcome(), &expected);
        prop_assert_eq!(run.choices(), &instance.evaluate(&options).choices);
        let mut labels = labels(&expected);
        if let Some(derivation) = &instance.evaluate(&options).derivation {
            prop_assert_eq!(run.is_wide(), is_wide(derivation));
            labels.extend(run.is_wide().then_some("wide on the way"));
        }
        // The lean form says the same.
        prop_assert_eq!(run.is_racy(), !expected.history().is_drf());
        let mut lean: Vec<(usize, Cell)> = run.racy_cells().collect();
        lean.sort();
        let races = expected.history().races();
        let mut cells: Vec<(usize, Cell)> = races.map(|race| (race.phase, race.cell)).collect();
        cells.dedup();
        prop_assert_eq!(lean, cells);
        Ok(labels)
    });
    seen.assert_share("wide on the way", 0.02..=0.5);
    seen.assert_share("done, race-free", 0.2..=0.7);
    seen.assert_share("done, racy", 0.1..=0.6);
    seen.assert_share("diverged", 0.01..=0.3);
    seen.assert_share("stuck on ⊥", 0.02..=0.3);
    seen.assert_share("stuck on several values", 0.001..=0.3);
    seen.assert_share("stuck on an unbound variable", 0.002..=0.2);
    seen.assert_share("stuck at a limit", 0.01..=0.4);
    seen.assert_share("beyond 64 bits", 0.02..=0.8);
    seen.assert_share("several phases", 0.1..=0.8);
    seen.assert_share("atomics", 0.05..=0.6);
    seen.assert_share("no access", 0.0..=0.4);
}

#[test]
fn the_virtual_machine_has_the_outcomes_of_the_reference_with_scopes() {
    let seen = for_scoped_instances(5_000, |instance, choice| {
        let mut options = options(choice);
        options.limits.steps = options.limits.steps.min(2_000);
        let expected = instance.evaluate(&options);
        let code = Code::compile(&instance.program.body);
        let mut machine = Machine::default();
        let run = machine.run(&code, &instance, &options);
        prop_assert_eq!(&run.outcome(), &expected.outcome);
        prop_assert_eq!(run.choices(), &expected.choices);
        prop_assert_eq!(run.is_racy(), !expected.outcome.history().is_drf());
        if let Some(derivation) = &expected.derivation {
            prop_assert_eq!(check_derivation(derivation), Ok(()));
        }
        let mut labels = labels(&expected.outcome);
        let history = expected.outcome.history();
        if history.newest_first().any(|phase| phase.is_staged()) {
            labels.push("stages");
        }
        if expected.outcome.divergence().is_some_and(|d| !d.scope.is_block()) {
            labels.push("divergence in a warp or tile");
        }
        Ok(labels)
    });
    seen.assert_share("stages", 0.1..=0.9);
    seen.assert_share("done, race-free", 0.1..=0.7);
    seen.assert_share("done, racy", 0.1..=0.7);
    seen.assert_share("divergence in a warp or tile", 0.001..=0.3);
}

#[test]
fn a_fresh_machine_has_the_outcomes_of_one_used_before() {
    let machine = RefCell::new(Machine::default());
    for_instances(2_000, |instance, choice| {
        let options = options(choice);
        let code = Code::compile(&instance.program.body);
        let mut machine = machine.borrow_mut();
        let used = machine.run(&code, &instance, &options).outcome();
        prop_assert_eq!(used, vm::run(&instance, &options));
        Ok([""; 0])
    });
}

#[test]
fn the_virtual_machine_has_the_outcomes_of_the_reference_on_any_tree() {
    let seen = for_raw_instances(5_000, |instance, choice| {
        // The reference looks up atomics by folding all updates so far: no long loops here.
        let mut options = options(choice);
        options.limits.steps = options.limits.steps.min(200);
        let expected = instance.run(&options);
        let labels = labels(&expected);
        prop_assert_eq!(vm::run(&instance, &options), expected);
        Ok(labels)
    });
    seen.assert_share("stuck on an unbound variable", 0.01..=0.9);
    seen.assert_share("several phases", 0.02..=0.9);
    seen.assert_share("no access", 0.0..=0.9);
}

/// Two threads update a cell in ways that do not commute, phase after phase, and read it.
fn mixed_updates(phases: u32) -> Instance {
    let update = |i: u32| {
        format!(
            "if tid == 0 {{ let u{i} = atomic A[0] add.u32 {} in skip }} \
             else {{ let v{i} = atomic A[0] xor.u32 {} in skip }}; sync; ",
            3u32.wrapping_pow(i),
            5u32.wrapping_pow(i)
        )
    };
    let updates: String = (0..phases).map(update).collect();
    let text =
        format!("threads 2; global A = [0]; global B; {updates} let x = A[0] in B[tid] := x");
    let program = parse_program(&text).unwrap();
    let launch = program.geometry.launch().unwrap();
    Instance::new(program, launch)
}

/// The lists of values do not double for ever; all three say the same, and never that it is all.
#[test]
fn phases_whose_order_decides_list_few_values_and_not_all() {
    for phases in [1, 5, 6, 7, 8, 40] {
        let instance = mixed_updates(phases);
        for policy in [Policy::Smallest, Policy::Largest, Policy::First, Policy::Seed(7)] {
            let options = RunOptions { ambiguous: policy, ..RunOptions::default() };
            let evaluation = instance.evaluate(&options);
            let (code, mut machine) = (Code::compile(&instance.program.body), Machine::default());
            let run = machine.run(&code, &instance, &options);
            assert_eq!(run.outcome(), evaluation.outcome);
            assert_eq!(run.choices(), &evaluation.choices);
            let reads = evaluation.choices.noted().iter().filter_map(|choice| match &choice.open {
                Open::Read(possible) => Some(possible),
                Open::Atomic(_) => None,
            });
            let reads: Vec<_> = reads.collect();
            assert_eq!(reads.len(), 2, "{phases} phases");
            for possible in reads {
                assert!(!possible.exhaustive, "{phases} phases");
                assert!((2..=MAX_LISTED).contains(&possible.values.len()));
                assert!(possible.values.contains(&possible.first));
            }
            check_derivation(&evaluation.derivation.unwrap()).unwrap();
        }
        // And without a choice the run is stuck: it has no one value.
        let stuck = instance.run(&RunOptions::default());
        let reason = stuck.stuck().map(|s| &s.reason);
        assert!(matches!(reason, Some(Reason::Ambiguous { .. })), "{stuck:?}");
    }
}
