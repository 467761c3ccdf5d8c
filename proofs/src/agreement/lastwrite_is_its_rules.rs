//! `lastwrite` is the relation of its three rules (LCL22 Fig. 5).
//!
//! The rules are read here once more, for cells that no thread updates atomically: those are ours,
//! and T6 speaks of them.

use crate::statement::{Checked, Counterexample, Coverage, Proof, Statement, test, theorem};
use babycuda_core::history::{Possible, lastwrite};
use babycuda_core::rules::Item;
use babycuda_core::{Accesses, Cell, History, LastWrite, Natural, Program};
use std::collections::BTreeSet;

/// The agreement.
pub static STATEMENT: Statement = Statement {
    id: "lastwrite",
    name: "lastwrite_is_its_rules",
    source: "LCL22 Fig. 5",
    text: "lastwrite(j, H) is what the rules lastwrite-curr, lastwrite-prev and lastwrite-undef \
           relate to j, and all of it.",
    rust: Item { file: "proofs/src/agreement/lastwrite_is_its_rules.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[theorem("proofs/coq/Histories.v", "lastwrites_correct")],
        Coverage::Restricted(
            "the mechanized function, for no atomic updates; the library's is held \
             to it by the oracle.",
        ),
    ),
    tests: &[test(
        "proofs/tests/small_scope_agreement.rs",
        "lastwrite_is_its_rules_after_every_program",
    )],
    holds: true,
};

/// Checks the agreement for every cell that occurs in the history, and counts them; `program` leads
/// to it.
///
/// # Errors
/// [`Failure::Refuted`](crate::Failure)
pub fn check(history: &History, program: impl FnOnce() -> Program) -> Checked<usize> {
    let (mut cells, mut updated) = (BTreeSet::new(), BTreeSet::new());
    for (_, accesses) in history.newest_first().flat_map(|phase| phase.threads()) {
        cells.extend(accesses.iter().map(|(_, cell)| cell));
        updated.extend(accesses.atomics.keys());
    }
    for cell in cells.difference(&updated) {
        let (found, expected) = (lastwrite(cell, history), by_rules(cell, history));
        if found != expected {
            let why = format!(
                "It leads to the history {history}. There lastwrite of {cell} is {found:?}, and by \
                 the rules {expected:?}."
            );
            return Err(Counterexample::refutes(&STATEMENT, program(), why));
        }
    }
    Ok(cells.difference(&updated).count())
}

fn by_rules(j: &Cell, history: &History) -> LastWrite {
    let written = |accesses: &Accesses| accesses.writes.get(j).cloned();
    for phase in history.newest_first() {
        // lastwrite-curr, for every thread that wrote j
        let written = phase.threads().filter_map(|(_, accesses)| written(accesses));
        let written: Vec<Natural> = written.collect();
        let values: BTreeSet<Natural> = written.iter().cloned().collect();
        // lastwrite-prev, where there is none
        match (values.first(), values.len()) {
            (None, _) => {}
            (Some(k), 1) => return LastWrite::One(k.clone()),
            _ => {
                let first = written[0].clone();
                return LastWrite::Several(Possible { values, exhaustive: true, first });
            }
        }
    }
    // What the host stored, or lastwrite-undef
    history.host().get(j).map_or(LastWrite::Undefined, |k| LastWrite::One(k.clone()))
}
