//! What every back end must do with images, by hand.

use super::images::{Program, Result, pack, pack_for, r, unpack};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::syntax::AtomicOp;
use babycuda_core::{CompareOp, IntType, MachineOp};
use babycuda_gpu::bytecode::{Instruction, Register, arithmetic};
use babycuda_gpu::{Backend, DeviceError, Image};

const HALTED: u32 = 0;
const AT_BARRIER: u32 = 1;
const OUT_OF_FUEL: u32 = 2;
const LOG_FULL: u32 = 3;
const OUTSIDE: u32 = 4;

/// Operands where arithmetic has its corners.
const EDGES: [u64; 15] = [
    0,
    1,
    2,
    5,
    63,
    0x7f,
    0x80,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

fn run(backend: &mut dyn Backend, programs: &[Program]) -> Vec<Result> {
    unpack(programs, &backend.launch(&pack(programs)).expect("the launch succeeds"))
}

fn run_one(backend: &mut dyn Backend, program: Program) -> Result {
    run(backend, &[program]).remove(0)
}

fn constant(to: usize, value: u64) -> Instruction {
    Instruction::Const { to: r(to), value }
}

fn read(to: usize, array: u32, index: usize) -> Instruction {
    Instruction::Read { to: r(to), array, index: r(index) }
}

fn write(array: u32, index: usize, value: usize) -> Instruction {
    Instruction::Write { array, index: r(index), value: r(value) }
}

fn natural(op: ArithOp, to: usize, left: usize, right: usize) -> Instruction {
    Instruction::Natural { op, to: r(to), left: r(left), right: r(right) }
}

fn update(op: AtomicOp, to: usize, index: usize, operand: usize) -> Instruction {
    let expected = Instruction::NOTHING_EXPECTED;
    Instruction::Atomic { op, to: r(to), array: 0, index: r(index), operand: r(operand), expected }
}

/// `r12 := r10 op r11`, and what that is for two operands, with the mark of an overflow.
type Operation = (Instruction, Box<dyn Fn(u64, u64) -> (u64, bool)>);

fn operations() -> Vec<Operation> {
    let (to, left, right) = (r(12), r(10), r(11));
    let mut all: Vec<Operation> = Vec::new();
    for op in ArithOp::ALL {
        let instruction = Instruction::Natural { op, to, left, right };
        all.push((instruction, Box::new(move |l, r| arithmetic::natural(op, l, r))));
    }
    for of in IntType::ALL {
        for op in MachineOp::ALL {
            let instruction = Instruction::Machine { op, of, to, left, right };
            all.push((instruction, Box::new(move |l, r| (op.apply(of, l, r), false))));
        }
        for target in IntType::ALL {
            let instruction = Instruction::Cast { source: of, target, to, from: left };
            all.push((instruction, Box::new(move |l, _| (of.convert(l, target), false))));
        }
    }
    for machine in IntType::ALL.map(Some).into_iter().chain([None]) {
        for relation in Relation::ALL {
            let op = CompareOp { relation, machine };
            let instruction = Instruction::Compare { op, to, left, right };
            let holds = move |l, r| (u64::from(arithmetic::compare(op, l, r)), false);
            all.push((instruction, Box::new(holds)));
        }
    }
    for op in BoolOp::ALL {
        let instruction = Instruction::Connective { op, to, left, right };
        let holds = move |l, r| (u64::from(arithmetic::connective(op, l, r)), false);
        all.push((instruction, Box::new(holds)));
    }
    all.push((Instruction::Not { to, from: left }, Box::new(|l, _| ((l == 0).into(), false))));
    all.push((Instruction::Move { to, from: right }, Box::new(|_, r| (r, false))));
    let select = Instruction::Select { to, condition: left, then: right, otherwise: left };
    all.push((select, Box::new(|l, r| (if l != 0 { r } else { l }, false))));
    all
}

fn pairs() -> Vec<(u64, u64)> {
    EDGES.iter().flat_map(|l| EDGES.iter().map(|r| (*l, *r))).collect()
}

/// Every operation on registers, on every pair of edges, one thread a pair.
pub fn operations_compute_what_the_calculus_says(backend: &mut dyn Backend) {
    let pairs = pairs();
    let (lefts, rights): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
    let operations = operations();
    let program = |(instruction, _): &Operation| {
        let code =
            vec![read(10, 0, 0), read(11, 1, 0), *instruction, write(2, 0, 12), Instruction::Halt];
        let arrays = vec![lefts.clone(), rights.clone(), vec![0; pairs.len()]];
        Program { capacity: 3, ..Program::new(pairs.len() as u32, code, arrays) }
    };
    let programs: Vec<_> = operations.iter().map(program).collect();
    for ((instruction, meaning), result) in operations.iter().zip(run(backend, &programs)) {
        for (tid, (left, right)) in pairs.iter().enumerate() {
            let (value, overflow) = meaning(*left, *right);
            let place = format!("{instruction:?} on {left:#x}, {right:#x}");
            assert_eq!(result.arrays[2][tid], value, "{place}");
            let thread = &result.threads[tid];
            assert_eq!(thread.overflow, if overflow { 3 } else { 0 }, "{place}");
            let index = tid as u64;
            let log = [[0, 0, index, *left], [1, 0, index, *right], [3, 0, index, value]];
            assert_eq!(thread.log, log, "{place}");
            assert_eq!((thread.status, thread.pc), (HALTED, 4), "{place}");
        }
    }
}

fn atomic_operators() -> Vec<AtomicOp> {
    let mut all = Vec::new();
    for t in IntType::ALL.map(Some).into_iter().chain([None]) {
        all.extend([AtomicOp::Add(t), AtomicOp::Sub(t), AtomicOp::Min(t), AtomicOp::Max(t)]);
    }
    for t in IntType::ALL {
        all.extend([AtomicOp::And(t), AtomicOp::Or(t), AtomicOp::Xor(t)]);
    }
    let untyped = [AtomicOp::Exch, AtomicOp::Inc, AtomicOp::Dec, AtomicOp::Cas, AtomicOp::Opaque];
    all.extend(untyped);
    all
}

/// Every atomic operator, on every pair of edges; `cas` expects what is there in every other cell.
pub fn atomic_updates_compute_what_the_calculus_says(backend: &mut dyn Backend) {
    let pairs = pairs();
    let (olds, operands): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
    let expected: Vec<u64> =
        pairs.iter().enumerate().map(|(i, (old, m))| if i % 2 == 0 { *old } else { *m }).collect();
    let program = |op: &AtomicOp| {
        let (index, operand) = (Register::TID, r(10));
        let expected_register =
            if *op == AtomicOp::Cas { r(11) } else { Instruction::NOTHING_EXPECTED };
        let to = r(12);
        let atomic = Instruction::Atomic {
            op: *op,
            to,
            array: 0,
            index,
            operand,
            expected: expected_register,
        };
        let code = vec![read(10, 1, 0), read(11, 2, 0), atomic, write(3, 0, 12), Instruction::Halt];
        let arrays = vec![olds.clone(), operands.clone(), expected.clone(), vec![0; pairs.len()]];
        Program::new(pairs.len() as u32, code, arrays)
    };
    let operators = atomic_operators();
    let programs: Vec<_> = operators.iter().map(program).collect();
    for (op, result) in operators.iter().zip(run(backend, &programs)) {
        assert_eq!(result.arrays[3], olds, "{op:?}: the values before");
        for (tid, (old, operand)) in pairs.iter().enumerate() {
            let (value, overflow) = arithmetic::atomic(*op, *old, *operand, expected[tid]);
            let place = format!("{op:?} on {old:#x}, {operand:#x}, {:#x}", expected[tid]);
            assert_eq!(result.arrays[0][tid], value, "{place}");
            assert_eq!(result.threads[tid].overflow, if overflow { 3 } else { 0 }, "{place}");
            assert_eq!(result.threads[tid].log[2], [2, 0, tid as u64, *old], "{place}");
        }
    }
}

/// Registers hold the thread's place, the inputs, and zeros.
pub fn registers_start_as_the_contract_says(backend: &mut dyn Backend) {
    let registers: Vec<usize> = (0..128).collect();
    // A[tid * 120 + i] := register i; the last ones serve to compute the index.
    let shown = 120;
    let mut code = vec![constant(127, shown), natural(ArithOp::Mul, 126, 0, 127), constant(125, 1)];
    for register in &registers[..shown as usize] {
        code.extend([write(0, 126, *register), natural(ArithOp::Add, 126, 126, 125)]);
    }
    code.push(Instruction::Halt);
    let block = [3, 4, 2];
    let inputs = vec![u64::MAX, 7, 1 << 40];
    let arrays = vec![vec![u64::MAX; 24 * shown as usize]];
    let program = Program { block, inputs, capacity: 200, ..Program::new(24, code, arrays) };
    let result = run_one(backend, program);
    for (tid, shown) in (0..).zip(result.arrays[0].chunks(shown as usize)) {
        let mut expected = vec![0; shown.len()];
        let place = [tid, tid % 3, tid / 3 % 4, tid / 12];
        expected[..7].copy_from_slice(&[&place[..], &[u64::MAX, 7, 1 << 40]].concat());
        assert_eq!(shown, expected, "thread {tid}");
    }
}

/// The last register that can hold an input does.
pub fn as_many_inputs_as_there_are_registers(backend: &mut dyn Backend) {
    let inputs: Vec<u64> = (1..=124).collect();
    let code = vec![write(0, 0, 127), Instruction::Halt];
    let program = Program { inputs, ..Program::new(1, code, vec![vec![0]]) };
    assert_eq!(run_one(backend, program).arrays, [[124]]);
}

/// `A[tid] := 1 + … + tid`, by a loop.
pub fn loops_count(backend: &mut dyn Backend) {
    let code = vec![
        constant(6, 1),
        // 1: while r7 < tid
        Instruction::Compare {
            op: CompareOp::natural(Relation::Lt),
            to: r(8),
            left: r(7),
            right: r(0),
        },
        Instruction::Unless { condition: r(8), to: 6 },
        natural(ArithOp::Add, 7, 7, 6),
        natural(ArithOp::Add, 9, 9, 7),
        Instruction::Jump { to: 1 },
        // 6:
        write(0, 0, 9),
        Instruction::Halt,
    ];
    let result = run_one(backend, Program::new(100, code, vec![vec![0; 100]]));
    for (tid, thread) in (0..).zip(&result.threads) {
        assert_eq!(result.arrays[0][tid as usize], tid * (tid + 1) / 2);
        // One for the constant, five an iteration, two for its end, two for the rest.
        assert_eq!(u64::from(thread.fuel), 10_000 - 5 * tid - 5);
    }
}

/// A thread without fuel stops before the instruction, and keeps what it did.
pub fn fuel_runs_out(backend: &mut dyn Backend) {
    let code = vec![write(0, 0, 0), Instruction::Jump { to: 0 }, Instruction::Halt];
    for (fuel, pc, writes) in [(0, 0, 0), (1, 1, 1), (2, 0, 1), (5, 1, 3)] {
        let program = Program { fuel, ..Program::new(2, code.clone(), vec![vec![9; 2]]) };
        let result = run_one(backend, program);
        for thread in &result.threads {
            assert_eq!((thread.status, thread.pc, thread.fuel), (OUT_OF_FUEL, pc, 0));
            assert_eq!(thread.log.len(), writes);
        }
        assert_eq!(result.arrays[0], if writes == 0 { [9, 9] } else { [0, 1] });
    }
}

/// A full log stops a thread before the access that has no place.
pub fn logs_fill_up(backend: &mut dyn Backend) {
    let accesses = [read(9, 0, 0), write(0, 0, 8), update(AtomicOp::Exch, 9, 0, 8)];
    for access in accesses {
        let code = vec![constant(8, 5), write(0, 0, 0), access, write(1, 0, 9), Instruction::Halt];
        let arrays = vec![vec![7; 2], vec![7; 2]];
        let program = Program { capacity: 1, ..Program::new(2, code, arrays) };
        let result = run_one(backend, program);
        assert_eq!(result.arrays, [[0, 1], [7, 7]], "{access:?}");
        for (tid, thread) in (0..).zip(&result.threads) {
            assert_eq!((thread.status, thread.pc, thread.fuel), (LOG_FULL, 2, 9_997));
            assert_eq!(thread.log, [[1, 0, tid, tid]]);
        }
    }
    let code = vec![write(0, 0, 0), Instruction::Halt];
    let program = Program { capacity: 0, ..Program::new(1, code, vec![vec![3]]) };
    let result = run_one(backend, program);
    assert_eq!((result.threads[0].status, result.threads[0].pc), (LOG_FULL, 0));
    assert_eq!(result.arrays, [[3]]);
}

/// An index outside its array stops a thread before the access, whether the log has place or not.
pub fn indices_are_checked(backend: &mut dyn Backend) {
    let accesses = [read(9, 0, 8), write(0, 8, 8), update(AtomicOp::Exch, 9, 8, 8)];
    for access in accesses {
        for (index, capacity) in [(2, 1), (2, 0), (u64::MAX, 1), (1 << 32, 1), (0x7_0000_0001, 0)] {
            let code = vec![constant(8, index), access, Instruction::Halt];
            // Where cells of the second array would be hit, they must not be.
            let arrays = vec![vec![4; 2], vec![4; 2]];
            let program = Program { capacity, ..Program::new(1, code, arrays) };
            let result = run_one(backend, program);
            let thread = &result.threads[0];
            assert_eq!((thread.status, thread.pc, thread.fuel), (OUTSIDE, 1, 9_998));
            assert_eq!((thread.outside, thread.log.len()), (index, 0), "{access:?}");
            assert_eq!(result.arrays, [[4, 4], [4, 4]]);
        }
    }
    let empty = Program::new(1, vec![read(9, 0, 0), Instruction::Halt], vec![vec![]]);
    assert_eq!(run_one(backend, empty).threads[0].status, OUTSIDE);
}

/// Each thread passes a token to its neighbour, a phase a step: what is written before a barrier
/// is read after it.
pub fn phases_follow_each_other(backend: &mut dyn Backend) {
    let (threads, rounds) = (64u64, 50u64);
    let less = Instruction::Compare {
        op: CompareOp::natural(Relation::Lt),
        to: r(8),
        left: r(7),
        right: r(5),
    };
    let code = vec![
        constant(5, rounds),
        constant(6, 1),
        constant(10, threads),
        natural(ArithOp::Add, 11, 0, 6),
        natural(ArithOp::Mod, 11, 11, 10),
        write(0, 0, 0),
        // 6: while r7 < rounds
        less,
        Instruction::Unless { condition: r(8), to: 14 },
        Instruction::Sync { barrier: 3 },
        read(12, 0, 11),
        Instruction::Sync { barrier: 5 },
        write(0, 0, 12),
        natural(ArithOp::Add, 7, 7, 6),
        Instruction::Jump { to: 6 },
        Instruction::Halt,
    ];
    let arrays = vec![vec![0; threads as usize]];
    let result =
        run_one(backend, Program { capacity: 101, ..Program::new(threads as u32, code, arrays) });
    for (tid, thread) in (0..).zip(&result.threads) {
        assert_eq!(result.arrays[0][tid as usize], (tid + rounds) % threads);
        assert_eq!((thread.status, thread.pc), (HALTED, 14));
        assert_eq!(u64::from(thread.phase), 2 * rounds);
        for (round, entries) in (0..).zip(thread.log[1..].chunks(2)) {
            let (neighbour, token) = ((tid + 1) % threads, (tid + 1 + round) % threads);
            let read = [9, 2 * round + 1, neighbour, token];
            assert_eq!(entries, [read, [11, 2 * round + 2, tid, token]]);
        }
    }
}

/// Some threads at a barrier, others at another one or at the end: the block ends there.
pub fn divergence_ends_the_block(backend: &mut dyn Backend) {
    let diverging = |other| {
        vec![
            Instruction::Sync { barrier: 0 },
            Instruction::Unless { condition: r(0), to: 3 },
            Instruction::Sync { barrier: 1 },
            other,
            write(0, 0, 0),
            Instruction::Halt,
        ]
    };
    for (other, status) in
        [(Instruction::Halt, HALTED), (Instruction::Sync { barrier: 2 }, AT_BARRIER)]
    {
        let result = run_one(backend, Program::new(5, diverging(other), vec![vec![9; 5]]));
        assert_eq!(result.arrays, [[9; 5]]);
        for (tid, thread) in result.threads.iter().enumerate() {
            let stop = if tid == 0 { (status, 3) } else { (AT_BARRIER, 2) };
            assert_eq!((thread.status, thread.pc), stop);
            assert_eq!((thread.phase, thread.log.len()), (1, 0));
        }
    }
}

/// Two instructions of one barrier are the same stop.
pub fn a_barrier_may_have_two_instructions(backend: &mut dyn Backend) {
    let code = vec![
        Instruction::Unless { condition: r(0), to: 3 },
        Instruction::Sync { barrier: 0x7fff_ffff },
        Instruction::Jump { to: 4 },
        Instruction::Sync { barrier: 0x7fff_ffff },
        write(0, 0, 0),
        Instruction::Halt,
    ];
    let result = run_one(backend, Program::new(3, code, vec![vec![9; 3]]));
    assert_eq!(result.arrays, [[0, 1, 2]]);
    assert!(result.threads.iter().all(|thread| thread.phase == 1 && thread.status == HALTED));
}

/// A fault of one thread lets the others run to their next stop, and then ends the block.
pub fn a_fault_ends_the_block(backend: &mut dyn Backend) {
    let code = vec![
        write(0, 0, 0),
        Instruction::Sync { barrier: 0 },
        write(1, 0, 0),
        Instruction::Sync { barrier: 1 },
        write(0, 0, 0),
        Instruction::Halt,
    ];
    // The second array has a cell for all threads but the last.
    let arrays = vec![vec![9; 4], vec![9; 3]];
    let result = run_one(backend, Program::new(4, code, arrays));
    assert_eq!(result.arrays[1], [0, 1, 2]);
    for (tid, thread) in result.threads.iter().enumerate() {
        let stop = if tid == 3 { (OUTSIDE, 2, 3) } else { (AT_BARRIER, 3, 0) };
        assert_eq!((thread.status, thread.pc, thread.outside), stop);
        assert_eq!(thread.phase, 1);
    }
}

/// The first overflow is kept, over phases.
pub fn the_first_overflow_is_kept(backend: &mut dyn Backend) {
    let code = vec![
        constant(5, u64::MAX),
        natural(ArithOp::Sub, 6, 0, 5),
        Instruction::Unless { condition: r(0), to: 4 },
        natural(ArithOp::Add, 6, 5, 5),
        Instruction::Sync { barrier: 0 },
        natural(ArithOp::Mul, 6, 5, 5),
        Instruction::Halt,
    ];
    let result = run_one(backend, Program::new(3, code, vec![]));
    let marks: Vec<_> = result.threads.iter().map(|thread| thread.overflow).collect();
    assert_eq!(marks, [6, 4, 4]);
}

/// Programs of one launch have nothing to do with each other, whatever their sizes and ends.
pub fn many_programs_run_in_one_launch(backend: &mut dyn Backend) {
    let program = |number: u64| {
        let threads = (number % 37 + 1) as u32;
        let stop = match number % 4 {
            0 => Instruction::Halt,
            1 => Instruction::Jump { to: 0 },
            2 => read(9, 0, 5),
            _ => Instruction::Sync { barrier: 0 },
        };
        let code = vec![
            constant(5, 1000 * number),
            natural(ArithOp::Add, 6, 5, 0),
            write(0, 0, 6),
            Instruction::Unless { condition: r(0), to: 5 },
            stop,
            Instruction::Halt,
        ];
        let arrays = vec![vec![0; threads as usize]];
        Program { capacity: 2, fuel: 30, ..Program::new(threads, code, arrays) }
    };
    let programs: Vec<_> = (0..2000).map(program).collect();
    for (number, result) in (0..).zip(run(backend, &programs)) {
        for (tid, thread) in (0..).zip(&result.threads) {
            assert_eq!(result.arrays[0][tid as usize], 1000 * number + tid);
            let status = match number % 4 {
                _ if tid == 0 => HALTED,
                0 => HALTED,
                1 => LOG_FULL,
                2 => OUTSIDE,
                _ => AT_BARRIER,
            };
            // Index 0 is inside, where the program's number is 0.
            assert_eq!(thread.status, status, "program {number}, thread {tid}");
            let writes = if status == LOG_FULL { 2 } else { 1 };
            assert_eq!(thread.log, vec![[2, 0, tid, 1000 * number + tid]; writes]);
        }
    }
}

/// Threads of the workgroup that the program does not have take part in the barriers only.
pub fn workgroups_may_be_larger(backend: &mut dyn Backend) {
    let code = vec![
        write(0, 0, 0),
        Instruction::Sync { barrier: 0 },
        update(AtomicOp::Add(None), 9, 0, 0),
        Instruction::Halt,
    ];
    let largest = backend.device().workgroup.min(1024);
    for workgroup in [1, 3, 64, 65, largest] {
        let programs: Vec<_> = [1, 3, 64]
            .into_iter()
            .filter(|threads| *threads <= workgroup)
            .map(|threads| Program::new(threads, code.clone(), vec![vec![9; threads as usize]]))
            .collect();
        let output = backend.launch(&pack_for(workgroup, &programs)).expect("the launch succeeds");
        for (program, result) in programs.iter().zip(unpack(&programs, &output)) {
            let doubled: Vec<_> = (0..u64::from(program.block[0])).map(|tid| 2 * tid).collect();
            assert_eq!(result.arrays, [doubled], "workgroups of {workgroup}");
            assert!(result.threads.iter().all(|thread| thread.phase == 1));
        }
    }
}

/// The largest workgroup that the device is said to have is one that runs.
pub fn the_largest_workgroup_runs(backend: &mut dyn Backend) {
    let threads = backend.device().workgroup;
    let code = vec![
        write(0, 0, 0),
        Instruction::Sync { barrier: 0 },
        read(9, 0, 0),
        write(1, 0, 9),
        Instruction::Halt,
    ];
    let arrays = vec![vec![0; threads as usize], vec![0; threads as usize]];
    let program = Program { capacity: 3, ..Program::new(threads, code, arrays) };
    let result = run_one(backend, program);
    assert_eq!(result.arrays[1], (0..u64::from(threads)).collect::<Vec<_>>());
}

/// Updates of one cell by all threads of many workgroups: none is lost, none is seen twice.
pub fn contended_updates_are_atomic(backend: &mut dyn Backend) {
    let (groups, threads, rounds) = (16u64, 64u64, 50u64);
    let less = Instruction::Compare {
        op: CompareOp::natural(Relation::Lt),
        to: r(8),
        left: r(7),
        right: r(5),
    };
    let code = vec![
        constant(5, rounds),
        constant(6, 1),
        less,
        Instruction::Unless { condition: r(8), to: 7 },
        update(AtomicOp::Add(Some(IntType::U64)), 9, 10, 6),
        natural(ArithOp::Add, 7, 7, 6),
        Instruction::Jump { to: 2 },
        Instruction::Halt,
    ];
    let program = Program::new(threads as u32, code, vec![vec![0]]);
    let programs = vec![program; groups as usize];
    let mut image = pack(&programs);
    // All programs have the first one's array.
    image.arrays.chunks_mut(2).for_each(|array| array.copy_from_slice(&[0, 1]));
    let output = backend.launch(&image).expect("the launch succeeds");
    let results = unpack(&programs, &output);
    let total = groups * threads * rounds;
    assert_eq!(output.memory[0], total);
    let mut seen: Vec<u64> = results
        .iter()
        .flat_map(|result| &result.threads)
        .flat_map(|thread| &thread.log)
        .map(|entry| entry[3])
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..total).collect::<Vec<_>>());
}

