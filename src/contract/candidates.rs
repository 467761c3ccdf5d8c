//! Conditions on launches and parameters that a kernel may need, and launches that people make.

use babycuda_core::expr::{ArithOp, Expr, Relation};
use babycuda_core::launch::{Dim3, Launch, MAX_BLOCK_THREADS};
use babycuda_core::name::reserved::{BLOCK_DIM, BLOCK_IDX, GRID_DIM};
use babycuda_core::syntax::{Domain, Extent, Tree};
use babycuda_core::{Bool, Configuration, IntType, Name, Natural, Num, Program};
use std::collections::BTreeSet;

/// A condition, with its text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    pub(super) condition: Bool,
    pub(super) text: String,
}

/// At most so many constants of a kernel are considered.
const MAX_CONSTANTS: usize = 12;
/// And so many of its parameters.
const MAX_PARAMETERS: usize = 8;

/// The dimensions that matter, the parameters and the constants of a kernel.
struct Parts {
    block: Vec<usize>,
    grid: Vec<usize>,
    parameters: Vec<(Name, IntType)>,
    constants: Vec<u64>,
}

fn parts(program: &Program) -> Parts {
    let mut free = program.body.free_vars();
    program.assumptions.iter().for_each(|c| c.collect_vars(&mut free));
    let has = |names: &[&str; 3], d: usize| free.contains(&Name::new(names[d]));
    let symbolic = |d: &usize| program.geometry.block[*d] == Extent::Symbolic;
    let grid = |d: &usize| {
        let known = program.geometry.grid.is_some_and(|g| matches!(g[*d], Extent::Known(_)));
        !known && (has(&BLOCK_IDX, *d) || has(&GRID_DIM, *d))
    };
    let mut parameters = Vec::new();
    for param in program.params.iter().filter(|p| p.value.is_none()) {
        let Domain::Machine(t) = param.domain else { continue };
        if t.width.bits() >= 32 && (free.contains(&param.name)) {
            parameters.push((param.name.clone(), t));
        }
    }
    parameters.truncate(MAX_PARAMETERS);
    Parts {
        block: (0..3).filter(symbolic).collect(),
        grid: (0..3).filter(grid).collect(),
        parameters,
        constants: constants(program),
    }
}

/// The constants that a kernel mentions, and the lengths of its shared arrays: those that may be extents.
fn constants(program: &Program) -> Vec<u64> {
    let mut found = BTreeSet::new();
    let lengths = program.arrays.iter().filter_map(|a| a.length.as_ref()?.to_u64());
    for length in lengths {
        found.insert(length);
        let root = (length as f64).sqrt() as u64;
        if root * root == length {
            found.insert(root);
        }
    }
    for expr in program.body.subterms().flat_map(|s| s.view().exprs).flatten() {
        literals(expr, &mut found);
    }
    let mut found: Vec<u64> =
        found.into_iter().filter(|k| (2..=MAX_BLOCK_THREADS * 4).contains(k)).collect();
    // Powers of two are what extents mostly are.
    found.sort_by_key(|k| (!k.is_power_of_two(), *k));
    found.truncate(MAX_CONSTANTS);
    found
}

/// Adds the literals of an expression.
fn literals(expr: Expr<'_>, found: &mut BTreeSet<u64>) {
    const MAX_NODES: usize = 2_000;
    let mut pending = vec![expr];
    for _ in 0..MAX_NODES {
        let Some(next) = pending.pop() else { return };
        match next {
            Expr::Num(Num::Lit(k)) => found.extend(k.to_u64()),
            Expr::Num(Num::Var(_)) | Expr::Bool(Bool::Lit(_)) => {}
            Expr::Num(Num::Binary(_, l, r)) => pending.extend([Expr::Num(l), Expr::Num(r)]),
            Expr::Num(Num::Cast(_, _, n)) => pending.push(Expr::Num(n)),
            Expr::Num(Num::Select(c, n, m)) => {
                pending.extend([Expr::Bool(c), Expr::Num(n), Expr::Num(m)]);
            }
            Expr::Bool(Bool::Compare(_, l, r)) => pending.extend([Expr::Num(l), Expr::Num(r)]),
            Expr::Bool(Bool::Connective(_, l, r)) => {
                pending.extend([Expr::Bool(l), Expr::Bool(r)]);
            }
            Expr::Bool(Bool::Not(c)) => pending.push(Expr::Bool(c)),
        }
    }
}

/// A number that is not negative, as its type reads it.
fn at_least(name: &Name, t: IntType, bound: Num) -> Bool {
    let lower = Bool::compare(Relation::Ge, Num::Var(name.clone()), bound);
    match t.signed {
        false => lower,
        true => {
            let most = Num::lit(t.width.mask() >> 1);
            Bool::and(lower, Bool::compare(Relation::Le, Num::Var(name.clone()), most))
        }
    }
}

