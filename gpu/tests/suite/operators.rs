//! The instructions that compute.

use super::image::{Program, Run, run, run_one};
use super::{EDGES, constant, pairs, r, read_own, write_own};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::{CompareOp, IntType, MachineOp};
use babycuda_gpu::Backend;
use babycuda_gpu::bytecode::{Instruction, arithmetic};

/// Runs each instruction, which computes register 7 from 5 and 6, on all pairs of edges, one
/// thread a pair; `check` is given the instruction's number, the operands, the result and the mark.
fn on_pairs(
    backend: &mut dyn Backend,
    instructions: Vec<Instruction>,
    check: impl Fn(usize, u64, u64, u64, u32),
) {
    let [left, right] = pairs();
    let threads = left.len() as u32;
    let program = |instruction| {
        let code =
            vec![read_own(5, 0), read_own(6, 1), instruction, write_own(2, 7), Instruction::Halt];
        let arrays = vec![left.clone(), right.clone(), vec![0; left.len()]];
        Program { log: 3, ..Program::new(code, threads, arrays) }
    };
    let programs: Vec<_> = instructions.into_iter().map(program).collect();
    for (number, run) in run(backend, threads, &programs).iter().enumerate() {
        for (tid, thread) in run.threads.iter().enumerate() {
            assert_eq!(thread.status, 0);
            check(number, left[tid], right[tid], run.arrays[2][tid], thread.overflow);
        }
    }
}

pub fn numbers_have_the_operators_of_the_calculus(backend: &mut dyn Backend) {
    let instruction = |op| Instruction::Natural { op, to: r(7), left: r(5), right: r(6) };
    on_pairs(backend, ArithOp::ALL.map(instruction).to_vec(), |number, l, r, result, mark| {
        let op = ArithOp::ALL[number];
        let (value, overflow) = arithmetic::natural(op, l, r);
        // The operator is the instruction 2.
        assert_eq!((result, mark), (value, if overflow { 3 } else { 0 }), "{l} {op:?} {r}");
    });
}

pub fn machine_integers_have_the_operators_of_the_calculus(backend: &mut dyn Backend) {
    for of in IntType::ALL {
        let instruction = |op| Instruction::Machine { op, of, to: r(7), left: r(5), right: r(6) };
        let instructions = MachineOp::ALL.map(instruction).to_vec();
        on_pairs(backend, instructions, |number, l, r, result, mark| {
            let op = MachineOp::ALL[number];
            assert_eq!((result, mark), (op.apply(of, l, r), 0), "{op:?}.{of}({l}, {r})");
        });
    }
}

pub fn casts_are_those_of_the_calculus(backend: &mut dyn Backend) {
    let types: Vec<_> =
        IntType::ALL.into_iter().flat_map(|s| IntType::ALL.map(|t| (s, t))).collect();
    let casts = types.iter().map(|&(source, target)| Instruction::Cast {
        source,
        target,
        to: r(7),
        from: r(5),
    });
    on_pairs(backend, casts.collect(), |number, value, _, result, mark| {
        let (source, target) = types[number];
        let expected = source.convert(value, target);
        assert_eq!((result, mark), (expected, 0), "{source} {value} to {target}");
    });
}

pub fn comparisons_are_those_of_the_calculus(backend: &mut dyn Backend) {
    for machine in IntType::ALL.map(Some).into_iter().chain([None]) {
        let op = |relation| CompareOp { relation, machine };
        let instruction =
            |relation| Instruction::Compare { op: op(relation), to: r(7), left: r(5), right: r(6) };
        let instructions = Relation::ALL.map(instruction).to_vec();
        on_pairs(backend, instructions, |number, l, r, result, mark| {
            let op = op(Relation::ALL[number]);
            let expected = u64::from(arithmetic::compare(op, l, r));
            assert_eq!((result, mark), (expected, 0), "{l} {op} {r}");
        });
    }
}

pub fn conditions_have_their_operators(backend: &mut dyn Backend) {
    let code = vec![
        read_own(5, 0),
        read_own(6, 1),
        Instruction::Connective { op: BoolOp::And, to: r(7), left: r(5), right: r(6) },
        write_own(2, 7),
        Instruction::Connective { op: BoolOp::Or, to: r(7), left: r(5), right: r(6) },
        write_own(3, 7),
        Instruction::Not { to: r(7), from: r(5) },
        write_own(4, 7),
        constant(8, 30),
        constant(9, 40),
        Instruction::Select { to: r(7), condition: r(5), then: r(8), otherwise: r(9) },
        write_own(5, 7),
        Instruction::Halt,
    ];
    // Whatever is not 0 is true.
    let mut arrays = vec![vec![0, 0, 1, 1, u64::MAX, 2], vec![0, 1, 0, 1, 0, 1 << 63]];
    arrays.extend([const { Vec::new() }; 4].map(|_: Vec<u64>| vec![9; 6]));
    let Run { arrays, .. } = run_one(backend, &Program::new(code, 6, arrays));
    assert_eq!(arrays[2], [0, 0, 0, 1, 0, 1]);
    assert_eq!(arrays[3], [0, 1, 1, 1, 1, 1]);
    assert_eq!(arrays[4], [1, 1, 0, 0, 0, 0]);
    assert_eq!(arrays[5], [40, 40, 30, 30, 30, 30]);
}

pub fn constants_and_registers_hold_any_long(backend: &mut dyn Backend) {
    // Each edge goes through a chain of moves over all registers that nothing else uses.
    let mut code = Vec::new();
    let cells = EDGES.iter().enumerate().map(|(cell, edge)| {
        let moves = (10..128).map(|to| Instruction::Move { to: r(to), from: r(to - 1) });
        let store =
            [constant(5, cell as u64), Instruction::Write { array: 0, index: r(5), value: r(127) }];
        [constant(9, *edge)].into_iter().chain(moves).chain(store)
    });
    code.extend(cells.flatten());
    code.push(Instruction::Halt);
    let mut program = Program::new(code, 1, vec![vec![5; EDGES.len()]]);
    program.fuel = 10_000;
    program.log = 100;
    assert_eq!(run_one(backend, &program).arrays[0], EDGES);
}

pub fn the_first_overflow_is_kept(backend: &mut dyn Backend) {
    let add = Instruction::Natural { op: ArithOp::Add, to: r(6), left: r(5), right: r(0) };
    let multiply = Instruction::Natural { op: ArithOp::Mul, to: r(6), left: r(5), right: r(5) };
    let wrap = Instruction::Machine {
        op: MachineOp::Mul,
        of: IntType::U64,
        to: r(6),
        left: r(5),
        right: r(5),
    };
    let code = vec![constant(5, u64::MAX), wrap, add, multiply, add, Instruction::Halt];
    let run = run_one(backend, &Program::new(code, 2, Vec::new()));
    // MAX + 0 fits, MAX + 1 does not.
    assert_eq!(run.threads.iter().map(|thread| thread.overflow).collect::<Vec<_>>(), [4, 3]);
}
