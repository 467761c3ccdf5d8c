//! T0: the thread judgment is deterministic where no phase has two writers of a cell.
//!
//! ```text
//! (∀P ∈ H, j. ∣{i ∣ P(i) = (R, W), j ∈ dom(W)}∣ ≤ 1)  ∧  A, b ↓_{H,i} B  ∧  A, b ↓_{H,i} B'
//!     ⟹  B = B'
//! ```
//!
//! Source: implicit in LCL22 §3, whose `lastwrite` is written as a function but is a relation on
//! racy phases. Without the hypothesis it is false: see `counterexamples/T0-without-hypothesis.bcuda`.

use crate::hypotheses::{single_writers, stuck, without_atomics};
use crate::relation::{Unrelated, results};
use crate::situation::Situation;
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::Accesses;
use babycuda_core::rules::Item;
use babycuda_semantics::{Reason, thread};

/// T0.
pub static STATEMENT: Statement = Statement {
    id: "T0",
    name: "determinism",
    source: "LCL22 §3, implicit",
    text: "if every phase of H has at most one writer per cell, then A, b ↓_{H,i} B has at most \
           one B.",
    rust: Item { file: "proofs/src/determinism.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/Determinism.v", "thread_deterministic"),
            theorem("proofs/coq/Determinism.v", "parallel_deterministic"),
            theorem("proofs/coq/Determinism.v", "to_barrier_deterministic"),
            theorem("proofs/coq/BarrierDeterminism.v", "drf_block_deterministic"),
        ],
        Coverage::Restricted("no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_every_phase_of_two_threads"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_on_histories_of_at_most_one_access"),
        test("proofs/tests/small_scope.rs", "t0_to_t3_in_three_threads"),
        test("proofs/tests/statements/situations.rs", "t0_to_t3_hold_on_random_situations"),
        test(
            "proofs/tests/counterexamples.rs",
            "without_its_hypothesis_determinism_is_refuted_by_search",
        ),
    ],
    holds: true,
};

/// For each thread its one result; `None`: it is stuck on ⊥.
type Evidence = Vec<Option<Accesses>>;

/// Checks T0 for every thread of the situation, `A` being its accesses in the head phase and `H`
/// the phases before. The evaluator must find the one result, too.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(s: &Situation) -> Checked<Evidence> {
    let (_, older) = s.history.split().ok_or(Vacuous::NoPhase)?;
    single_writers(&older)?;
    at_most_one(s)
}

/// The conclusion of T0, whatever the history.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn at_most_one(s: &Situation) -> Checked<Evidence> {
    let (head, older) = s.history.split().ok_or(Vacuous::NoPhase)?;
    without_atomics(s.subject.program())?;
    let mut evidence = Vec::new();
    for (i, program) in s.subject.closed() {
        let before = head.get(i);
        let all = results(&before, program, &older, i).map_err(|error| match error {
            Unrelated::Unbound(unbound) => Vacuous::Open(unbound.0),
            Unrelated::NotOfThePaper => Vacuous::Synchronized,
            Unrelated::Values(cell) => Vacuous::SeveralWriters(cell),
            Unrelated::TooMany => Vacuous::TooLarge,
        })?;
        let refuted = |why: String| Counterexample::refutes(&STATEMENT, s.to_program(), why);
        if let [first, second, ..] = all.as_slice() {
            return Err(refuted(format!(
                "Thread {i} may end with the accesses {first}, and with {second}, depending on \
                 which value a read of a racy cell yields."
            )));
        }
        let one = all.into_iter().next();
        match (thread::evaluate(&before, program, &older, i, &s.options()), &one) {
            (Ok((found, _)), Some(one)) if found == *one => {}
            (Err(error), None) if matches!(error.reason, Reason::Undefined { .. }) => {}
            (Err(error), _) if matches!(error.reason, Reason::Limit { .. }) => {
                return Err(stuck(error).into());
            }
            (found, _) => {
                let found = found.map(|(accesses, _)| accesses);
                return Err(refuted(format!(
                    "For thread {i} the rules have the result {one:?}, the evaluator {found:?}."
                )));
            }
        }
        evidence.push(one);
    }
    Ok(evidence)
}
