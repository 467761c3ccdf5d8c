//! Expressions as trees: comparing, searching and dropping them whatever their height.

use super::{Bool, BoolOp, CompareOp, Num, NumOp};
use crate::deep::{compare_in_preorder, release};
use crate::machine::IntType;
use crate::name::Name;
use crate::natural::Natural;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// An expression of either sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Expr<'a> {
    Num(&'a Num),
    Bool(&'a Bool),
}

/// An expression of either sort, to be changed.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum ExprMut<'a> {
    Num(&'a mut Num),
    Bool(&'a mut Bool),
}

/// A node of an expression, without its children.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Head<'a> {
    Var(&'a Name),
    Lit(&'a Natural),
    Binary(NumOp),
    Cast(IntType, IntType),
    Select,
    Truth(bool),
    Compare(CompareOp),
    Connective(BoolOp),
    Not,
}

impl<'a> Expr<'a> {
    /// The same object?
    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Expr::Num(n), Expr::Num(m)) => std::ptr::eq(n, m),
            (Expr::Bool(c), Expr::Bool(d)) => std::ptr::eq(c, d),
            _ => false,
        }
    }

    /// The root and its children.
    pub(crate) fn parts(self) -> (Head<'a>, [Option<Expr<'a>>; 3]) {
        let (num, bool) = (|n| Some(Expr::Num(n)), |c| Some(Expr::Bool(c)));
        match self {
            Expr::Num(Num::Var(x)) => (Head::Var(x), [None; 3]),
            Expr::Num(Num::Lit(k)) => (Head::Lit(k), [None; 3]),
            Expr::Num(Num::Binary(op, l, r)) => (Head::Binary(*op), [num(l), num(r), None]),
            Expr::Num(Num::Cast(from, to, n)) => (Head::Cast(*from, *to), [num(n), None, None]),
            Expr::Num(Num::Select(c, n, m)) => (Head::Select, [bool(c), num(n), num(m)]),
            Expr::Bool(Bool::Lit(b)) => (Head::Truth(*b), [None; 3]),
            Expr::Bool(Bool::Compare(op, l, r)) => (Head::Compare(*op), [num(l), num(r), None]),
            Expr::Bool(Bool::Connective(op, l, r)) => {
                (Head::Connective(*op), [bool(l), bool(r), None])
            }
            Expr::Bool(Bool::Not(c)) => (Head::Not, [bool(c), None, None]),
        }
    }

    /// The nodes, in pre-order. As many children follow a node as its head says, so equal lists are
    /// equal expressions.
    pub fn heads(self) -> impl Iterator<Item = Head<'a>> {
        let mut pending = vec![self];
        std::iter::from_fn(move || {
            let (head, children) = pending.pop()?.parts();
            pending.extend(children.into_iter().rev().flatten());
            Some(head)
        })
    }

    /// Has the expression at most `limit` nodes, counted as often as they occur?
    pub(super) fn is_within(self, limit: usize) -> bool {
        self.heads().take(limit.saturating_add(1)).count() <= limit
    }

    /// Equality, where two variables are equal when `same` says so.
    pub(crate) fn equal_under(self, other: Self, same: &impl Fn(&Name, &Name) -> bool) -> bool {
        let (mut left, mut right) = (self.heads(), other.heads());
        loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(Head::Var(x)), Some(Head::Var(y))) if same(x, y) => {}
                (Some(Head::Var(_)), _) | (_, Some(Head::Var(_))) => return false,
                (l, r) if l == r => {}
                _ => return false,
            }
        }
    }

    /// Does the expression use only what LCL22 Fig. 2 prints?
    pub(super) fn is_paper(self) -> bool {
        self.heads().all(|head| {
            !matches!(
                head,
                Head::Binary(NumOp::Machine(..))
                    | Head::Cast(..)
                    | Head::Select
                    | Head::Compare(CompareOp { machine: Some(_), .. })
            )
        })
    }
}

/// What both sorts have.
macro_rules! expressions {
    ($($sort:ident)*) => {$(
        impl $sort {
            fn node(&self) -> Expr<'_> {
                Expr::$sort(self)
            }

            /// The variables of the expression, which are all free.
            pub fn free_vars(&self) -> BTreeSet<Name> {
                let mut vars = BTreeSet::new();
                self.collect_vars(&mut vars);
                vars
            }

            /// Adds the variables of the expression to `vars`.
            pub fn collect_vars(&self, vars: &mut BTreeSet<Name>) {
                self.node().collect_vars(vars);
            }

            /// Has the expression at most `limit` nodes, counted as often as they occur? Shared parts
            /// make trees of exponential size; the search ends at the limit.
            pub fn is_within(&self, limit: usize) -> bool {
                self.node().is_within(limit)
            }
        }

        compare_in_preorder!($sort);

        /// The concrete syntax.
        impl fmt::Debug for $sort {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        }
    )*};
}

expressions!(Num Bool);

fn release_num(n: &mut Arc<Num>) {
    release(n, |n| matches!(n, Num::Var(_) | Num::Lit(_)), Num::Lit(Natural::zero()));
}

fn release_bool(c: &mut Arc<Bool>) {
    release(c, |c| matches!(c, Bool::Lit(_)), Bool::Lit(false));
}

impl Drop for Num {
    fn drop(&mut self) {
        match self {
            Num::Var(_) | Num::Lit(_) => {}
            Num::Binary(_, l, r) => [l, r].into_iter().for_each(release_num),
            Num::Cast(_, _, n) => release_num(n),
            Num::Select(c, n, m) => {
                release_bool(c);
                [n, m].into_iter().for_each(release_num);
            }
        }
    }
}

impl Drop for Bool {
    fn drop(&mut self) {
        match self {
            Bool::Lit(_) => {}
            Bool::Compare(_, l, r) => [l, r].into_iter().for_each(release_num),
            Bool::Connective(_, l, r) => [l, r].into_iter().for_each(release_bool),
            Bool::Not(c) => release_bool(c),
        }
    }
}
