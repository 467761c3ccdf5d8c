//! Programs of one launch, beside each other and in each other's way.

use super::image::{Entry, Program, pack, run};
use super::{barrier, constant, r, write_own};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::AtomicOp;
use babycuda_core::{CompareOp, IntType};
use babycuda_gpu::Backend;
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::image::ENTRY_LONGS;

pub fn programs_of_one_launch_end_each_in_its_way(backend: &mut dyn Backend) {
    // All threads but the first of a program come to something else than its end.
    let program = |number: u64| {
        let threads = (number % 37 + 1) as u32;
        let (stop, status) = match number % 4 {
            0 => (Instruction::Halt, 0),
            1 => (barrier(0), 1),
            2 => (Instruction::Jump { to: 0 }, 3),
            _ => (Instruction::Read { to: r(7), array: 0, index: r(5) }, 4),
        };
        let code = vec![
            constant(5, 1000 * number),
            Instruction::Natural { op: ArithOp::Add, to: r(6), left: r(5), right: r(0) },
            write_own(0, 6),
            Instruction::Unless { condition: r(0), to: 5 },
            stop,
            Instruction::Halt,
        ];
        let arrays = vec![vec![0; threads as usize]];
        (Program { log: 2, fuel: 30, ..Program::new(code, threads, arrays) }, status)
    };
    let (programs, statuses): (Vec<_>, Vec<u32>) = (0..1000).map(program).unzip();
    for (number, run) in (0..).zip(run(backend, 37, &programs)) {
        for (tid, thread) in (0..).zip(&run.threads) {
            let value = 1000 * number + tid;
            let status = if tid == 0 { 0 } else { statuses[number as usize] };
            assert_eq!(run.arrays[0][tid as usize], value);
            assert_eq!(thread.status, status, "program {number}, thread {tid}");
            let entry = Entry { pc: 2, phase: 0, index: tid, value };
            assert_eq!(thread.log, vec![entry; if status == 3 { 2 } else { 1 }]);
        }
    }
}

pub fn updates_by_different_workgroups_follow_one_another(backend: &mut dyn Backend) {
    const GROUPS: u64 = 16;
    const THREADS: u64 = 64;
    const ROUNDS: u64 = 50;
    let op = CompareOp::natural(Relation::Lt);
    let update = Instruction::Atomic {
        op: AtomicOp::Add(Some(IntType::U64)),
        to: r(8),
        array: 0,
        index: r(9),
        operand: r(6),
        expected: Instruction::NOTHING_EXPECTED,
    };
    let code = vec![
        constant(5, ROUNDS),
        constant(6, 1),
        Instruction::Compare { op, to: r(10), left: r(7), right: r(5) },
        Instruction::Unless { condition: r(10), to: 7 },
        update,
        Instruction::Natural { op: ArithOp::Add, to: r(7), left: r(7), right: r(6) },
        Instruction::Jump { to: 2 },
        Instruction::Halt,
    ];
    let log = ROUNDS as u32;
    let program = Program { log, ..Program::new(code, THREADS as u32, vec![vec![0]]) };
    let mut image = pack(THREADS as u32, &vec![program; GROUPS as usize]);
    // All of them have the array of the first.
    image.arrays.chunks_mut(2).for_each(|array| array[0] = 0);
    let output = backend.launch(&image).expect("the device runs the image");
    let updates = GROUPS * THREADS * ROUNDS;
    assert_eq!(output.memory[0], updates);
    // The log is as long as there were updates, so every entry was written.
    let mut seen: Vec<u64> = output.log.chunks(ENTRY_LONGS).map(|entry| entry[2]).collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..updates), "every value was seen by one update");
}
