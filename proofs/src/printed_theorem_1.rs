//! T1 as printed, which is false: LCL22's Theorem 1 for any history.
//!
//! ```text
//! {tid} ⊢ b ▶ u  ∧  H, b ↓ H'  ∧  u ↓ Λ  ∧  H is DRF    ⟹    (H' is DRF  ⟺  Λ is DRF)
//! ```
//!
//! The text ends in “if, and only if, P is DRF”, where no P is in scope; only Λ makes sense, and
//! the proof sketch compares the phase of H' with Λ. It is false when the head phase of H is not
//! empty, because Λ does not know what was accessed there before. The search of this crate finds
//! `counterexamples/T1-printed.bcuda`, with a program of one statement, the fewest that there can
//! be; Coq refutes it by another one. The step `α ∈̂ P ⇔ α ∈ Λ` of the printed proof is false already
//! for one thread and `skip` (Coq: `printed_step_refuted`).
//! [`corrected_theorem_1`](crate::corrected_theorem_1) is true.

use crate::hypotheses::{drf, evaluated, listed};
use crate::situation::{Situation, Typed};
use crate::statement::{Checked, Counterexample, Coverage, Proof, Statement, test, theorem};
use babycuda_core::history::Race;
use babycuda_core::rules::Item;

/// T1 as printed.
pub static STATEMENT: Statement = Statement {
    id: "T1-printed",
    name: "printed_theorem_1",
    source: "LCL22 Theorem 1",
    text: "if {tid} ⊢ b ▶ u, H, b ↓ H', u ↓ Λ and H is DRF, then H' is DRF iff Λ is DRF.",
    rust: Item { file: "proofs/src/printed_theorem_1.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/PrintedTheorem1Refuted.v", "printed_theorem_1_refuted"),
            theorem("proofs/coq/PrintedTheorem1Refuted.v", "printed_step_refuted"),
        ],
        Coverage::Full,
    ),
    tests: &[
        test(
            "proofs/tests/counterexamples.rs",
            "theorem_1_as_printed_is_refuted_by_search_and_the_corrected_one_is_not",
        ),
        test("proofs/tests/statements/situations.rs", "t0_to_t3_hold_on_random_situations"),
    ],
    holds: false,
};

/// What both sides say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The races of `H'`.
    pub history: Vec<Race>,
    /// The races of Λ.
    pub lambda: Vec<Race>,
}

/// Checks the printed statement.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(s: &Situation) -> Checked<Evidence> {
    let Typed { protocol, races, .. } = s.subject.typed()?;
    drf(&s.history)?;
    let after = evaluated(s)?;
    let history: Vec<Race> = after.races().collect();
    if history.is_empty() != races.is_empty() {
        let why = format!(
            "From the race-free history {}, the well-typed program `{}` leads to {}. Races of that \
             history: {}. Races of the protocol `{protocol}`: {}.",
            s.history,
            s.subject.program(),
            after,
            listed(&history),
            listed(races)
        );
        return Err(Counterexample::refutes(&STATEMENT, s.to_program(), why));
    }
    Ok(Evidence { history, lambda: races.clone() })
}
