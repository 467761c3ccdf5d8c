//! Trees of any shape, well-scoped or not: for the parser, the printer and the JSON forms.

use super::expr::literal;
use crate::choices::Choices;
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::syntax::{
    ArrayDecl, AtomicOp, AtomicUpdate, BarrierScope, Bound, Contents, Domain, Expectation, Extent,
    ForSort, Forall, Geometry, Param, Scope, Space,
};
use babycuda_core::{
    AccessMode, Bool, Declarations, IntType, MachineOp, Name, Natural, Num, Program, Protocol,
    Site, Stmt,
};
use std::sync::Arc;

const HEIGHT: usize = 5;

/// A name: mostly an identifier, sometimes a keyword or no identifier at all.
pub fn raw_name(choices: &mut Choices<'_>) -> Name {
    Name::new(choices.pick(&[
        "x",
        "y",
        "A",
        "B",
        "tid",
        "threadIdx.x",
        "M",
        "x'1",
        "$t",
        "_",
        "é",
        "in",
        "skip",
        "rd",
        "any",
        "min",
        "block",
        "cast.i32.u64",
        "a b",
        "",
        "`",
        "\\",
        "1x",
        "x.",
        "x..y",
        "a\nb",
        "add.u32",
        "forᵁ",
        "atomic.block",
        "x∈y",
        "//",
        "\"",
        "\u{0}",
        "if",
        "fill",
    ]))
}

fn int_type(choices: &mut Choices<'_>) -> IntType {
    *choices.pick(&IntType::ALL)
}

fn maybe<T>(choices: &mut Choices<'_>, generate: impl FnOnce(&mut Choices<'_>) -> T) -> Option<T> {
    choices.chance(1, 2).then(|| generate(choices))
}

/// A numeric expression.
pub fn raw_num(choices: &mut Choices<'_>) -> Num {
    num(choices, HEIGHT)
}

/// A boolean expression.
pub fn raw_bool(choices: &mut Choices<'_>) -> Bool {
    bool(choices, HEIGHT)
}

fn num(c: &mut Choices<'_>, height: usize) -> Num {
    let inner = usize::from(height > 0);
    match c.weighted(&[1, 1, 4 * inner, inner, inner, inner]) {
        0 => Num::Lit(literal(c, true)),
        1 => Num::Var(raw_name(c)),
        2 => {
            let op = *c.pick(&ArithOp::ALL);
            let left = num(c, height - 1);
            Num::arith(op, left, num(c, height - 1))
        }
        3 => {
            let (op, t) = (*c.pick(&MachineOp::ALL), int_type(c));
            let left = num(c, height - 1);
            Num::machine(op, t, left, num(c, height - 1))
        }
        4 => {
            let (from, to) = (int_type(c), int_type(c));
            Num::cast(from, to, num(c, height - 1))
        }
        _ => {
            let condition = bool(c, height - 1);
            let then = num(c, height - 1);
            Num::select(condition, then, num(c, height - 1))
        }
    }
}

fn bool(c: &mut Choices<'_>, height: usize) -> Bool {
    let inner = usize::from(height > 0);
    match c.weighted(&[1, 2 * inner, inner, 3 * inner, 2 * inner]) {
        0 => Bool::Lit(c.chance(1, 2)),
        1 => {
            let relation = *c.pick(&Relation::ALL);
            let left = num(c, height - 1);
            Bool::compare(relation, left, num(c, height - 1))
        }
        2 => {
            let (relation, t) = (*c.pick(&Relation::ALL), int_type(c));
            let left = num(c, height - 1);
            Bool::compare_machine(relation, t, left, num(c, height - 1))
        }
        3 => {
            let op = *c.pick(&BoolOp::ALL);
            let left = bool(c, height - 1);
            Bool::connective(op, left, bool(c, height - 1))
        }
        _ => Bool::not(bool(c, height - 1)),
    }
}

fn sort(c: &mut Choices<'_>) -> ForSort {
    *c.pick(&[ForSort::U, ForSort::S])
}

fn scope(c: &mut Choices<'_>) -> Scope {
    *c.pick(&[Scope::Device, Scope::Block, Scope::System])
}

