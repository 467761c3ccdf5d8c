//! Statements that nothing rests on, and their removal.

use super::overflow::is_stop;
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
    let result = match body {
        Stmt::Skip | Stmt::Sync { .. } => body.clone(),
        Stmt::Write { index, payload, .. } => {
            index.collect_vars(&mut vars);
            payload.collect_vars(&mut vars);
            body.clone()
        }
        Stmt::Read { site, var, array, index, body } => {
            let (body, free) = pruned(body, idle);
            if idle.unknown.contains(array) && !free.contains(var) {
                return (body, free);
            }
            vars = free;
            vars.remove(var);
            index.collect_vars(&mut vars);
            Stmt::Read {
                site: *site,
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                body: Arc::new(body),
            }
        }
        Stmt::Atomic { site, var, array, index, update, scope, body } => {
            let (body, free) = pruned(body, idle);
            vars = free;
            vars.remove(var);
            index.collect_vars(&mut vars);
            update.operand.collect_vars(&mut vars);
            if let Some(expected) = &update.expected {
                expected.collect_vars(&mut vars);
            }
            Stmt::Atomic {
                site: *site,
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                update: update.clone(),
                scope: *scope,
                body: Arc::new(body),
            }
        }
        Stmt::Seq(b, c) => {
            let (b, mut left) = pruned(b, idle);
            let (c, right) = pruned(c, idle);
            left.extend(right);
            vars = left;
            match (&b, &c) {
                (Stmt::Skip, _) => c,
                (_, Stmt::Skip) => b,
                _ => Stmt::seq(b, c),
            }
        }
        Stmt::If { site, condition, then, otherwise } => {
            let (then, left) = pruned(then, idle);
            let (otherwise, right) = pruned(otherwise, idle);
            let stop = idle.overflow.as_ref().is_some_and(|array| is_stop(body, array));
            let uses_payload = || condition.free_vars().iter().any(|x| idle.payload.contains(x));
            let goes = stop && uses_payload();
            if goes || matches!((&then, &otherwise), (Stmt::Skip, Stmt::Skip)) {
                Stmt::Skip
            } else {
                vars = left;
                vars.extend(right);
                condition.collect_vars(&mut vars);
                Stmt::If {
                    site: *site,
                    condition: condition.clone(),
                    then: Arc::new(then),
                    otherwise: Arc::new(otherwise),
                }
            }
        }
        Stmt::For { site, sort, var, lower, upper, body } => {
            let (body, free) = pruned(body, idle);
            if matches!(body, Stmt::Skip) && !counts(upper, &idle.turns) {
                Stmt::Skip
            } else {
                vars = free;
                vars.remove(var);
                lower.collect_vars(&mut vars);
                upper.collect_vars(&mut vars);
                Stmt::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: lower.clone(),
                    upper: upper.clone(),
                    body: Arc::new(body),
                }
            }
        }
    };
    (result, vars)
}
