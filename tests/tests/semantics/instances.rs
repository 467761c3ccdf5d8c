//! Random instances.

use babycuda_core::history::LastWrite;
use babycuda_core::{Natural, Stmt};
use babycuda_semantics::{AtomicPolicy, AtomicQuery, Instance, Limits, Options, Policy};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, host_memory, program};
use proptest::prelude::*;
use proptest::test_runner::{
    Config, FailurePersistence, FileFailurePersistence, TestCaseResult, TestRunner,
};
use std::sync::Arc;

/// Runs `test` on random instances, `standard` of them unless the environment says otherwise.
pub fn for_instances(standard: u32, test: impl Fn(Instance, u8) -> TestCaseResult) {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok());
    let cases = cases.unwrap_or(standard);
    let persistence = FileFailurePersistence::Direct("tests/semantics/regressions.txt");
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
pub fn options(choice: u8) -> Options {
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
