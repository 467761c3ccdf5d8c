//! Statements that nothing rests on, and their removal.

use super::overflow::is_stop;
use babycuda_core::syntax::Tree;
use babycuda_core::{Name, Num, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What [`prune`] removes.
#[derive(Default)]
pub(super) struct Idle {
    /// Arrays of unknown values: their reads go when nobody uses the variable.
    pub(super) unknown: BTreeSet<Name>,
    /// The array of stops, when there is one.
    pub(super) overflow: Option<Name>,
    /// Variables that hold data and decide no access: stops that depend on them go.
    pub(super) payload: BTreeSet<Name>,
    /// How often the loops run of which nobody knows whether they end: these stay.
    pub(super) turns: BTreeSet<Name>,
}

/// Is the bound that of a loop of which nobody knows whether it ends?
pub(super) fn counts(upper: &Num, turns: &BTreeSet<Name>) -> bool {
    matches!(upper, Num::Var(x) if turns.contains(x))
}

/// Removes what is idle, with what that leaves empty.
pub(super) fn prune(body: &Stmt, idle: &Idle) -> Stmt {
    pruned(body, idle).0
}

/// `prune`, with the free variables of the result.
fn pruned(body: &Stmt, idle: &Idle) -> (Stmt, BTreeSet<Name>) {
    babycuda_core::deep::grow(|| pruned_node(body, idle))
}

fn pruned_node(body: &Stmt, idle: &Idle) -> (Stmt, BTreeSet<Name>) {
    let mut vars = BTreeSet::new();
    let result = body.map_children(|child| {
        let (child, free) = pruned(child, idle);
        vars.extend(free);
        Arc::new(child)
    });
    let is_skip = |b: &Stmt| *b == Stmt::Skip;
    match &result {
        Stmt::Read { var, array, body, .. }
            if idle.unknown.contains(array) && !vars.contains(var) =>
        {
            return (body.as_ref().clone(), vars);
        }
        Stmt::Seq(rest, only) | Stmt::Seq(only, rest) if is_skip(rest) => {
            return (only.as_ref().clone(), vars);
        }
        Stmt::If { condition, then, otherwise, .. } => {
            let stop = idle.overflow.as_ref().is_some_and(|array| is_stop(body, array));
            let uses_payload = || condition.free_vars().iter().any(|x| idle.payload.contains(x));
            if (is_skip(then) && is_skip(otherwise)) || (stop && uses_payload()) {
                return (Stmt::Skip, BTreeSet::new());
            }
        }
        Stmt::For { upper, body, .. } if is_skip(body) && !counts(upper, &idle.turns) => {
            return (Stmt::Skip, BTreeSet::new());
        }
        _ => {}
    }
    let node = result.view();
    if let Some(var) = node.binder {
        vars.remove(var);
    }
    node.exprs.into_iter().flatten().for_each(|e| e.collect_vars(&mut vars));
    (result, vars)
}
