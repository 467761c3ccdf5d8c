//! T5: what a well-typed program accesses does not depend on data.
//!
//! ```text
//! V ⊢ b ▶ p  ∧  b from W0 ⇓ Pn::…::P1  ∧  b from W0' ⇓ Pm'::…::P1'
//!     ⟹  n = m  ∧  ∀k. accesses(Pk) = accesses(Pk'), and both end or both diverge
//! ```
//!
//! LGAGJL12 call it access invariance and test it by information flow; here it follows from T4.
//! So one run that is not stuck decides race-freedom for all data.

use crate::hypotheses::{ended, phases, program_typed};
use crate::situation::with_declared_memory;
use crate::statement::{Checked, Counterexample, Coverage, Proof, Statement, test, theorem};
use babycuda_core::HostMemory;
use babycuda_core::history::Access;
use babycuda_core::rules::Item;
use babycuda_semantics::vm::{Code, Machine};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions};
use std::collections::BTreeSet;

/// T5.
pub static STATEMENT: Statement = Statement {
    id: "T5",
    name: "well_typed_programs_are_access_invariant",
    source: "LGAGJL12 §3; LCL22 Theorem 1",
    text: "any two initial contents on which a well-typed program is not stuck give the same \
           accesses, phase by phase, and the threads diverge on both or on neither.",
    rust: Item {
        file: "proofs/src/well_typed_programs_are_access_invariant.rs",
        text: "pub fn check",
    },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/BarrierInvariance.v", "block_access_invariant"),
            theorem("proofs/coq/BarrierInvariance.v", "one_run_decides_blocks"),
            theorem("proofs/coq/AccessInvariance.v", "well_typed_programs_are_access_invariant"),
            theorem("proofs/coq/SynchronizedInvariance.v", "synchronized_access_invariant"),
        ],
        Coverage::Restricted("no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/wrong_claims.rs", "t5_is_refuted_by_ill_typed_programs"),
        test("proofs/tests/small_scope_blocks.rs", "t4_t5_and_t7_on_every_memory"),
        test("proofs/tests/statements/blocks.rs", "t5_holds_on_random_blocks_and_memories"),
    ],
    holds: true,
};

/// The accesses, phase by phase.
type Evidence = Vec<BTreeSet<Access>>;

/// Checks T5 for the host memory of the instance and another one, by the reference semantics.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(instance: &Instance, other: &HostMemory) -> Checked<Evidence> {
    check_by(instance, other, |instance, options| instance.run(options))
}

/// The conclusion of T5, whatever the program: false of programs without a type.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn of_any_program(instance: &Instance, other: &HostMemory) -> Checked<Evidence> {
    same_accesses(instance, other, |instance, options| instance.run(options))
}

/// The same, by the virtual machine.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check_by_machine(
    instance: &Instance,
    other: &HostMemory,
    code: &Code,
    machine: &mut Machine,
) -> Checked<Evidence> {
    check_by(instance, other, |instance, options| machine.run(code, instance, options).outcome())
}

fn check_by(
    instance: &Instance,
    other: &HostMemory,
    run: impl FnMut(&Instance, &RunOptions) -> Outcome,
) -> Checked<Evidence> {
    program_typed(&instance.program)?;
    same_accesses(instance, other, run)
}

fn same_accesses(
    instance: &Instance,
    other: &HostMemory,
    mut run: impl FnMut(&Instance, &RunOptions) -> Outcome,
) -> Checked<Evidence> {
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let mut end = |instance: &Instance| {
        ended(run(instance, &options)).map(|(history, diverges)| (phases(&history), diverges))
    };
    let (first, first_diverges) = end(instance)?;
    let (second, second_diverges) = end(&instance.clone().with_host(other.clone()))?;
    if (&first, first_diverges) != (&second, second_diverges) {
        let program = with_declared_memory(instance);
        let why = format!(
            "From the contents declared below it accesses {first:?} and diverges: \
             {first_diverges}; from {other:?} it accesses {second:?} and diverges: \
             {second_diverges}."
        );
        return Err(Counterexample::refutes(&STATEMENT, program, why));
    }
    Ok(first)
}
