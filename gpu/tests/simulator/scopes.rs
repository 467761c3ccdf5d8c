//! Barriers of tiles, warps and grids, from programs to reports.

use babycuda_core::evidence::Divergence;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::Event;
use babycuda_core::{Dim3, Launch, Phase, Site};
use babycuda_gpu::report::{Status, without_updates};
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{DeviceError, Failure, Job, JobOptions, Report, Runner};
use babycuda_semantics::Instance;

fn instance(text: &str, launch: Launch) -> Instance {
    Instance::new(parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}")), launch)
}

fn by_warps(warp: u32, blocks: u32, threads: u32) -> Launch {
    Launch { warp, ..Launch::new(Dim3::line(blocks), Dim3::line(threads)) }
}

const SCHEDULES: [Schedule; 4] =
    [Schedule::RoundRobin, Schedule::ThreadAfterThread, Schedule::Random(1), Schedule::Random(2)];

fn reports(instance: &Instance) -> Vec<Report> {
    let job = Job::new(instance, &JobOptions { length: 16, ..JobOptions::default() });
    let job = job.expect("a job");
    let run = |schedule| Runner::new(&mut Sim::new(schedule)).run_one(&job).expect("a report");
    SCHEDULES.into_iter().map(run).collect()
}

/// The log has the stages of the history, group by group.
#[test]
fn a_log_has_the_stages_of_the_history() {
    let text = "shared A = fill 0; shared B = fill 0;
        A[tid] := 1; sync.warp; let x = A[tid / 4 * 4] in B[tid] := x + 1;
        if tid / 4 == 1 { sync.tile2; sync.warp; A[8 + tid] := 3 } else { skip };
        sync; sync.warp; A[tid] := 7";
    let instance = instance(text, by_warps(4, 1, 6));
    let outcome = babycuda_gpu::compare::expected(&instance, 0);
    let phases = outcome.history().chronological();
    let phases: Vec<Phase> = phases.map(|(_, phase)| without_updates(phase)).collect();
    for report in reports(&instance) {
        assert_eq!(report.status, Status::Done);
        let groups = |phase: &Phase| {
            phase.stages().map(|stage| (stage.first, stage.end)).collect::<Vec<_>>()
        };
        // Two warps, then a tile and the second warp again; then two warps.
        let each: Vec<_> = report.phases().iter().map(groups).collect();
        assert_eq!(each, [vec![(0, 4), (4, 6), (4, 6), (4, 6)], vec![(0, 4), (4, 6)]]);
        // The first warp's late accesses stand behind the other groups' barriers.
        assert_eq!(report.phases().len(), phases.len());
        let passed = |i: usize| report.threads[i].passed.len();
        assert_eq!([0, 3, 4, 5].map(passed), [2, 2, 4, 4]);
        let comparison = babycuda_gpu::compare::Comparison::new(&outcome, &report);
        assert_eq!(comparison.first_difference(), None);
        let warps = report.trace().events;
        let warps = warps.iter().filter(|event| matches!(event, Event::WarpBarrier { .. })).count();
        assert_eq!(warps, 5);
        assert_eq!(report.phases(), phases);
    }
}

/// The group, its scope and the sites are those that the semantics names.
#[test]
fn the_group_of_the_narrowest_scope_diverges() {
    let text = "if tid == 5 { skip } else { if tid == 1 { sync.warp } else { sync } }; A[tid] := 1";
    let instance = instance(text, by_warps(2, 1, 6));
    let outcome = babycuda_gpu::compare::expected(&instance, 0);
    let expected = Divergence {
        phase: 0,
        first: (0, Some(Site(3))),
        second: (1, Some(Site(2))),
        scope: BarrierScope::Warp,
    };
    assert_eq!(outcome.divergence(), Some(&expected));
    for report in reports(&instance) {
        assert_eq!(report.status, Status::Divergence(expected));
    }
}

#[test]
fn blocks_of_a_grid_wait_for_each_other() {
    let text = "global A = fill 0; global B = fill 0;
        A[blockIdx.x * 2 + tid] := 1; sync.grid;
        let x = A[5 - (blockIdx.x * 2 + tid)] in B[blockIdx.x * 2 + tid] := x";
    let instance = instance(text, by_warps(32, 3, 2));
    let options = JobOptions { length: 6, ..JobOptions::default() };
    let grid = Job::grid(&instance, &options).expect("jobs");
    for schedule in SCHEDULES {
        let mut sim = Sim::new(schedule);
        let mut runner = Runner::new(&mut sim);
        let reports = runner.run_grids(&[&grid]).remove(0).expect("reports");
        for report in &reports {
            assert_eq!((&report.status, report.last_phase), (&Status::Done, 1), "{schedule}");
            assert_eq!(report.arrays[1].cells, [1; 6], "{schedule}");
        }
        // One of several blocks has nobody to wait for.
        let alone = runner.run_one(&grid[1]);
        assert_eq!(alone, Err(Failure::Device(DeviceError::NotCooperative)));
    }
}

#[test]
fn a_block_that_ends_leaves_the_others_waiting() {
    let text = "if blockIdx.x == 1 { skip } else { sync.grid }";
    let grid = Job::grid(&instance(text, by_warps(32, 3, 2)), &JobOptions::default());
    let reports = Runner::new(&mut Sim::new(Schedule::Random(5)))
        .run_grids(&[&grid.expect("jobs")])
        .remove(0)
        .expect("reports");
    let status = |report: &Report| report.status.clone();
    let waits = Status::Waits(Site(1));
    assert_eq!(
        reports.iter().map(status).collect::<Vec<_>>(),
        [waits.clone(), Status::Done, waits]
    );
}
