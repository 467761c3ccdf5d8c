//! What rules are called in the mechanization, from the ledger of rules.

use babycuda_core::rules::{Coq, find};

/// The constructor of a rule in an inductive relation; a hole, where it has none there: Coq
/// rejects an instance of it.
pub(crate) fn constructor(rule: &str, relation: &str) -> &'static str {
    let constructors = match find(rule).map(|entry| entry.coq) {
        Some(Coq::Constructors(constructors)) => constructors,
        _ => &[],
    };
    constructors.iter().find(|c| c.relation == relation).map_or("_", |c| c.name)
}