/// Conditions under which the kernel may be race-free.
pub(super) fn candidates(program: &Program) -> Vec<Candidate> {
    let Parts { block, grid, parameters, constants } = parts(program);
    let mut all: Vec<Candidate> = Vec::new();
    let mut add = |condition: Bool, text: String| {
        if condition.value().is_err() && !all.iter().any(|known| known.text == text) {
            all.push(Candidate { condition, text });
        }
    };
    let extent = |d: usize| match program.geometry.block[d] {
        Extent::Known(k) => (Num::lit(u64::from(k)), k.to_string()),
        Extent::Symbolic => (Num::var(BLOCK_DIM[d]), BLOCK_DIM[d].to_owned()),
    };
    let times = |l: Num, r: Num| Num::arith(ArithOp::Mul, l, r);
    let blocks = |d: usize| match program.geometry.grid.map(|g| g[d]) {
        Some(Extent::Known(k)) => (Num::lit(u64::from(k)), k.to_string()),
        _ => (Num::var(GRID_DIM[d]), GRID_DIM[d].to_owned()),
    };
    let equals = |l: Num, k: u64| Bool::compare(Relation::Eq, l, Num::lit(k));
    for (p, t) in &parameters {
        let var = || Num::Var(p.clone());
        for d in 0..3 {
            let (n, name) = extent(d);
            let (g, grid_name) = blocks(d);
            if block.contains(&d) || grid.contains(&d) {
                let threads = grid
                    .contains(&d)
                    .then(|| (times(g.clone(), n.clone()), format!("{grid_name} * {name}")));
                for (bound, said) in threads.into_iter().chain([(n.clone(), name.clone())]) {
                    add(at_least(p, *t, bound.clone()), format!("{p} >= {said}"));
                    add(Bool::compare(Relation::Eq, var(), bound), format!("{p} == {said}"));
                }
                if block.contains(&d) {
                    let most = Bool::and(
                        Bool::compare(Relation::Le, var(), n.clone()),
                        Bool::compare(Relation::Ge, var(), Num::lit(0u64)),
                    );
                    add(most, format!("{p} <= {name}"));
                }
            }
        }
        add(at_least(p, *t, Num::lit(1u64)), format!("{p} > 0"));
        add(at_least(p, *t, Num::lit(0u64)), format!("{p} >= 0"));
        add(Bool::compare(Relation::Ne, var(), Num::lit(0u64)), format!("{p} != 0"));
        for (q, u) in parameters.iter().filter(|(q, u)| q != p && u.width == t.width) {
            let both =
                Bool::and(at_least(p, *t, Num::Var(q.clone())), at_least(q, *u, Num::lit(0u64)));
            add(both, format!("{p} >= {q}"));
            for d in block.iter().copied() {
                let (n, name) = extent(d);
                let (g, grid_name) = blocks(d);
                if grid.contains(&d) {
                    let all = times(times(g, n), Num::Var(q.clone()));
                    let both = Bool::and(at_least(p, *t, all), at_least(q, *u, Num::lit(0u64)));
                    add(both, format!("{p} >= {grid_name} * {name} * {q}"));
                } else {
                    let both = Bool::and(
                        at_least(p, *t, times(n, Num::Var(q.clone()))),
                        at_least(q, *u, Num::lit(0u64)),
                    );
                    add(both, format!("{p} >= {name} * {q}"));
                }
            }
        }
        for k in &constants {
            let k = *k;
            add(at_least(p, *t, Num::lit(k)), format!("{p} >= {k}"));
            let below = Bool::compare(Relation::Le, var(), Num::lit(k));
            add(below, format!("0 <= {p} && {p} <= {k}"));
            let rest = Num::arith(ArithOp::Mod, var(), Num::lit(k));
            add(
                Bool::and(at_least(p, *t, Num::lit(0u64)), equals(rest, 0)),
                format!("{p} % {k} == 0"),
            );
            add(equals(var(), k), format!("{p} == {k}"));
        }
        for k in [0u64, 1] {
            add(equals(var(), k), format!("{p} == {k}"));
        }
    }
    let threads = (0..3).fold(Num::lit(1u64), |all, d| match program.geometry.block[d] {
        Extent::Known(1) => all,
        _ if all == Num::lit(1u64) => extent(d).0,
        _ => times(all, extent(d).0),
    });
    let names: Vec<String> = (0..3)
        .filter(|d| program.geometry.block[*d] != Extent::Known(1))
        .map(|d| extent(d).1)
        .collect();
    let threads_said = names.join(" * ");
    for d in block.iter().copied() {
        let (n, name) = extent(d);
        for k in constants.iter().copied().chain([1, 32]) {
            add(equals(n.clone(), k), format!("{name} == {k}"));
            add(Bool::compare(Relation::Le, n.clone(), Num::lit(k)), format!("{name} <= {k}"));
            if k > 1 {
                add(Bool::compare(Relation::Ge, n.clone(), Num::lit(k)), format!("{name} >= {k}"));
                let rest = Num::arith(ArithOp::Mod, n.clone(), Num::lit(k));
                add(equals(rest, 0), format!("{name} % {k} == 0"));
            }
        }
        for e in block.iter().copied().filter(|e| *e > d) {
            let (m, other) = extent(e);
            add(Bool::compare(Relation::Eq, n.clone(), m.clone()), format!("{name} == {other}"));
            add(Bool::compare(Relation::Ge, n.clone(), m.clone()), format!("{name} >= {other}"));
            add(Bool::compare(Relation::Le, n.clone(), m), format!("{name} <= {other}"));
        }
        let powers = (1..=10u32)
            .fold(equals(n.clone(), 1), |all, k| Bool::or(all, equals(n.clone(), 1 << k)));
        add(powers, format!("{name} is a power of two"));
    }
    if names.len() > 1 {
        for k in constants.iter().copied().chain([32]) {
            add(
                Bool::compare(Relation::Le, threads.clone(), Num::lit(k)),
                format!("{threads_said} <= {k}"),
            );
            add(equals(threads.clone(), k), format!("{threads_said} == {k}"));
        }
    }
    for d in grid.iter().copied() {
        let (g, name) = blocks(d);
        add(equals(g.clone(), 1), format!("{name} == 1"));
        // The index stays in the range of `int`.
        let all = times(g, extent(d).0);
        let most = Bool::compare(Relation::Le, all.clone(), Num::lit(1u64 << 20));
        add(most, format!("{name} * {} <= {}", extent(d).1, 1u64 << 20));
        let most = Bool::compare(Relation::Le, all, Num::lit(i32::MAX as u64));
        add(most, format!("{name} * {} <= {}", extent(d).1, i32::MAX));
    }
    all
}

