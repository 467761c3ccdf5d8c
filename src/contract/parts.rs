//! What conditions may speak of: extents, parameters and constants of a kernel.

use babycuda_core::expr::Expr;
use babycuda_core::launch::MAX_BLOCK_THREADS;
use babycuda_core::name::reserved::{BLOCK_IDX, GRID_DIM};
use babycuda_core::syntax::{Domain, Extent, Tree};
use babycuda_core::{Bool, IntType, Name, Num, Program};
use std::collections::BTreeSet;

/// At most so many constants of a kernel are considered.
const MAX_CONSTANTS: usize = 12;
/// And so many quotients of them.
const MAX_QUOTIENTS: usize = 4;
/// And so many of its parameters.
const MAX_PARAMETERS: usize = 8;

/// The dimensions that matter, the parameters and the constants of a kernel.
pub(super) struct Parts {
    /// The dimensions of blocks that are not fixed.
    pub(super) block: Vec<usize>,
    /// Those of grids that the kernel mentions and that are not fixed.
    pub(super) grid: Vec<usize>,
    /// The kernel's own parameters of 32 bits and more.
    pub(super) parameters: Vec<(Name, IntType)>,
    pub(super) constants: Vec<u64>,
}

/// Those of a kernel, of which `examples` are programs under launches.
pub(super) fn parts(program: &Program, examples: &[Program]) -> Parts {
    let mut free = program.body.free_vars();
    program.assumptions.iter().for_each(|c| c.collect_vars(&mut free));
    let has = |names: &[&str; 3], d: usize| free.contains(&Name::new(names[d]));
    let symbolic = |d: &usize| program.geometry.block[*d] == Extent::Symbolic;
    let grid = |d: &usize| {
        let known = program.geometry.grid.is_some_and(|g| matches!(g[*d], Extent::Known(_)));
        !known && (has(&BLOCK_IDX, *d) || has(&GRID_DIM, *d))
    };
    let mut parameters = Vec::new();
    let deciding = deciding(program);
    for param in program.params.iter().filter(|p| p.value.is_none()) {
        let Domain::Machine(t) = param.domain else { continue };
        if t.width.bits() >= 32 && is_own(&param.name) && deciding.contains(&param.name) {
            parameters.push((param.name.clone(), t));
        }
    }
    parameters.truncate(MAX_PARAMETERS);
    Parts {
        block: (0..3).filter(symbolic).collect(),
        grid: (0..3).filter(grid).collect(),
        parameters,
        constants: constants(program, examples),
    }
}

/// What decides which accesses there are, and which cells they have, whatever is read. What is only stored, or compared
/// with what was read, is no matter of contracts.
fn deciding(program: &Program) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    let read: BTreeSet<&Name> =
        program.body.subterms().filter_map(|s| s.accessed().and(s.view().binder)).collect();
    for node in program.body.subterms() {
        let [first, rest @ ..] = node.view().exprs;
        let is_access = node.accessed().is_some();
        // Of an access that is the index, and its other ones are stored.
        for expr in first.into_iter().chain(rest.into_iter().flatten().filter(|_| !is_access)) {
            let mut vars = BTreeSet::new();
            expr.collect_vars(&mut vars);
            if is_access || vars.iter().all(|x| !read.contains(x)) {
                found.extend(vars);
            }
        }
    }
    program.assumptions.iter().for_each(|c| c.collect_vars(&mut found));
    found
}

/// May a condition speak of a parameter? Nobody can say anything of the host's values, nor of components; of fields that
/// the kernel is given it may.
fn is_own(name: &Name) -> bool {
    if name.as_str().starts_with("host.") {
        return false;
    }
    let component = |last: &str| {
        ["x", "y", "z", "w"].contains(&last) || last.starts_with(|c: char| c.is_ascii_digit())
    };
    name.as_str().rsplit_once('.').is_none_or(|(_, last)| !component(last))
}

/// The constants that a kernel mentions, the lengths of its shared arrays, and the extents of blocks in these programs of
/// it: those that may be extents.
fn constants(program: &Program, examples: &[Program]) -> Vec<u64> {
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
    let usual_first = |k: &u64| (!k.is_power_of_two(), *k);
    found.sort_by_key(usual_first);
    found.truncate(MAX_CONSTANTS);
    // A tile has so many blocks.
    let quotients: BTreeSet<u64> = found
        .iter()
        .flat_map(|k| found.iter().filter(move |l| *l % k == 0).map(move |l| l / k))
        .filter(|k| k.is_power_of_two() && *k > 1 && !found.contains(k))
        .collect();
    found.extend(quotients.into_iter().take(MAX_QUOTIENTS));
    found.sort_by_key(usual_first);
    let extents = examples.iter().flat_map(|example| example.geometry.block);
    for extent in extents {
        if let Extent::Known(k @ 2..) = extent
            && !found.contains(&k.into())
        {
            found.push(k.into());
        }
    }
    found
}

/// Adds the literals of an expression.
pub(super) fn literals(expr: Expr<'_>, found: &mut BTreeSet<u64>) {
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
