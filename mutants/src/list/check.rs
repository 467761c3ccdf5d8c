//! Mutants of the checker of runs.

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
    premises(
        "a value may be that of another expression",
        "if «expression == n && value == k» =>",
        "value == k",
    ),
    premises(
        "an expression may have any value",
        "if «expression == n && value == k» =>",
        "expression == n",
    ),
    premises(
        "a condition may have any truth",
        "let holds = «c.value() == Ok(value)»;",
        "c.value().is_ok()",
    ),
    premises(
        "a truth may be that of another condition",
        "if «holds && condition == c && *said == value» =>",
        "holds && *said == value",
    ),
    premises(
        "a truth may be said to be the other",
        "if «holds && condition == c && *said == value» =>",
        "holds && condition == c",
    ),
    premises(
        "a loop may end or go on at any time",
        "«self.truth(3, &test, true)?;»",
        "let _ = (self.rest.next(), test);",
    ),
    premises(
        "what was read may be of another cell",
        "if «said == cell && held.contains(value)» =>",
        "held.contains(value)",
    ),
    blocks(
        "a run may be of fewer threads",
        "let right_threads = «start.remaining.len() as u64 == block.len()»;",
        "true",
    ),
    blocks(
        "a block may start in another history",
        "right_code && «same_history(&start.before, before)» &&",
        "true",
    ),
    blocks(
        "a run may end otherwise than its block",
        "&& «same_ending(&start.ending, ending)» {",
        "true",
    ),
    blocks(
        "an ending may be of another history",
        "«same_history(&a.history, &b.history)» && a.divergence",
        "true",
    ),
    blocks("an ending may diverge otherwise", "&& «a.divergence == b.divergence»", "true"),
    blocks(
        "a thread may be in a block twice",
        "if «!remaining.is_sorted_by(|(i, _), (j, _)| i < j)» {",
        "!remaining.is_sorted_by(|(i, _), (j, _)| i <= j)",
    ),
    blocks(
        "a block may end at a barrier",
        "if «!stops.iter().all(|(_, stop)| **stop == Stop::Done)» {",
        "false",
    ),
    blocks(
        "a block may end in any history",
        "match «*ending.history == *history» && ending.divergence.is_none() {",
        "true",
    ),
    blocks(
        "a block that ends may diverge",
        "match *ending.history == *history && «ending.divergence.is_none()» {",
        "true",
    ),
    blocks(
        "threads may go on from different barriers",
        "Stop::Barrier { site, rest } if «Some(*site) == first» =>",
        "{ let _ = site; true }",
    ),
    blocks(
        "a block without threads goes on",
        ".filter(|rest| «!rest.is_empty()»);",
        "{ let _ = rest; true }",
    ),
    blocks(
        "a block may go on in another history",
        "if «*continued.before == next»\n",
        "{ let _ = &next; true }",
    ),
    blocks(
        "a block may go on with other code",
        "&& «*continued.remaining == rest»",
        "{ let _ = &rest; true }",
    ),
    blocks(
        "a block may go on to another ending",
        "&& «same_ending(&continued.ending, ending)» =>",
        "true",
    ),
    blocks(
        "threads may diverge at one place",
        "if «!places || divergence.first.1 == divergence.second.1» {",
        "!places",
    ),
    blocks(
        "a divergence may be in any history",
        "match «*ending.history == *history» && divergence.phase",
        "true",
    ),
    blocks(
        "a divergence may be in any phase",
        "&& «divergence.phase.checked_add(1) == Some(history.len())» {",
        "true",
    ),
    barriers("there may be barriers in code without", "if «code.has_sync()» {", "false"),
    code(
        "the rest of a loop may be another statement",
        "«(site, sort, var) == (&self.site, &self.sort, self.var)»",
        "{ let _ = (site, sort, var); true }",
    ),
    code(
        "the rest of a loop may start anywhere",
        "matches!(lower, Num::Lit(next) if «*next == self.lower.successor()»)",
        "{ let _ = next; true }",
    ),
    code(
        "the rest of a loop may end anywhere",
        "matches!(upper, Num::Lit(k) if «k == self.upper»)",
        "{ let _ = k; true }",
    ),
    code(
        "the rest of a loop may have another body",
        "&& «is_same(body, self.body)»",
        "{ let _ = body; true }",
    ),
    code(
        "an iteration may be any code",
        "Stmt::Seq(first, rest) => «repeat.iteration().is(first)» &&",
        "{ let _ = first; true }",
    ),
    code(
        "what follows an iteration may be any code",
        "&& «repeat.is_others(rest)»,",
        "{ let _ = rest; true }",
    ),
    evidence(
        "variables of a program may be free",
        "«program.check_scope().map_err(|error| format!(\"a well-scoped program: {error}\"))?;»",
        "",
    ),
    evidence(
        "a block may have other extents",
        "let fits = «extents(geometry.block, block.launch.block)»",
        "true",
    ),
    evidence(
        "a grid may have other extents",
        "&& «geometry.grid.is_none_or(|grid| extents(grid, block.launch.grid))»",
        "true",
    ),
    evidence(
        "a block may be outside its grid",
        "&& «block.index < block.launch.grid.count()»;",
        "true",
    ),
    evidence("an extent may be 0", "«n > 0» && (*e == Extent::Symbolic", "true"),
    evidence(
        "a parameter may have another value than the declared one",
        "«param.value.as_ref().is_none_or(|fixed| fixed == value)»",
        "true",
    ),
    evidence(
        "a parameter may have a value that its type has not",
        "&& «param.domain.contains(value)»",
        "true",
    ),
    evidence(
        "what is no parameter may have a value",
        "if «parameters.len() != program.params.len()» {",
        "false",
    ),
    evidence(
        "assumptions need not hold",
        ".find(|c| «c.eval(&value) != Ok(true)»)",
        "{ let _ = c; false }",
    ),
    evidence(
        "memory may hold what is not declared",
        "declared.filter(|declared| «is_declared(declared, array)»)",
        "{ let _ = declared; true }",
    ),
    evidence(
        "memory may lack what is declared",
        "find(|a| «!is_declared(a, &undefined)»)",
        "{ let _ = (a, &undefined); false }",
    ),
    evidence("a run may be of another block", "if «root.block != evidence.block» {", "false"),
    evidence(
        "a run may start after other phases",
        "let started = «root.before.len() == 1»",
        "true",
    ),
    evidence(
        "a run may start with accesses",
        "&& «root.before.head().is_some_and(|phase| phase.threads().next().is_none())»",
        "true",
    ),
    evidence(
        "a run may start from other memory",
        "&& «*root.before.host() == evidence.host»;",
        "true",
    ),
    evidence(
        "a run may be of another program",
        "match «Code::Instance(&evidence.program.body, values).is(&root.program)» {",
        "{ let _: babycuda_core::instance::Values = values; true }",
    ),
    evidence(
        "any choices may be listed",
        "let found = «listed.iter().all(|choice| rest.any(|other| other == *choice))»;",
        "{ let _ = &mut rest; true }",
    ),
    evidence(
        "any number of choices may be said",
        "«made.len() as u64 == evidence.choices_made» &&",
        "true",
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

const fn code(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/code.rs", "derivations", name, place, to)
}

const fn evidence(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("semantics/src/check/evidence.rs", "derivations", name, place, to)
}