/// Launches as people make them, with parameters as they pass them, of which the kernel is not known to be racy or
/// race-free: a condition that none of these satisfies is of no use. There are always as many.
pub(crate) fn realistic(program: &Program) -> Vec<Configuration> {
    const MANY: usize = 1500;
    let Parts { parameters, constants, .. } = parts(program);
    let free: Vec<&babycuda_core::syntax::Param> =
        program.params.iter().filter(|p| p.value.is_none()).collect();
    let two = (0..3).filter(|d| program.geometry.block[*d] != Extent::Known(1)).count() > 1;
    let mut blocks: Vec<[u32; 3]> = match two {
        false => vec![[32, 1, 1], [64, 1, 1], [128, 1, 1], [256, 1, 1], [512, 1, 1], [1024, 1, 1]],
        true => vec![[16, 16, 1], [32, 8, 1], [32, 32, 1], [8, 8, 1], [32, 4, 1], [64, 4, 1]],
    };
    for k in &constants {
        if let Ok(k) = u32::try_from(*k)
            && u64::from(k) <= MAX_BLOCK_THREADS
        {
            blocks.push([k, 1, 1]);
            if two && k <= 32 {
                blocks.push([k, k, 1]);
                blocks.push([k, 8, 1]);
            }
        }
    }
    let grids: [[u32; 3]; 8] = [
        [1, 1, 1],
        [2, 1, 1],
        [4, 4, 1],
        [8, 2, 1],
        [64, 1, 1],
        [32, 32, 1],
        [1024, 1, 1],
        [3, 5, 1],
    ];
    // A fixed sequence: reports do not change from run to run.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let mut found = Vec::new();
    for _ in 0..MANY * 4 {
        let mut block = blocks[draw(blocks.len())];
        let mut grid = grids[draw(grids.len())];
        for d in 0..3 {
            if let Extent::Known(k) = program.geometry.block[d] {
                block[d] = k;
            }
            if let Some(Extent::Known(k)) = program.geometry.grid.map(|g| g[d]) {
                grid[d] = k;
            }
        }
        let dims = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        let launch = Launch { grid: dims(grid), block: dims(block), warp: program.geometry.warp };
        let mut at = Configuration::of_launch(launch);
        let total = |d: usize| u64::from(block[d]) * u64::from(grid[d]);
        let mut pool: Vec<u64> = vec![
            total(0),
            total(1),
            total(0),
            total(0) * total(1),
            u64::from(block[0]),
            1,
            2,
            16,
            100,
            256,
            512,
            1000,
            1024,
            4096,
            65536,
            1 << 20,
            0,
            total(0).saturating_sub(3),
            total(0) + 7,
        ];
        pool.extend(&constants);
        for param in &free {
            let asked = parameters.iter().any(|(name, _)| *name == param.name);
            let value = if asked { pool[draw(pool.len())] } else { 1 };
            at.parameters.insert(param.name.clone(), Natural::from(value));
        }
        for param in program.params.iter() {
            if let Some(value) = &param.value {
                at.parameters.insert(param.name.clone(), value.clone());
            }
        }
        if launch.block.count() <= MAX_BLOCK_THREADS
            && program.assumptions.iter().all(|c| holds(c, &at))
        {
            found.push(at);
        }
        if found.len() >= MANY {
            break;
        }
    }
    found
}

/// Does the condition hold of a launch?
pub(super) fn holds(condition: &Bool, at: &Configuration) -> bool {
    condition.eval(&|x| at.value_of(x, 0)).unwrap_or(false)
}
