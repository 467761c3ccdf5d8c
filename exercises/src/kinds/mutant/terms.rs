//! What operators, loops and protocols mean, changed: the right semantics runs a term that means the other thing.

use babycuda_core::deep::grow;
use babycuda_core::expr::NumOp;
use babycuda_core::expr::{ArithOp, Expr, ExprMut, Relation};
use babycuda_core::syntax::{Head, Tree};
use babycuda_core::{Bool, Num, Protocol, Stmt};
use std::sync::Arc;

/// What programs mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terms {
    /// `n - m` is the distance of both.
    Distance,
    /// `n % 0` is 0.
    RemainderByZero,
    /// A loop runs for its upper bound, too.
    UpperBound,
}

/// What protocols mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocols {
    /// Λ of `if` is that of both sides.
    BothSides,
    /// Λ of a loop is that of its first iteration.
    FirstIteration,
}

/// Nodes that an expression may have: those that mean the other thing mention parts twice.
const NODES: usize = 10_000;

impl Terms {
    /// The change of this name.
    pub fn named(name: &str) -> Option<Terms> {
        Some(match name {
            "distance" => Terms::Distance,
            "remainder-by-zero" => Terms::RemainderByZero,
            "upper-bound" => Terms::UpperBound,
            _ => return None,
        })
    }

    /// A statement that means what `statement` does by the changed semantics.
    ///
    /// # Errors
    /// An expression of it is too large.
    pub fn of(self, statement: &Stmt) -> Result<Stmt, String> {
        let changed = self.statement(statement);
        let small = |e: Expr<'_>| match e {
            Expr::Num(n) => n.is_within(NODES),
            Expr::Bool(c) => c.is_within(NODES),
        };
        let small =
            changed.subterms().all(|node| node.view().exprs.into_iter().flatten().all(small));
        if small {
            Ok(changed)
        } else {
            Err(format!("an expression is too large: more than {NODES} parts"))
        }
    }

    fn statement(self, statement: &Stmt) -> Stmt {
        let is_loop = matches!(statement.head(), Head::For(_));
        let mut changed = statement.map_children(|child| Arc::new(grow(|| self.statement(child))));
        for (place, e) in changed.view_mut().exprs.into_iter().flatten().enumerate() {
            match e {
                ExprMut::Num(n) => {
                    *n = self.num(n);
                    if is_loop && place == 1 && self == Terms::UpperBound {
                        *n = Num::arith(ArithOp::Add, n.clone(), Num::lit(1u32));
                    }
                }
                ExprMut::Bool(c) => *c = self.bool(c),
            }
        }
        changed
    }

    fn num(self, n: &Num) -> Num {
        grow(|| match n {
            Num::Var(_) | Num::Lit(_) => n.clone(),
            Num::Binary(op, l, r) => self.binary(*op, self.num(l), self.num(r)),
            Num::Cast(from, to, n) => Num::Cast(*from, *to, Arc::new(self.num(n))),
            Num::Select(c, n, m) => {
                Num::Select(Arc::new(self.bool(c)), Arc::new(self.num(n)), Arc::new(self.num(m)))
            }
        })
    }

    fn binary(self, op: NumOp, l: Num, r: Num) -> Num {
        let select = |c, n, m| Num::Select(Arc::new(c), Arc::new(n), Arc::new(m));
        match (self, op) {
            (Terms::Distance, NumOp::Natural(op @ ArithOp::Sub)) => select(
                Bool::compare(Relation::Lt, l.clone(), r.clone()),
                Num::arith(op, r.clone(), l.clone()),
                Num::arith(op, l, r),
            ),
            (Terms::RemainderByZero, NumOp::Natural(op @ ArithOp::Mod)) => {
                let zero = || Num::lit(0u32);
                select(Bool::compare(Relation::Eq, r.clone(), zero()), zero(), Num::arith(op, l, r))
            }
            _ => Num::Binary(op, Arc::new(l), Arc::new(r)),
        }
    }

    fn bool(self, c: &Bool) -> Bool {
        grow(|| match c {
            Bool::Lit(_) => c.clone(),
            Bool::Compare(op, l, r) => {
                Bool::Compare(*op, Arc::new(self.num(l)), Arc::new(self.num(r)))
            }
            Bool::Connective(op, l, r) => {
                Bool::Connective(*op, Arc::new(self.bool(l)), Arc::new(self.bool(r)))
            }
            Bool::Not(c) => Bool::Not(Arc::new(self.bool(c))),
        })
    }
}

impl Protocols {
    /// The change of this name.
    pub fn named(name: &str) -> Option<Protocols> {
        Some(match name {
            "both-sides" => Protocols::BothSides,
            "first-iteration" => Protocols::FirstIteration,
            _ => return None,
        })
    }

    /// A protocol that means what `protocol` does by the changed semantics.
    pub fn of(self, protocol: &Protocol) -> Protocol {
        let changed = protocol.map_children(|child| Arc::new(grow(|| self.of(child))));
        match (self, &changed) {
            (Protocols::BothSides, Protocol::If { then, otherwise, .. }) => {
                Protocol::Seq(then.clone(), otherwise.clone())
            }
            (Protocols::FirstIteration, Protocol::For { site, sort, var, lower, upper, body }) => {
                // From `lower` to the smaller of `lower + 1` and `upper`.
                let next = Num::arith(ArithOp::Add, lower.clone(), Num::lit(1u32));
                let upper = Num::arith(ArithOp::Min, next, upper.clone());
                let (var, lower, body) = (var.clone(), lower.clone(), body.clone());
                Protocol::For { site: *site, sort: *sort, var, lower, upper, body }
            }
            _ => changed,
        }
    }
}
