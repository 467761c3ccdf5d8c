//! T7: turning a protocol into parametrised phases preserves its Λ, phase by phase.
//!
//! ```text
//! p ⇓ Λ1 … Λn (done, or diverging after Λn)  ∧  split(p) = [C1 ▷ u1, …]  with its obligations met
//!     ⟹  done, and the instances of the Ck ▷ uk, in order, are Λ1 … Λn
//! ```
//!
//! Source: LCL22 §2 after the CAV'21 paper it cites, for loops that may run zero times as well.

use crate::hypotheses::no_lambda;
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::rules::Item;
use babycuda_core::{Configuration, Declarations, Program, Protocol};
use babycuda_protocols::map::{Ending, MapLimits};
use babycuda_protocols::split;
use babycuda_protocols::split::{ByRanges, Mismatch, are_met, preserves};

/// T7.
pub static STATEMENT: Statement = Statement {
    id: "T7",
    name: "splitting_preserves_phases",
    source: "LCL22 §2; our splitting",
    text: "turning a protocol into parametrised phases preserves its Λ, phase by phase, wherever the \
           obligations that the splitting leaves are met; there the block does not diverge.",
    rust: Item { file: "proofs/src/splitting_preserves_phases.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/SplittingPreservesPhases.v", "splitting_preserves_phases"),
            theorem("proofs/coq/SplittingPreservesPhases.v", "splitting_preserves_drf"),
        ],
        Coverage::Restricted(
            "a splitter of its own, not the one of the library; no atomic updates; stratified \
             protocols whose loops have iterations that are alike (`alignable`). The phases are the \
             same as sets, not in their order.",
        ),
    ),
    tests: &[
        test("proofs/tests/small_scope_blocks.rs", "t4_t5_and_t7_on_every_memory"),
        test("proofs/tests/statements/blocks.rs", "t7_holds_on_random_protocols"),
    ],
    holds: true,
};

/// What was compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// How many parametrised phases.
    pub parametrised: usize,
    /// How many phases of Λ they were, in each configuration in which the obligations are met.
    pub phases: Vec<usize>,
    /// How many obligations the split has.
    pub obligations: usize,
    /// In how many configurations they are not met.
    pub unmet: usize,
}

/// Checks T7 for `protocol`, split once, in each configuration that the declarations admit. In each
/// the obligations are evaluated; where they are met, the block must not diverge, and the phases
/// must be the same. Where they are not, nothing is promised.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(
    protocol: &Protocol,
    declarations: &Declarations,
    configurations: &[Configuration],
) -> Checked<Evidence> {
    let limits = MapLimits::default();
    let result = split(protocol, &mut ByRanges::of(declarations));
    let phases = result.phases.map_err(|why| Vacuous::NotSplit(why.to_string()))?;
    let obligations = result.obligations.len();
    let mut evidence =
        Evidence { parametrised: phases.len(), phases: Vec::new(), obligations, unmet: 0 };
    for at in configurations.iter().filter(|at| declarations.admits(at)) {
        if !are_met(&result.obligations, at, &limits).map_err(no_lambda)? {
            evidence.unmet += 1;
            continue;
        }
        match preserves(protocol, &phases, at, &limits) {
            Ok(lambda) if lambda.ending == Ending::Done => {
                evidence.phases.push(lambda.phases.len());
            }
            Ok(_) => return Err(refuted(protocol, at, "diverges, and all obligations are met")),
            Err(Mismatch::Map(error)) => return Err(no_lambda(error).into()),
            Err(difference) => return Err(refuted(protocol, at, &difference.to_string())),
        }
    }
    if evidence.phases.is_empty() {
        return Err(Vacuous::Unmet.into());
    }
    Ok(evidence)
}

fn refuted(protocol: &Protocol, at: &Configuration, why: &str) -> crate::Failure {
    let values: Vec<String> = at.parameters.iter().map(|(x, k)| format!("{x} = {k}")).collect();
    let why = format!(
        "The protocol `{protocol}`, in {} threads with {}: {why}. (The program below stands for \
         the protocol: each access is one of it.)",
        at.launch.block.count(),
        if values.is_empty() { "no parameters".to_owned() } else { values.join(", ") },
    );
    let program = Program::of_body(crate::render::program_of_protocol(protocol));
    let program = crate::render::with_parameters(program.with_launch(at.launch), &at.parameters);
    Counterexample::refutes(&STATEMENT, program, why)
}
