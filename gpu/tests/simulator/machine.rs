//! What becomes of single programs on the simulator.

use babycuda_core::evidence::Divergence;
use babycuda_core::json::{from_json, to_json};
use babycuda_core::parse::parse_program;
use babycuda_core::trace::Event;
use babycuda_core::{Cell, Dim3, Launch, Site, Thread};
use babycuda_gpu::report::{Place, Status, Stop};
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Jitter, Job, JobOptions, Report, Runner};
use babycuda_semantics::Instance;
use std::collections::BTreeSet;

fn run_with(text: &str, launch: Launch, options: &JobOptions, schedule: Schedule) -> Report {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let job = Job::new(&Instance::new(program, launch), options);
    let job = job.unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut sim = Sim::new(schedule);
    Runner::new(&mut sim).run_one(&job).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn run(text: &str, threads: u32) -> Report {
    let options = JobOptions { fuel: 100, log: 4, length: 4, ..JobOptions::default() };
    run_with(text, Launch::threads(threads), &options, Schedule::RoundRobin)
}

fn stops(report: &Report) -> Vec<Stop> {
    report.threads.iter().map(|thread| thread.stop).collect()
}

#[test]
fn every_status_names_the_thread_and_the_statement() {
    let place = |thread, site| Place { thread, site: Some(Site(site)) };
    assert_eq!(run("A[tid] := 1", 3).status, Status::Done);

    let report = run("if tid == 1 { skip } else { sync }; sync", 3);
    let (first, second) = ((0, Some(Site(1))), (1, Some(Site(2))));
    assert_eq!(report.status, Status::Divergence(Divergence::of_block(0, first, second)));
    let [one, two] = [1, 2].map(|site| Stop::Barrier(Site(site)));
    assert_eq!(stops(&report), [one, two, one]);

    let report = run("sync; if tid == 1 { skip } else { sync }", 2);
    let (first, second) = ((0, Some(Site(2))), (1, None));
    assert_eq!(report.status, Status::Divergence(Divergence::of_block(1, first, second)));

    let report = run("sync; if tid == 1 { forU x in 0..99 { skip } } else { skip }; sync", 2);
    assert_eq!(report.status, Status::OutOfFuel(place(1, 2)));
    assert_eq!(stops(&report), [Stop::Barrier(Site(3)), Stop::OutOfFuel(Some(Site(2)))]);

    let report = run("forU x in 0..4 { A[tid] := x }; B[0] := tid", 2);
    assert_eq!(report.status, Status::LogFull(place(0, 2)));
    // Nothing of the access that had no place happened.
    assert_eq!(report.value(&"B".into(), 0), Some(0));
    assert_eq!(report.value(&"A".into(), 1), Some(3));

    let report = run("A[tid + 2] := 1; let x = A[5] in skip", 3);
    assert_eq!(
        report.status,
        Status::OutOfBounds { place: place(0, 1), cell: Cell::new("A", 5u32) }
    );
    let outside = |site| Stop::OutOfBounds(Site(site));
    assert_eq!(stops(&report), [outside(1), outside(1), outside(0)]);
    assert_eq!(report.arrays[0].cells, [0, 0, 1, 1]);
}

#[test]
fn fuel_is_counted_by_instructions() {
    let options = |fuel| JobOptions { fuel, ..JobOptions::default() };
    let status = |fuel| {
        let schedule = Schedule::ThreadAfterThread;
        run_with("A[tid] := tid", Launch::threads(1), &options(fuel), schedule).status
    };
    // A write and a halt.
    assert_eq!(status(2), Status::Done);
    assert_eq!(status(1), Status::OutOfFuel(Place { thread: 0, site: None }));
    assert_eq!(status(0), Status::OutOfFuel(Place { thread: 0, site: Some(Site(0)) }));
}

#[test]
fn the_first_number_that_does_not_fit_is_reported() {
    let report = run("A[tid] := 18446744073709551615 + tid; A[0] := 2 * 9223372036854775808", 2);
    assert_eq!(report.status, Status::Done);
    assert!(!report.is_exact());
    // Thread 0 overflows in its second statement only, and is the first thread that does.
    assert_eq!(report.overflow, Some(Place { thread: 0, site: Some(Site(1)) }));
    assert_eq!(report.arrays[0].cells[..2], [0, 0]);
    let report =
        run("shared A = fill 18446744073709551615; let x = atomic A[0] add tid in skip", 2);
    assert_eq!(report.overflow, Some(Place { thread: 1, site: Some(Site(0)) }));
    let machine = run("A[tid] := add.u64(18446744073709551615, tid)", 2);
    assert!(machine.is_exact());
}

#[test]
fn threads_know_their_place() {
    let text = "A[tid] := threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockDim.y";
    let launch = Launch::new(Dim3::line(1), Dim3 { x: 2, y: 3, z: 2 });
    let report = run_with(text, launch, &JobOptions::default(), Schedule::RoundRobin);
    let expected = (0..12).map(|i| {
        let at = launch.block.position(i);
        u64::from(at.x + 10 * at.y + 100 * at.z + 3000)
    });
    assert_eq!(report.arrays[0].cells[..12], expected.collect::<Vec<_>>());
}

#[test]
fn the_schedule_decides_and_the_seed_decides_the_schedule() {
    let text = "shared A = fill 9; A[0] := tid; let x = A[0] in A[1 + tid] := x";
    let run = |schedule| run_with(text, Launch::threads(3), &JobOptions::default(), schedule);
    let memory = |schedule| run(schedule).arrays[0].cells[..4].to_vec();
    assert_eq!(memory(Schedule::ThreadAfterThread), [2, 0, 1, 2]);
    assert_eq!(memory(Schedule::RoundRobin), [2, 2, 2, 2]);
    let memories = (0..100).map(|seed| memory(Schedule::Random(seed)));
    let memories: BTreeSet<Vec<u64>> = memories.collect();
    assert!(memories.len() > 5, "{memories:?}");
    for seed in 0..20 {
        assert_eq!(run(Schedule::Random(seed)), run(Schedule::Random(seed)));
    }
    // A simulator goes on where it was: the same job again need not end the same way.
    let program = parse_program(text).expect("it parses");
    let job = Job::new(&Instance::new(program, Launch::threads(3)), &JobOptions::default());
    let jobs = vec![job.expect("a job"); 50];
    let mut sim = Sim::new(Schedule::Random(0));
    let reports = Runner::new(&mut sim).run(&jobs);
    assert!(reports.iter().any(|report| *report != reports[0]));
}

#[test]
fn a_program_with_a_seed_does_the_same_whatever_runs_beside_it() {
    let text = "shared A = fill 9; A[0] := tid; let x = A[0] in A[1 + tid] := x";
    let program = parse_program(text).expect("it parses");
    let job = Job::new(&Instance::new(program, Launch::threads(3)), &JobOptions::default());
    let job = job.expect("a job");
    let seeds = (1..=40).map(|seed| Jitter { seed, ..Jitter::default() });
    let jobs: Vec<Job> = seeds.map(|jitter| job.clone().with_jitter(jitter)).collect();
    let run = |seed| -> Vec<Report> {
        let mut sim = Sim::new(Schedule::Random(seed));
        let reports = Runner::new(&mut sim).run(&jobs).into_iter();
        reports.map(|report| report.expect("a report")).collect()
    };
    let together = run(0);
    let mut sim = Sim::new(Schedule::Random(0));
    for (job, report) in jobs.iter().zip(&together).rev() {
        assert_eq!(Runner::new(&mut sim).run_one(job).as_ref(), Ok(report));
    }
    let memories: BTreeSet<&[u64]> = together.iter().map(|r| &r.arrays[0].cells[..4]).collect();
    assert!(memories.len() > 5, "{memories:?}");
    assert_ne!(run(1), together);
}

/// What the first cell of an array of the host holds at the end, under so many jitters of a kind.
fn last(text: &str, blocks: u32, jitter: impl Fn(u32) -> Jitter) -> BTreeSet<u64> {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = Launch { grid: Dim3::line(blocks), ..Launch::threads(4) };
    let jobs = Job::grid(&Instance::new(program, launch), &JobOptions::default()).expect("jobs");
    let run = |seed| {
        let jobs: Vec<Job> = jobs.iter().map(|job| job.clone().with_jitter(jitter(seed))).collect();
        // Whatever differs, the schedule is not the reason.
        let mut sim = Sim::new(Schedule::ThreadAfterThread);
        let mut reports = Runner::new(&mut sim).run_grids(&[&jobs]);
        reports.remove(0).expect("reports")[0].arrays[0].cells[0]
    };
    (0..32).map(run).collect()
}

#[test]
fn lanes_and_turns_decide_who_comes_last() {
    let text = "A[0] := tid + 1";
    assert_eq!(last(text, 1, |seed| Jitter { seed, ..Jitter::default() }), [4].into());
    let placed = |seed| Jitter { seed, lanes: 32, ..Jitter::default() };
    assert_eq!(last(text, 1, placed), [1, 2, 3, 4].into());
    let strided = |seed| Jitter { strided: true, ..placed(seed) };
    assert_eq!(last(text, 1, strided), [1, 2, 3, 4].into());
    let turns = |seed| Jitter { seed, turn: 1, ..Jitter::default() };
    assert!(last(text, 1, turns).len() > 2);
}

#[test]
fn blocks_that_share_cells_run_interleaved() {
    let text = "global A = fill 0; let x = A[0] in A[0] := x + 1";
    let program = parse_program(text).expect("it parses");
    let launch = Launch { grid: Dim3::line(2), ..Launch::threads(1) };
    let jobs = Job::grid(&Instance::new(program, launch), &JobOptions::default()).expect("jobs");
    let run = |seed| {
        let mut sim = Sim::new(Schedule::Random(seed));
        let mut reports = Runner::new(&mut sim).run_grids(&[&jobs]);
        reports.remove(0).expect("reports")[0].arrays[0].cells[0]
    };
    assert_eq!((0..64).map(run).collect::<BTreeSet<u64>>(), [1, 2].into());
}

#[test]
fn a_report_is_a_trace_and_a_document() {
    let text = "shared A; global B; A[tid] := 18446744073709551615; sync; sync; \
        let x = atomic B[0] add 1 in skip";
    let launch = Launch::new(Dim3::line(3), Dim3::line(2));
    let program = parse_program(text).expect("it parses");
    let instance = Instance::new(program, launch).with_block(2);
    let options = JobOptions { length: 2, ..JobOptions::default() };
    let job = Job::new(&instance, &options).expect("a job");
    let mut sim = Sim::new(Schedule::ThreadAfterThread);
    let report = Runner::new(&mut sim).run_one(&job).expect("a report");

    let trace = report.trace();
    assert_eq!(trace.launch, launch);
    assert!(trace.shared.iter().map(|name| name.as_str()).eq(["A"]));
    let events: Vec<String> = trace
        .events
        .iter()
        .map(|event| match event {
            Event::Access { thread, mode, cell, .. } => format!("{thread} {mode} {cell}"),
            Event::BlockBarrier { block } => format!("barrier of {block}"),
            _ => panic!("there is none"),
        })
        .collect();
    let expected = [
        "0@2 wr A[0]",
        "1@2 wr A[1]",
        "barrier of 2",
        "barrier of 2",
        "0@2 at B[0]",
        "1@2 at B[0]",
    ];
    assert_eq!(events, expected);
    assert_eq!(report.block.thread(1), Thread { block: 2, index: 1 });

    let text = to_json(&report).expect("it is written");
    assert_eq!(from_json::<Report>(&text).expect("it is read"), report);
    let start = r#"{"format":"babycuda/device-report","version":1,"content":{"block":"#;
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains(r#""cells":["18446744073709551615","18446744073709551615"]"#), "{text}");
    assert!(
        text.contains(
            r#"{"phase":2,"site":3,"mode":{"at":"device"},"array":1,"index":0,"value":1}"#
        )
    );
    let beyond = text.replace("18446744073709551615", "18446744073709551616");
    let error = from_json::<Report>(&beyond).expect_err("beyond 64 bits").to_string();
    assert!(error.contains("18446744073709551616 has over 64 bits"), "{error}");
}