fn atomic_op(c: &mut Choices<'_>) -> AtomicOp {
    let t = maybe(c, int_type);
    let machine = int_type(c);
    *c.pick(&[
        AtomicOp::Add(t),
        AtomicOp::Sub(t),
        AtomicOp::Min(t),
        AtomicOp::Max(t),
        AtomicOp::And(machine),
        AtomicOp::Or(machine),
        AtomicOp::Xor(machine),
        AtomicOp::Exch,
        AtomicOp::Inc,
        AtomicOp::Dec,
        AtomicOp::Cas,
        AtomicOp::Opaque,
    ])
}

/// A statement, its sites numbered.
pub fn raw_stmt(choices: &mut Choices<'_>) -> Stmt {
    stmt(choices, HEIGHT).numbered()
}

fn stmt(c: &mut Choices<'_>, height: usize) -> Stmt {
    let inner = usize::from(height > 0);
    match c.weighted(&[1, 1, 1, 2 * inner, 2 * inner, 5 * inner, 2 * inner, 2 * inner]) {
        0 => Stmt::Skip,
        1 => Stmt::barrier(barrier_scope(c)),
        2 => {
            let (array, index) = (raw_name(c), num(c, 1));
            Stmt::write(array, index, num(c, 2))
        }
        3 => {
            let (var, array, index) = (raw_name(c), raw_name(c), num(c, 1));
            Stmt::read(var, array, index, stmt(c, height - 1))
        }
        4 => {
            let (var, array, index) = (raw_name(c), raw_name(c), num(c, 1));
            let (op, operand) = (atomic_op(c), num(c, 1));
            let update = AtomicUpdate { op, operand, expected: maybe(c, |c| num(c, 1)) };
            let scope = scope(c);
            Stmt::atomic(var, array, index, update, scope, stmt(c, height - 1))
        }
        5 => {
            let first = stmt(c, height - 1);
            Stmt::seq(first, stmt(c, height - 1))
        }
        6 => {
            let condition = bool(c, 1);
            let then = stmt(c, height - 1);
            Stmt::branch(condition, then, stmt(c, height - 1))
        }
        _ => {
            let (sort, var, lower, upper) = (sort(c), raw_name(c), num(c, 1), num(c, 1));
            Stmt::repeat(sort, var, lower, upper, stmt(c, height - 1))
        }
    }
}

/// A protocol, its sites numbered.
pub fn raw_protocol(choices: &mut Choices<'_>) -> Protocol {
    protocol(choices, HEIGHT).numbered()
}

fn protocol(c: &mut Choices<'_>, height: usize) -> Protocol {
    let inner = usize::from(height > 0);
    let site = Site::default();
    match c.weighted(&[1, 1, 2, 4 * inner, 2 * inner, 2 * inner, 2 * inner, inner]) {
        0 => Protocol::Skip,
        1 => Protocol::barrier(barrier_scope(c)),
        2 => {
            let mode = match c.below(3) {
                0 => AccessMode::Rd,
                1 => AccessMode::Wr,
                _ => AccessMode::At(scope(c)),
            };
            let array = raw_name(c);
            Protocol::access(mode, array, num(c, 1))
        }
        3 => {
            let first = protocol(c, height - 1);
            Protocol::Seq(Arc::new(first), Arc::new(protocol(c, height - 1)))
        }
        4 => Protocol::If {
            site,
            condition: bool(c, 1),
            then: Arc::new(protocol(c, height - 1)),
            otherwise: Arc::new(protocol(c, height - 1)),
        },
        5 => Protocol::For {
            site,
            sort: sort(c),
            var: raw_name(c),
            lower: num(c, 1),
            upper: num(c, 1),
            body: Arc::new(protocol(c, height - 1)),
        },
        6 => Protocol::Input {
            site,
            var: raw_name(c),
            array: raw_name(c),
            index: num(c, 1),
            body: Arc::new(protocol(c, height - 1)),
        },
        _ => Protocol::Any {
            site,
            var: raw_name(c),
            domain: maybe(c, int_type),
            body: Arc::new(protocol(c, height - 1)),
        },
    }
}

