//! Mutants of the semantics of protocols.

use crate::mutant::Breaks::Rule;
use crate::mutant::{Breaks, Mutant};

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    thread(
        "an access is of the next cell",
        Rule("map/access"),
        "index: «closed(*site, index)?» },",
        "closed(*site, index)?.successor()",
    ),
    thread(
        "only the first part of a sequence is run",
        Rule("map/seq"),
        "«tasks.push(Task::Run(q.as_ref().clone(), iteration.clone()));»",
        "",
    ),
    thread(
        "the sides of a branch are exchanged",
        Rule("map/if-t"),
        "let branch = «if holds { then } else { otherwise }»;",
        "if holds { otherwise } else { then }",
    ),
    thread(
        "the else side is never run",
        Rule("map/if-f"),
        "let branch = «if holds { then } else { otherwise }»;",
        "then",
    ),
    thread("a loop runs once too often", Rule("map/for-1"), "«next >= upper»", "next > upper"),
    thread(
        "the body of a loop sees its counter one too large",
        Rule("map/for-2"),
        "let now = «body.subst_value(&var, &next)»;",
        "body.subst_value(&var, &next.successor())",
    ),
    thread(
        "every loop starts from 0",
        Rule("map/for-2"),
        "next: «closed(*site, lower)?»,",
        "Natural::zero()",
    ),
    thread(
        "nothing is left to do after a barrier",
        Rule("map/sync"),
        "return Ok(Stop::Barrier(*site, «Residual { tasks }»)),",
        "Residual::default()",
    ),
    evaluate(
        "every thread is thread 0",
        Rule("map/par"),
        "configured.configuration.substitution(«i»)",
        "0",
    ),
    evaluate(
        "the writes of Λ count as reads when races are looked for",
        Rule("map/par"),
        "«accesses.write(cell, Natural::zero())»",
        "accesses.read(cell)",
    ),
    evaluate(
        "threads at different barriers are together",
        Rule("map/sync"),
        "«stop.site() != first.site()»",
        "false",
    ),
];

const fn thread(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/map/thread.rs", name, breaks, place, to }
}

const fn evaluate(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/map/evaluate.rs", name, breaks, place, to }
}
