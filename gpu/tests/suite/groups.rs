//! Barriers of tiles, warps and grids.

use super::image::{Program, Run, pack, run};
use super::{barrier, constant, r, read_own, write_own};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{CompareOp, Dim3, Launch, Thread};
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::{Backend, BackendName, DeviceError};

const HALTED: u32 = 0;
const BARRIER: u32 = 1;
const LOG_FULL: u32 = 3;
const OUTSIDE: u32 = 4;

fn sync(scope: BarrierScope, barrier: u32) -> Instruction {
    Instruction::Sync { scope, barrier }
}

fn statuses(run: &Run) -> Vec<u32> {
    run.threads.iter().map(|thread| thread.status).collect()
}

/// `r to := r0 sub value`, with `value` in the register before.
fn of_thread(op: ArithOp, to: usize, value: u64) -> [Instruction; 2] {
    let (left, right) = (r(0), r(to - 1));
    [constant(to - 1, value), Instruction::Natural { op, to: r(to), left, right }]
}

/// Under no jitter, and under some that place threads and let them wait.
fn stirred(program: &Program) -> Vec<Program> {
    let jitters = [[0, 0], [5, 0x1_0000], [6, 1], [7, 0x1_0002], [8, 0x0303]];
    jitters.into_iter().map(|jitter| Program { jitter, ..program.clone() }).collect()
}

fn for_each(backend: &mut dyn Backend, program: &Program, test: impl Fn(&Run, &Program)) {
    let programs = stirred(program);
    let workgroup = (2 * program.threads()).min(backend.device().workgroup);
    for (run, program) in run(backend, workgroup, &programs).iter().zip(&programs) {
        test(run, program);
    }
}

/// Each warp passes as many barriers as its number says; the last one goes on to where the block
/// never meets.
pub fn a_group_waits_for_all_its_threads_and_for_no_other(backend: &mut dyn Backend) {
    for (warp, threads) in [(4, 12), (2, 7), (3, 8), (32, 96), (1, 3)] {
        let less = CompareOp::natural(Relation::Lt);
        let one = Instruction::Natural { op: ArithOp::Add, to: r(8), left: r(8), right: r(7) };
        let code = [
            of_thread(ArithOp::Div, 6, warp.into()).to_vec(),
            vec![
                constant(7, 1),
                Instruction::Compare { op: less, to: r(9), left: r(8), right: r(6) },
                Instruction::Unless { condition: r(9), to: 8 },
                sync(BarrierScope::Warp, 0),
                one,
                Instruction::Jump { to: 3 },
                write_own(0, 8),
                Instruction::Halt,
            ],
        ];
        let arrays = vec![vec![99; threads as usize]];
        let program = Program { warp, ..Program::new(code.concat(), threads, arrays) };
        for_each(backend, &program, |run, program| {
            let context = format!("{warp} {threads} {:x?}", program.jitter);
            assert_eq!(statuses(run), vec![HALTED; threads as usize], "{context}");
            let warps: Vec<u64> = (0..threads).map(|t| u64::from(t / warp)).collect();
            assert_eq!(run.arrays[0], warps, "{context}");
            for (t, thread) in (0..threads).zip(&run.threads) {
                let passed: Vec<u32> = thread.log.iter().map(|entry| entry.pc).collect();
                let rounds = (t / warp) as usize;
                assert_eq!(passed, [vec![5; rounds], vec![8]].concat(), "{context}");
                assert!(thread.phase == 0 && thread.log.iter().all(|entry| entry.phase == 0));
            }
        });
    }
}

/// Each thread leaves its number; after the barrier those of its group, and of no other thread for
/// sure, are what the one before them left: the first thread of the group comes late.
pub fn groups_are_those_of_the_launch(backend: &mut dyn Backend) {
    let scopes =
        [BarrierScope::Warp, BarrierScope::Tile(1), BarrierScope::Tile(2), BarrierScope::Tile(8)];
    for (warp, block) in [(4, [11, 1, 1]), (3, [5, 2, 1]), (32, [20, 2, 1]), (16, [33, 1, 1])] {
        let launch = Launch {
            warp,
            ..Launch::new(Dim3::line(1), Dim3 { x: block[0], y: block[1], z: block[2] })
        };
        let threads = launch.block.count() as u32;
        for scope in scopes {
            // All but the threads of the group of `waits` wait for somebody who halts.
            let group = |t: u32| launch.group(scope, Thread { block: 0, index: t.into() });
            let ends = threads - 1;
            let code = vec![
                constant(5, ends.into()),
                Instruction::Compare {
                    op: CompareOp::natural(Relation::Eq),
                    to: r(6),
                    left: r(0),
                    right: r(5),
                },
                Instruction::Unless { condition: r(6), to: 4 },
                Instruction::Halt,
                sync(scope, 3),
                write_own(0, 0),
                Instruction::Halt,
            ];
            let arrays = vec![vec![99; threads as usize]];
            let program = Program { warp, block, ..Program::new(code, threads, arrays) };
            for_each(backend, &program, |run, program| {
                let apart = |t: u32| t != ends && group(t) == group(ends);
                let expected: Vec<u32> =
                    (0..threads).map(|t| if apart(t) { BARRIER } else { HALTED }).collect();
                let context = format!("{scope} of {warp}, {block:?} {:x?}", program.jitter);
                assert_eq!(statuses(run), expected, "{context}");
                for (t, thread) in (0..threads).zip(&run.threads) {
                    assert_eq!(thread.log.is_empty(), t == ends || apart(t), "{context}");
                }
            });
        }
    }
}

