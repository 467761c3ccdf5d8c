//! Alpha-equivalence: equality up to the names of bound variables, and up to sites.

use super::view::Tree;
use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::expr::Expr;
use crate::name::Name;
use std::collections::BTreeMap;

/// Which binders of the two trees correspond.
#[derive(Default)]
struct Binders {
    /// The numbers of the open binders of each name, innermost last.
    left: BTreeMap<Name, Vec<usize>>,
    right: BTreeMap<Name, Vec<usize>>,
    opened: usize,
}

impl Binders {
    /// Are these occurrences bound by corresponding binders, or the same free variable?
    fn same(&self, x: &Name, y: &Name) -> bool {
        let bound = |side: &BTreeMap<Name, Vec<usize>>, name| side.get(name)?.last().copied();
        match (bound(&self.left, x), bound(&self.right, y)) {
            (None, None) => x == y,
            (x, y) => x == y,
        }
    }

    /// Are these corresponding expressions equal, or both absent?
    fn exprs(&self, e: Option<Expr<'_>>, f: Option<Expr<'_>>) -> bool {
        match (e, f) {
            (Some(e), Some(f)) => e.equal_under(f, &|x, y| self.same(x, y)),
            (e, f) => e.is_none() && f.is_none(),
        }
    }

    /// Runs `f` below corresponding binders of `x` and `y`.
    fn below(&mut self, x: &Name, y: &Name, f: impl FnOnce(&mut Self) -> bool) -> bool {
        self.left.entry(x.clone()).or_default().push(self.opened);
        self.right.entry(y.clone()).or_default().push(self.opened);
        self.opened += 1;
        let result = f(self);
        for (side, name) in [(&mut self.left, x), (&mut self.right, y)] {
            if let Some(binders) = side.get_mut(name) {
                binders.pop();
            }
        }
        result
    }

    fn trees<T: Tree>(&mut self, one: &T, other: &T) -> bool {
        let (l, r) = (one.view(), other.view());
        if one.head() != other.head()
            || !l.exprs.iter().zip(r.exprs).all(|(e, f)| self.exprs(*e, f))
        {
            return false;
        }
        let mut pairs = l.children.into_iter().flatten().zip(r.children.into_iter().flatten());
        let mut children = |this: &mut Self| grow(|| pairs.all(|(c, d)| this.trees(&**c, &**d)));
        match (l.binder, r.binder) {
            (Some(x), Some(y)) => self.below(x, y, children),
            _ => children(self),
        }
    }
}

impl Stmt {
    /// Are the statements equal up to the names of variables bound by `let` and `for`?
    /// Sites are not compared.
    pub fn alpha_equivalent(&self, other: &Stmt) -> bool {
        Binders::default().trees(self, other)
    }
}

impl Protocol {
    /// Are the protocols equal up to the names of variables bound by `for` and `any`?
    /// Sites are not compared.
    pub fn alpha_equivalent(&self, other: &Protocol) -> bool {
        Binders::default().trees(self, other)
    }
}
