//! Alpha-equivalence: equality up to the names of bound variables, and up to sites.

use super::{AtomicUpdate, Protocol, Stmt};
use crate::deep::grow;
use crate::expr::{Bool, Num};
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

    fn nums(&self, n: &Num, m: &Num) -> bool {
        n.equal_under(m, &|x, y| self.same(x, y))
    }

    fn bools(&self, c: &Bool, d: &Bool) -> bool {
        c.equal_under(d, &|x, y| self.same(x, y))
    }

    fn updates(&self, u: &AtomicUpdate<Num>, v: &AtomicUpdate<Num>) -> bool {
        u.op == v.op
            && self.nums(&u.operand, &v.operand)
            && match (&u.expected, &v.expected) {
                (Some(n), Some(m)) => self.nums(n, m),
                (None, None) => true,
                _ => false,
            }
    }

    /// Runs `f` below corresponding binders of `x` and `y`.
    fn below(&mut self, x: &Name, y: &Name, f: impl FnOnce(&mut Self) -> bool) -> bool {
        self.left.entry(x.clone()).or_default().push(self.opened);
        self.right.entry(y.clone()).or_default().push(self.opened);
        self.opened += 1;
        let result = grow(|| f(self));
        for (side, name) in [(&mut self.left, x), (&mut self.right, y)] {
            if let Some(binders) = side.get_mut(name) {
                binders.pop();
            }
        }
        result
    }

    fn stmts(&mut self, b: &Stmt, c: &Stmt) -> bool {
        match (b, c) {
            (Stmt::Skip, Stmt::Skip) | (Stmt::Sync { .. }, Stmt::Sync { .. }) => true,
            (
                Stmt::Write { array: a1, index: n1, payload: m1, .. },
                Stmt::Write { array: a2, index: n2, payload: m2, .. },
            ) => a1 == a2 && self.nums(n1, n2) && self.nums(m1, m2),
            (
                Stmt::Read { var: x1, array: a1, index: n1, body: b1, .. },
                Stmt::Read { var: x2, array: a2, index: n2, body: b2, .. },
            ) => a1 == a2 && self.nums(n1, n2) && self.below(x1, x2, |this| this.stmts(b1, b2)),
            (
                Stmt::Atomic {
                    var: x1, array: a1, index: n1, update: u1, scope: s1, body: b1, ..
                },
                Stmt::Atomic {
                    var: x2, array: a2, index: n2, update: u2, scope: s2, body: b2, ..
                },
            ) => {
                (a1, s1) == (a2, s2)
                    && self.nums(n1, n2)
                    && self.updates(u1, u2)
                    && self.below(x1, x2, |this| this.stmts(b1, b2))
            }
            (Stmt::Seq(b1, c1), Stmt::Seq(b2, c2)) => {
                grow(|| self.stmts(b1, b2) && self.stmts(c1, c2))
            }
            (
                Stmt::If { condition: c1, then: t1, otherwise: o1, .. },
                Stmt::If { condition: c2, then: t2, otherwise: o2, .. },
            ) => self.bools(c1, c2) && grow(|| self.stmts(t1, t2) && self.stmts(o1, o2)),
            (
                Stmt::For { sort: s1, var: x1, lower: l1, upper: u1, body: b1, .. },
                Stmt::For { sort: s2, var: x2, lower: l2, upper: u2, body: b2, .. },
            ) => {
                s1 == s2
                    && self.nums(l1, l2)
                    && self.nums(u1, u2)
                    && self.below(x1, x2, |this| this.stmts(b1, b2))
            }
            _ => false,
        }
    }

    fn protocols(&mut self, p: &Protocol, q: &Protocol) -> bool {
        match (p, q) {
            (Protocol::Skip, Protocol::Skip) | (Protocol::Sync { .. }, Protocol::Sync { .. }) => {
                true
            }
            (
                Protocol::Access { mode: o1, array: a1, index: n1, .. },
                Protocol::Access { mode: o2, array: a2, index: n2, .. },
            ) => (o1, a1) == (o2, a2) && self.nums(n1, n2),
            (Protocol::Seq(p1, q1), Protocol::Seq(p2, q2)) => {
                grow(|| self.protocols(p1, p2) && self.protocols(q1, q2))
            }
            (
                Protocol::If { condition: c1, then: t1, otherwise: o1, .. },
                Protocol::If { condition: c2, then: t2, otherwise: o2, .. },
            ) => self.bools(c1, c2) && grow(|| self.protocols(t1, t2) && self.protocols(o1, o2)),
            (
                Protocol::For { sort: s1, var: x1, lower: l1, upper: u1, body: b1, .. },
                Protocol::For { sort: s2, var: x2, lower: l2, upper: u2, body: b2, .. },
            ) => {
                s1 == s2
                    && self.nums(l1, l2)
                    && self.nums(u1, u2)
                    && self.below(x1, x2, |this| this.protocols(b1, b2))
            }
            (
                Protocol::Any { var: x1, domain: d1, body: b1, .. },
                Protocol::Any { var: x2, domain: d2, body: b2, .. },
            ) => d1 == d2 && self.below(x1, x2, |this| this.protocols(b1, b2)),
            _ => false,
        }
    }
}

impl Stmt {
    /// Are the statements equal up to the names of variables bound by `let` and `for`?
    /// Sites are not compared.
    pub fn alpha_equivalent(&self, other: &Stmt) -> bool {
        Binders::default().stmts(self, other)
    }
}

impl Protocol {
    /// Are the protocols equal up to the names of variables bound by `for` and `any`?
    /// Sites are not compared.
    pub fn alpha_equivalent(&self, other: &Protocol) -> bool {
        Binders::default().protocols(self, other)
    }
}
