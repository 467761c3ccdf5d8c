//! Shapes that random programs seldom have.

use super::FEW;
use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::name::reserved::{BLOCK_IDX, TID};
use babycuda_core::syntax::{
    ArrayDecl, AtomicOp, AtomicUpdate, BarrierScope, Contents, Geometry, Scope, Tree,
};
use babycuda_core::{Bool, Dim3, IntType, Launch, Name, Natural, Num, Program, Stmt};
use babycuda_testkit::Choices;
use std::sync::Arc;

/// The most threads of a block that has others beside it.
const BESIDE: u64 = 64;

/// A program and then a branch that only some threads take, with a barrier in it.
pub(super) fn diverging(
    choices: &mut Choices<'_>,
    generate: impl FnOnce(&mut Choices<'_>) -> Program,
) -> Program {
    let by_data = choices.chance(1, 3);
    let limit = choices.below(4);
    let relation = *choices.pick(&[Relation::Lt, Relation::Eq, Relation::Ne]);
    let barrier_elsewhere = choices.chance(1, 3);
    let barrier_first = choices.chance(1, 2);
    let program = generate(choices);
    let array = program.arrays.first().map_or_else(|| Name::new("A"), |array| array.name.clone());
    let write = Stmt::write(array.clone(), Num::var(TID), Num::lit(limit));
    let taken = match barrier_first {
        true => Stmt::seq(Stmt::sync(), write),
        false => Stmt::seq(write, Stmt::sync()),
    };
    let otherwise = if barrier_elsewhere { Stmt::sync() } else { Stmt::Skip };
    let subject = if by_data { Num::var("guard") } else { Num::var(TID) };
    let branch = Stmt::branch(Bool::compare(relation, subject, Num::lit(limit)), taken, otherwise);
    let branch = match by_data {
        true => Stmt::read("guard", array, Num::var(TID), branch),
        false => branch,
    };
    let body = Stmt::seq(program.body.clone(), branch).numbered();
    Program { body, ..program }
}

/// A program and then one update of a cell by each thread, whose result says where the thread
/// goes on.
pub(super) fn with_tickets(
    choices: &mut Choices<'_>,
    generate: impl FnOnce(&mut Choices<'_>) -> Program,
) -> Program {
    let tid = || Num::var(TID);
    let (op, operand) = match choices.below(6) {
        0 => (AtomicOp::Add(None), Num::lit(1u32)),
        1 => (AtomicOp::Add(Some(IntType::U32)), Num::lit(2u32)),
        2 => (AtomicOp::Inc, Num::lit(2u32)),
        3 => (AtomicOp::Exch, tid()),
        4 => (AtomicOp::Cas, Num::arith(ArithOp::Add, tid(), Num::lit(1u32))),
        _ => (AtomicOp::Max(None), tid()),
    };
    let used_later = choices.chance(1, 2);
    let program = generate(choices);
    let (queue, places) = (Name::new("Queue"), Name::new("Places"));
    let ticket = || Num::var("ticket");
    // The first thread finds it so, and no other.
    let expected = (op == AtomicOp::Cas).then(|| Num::lit(0u32));
    let update = AtomicUpdate { op, operand, expected };
    let body = Stmt::write(places.clone(), ticket(), tid());
    let take = Stmt::atomic("ticket", queue.clone(), Num::lit(0u32), update, Scope::Device, body);
    let mut statements = vec![program.body.clone(), take];
    if used_later {
        // Who stored there depends on the order; the cell it leads to is the thread's own.
        let own = Num::arith(ArithOp::Add, Num::lit(8u32), Num::var("who"));
        let write = Stmt::write(places.clone(), own, Num::lit(1u32));
        statements.extend([Stmt::sync(), Stmt::read("who", places.clone(), tid(), write)]);
    }
    let zero =
        |name| ArrayDecl { contents: Contents::Fill(Natural::zero()), ..ArrayDecl::implicit(name) };
    let arrays = program.arrays.iter().cloned().chain([zero(queue), zero(places)]).collect();
    Program { body: Stmt::sequence(statements).numbered(), ..program.with_arrays(arrays) }
}

/// The program with arrays full of numbers that hardly fit 64 bits, with which each thread computes
/// once more at the end. The numbers that the host gives it do fit.
pub(super) fn with_large_contents(choices: &mut Choices<'_>, program: Program) -> Program {
    let op = *choices.pick(&ArithOp::ALL);
    let operand = Num::lit(choices.below(4));
    let mut program = program;
    for value in program.params.iter_mut().filter_map(|param| param.value.as_mut()) {
        *value = value.clone().min(u64::MAX.into());
    }
    for array in &mut program.arrays {
        let large = *choices.pick(&[u64::MAX, 1 << 63, u64::MAX / 2, 1 << 32]);
        array.contents = Contents::Fill(large.into());
    }
    let Some(array) = program.arrays.first().map(|array| array.name.clone()) else {
        return program;
    };
    let payload = Num::arith(op, Num::var("large"), operand);
    let write = Stmt::write(array.clone(), Num::var(TID), payload);
    let compute = Stmt::read("large", array, Num::var(TID), write);
    Program { body: Stmt::seq(program.body.clone(), compute).numbered(), ..program }
}

/// The program in several blocks, if its block is small: what its threads are called is different in
/// each, or nearly the same; and in two of three programs with barriers, blocks wait for each other.
pub(super) fn in_blocks(choices: &mut Choices<'_>, mut program: Program) -> Program {
    let launch = program.geometry.launch().filter(|launch| launch.block.count() <= BESIDE);
    let Some(launch) = launch else { return program };
    let threads = launch.block.count();
    let blocks = if threads > FEW { 2 } else { *choices.pick(&[2, 2, 3, 4]) };
    let (grid, place) = match choices.chance(1, 4) {
        true => (Dim3 { x: 1, y: blocks, z: 1 }, BLOCK_IDX[1]),
        false => (Dim3::line(blocks), BLOCK_IDX[0]),
    };
    let number = match choices.weighted(&[3, 3, 2]) {
        0 => Num::var(place) * threads + Num::var(TID),
        1 => Num::var(TID) + Num::var(place),
        _ => Num::var(TID) * u64::from(blocks) + Num::var(place),
    };
    let own: Renaming = [(Name::new(TID), number)].into_iter().collect();
    program.body = program.body.subst(&own);
    if choices.chance(2, 3) {
        program.body = of_the_grid(choices, &program.body);
    }
    program.geometry = Geometry::exactly(Launch { grid, ..launch });
    program
}

/// The body with barriers of the grid for most of those of the block.
fn of_the_grid(choices: &mut Choices<'_>, body: &Stmt) -> Stmt {
    match body {
        Stmt::Sync { site, scope: BarrierScope::Block } if choices.chance(2, 3) => {
            Stmt::Sync { site: *site, scope: BarrierScope::Grid }
        }
        _ => body.map_children(|child| Arc::new(of_the_grid(choices, child))),
    }
}
