//! Mutants of the checkers of derivations.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    premises(
        "any value of an expression is accepted",
        "if «expression == n && value == k» =>",
        "expression == n",
    ),
    premises(
        "a condition may be false where it is said to hold",
        "let holds = «c.value() == Ok(value)»;",
        "true",
    ),
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
    code(
        "the other iterations may start anywhere",
        "&& «matches!(lower, Num::Lit(next) if *next == self.lower.successor())»",
        "true",
    ),
    code(
        "the other iterations may end anywhere",
        "&& «matches!(upper, Num::Lit(k) if k == self.upper)»",
        "true",
    ),
    code("the other iterations may have another body", "&& «is_same(body, self.body)»", "true"),
    blocks(
        "any history follows from the threads' results",
        "match «**after == older.push(merged)» {",
        "{ let _ = merged; true }",
    ),
    blocks(
        "a block may end while threads wait",
        "if «!stops.iter().all(|(_, stop)| **stop == Stop::Done)» {",
        "false",
    ),
    blocks(
        "threads at different barriers may go on",
        "Stop::Barrier { site, rest } if «Some(*site) == first» =>",
        "true",
    ),
    blocks(
        "threads at one place may diverge",
        "if «!places || divergence.first.1 == divergence.second.1» {",
        "!places",
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
    barriers("code without barriers may have some", "if «code.has_sync()» {", "false"),
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
        "another index may be typed",
        "Judgment::Num { context, expression } if «context == v && expression == n» =>",
        "{ let _ = expression; context == v }",
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
        "another statement may be typed",
        "if «context == v && **program == *b» =>",
        "{ let _ = program; context == v }",
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
    typing(
        "evidence may be of another program",
        "if «*context == expected && **typed == program.body» =>",
        "{ let _ = typed; *context == expected }",
    ),
    map(
        "any value of an expression is accepted",
        "if «expression == n && n.value().as_ref() == Ok(value)» =>",
        "{ let _ = value; expression == n }",
    ),
    map(
        "a condition may be false where it is said to hold",
        "if «condition == c && *said == value && c.value() == Ok(value)» =>",
        "condition == c && *said == value",
    ),
    map(
        "a premise may be about another protocol",
        "})) if «expected(protocol)» => Ok(reached),",
        "true",
    ),
    map(
        "data may be beyond its type",
        "if «domain.is_some_and(|t| Natural::from(t.pattern(value)) != *value)» {",
        "false && domain.is_some_and(|t| Natural::from(t.pattern(value)) != *value)",
    ),
    map(
        "a phase may have accesses of nobody",
        "if «!contained || many != phase.len()» {",
        "!contained",
    ),
    map(
        "a phase may have other accesses, as many",
        "if «!contained || many != phase.len()» {",
        "many != phase.len()",
    ),
    map(
        "threads at different barriers are together",
        "if «!all_wait || threads.is_empty()» {",
        "threads.is_empty()",
    ),
    map(
        "threads at one place may diverge",
        "place(*first) && place(*second) && «first.1 != second.1»",
        "true",
    ),
];

const fn premises(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/premises.rs", "derivations", name, place, to)
}

const fn code(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/code.rs", "derivations", name, place, to)
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

const fn map(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("protocols/src/map/check.rs", "derivations", name, place, to)
}
