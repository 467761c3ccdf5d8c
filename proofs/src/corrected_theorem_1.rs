//! T1 as it should read.
//!
//! ```text
//! {tid} ⊢ b ▶ u  ∧  P::H0, b ↓ H'  ∧  u ↓ Λ    ⟹
//!     (H' is DRF  ⟺  accesses(P) ∪ Λ is DRF  ∧  H0 is DRF)
//! ```
//!
//! With an empty head phase, `P = ∅`, this is what LCL22 means by Theorem 1: H' is DRF iff Λ and
//! H0 are. (As printed it is [false](crate::printed_theorem_1).) It holds for every derivation of
//! `P::H0, b ↓ H'`, also where H0 is racy and several values can be read.

use crate::definition_1::is_racy;
use crate::hypotheses::{evaluated, listed};
use crate::situation::{Situation, Typed};
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::history::{Access, Race};
use babycuda_core::rules::Item;
use babycuda_core::{AccessMode, Accesses, History, Natural, Phase};
use std::collections::BTreeSet;

/// T1, corrected.
pub static STATEMENT: Statement = Statement {
    id: "T1",
    name: "corrected_theorem_1",
    source: "LCL22 Theorem 1, corrected",
    text: "if {tid} ⊢ b ▶ u, P::H0, b ↓ H' and u ↓ Λ, then H' is DRF iff accesses(P) ∪ Λ and H0 \
           are DRF; with P = ∅: iff Λ and H0 are.",
    rust: Item { file: "proofs/src/corrected_theorem_1.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/CorrectedTheorem1.v", "corrected_theorem_1"),
            theorem("proofs/coq/CorrectedTheorem1.v", "corrected_theorem_1_any_head"),
        ],
        Coverage::Restricted(
            "no atomic updates; for any head phase, only threads of T may have accesses in it.",
        ),
    ),
    tests: &[
        test("proofs/tests/wrong_claims.rs", "t1_refutes_a_protocol_that_races_otherwise"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_every_phase_of_two_threads"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_histories_of_at_most_one_access"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_in_three_threads"),
        test("proofs/tests/statements/situations.rs", "t0_to_t3_hold_on_random_situations"),
        test(
            "proofs/tests/counterexamples.rs",
            "theorem_1_as_printed_is_refuted_by_search_and_the_corrected_one_is_not",
        ),
    ],
    holds: true,
};

/// What both sides say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The races of `H'`.
    pub history: Vec<Race>,
    /// The races of `accesses(P) ∪ Λ`, as of phase 0.
    pub union: Vec<Race>,
    /// The races of `H0`.
    pub older: Vec<Race>,
}

/// Checks the corrected statement, for any head phase. Exactly the races agree, too.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(s: &Situation) -> Checked<Evidence> {
    let Typed { protocol, lambda, .. } = s.subject.typed()?;
    let (head, older) = s.history.split().ok_or(Vacuous::NoPhase)?;
    let after = evaluated(s)?;
    let mut accesses: BTreeSet<Access> = head.accesses().collect();
    accesses.extend(lambda.accesses().into_iter().flatten());
    let union = phase_of(&accesses);
    let drf = |h: &History| !h.newest_first().any(is_racy);
    let sides = (drf(&after), !is_racy(&union) && drf(&older));
    let union: Vec<Race> = union.races(0).collect();
    let older: Vec<Race> = older.races().collect();
    let history: Vec<Race> = after.races().collect();
    // By the races that are found, and by the definition.
    let found = (history.is_empty(), union.is_empty() && older.is_empty());
    if sides.0 != sides.1 || found != sides {
        let why = format!(
            "From the history {}, the well-typed program `{}` leads to {}. Races of that history: \
             {}. Races of the head phase with the protocol `{protocol}`: {}; of the phases \
             before: {}.",
            s.history,
            s.subject.program(),
            after,
            listed(&history),
            listed(&union),
            listed(&older)
        );
        return Err(Counterexample::refutes(&STATEMENT, s.to_program(), why));
    }
    Ok(Evidence { history, union, older })
}

/// The same for an empty head phase only: the reading closest to the print.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check_from_empty_head(s: &Situation) -> Checked<Evidence> {
    if s.history.head().is_none_or(|head| head.threads().next().is_some()) {
        return Err(Vacuous::NonEmptyHead.into());
    }
    check(s)
}

/// A phase with these accesses; the values are arbitrary.
fn phase_of(accesses: &BTreeSet<Access>) -> Phase {
    let mut phase = Phase::default();
    for access in accesses {
        let before: Accesses = phase.get(access.thread);
        let cell = access.cell.clone();
        let after = match access.mode {
            AccessMode::Rd => before.read(cell),
            AccessMode::Wr => before.write(cell, Natural::zero()),
            AccessMode::At(scope) => {
                let mut after = before;
                let mut log = after.atomics.get(&cell).cloned().unwrap_or_default();
                log.scopes.insert(scope);
                after.atomics.insert(cell, log);
                after
            }
        };
        phase.insert(access.thread, after);
    }
    phase
}
