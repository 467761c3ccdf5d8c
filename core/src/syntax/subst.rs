//! Capture-respecting substitution in statements and protocols.
//!
//! Substitution stops at a binder of the same name (THEORY §2). A binder whose variable occurs in
//! a substituted expression is renamed first; values contain no variables, so the substitutions
//! that the semantics performs never rename.

use super::vars::free_vars;
use super::view::Tree;
use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::expr::{Num, Renaming};
use crate::name::Name;
use crate::natural::Natural;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a substitution becomes below a binder of `var`, and the binder's name from there on.
fn below<'a>(
    map: &'a Renaming,
    var: &Name,
    body_vars: impl FnOnce() -> BTreeSet<Name>,
) -> (Cow<'a, Renaming>, Name) {
    // Values, which are nearly all that is substituted, have no variables.
    let mentions = |n: &Num| !matches!(n, Num::Lit(_)) && n.free_vars().contains(var);
    let captures = map.iter().any(|(x, n)| x != var && mentions(n));
    if !captures && !map.contains_key(var) {
        return (Cow::Borrowed(map), var.clone());
    }
    let mut inner = map.clone();
    inner.remove(var);
    if !captures {
        return (Cow::Owned(inner), var.clone());
    }
    let mut taken = body_vars();
    for (x, n) in &inner {
        taken.insert(x.clone());
        n.collect_vars(&mut taken);
    }
    let fresh = var.fresh(|x| taken.contains(x));
    if fresh != *var {
        inner.insert(var.clone(), Num::Var(fresh.clone()));
    }
    (Cow::Owned(inner), fresh)
}

/// `t[x1 := n1, …]`, simultaneously and without capture; None where that is `t`. What does not change
/// is shared.
fn subst<T: Tree>(tree: &T, map: &Renaming) -> Option<T> {
    if map.is_empty() {
        return None;
    }
    let (mut new, mut changed) = (tree.clone(), false);
    let node = new.view_mut();
    node.exprs.into_iter().flatten().for_each(|e| changed |= e.replace(map));
    let mut inner = Cow::Borrowed(map);
    if let Some(var) = node.binder {
        let bodies = || node.children.iter().flatten().flat_map(|b| free_vars(&***b)).collect();
        (inner, *var) = below(map, var, bodies);
    }
    for child in node.children.into_iter().flatten() {
        if let Some(substituted) = grow(|| subst(&**child, &inner)) {
            (*child, changed) = (Arc::new(substituted), true);
        }
    }
    changed.then_some(new)
}

macro_rules! substitution {
    ($($tree:ident)*) => {$(
        impl $tree {
            /// `b[x := k]`
            pub fn subst_value(&self, var: &Name, value: &Natural) -> $tree {
                self.subst(&Renaming::from([(var.clone(), Num::Lit(value.clone()))]))
            }

            /// `b[x1 := n1, …]`, simultaneously and without capture.
            pub fn subst(&self, map: &Renaming) -> $tree {
                subst(self, map).unwrap_or_else(|| self.clone())
            }
        }
    )*};
}

substitution!(Stmt Protocol);
