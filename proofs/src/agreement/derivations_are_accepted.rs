//! Every derivation that an evaluator builds is accepted by the checker, which trusts none.

use crate::situation::{Situation, with_declared_memory};
use crate::statement::{Checked, Counterexample, Failure, Proof, Statement, test};
use babycuda_core::rules::Item;
use babycuda_semantics::{Derivation, Instance, check_derivation, parallel};

const SMALL_SCOPE: &str = "proofs/tests/small_scope_agreement.rs";

/// The agreement.
pub static STATEMENT: Statement = Statement {
    id: "derivation",
    name: "derivations_are_accepted",
    source: "ours",
    text: "every derivation that the evaluators build is an instance of the rules, node by node.",
    rust: Item {
        file: "proofs/src/agreement/derivations_are_accepted.rs",
        text: "pub fn check_situation",
    },
    proof: Proof::NotMechanized("it is about an implementation"),
    tests: &[
        test(
            "tests/tests/semantics/derivations.rs",
            "the_checker_accepts_the_derivations_of_random_programs",
        ),
        test(SMALL_SCOPE, "the_derivations_of_every_program_are_accepted"),
    ],
    holds: true,
};

/// The derivation of a run of a block, of the instance.
///
/// # Errors
/// [`Failure::Refuted`]: the checker rejects it.
pub fn check(instance: &Instance, derivation: &Derivation) -> Checked<()> {
    accepted(derivation, || with_declared_memory(instance))
}

/// The derivation of `H, b ↓ H'`.
///
/// # Errors
/// [`Failure`]
pub fn check_situation(s: &Situation) -> Checked<()> {
    let run = parallel::run(&s.history, s.subject.program(), s.subject.block(), &s.options());
    let (_, derivation) = run.map_err(crate::hypotheses::stuck)?;
    accepted(&derivation, || s.to_program())
}

fn accepted(
    derivation: &Derivation,
    program: impl FnOnce() -> babycuda_core::Program,
) -> Result<(), Failure> {
    check_derivation(derivation).map_err(|rejected| {
        let why = format!("The checker rejects its derivation: {rejected}.");
        Counterexample::refutes(&STATEMENT, program(), why)
    })
}
