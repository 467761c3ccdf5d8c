//! The virtual machine has the results of the reference semantics: the same histories, outcomes
//! and witnesses, on random programs of the whole language.
//!
//! `BABYCUDA_CASES` sets the number of cases.

use babycuda_core::history::LastWrite;
use babycuda_core::{Cell, Natural, Stmt};
use babycuda_semantics::vm::{self, Code, Machine};
use babycuda_semantics::{
    AtomicPolicy, AtomicQuery, Instance, Limits, Options, Outcome, Policy, Reason,
};
use babycuda_testkit::generators::{Profile, host_memory, program};
use babycuda_testkit::{Choices, Distribution};
use proptest::prelude::*;
use proptest::test_runner::{
    Config, FailurePersistence, FileFailurePersistence, TestCaseResult, TestRunner,
};
use std::cell::RefCell;
use std::sync::Arc;

/// Runs `test` on random instances, `standard` of them unless the environment says otherwise.
fn for_instances(standard: u32, test: impl Fn(Instance, u8) -> TestCaseResult) {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok());
    let cases = cases.unwrap_or(standard);
    let persistence = FileFailurePersistence::Direct("tests/semantics.proptest-regressions");
    let failure_persistence = Some(Box::new(persistence) as Box<dyn FailurePersistence>);
    let config = Config { cases, failure_persistence, ..Config::default() };
    let choices = proptest::collection::vec(any::<u16>(), 100..600);
    let result = TestRunner::new(config).run(&(choices, any::<u8>()), |(choices, choice)| {
        test(instance(&mut Choices::new(&choices)), choice)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// A random program with random contents of its arrays; often two programs with a barrier
/// between them, so that the second meets the races of the first.
fn instance(choices: &mut Choices<'_>) -> Instance {
    let profile = Profile { size: 40, ..Profile::ANY };
    let mut first = program(choices, profile);
    // Proof: the generators fix every extent.
    let launch = first.geometry.launch().expect("a concrete launch");
    if choices.chance(2, 3) {
        let second = program(choices, profile);
        let known = first.params.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        first.params.extend(second.params.into_iter().filter(|p| !known.contains(&p.name)));
        let barrier = Stmt::seq(Stmt::sync(), second.body);
        first.body = Stmt::seq(first.body.clone(), barrier).numbered();
    }
    let memory = host_memory(choices, &first);
    Instance::new(first, launch).with_host(memory)
}

/// One of several ways to settle what the calculus leaves open.
fn options(choice: u8) -> Options {
    let ambiguous = [Policy::Stop, Policy::Smallest, Policy::Largest][usize::from(choice % 3)];
    let atomics = match choice / 3 % 3 {
        0 => AtomicPolicy::Oracle(Arc::new(|query: &AtomicQuery<'_>| match query.view {
            LastWrite::One(value) => value.successor(),
            _ => Natural::from(query.phase as u64 + query.thread),
        })),
        _ => AtomicPolicy::Alone,
    };
    let limits = match choice / 9 % 8 {
        0 => Limits { steps: 20, ..Limits::default() },
        1 => Limits { threads: 2, ..Limits::default() },
        2 => Limits { number_bits: 70, ..Limits::default() },
        _ => Limits { steps: 5_000, ..Limits::default() },
    };
    Options { limits, ambiguous, atomics }
}

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
            Reason::Unbound { .. } | Reason::Barrier | Reason::NoPhase => "stuck otherwise",
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

#[test]
fn the_virtual_machine_has_the_outcomes_of_the_reference() {
    let seen = RefCell::new(Distribution::default());
    let machine = RefCell::new(Machine::default());
    for_instances(50_000, |instance, choice| {
        let options = options(choice);
        let expected = instance.run(&options);
        seen.borrow_mut().case(labels(&expected));
        let code = Code::compile(&instance.program.body);
        let mut machine = machine.borrow_mut();
        let run = machine.run(&code, &instance, &options);
        prop_assert_eq!(&run.outcome(), &expected);
        // The lean form says the same.
        prop_assert_eq!(run.is_racy(), !expected.history().is_drf());
        let mut lean: Vec<(usize, Cell)> = run.racy_cells().collect();
        lean.sort();
        let races = expected.history().races();
        let mut cells: Vec<(usize, Cell)> = races.map(|race| (race.phase, race.cell)).collect();
        cells.dedup();
        prop_assert_eq!(lean, cells);
        Ok(())
    });
    let seen = seen.into_inner();
    println!("{seen}");
    seen.assert_share("done, race-free", 0.2..=0.7);
    seen.assert_share("done, racy", 0.1..=0.6);
    seen.assert_share("diverged", 0.01..=0.3);
    seen.assert_share("stuck on ⊥", 0.02..=0.3);
    seen.assert_share("stuck on several values", 0.001..=0.3);
    seen.assert_share("stuck at a limit", 0.01..=0.4);
    seen.assert_share("beyond 64 bits", 0.02..=0.8);
    seen.assert_share("several phases", 0.1..=0.8);
    seen.assert_share("atomics", 0.05..=0.6);
    seen.assert_share("no access", 0.0..=0.4);
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
        Ok(())
    });
}
