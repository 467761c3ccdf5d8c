//! Programs of several blocks run as whole grids, and are judged as the one block that they are.

use crate::backends::{opened, run};
use babycuda_campaign::Plan as Programs;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Launch, Site};
use babycuda_gpu::report::{Passed, Status};
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, BackendName, Device, DeviceError, Image, Output};
use babycuda_semantics::grid::{cross_block_races, run as run_blocks};
use babycuda_semantics::{Outcome, Policy, RunOptions};
use babycuda_validation::campaign::Plan;
use babycuda_validation::minimise::runs_on;
use babycuda_validation::{Exclusion, Trial, Verdict, case, validate};

fn trial(text: &str) -> Trial {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Trial::new(&program).unwrap_or_else(|why| panic!("{text}: {why}"))
}

/// What claims say of so many runs.
fn verdicts(trial: &Trial, runs: usize) -> Vec<Verdict> {
    let mut sim = Sim::new(Schedule::Random(3));
    let reports = runs_on(&mut sim, 1, runs)(trial);
    let judged = |report: Result<_, _>| validate(&trial.reference, &report.expect("a report"));
    reports.into_iter().map(judged).collect()
}

#[test]
fn the_reports_of_blocks_are_one() {
    let trial = trial(
        "grid 2; threads 2; global A[4] = fill 0; shared S[2] = fill 0;
         S[tid] := 2 * blockIdx.x + tid + 1; sync;
         let x = S[1 - tid] in A[2 * blockIdx.x + tid] := x; sync.grid;
         let y = A[3 - (2 * blockIdx.x + tid)] in S[tid] := y",
    );
    assert!(trial.waits() && !trial.reference.class().racy);
    let reports = runs_on(&mut Sim::new(Schedule::RoundRobin), 1, 3)(&trial);
    for report in reports {
        let report = report.expect("a report");
        assert_eq!((&report.status, report.last_phase), (&Status::Done, 1));
        assert_eq!(report.block.launch, Launch { warp: 2, ..Launch::threads(4) });
        let cells: Vec<&[u64]> = report.arrays.iter().map(|array| &array.cells[..]).collect();
        // Of S, the cells of block 0 are the first and the third.
        let expected: [&[u64]; 2] = match report.arrays[0].name.as_str() {
            "A" => [&[2, 1, 4, 3], &[3, 1, 4, 2]],
            _ => [&[3, 1, 4, 2], &[2, 1, 4, 3]],
        };
        assert_eq!(cells, expected);
        let passed = Passed { phase: 0, site: Site(1), scope: BarrierScope::Warp, after: 1 };
        for (number, thread) in report.threads.iter().enumerate() {
            assert_eq!(thread.passed, [passed]);
            let log: Vec<(u32, u64)> = thread.log.iter().map(|e| (e.phase, e.index)).collect();
            let (block, tid) = (number as u64 / 2, number as u64 % 2);
            let (other, own) = (2 * (1 - tid) + block, 2 * tid + block);
            let global = 2 * block + tid;
            assert_eq!(log, [(0, own), (0, other), (0, global), (1, 3 - global), (1, own)]);
        }
        assert_eq!(validate(&trial.reference, &report).failure(BackendName::Sim), None);
    }
}

#[test]
fn blocks_race_whatever_their_phases() {
    let text = "grid 2; threads 2; global A[1] = fill 0;
        if tid == 0 && blockIdx.x == 0 {A[0] := 1} else {skip}; BARRIER;
        if tid == 0 && blockIdx.x == 1 {A[0] := 2} else {skip}";
    let apart = trial(&text.replace("BARRIER", "sync"));
    assert!(apart.reference.class().racy && apart.races_between_blocks() && !apart.waits());
    let ordered = trial(&text.replace("BARRIER", "sync.grid"));
    assert!(!ordered.reference.class().racy && !ordered.races_between_blocks() && ordered.waits());
    // A race of two threads of a block is none between blocks.
    let inside = trial("grid 2; threads 2; shared S[1] = fill 0; S[0] := tid");
    assert!(inside.reference.class().racy && !inside.races_between_blocks());
    for trial in [apart, ordered, inside] {
        for verdict in verdicts(&trial, 32) {
            assert_eq!(verdict.failure(BackendName::Sim), None);
        }
    }
}

