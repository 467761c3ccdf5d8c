//! Jitter: racy programs run differently, race-free ones do not, and nothing else changes.

use super::agreement::{is_deterministic, random_jobs};
use super::image::{Program, run};
use super::{constant, r, write_own};
use babycuda_core::Launch;
use babycuda_core::expr::ArithOp;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::AtomicOp;
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::report::Status;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, Jitter, Job, JobOptions, Report, Runner};
use babycuda_semantics::Instance;
use std::collections::BTreeSet;

/// An instance of a program in `blocks` blocks of `threads` threads.
fn instance(text: &str, blocks: u32, threads: u32) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let grid = babycuda_core::Dim3::line(blocks);
    Instance::new(program, Launch { grid, ..Launch::threads(threads) })
}

fn options() -> JobOptions {
    JobOptions { fuel: 2000, log: 64, length: 32, ..JobOptions::default() }
}

/// The memories that a program leaves under 64 jitters.
fn memories(backend: &mut dyn Backend, text: &str, threads: u32) -> BTreeSet<Vec<u64>> {
    let job = Job::new(&instance(text, 1, threads), &options()).expect("a job");
    let jobs: Vec<Job> = (0..64).map(|n| job.clone().with_jitter(Jitter::seeded(n))).collect();
    let memory = |report: Report| {
        assert_eq!(report.status, Status::Done, "{text}");
        report.arrays.into_iter().flat_map(|array| array.cells).collect()
    };
    let reports = Runner::new(backend).run(&jobs);
    reports.into_iter().map(|report| memory(report.expect("a report"))).collect()
}

pub fn a_race_leaves_several_memories(backend: &mut dyn Backend) {
    for (text, threads, least) in [
        ("A[0] := tid", 2, 2),
        ("A[0] := tid", 8, 4),
        ("if tid == 0 { A[0] := 1 } else { let x = A[0] in A[1] := x }", 2, 2),
        ("let x = A[0] in A[0] := x + 1", 4, 3),
        ("let x = atomic A[0] add 1 in A[1 + x] := tid", 4, 4),
        ("A[tid] := 1; sync; A[2] := tid; sync; let x = A[2] in A[3 + tid] := x", 2, 2),
    ] {
        let all = memories(backend, text, threads);
        assert!(all.len() >= least, "{text}: {} memories", all.len());
    }
}

pub fn race_free_programs_do_the_same_under_every_jitter(backend: &mut dyn Backend) {
    const JITTERS: u32 = 6;
    let jobs = random_jobs(300);
    let plain = Runner::new(&mut Sim::new(Schedule::Random(7))).run(&jobs);
    let plain = plain.into_iter().map(|report| report.expect("a report"));
    let kept = jobs.into_iter().zip(plain).filter(|(_, plain)| is_deterministic(plain));
    let (jobs, plain): (Vec<Job>, Vec<Report>) = kept.unzip();
    assert!(jobs.len() > 250, "{}", jobs.len());
    let seeds = (0..jobs.len() as u32 * JITTERS).map(Jitter::seeded);
    let each = jobs.iter().flat_map(|job| std::iter::repeat_n(job, JITTERS as usize));
    let stirred: Vec<Job> = each.zip(seeds).map(|(job, j)| job.clone().with_jitter(j)).collect();
    let reports = Runner::new(backend).run(&stirred);
    for (number, report) in reports.into_iter().enumerate() {
        let (report, job) = (report.expect("a report"), &stirred[number]);
        assert_eq!(report, plain[number / JITTERS as usize], "{:?} {}", job.jitter(), job.code());
    }
}

/// The words of jitters of every kind.
pub fn words() -> Vec<[u32; 2]> {
    let kinds = [1, 2, 0x1_0000, 0x1_0001, 0x0300, 0x1_0403, 0x1_0002, 0x3_0000, 0x3_0301];
    let seeded = |number: usize| [number as u32 * 77, kinds[number % kinds.len()]];
    (0..3 * kinds.len()).map(seeded).collect()
}

