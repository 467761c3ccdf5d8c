//! Random programs: the device and the simulator do the same, where only one thing can be done.

use babycuda_core::{AccessMode, HostMemory, Program};
use babycuda_gpu::report::{Report, Status};
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, Job, JobOptions, Runner};
use babycuda_semantics::Instance;
use babycuda_testkit::generators::{Profile, programs_with_memory, scoped_programs_with_memory};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const CASES: usize = 3000;

fn job((program, memory): (Program, HostMemory)) -> Option<Job> {
    // Proof: the generators fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    let instance = Instance::new(program, launch).with_host(memory);
    let options = JobOptions { fuel: 4000, log: 64, length: 32, ..JobOptions::default() };
    Job::new(&instance, &options).ok()
}

/// Jobs of so many random programs of each of five kinds, the same ones every time.
pub fn random_jobs(cases: usize) -> Vec<Job> {
    let kinds = [
        programs_with_memory(Profile::WELL_TYPED).boxed(),
        programs_with_memory(Profile::SYNCHRONIZED).boxed(),
        programs_with_memory(Profile::ANY).boxed(),
        scoped_programs_with_memory(Profile { warps: true, ..Profile::ANY }).boxed(),
        scoped_programs_with_memory(Profile::SYNCHRONIZED).boxed(),
    ];
    let mut runner = TestRunner::deterministic();
    let mut jobs = Vec::new();
    for strategy in kinds {
        let cases = (0..cases).map(|_| strategy.new_tree(&mut runner).expect("a program"));
        jobs.extend(cases.filter_map(|case| job(case.current())));
    }
    jobs
}

/// Did no two threads access a cell in one phase so that it matters who came first?
pub fn is_deterministic(report: &Report) -> bool {
    let updates = |entry: &babycuda_gpu::report::Entry| matches!(entry.mode, AccessMode::At(_));
    report.phases().iter().all(|phase| phase.races(1).count() == 0)
        && !report.threads.iter().any(|thread| thread.log.iter().any(updates))
}

pub fn random_programs_do_what_they_do_on_the_simulator(backend: &mut dyn Backend) {
    let jobs = random_jobs(CASES);
    let ran = Runner::new(backend).run(&jobs);
    let simulated = Runner::new(&mut Sim::new(Schedule::Random(7))).run(&jobs);
    let (mut compared, mut done, mut apart, mut faults, mut groups) = (0, 0, 0, 0, 0);
    for ((job, ran), simulated) in jobs.iter().zip(ran).zip(simulated) {
        let (ran, simulated) = (ran.expect("a report"), simulated.expect("a report"));
        if !is_deterministic(&simulated) {
            continue;
        }
        assert_eq!(ran, simulated, "{}", job.code());
        compared += 1;
        groups += usize::from(ran.threads.iter().any(|thread| !thread.passed.is_empty()));
        match ran.status {
            Status::Done => done += usize::from(ran.last_phase > 0),
            Status::Divergence(_) => apart += 1,
            _ => faults += 1,
        }
    }
    // What there was to compare: all, with several phases, divergent, faulty, with groups that went
    // on.
    let some = done > 1000 && apart > 10 && faults > 300 && groups > 300;
    let enough = compared > jobs.len() / 4 && some;
    assert!(enough, "{compared} of {}: {done}, {apart}, {faults}, {groups}", jobs.len());
}
