//! Mutants of the splitting of protocols into parametrised phases.

use crate::mutant::Breaks::Definition;
use crate::mutant::{Breaks, Mutant};

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    parts(
        "what runs before the first barrier goes on after it",
        Definition("pre(p; q)"),
        "«simplify::branch(site(), &sync_free, next.pre, Protocol::Skip)»",
        "next.pre",
    ),
    parts(
        "a phase between two barriers lacks what follows the first",
        Definition("post(p); pre(q)"),
        "let body = «Protocol::seq(result.post.clone(), next.pre.clone())»;",
        "next.pre.clone()",
    ),
    parts(
        "what follows the last barrier is forgotten",
        Definition("post(p; q)"),
        "«result.post = Protocol::seq(result.post, next.pre);»",
        "",
    ),
    parts(
        "the phases of an else side exist where the condition holds",
        Definition("phases of a branch"),
        "phase.given(«&not_c», 0)",
        "&c",
    ),
    parts(
        "a branch that threads decide differently needs no proof",
        Definition("obligations"),
        "«self.may_differ(&c.free_vars())»",
        "false",
    ),
    parts(
        "a branch reaches a barrier only where both sides do",
        Definition("syncs(if c {p} else {q})"),
        "«simplify::or»(\n                simplify::and(c.clone(), p.syncs.clone()),",
        "simplify::and",
    ),
    loops(
        "threads may run a loop with barriers for different numbers of iterations",
        Definition("obligations"),
        "«self.may_differ(&count.free_vars())»",
        "false",
    ),
    loops(
        "a loop starts with its second iteration",
        Definition("pre(for x in n..m {p})"),
        "let first = at(&body.pre, «header.lower.clone()»);",
        "Num::arith(ArithOp::Add, header.lower.clone(), one())",
    ),
    loops(
        "the counter after the last barrier of a loop is its bound",
        Definition("post(for x in n..m {p})"),
        "let post = at(&body.post, «last.clone()»);",
        "header.upper.clone()",
    ),
    loops(
        "each iteration of a loop is followed by itself",
        Definition("seams of a loop"),
        "let next = «Num::arith(ArithOp::Add, x(), one())»;",
        "x()",
    ),
    loops(
        "the last iteration of a loop is followed by another",
        Definition("seams of a loop"),
        "«Loop { upper: last, ..header.clone() }»",
        "header.clone()",
    ),
    loops(
        "a range is cut so that the wrong iterations reach the barrier",
        Definition("syncs(p) of one iteration"),
        "let point = «(relation == Relation::Eq) == truth»;",
        "(relation == Relation::Eq) != truth",
    ),
];

const fn parts(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/split/parts.rs", name, breaks, place, to }
}

const fn loops(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/split/loops.rs", name, breaks, place, to }
}