pub fn every_thread_has_one_lane(backend: &mut dyn Backend) {
    let code = vec![
        constant(5, 1),
        Instruction::Natural { op: ArithOp::Add, to: r(6), left: r(0), right: r(5) },
        write_own(0, 6),
        Instruction::Halt,
    ];
    let most = backend.device().workgroup;
    for workgroup in [1, 2, 3, 5, 31, 32, 33, 60, 64, 100, 128] {
        if workgroup > most {
            continue;
        }
        let threads = (1..=workgroup).step_by(workgroup as usize / 4 + 1).chain([workgroup]);
        let program = |(threads, jitter): (u32, [u32; 2])| {
            let arrays = vec![vec![0; threads as usize]];
            Program { jitter, ..Program::new(code.clone(), threads, arrays) }
        };
        let placed = |n: u32| if n.is_multiple_of(2) { 0x1_0000 } else { 0x3_0000 };
        let seeds = (0..).map(|n: u32| [n.wrapping_mul(0x1234_5677), placed(n)]);
        let programs: Vec<Program> = threads.cycle().zip(seeds).take(40).map(program).collect();
        for (program, run) in programs.iter().zip(run(backend, workgroup, &programs)) {
            let threads = u64::from(program.threads());
            assert!(run.arrays[0].iter().copied().eq(1..=threads), "{workgroup} {program:?}");
            assert!(run.threads.iter().all(|thread| thread.log.len() == 1));
        }
    }
}

pub fn an_update_that_others_come_between_is_tried_again(backend: &mut dyn Backend) {
    const THREADS: u32 = 24;
    let update = |index| Instruction::Atomic {
        op: AtomicOp::Add(None),
        to: r(7),
        array: 0,
        index,
        operand: r(5),
        expected: Instruction::NOTHING_EXPECTED,
    };
    let code = vec![constant(5, 1), update(r(6)), update(r(6)), update(r(6)), Instruction::Halt];
    let program = |jitter| Program { jitter, ..Program::new(code.clone(), THREADS, vec![vec![0]]) };
    let programs: Vec<Program> = words().into_iter().map(program).collect();
    for (program, run) in programs.iter().zip(run(backend, THREADS, &programs)) {
        let updates = 3 * u64::from(THREADS);
        assert_eq!(run.arrays[0], [updates], "{:x?}", program.jitter);
        let entries = run.threads.iter().flat_map(|thread| &thread.log);
        let mut seen: Vec<u64> = entries.map(|entry| entry.value).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..updates), "every value was seen by one update");
    }
}

pub fn blocks_of_a_grid_share_global_cells_and_no_others(backend: &mut dyn Backend) {
    const BLOCKS: u32 = 6;
    let text = "global A = fill 0; global B = fill 0; shared S = fill 0; \
                let x = atomic A[0] add 1 in { \
                S[tid] := blockIdx.x; sync; \
                let y = S[1 - tid] in B[2 * blockIdx.x + tid] := y + 1 }";
    let jobs = Job::grid(&instance(text, BLOCKS, 2), &options()).expect("jobs");
    let jitters: Vec<Vec<Job>> = (0..8)
        .map(|seed| {
            let with = |(job, block): (&Job, u32)| {
                job.clone().with_jitter(Jitter { seed: 8 * seed + block, ..Jitter::seeded(seed) })
            };
            jobs.iter().zip(0..).map(with).collect()
        })
        .collect();
    let mut grids: Vec<&[Job]> = jitters.iter().map(Vec::as_slice).collect();
    grids.push(&jobs);
    // One that cannot run is alone in that.
    let large = [jobs[0].clone().with_jitter(Jitter::default())];
    grids.push(&large[..0]);
    let results = Runner::new(backend).run_grids(&grids);
    for (grid, reports) in grids.iter().zip(results) {
        let reports = reports.expect("reports");
        assert_eq!(reports.len(), grid.len());
        for (report, block) in reports.iter().zip(0u64..) {
            assert_eq!((&report.status, report.block.index), (&Status::Done, block));
            let cells = |name: &str| {
                let array = report.arrays.iter().find(|array| *array.name == *name);
                &array.expect("an array").cells[..12]
            };
            assert_eq!(cells("A")[0], 2 * u64::from(BLOCKS));
            let of_blocks: Vec<u64> = (0..12).map(|cell| cell / 2 + 1).collect();
            assert_eq!(cells("B"), of_blocks);
            assert_eq!(cells("S")[..3], [block, block, 0]);
        }
    }
}
