//! Conditions on launches and parameters that a kernel may need.

use super::parts::{Parts, literals, parts};
use babycuda_core::expr::{ArithOp, CompareOp, Expr, Relation};
use babycuda_core::launch::MAX_BLOCK_THREADS;
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::syntax::Extent;
use babycuda_core::{Bool, Configuration, IntType, MachineOp, Name, Natural, Num, Program};
use std::collections::BTreeSet;

/// A condition, with its text in C: in that of a file, read with C's conversions, it says the same.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    pub(super) condition: Bool,
    pub(super) text: String,
}

impl Candidate {
    /// The variable that it says the value of, and that.
    pub(super) fn equation(&self) -> Option<(&Name, &Natural)> {
        match &self.condition {
            Bool::Compare(op, l, r) if *op == CompareOp::natural(Relation::Eq) => {
                match (&**l, &**r) {
                    (Num::Var(x), Num::Lit(k)) => Some((x, k)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Does it compare a parameter with some constant? Of extents that is mostly said, of parameters it mostly is not; that
    /// a constant divides them is.
    pub(super) fn is_unusual(&self) -> bool {
        let is_extent = |x: &Name| BLOCK_DIM.iter().chain(&GRID_DIM).any(|d| x.as_str() == *d);
        let mut found = BTreeSet::new();
        literals(Expr::Bool(&self.condition), &mut found);
        !self.text.contains('%')
            && !self.condition.free_vars().iter().all(is_extent)
            && found.range(3..=MAX_BLOCK_THREADS * 4).next().is_some()
    }
}

/// Grids have mostly no more blocks in a dimension.
pub(super) const USUAL_GRID: u64 = 1024;
/// And hardly ever more.
const LARGE_GRID: u64 = 65_535;
/// Tiles of blocks are no wider.
pub(super) const MAX_TILE: u64 = 64;
/// A pitch is in bytes, of cells of so many bytes.
pub(super) const PITCHES: [u64; 3] = [4, 8, 16];

/// Is what is not negative a power of two, or 0? As C says it: solvers do more with it than with a list.
fn power_of_two(n: &Num, t: IntType) -> Bool {
    let before = Num::machine(MachineOp::Sub, t, n.clone(), Num::lit(1u64));
    let common = Num::machine(MachineOp::And, t, n.clone(), before);
    Bool::compare(Relation::Eq, common, Num::lit(0u64))
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

/// The text of [`at_least`]: C compares an `int` with an `unsigned` as `unsigned`, and with a literal as it is.
fn said_at_least(name: &Name, t: IntType, bound: &str) -> String {
    if bound.bytes().all(|b| b.is_ascii_digit()) {
        return format!("{name} >= {bound}");
    }
    not_negative(name, t, &format!("{name} >= {bound}"))
}

/// A condition of a number that is not negative, in C.
fn not_negative(name: &Name, t: IntType, said: &str) -> String {
    match t.signed {
        true => format!("{name} >= 0 && {said}"),
        false => said.to_owned(),
    }
}

/// What is so in one launch: the extents and parameters that matter, one by one.
pub(super) fn equations(program: &Program, at: &Configuration) -> Vec<Candidate> {
    let Parts { block, grid, parameters, .. } = parts(program, &[]);
    let extents = block.iter().map(|d| (BLOCK_DIM[*d], at.launch.block.components()[*d]));
    let extents =
        extents.chain(grid.iter().map(|d| (GRID_DIM[*d], at.launch.grid.components()[*d])));
    let mut all: Vec<Candidate> = extents
        .map(|(name, k)| Candidate {
            condition: Bool::compare(Relation::Eq, Num::var(name), Num::lit(u64::from(k))),
            text: format!("{name} == {k}"),
        })
        .collect();
    for (name, _) in parameters {
        let Some(value) = at.parameters.get(&name) else { continue };
        all.push(Candidate {
            text: format!("{name} == {}", program.read_parameter(&name, value)),
            condition: Bool::compare(Relation::Eq, Num::Var(name), Num::Lit(value.clone())),
        });
    }
    all
}

/// Conditions under which the kernel may be race-free. `examples` are programs of it under launches.
pub(super) fn candidates(program: &Program, examples: &[Program]) -> Vec<Candidate> {
    let Parts { block, grid, parameters, constants } = parts(program, examples);
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
    // As C computes it: extents are `unsigned`.
    let times_in = |t: IntType, l: Num, r: Num| Num::machine(MachineOp::Mul, t, l, r);
    let times = |l: Num, r: Num| times_in(IntType::U32, l, r);
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
            let has_threads = program.geometry.block[d] != Extent::Known(1);
            if has_threads || grid.contains(&d) {
                let threads = grid
                    .contains(&d)
                    .then(|| (times(g.clone(), n.clone()), format!("{grid_name} * {name}")));
                for (bound, said) in threads.into_iter().chain([(n.clone(), name.clone())]) {
                    add(at_least(p, *t, bound.clone()), said_at_least(p, *t, &said));
                    add(Bool::compare(Relation::Eq, var(), bound), format!("{p} == {said}"));
                }
                if grid.contains(&d) {
                    add(at_least(p, *t, g.clone()), said_at_least(p, *t, &grid_name));
                    add(Bool::compare(Relation::Eq, var(), g), format!("{p} == {grid_name}"));
                }
                if block.contains(&d) {
                    let twice = times(Num::lit(2u64), n.clone());
                    add(Bool::compare(Relation::Eq, var(), twice), format!("{p} == 2 * {name}"));
                    let most = Bool::and(
                        Bool::compare(Relation::Le, var(), n.clone()),
                        Bool::compare(Relation::Ge, var(), Num::lit(0u64)),
                    );
                    add(most, not_negative(p, *t, &format!("{p} <= {name}")));
                }
            }
        }
        add(at_least(p, *t, Num::lit(1u64)), format!("{p} > 0"));
        add(at_least(p, *t, Num::lit(0u64)), format!("{p} >= 0"));
        add(Bool::compare(Relation::Ne, var(), Num::lit(0u64)), format!("{p} != 0"));
        let power = Bool::and(at_least(p, *t, Num::lit(1u64)), power_of_two(&var(), *t));
        add(power, format!("{p} > 0 && ({p} & ({p} - 1)) == 0"));
        for (q, u) in parameters.iter().filter(|(q, u)| q != p && u.width == t.width) {
            let both =
                Bool::and(at_least(p, *t, Num::Var(q.clone())), at_least(q, *u, Num::lit(0u64)));
            let said = match t.signed == u.signed {
                true => format!("{p} >= {q}"),
                false => said_at_least(p, *t, q.as_str()),
            };
            add(both, not_negative(q, *u, &said));
            let more = Bool::compare(Relation::Gt, Num::Var(p.clone()), Num::Var(q.clone()));
            let both = Bool::and(
                Bool::and(more, at_least(p, *t, Num::lit(0u64))),
                at_least(q, *u, Num::lit(0u64)),
            );
            let said = match t.signed == u.signed {
                true => format!("{p} > {q}"),
                false => not_negative(p, *t, &format!("{p} > {q}")),
            };
            add(both, not_negative(q, *u, &said));
            // Of an `int` and an extent, or of what is wider.
            let wide = if u.width.bits() > 32 { IntType::U64 } else { IntType::U32 };
            for k in PITCHES {
                let bytes = match u.signed {
                    true => Num::arith(ArithOp::Mul, Num::lit(k), Num::Var(q.clone())),
                    false => times_in(*u, Num::lit(k), Num::Var(q.clone())),
                };
                let both = Bool::and(at_least(p, *t, bytes), at_least(q, *u, Num::lit(0u64)));
                let said = said_at_least(p, *t, &format!("{k} * {q}"));
                add(both, not_negative(q, *u, &said));
            }
            for d in block.iter().copied() {
                let (n, name) = extent(d);
                let (g, grid_name) = blocks(d);
                let around = times_in(wide, Num::lit(2u64), Num::Var(q.clone()));
                let around = Num::machine(MachineOp::Add, wide, n.clone(), around);
                let both = Bool::and(at_least(p, *t, around), at_least(q, *u, Num::lit(0u64)));
                let said = said_at_least(p, *t, &format!("{name} + 2 * {q}"));
                add(both, not_negative(q, *u, &said));
                if grid.contains(&d) {
                    let all = times_in(wide, times(g, n), Num::Var(q.clone()));
                    let both = Bool::and(at_least(p, *t, all), at_least(q, *u, Num::lit(0u64)));
                    let said = said_at_least(p, *t, &format!("{grid_name} * {name} * {q}"));
                    add(both, not_negative(q, *u, &said));
                } else {
                    let both = Bool::and(
                        at_least(p, *t, times_in(wide, n, Num::Var(q.clone()))),
                        at_least(q, *u, Num::lit(0u64)),
                    );
                    let said = said_at_least(p, *t, &format!("{name} * {q}"));
                    add(both, not_negative(q, *u, &said));
                }
            }
        }
        for k in &constants {
            let k = *k;
            add(at_least(p, *t, Num::lit(k)), format!("{p} >= {k}"));
            add(at_least(p, *t, Num::lit(k + 1)), format!("{p} > {k}"));
            let below = Bool::compare(Relation::Le, var(), Num::lit(k));
            add(
                Bool::and(at_least(p, *t, Num::lit(0u64)), below),
                not_negative(p, *t, &format!("{p} <= {k}")),
            );
            let rest = Num::arith(ArithOp::Mod, var(), Num::lit(k));
            add(
                Bool::and(at_least(p, *t, Num::lit(0u64)), equals(rest, 0)),
                not_negative(p, *t, &format!("{p} % {k} == 0")),
            );
            add(equals(var(), k), format!("{p} == {k}"));
            // A block has a tile of so many cells.
            for d in grid.iter().copied().filter(|_| k <= MAX_TILE) {
                let (g, name) = blocks(d);
                let tiles = times(g, Num::lit(k));
                add(at_least(p, *t, tiles), said_at_least(p, *t, &format!("{name} * {k}")));
            }
        }
        if t.width.bits() > 32 {
            // What the host counts with an `int`, so that no product of it with extents wraps.
            let most = Bool::compare(Relation::Le, var(), Num::lit(i32::MAX as u64));
            let said = not_negative(p, *t, &format!("{p} <= {}", i32::MAX));
            add(Bool::and(at_least(p, *t, Num::lit(0u64)), most), said);
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
            // Of those that allow the same launches the first one is taken: the weaker one.
            if k > 1 {
                add(Bool::compare(Relation::Le, n.clone(), Num::lit(k)), format!("{name} <= {k}"));
                add(Bool::compare(Relation::Ge, n.clone(), Num::lit(k)), format!("{name} >= {k}"));
                let rest = Num::arith(ArithOp::Mod, n.clone(), Num::lit(k));
                add(equals(rest, 0), format!("{name} % {k} == 0"));
            }
            add(equals(n.clone(), k), format!("{name} == {k}"));
        }
        for e in block.iter().copied().filter(|e| *e > d) {
            let (m, other) = extent(e);
            add(Bool::compare(Relation::Eq, n.clone(), m.clone()), format!("{name} == {other}"));
            add(Bool::compare(Relation::Ge, n.clone(), m.clone()), format!("{name} >= {other}"));
            add(Bool::compare(Relation::Le, n.clone(), m), format!("{name} <= {other}"));
        }
        add(power_of_two(&n, IntType::U32), format!("({name} & ({name} - 1)) == 0"));
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
        // What is computed in 32 bits does not wrap.
        for k in [LARGE_GRID, USUAL_GRID, 64] {
            let most = Bool::compare(Relation::Le, g.clone(), Num::lit(k));
            add(most, format!("{name} <= {k}"));
        }
        // The index stays in the range of `int`.
        let all = times(g, extent(d).0);
        let most = Bool::compare(Relation::Le, all.clone(), Num::lit(1u64 << 20));
        add(most, format!("{name} * {} <= {}", extent(d).1, 1u64 << 20));
        let most = Bool::compare(Relation::Le, all, Num::lit(i32::MAX as u64));
        add(most, format!("{name} * {} <= {}", extent(d).1, i32::MAX));
    }
    all
}
