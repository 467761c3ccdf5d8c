//! Folding of closed subterms and neutral elements. Values never change, for any valuation.

use crate::deep::grow;
use crate::expr::{ArithOp, Bool, BoolOp, Num, NumOp, Relation};
use crate::site::Site;
use crate::syntax::Protocol;
use std::sync::Arc;

/// An expression with the same value in every valuation of the variables of `n`.
pub fn num(n: &Num) -> Num {
    grow(|| match n {
        Num::Var(_) | Num::Lit(_) => n.clone(),
        Num::Binary(op, l, r) => binary(*op, num(l), num(r)),
        Num::Cast(from, to, operand) => folded(Num::cast(*from, *to, num(operand))),
        Num::Select(c, then, otherwise) => match bool(c) {
            Bool::Lit(true) => num(then),
            Bool::Lit(false) => num(otherwise),
            c => Num::select(c, num(then), num(otherwise)),
        },
    })
}

fn is(n: &Num, value: u64) -> bool {
    matches!(n, Num::Lit(k) if k.to_u64() == Some(value))
}

/// `l op r`, of simplified expressions.
pub fn binary(op: NumOp, l: Num, r: Num) -> Num {
    let (zero_l, zero_r) = (is(&l, 0), is(&r, 0));
    let (one_l, one_r) = (is(&l, 1), is(&r, 1));
    match op {
        NumOp::Natural(ArithOp::Add) if zero_l => r,
        NumOp::Natural(ArithOp::Add | ArithOp::Sub) if zero_r => l,
        NumOp::Natural(ArithOp::Sub) if l == r => Num::lit(0u32),
        NumOp::Natural(ArithOp::Mul) if one_l => r,
        NumOp::Natural(ArithOp::Mul | ArithOp::Div) if one_r => l,
        NumOp::Natural(ArithOp::Mul | ArithOp::Min) if zero_l || zero_r => Num::lit(0u32),
        NumOp::Natural(ArithOp::Max) if zero_l => r,
        NumOp::Natural(ArithOp::Max) if zero_r => l,
        _ => folded(Num::Binary(op, Arc::new(l), Arc::new(r))),
    }
}

/// The value, when the immediate operands are literals.
fn folded(n: Num) -> Num {
    let lit = |n: &Num| matches!(n, Num::Lit(_));
    let closed = match &n {
        Num::Binary(_, l, r) => lit(l) && lit(r),
        Num::Cast(_, _, operand) => lit(operand),
        Num::Var(_) | Num::Lit(_) | Num::Select(..) => false,
    };
    match closed.then(|| n.value()) {
        Some(Ok(k)) => Num::Lit(k),
        _ => n,
    }
}

/// A condition with the same value in every valuation of the variables of `c`.
pub fn bool(c: &Bool) -> Bool {
    grow(|| match c {
        Bool::Lit(_) => c.clone(),
        Bool::Compare(op, l, r) => {
            let (l, r) = (num(l), num(r));
            let reflexive = matches!(op.relation, Relation::Eq | Relation::Le | Relation::Ge);
            if l == r {
                return Bool::Lit(reflexive);
            }
            let closed = matches!((&l, &r), (Num::Lit(_), Num::Lit(_)));
            let compared = Bool::Compare(*op, Arc::new(l), Arc::new(r));
            match closed.then(|| compared.value()) {
                Some(Ok(b)) => Bool::Lit(b),
                _ => compared,
            }
        }
        Bool::Connective(BoolOp::And, l, r) => and(bool(l), bool(r)),
        Bool::Connective(BoolOp::Or, l, r) => or(bool(l), bool(r)),
        Bool::Not(operand) => not(bool(operand)),
    })
}

/// `l && r`, of simplified conditions.
pub fn and(l: Bool, r: Bool) -> Bool {
    match (l, r) {
        (Bool::Lit(true), c) | (c, Bool::Lit(true)) => c,
        (Bool::Lit(false), _) | (_, Bool::Lit(false)) => Bool::Lit(false),
        (l, r) if l == r => l,
        (l, r) => Bool::and(l, r),
    }
}

/// `l || r`, of simplified conditions.
pub fn or(l: Bool, r: Bool) -> Bool {
    match (l, r) {
        (Bool::Lit(false), c) | (c, Bool::Lit(false)) => c,
        (Bool::Lit(true), _) | (_, Bool::Lit(true)) => Bool::Lit(true),
        (l, r) if l == r => l,
        (l, r) if l == not(r.clone()) => Bool::Lit(true),
        (l, r) => Bool::or(l, r),
    }
}

/// `!c`, of a simplified condition.
pub fn not(c: Bool) -> Bool {
    match c {
        Bool::Lit(b) => Bool::Lit(!b),
        Bool::Not(ref operand) => operand.as_ref().clone(),
        c => Bool::not(c),
    }
}

/// `if c {p} else {q}` at the given site, without a choice that is already made.
pub fn branch(site: Site, c: &Bool, p: Protocol, q: Protocol) -> Protocol {
    match c {
        Bool::Lit(true) => p,
        Bool::Lit(false) => q,
        _ if p == q => p,
        _ => Protocol::If { site, condition: c.clone(), then: Arc::new(p), otherwise: Arc::new(q) },
    }
}
