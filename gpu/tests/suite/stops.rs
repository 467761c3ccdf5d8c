//! How threads stop, and what that means for their block.

use super::image::{Program, Run, run_one};
use super::{barrier, constant, r, write_own};
use babycuda_core::CompareOp;
use babycuda_core::expr::Relation;
use babycuda_gpu::Backend;
use babycuda_gpu::bytecode::Instruction;

const HALTED: u32 = 0;
const AT_BARRIER: u32 = 1;
const OUT_OF_FUEL: u32 = 2;
const LOG_FULL: u32 = 3;
const OUT_OF_BOUNDS: u32 = 4;

/// `r6 := (tid < limit)`, with the registers 5 and 6.
fn is_below(limit: u64) -> [Instruction; 2] {
    let op = CompareOp::natural(Relation::Lt);
    [constant(5, limit), Instruction::Compare { op, to: r(6), left: r(0), right: r(5) }]
}

fn statuses(run: &Run) -> Vec<u32> {
    run.threads.iter().map(|thread| thread.status).collect()
}

pub fn a_thread_halts_with_the_fuel_left(backend: &mut dyn Backend) {
    let code = vec![Instruction::Jump { to: 2 }, Instruction::Halt, Instruction::Halt];
    let run = run_one(backend, &Program { fuel: 2, ..Program::new(code, 1, Vec::new()) });
    let thread = &run.threads[0];
    assert_eq!((thread.status, thread.pc, thread.fuel), (HALTED, 2, 0));
}

pub fn a_thread_without_fuel_stops_before_the_instruction(backend: &mut dyn Backend) {
    let code = vec![constant(5, 7), write_own(0, 5), Instruction::Halt];
    for fuel in 0..3 {
        let program = Program { fuel, ..Program::new(code.clone(), 1, vec![vec![0]]) };
        let run = run_one(backend, &program);
        let thread = &run.threads[0];
        assert_eq!((thread.status, thread.pc, thread.fuel), (OUT_OF_FUEL, fuel, 0));
        assert_eq!(run.arrays[0][0], if fuel < 2 { 0 } else { 7 });
    }
    // A loop that never ends, in some threads: the others wait at a barrier.
    let [below, compare] = is_below(3);
    let code = vec![
        below,
        compare,
        Instruction::Unless { condition: r(6), to: 4 },
        Instruction::Jump { to: 3 },
        barrier(0),
        Instruction::Halt,
    ];
    let run = run_one(backend, &Program { fuel: 5000, ..Program::new(code, 5, Vec::new()) });
    assert_eq!(statuses(&run), [2, 2, 2, AT_BARRIER, AT_BARRIER]);
    assert_eq!(run.threads[0].pc, 3);
    assert_eq!((run.threads[4].pc, run.threads[4].phase, run.threads[4].fuel), (4, 0, 4996));
}

pub fn a_full_log_stops_the_thread_before_the_access(backend: &mut dyn Backend) {
    let code = vec![
        constant(5, 7),
        write_own(0, 5),
        constant(5, 8),
        write_own(0, 5),
        constant(5, 9),
        write_own(0, 5),
        Instruction::Halt,
    ];
    for log in 0..4 {
        let program = Program { log, ..Program::new(code.clone(), 2, vec![vec![1; 2]]) };
        let run = run_one(backend, &program);
        let thread = &run.threads[1];
        let (status, pc) = if log < 3 { (LOG_FULL, 2 * log + 1) } else { (HALTED, 6) };
        assert_eq!((thread.status, thread.pc, thread.log.len()), (status, pc, log as usize));
        assert_eq!(run.arrays[0], [[1, 7, 8, 9][log as usize]; 2]);
        assert_eq!(thread.index, 0);
    }
}

pub fn a_full_log_stops_every_kind_of_access(backend: &mut dyn Backend) {
    let accesses = [
        Instruction::Read { to: r(6), array: 0, index: r(0) },
        Instruction::Write { array: 0, index: r(0), value: r(5) },
        Instruction::Atomic {
            op: babycuda_core::syntax::AtomicOp::Exch,
            to: r(6),
            array: 0,
            index: r(0),
            operand: r(5),
            expected: Instruction::NOTHING_EXPECTED,
        },
    ];
    for access in accesses {
        let code =
            vec![constant(5, 8), write_own(0, 0), access, write_own(1, 6), Instruction::Halt];
        let program = Program { log: 1, ..Program::new(code, 2, vec![vec![7; 2], vec![7; 2]]) };
        let run = run_one(backend, &program);
        assert_eq!(run.arrays, [[0, 1], [7, 7]], "{access:?}");
        for thread in &run.threads {
            // The access has paid its fuel.
            assert_eq!((thread.status, thread.pc, thread.fuel), (LOG_FULL, 2, 997), "{access:?}");
            assert_eq!(thread.log.len(), 1);
        }
    }
}

