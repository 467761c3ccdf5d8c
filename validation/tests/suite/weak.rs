//! A run that no interleaving explains, and that a device may have: a finding on a device, and a
//! failure on the simulator.

use babycuda_core::parse::parse_program;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{BackendName, Job, Report, Runner};
use babycuda_validation::{Claim, Judgment, Reference, case, validate};

const CLAIM: Claim = Claim::ValuesAreOfAnInterleaving;

/// Store buffering: each thread sets its flag and reads the other's.
const STORE_BUFFERING: &str = "\
kernel store_buffering;
threads 2;
shared flag[2] = fill 0;
shared seen[2] = fill 7;

flag[tid] := 1;
let x = flag[1 - tid] in seen[tid] := x";

fn run() -> (Reference, Report) {
    let program = parse_program(STORE_BUFFERING).expect("a program");
    let instance = case::instance(&program).expect("a launch");
    let job = Job::new(&instance, &case::options(&instance)).expect("a job");
    let mut sim = Sim::new(Schedule::ThreadAfterThread);
    let report = Runner::new(&mut sim).run_one(&job).expect("a report");
    (Reference::new(instance).expect("a reference"), report)
}

/// The report with these values seen by threads 0 and 1.
fn with_seen(report: &Report, values: [u64; 2]) -> Report {
    let mut report = report.clone();
    for (thread, value) in report.threads.iter_mut().zip(values) {
        // The write of the flag, the read of the other's, the write of what was read.
        assert_eq!(thread.log.len(), 3);
        thread.log[1].value = value;
        thread.log[2].value = value;
    }
    let seen = report.arrays.iter_mut().find(|array| *array.name == *"seen");
    seen.expect("the array").cells.copy_from_slice(&values);
    report
}

#[test]
fn both_threads_may_not_miss_the_other_in_an_interleaving() {
    let (reference, report) = run();
    for values in [[0, 1], [1, 0], [1, 1]] {
        let verdict = validate(&reference, &with_seen(&report, values));
        assert_eq!(verdict.failure(BackendName::Sim), None, "{values:?}");
    }
    let verdict = validate(&reference, &with_seen(&report, [0, 0]));
    let judgment = verdict.judgments.iter().find(|(claim, _)| *claim == CLAIM);
    assert!(matches!(judgment, Some((_, Judgment::BeyondInterleavings(_)))), "{judgment:?}");
    assert!(verdict.beyond_interleavings().is_some());
    assert_eq!(verdict.failure(BackendName::Cuda), None);
    let failure = verdict.failure(BackendName::Sim).map(|(claim, _)| claim);
    assert_eq!(failure, Some(CLAIM));
}

#[test]
fn a_value_that_nobody_stored_is_a_failure_everywhere() {
    let (reference, report) = run();
    let verdict = validate(&reference, &with_seen(&report, [2, 1]));
    for backend in BackendName::ALL {
        let failure = verdict.failure(backend).map(|(claim, _)| claim);
        assert_eq!(failure, Some(CLAIM), "{backend}");
    }
}

#[test]
fn the_search_and_the_visit_of_all_interleavings_agree() {
    // Whatever the schedule of the simulator, its end is among those of the program.
    let program = parse_program(STORE_BUFFERING).expect("a program");
    let instance = case::instance(&program).expect("a launch");
    let job = Job::new(&instance, &case::options(&instance)).expect("a job");
    let reference = Reference::new(instance).expect("a reference");
    for seed in 0..50 {
        let mut sim = Sim::new(Schedule::Random(seed));
        let report = Runner::new(&mut sim).run_one(&job).expect("a report");
        let verdict = validate(&reference, &report);
        assert_eq!(verdict.failure(BackendName::Sim), None, "{seed}");
        for claim in [CLAIM, Claim::EndsAreThoseOfInterleavings] {
            assert!(verdict.judgments.contains(&(claim, Judgment::Holds)), "{seed}: {claim}");
        }
    }
}
