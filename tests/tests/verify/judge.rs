//! Is a document true? Judged by evaluating anew, not by a checker.

use crate::replay::replayed;
use babycuda_core::evidence::Divergence;
use babycuda_core::{Configuration, Natural};
use babycuda_protocols::map::{self, MapEvidence, MapLimits};
use babycuda_semantics::{
    Derivation, Instance, Judgment, Policy, Premise, RunEvidence, RunOptions,
};
use babycuda_typing::{TypeEvidence, type_program};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Is the derivation what the reference derives for the program, launch, parameters and memory of
/// the evidence, for some way to settle ambiguous reads? Updates yield what they do in it.
pub fn run_is_true(evidence: &RunEvidence) -> bool {
    let RunEvidence { program, block, parameters, host, derivation, .. } = evidence;
    let parameters = parameters.clone();
    let at = Configuration::of_launch(block.launch);
    let at = Configuration { block: block.index, parameters, ..at };
    let instance = Instance::of(program.clone(), at).with_host(host.clone());
    let policies = [Policy::Smallest, Policy::Largest, Policy::First].into_iter();
    policies.chain((0..32).map(Policy::Seed)).any(|ambiguous| {
        let options =
            RunOptions { ambiguous, atomics: replayed(derivation), ..RunOptions::default() };
        let evaluation = instance.evaluate(&options);
        let same = |found: &Arc<Derivation>| *with_pair_of(found, derivation) == *derivation;
        evaluation.derivation.as_ref().is_some_and(same)
            && evaluation.choices.made() == evidence.choices_made
    })
}

/// The derivation `found` with the pair of threads that `said` names for a divergence, if these do
/// stop at different places: rule block/diverges takes any such pair, the evaluator the first.
fn with_pair_of(found: &Arc<Derivation>, said: &Derivation) -> Arc<Derivation> {
    let ending = |derivation: &Derivation| match &derivation.conclusion {
        Judgment::Program(j) => j.ending.divergence,
        Judgment::Block(j) => j.ending.divergence,
        _ => None,
    };
    let stops = |(thread, site)| {
        let mut last = found;
        while let Some(block) = last.children().find(|d| matches!(d.conclusion, Judgment::Block(_)))
        {
            last = block;
        }
        last.children().any(|stopped| match &stopped.conclusion {
            Judgment::ToBarrier(j) => j.thread == thread && j.stop.site() == site,
            _ => false,
        })
    };
    let pair =
        ending(said).filter(|d| stops(d.first) && stops(d.second) && d.first.1 != d.second.1);
    match (ending(found), pair) {
        (Some(own), Some(pair)) if own.phase == pair.phase => exchanged(found, &pair),
        _ => found.clone(),
    }
}

fn exchanged(derivation: &Arc<Derivation>, pair: &Divergence) -> Arc<Derivation> {
    let mut changed = (**derivation).clone();
    match &mut changed.conclusion {
        Judgment::Program(j) => j.ending.divergence = Some(*pair),
        Judgment::Block(j) => j.ending.divergence = Some(*pair),
        _ => return derivation.clone(),
    }
    for premise in &mut changed.premises {
        if let Premise::Derived(child) = premise {
            *child = exchanged(child, pair);
        }
    }
    Arc::new(changed)
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
            map::Premise::Chosen { value, .. } => Some(value.clone()),
            _ => None,
        })
        .collect();
    let chosen = RefCell::new(chosen);
    let choose = |_: &_, _| chosen.borrow_mut().pop_front().unwrap_or_default();
    let (protocol, at) = (&evidence.map.protocol, &evidence.configuration);
    let derived = map::derive(protocol, at, &choose, &MapLimits::default());
    derived.is_ok_and(|mut derivation| {
        take_pair_of(&mut derivation, &evidence.derivation);
        derivation == evidence.derivation
    })
}

/// Takes over the pair of threads that `said` names for a divergence, if these do diverge: rule
/// map/par takes any such pair, evaluation the first.
fn take_pair_of(found: &mut map::Derivation, said: &map::Derivation) {
    let map::Judgment::Block { ending: pair @ map::Ending::Divergence { first, second }, .. } =
        &said.conclusion
    else {
        return;
    };
    let threads: Vec<map::Derivation> = found.children().cloned().collect();
    let map::Judgment::Block { phases, ending, .. } = &mut found.conclusion else { return };
    let stops = |(thread, site): (u64, _)| match threads.get(thread as usize) {
        Some(map::Derivation { conclusion: map::Judgment::Thread { reached, .. }, .. }) => {
            reached.barriers.get(phases.len() - 1).map(|(_, at)| *at) == site
        }
        _ => false,
    };
    let diverges = matches!(ending, map::Ending::Divergence { .. });
    if diverges && stops(*first) && stops(*second) && first.1 != second.1 {
        *ending = pair.clone();
    }
}
