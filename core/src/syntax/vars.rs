//! Free variables of statements and protocols.

use super::view::Tree;
use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::name::Name;
use std::collections::{BTreeMap, BTreeSet};

/// The free variables met so far, below the binders that are open.
#[derive(Default)]
struct Free {
    /// How many open binders each name has.
    bound: BTreeMap<Name, usize>,
    found: BTreeSet<Name>,
}

impl Free {
    fn collect<T: Tree>(&mut self, tree: &T) {
        let node = tree.view();
        let mut used = BTreeSet::new();
        node.exprs.into_iter().flatten().for_each(|e| e.collect_vars(&mut used));
        let bound = &self.bound;
        self.found.extend(used.into_iter().filter(|x| bound.get(x).is_none_or(|n| *n == 0)));
        if let Some(var) = node.binder {
            *self.bound.entry(var.clone()).or_default() += 1;
        }
        grow(|| node.children.into_iter().flatten().for_each(|child| self.collect(&**child)));
        if let Some(binders) = node.binder.and_then(|var| self.bound.get_mut(var)) {
            *binders -= 1;
        }
    }
}

/// The variables of a tree that nothing in it binds.
pub(super) fn free_vars<T: Tree>(tree: &T) -> BTreeSet<Name> {
    let mut free = Free::default();
    free.collect(tree);
    free.found
}

impl Stmt {
    /// `fv(b)`: the variables that occur and are not bound by `let` or `for`.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        free_vars(self)
    }
}

impl Protocol {
    /// `fv(p)`: the variables that occur and are not bound by `for` or `any`.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        free_vars(self)
    }
}
