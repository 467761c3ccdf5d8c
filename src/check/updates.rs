//! What is known of the atomic statements of a program (THEORY T13).

use babycuda_core::deep::grow;
use babycuda_core::interval::Interval;
use babycuda_core::name::reserved::{BLOCK_IDX, GRID_DIM};
use babycuda_core::syntax::{AtomicUpdate, Program, Tree};
use babycuda_core::{Bool, Declarations, Name, Protocol, Site, Stmt};
use babycuda_typing::approximate;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the atomic statements of `program` do. Nothing, where no grid is given and the program
/// mentions a dimension of it that its protocol does not: how many blocks may update a cell could not
/// be told from the protocol.
pub(super) fn of(program: &Program, protocol: &Protocol) -> BTreeMap<Site, AtomicUpdate<Interval>> {
    let assumed = program.assumptions.iter().flat_map(Bool::free_vars);
    let (all, shown) = (program.body.free_vars(), protocol.free_vars());
    let shown: BTreeSet<Name> = shown.into_iter().chain(assumed).collect();
    let hidden = (0..3).any(|d| {
        let mentions = |vars: &BTreeSet<Name>| {
            vars.iter().any(|x| [BLOCK_IDX[d], GRID_DIM[d]].contains(&x.as_str()))
        };
        mentions(&all) && !mentions(&shown)
    });
    if program.geometry.grid.is_none() && hidden {
        return BTreeMap::new();
    }
    babycuda_typing::updates(program)
}

/// The protocol of `program` with the operands that are not constant, as
/// [`Declarations::updates`] says.
#[cfg(feature = "solver")]
pub(super) fn with_operands(program: &Program, declarations: &Declarations) -> Protocol {
    let accessed = program.body.arrays();
    let operands = Name::new("operands").fresh(|name| accessed.contains(name));
    let mut program = program.clone();
    program.arrays.retain(|array| array.name != operands);
    program.body = before_updates(&program.body, declarations, &operands);
    approximate(&program).protocol
}

/// The statement with a read before each such update.
#[cfg(feature = "solver")]
fn before_updates(b: &Stmt, declarations: &Declarations, operands: &Name) -> Stmt {
    let inner =
        grow(|| b.map_children(|child| Arc::new(before_updates(child, declarations, operands))));
    let Stmt::Atomic { site, update, .. } = b else { return inner };
    let known = declarations.updates.get(site);
    if known.is_none_or(|update| update.operand.single().is_some()) {
        return inner;
    }
    let (site, var, array) = (*site, operands.clone(), operands.clone());
    let (index, body) = (update.operand.clone(), Arc::new(Stmt::Skip));
    let operand = Stmt::Read { site, var, array, index, body };
    Stmt::Seq(Arc::new(operand), Arc::new(inner))
}