/// The first thread of each warp writes late, the others read it at once after the barrier.
pub fn a_group_sees_what_it_left_before_its_barrier(backend: &mut dyn Backend) {
    const THREADS: u32 = 64;
    for warp in [2, 4, 32, 64] {
        let equal = CompareOp::natural(Relation::Eq);
        let less = CompareOp::natural(Relation::Lt);
        let code = [
            of_thread(ArithOp::Div, 6, warp.into()).to_vec(),
            of_thread(ArithOp::Mod, 8, warp.into()).to_vec(),
            vec![
                // 4: the first thread of the warp counts to 50, and writes 7.
                constant(9, 0),
                Instruction::Compare { op: equal, to: r(10), left: r(8), right: r(9) },
                Instruction::Unless { condition: r(10), to: 14 },
                constant(11, 50),
                constant(12, 1),
                Instruction::Natural { op: ArithOp::Add, to: r(9), left: r(9), right: r(12) },
                Instruction::Compare { op: less, to: r(10), left: r(9), right: r(11) },
                Instruction::Unless { condition: r(10), to: 13 },
                Instruction::Jump { to: 9 },
                Instruction::Write { array: 0, index: r(6), value: r(11) },
                sync(BarrierScope::Warp, 1),
                Instruction::Read { to: r(13), array: 0, index: r(6) },
                write_own(1, 13),
                Instruction::Halt,
            ],
        ];
        let arrays = vec![vec![0; THREADS as usize], vec![0; THREADS as usize]];
        let program = Program { warp, ..Program::new(code.concat(), THREADS, arrays) };
        for_each(backend, &program, |run, program| {
            assert_eq!(run.arrays[1], [50; THREADS as usize], "{warp} {:x?}", program.jitter);
        });
    }
}

/// A thread of the first warp of two ends early; the others wait for it, and the second warp ends.
pub fn what_some_of_a_group_skip_diverges(backend: &mut dyn Backend) {
    let code = vec![
        Instruction::Unless { condition: r(0), to: 4 },
        sync(BarrierScope::Warp, 0),
        write_own(0, 0),
        barrier(1),
        Instruction::Halt,
    ];
    let program = Program { warp: 2, ..Program::new(code, 5, vec![vec![9; 5]]) };
    for_each(backend, &program, |run, _| {
        assert_eq!(statuses(run), [HALTED, BARRIER, BARRIER, BARRIER, BARRIER]);
        let places: Vec<u32> = run.threads.iter().map(|thread| thread.pc).collect();
        assert_eq!(places, [4, 1, 3, 3, 3]);
        assert_eq!(run.arrays, [[9, 9, 2, 3, 4]]);
    });
}

/// A thread outside its array keeps its warp from going on, and no other.
pub fn a_fault_stops_its_groups_alone(backend: &mut dyn Backend) {
    let code = vec![
        read_own(5, 1),
        sync(BarrierScope::Warp, 0),
        write_own(0, 0),
        barrier(1),
        Instruction::Halt,
    ];
    let arrays = vec![vec![9; 6], vec![0; 5]];
    let program = Program { warp: 2, ..Program::new(code, 6, arrays) };
    for_each(backend, &program, |run, _| {
        assert_eq!(statuses(run), [BARRIER, BARRIER, BARRIER, BARRIER, BARRIER, OUTSIDE]);
        let places: Vec<u32> = run.threads.iter().map(|thread| thread.pc).collect();
        assert_eq!(places, [3, 3, 3, 3, 1, 0]);
        assert_eq!(run.arrays[0], [0, 1, 2, 3, 9, 9]);
    });
}

pub fn a_barrier_of_a_group_takes_a_place_in_the_log(backend: &mut dyn Backend) {
    let tile = sync(BarrierScope::Tile(2), 0);
    let code = vec![write_own(0, 0), tile, tile, barrier(1), Instruction::Halt];
    for (log, places, phase) in [(1, 1, 0), (2, 2, 0), (3, 4, 1)] {
        let program = Program { log, ..Program::new(code.clone(), 3, vec![vec![9; 3]]) };
        for_each(backend, &program, |run, program| {
            let status = if phase == 0 { LOG_FULL } else { HALTED };
            assert_eq!(statuses(run), [status; 3], "{log} {:x?}", program.jitter);
            for thread in &run.threads {
                assert_eq!((thread.pc, thread.phase), (places, phase), "{log}");
                let entries: Vec<u32> = thread.log.iter().map(|entry| entry.pc).collect();
                assert_eq!(entries, (0..log).collect::<Vec<_>>());
                let passed = &thread.log[1..];
                assert!(passed.iter().all(|entry| (entry.index, entry.value) == (0, 0)));
            }
        });
    }
}

/// One block is a grid of its own; of several, the blocks wait for each other, or nothing runs.
pub fn barriers_of_a_grid_need_all_its_blocks(backend: &mut dyn Backend) {
    let code = vec![write_own(0, 0), sync(BarrierScope::Grid, 0), Instruction::Halt];
    let program = Program::new(code, 3, vec![vec![9; 3]]);
    for_each(backend, &program, |run, _| {
        assert_eq!(statuses(run), [HALTED; 3]);
        assert!(run.threads.iter().all(|thread| thread.phase == 1 && thread.log.len() == 1));
    });
    let mut image = pack(3, &[program.clone(), program]);
    let words = babycuda_gpu::image::PROGRAM_WORDS;
    image.programs[words - 1] = 2;
    image.programs[2 * words - 1] = 2;
    image.programs[2 * words - 2] = 1;
    match (backend.device().backend, backend.launch(&image)) {
        (BackendName::Sim, output) => {
            let threads = output.expect("it runs").threads;
            assert!(threads.chunks(8).all(|words| (words[0], words[4]) == (HALTED, 1)));
        }
        (_, output) => assert_eq!(output, Err(DeviceError::NotCooperative)),
    }
}
