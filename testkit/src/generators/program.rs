//! Whole programs, and contents of their arrays.

use super::Profile;
use super::arrays::{Array, Discipline};
use super::broken::BrokenRule;
use super::expr::{Kind, Var, literal};
use super::stmt::Stmts;
use crate::choices::Choices;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::history::HostArray;
use babycuda_core::name::reserved::{BLOCK_DIM, BLOCK_IDX, THREAD_IDX, TID};
use babycuda_core::syntax::{
    ArrayDecl, BarrierScope, Contents, Domain, Geometry, Param, Space, Tree,
};
use babycuda_core::{
    Bool, Cell, Declarations, Dim3, HostMemory, IntType, Launch, Name, Natural, Num, Program, Stmt,
};
use std::sync::Arc;

/// A well-scoped program with a concrete launch, of one block or, with several warps, sometimes of
/// several; its sites are numbered.
pub fn program(choices: &mut Choices<'_>, profile: Profile) -> Program {
    build(choices, profile, None)
}

/// The program with warps of one to four threads, or in larger blocks of up to 32, and with barriers of every scope but the grid for
/// its own, some of them for one warp alone; its sites are numbered anew.
pub fn with_scopes(choices: &mut Choices<'_>, mut program: Program) -> Program {
    let large = program.geometry.launch().is_some_and(|launch| launch.block.count() > 16);
    let warp = *choices.pick(if large { &[32, 32, 8, 2] } else { &[2, 4, 2, 1] });
    program.geometry.warp = warp;
    program.body = rescoped(choices, warp, &program.body).numbered();
    program
}

fn rescoped(choices: &mut Choices<'_>, warp: u32, body: &Stmt) -> Stmt {
    if let Stmt::Sync { .. } = body {
        let scope = match choices.weighted(&[3, 3, 1]) {
            0 => BarrierScope::Block,
            1 => BarrierScope::Warp,
            _ if warp > 4 => BarrierScope::Tile(*choices.pick(&[4, 16, 2])),
            _ => BarrierScope::Tile(if warp > 1 { *choices.pick(&[1, 2]) } else { 1 }),
        };
        let barrier = Stmt::barrier(scope);
        let number = Num::arith(ArithOp::Div, Num::var(TID), Num::lit(warp));
        return match scope < BarrierScope::Block && choices.chance(1, 4) {
            true => Stmt::branch(
                Bool::compare(Relation::Eq, number, Num::lit(choices.below(2) as u32)),
                barrier,
                Stmt::Skip,
            ),
            false => barrier,
        };
    }
    body.map_children(|child| Arc::new(rescoped(choices, warp, child)))
}

/// A program that breaks exactly one typing rule, once.
pub fn almost_well_typed(choices: &mut Choices<'_>) -> (Program, BrokenRule) {
    let rule = *choices.pick(&BrokenRule::ALL);
    (build(choices, Profile::WELL_TYPED, Some(rule)), rule)
}

fn build(choices: &mut Choices<'_>, profile: Profile, broken: Option<BrokenRule>) -> Program {
    let block = block(choices, profile);
    let grid = Dim3::line(if profile.warps { *choices.pick(&[1, 1, 2, 3]) } else { 1 });
    let params = params(choices, profile);
    let arrays = arrays(choices, profile, block.count());
    let mut declared = declarations(choices, profile, &arrays);
    let mut stmts = Stmts {
        scope: scope(profile, &params),
        choices,
        profile,
        arrays,
        threads: block.count(),
        names: 0,
        loops: 0,
        alone: None,
        broken,
    };
    // One to four statements, one after the other.
    let parts = 1 + stmts.choices.below(4);
    let mut statements = Vec::new();
    for _ in 0..parts {
        let size = 1 + stmts.choices.below(profile.size / 2);
        statements.push(stmts.stmt(size, true));
    }
    let mut body = Stmt::sequence(statements);
    if let Some(rule) = stmts.broken {
        body = Stmt::seq(body, stmts.breach(rule));
    }
    // What a program writes is not unknown.
    for array in &mut declared {
        if array.contents == Contents::Opaque && body.written().contains(&array.name) {
            array.contents = Contents::Any;
        }
    }
    let geometry = Geometry::exactly(Launch::new(grid, block));
    Declarations { params, arrays: declared, ..Declarations::of_geometry(geometry) }
        .around(body.numbered())
}

