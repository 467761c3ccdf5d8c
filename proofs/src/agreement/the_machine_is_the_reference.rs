//! The virtual machine has the outcomes of the reference semantics.

use crate::situation::with_declared_memory;
use crate::statement::{Checked, Counterexample, Proof, Statement, test};
use babycuda_core::rules::Item;
use babycuda_semantics::vm::{Code, Machine};
use babycuda_semantics::{Instance, Outcome, RunOptions};

const SMALL_SCOPE: &str = "proofs/tests/small_scope_blocks.rs";

/// The agreement.
pub static STATEMENT: Statement = Statement {
    id: "VM",
    name: "the_machine_is_the_reference",
    source: "ours",
    text: "the virtual machine has the outcome of the reference semantics.",
    rust: Item {
        file: "proofs/src/agreement/the_machine_is_the_reference.rs",
        text: "pub fn compare",
    },
    proof: Proof::NotMechanized("it is about an implementation"),
    tests: &[test(SMALL_SCOPE, "the_machine_has_the_outcomes_of_the_reference")],
    holds: true,
};

/// Holds the machine's outcome to `expected`, that of the reference on this instance.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn compare(
    instance: &Instance,
    options: &RunOptions,
    expected: &Outcome,
    machine: &mut Machine,
) -> Checked<()> {
    let code = Code::compile(&instance.program.body);
    let found = machine.run(&code, instance, options).outcome();
    if found == *expected {
        return Ok(());
    }
    let why = format!("By the reference semantics {expected:?}; by the machine {found:?}.");
    Err(Counterexample::refutes(&STATEMENT, with_declared_memory(instance), why))
}
