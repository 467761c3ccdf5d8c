//! A program of the calculus: its run by the rules and by the virtual machine, its derivation, its type and Λ, all
//! interleavings, enumeration and solvers, and the simulator, held to the claims of `babycuda-validation`.

use super::choices;
use babycuda::core::verdict::Outcome as Decided;
use babycuda::gpu::{BackendName, Runner, sim::Schedule, sim::Sim};
use babycuda::semantics::interleavings::{ExplorationLimits, Reduction};
use babycuda::semantics::vm::Machine;
use babycuda::semantics::{Instance, Outcome, Policy, RunLimits, RunOptions};
use babycuda::smt::SolverName;
use babycuda::{CheckOptions, Decide, check};
use babycuda_core::syntax::Extent;
use babycuda_core::{Budget, Launch, Program};
use babycuda_proofs::agreement::{
    derivations_are_accepted, enumeration_is_exact, inference_is_exact,
    the_machine_is_the_reference,
};
use babycuda_proofs::{
    Checked, Failure, adequacy, scoped_phases, synchronized_access_equivalence,
    well_typed_programs_are_access_invariant,
};
use babycuda_validation::scorecard::truth::{Truth, truth};
use babycuda_validation::{Trial, case, validate};
use std::time::Duration;

/// The most threads of a block that runs by the rules, and its steps.
const FEW: u64 = 16;
const STEPS: u64 = 20_000;
/// Steps of all interleavings.
const INTERLEAVED: u64 = 2_000;
/// Time for enumeration or solvers, which most programs need a hundredth of.
const TIME: Duration = Duration::from_millis(500);

pub(super) fn compare(bytes: &[u8]) -> bool {
    let program = case::chosen(&choices(bytes));
    let Some(instance) = case::instance(&program) else { return false };
    // Blocks that wait for each other run as one.
    let together = instance.together();
    if together.block().len() <= FEW {
        of_run(&together);
    }
    holds(inference_is_exact::check(&program));
    decided(&program, instance.configuration.launch);
    simulated(&program)
}

/// Is the statement not refuted? A counterexample is a program that can be run.
fn holds<E>(checked: Checked<E>) -> Option<E> {
    match checked {
        Ok(evidence) => Some(evidence),
        Err(Failure::Refuted(counterexample)) => panic!("{counterexample}"),
        Err(Failure::Vacuous(_) | Failure::Undecided(_)) => None,
    }
}

/// The run of a block: by the rules, and by all else that says what it does.
fn of_run(instance: &Instance) {
    let limits = RunLimits { steps: STEPS, ..RunLimits::default() };
    let options = RunOptions { ambiguous: Policy::Smallest, limits, ..RunOptions::default() };
    let evaluation = instance.evaluate(&options);
    let outcome = evaluation.outcome;
    let machine = &mut Machine::default();
    holds(the_machine_is_the_reference::compare(instance, &options, &outcome, machine));
    if let Some(derivation) = &evaluation.derivation {
        holds(derivations_are_accepted::check(instance, derivation));
    }
    typed(instance, outcome);
    let few = ExplorationLimits { steps: INTERLEAVED, ..ExplorationLimits::default() };
    holds(adequacy::check(instance, Reduction::SleepSets, &few));
}

/// What a well-typed program accesses is what Λ of its protocol says (LCL22 Theorem 1, corrected: THEORY T4, T5, T12).
fn typed(instance: &Instance, outcome: Outcome) {
    let prepared = holds(synchronized_access_equivalence::prepare(instance));
    let Some((protocol, lambda)) = prepared else { return };
    let at = &instance.configuration;
    holds(synchronized_access_equivalence::compare(instance, &protocol, &lambda, outcome));
    // Enumeration is about all blocks, and about groups of threads that meet, too; Λ about the phases of one block.
    if at.launch.grid.count() == 1 && protocol.scoped_barrier().is_none() {
        holds(enumeration_is_exact::check(&protocol, &lambda, at));
    }
    holds(scoped_phases::check(&protocol, at));
    // With 0 in all cells.
    let empty = Instance::of(instance.program.without_sources(), at.clone());
    let other = empty.defined_everywhere(&babycuda_core::Natural::zero());
    holds(well_typed_programs_are_access_invariant::check(instance, other.host()));
}

/// Enumeration and solvers say what a run shows, unless it depends on what atomic updates yield.
fn decided(program: &Program, launch: Launch) {
    if program.body.has_atomics() {
        return;
    }
    // A grid that is not said would be any.
    let mut program = program.clone().with_launch(launch);
    program.geometry.grid = Some(launch.grid.components().map(Extent::Known));
    let program = &program;
    let Some(truth) = truth(program, 0) else { return };
    for decide in [Decide::Enumerate, Decide::Solve] {
        let budget = Budget::time(TIME);
        let solvers = vec![SolverName::Builtin];
        let options =
            CheckOptions { decide, solvers, budget, verdict_only: true, ..Default::default() };
        let Ok(checked) = check(program, &options) else { continue };
        let said = match checked.verdict.outcome {
            Decided::Drf => Truth::Clean,
            Decided::Racy => Truth::Racy,
            Decided::Divergent => Truth::Divergent,
            Decided::Unknown(_) => continue,
        };
        assert_eq!(
            said, truth,
            "{decide:?} says the former, and a run shows the latter:\n{program}"
        );
    }
}

/// The simulator, in two schedules, held to all claims. Was it compared?
fn simulated(program: &Program) -> bool {
    let Ok(trial) = Trial::new(program) else { return false };
    for blocks in trial.jobs(0, 2) {
        let mut sim = Sim::new(Schedule::Random(1));
        let ran = Runner::new(&mut sim).run_grids(&[&blocks]).pop().expect("a report");
        let report = ran.and_then(|reports| trial.report(reports));
        let report = report.unwrap_or_else(|why| panic!("no report: {why}\n{program}"));
        let verdict = validate(&trial.reference, &report);
        if let Some((claim, why)) = verdict.failure(BackendName::Sim) {
            panic!("`{claim}` does not hold on the simulator: {why}\n{program}");
        }
    }
    true
}
