//! Free variables of expressions, and substitution in them. Expressions bind nothing.

use super::tree::{Expr, ExprMut, Head};
use super::{Bool, Num};
use crate::deep::grow;
use crate::name::Name;
use crate::natural::Natural;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a literal becomes; `None`: it stays.
type OfLiteral<'a> = dyn FnMut(&Natural) -> Option<Num> + 'a;

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

/// What a substitution makes of a part, or the part itself, shared.
fn shared<T>(new: Option<T>, old: &Arc<T>) -> Arc<T> {
    new.map_or_else(|| old.clone(), Arc::new)
}

/// What a substitution makes of two parts, unless it changes neither.
fn either<T, U>(
    (new, old): (Option<T>, &Arc<T>),
    (other_new, other_old): (Option<U>, &Arc<U>),
) -> Option<(Arc<T>, Arc<U>)> {
    let changed = new.is_some() || other_new.is_some();
    changed.then(|| (shared(new, old), shared(other_new, other_old)))
}

impl ExprMut<'_> {
    /// Puts `e[x1 := n1, …]` in the expression's place.
    pub fn subst(self, map: &Renaming) {
        self.replace(map);
    }

    /// The same; is anything replaced?
    pub(crate) fn replace(self, map: &Renaming) -> bool {
        match self {
            ExprMut::Num(n) => n.replaced(map).map(|new| *n = new).is_some(),
            ExprMut::Bool(c) => c.replaced(map).map(|new| *c = new).is_some(),
        }
    }
}

impl Num {
    /// `n[x1 := n1, …]`, simultaneously.
    pub fn subst(&self, map: &Renaming) -> Num {
        self.replaced(map).unwrap_or_else(|| self.clone())
    }

    /// The same, unless nothing is replaced.
    fn replaced(&self, map: &Renaming) -> Option<Num> {
        let of = |n: &Arc<Num>| n.replaced(map);
        match self {
            Num::Var(x) => map.get(x).cloned(),
            Num::Lit(_) => None,
            Num::Binary(op, l, r) => grow(|| {
                let (l, r) = either((of(l), l), (of(r), r))?;
                Some(Num::Binary(*op, l, r))
            }),
            Num::Cast(from, to, n) => grow(|| Some(Num::Cast(*from, *to, Arc::new(of(n)?)))),
            Num::Select(c, n, m) => grow(|| {
                let (new, sides) = (c.replaced(map), either((of(n), n), (of(m), m)));
                if new.is_none() && sides.is_none() {
                    return None;
                }
                let (n, m) = sides.unwrap_or_else(|| (n.clone(), m.clone()));
                Some(Num::Select(shared(new, c), n, m))
            }),
        }
    }
}

impl Num {
    /// The expression with what `new` makes of its literals, which it is shown in pre-order.
    #[must_use]
    pub fn map_literals(&self, new: &mut OfLiteral<'_>) -> Num {
        let mut of = |n: &Arc<Num>| Arc::new(grow(|| n.map_literals(new)));
        match self {
            Num::Var(_) => self.clone(),
            Num::Lit(k) => new(k).unwrap_or_else(|| self.clone()),
            Num::Binary(op, l, r) => Num::Binary(*op, of(l), of(r)),
            Num::Cast(from, to, n) => Num::Cast(*from, *to, of(n)),
            Num::Select(c, n, m) => {
                let c = Arc::new(grow(|| c.map_literals(new)));
                let [n, m] = [n, m].map(|n| Arc::new(grow(|| n.map_literals(new))));
                Num::Select(c, n, m)
            }
        }
    }
}

impl Bool {
    /// The condition with what `new` makes of its numbers, which it is shown in pre-order.
    #[must_use]
    pub fn map_literals(&self, new: &mut OfLiteral<'_>) -> Bool {
        match self {
            Bool::Lit(_) => self.clone(),
            Bool::Compare(op, l, r) => {
                let [l, r] = [l, r].map(|n| Arc::new(grow(|| n.map_literals(new))));
                Bool::Compare(*op, l, r)
            }
            Bool::Connective(op, l, r) => {
                let [l, r] = [l, r].map(|c| Arc::new(grow(|| c.map_literals(new))));
                Bool::Connective(*op, l, r)
            }
            Bool::Not(c) => Bool::Not(Arc::new(grow(|| c.map_literals(new)))),
        }
    }
}

impl Bool {
    /// `c[x1 := n1, …]`, simultaneously.
    pub fn subst(&self, map: &Renaming) -> Bool {
        self.replaced(map).unwrap_or_else(|| self.clone())
    }

    /// The same, unless nothing is replaced.
    fn replaced(&self, map: &Renaming) -> Option<Bool> {
        match self {
            Bool::Lit(_) => None,
            Bool::Compare(op, l, r) => grow(|| {
                let (l, r) = either((l.replaced(map), l), (r.replaced(map), r))?;
                Some(Bool::Compare(*op, l, r))
            }),
            Bool::Connective(op, l, r) => grow(|| {
                let (l, r) = either((l.replaced(map), l), (r.replaced(map), r))?;
                Some(Bool::Connective(*op, l, r))
            }),
            Bool::Not(c) => grow(|| Some(Bool::Not(Arc::new(c.replaced(map)?)))),
        }
    }
}
