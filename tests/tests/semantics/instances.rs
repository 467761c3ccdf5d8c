//! Random instances.

use babycuda_campaign::setting;
use babycuda_core::history::LastWrite;
use babycuda_core::{Dim3, Launch, Natural, Stmt};
use babycuda_semantics::{AtomicPolicy, AtomicQuery, Instance, Policy, RunLimits, RunOptions};
use babycuda_testkit::generators::{Profile, host_memory, program, raw_program, with_scopes};
use babycuda_testkit::{Choices, Distribution, for_all};
use proptest::prelude::*;
use proptest::test_runner::{Config, FailurePersistence, FileFailurePersistence, TestCaseError};
use std::sync::Arc;

/// Runs `test` on random instances, `standard` of them unless the environment says otherwise.
pub fn for_instances<L: IntoIterator<Item: Into<String>>>(
    standard: u32,
    test: impl Fn(Instance, u8) -> Result<L, TestCaseError>,
) -> Distribution {
    run(standard, instance, test)
}

fn run<L: IntoIterator<Item: Into<String>>>(
    standard: u32,
    instance: impl Fn(&mut Choices<'_>) -> Instance,
    test: impl Fn(Instance, u8) -> Result<L, TestCaseError>,
) -> Distribution {
    let cases = setting("BABYCUDA_CASES", standard);
    let persistence = FileFailurePersistence::Direct("tests/semantics/regressions.txt");
    let failure_persistence = Some(Box::new(persistence) as Box<dyn FailurePersistence>);
    let config = Config { cases, failure_persistence, ..Config::default() };
    let choices = proptest::collection::vec(any::<u16>(), 100..600);
    for_all(config, (choices, any::<u8>()), |(choices, choice)| {
        test(instance(&mut Choices::new(&choices)), choice)
    })
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
        let added = second.params.iter().filter(|p| !known.contains(&p.name));
        first.params.extend(added.cloned());
        let barrier = Stmt::seq(Stmt::sync(), second.body);
        first.body = Stmt::seq(first.body.clone(), barrier).numbered();
    }
    let memory = host_memory(choices, &first);
    let launch = Launch { grid: Dim3 { x: 1 + choices.below(3) as u32, y: 2, z: 1 }, ..launch };
    let block = choices.below(launch.grid.count() as usize) as u64;
    let mut instance = Instance::new(first, launch).with_host(memory).with_block(block);
    if choices.chance(1, 16) {
        instance.configuration.parameters.pop_last();
    }
    instance
}

/// Any tree at all as a program: names that nothing binds, binders called `tid`, barriers
/// everywhere.
fn raw_instance(choices: &mut Choices<'_>) -> Instance {
    let program = raw_program(choices);
    let launch = Launch::threads(choices.below(4) as u32);
    let free = program.body.free_vars();
    let mut instance = Instance::new(program, launch);
    for name in free {
        if !choices.chance(1, 16) {
            instance = instance.with_parameter(name, choices.below(4) as u64);
        }
    }
    match choices.chance(3, 4) {
        true => instance.defined_everywhere(&Natural::from(choices.below(3) as u64)),
        false => instance,
    }
}

/// Runs `test` on random instances with barriers of tiles and warps, `standard` of them unless the
/// environment says otherwise.
pub fn for_scoped_instances<L: IntoIterator<Item: Into<String>>>(
    standard: u32,
    test: impl Fn(Instance, u8) -> Result<L, TestCaseError>,
) -> Distribution {
    let scoped = |choices: &mut Choices<'_>| {
        let mut instance = instance(choices);
        let program = with_scopes(choices, (*instance.program).clone());
        instance.configuration.launch.warp = program.geometry.warp;
        instance.program = Arc::new(program);
        instance
    };
    run(standard, scoped, test)
}

/// Runs `test` on instances of any trees, `standard` of them unless the environment says otherwise.
pub fn for_raw_instances<L: IntoIterator<Item: Into<String>>>(
    standard: u32,
    test: impl Fn(Instance, u8) -> Result<L, TestCaseError>,
) -> Distribution {
    run(standard, raw_instance, test)
}

/// One of several ways to settle what the calculus leaves open.
pub fn options(choice: u8) -> RunOptions {
    let policies =
        [Policy::Stop, Policy::Smallest, Policy::Largest, Policy::First, Policy::Seed(7)];
    let ambiguous = policies[usize::from(choice) % policies.len()];
    let atomics = match choice / 5 % 3 {
        0 => AtomicPolicy::Oracle(Arc::new(|query: &AtomicQuery<'_>| match query.view {
            LastWrite::One(value) => value.successor(),
            _ => Natural::from(query.phase as u64 + query.thread),
        })),
        _ => AtomicPolicy::Alone,
    };
    let limits = match choice / 15 % 8 {
        0 => RunLimits { steps: 20, ..RunLimits::default() },
        1 => RunLimits { threads: 2, ..RunLimits::default() },
        2 => RunLimits { number_bits: 70, ..RunLimits::default() },
        _ => RunLimits { steps: 5_000, ..RunLimits::default() },
    };
    RunOptions { limits, ambiguous, atomics }
}
