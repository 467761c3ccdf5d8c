//! Where threads are stuck: reads of arrays that no one can have written (THEORY §4).
//!
//! A thread that is stuck does nothing further, so what follows such a read happens only where the
//! read does not. Conditions are sound, not exact: where [`stuck`] holds, the thread is stuck.

use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::simplify;
use babycuda_core::{AccessMode, Bool, Name, Num, Protocol};
use std::collections::BTreeSet;

/// A condition under which a thread that runs `p` is stuck in it, over the free variables of `p`.
/// False where that has no expression: in the middle of a loop, or under data.
pub(super) fn stuck(p: &Protocol, stops: &BTreeSet<Name>) -> Bool {
    if stops.is_empty() { Bool::Lit(false) } else { grow(|| of_node(p, stops)) }
}

fn of_node(p: &Protocol, stops: &BTreeSet<Name>) -> Bool {
    match p {
        Protocol::Access { mode: AccessMode::Rd, array, .. } => Bool::Lit(stops.contains(array)),
        Protocol::Skip | Protocol::Access { .. } | Protocol::Sync { .. } => Bool::Lit(false),
        Protocol::Seq(p, q) => simplify::or(stuck(p, stops), stuck(q, stops)),
        Protocol::If { condition, then, otherwise, .. } => {
            let c = simplify::bool(condition);
            let (then, otherwise) = (stuck(then, stops), stuck(otherwise, stops));
            either(&c, then, otherwise)
        }
        Protocol::For { var, lower, upper, body, .. } => {
            repeated(var, lower, upper, stuck(body, stops))
        }
        Protocol::Input { var, body, .. } | Protocol::Any { var, body, .. } => {
            without(var, stuck(body, stops))
        }
    }
}

/// `c && then || !c && otherwise`
pub(crate) fn either(c: &Bool, then: Bool, otherwise: Bool) -> Bool {
    let not_c = simplify::not(c.clone());
    simplify::or(simplify::and(c.clone(), then), simplify::and(not_c, otherwise))
}

/// What is known of a loop in whose iterations threads are stuck where `body` holds: its first and
/// its last iteration.
pub(crate) fn repeated(var: &Name, lower: &Num, upper: &Num, body: Bool) -> Bool {
    if body == Bool::Lit(false) {
        return body;
    }
    let runs = simplify::bool(&Bool::compare(Relation::Lt, lower.clone(), upper.clone()));
    if !body.free_vars().contains(var) {
        return simplify::and(runs, body);
    }
    let last = Num::arith(ArithOp::Sub, upper.clone(), Num::lit(1u32));
    let at = |n: &Num| simplify::bool(&body.subst(&Renaming::from([(var.clone(), n.clone())])));
    simplify::and(runs, simplify::or(at(lower), at(&last)))
}

/// The condition where it does not speak of `var`, otherwise what is left of its parts.
pub(crate) fn without(var: &Name, c: Bool) -> Bool {
    use babycuda_core::expr::BoolOp;
    if !c.free_vars().contains(var) {
        return c;
    }
    match &c {
        Bool::Connective(BoolOp::Or, l, r) => {
            simplify::or(without(var, l.as_ref().clone()), without(var, r.as_ref().clone()))
        }
        _ => Bool::Lit(false),
    }
}
