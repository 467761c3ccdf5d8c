//! Mutants of `lastwrite`, of accesses and of races.

use crate::mutant::Breaks::{Definition, Rule};
use crate::mutant::{Breaks, Mutant};

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    lastwrite(
        "lastwrite goes on to older phases: the oldest one that writes decides",
        Rule("lastwrite/curr"),
        "            «break;»",
        "continue;",
    ),
    lastwrite(
        "after a racy phase only the value of its last writer is possible",
        Rule("lastwrite/curr"),
        "«LastWrite::several(values.collect(), true, Natural::clone(first))»",
        "LastWrite::several(values.last().into_iter().collect(), true, Natural::clone(first))",
    ),
    lastwrite(
        "phases that only update a cell are passed over",
        Rule("lastwrite/prev"),
        "«updating.push(effects);»",
        "",
    ),
    lastwrite(
        "a cell that nobody wrote holds 0",
        Rule("lastwrite/undef"),
        "// lastwrite/undef\n        None => «LastWrite::Undefined»,",
        "LastWrite::One(Natural::zero())",
    ),
    lastwrite(
        "what the host stored is not read",
        Rule("lastwrite/host"),
        "match history.host().get(cell) {\n        Some(k) => «LastWrite::One(k.clone())»,",
        "{ let _ = k; LastWrite::Undefined }",
    ),
    lastwrite(
        "updates by any operators commute",
        Rule("lastwrite/atomic"),
        "«first.is_some_and(AtomicOp::commutes)»",
        "first.is_some()",
    ),
    lastwrite(
        "of the updates of several threads one is made",
        Rule("lastwrite/atomic-curr"),
        "«effects.iter().fold(before, |value, effect| effect.apply(value))»",
        "effects.iter().take(1).fold(before, |value, effect| effect.apply(value))",
    ),
    phase("R ∪ {j} is forgotten", Definition("accesses"), "«next.reads.insert(cell);»", ""),
    phase(
        "a second write of a cell keeps the first value",
        Definition("accesses"),
        "«next.writes.insert(cell, value);»",
        "if !next.writes.contains_key(&cell) { next.writes.insert(cell, value); }",
    ),
    phase(
        "a write does not hide the updates before it",
        Definition("accesses"),
        "«log.updates = Vector::new();»",
        "",
    ),
    phase(
        "an update does not record its scope, so nothing races with it",
        Definition("accesses"),
        "«log.scopes.insert(scope);»",
        "",
    ),
    access(
        "two reads race",
        Definition("LCL22 Def. 1"),
        "(AccessMode::Rd, AccessMode::Rd) => «false»,",
        "true",
    ),
    access(
        "a read and a write do not race",
        Definition("LCL22 Def. 1"),
        "            _ => «true»,\n",
        "self == other",
    ),
    access(
        "two atomic updates race whatever their scope",
        Definition("THEORY §4, atomics"),
        "«!(s.covers(same_block) && t.covers(same_block))»",
        "true",
    ),
    race(
        "a thread races with itself: i1 ≠ i2 is forgotten",
        Definition("LCL22 Def. 1"),
        "let (first, second) = (*accesses.get(i)?, *accesses.get(j)?);\n            if «first.0 != second.0»",
        "true",
    ),
    race(
        "only races of the first thread that accesses a cell are found",
        Definition("LCL22 Def. 1"),
        "«i += 1;»",
        "i += accesses.len();",
    ),
];

const fn lastwrite(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "core/src/history/lastwrite.rs", name, breaks, place, to }
}

const fn phase(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "core/src/history/phase.rs", name, breaks, place, to }
}

const fn access(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "core/src/history/access.rs", name, breaks, place, to }
}

const fn race(name: &'static str, breaks: Breaks, place: &'static str, to: &'static str) -> Mutant {
    Mutant { file: "core/src/history/race.rs", name, breaks, place, to }
}
