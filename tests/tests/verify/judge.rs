//! Is a document true? Judged by evaluating anew, not by a checker.

use crate::replay::replayed;
use babycuda_core::Natural;
use babycuda_protocols::map::{self, Limits, MapEvidence};
use babycuda_semantics::{Instance, Options, Policy, RunEvidence};
use babycuda_typing::{TypeEvidence, type_program};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Is the derivation what the reference derives for the program, launch, parameters and memory of
/// the evidence, for some way to settle ambiguous reads? Updates yield what they do in it.
pub fn run_is_true(evidence: &RunEvidence) -> bool {
    let RunEvidence { program, block, parameters, host, derivation, .. } = evidence;
    let instance = Instance {
        program: Arc::new(program.clone()),
        block: *block,
        parameters: parameters.clone(),
        host: Arc::new(host.clone()),
    };
    let policies = [Policy::Smallest, Policy::Largest, Policy::First].into_iter();
    policies.chain((0..32).map(Policy::Seed)).any(|ambiguous| {
        let options = Options { ambiguous, atomics: replayed(derivation), ..Options::default() };
        let evaluation = instance.evaluate(&options);
        evaluation.derivation.as_deref() == Some(derivation)
            && evaluation.choices.made() == evidence.choices_made
    })
}

/// Is the derivation what inference derives for the program?
pub fn type_is_true(evidence: &TypeEvidence) -> bool {
    type_program(&evidence.program).is_ok_and(|typed| typed.derivation == evidence.derivation)
}

/// Is the derivation what evaluation derives for the protocol? `any` yields what it does in it.
pub fn map_is_true(evidence: &MapEvidence) -> bool {
    let nodes = evidence.derivation.nodes();
    let chosen: VecDeque<Natural> = nodes
        .flat_map(|(_, node)| &node.premises)
        .filter_map(|premise| match premise {
            map::Premise::Chosen { value } => Some(value.clone()),
            _ => None,
        })
        .collect();
    let chosen = RefCell::new(chosen);
    let choose = |_: &_, _| chosen.borrow_mut().pop_front().unwrap_or_default();
    let (protocol, at) = (&evidence.map.protocol, &evidence.configuration);
    map::derive(protocol, at, &choose, &Limits::default())
        .is_ok_and(|derivation| derivation == evidence.derivation)
}
