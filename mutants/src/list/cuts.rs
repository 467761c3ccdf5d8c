//! Mutants of how loops with barriers are cut.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    loops(
        "what is behind a point begins at the point",
        "let (a, b) = («cut(n)», cut(&after));",
        "cut(&after)",
    ),
    loops(
        "what is behind a cut begins one later",
        "vec![(lower.clone(), cut.clone(), first == truth), («cut», upper.clone(), first != truth)]",
        "Num::arith(ArithOp::Add, cut, Num::lit(1u32))",
    ),
];

const fn loops(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("protocols/src/split/loops.rs", "loops in step", name, place, to)
}