pub fn an_index_outside_its_array_stops_the_thread(backend: &mut dyn Backend) {
    for index in [3, 4, 1 << 31, 1 << 32, (1 << 32) + 1, u64::MAX] {
        for access in [
            Instruction::Read { to: r(6), array: 1, index: r(5) },
            Instruction::Write { array: 1, index: r(5), value: r(0) },
            Instruction::Atomic {
                op: babycuda_core::syntax::AtomicOp::Exch,
                to: r(6),
                array: 1,
                index: r(5),
                operand: r(0),
                expected: Instruction::NOTHING_EXPECTED,
            },
        ] {
            let code = vec![constant(5, index), access, Instruction::Halt];
            // No place in the log either: the index is looked at first.
            let arrays = vec![vec![8; 2], vec![9; 3], vec![10; 2]];
            let program = Program { log: 0, ..Program::new(code, 1, arrays.clone()) };
            let run = run_one(backend, &program);
            let thread = &run.threads[0];
            assert_eq!((thread.status, thread.pc, thread.index), (OUT_OF_BOUNDS, 1, index));
            assert_eq!((thread.fuel, thread.log.len()), (998, 0));
            assert_eq!(run.arrays, arrays);
        }
    }
}

pub fn a_fault_lets_the_others_run_to_their_next_stop(backend: &mut dyn Backend) {
    // The thread of the last cell is outside; the others reach the second barrier of three.
    let code = vec![
        barrier(0),
        write_own(0, 0),
        barrier(1),
        write_own(1, 0),
        barrier(2),
        Instruction::Halt,
    ];
    let run = run_one(backend, &Program::new(code, 4, vec![vec![9; 3], vec![9; 4]]));
    assert_eq!(statuses(&run), [AT_BARRIER, AT_BARRIER, AT_BARRIER, OUT_OF_BOUNDS]);
    assert_eq!(run.threads[3].index, 3);
    assert!(run.threads.iter().all(|thread| thread.phase == 1));
    assert_eq!(run.arrays, [vec![0, 1, 2], vec![9; 4]]);
}

pub fn threads_at_different_barriers_diverge(backend: &mut dyn Backend) {
    let [below, compare] = is_below(3);
    let code = vec![
        below,
        compare,
        Instruction::Unless { condition: r(6), to: 5 },
        barrier(4),
        Instruction::Jump { to: 6 },
        barrier(5),
        write_own(0, 5),
        Instruction::Halt,
    ];
    let run = run_one(backend, &Program::new(code, 5, vec![vec![0; 5]]));
    assert_eq!(statuses(&run), [AT_BARRIER; 5]);
    assert_eq!(run.threads.iter().map(|thread| thread.pc).collect::<Vec<_>>(), [3, 3, 3, 5, 5]);
    assert_eq!(run.arrays[0], [0; 5]);
}

pub fn a_barrier_that_some_threads_skip_diverges(backend: &mut dyn Backend) {
    for limit in [1, 31, 32, 69] {
        let [below, compare] = is_below(limit);
        let code = vec![
            below,
            compare,
            Instruction::Unless { condition: r(6), to: 5 },
            barrier(0),
            write_own(0, 5),
            Instruction::Halt,
        ];
        let run = run_one(backend, &Program::new(code, 70, vec![vec![0; 70]]));
        for (tid, thread) in (0..).zip(&run.threads) {
            let expected = if tid < limit { (AT_BARRIER, 3) } else { (HALTED, 5) };
            assert_eq!((thread.status, thread.pc), expected);
            assert_eq!(thread.phase, 0);
        }
        assert_eq!(run.arrays[0], [0; 70]);
    }
}

pub fn divergent_branches_meet_at_one_barrier(backend: &mut dyn Backend) {
    // Each thread goes round a loop as often as its number says before it comes to the barrier.
    let one = constant(5, 1);
    let next = Instruction::Machine {
        op: babycuda_core::MachineOp::Add,
        of: babycuda_core::IntType::U32,
        to: r(7),
        left: r(7),
        right: r(5),
    };
    let op = CompareOp::natural(Relation::Lt);
    let compare = Instruction::Compare { op, to: r(6), left: r(7), right: r(0) };
    let code = vec![
        one,
        compare,
        Instruction::Unless { condition: r(6), to: 5 },
        next,
        Instruction::Jump { to: 1 },
        barrier(3),
        write_own(0, 7),
        Instruction::Halt,
    ];
    let run = run_one(backend, &Program::new(code, 40, vec![vec![99; 40]]));
    assert_eq!(statuses(&run), [HALTED; 40]);
    assert!(run.arrays[0].iter().copied().eq(0..40));
    assert!(run.threads.iter().all(|thread| thread.phase == 1 && thread.log[0].phase == 1));
}

pub fn a_barrier_may_have_several_instructions(backend: &mut dyn Backend) {
    // The largest number that a barrier can have.
    let barrier = barrier(0x3fff_ffff);
    let code = vec![
        Instruction::Unless { condition: r(0), to: 3 },
        barrier,
        Instruction::Jump { to: 4 },
        barrier,
        write_own(0, 0),
        Instruction::Halt,
    ];
    let run = run_one(backend, &Program::new(code, 3, vec![vec![9; 3]]));
    assert_eq!(statuses(&run), [HALTED; 3]);
    assert_eq!(run.arrays, [[0, 1, 2]]);
    assert!(run.threads.iter().all(|thread| thread.phase == 1));
}
