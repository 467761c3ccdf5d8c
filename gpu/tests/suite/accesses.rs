//! Reads, writes, atomic updates, and their log.

use super::image::{Entry, Program, run, run_one};
use super::{EDGES, barrier, constant, pairs, r, read_own, write_own};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::AtomicOp;
use babycuda_core::{CompareOp, IntType};
use babycuda_gpu::Backend;
use babycuda_gpu::bytecode::{Instruction, Register, arithmetic};

fn atomic(
    op: AtomicOp,
    array: u32,
    index: Register,
    operand: usize,
    expected: usize,
) -> Instruction {
    let expected = if op == AtomicOp::Cas { r(expected) } else { Instruction::NOTHING_EXPECTED };
    Instruction::Atomic { op, to: r(8), array, index, operand: r(operand), expected }
}

pub fn every_access_is_logged_in_order(backend: &mut dyn Backend) {
    let code = vec![
        constant(5, 3),
        Instruction::Read { to: r(6), array: 1, index: r(5) },
        write_own(0, 6),
        barrier(7),
        atomic(AtomicOp::Add(None), 0, Register::TID, 5, 0),
        write_own(0, 5),
        Instruction::Halt,
    ];
    let program = Program::new(code, 2, vec![vec![0; 2], vec![0, 0, 0, u64::MAX - 3]]);
    let run = run_one(backend, &program);
    for (tid, thread) in (0..).zip(&run.threads) {
        let entry = |pc, phase, index, value| Entry { pc, phase, index, value };
        assert_eq!(
            thread.log,
            [
                entry(1, 0, 3, u64::MAX - 3),
                entry(2, 0, tid, u64::MAX - 3),
                entry(4, 1, tid, u64::MAX - 3),
                entry(5, 1, tid, 3),
            ]
        );
        assert_eq!((thread.status, thread.pc, thread.phase), (0, 6, 1));
    }
    assert_eq!(run.arrays[0], [3, 3]);
}

/// All atomic operators, on all types that they can have.
fn atomic_operators() -> Vec<AtomicOp> {
    let mut operators = vec![
        AtomicOp::Exch,
        AtomicOp::Inc,
        AtomicOp::Dec,
        AtomicOp::Cas,
        AtomicOp::Opaque,
        AtomicOp::Add(None),
        AtomicOp::Sub(None),
        AtomicOp::Min(None),
        AtomicOp::Max(None),
    ];
    for t in IntType::ALL {
        operators.extend([AtomicOp::And(t), AtomicOp::Or(t), AtomicOp::Xor(t)]);
        let t = Some(t);
        operators.extend([AtomicOp::Add(t), AtomicOp::Sub(t), AtomicOp::Min(t), AtomicOp::Max(t)]);
    }
    operators
}

pub fn atomic_updates_are_those_of_the_calculus(backend: &mut dyn Backend) {
    let operators = atomic_operators();
    let [old, operand] = pairs();
    let threads = old.len() as u32;
    // Every other pair expects what it finds.
    let expected: Vec<_> = (0..)
        .zip(&old)
        .map(|(tid, old)| if tid % 2 == 0 { *old } else { EDGES[tid % 7] })
        .collect();
    let program = |op: &AtomicOp| {
        let code = vec![
            read_own(5, 1),
            read_own(6, 2),
            atomic(*op, 0, Register::TID, 5, 6),
            write_own(3, 8),
            Instruction::Halt,
        ];
        let arrays = vec![old.clone(), operand.clone(), expected.clone(), vec![5; old.len()]];
        Program { log: 4, ..Program::new(code, threads, arrays) }
    };
    let programs: Vec<_> = operators.iter().map(program).collect();
    for (op, run) in operators.iter().zip(run(backend, threads, &programs)) {
        assert_eq!(run.arrays[3], old, "{op:?} returns what the cell held");
        for (tid, thread) in run.threads.iter().enumerate() {
            let (value, overflow) = arithmetic::atomic(*op, old[tid], operand[tid], expected[tid]);
            let mark = if overflow { 3 } else { 0 };
            let place = format!("{op:?} {} {} {}", old[tid], operand[tid], expected[tid]);
            assert_eq!((run.arrays[0][tid], thread.overflow), (value, mark), "{place}");
            assert_eq!(thread.log[2].value, old[tid], "{place}");
        }
    }
}

pub fn atomic_updates_of_one_cell_follow_one_another(backend: &mut dyn Backend) {
    const ROUNDS: u64 = 20;
    const THREADS: u32 = 96;
    let code = vec![
        constant(5, 1),
        // Registers 6, and 9 with the number of rounds, are the loop's.
        constant(9, ROUNDS),
        constant(7, 0),
        atomic(AtomicOp::Add(None), 0, r(7), 5, 0),
        Instruction::Natural { op: ArithOp::Add, to: r(6), left: r(6), right: r(5) },
        Instruction::Natural { op: ArithOp::Sub, to: r(10), left: r(9), right: r(6) },
        Instruction::Unless { condition: r(10), to: 8 },
        Instruction::Jump { to: 3 },
        Instruction::Halt,
    ];
    let program = Program { log: 32, ..Program::new(code, THREADS, vec![vec![0]]) };
    for run in run(backend, THREADS, &vec![program; 3]) {
        let updates = ROUNDS * u64::from(THREADS);
        assert_eq!(run.arrays[0], [updates]);
        let mut seen: Vec<_> = run
            .threads
            .iter()
            .flat_map(|thread| thread.log.iter().map(|entry| entry.value))
            .collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..updates), "every value was seen by one update");
    }
}

