//! Mutants of the checkers of derivations.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    premises(
        "any value is the last one written",
        "if «said == cell && held.contains(value)» =>",
        "said == cell",
    ),
    premises(
        "a premise about a thread may be in another history",
        "if «same_history(history, place.history)»\n                    && *thread == place.thread\n                    && same(a, before)\n                    && program.is(b) =>",
        "true",
    ),
    premises(
        "a premise about a thread may be about another one",
        "&& «*thread == place.thread»\n                    && same(a, before)\n                    && program.is(b) =>",
        "true",
    ),
    premises(
        "a premise about a thread may start from other accesses",
        "&& «same(a, before)»\n                    && program.is(b) =>",
        "true",
    ),
    premises(
        "a premise about a thread may be about another program",
        "&& «program.is(b)» =>",
        "true",
    ),
    premises(
        "a premise up to a barrier may be in another history",
        "if «same_history(history, place.history)»\n                && *thread == place.thread\n                && same(a, before)\n                && program.is(k) =>",
        "true",
    ),
    premises(
        "a premise up to a barrier may be about another thread",
        "&& «*thread == place.thread»\n                && same(a, before)\n                && program.is(k) =>",
        "true",
    ),
    premises(
        "a premise up to a barrier may start from other accesses",
        "&& «same(a, before)»\n                && program.is(k) =>",
        "true",
    ),
    premises(
        "a premise up to a barrier may be about another program",
        "&& «program.is(k)» =>",
        "true",
    ),
    premises(
        "the value of an update may be that of another cell",
        "Some(Premise::Chosen { cell: said, value }) if «said == cell» =>",
        "true",
    ),
    premises(
        "premises too many are accepted",
        "Some(_) => «Err(Fault::conclusion(\"the rule has fewer premises\"))»,",
        "Ok(())",
    ),
    blocks(
        "any history follows from the threads' results",
        "match «**after == older.push(merged)» {",
        "{ let _ = merged; true }",
    ),
    blocks(
        "threads may diverge where they never stopped",
        "if «!places || divergence.first.1 == divergence.second.1» {",
        "divergence.first.1 == divergence.second.1",
    ),
    blocks(
        "a block may start with any code",
        "*thread == i && «Code::Instance(program, block.values(i)).is(code)»",
        "true",
    ),
    thread(
        "any accesses are the result",
        "let result = |expected: &Accesses| match «same(after, expected)» {",
        "true",
    ),
    thread(
        "a read is not added to R",
        "let (read, continuation) = («before.read(cell)», Code::put(body, var, k));",
        "babycuda_core::Accesses::clone(before)",
    ),
    barriers("any accesses are the result", "match «same(after, expected)» {", "true"),
    barriers("a thread may stop anywhere", "true if «stop == at» => Ok(()),", "true"),
    typing(
        "an expression may use any variable",
        "match vars.iter().find(|x| «!context.contains(x)»)",
        "false && !context.contains(x)",
    ),
    typing("a variable may be bound again", "if «context.contains(var)» {", "false"),
    typing("any protocol is assigned", "if «claimed == assigned» {", "true"),
    typing("premises too many are accepted", "if «found == expected» {", "found >= expected"),
    typing(
        "an index may be typed in another environment",
        "Judgment::Num { context, expression } if «context == v && expression == n» =>",
        "{ let _ = context; expression == n }",
    ),
    typing(
        "a guard may be typed in another environment",
        "if «context == v && condition == c» =>",
        "{ let _ = context; condition == c }",
    ),
    typing(
        "a statement may be typed in another environment",
        "if «context == v && **program == *b» =>",
        "{ let _ = context; **program == *b }",
    ),
    typing(
        "a loop with barriers is typed by the rule of loops without",
        "form(«(node.rule == Rule::ForS) == (*sort == ForSort::S)»)?;",
        "true",
    ),
    typing(
        "the body of a loop is typed without its counter",
        "let body = «typed(node, 2, 4, &context.with(var.clone()), body)?»;",
        "typed(node, 2, 4, context, body)?",
    ),
];

const fn premises(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/premises.rs", "derivations", name, place, to)
}

const fn blocks(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/blocks.rs", "derivations", name, place, to)
}

const fn thread(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/thread.rs", "derivations", name, place, to)
}

const fn barriers(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/barriers.rs", "derivations", name, place, to)
}

const fn typing(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("typing/src/check.rs", "derivations", name, place, to)
}
