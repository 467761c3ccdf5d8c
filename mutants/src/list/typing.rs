//! Mutants of the type system.

use crate::mutant::Breaks::Rule;
use crate::mutant::{Breaks, Mutant};

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    infer(
        "an index may use any variable",
        Rule("type/t-n"),
        "«self.within(&n.free_vars(), premise, place)?;»",
        "",
    ),
    infer(
        "a guard may use any variable",
        Rule("type/t-b"),
        "«self.within(&c.free_vars(), premise, Place::Guard)?;»",
        "",
    ),
    infer(
        "a write has the type of a read",
        Rule("type/t-write"),
        "access(*site, «AccessMode::Wr», array, index)",
        "AccessMode::Rd",
    ),
    infer(
        "t-read adds x to V",
        Rule("type/t-read"),
        "«statement(trial.context, &binders, body)?»",
        "statement(&trial.context.with(var.clone()), &binders, body)?",
    ),
    infer("t-read does not ask for y ∉ V", Rule("type/t-read"), "«trial.fresh(var, 2)?;»", ""),
    infer(
        "the type of a read is that of what follows it",
        Rule("type/t-read"),
        "«Arc::new(Protocol::Seq(Arc::new(access), u))»",
        "u",
    ),
    infer(
        "the type of a sequence is that of its first statement",
        Rule("type/t-seq"),
        "let protocol = «Arc::new(Protocol::Seq(u1, u2))»;",
        "u1",
    ),
    infer(
        "the type of a branch exchanges its sides",
        Rule("type/t-if"),
        "«Protocol::If { site: *site, condition: condition.clone(), then, otherwise }»",
        "Protocol::If { site: *site, condition: condition.clone(), then: otherwise, otherwise: then }",
    ),
    infer(
        "t-for does not add x to V",
        Rule("type/t-for"),
        "«context.with(var.clone())»",
        "context.clone()",
    ),
    infer("t-for does not ask for x ∉ V", Rule("type/t-for"), "«trial.fresh(var, 3)?;»", ""),
    infer(
        "the type of a loop is one that never runs",
        Rule("type/t-for"),
        "upper: «upper.clone()»,\n                body,",
        "lower.clone()",
    ),
    infer(
        "the type of a barrier is skip",
        Rule("type/t-sync"),
        "let sync = Arc::new(«Protocol::Sync { site: *site }»);",
        "Protocol::Skip",
    ),
    infer(
        "a loop with barriers is typed by the rule of loops without",
        Rule("type/t-for-s"),
        "ForSort::S => «Rule::ForS»,",
        "Rule::For",
    ),
    infer(
        "an atomic update has the type of a write",
        Rule("type/t-atomic"),
        "access(*site, «AccessMode::At(*scope)», array, index)",
        "AccessMode::Wr",
    ),
];

const fn infer(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "typing/src/infer.rs", name, breaks, place, to }
}
