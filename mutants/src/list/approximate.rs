//! Mutants of the environment and the approximation of types.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    context(
        "parameters are not in V",
        "let params = «program.params.iter()».map(|p| p.name.clone());",
        "program.params[..0].iter()",
    ),
    certainty(
        "a loop with an opaque bound always ends",
        "«before.extend(&turns);»",
        "let _ = turns;",
    ),
    certainty(
        "no data decides a barrier in a loop",
        "Stmt::Sync { .. } => «data.extend(&around.control.data)»,",
        "()",
    ),
    certainty(
        "barriers of a then side are forgotten",
        "«before.extend(&other);»",
        "*before = other;",
    ),
    certainty(
        "no data decides a branch",
        "«control.extend(&Inflow::of(&condition.free_vars(), &self.flows));»",
        "let _ = condition;",
    ),
    certainty(
        "no data flows through a counter",
        "«inflow.data.insert(flow.into_counter(counter.clone()));»",
        "let _ = flow;",
    ),
    certainty("threads decide every branch alike", "«inflow.private.insert(x.clone());»", ""),
    certainty(
        "a barrier of an earlier iteration is forgotten",
        "«self.barrier_data(body, &around, before);»\n                self.statement",
        "",
    ),
    domain(
        "whatever is stored fits",
        "let fits = |value: Bound, t: IntType| «value.is_some_and(|v| v <= largest(t))»;",
        "{ let _ = (value, t); true }",
    ),
];

const fn context(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("typing/src/context.rs", "the environment of a program", name, place, to)
}

const fn certainty(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of(
        "typing/src/approximate/certainty.rs",
        "which accesses data decides",
        name,
        place,
        to,
    )
}

const fn domain(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("typing/src/approximate/domain.rs", "which values a read may yield", name, place, to)
}
