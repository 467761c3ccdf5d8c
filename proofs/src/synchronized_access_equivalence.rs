//! T4: T1 and T2 for the synchronized language, phase by phase.
//!
//! ```text
//! V ⊢ b ▶ p  ∧  [∅], b ⇓ Pn::…::P1  ∧  p ⇓ Λ1 … Λm
//!     ⟹  n = m  ∧  ∀k. accesses(Pk) = Λk    (so Pk is racy iff Λk is)
//! ```
//!
//! LCL22 says at the end of §4 that its theorem “extends easily to the synchronized fragment”.
//! It does, and beyond: with barriers anywhere, program and protocol diverge in the same way.

use crate::hypotheses::{ended, lambda, phases, program_typed};
use crate::situation::with_declared_memory;
use crate::statement::{
    Checked, Counterexample, Coverage, Failure, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::Protocol;
use babycuda_core::history::Access;
use babycuda_core::rules::Item;
use babycuda_protocols::MapError;
use babycuda_protocols::map::{Ending, Lambda};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions};
use std::collections::BTreeSet;

/// T4.
pub static STATEMENT: Statement = Statement {
    id: "T4",
    name: "synchronized_access_equivalence",
    source: "LCL22 §4, Discussion",
    text: "T1 and T2 for the synchronized language: each phase of a well-typed program has exactly \
           the accesses of the phase of its protocol, and they diverge alike.",
    rust: Item { file: "proofs/src/synchronized_access_equivalence.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/BarrierEquivalence.v", "block_access_equivalence"),
            theorem("proofs/coq/BarrierEquivalence.v", "block_theorem_1"),
            theorem("proofs/coq/SynchronizedEquivalence.v", "synchronized_access_equivalence"),
            theorem("proofs/coq/SynchronizedEquivalence.v", "synchronized_theorem_1"),
        ],
        Coverage::Restricted("no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/wrong_claims.rs", "t4_refutes_other_phases"),
        test("proofs/tests/small_scope_blocks.rs", "t4_t5_and_t7_on_every_memory"),
        test("proofs/tests/statements/blocks.rs", "t4_holds_on_random_blocks"),
    ],
    holds: true,
};

/// What was found, on both sides alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The accesses, phase by phase, oldest first.
    pub phases: Vec<BTreeSet<Access>>,
    /// Which phases are racy.
    pub racy: Vec<usize>,
    /// Did the threads diverge?
    pub diverges: bool,
}

/// Checks T4, running the program by the reference semantics.
///
/// # Errors
/// [`Failure`]
pub fn check(instance: &Instance) -> Checked<Evidence> {
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let (protocol, lambda) = prepare(instance)?;
    compare(instance, &protocol, &lambda, instance.run(&options))
}

/// The protocol of the program, and its Λ: they do not depend on the host's memory.
///
/// # Errors
/// [`Failure::Vacuous`]: the program is ill-typed, or Λ is too large. [`Failure::Refuted`]: the
/// program is closed, and its protocol is not.
pub fn prepare(instance: &Instance) -> Checked<(Protocol, Lambda)> {
    let protocol = program_typed(&instance.program)?;
    match lambda(&protocol, &instance.configuration) {
        Ok(lambda) => Ok((protocol, lambda)),
        Err(Vacuous::NoLambda(error)) if is_unbound(&error) && is_closed(instance) => {
            let why = format!("It is closed, and its protocol `{protocol}` is not: {error}.");
            Err(Counterexample::refutes(&STATEMENT, with_declared_memory(instance), why))
        }
        Err(vacuous) => Err(vacuous.into()),
    }
}

fn is_unbound(error: &MapError) -> bool {
    matches!(error, MapError::Unbound(..))
}

/// Are all variables given values by the launch and the parameters?
fn is_closed(instance: &Instance) -> bool {
    let program = instance.body().subst(&instance.block().substitution(0));
    program.free_vars().is_empty()
}

/// Checks T4 for an outcome of the instance, however it was computed.
///
/// # Errors
/// [`Failure`]
pub fn compare(
    instance: &Instance,
    protocol: &Protocol,
    lambda: &Lambda,
    outcome: Outcome,
) -> Checked<Evidence> {
    let (history, diverges) = ended(outcome)?;
    let refuted = |why: String| -> Failure {
        let program = with_declared_memory(instance);
        let why = format!("The program has the protocol `{protocol}`. {why}");
        Counterexample::refutes(&STATEMENT, program, why)
    };
    let phases = phases(&history);
    let expected = lambda.accesses();
    if phases.len() != expected.len() {
        let why = format!("It has {} phases, its protocol {}.", phases.len(), expected.len());
        return Err(refuted(why));
    }
    if let Some(k) = (0..phases.len()).find(|k| phases[*k] != expected[*k]) {
        let (found, expected) = (listed(&phases[k]), listed(&expected[k]));
        return Err(refuted(format!("In phase {k} it accesses {found}, its protocol {expected}.")));
    }
    if diverges != (lambda.ending != Ending::Done) {
        return Err(refuted(format!(
            "It diverges: {diverges}; its protocol ends: {:?}.",
            lambda.ending
        )));
    }
    let racy = history.chronological().filter(|(_, p)| p.is_racy()).map(|(k, _)| k).collect();
    let expected: Vec<usize> =
        (0..lambda.phases.len()).filter(|k| !lambda.phases[*k].races(*k).is_empty()).collect();
    if racy != expected {
        return Err(refuted(format!(
            "Its phases {racy:?} are racy, of its protocol {expected:?}."
        )));
    }
    Ok(Evidence { phases, racy, diverges })
}

fn listed(accesses: &BTreeSet<Access>) -> String {
    let accesses: Vec<String> = accesses.iter().map(Access::to_string).collect();
    if accesses.is_empty() { "nothing".to_owned() } else { accesses.join(", ") }
}
