//! T11: relative to what the host stored in read-only inputs, T1 to T5 hold of programs that have a
//! type with rule t-read-input.
//!
//! ```text
//! V ⊢ b ▶ p with RO  ∧  b from W0 ⇓ Pn::…::P1  ∧  p ⇓ Λ1 … Λm in W0  ∧  W0' = W0 on RO
//!     ⟹  n = m  ∧  ∀k. accesses(Pk) = Λk, and b from W0' has the same accesses
//! ```
//!
//! So an alarm comes with contents on which it is a race, and a protocol that is DRF in all contents
//! proves race-freedom.

use crate::hypotheses::lambda;
use crate::statement::{
    Checked, Counterexample, Coverage, Failure, Proof, Statement, Vacuous, test, theorem,
};
use crate::synchronized_access_equivalence::{self as equivalence, Evidence};
use crate::well_typed_programs_are_access_invariant as invariance;
use babycuda_core::rules::Item;
use babycuda_core::{Configuration, HostMemory};
use babycuda_semantics::{Instance, Policy, RunOptions};
use babycuda_typing::{TypeEvidence, Typed, check_type, type_relative};

/// T11.
pub static STATEMENT: Statement = Statement {
    id: "T11",
    name: "relative_access_equivalence",
    source: "ours, after LCL22 Theorem 1",
    text: "T1 to T5 hold with Λ evaluated in the host's contents, if the phases that the program \
           starts from do not write RO.",
    rust: Item { file: "proofs/src/relative_access_equivalence.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/ReadOnlyInputs.v", "relative_access_equivalence"),
            theorem("proofs/coq/ReadOnlyInputs.v", "relative_theorem_1"),
            theorem("proofs/coq/ReadOnlyInputs.v", "relative_access_invariance"),
        ],
        Coverage::Restricted("no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/wrong_claims.rs", "t11_is_refuted_where_an_input_is_written"),
        test("proofs/tests/statements/blocks.rs", "t11_holds_on_random_blocks_and_memories"),
    ],
    holds: true,
};

/// Checks T11 for the host memory of the instance and another one, of which the contents of arrays
/// that are no inputs are taken.
///
/// # Errors
/// [`Failure`]
pub fn check(instance: &Instance, other: &HostMemory) -> Checked<Evidence> {
    let program = instance.program.as_ref();
    let Typed { protocol, derivation } =
        type_relative(program).map_err(|rejection| Vacuous::IllTyped(Box::new(rejection)))?;
    let evidence = TypeEvidence { program: program.clone(), derivation };
    if let Err(rejected) = check_type(&evidence) {
        let why = format!("The checker rejects its type `{protocol}`: {rejected}.");
        return Err(Counterexample::refutes(&STATEMENT, program.clone(), why));
    }
    let inputs = program.inputs();
    of_any_type(instance, &protocol, other, |array| inputs.contains(array))
}

/// The conclusion of T11 for whatever type and inputs somebody claims: false where an input is
/// written.
///
/// # Errors
/// [`Failure`]
pub fn of_any_type(
    instance: &Instance,
    protocol: &babycuda_core::Protocol,
    other: &HostMemory,
    is_input: impl Fn(&babycuda_core::Name) -> bool,
) -> Checked<Evidence> {
    let (mut host, mut agreeing) = (HostMemory::default(), other.clone());
    for (name, array) in instance.host().arrays().filter(|(name, _)| is_input(name)) {
        host.insert(name.clone(), array.clone());
        agreeing.insert(name.clone(), array.clone());
    }
    let at = Configuration { host, ..instance.configuration.clone() };
    let lambda = lambda(protocol, &at)?;
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let found = equivalence::compare(instance, protocol, &lambda, instance.run(&options));
    let found = found.map_err(ours)?;
    match invariance::of_any_program(instance, &agreeing) {
        Ok(_) | Err(Failure::Vacuous(_) | Failure::Undecided(_)) => Ok(found),
        Err(refuted) => Err(ours(refuted)),
    }
}

/// A counterexample to T4 or T5 in these contents is one to T11.
fn ours(failure: Failure) -> Failure {
    match failure {
        Failure::Refuted(counterexample) => {
            Failure::Refuted(Box::new(Counterexample { statement: &STATEMENT, ..*counterexample }))
        }
        failure => failure,
    }
}
