//! Mutants of enumeration.

use crate::mutant::Breaks::Definition;
use crate::mutant::{Breaks, Mutant};

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    shadow(
        "a cell forgets every thread but the last",
        Definition("shadow words"),
        "«((old >> MODE_BITS) | old) & 31»",
        "0",
    ),
    shadow(
        "accesses of earlier phases count",
        Definition("shadow words"),
        "«(old >> WHO) >> epoch_shift == who >> epoch_shift»",
        "true",
    ),
    shadow(
        "a cell remembers only the last access of a thread",
        Definition("shadow words"),
        "«last |= bit;»",
        "last = bit;",
    ),
    pairs(
        "pairs of one statement are counted as if threads stood in a row",
        Definition("counting pairs"),
        "«n * n.saturating_sub(1) / 2»",
        "n.saturating_sub(1)",
    ),
    pairs(
        "a statement does not race with itself",
        Definition("counting pairs"),
        "for t in &statements[«i..»] {",
        "i + 1..",
    ),
    pairs(
        "a thread races with itself when it executes two statements",
        Definition("counting pairs"),
        "«a.len() as u64 * b.len() as u64 - together»",
        "a.len() as u64 * b.len() as u64",
    ),
    machine(
        "a loop runs once too often",
        Definition("register code"),
        "«next < r[upper as usize]»",
        "next <= r[upper as usize]",
    ),
    machine(
        "a loop always runs at least once",
        Definition("register code"),
        "«r[counter as usize] >= r[upper as usize]»",
        "false",
    ),
    machine(
        "a branch is taken when its condition does not hold",
        Definition("register code"),
        "Instr::Unless(c, to) => {\n                    if «r[c as usize] == 0» {",
        "r[c as usize] != 0",
    ),
    compile(
        "an expression of two variables is computed where the first is known",
        Definition("register code"),
        "binary(op, dst, l, r)), «dl.max(dr)»)",
        "dl.min(dr)",
    ),
    driver(
        "threads at different barriers are together",
        Definition("divergence"),
        "«!self.together(first.1, here.1)»",
        "false",
    ),
];

const fn shadow(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/enumerate/shadow.rs", name, breaks, place, to }
}

const fn pairs(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/enumerate/pairs.rs", name, breaks, place, to }
}

const fn machine(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/enumerate/machine.rs", name, breaks, place, to }
}

const fn compile(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/enumerate/compile.rs", name, breaks, place, to }
}

const fn driver(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "protocols/src/enumerate/driver.rs", name, breaks, place, to }
}
