//! Random instances, run on the simulator.

use babycuda_campaign::{Distribution, setting};
use babycuda_core::{HostMemory, Natural, Program};
use babycuda_gpu::report::Status;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Job, JobError, JobOptions, Report, Runner};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions, vm};
use babycuda_testkit::for_all;
use babycuda_testkit::generators::{Profile, programs_with_memory, scoped_programs_with_memory};
use proptest::prelude::*;
use proptest::test_runner::{Config, FailurePersistence, FileFailurePersistence, TestCaseError};

/// Runs `test` on instances of a profile without ⊥, a quarter of them with barriers of every scope but
/// the grid, each with a schedule, `standard` of them unless
/// the environment says otherwise; how often what it calls them was generated, which is printed.
pub fn for_instances(
    standard: u32,
    profile: Profile,
    test: impl Fn(Instance, Schedule) -> Result<&'static str, TestCaseError>,
) -> Distribution {
    let persistence = FileFailurePersistence::Direct("tests/simulator/regressions.txt");
    let config = Config {
        cases: setting("BABYCUDA_CASES", standard),
        failure_persistence: Some(Box::new(persistence) as Box<dyn FailurePersistence>),
        ..Config::default()
    };
    let programs = prop_oneof![
        3 => programs_with_memory(profile),
        1 => scoped_programs_with_memory(profile),
    ];
    for_all(config, (programs, schedules()), |((program, memory), schedule)| {
        test(instance(program, memory), schedule).map(|label| [label])
    })
}

fn schedules() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        1 => Just(Schedule::ThreadAfterThread),
        1 => Just(Schedule::RoundRobin),
        4 => any::<u64>().prop_map(Schedule::Random),
    ]
}

fn instance(program: Program, memory: HostMemory) -> Instance {
    // Proof: the generators fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    Instance::new(program, launch).with_host(memory).defined_everywhere(&Natural::zero())
}

/// What the semantics says; of several possible values of a racy cell it reads the smallest.
pub fn expected(instance: &Instance) -> Outcome {
    vm::run(instance, &RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() })
}

/// The report of the simulator, or in words why it says nothing about the calculus.
pub fn simulated(instance: &Instance, schedule: Schedule) -> Result<Report, &'static str> {
    let options = JobOptions { fuel: 50_000, length: 40, ..JobOptions::default() };
    let job = Job::new(instance, &options).map_err(|error| match error {
        JobError::Compile(_) | JobError::ParameterTooLarge { .. } => "beyond 64 bits",
        JobError::ContentsTooLarge { .. } => "beyond 64 bits",
        other => panic!("{other}"),
    })?;
    let report = Runner::new(&mut Sim::new(schedule)).run_one(&job).expect("the simulator runs it");
    match report.status {
        _ if report.overflow.is_some() => Err("beyond 64 bits"),
        Status::OutOfBounds { .. } => Err("out of bounds"),
        Status::OutOfFuel(_) | Status::LogFull(_) => Err("too long"),
        Status::Waits(_) => unreachable!("it is one block"),
        Status::Done | Status::Divergence(_) => Ok(report),
    }
}
