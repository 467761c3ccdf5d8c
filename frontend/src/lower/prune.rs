//! Statements that nothing rests on, and their removal.

use super::overflow::is_stop;
use babycuda_core::syntax::Tree;
use babycuda_core::{Name, Num, Site, Stmt};
use std::collections::{BTreeMap, BTreeSet};
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

/// Removes reads of which nobody uses the value, where the thread has read the same cell at the same
/// place of the source since the last barrier: they are no other accesses.
pub(super) fn once(body: &Stmt) -> Stmt {
    let (mut bound, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut again = BTreeSet::new();
    for node in body.subterms().map(Stmt::view) {
        node.exprs.into_iter().flatten().for_each(|e| e.collect_vars(&mut used));
        again.extend(node.binder.filter(|x| !bound.insert(*x)).cloned());
    }
    Repeated { again, used, ..Repeated::default() }.removed(body)
}

#[derive(Default)]
struct Repeated {
    /// The names that are bound more than once: an index that mentions one may be another.
    again: BTreeSet<Name>,
    /// The variables that are used anywhere.
    used: BTreeSet<Name>,
    /// What the thread has read since the last barrier, at each site.
    seen: BTreeMap<Site, (Name, Num)>,
    /// What `seen` held before, to go back to.
    before: Vec<(Site, Option<(Name, Num)>)>,
}

impl Repeated {
    fn removed(&mut self, b: &Stmt) -> Stmt {
        babycuda_core::deep::grow(|| self.removed_in_node(b))
    }

    fn removed_in_node(&mut self, b: &Stmt) -> Stmt {
        match b {
            Stmt::Read { site, var, array, index, body } => {
                let read = (array.clone(), index.clone());
                if self.seen.get(site) == Some(&read) && !self.used.contains(var) {
                    return self.removed(body);
                }
                if read.1.free_vars().is_disjoint(&self.again) {
                    self.before.push((*site, self.seen.insert(*site, read)));
                }
                b.map_children(|body| Arc::new(self.removed(body)))
            }
            Stmt::If { .. } | Stmt::For { .. } if b.has_sync() => {
                self.seen.clear();
                let result = b.map_children(|child| self.below(child));
                self.seen.clear();
                result
            }
            Stmt::If { .. } | Stmt::For { .. } => b.map_children(|child| self.below(child)),
            Stmt::Sync { .. } => {
                self.seen.clear();
                b.clone()
            }
            _ => b.map_children(|child| Arc::new(self.removed(child))),
        }
    }

    /// What stands below a guard or in a loop may not happen.
    fn below(&mut self, b: &Stmt) -> Arc<Stmt> {
        let mark = self.before.len();
        let result = self.removed(b);
        for (site, read) in self.before.split_off(mark).into_iter().rev() {
            match read {
                Some(read) => self.seen.insert(site, read),
                None => self.seen.remove(&site),
            };
        }
        Arc::new(result)
    }
}
