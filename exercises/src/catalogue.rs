//! The exercises that the library has, in the order in which a course would take them.

use crate::exercise::Exercise;

macro_rules! exercises {
    ($($id:literal,)*) => {
        /// Each with its id and the text of its file.
        const FILES: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../course/", $id, ".md")))),*];
    };
}

exercises! {
    "predict-shift",
    "untypable-index",
    "repair-shift",
    "predict-exchange",
    "predict-increments",
    "predict-nobody-wrote",
    "predict-naturals",
    "derive-type",
    "derive-loop-type",
    "derive-run",
    "derive-loop",
    "typable-neighbours",
    "typable-two-phases",
    "typable-if-by-data",
    "typable-parameter",
    "untypable-guard",
    "untypable-bound",
    "untypable-permutation",
    "repair-exchange",
    "repair-reduction",
    "repair-stages",
    "repair-ring",
    "warp-broadcast",
    "warp-lockstep",
    "warp-ragged",
    "warp-tiles",
    "refute-typed",
    "refute-invariance",
    "refute-barriers",
    "refute-determinism",
    "refute-theorem-1",
    "refute-theorem-1-hypothesis",
    "refute-distinct",
    "refute-winner",
    "refute-warp",
    "mutant-two-writes",
    "mutant-other-values",
    "mutant-neighbours",
    "mutant-one-phase",
    "mutant-distance",
    "mutant-remainder",
    "mutant-upper-bound",
    "mutant-oldest-phase",
    "mutant-current-phase",
    "mutant-without-own",
    "mutant-both-sides",
    "mutant-first-iteration",
    "tool-two-thread",
    "tool-symbolic-heap",
    "tool-benign",
}

/// All exercises.
pub fn all() -> Vec<Exercise> {
    FILES.iter().filter_map(|(id, _)| find(id)).collect()
}

/// The exercise of this id.
pub fn find(id: &str) -> Option<Exercise> {
    let (_, text) = FILES.iter().find(|(name, _)| *name == id)?;
    // A test reads all of them.
    Exercise::parse(text).ok()
}

/// The ids, and the texts of the files.
pub fn files() -> &'static [(&'static str, &'static str)] {
    FILES
}
