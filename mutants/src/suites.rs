//! The suites: every statement and every agreement of `babycuda-proofs`, on one case.

use crate::case::Case;
use crate::findings::Findings;
use babycuda_core::expr::Relation;
use babycuda_core::syntax::Geometry;
use babycuda_core::{Bool, Configuration, Declarations, Natural, Num, Program, Protocol};
use babycuda_proofs::agreement::{
    derivations_are_accepted as derivations, enumeration_is_exact as enumeration,
    inference_is_exact as inference, lastwrite_is_its_rules as lastwrite,
    the_machine_is_the_reference as machine,
};
use babycuda_proofs::situation::with_declared_memory;
use babycuda_proofs::{
    Checked, Failure, Situation, Subject, access_equivalence, adequacy, corrected_theorem_1,
    determinism, race_formulae_are_exact as formulae, relative_access_equivalence as relative,
    splitting_preserves_phases as splitting, synchronized_access_equivalence as synchronized,
    well_typed_programs_are_access_invariant as invariance,
    well_typed_programs_are_stuck_only_on_undefined_cells as progress,
};
use babycuda_protocols::map;
use babycuda_semantics::interleavings::{self, Reduction};
use babycuda_semantics::vm::Machine;
use babycuda_semantics::{Instance, Outcome, Policy, Reason, RunLimits, RunOptions, parallel};
use babycuda_smt::Builtin;
use std::sync::Arc;

/// Checks everything on the case.
pub(crate) fn check(case: &Case, machine: &mut Machine, found: &mut Findings) {
    found.note(&inference::STATEMENT, inference::check(&case.program));
    one_phase(case, found);
    runs(case, machine, found);
    protocols(case, found);
}

/// T0 to T3, and the derivation of rule par: programs without barriers, on every history.
fn one_phase(case: &Case, found: &mut Findings) {
    let Ok(threads) = u32::try_from(case.launch.block.count()) else { return };
    if case.program.body.has_sync() {
        return;
    }
    let subject = Arc::new(Subject::new(case.program.body.clone(), threads));
    for history in case.histories.iter() {
        let s = Situation::new(history.clone(), subject.clone());
        found.note(&determinism::STATEMENT, determinism::check(&s));
        found.note(&corrected_theorem_1::STATEMENT, corrected_theorem_1::check(&s));
        found.note(&access_equivalence::STATEMENT, access_equivalence::check(&s));
        found.note(&progress::STATEMENT, progress::check(&s));
        found.note(&derivations::STATEMENT, derivations::check_situation(&s));
        let run = parallel::run(history, subject.program(), subject.block(), &s.options());
        if let Ok((after, _)) = run {
            found.note(&lastwrite::STATEMENT, lastwrite::check(&after, || s.to_program()));
        }
    }
}

/// T4 to T6, the derivation of the run and the virtual machine, on every memory; T11 on the first
/// beside each.
fn runs(case: &Case, vm: &mut Machine, found: &mut Findings) {
    let limits = RunLimits { steps: 5_000, ..RunLimits::default() };
    let options = RunOptions { ambiguous: Policy::Smallest, limits, ..RunOptions::default() };
    let few = interleavings::ExplorationLimits { executions: 1_000, steps: 50_000 };
    let mut prepared = None;
    let mut first: Option<Instance> = None;
    for memory in case.memories.iter() {
        let instance = case.instance(memory);
        let run = instance.evaluate(&options);
        let compared = machine::compare(&instance, &options, &run.outcome, vm);
        found.note(&machine::STATEMENT, compared);
        if let Some(derivation) = &run.derivation {
            found.note(&derivations::STATEMENT, derivations::check(&instance, derivation));
        }
        if is_limited(&run.outcome) {
            continue;
        }
        if let Outcome::Done { history } = &run.outcome {
            let checked = lastwrite::check(history, || with_declared_memory(&instance));
            found.note(&lastwrite::STATEMENT, checked);
        }
        if let Some(one) = case.memories.first() {
            found.note(&relative::STATEMENT, relative::check(&case.instance(one), memory));
        }
        let adequate = adequacy::check(&instance, Reduction::SleepSets, &few);
        found.note(&adequacy::STATEMENT, adequate);
        // The type and its Λ are the same for all memories.
        let typed = prepared.get_or_insert_with(|| {
            synchronized::prepare(&instance).inspect_err(|failure| {
                found.note::<()>(&synchronized::STATEMENT, Err(failure.clone()));
            })
        });
        let Ok((protocol, lambda)) = typed else { continue };
        let stuck = matches!(run.outcome, Outcome::Stuck { .. });
        let compared = synchronized::compare(&instance, protocol, lambda, run.outcome);
        found.note(&synchronized::STATEMENT, compared);
        match &first {
            _ if stuck => {}
            None => first = Some(instance),
            Some(first) => {
                found.note(&invariance::STATEMENT, invariance::check(first, memory));
            }
        }
    }
}

/// Did the run reach a limit? Then nothing is said about it.
fn is_limited(outcome: &Outcome) -> bool {
    let Outcome::Stuck { stuck, .. } = outcome else { return false };
    matches!(stuck.reason, Reason::Limit { .. })
}

/// T7, T8 and enumeration, on the type of the program.
fn protocols(case: &Case, found: &mut Findings) {
    let Ok(typed) = babycuda_typing::type_program(&case.program) else { return };
    let protocol = typed.protocol;
    let line = Declarations::of_geometry(Geometry::line());
    let at = [Configuration::of_launch(case.launch), Configuration::threads(3)];
    let split = splitting::check(&protocol, &line, &at);
    found.note(&splitting::STATEMENT, of_program(case, split));
    let limits = map::MapLimits { steps: 20_000, ..map::MapLimits::default() };
    for at in &at {
        if let Ok(lambda) = map::evaluate(&protocol, at, &limits) {
            let enumerated = enumeration::check(&protocol, &lambda, at);
            found.note(&enumeration::STATEMENT, of_program(case, enumerated));
        }
    }
    found.note(&formulae::STATEMENT, of_program(case, by_solver(&protocol)));
}

/// A counterexample to a statement about protocols is shown as the program that has the protocol.
fn of_program<E>(case: &Case, checked: Checked<E>) -> Checked<E> {
    checked.map_err(|failure| match failure {
        Failure::Refuted(mut counterexample) => {
            counterexample.program = Program::clone(&case.program);
            Failure::Refuted(counterexample)
        }
        vacuous => vacuous,
    })
}

/// T8 in blocks of one to three threads.
fn by_solver(protocol: &Protocol) -> Checked<formulae::Evidence> {
    let mut declarations = Declarations::of_geometry(Geometry::line());
    let at_most = Bool::compare(Relation::Le, Num::var("blockDim.x"), Num::lit(3u32));
    declarations.assumptions = vec![at_most];
    let domain = formulae::Domain { threads: 3, values: vec![Natural::zero()] };
    formulae::check(protocol, &declarations, &domain, &Builtin)
}
