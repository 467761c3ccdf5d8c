//! Random verified bytecode, which no compiler made: the device and the simulator do the same.

use super::image::{Entry, Program, Run, Thread, run};
use super::jitter::words;
use super::{EDGES, r};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::syntax::{AtomicOp, BarrierScope};
use babycuda_core::{CompareOp, IntType, MachineOp};
use babycuda_gpu::Backend;
use babycuda_gpu::bytecode::{Instruction, Register};
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_testkit::generators::strategy;
use babycuda_testkit::{Choices, Distribution};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const CASES: usize = 3000;
/// Programs of one launch.
const BATCH: usize = 100;
const THREADS: u32 = 4;
/// The arrays are that long, so that some indices are outside.
const CELLS: usize = 6;
const ARRAYS: u32 = 2;
/// Barriers, each with its number.
const BARRIERS: [(BarrierScope, u32); 5] = [
    (BarrierScope::Block, 0),
    (BarrierScope::Block, 1),
    (BarrierScope::Warp, 2),
    (BarrierScope::Tile(2), 3),
    (BarrierScope::Tile(1), 4),
];
/// Registers that programs use besides `tid`: what they hold may be any long.
const USED: std::ops::Range<usize> = 4..12;

fn register(choices: &mut Choices<'_>) -> Register {
    r(choices.below(USED.end))
}

fn target(choices: &mut Choices<'_>) -> Register {
    r(USED.start + choices.below(USED.len()))
}

/// One thread accesses any cell; several access their own, so that nobody comes first.
fn index(choices: &mut Choices<'_>, threads: u32) -> Register {
    if threads == 1 { register(choices) } else { Register::TID }
}

fn update(choices: &mut Choices<'_>) -> AtomicOp {
    let t = *choices.pick(&IntType::ALL);
    let of = if choices.chance(1, 3) { None } else { Some(t) };
    *choices.pick(&[
        AtomicOp::Add(of),
        AtomicOp::Sub(of),
        AtomicOp::Min(of),
        AtomicOp::Max(of),
        AtomicOp::And(t),
        AtomicOp::Or(t),
        AtomicOp::Xor(t),
        AtomicOp::Exch,
        AtomicOp::Inc,
        AtomicOp::Dec,
        AtomicOp::Cas,
    ])
}

/// An instruction at `pc` of `length`; jumps go forward, to the last one at most.
fn instruction(
    choices: &mut Choices<'_>,
    (pc, length): (usize, usize),
    threads: u32,
) -> Instruction {
    let onwards = |choices: &mut Choices<'_>| (pc + 1 + choices.below(length - pc - 1)) as u32;
    let array = choices.below(ARRAYS as usize) as u32;
    let (to, a, b, c) = (target(choices), register(choices), register(choices), register(choices));
    let (source, target) = (*choices.pick(&IntType::ALL), *choices.pick(&IntType::ALL));
    match choices.weighted(&[1, 1, 4, 3, 2, 2, 3, 1, 2, 2, 2, 2, 1, 4, 4]) {
        0 => Instruction::Const { to, value: *choices.pick(&EDGES) },
        1 => Instruction::Move { to, from: a },
        2 => Instruction::Natural { op: *choices.pick(&ArithOp::ALL), to, left: a, right: b },
        3 => {
            let op = *choices.pick(&MachineOp::ALL);
            Instruction::Machine { op, of: source, to, left: a, right: b }
        }
        4 => Instruction::Cast { source, target, to, from: a },
        5 => Instruction::Select { to, condition: a, then: b, otherwise: c },
        6 => {
            let machine = choices.chance(1, 2).then_some(source);
            let op = CompareOp { relation: *choices.pick(&Relation::ALL), machine };
            Instruction::Compare { op, to, left: a, right: b }
        }
        7 => Instruction::Connective { op: *choices.pick(&BoolOp::ALL), to, left: a, right: b },
        8 => Instruction::Not { to, from: a },
        9 => Instruction::Read { to, array, index: index(choices, threads) },
        10 => Instruction::Write { array, index: index(choices, threads), value: a },
        11 => {
            let (op, index) = (update(choices), index(choices, threads));
            let expected = if op == AtomicOp::Cas { b } else { Instruction::NOTHING_EXPECTED };
            Instruction::Atomic { op, to, array, index, operand: a, expected }
        }
        12 => Instruction::Jump { to: onwards(choices) },
        13 => Instruction::Unless { condition: a, to: onwards(choices) },
        _ => {
            let (scope, barrier) = *choices.pick(&BARRIERS);
            Instruction::Sync { scope, barrier }
        }
    }
}

fn program(choices: &mut Choices<'_>) -> Program {
    let threads = 1 + choices.below(THREADS as usize) as u32;
    let inputs = USED.map(|_| *choices.pick(&EDGES)).collect();
    let length = 2 + choices.below(24);
    let mut code: Vec<Instruction> =
        (0..length - 1).map(|pc| instruction(choices, (pc, length), threads)).collect();
    code.push(Instruction::Halt);
    let contents = |choices: &mut Choices<'_>| (0..CELLS).map(|_| *choices.pick(&EDGES)).collect();
    let arrays = (0..ARRAYS).map(|_| contents(choices)).collect();
    let warp = *choices.pick(&[2, 4, 3, 1, 32]);
    Program { inputs, fuel: 30, log: 6, warp, ..Program::new(code, threads, arrays) }
}

/// How the threads stopped.
fn ending(run: &Run) -> &'static str {
    match run.threads.iter().map(|thread| thread.status).max() {
        Some(0) => "done",
        Some(1) => "divergent",
        _ => "faulty",
    }
}

pub fn random_bytecode_does_what_it_does_on_the_simulator(backend: &mut dyn Backend) {
    let (mut runner, programs) = (TestRunner::deterministic(), strategy(program));
    let mut seen = Distribution::default();
    for _ in 0..CASES / BATCH {
        let batch: Vec<Program> = (0..BATCH)
            .map(|_| programs.new_tree(&mut runner).expect("nothing is rejected").current())
            .collect();
        let ran = run(backend, THREADS, &batch);
        let simulated = run(&mut Sim::new(Schedule::Random(3)), THREADS, &batch);
        let jitters = words().into_iter().cycle().zip(&batch);
        let stirred = jitters.map(|(jitter, program)| Program { jitter, ..program.clone() });
        let stirred = run(backend, THREADS * 3, &stirred.collect::<Vec<_>>());
        assert_eq!(stirred, simulated, "{batch:#?}");
        for ((program, ran), simulated) in batch.iter().zip(ran).zip(simulated) {
            assert_eq!(ran, simulated, "{program:#?}");
            let overflow = ran.threads.iter().any(|thread| thread.overflow > 0);
            let phases = ran.threads.iter().any(|thread| thread.phase > 0);
            let entries = |thread: &Thread| thread.log.clone();
            let passes = |entry: &Entry| program.code[entry.pc as usize].barrier().is_some();
            let groups = ran.threads.iter().flat_map(entries).any(|entry| passes(&entry));
            let marks = [(overflow, "overflow"), (phases, "phases"), (groups, "groups")];
            let marked = marks.into_iter().filter_map(|(holds, name)| holds.then_some(name));
            seen.case(marked.chain([ending(&ran)]));
        }
    }
    for what in ["done", "divergent", "faulty", "overflow", "phases", "groups"] {
        seen.assert_share(what, 0.01..=0.95);
    }
}
