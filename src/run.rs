//! Running a block: by the reference while that is cheap, by the virtual machine beyond.

use babycuda_semantics::{Derivation, Instance, Limit, Limits, Options, Outcome, Reason, vm};
use std::sync::Arc;

/// Steps that the reference may take before the virtual machine, which is held equal to it, takes
/// over: a step of the reference leaves about 2 KB of derivation behind.
pub const REFERENCE_STEPS: u64 = 50_000;

/// What the run of the block comes to, within the limits of `options`.
pub fn run(instance: &Instance, options: &Options) -> Outcome {
    evaluate(instance, options).0
}

/// Likewise, with the derivation where the reference ran to the end.
pub(crate) fn evaluate(
    instance: &Instance,
    options: &Options,
) -> (Outcome, Option<Arc<Derivation>>) {
    let steps = options.limits.steps.min(REFERENCE_STEPS);
    let short = Options { limits: Limits { steps, ..options.limits }, ..options.clone() };
    let evaluation = instance.evaluate(&short);
    let too_long = evaluation
        .outcome
        .stuck()
        .is_some_and(|s| matches!(s.reason, Reason::Limit { limit: Limit::Steps, .. }));
    if too_long && steps < options.limits.steps {
        return (vm::run(instance, options), None);
    }
    (evaluation.outcome, evaluation.derivation)
}
