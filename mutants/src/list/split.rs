//! Mutants of the splitting of protocols into parametrised phases.

mutants! {
    "protocols/src/split/mod.rs", "read-only inputs" {
        "all threads read the same input":
            "Binder::Input { index, .. } => «differ(&own, &index.free_vars())»,"
            => "differ(&own, &BTreeSet::new()) && index.free_vars().is_empty()";
    }
    "protocols/src/split/parts.rs", "pre(p; q)" {
        "what runs before the first barrier goes on after it":
            "«simplify::branch(site(), &sync_free, next.pre, Protocol::Skip)»" => "next.pre";
    }
    "protocols/src/split/parts.rs", "post(p); pre(q)" {
        "a phase between two barriers lacks what follows the first":
            "let body = «Protocol::seq(result.post.clone(), next.pre.clone())»;"
            => "next.pre.clone()";
    }
    "protocols/src/split/parts.rs", "post(p; q)" {
        "what follows the last barrier is forgotten":
            "«result.post = Protocol::seq(result.post, next.pre);»" => "";
    }
    "protocols/src/split/parts.rs", "phases of a branch" {
        "the phases of an else side exist where the condition holds":
            "phase.given(«&not_c», 0)" => "&c";
    }
    "protocols/src/split/parts.rs", "obligations" {
        "a branch that threads decide differently needs no proof":
            "«self.may_differ(&c.free_vars())»" => "false";
    }
    "protocols/src/split/parts.rs", "syncs(if c {p} else {q})" {
        "a branch reaches a barrier only where both sides do":
            "«simplify::or»(\n                simplify::and(c.clone(), p.syncs.clone()),"
            => "simplify::and";
    }
    "protocols/src/split/loops.rs", "obligations" {
        "threads may run a loop with barriers for different numbers of iterations":
            "«self.may_differ(&count.free_vars())»" => "false";
    }
    "protocols/src/split/loops.rs", "pre(for x in n..m {p})" {
        "a loop starts with its second iteration":
            "let first = at(&body.pre, «header.lower.clone()»);"
            => "Num::arith(ArithOp::Add, header.lower.clone(), one())";
    }
    "protocols/src/split/loops.rs", "post(for x in n..m {p})" {
        "the counter after the last barrier of a loop is its bound":
            "let post = at(&body.post, «last.clone()»);" => "header.upper.clone()";
    }
    "protocols/src/split/loops.rs", "seams of a loop" {
        "each iteration of a loop is followed by itself":
            "let next = «Num::arith(ArithOp::Add, x(), one())»;" => "x()";
        "the last iteration of a loop is followed by another":
            "«Loop { upper: last, ..header.clone() }»" => "header.clone()";
    }
    "protocols/src/split/loops.rs", "syncs(p) of one iteration" {
        "a range is cut so that the wrong iterations reach the barrier":
            "let point = «(relation == Relation::Eq) == truth»;"
            => "(relation == Relation::Eq) != truth";
    }
}