/// A program with any declarations, at least one array among them, no name declared twice.
pub fn raw_program(choices: &mut Choices<'_>) -> Program {
    let c = choices;
    let mut names = Vec::new();
    let mut fresh = |c: &mut Choices<'_>| {
        let name = raw_name(c).fresh(|n| names.contains(n));
        names.push(name.clone());
        name
    };
    let params = (0..c.below(3))
        .map(|_| Param { name: fresh(c), domain: domain(c), value: maybe(c, |c| literal(c, true)) })
        .collect();
    let arrays = (0..1 + c.below(3))
        .map(|_| ArrayDecl {
            name: fresh(c),
            space: *c.pick(&[Space::Shared, Space::Global]),
            element: domain(c),
            contents: contents(c),
            length: maybe(c, |c| literal(c, true)),
        })
        .collect();
    Declarations {
        name: raw_name(c),
        params,
        arrays,
        assumptions: (0..c.below(3)).map(|_| bool(c, 2)).collect(),
        contents_assumed: (0..c.below(3)).map(|_| forall(c)).collect(),
        expectations: (0..c.below(3)).map(|_| expectation(c)).collect(),
        ..Declarations::of_geometry(Geometry {
            block: extents(c),
            grid: maybe(c, extents),
            warp: warp(c),
        })
    }
    .around(stmt(c, HEIGHT).numbered())
}

/// An assumption over contents as the parser makes them: with at least one read, which it mentions.
fn forall(c: &mut Choices<'_>) -> Forall {
    let mut over = Vec::new();
    for _ in 0..c.below(3) {
        let lower = read_or(c, &mut over, 1);
        let upper = read_or(c, &mut over, 1);
        over.push(Bound::In { var: raw_name(c), lower, upper });
    }
    let (array, index) = (raw_name(c), read_or(c, &mut over, 1));
    let read = Forall::read(&mut over, array, index);
    let compared = Bool::compare(Relation::Le, read, num(c, 1));
    Forall { condition: Bool::and(compared, bool(c, 1)), over }
}

/// A number, or what the host stored.
fn read_or(c: &mut Choices<'_>, over: &mut Vec<Bound>, height: usize) -> Num {
    let n = num(c, height);
    if c.below(2) == 0 { n } else { Forall::read(over, raw_name(c), n) }
}

fn domain(c: &mut Choices<'_>) -> Domain {
    maybe(c, int_type).map_or(Domain::Natural, Domain::Machine)
}

fn extents(c: &mut Choices<'_>) -> [Extent; 3] {
    [(); 3].map(|()| match c.below(3) {
        0 => Extent::Known(1),
        1 => Extent::Symbolic,
        _ => Extent::Known(c.below(2000) as u32),
    })
}

fn warp(c: &mut Choices<'_>) -> u32 {
    if c.chance(1, 4) { c.below(100) as u32 } else { WARP_SIZE }
}

fn barrier_scope(c: &mut Choices<'_>) -> BarrierScope {
    match c.below(4) {
        0 => BarrierScope::Tile(1 + c.below(40) as u32),
        1 => BarrierScope::Warp,
        2 => BarrierScope::Grid,
        _ => BarrierScope::Block,
    }
}

fn contents(c: &mut Choices<'_>) -> Contents {
    match c.below(5) {
        0 => Contents::Undefined,
        1 => Contents::Values((0..c.below(4)).map(|_| literal(c, true)).collect()),
        2 => Contents::Fill(literal(c, true)),
        3 => Contents::Any,
        _ => Contents::Opaque,
    }
}

fn expectation(c: &mut Choices<'_>) -> Expectation {
    let number = |c: &mut Choices<'_>| Natural::from(c.below(9));
    match c.below(7) {
        0 => Expectation::Drf,
        1 => Expectation::Racy(maybe(c, |c| (raw_name(c), maybe(c, number)))),
        2 => Expectation::Divergent,
        3 => Expectation::Unknown,
        4 => Expectation::Stuck,
        5 => Expectation::Typed,
        _ => Expectation::IllTyped(maybe(c, |c| {
            let rules = ["t-write", "type/t-for", "a rule", "", "\"", "x;y", "a\nb", "t//w"];
            String::from(*c.pick(&rules))
        })),
    }
}
