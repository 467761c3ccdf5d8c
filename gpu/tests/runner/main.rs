//! The runner: batches, and devices that fail in every way.

mod fake;
mod lies;

use babycuda_core::parse::parse_program;
use babycuda_core::{Launch, Site};
use babycuda_gpu::report::Status;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{DeviceError, Failure, Jitter, Job, JobOptions, LaunchLimits, Runner};
use babycuda_semantics::Instance;
use fake::Fake;

/// A job of so many threads.
pub fn job_of(text: &str, threads: u32, options: &JobOptions) -> Job {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let instance = Instance::new(program, Launch::threads(threads));
    Job::new(&instance, options).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Little is enough here.
pub fn small() -> JobOptions {
    JobOptions { log: 8, length: 8, ..JobOptions::default() }
}

/// Jobs that write their number to a cell of each thread, with 1, 2, … threads.
fn numbered(count: usize) -> Vec<Job> {
    let job = |number| {
        let threads = number as u32 % 5 + 1;
        job_of(&format!("A[tid] := {number}; sync; B[tid] := tid"), threads, &small())
    };
    (0..count).map(job).collect()
}

/// Is this the report of the numbered job?
fn is_report_of(report: &babycuda_gpu::Report, number: usize) -> bool {
    let threads = number % 5 + 1;
    let array = |name: &str, value: &dyn Fn(u64) -> u64| {
        (0..8).all(|index| {
            let written = index < threads as u64;
            report.value(&name.into(), index) == Some(if written { value(index) } else { 0 })
        })
    };
    report.status == Status::Done
        && report.threads.len() == threads
        && report.last_phase == 1
        && array("A", &|_| number as u64)
        && array("B", &|index| index)
}

#[test]
fn every_job_has_its_report_in_order_however_they_are_packed() {
    let jobs = numbered(40);
    let mut sizes = Vec::new();
    for limits in [
        LaunchLimits::default(),
        LaunchLimits { programs: 3, ..LaunchLimits::default() },
        LaunchLimits { bytes: 5_000, ..LaunchLimits::default() },
        LaunchLimits { programs: 0, bytes: 0 },
    ] {
        let mut device = Fake::new(|_, _| None);
        let results = Runner::with_limits(&mut device, limits).run(&jobs);
        assert_eq!(results.len(), jobs.len());
        for (number, result) in results.iter().enumerate() {
            assert!(is_report_of(result.as_ref().expect("a report"), number));
        }
        sizes.push(device.launched);
    }
    // Workgroups of 1, 2, 4 and 8 threads: jobs of 1; of 2; of 3 and 4; of 5.
    assert_eq!(sizes[0], [(1, 8), (2, 8), (4, 16), (8, 8)]);
    assert!(sizes[1].iter().all(|(_, programs)| *programs <= 3));
    assert!(sizes[2].len() > 4 && sizes[2].len() < 40);
    assert!(sizes[3].iter().all(|(_, programs)| *programs == 1) && sizes[3].len() == 40);
}

#[test]
fn the_devices_limits_bound_launches_and_refuse_jobs() {
    let mut jobs = numbered(10);
    let log = JobOptions { log: 4096, ..small() };
    jobs.insert(3, job_of("A[tid] := 1", 2, &log));
    jobs.insert(7, job_of("A[tid] := 1", 100, &small()));
    let sim = Sim::new(Schedule::RoundRobin).with_limits(64, 3_000, 100_000);
    let mut device = Fake::on(sim, |_, _| None);
    let results = Runner::new(&mut device).run(&jobs);
    let too_large = |what, needed, available| {
        Err(Failure::Device(DeviceError::TooLarge { what, needed, available }))
    };
    assert_eq!(results[3], too_large("log", 2 * 4096 * 24, 3_000));
    assert_eq!(results[7], too_large("threads of a workgroup", 100, 64));
    let others = results.iter().enumerate().filter(|(position, _)| ![3, 7].contains(position));
    for (number, (_, result)) in others.enumerate() {
        assert!(is_report_of(result.as_ref().expect("a report"), number));
    }
    // Each job's logs have up to 960 bytes: several fit into 3,000, not all.
    assert!(device.launched.iter().any(|(_, programs)| *programs > 1));
    assert!(device.launched.iter().all(|(_, programs)| *programs <= 6));
}

#[test]
fn jobs_that_share_code_share_it_on_the_device() {
    let program = parse_program("param N; A[tid] := N").expect("it parses");
    let instance =
        |n: u32| Instance::new(program.clone(), Launch::threads(2)).with_parameter("N", n);
    let first = Job::new(&instance(0), &small()).expect("a job");
    let share = |n| Job::with_code(first.code().clone(), &instance(n), &small()).expect("a job");
    let jobs: Vec<Job> = (0..5).map(share).collect();
    let mut device = Fake::new(|_, _| None);
    let results = Runner::new(&mut device).run(&jobs);
    for (n, result) in results.iter().enumerate() {
        let report = result.as_ref().expect("a report");
        assert_eq!(report.value(&"A".into(), 1), Some(n as u64));
    }
    assert_eq!(device.code_words, [4 * first.code().instructions().len()]);
}

#[test]
fn a_block_without_threads_has_its_report_without_a_device() {
    let job = job_of("shared A = fill 3; A[tid] := 1", 0, &small());
    let lost = |_: usize, _: &_| Some(Err(DeviceError::Lost { message: "gone".into() }));
    let report = Runner::new(&mut Fake::new(lost)).run_one(&job).expect("a report");
    assert_eq!(report.status, Status::Done);
    assert_eq!(report.phases(), [babycuda_core::Phase::default()]);
    assert_eq!(report.arrays[0].cells, [3; 8]);
    assert!(report.trace().events.is_empty());
}

#[test]
fn a_launch_that_fails_is_tried_again_in_halves() {
    let jobs = numbered(40);
    // The device refuses every image with a program that mentions the number 17 or 23.
    let mut device = Fake::new(|_, image| {
        let bad = image.code.chunks(4).any(|i| i[0] == 1 && [17, 23].contains(&i[2]));
        let refused = DeviceError::Call { call: "launch", message: "illegal".into() };
        bad.then_some(Err(refused))
    });
    let results = Runner::new(&mut device).run(&jobs);
    for (number, result) in results.iter().enumerate() {
        match result {
            Ok(report) => assert!(is_report_of(report, number)),
            Err(failure) => {
                assert!([17, 23].contains(&number));
                assert_eq!(failure.to_string(), "launch failed: illegal");
            }
        }
    }
    assert_eq!(results.iter().filter(|result| result.is_err()).count(), 2);
    // Two of the four launches were split, each down to one job.
    assert!(device.launched.len() < 4 + 2 * 2 * 5, "{:?}", device.launched);
}

#[test]
fn a_lost_device_is_not_used_again_and_what_was_reported_stays() {
    let jobs = numbered(40);
    let lost = DeviceError::Lost { message: "fell off the bus".into() };
    let failure = Failure::Device(lost.clone());
    let limits = LaunchLimits { programs: 4, ..LaunchLimits::default() };
    let mut device = Fake::new(|launch, _| (launch == 5).then_some(Err(lost.clone())));
    let mut runner = Runner::with_limits(&mut device, limits);
    let results = runner.run(&jobs);
    let (reports, failures): (Vec<_>, Vec<_>) =
        results.iter().enumerate().partition(|(_, result)| result.is_ok());
    assert_eq!(reports.len(), 5 * 4);
    for (number, result) in reports {
        assert!(is_report_of(result.as_ref().expect("a report"), number));
    }
    assert!(failures.iter().all(|(_, result)| result.as_ref() == Err(&failure)));
    // The runner remembers.
    assert_eq!(runner.run_one(&jobs[0]), Err(failure));
    assert_eq!(device.launched.len(), 6);
}

#[test]
fn a_faulty_program_harms_no_other() {
    let options = JobOptions { fuel: 100, ..small() };
    let jobs = [
        job_of("A[tid] := 1", 2, &options),
        job_of("A[tid + 7] := 1", 2, &options),
        job_of("forU x in 0..1000 { skip }", 2, &options),
        job_of("forU x in 0..9 { A[tid] := x }", 2, &options),
        job_of("if tid == 0 { sync } else { skip }", 2, &options),
        job_of("A[tid] := 2", 2, &options),
    ];
    let mut sim = Sim::new(Schedule::Random(3));
    let results = Runner::new(&mut sim).run(&jobs);
    let statuses: Vec<String> = results
        .iter()
        .map(|result| result.as_ref().expect("a report").status.to_string())
        .collect();
    assert_eq!(
        statuses,
        [
            "done",
            "thread 1, statement #0: A[8] is outside its array",
            "thread 0, statement #0: too many instructions",
            "thread 0, statement #1: too many accesses",
            "after phase 0, thread 0 is at barrier #1 and thread 1 is at its end",
            "done",
        ]
    );
    let full = results[3].as_ref().expect("a report");
    assert_eq!(full.threads[0].log.len(), 8);
    assert!(full.threads[0].log.iter().all(|entry| entry.site == Site(1)));
}

#[test]
fn a_workgroup_has_the_lanes_that_its_jitters_ask_for() {
    let workgroup = |threads, lanes| {
        let mut device = Fake::new(|_, _| None);
        let job = job_of("A[0] := 1", threads, &small());
        let job = job.with_jitter(Jitter { lanes, ..Jitter::default() });
        Runner::new(&mut device).run_one(&job).expect("a report");
        device.launched[0].0
    };
    assert_eq!([workgroup(3, 0), workgroup(3, 32), workgroup(40, 32)], [4, 32, 64]);
}