#[test]
fn a_block_that_waits_for_one_that_does_not_come_diverges_from_it() {
    let trial = trial(
        "grid 2; threads 2; shared S[2] = fill 0;
         if blockIdx.x == 0 {sync.grid} else {S[tid] := 1}",
    );
    assert!(trial.reference.class().divergent);
    let mut sim = Sim::new(Schedule::Random(3));
    for report in runs_on(&mut sim, 1, 8)(&trial) {
        let report = report.expect("a report");
        assert!(matches!(report.status, Status::Divergence(_)), "{}", report.status);
        assert_eq!(validate(&trial.reference, &report).failure(BackendName::Sim), None);
    }
}

#[test]
fn what_is_no_block_of_all_threads_is_left_out() {
    let update = "grid 2; threads 2; global A[1] = fill 0;
        let x = atomic.block A[0] add 1 in skip";
    let why = |text: &str| Trial::new(&parse_program(text).expect("a program")).err();
    assert_eq!(why(update), Some(Exclusion::BlocksApart));
    assert_eq!(why(&update.replace("global", "shared")), None);
    assert_eq!(why(&update.replace("grid 2", "grid 1")), None);
}

/// The one block races where blocks do that run one by one, each from what the host stored: in a phase
/// of one of them, or between two.
#[test]
fn the_one_block_is_racy_where_the_blocks_are() {
    let (mut between, mut inside, mut free) = (0, 0, 0);
    for number in (0..6_000).filter(|number| case::is_grid(*number)) {
        let program = case::generate(3, number);
        let Ok(trial) = Trial::new(&program) else { continue };
        if trial.blocks.len() == 1 || trial.waits() || trial.reference.class().atomics {
            continue;
        }
        let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
        let blocks = case::instance(&program).expect("a launch");
        let outcomes = run_blocks(&blocks, &options).expect("few threads");
        if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Stuck { .. })) {
            continue;
        }
        let histories = || outcomes.iter().map(Outcome::history);
        let of_one = histories().any(|history| !history.is_drf());
        let of_two = cross_block_races(&program, histories()).next().is_some();
        let (one, racy) = (trial.reference.class().racy, of_one || of_two);
        assert_eq!(one, racy, "program {number}: {program}");
        assert!(!of_two || of_one || trial.races_between_blocks(), "program {number}: {program}");
        between += u32::from(of_two);
        inside += u32::from(of_one);
        free += u32::from(!racy);
    }
    println!("{between} race between blocks, {inside} in one, {free} do not");
    assert!(between > 50 && inside > 50 && free > 50, "{between} {inside} {free}");
}

/// A device whose blocks do not wait for each other.
struct Apart(Sim, Device);

impl Backend for Apart {
    fn device(&self) -> &Device {
        &self.1
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        self.0.launch(image)
    }
}

#[test]
fn devices_whose_blocks_do_not_wait_get_no_such_programs() {
    let open = || {
        let sim = Sim::new(Schedule::Random(1));
        let device = Device { cooperative: false, ..sim.device().clone() };
        Ok(Box::new(Apart(sim, device)) as Box<dyn Backend>)
    };
    let plan = Plan { programs: Programs::of(400), runs: 1, racy_runs: 2, ..Plan::of(0) };
    let tally = run(&plan, open).expect("it is there").tally;
    assert!(tally.excluded.get(&Exclusion::NotCooperative) > 0, "{tally}");
    assert!(tally.grids.compared > 0 && tally.grids.waiting == 0, "{tally}");
    let waiting = run(&plan, || opened(BackendName::Sim)).expect("it is there").tally;
    assert_eq!(waiting.grids.waiting, tally.excluded.get(&Exclusion::NotCooperative), "{waiting}");
}