/// An image without programs changes nothing.
pub fn an_empty_image_runs(backend: &mut dyn Backend) {
    let image = Image { memory: vec![1, 2], workgroup: 8, ..Image::default() };
    let output = backend.launch(&image).expect("the launch succeeds");
    assert_eq!((output.memory, output.log, output.threads), (vec![1, 2], vec![], vec![]));
}

/// What cannot run is an error of its own kind, and the device runs the next image.
pub fn refusals_leave_the_device_usable(backend: &mut dyn Backend) {
    let good = Program::new(2, vec![write(0, 0, 0), Instruction::Halt], vec![vec![9; 2]]);
    let image = pack(std::slice::from_ref(&good));

    let mut bad = image.clone();
    bad.code[0] = 99;
    assert!(matches!(backend.launch(&bad), Err(DeviceError::BadImage(_))));
    let mut bad = image.clone();
    bad.arrays[1] = 3;
    assert!(matches!(backend.launch(&bad), Err(DeviceError::BadImage(_))));

    for log_entries in [1 << 40, usize::MAX] {
        let large = Image { log_entries, ..image.clone() };
        let error = backend.launch(&large).unwrap_err();
        assert!(matches!(error, DeviceError::TooLarge { .. }), "{error}");
    }
    for workgroup in [backend.device().workgroup + 1, u32::MAX] {
        let wide = Image { workgroup, ..image.clone() };
        let error = backend.launch(&wide).unwrap_err();
        assert!(matches!(error, DeviceError::Call { .. }), "{error}");
    }
    assert_eq!(run_one(backend, good).arrays, [[0, 1]]);
}