pub fn threads_see_the_phases_before(backend: &mut dyn Backend) {
    const THREADS: u32 = 64;
    const PHASES: u64 = 12;
    // In every phase, thread t moves the cell of t + 1 to its own, alternating between arrays.
    let mut code = vec![
        constant(5, 1),
        constant(6, u64::from(THREADS)),
        Instruction::Natural { op: ArithOp::Add, to: r(7), left: r(0), right: r(5) },
        Instruction::Natural { op: ArithOp::Mod, to: r(7), left: r(7), right: r(6) },
    ];
    for phase in 0..PHASES as u32 {
        code.push(Instruction::Read { to: r(8), array: phase % 2, index: r(7) });
        code.push(write_own(1 - phase % 2, 8));
        code.push(barrier(phase));
    }
    code.push(Instruction::Halt);
    let start: Vec<u64> = (0..u64::from(THREADS)).map(|cell| cell << 33).collect();
    let program = Program { log: 32, ..Program::new(code, THREADS, vec![start.clone(), start]) };
    for run in run(backend, THREADS, &vec![program; 4]) {
        for (tid, thread) in (0..).zip(&run.threads) {
            assert_eq!((thread.status, thread.phase), (0, PHASES as u32));
            assert_eq!(run.arrays[0][tid as usize], ((tid + PHASES) % u64::from(THREADS)) << 33);
        }
    }
}

pub fn a_loop_over_a_barrier_is_a_phase_a_round(backend: &mut dyn Backend) {
    const THREADS: u64 = 64;
    const ROUNDS: u64 = 50;
    // Tokens go round: each thread takes its neighbour's, and then puts it into its own cell.
    let op = CompareOp::natural(Relation::Lt);
    let code = vec![
        constant(5, ROUNDS),
        constant(6, 1),
        constant(7, THREADS),
        Instruction::Natural { op: ArithOp::Add, to: r(8), left: r(0), right: r(6) },
        Instruction::Natural { op: ArithOp::Mod, to: r(8), left: r(8), right: r(7) },
        write_own(0, 0),
        Instruction::Compare { op, to: r(10), left: r(9), right: r(5) },
        Instruction::Unless { condition: r(10), to: 14 },
        barrier(3),
        Instruction::Read { to: r(11), array: 0, index: r(8) },
        barrier(5),
        write_own(0, 11),
        Instruction::Natural { op: ArithOp::Add, to: r(9), left: r(9), right: r(6) },
        Instruction::Jump { to: 6 },
        Instruction::Halt,
    ];
    let arrays = vec![vec![0; THREADS as usize]];
    let program = Program { log: 101, ..Program::new(code, THREADS as u32, arrays) };
    let run = run_one(backend, &program);
    for (tid, thread) in (0..).zip(&run.threads) {
        assert_eq!(run.arrays[0][tid as usize], (tid + ROUNDS) % THREADS);
        assert_eq!((thread.status, thread.pc, thread.phase), (0, 14, 2 * ROUNDS as u32));
        for (round, entries) in (0..).zip(thread.log[1..].chunks(2)) {
            let (neighbour, token) = ((tid + 1) % THREADS, (tid + 1 + round) % THREADS);
            let phase = 2 * round as u32 + 1;
            let read = Entry { pc: 9, phase, index: neighbour, value: token };
            let write = Entry { pc: 11, phase: phase + 1, index: tid, value: token };
            assert_eq!(entries, [read, write]);
        }
    }
}

pub fn racing_writes_leave_one_of_the_values(backend: &mut dyn Backend) {
    // Both halves of a value tell the thread, so a torn write would be seen.
    let code = vec![
        constant(5, 0x1_0000_0001),
        Instruction::Natural { op: ArithOp::Mul, to: r(5), left: r(5), right: r(0) },
        constant(6, 0),
        Instruction::Write { array: 0, index: r(6), value: r(5) },
        Instruction::Read { to: r(7), array: 0, index: r(6) },
        Instruction::Halt,
    ];
    let program = Program::new(code, 64, vec![vec![0]]);
    for run in run(backend, 64, &vec![program; 50]) {
        let values = run.threads.iter().map(|thread| thread.log[1].value).chain([run.arrays[0][0]]);
        for value in values {
            assert!(value >> 32 == value & 0xffff_ffff && value >> 32 < 64, "{value:#x}");
        }
    }
}