/// One to four threads, of one dimension where the profile is the paper's; or up to 256, of which
/// the last warp is seldom full.
fn block(choices: &mut Choices<'_>, profile: Profile) -> Dim3 {
    if profile.warps {
        let plane = |x, y| Dim3 { x, y, z: 1 };
        let blocks = [33, 40, 48, 64, 64, 65, 72, 96, 128, 256].map(Dim3::line);
        let planes = [plane(32, 2), plane(12, 3)];
        return *choices.pick(&[&blocks[..], &planes].concat());
    }
    if profile.machine && choices.chance(1, 6) {
        return *choices.pick(&[Dim3 { x: 2, y: 2, z: 1 }, Dim3 { x: 1, y: 2, z: 2 }]);
    }
    Dim3::line(*choices.pick(&[2, 3, 4, 1]))
}

/// Up to two parameters, of fixed values.
fn params(choices: &mut Choices<'_>, profile: Profile) -> Vec<Param> {
    let names = ["M", "N"];
    let count = choices.below(names.len() + 1);
    let parameter = |name: &&str| {
        let domain = match profile.machine && choices.chance(1, 2) {
            true => Domain::Machine(IntType::U32),
            false => Domain::Natural,
        };
        let value = literal(choices, profile.huge && domain == Domain::Natural);
        let value = match domain {
            Domain::Machine(t) => Natural::from(t.pattern(&value)),
            Domain::Natural => value,
        };
        Param { name: Name::new(name), domain, value: Some(value) }
    };
    names[..count].iter().map(parameter).collect()
}

/// The arrays, each with its discipline: none is free in a quarter of the programs.
fn arrays(choices: &mut Choices<'_>, profile: Profile, threads: u64) -> Vec<Array> {
    let least = if profile.inputs || profile.counters { 2 } else { 1 };
    let count = (1 + choices.below(profile.arrays)).max(least);
    let tidy = choices.chance(1, 4);
    let mut arrays = Vec::new();
    for name in ["A", "B", "C", "D"].into_iter().take(count) {
        let atomic = usize::from(profile.atomics);
        let discipline = match choices.weighted(&[if tidy { 0 } else { 12 }, 4, 2, 1, atomic]) {
            0 => Discipline::Free,
            1 => Discipline::Private,
            2 => Discipline::Owned(choices.below(threads as usize) as u64),
            3 => Discipline::ReadOnly,
            _ => Discipline::Atomic,
        };
        let discipline = match profile.inputs && name == "A" {
            true => Discipline::ReadOnly,
            false if profile.counters && name == "A" => Discipline::Atomic,
            false if profile.counters && name == "B" => Discipline::Free,
            false => discipline,
        };
        arrays.push(Array { name: Name::new(name), discipline });
    }
    arrays
}

fn declarations(choices: &mut Choices<'_>, profile: Profile, arrays: &[Array]) -> Vec<ArrayDecl> {
    let declaration = |array: &Array| {
        let undefined = usize::from(profile.undefined);
        let contents = match choices.weighted(&[8, 4, 2 * undefined, undefined, 1]) {
            0 => Contents::Fill(literal(choices, profile.huge)),
            1 => Contents::Any,
            2 => {
                let length = choices.below(6);
                Contents::Values((0..length).map(|_| literal(choices, profile.huge)).collect())
            }
            3 => Contents::Undefined,
            _ => Contents::Opaque,
        };
        let input = profile.inputs && array.discipline == Discipline::ReadOnly;
        let space = match input {
            true => Space::Global,
            false => *choices.pick(&[Space::Shared, Space::Global]),
        };
        ArrayDecl { space, contents, ..ArrayDecl::implicit(array.name.clone()) }
    };
    arrays.iter().map(declaration).collect()
}

fn scope(profile: Profile, params: &[Param]) -> Vec<Var> {
    let uniform = |name: Name| Var { name, kind: Kind::Uniform };
    let mut scope = vec![Var { name: Name::new(TID), kind: Kind::Private }];
    scope.extend(params.iter().map(|p| uniform(p.name.clone())));
    if profile.machine {
        scope.push(Var { name: Name::new(THREAD_IDX[0]), kind: Kind::Private });
        scope.push(uniform(Name::new(BLOCK_DIM[0])));
        if profile.warps {
            scope.push(uniform(Name::new(BLOCK_IDX[0])));
        }
    }
    scope
}

/// Contents that the declarations of `program` allow: the arrays whose contents are `any` or
/// `opaque` hold different numbers in their first cells.
pub fn host_memory(choices: &mut Choices<'_>, program: &Program) -> HostMemory {
    let mut memory = HostMemory::declared(program);
    for array in &program.arrays {
        if !matches!(array.contents, Contents::Any | Contents::Opaque) {
            continue;
        }
        let fill = Some(literal(choices, true));
        memory.insert(array.name.clone(), HostArray { fill, ..HostArray::default() });
        for index in 0..choices.below(6) {
            memory.set(Cell::new(array.name.clone(), index), literal(choices, true));
        }
    }
    memory
}
