//! T2: a well-typed program accesses what its protocol says, thread by thread.
//!
//! ```text
//! {tid} ⊢ b ▶ u  ∧  A, b[tid := i] ↓_{H,i} B  ∧  u ↓_i Λ_i
//!     ⟹  accesses(B) = accesses(A) ∪ Λ_i
//! ```
//!
//! Source: the proof sketch of LCL22 Theorem 1, which states it for whole phases and for DRF
//! histories. It needs neither.

use crate::hypotheses::stuck;
use crate::situation::{AccessSet, Situation, Typed, access_set};
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::rules::Item;
use babycuda_semantics::thread;

/// T2.
pub static STATEMENT: Statement = Statement {
    id: "T2",
    name: "access_equivalence",
    source: "LCL22 Theorem 1, proof sketch",
    text: "if {tid} ⊢ b ▶ u, A, b ↓_{H,i} B and u ↓_i Λ_i, then accesses(B) = accesses(A) ∪ Λ_i.",
    rust: Item { file: "proofs/src/access_equivalence.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/AccessEquivalence.v", "access_equivalence"),
            theorem("proofs/coq/AccessEquivalence.v", "phase_access_equivalence"),
        ],
        Coverage::Restricted("no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/wrong_claims.rs", "t2_refutes_every_wrong_protocol"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_every_phase_of_two_threads"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_histories_of_at_most_one_access"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_in_three_threads"),
        test("proofs/tests/statements/situations.rs", "t0_to_t3_hold_on_random_situations"),
    ],
    holds: true,
};

/// For each thread that is not stuck, `accesses(B)`.
type Evidence = Vec<Option<AccessSet>>;

/// Checks T2 for every thread of the situation that has a `B`.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(s: &Situation) -> Checked<Evidence> {
    let Typed { protocol, lambda, .. } = s.subject.typed()?;
    let (head, older) = s.history.split().ok_or(Vacuous::NoPhase)?;
    let (mut evidence, mut why_not) = (Vec::new(), None);
    for (i, program) in s.subject.closed() {
        let before = head.get(i);
        let run = thread::evaluate(&before, program, &older, i, &s.options());
        let after = match run {
            Ok((after, _)) => access_set(&after),
            Err(error) => {
                why_not = Some(error);
                evidence.push(None);
                continue;
            }
        };
        let mut expected = access_set(&before);
        let events = lambda.phases.iter().flat_map(|phase| &phase.events);
        expected.extend(events.filter(|e| e.thread == i).map(|e| (e.mode, e.cell.clone())));
        if after != expected {
            let why = format!(
                "From the history {}, thread {i} of the well-typed program `{}` accesses \
                 {after:?}, and with its protocol `{protocol}` {expected:?}.",
                s.history,
                s.subject.program()
            );
            return Err(Counterexample::refutes(&STATEMENT, s.to_program(), why));
        }
        evidence.push(Some(after));
    }
    match why_not {
        Some(error) if evidence.iter().all(Option::is_none) => Err(stuck(error).into()),
        _ => Ok(evidence),
    }
}
