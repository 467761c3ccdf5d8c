//! Free variables of expressions, and substitution in them. Expressions bind nothing.

use super::tree::{Expr, ExprMut, Head};
use super::{Bool, Num};
use crate::deep::grow;
use crate::name::Name;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A simultaneous substitution `[x1 := n1, …]` of expressions for variables.
pub type Renaming = BTreeMap<Name, Num>;

impl Expr<'_> {
    /// Adds the variables of the expression to `vars`.
    pub fn collect_vars(self, vars: &mut BTreeSet<Name>) {
        for head in self.heads() {
            if let Head::Var(x) = head
                && !vars.contains(x)
            {
                vars.insert(x.clone());
            }
        }
    }
}

impl ExprMut<'_> {
    /// Puts `e[x1 := n1, …]` in the expression's place.
    pub fn subst(self, map: &Renaming) {
        match self {
            ExprMut::Num(n) => *n = n.subst(map),
            ExprMut::Bool(c) => *c = c.subst(map),
        }
    }
}

impl Num {
    /// `n[x1 := n1, …]`, simultaneously.
    pub fn subst(&self, map: &Renaming) -> Num {
        grow(|| match self {
            Num::Var(x) => map.get(x).cloned().unwrap_or_else(|| self.clone()),
            Num::Lit(_) => self.clone(),
            Num::Binary(op, l, r) => {
                Num::Binary(*op, Arc::new(l.subst(map)), Arc::new(r.subst(map)))
            }
            Num::Cast(from, to, n) => Num::Cast(*from, *to, Arc::new(n.subst(map))),
            Num::Select(c, n, m) => {
                Num::Select(Arc::new(c.subst(map)), Arc::new(n.subst(map)), Arc::new(m.subst(map)))
            }
        })
    }
}

impl Bool {
    /// `c[x1 := n1, …]`, simultaneously.
    pub fn subst(&self, map: &Renaming) -> Bool {
        grow(|| match self {
            Bool::Lit(_) => self.clone(),
            Bool::Compare(op, l, r) => {
                Bool::Compare(*op, Arc::new(l.subst(map)), Arc::new(r.subst(map)))
            }
            Bool::Connective(op, l, r) => {
                Bool::Connective(*op, Arc::new(l.subst(map)), Arc::new(r.subst(map)))
            }
            Bool::Not(c) => Bool::Not(Arc::new(c.subst(map))),
        })
    }
}
