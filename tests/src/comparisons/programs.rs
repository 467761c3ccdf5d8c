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
use std::collections::BTreeSet;
use std::time::Duration;

/// The most threads of a block that runs by the rules, and its steps.
const FEW: u64 = 16;
const STEPS: u64 = 20_000;
/// Steps of all interleavings.
const INTERLEAVED: u64 = 2_000;
/// Time for enumeration or solvers, which most programs need a hundredth of.
const TIME: Duration = Duration::from_millis(500);

pub(super) fn is_compared(bytes: &[u8]) -> bool {
    !compare(bytes).is_empty()
}

/// What of the program that bytes choose was compared; a comparison that is vacuous or not decided is none.
///
/// # Panics
/// Where two disagree.
pub fn compare(bytes: &[u8]) -> Made {
    let program = case::chosen(&choices(bytes));
    let mut made = Made::new();
    let Some(instance) = case::instance(&program) else { return made };
    // Blocks that wait for each other run as one.
    let together = instance.together();
    if together.block().len() <= FEW {
        of_run(&together, &mut made);
    }
    holds("inference", inference_is_exact::check(&program), &mut made);
    decided(&program, instance.configuration.launch, &mut made);
    simulated(&program, &mut made);
    made
}

/// The comparisons that were made, by name.
pub type Made = BTreeSet<&'static str>;

/// Is the statement not refuted? A counterexample is a program that can be run.
fn holds<E>(name: &'static str, checked: Checked<E>, made: &mut Made) -> Option<E> {
    match checked {
        Ok(evidence) => {
            made.insert(name);
            Some(evidence)
        }
        Err(Failure::Refuted(counterexample)) => panic!("{counterexample}"),
        Err(Failure::Vacuous(_) | Failure::Undecided(_)) => None,
    }
}

/// The run of a block: by the rules, and by all else that says what it does.
fn of_run(instance: &Instance, made: &mut Made) {
    let limits = RunLimits { steps: STEPS, ..RunLimits::default() };
    let options = RunOptions { ambiguous: Policy::Smallest, limits, ..RunOptions::default() };
    let evaluation = instance.evaluate(&options);
    let outcome = evaluation.outcome;
    let machine = &mut Machine::default();
    let compared = the_machine_is_the_reference::compare(instance, &options, &outcome, machine);
    holds("machine", compared, made);
    if let Some(derivation) = &evaluation.derivation {
        holds("derivation", derivations_are_accepted::check(instance, derivation), made);
    }
    typed(instance, outcome, made);
    let few = ExplorationLimits { steps: INTERLEAVED, ..ExplorationLimits::default() };
    holds("interleavings", adequacy::check(instance, Reduction::SleepSets, &few), made);
}

/// What a well-typed program accesses is what Λ of its protocol says (LCL22 Theorem 1, corrected: THEORY T4, T5, T12).
fn typed(instance: &Instance, outcome: Outcome, made: &mut Made) {
    let prepared = holds("type", synchronized_access_equivalence::prepare(instance), made);
    let Some((protocol, lambda)) = prepared else { return };
    let at = &instance.configuration;
    let compared = synchronized_access_equivalence::compare(instance, &protocol, &lambda, outcome);
    holds("accesses", compared, made);
    // Enumeration is about all blocks, and about groups of threads that meet, too; Λ about the phases of one block.
    if at.launch.grid.count() == 1 && protocol.scoped_barrier().is_none() {
        holds("lambda", enumeration_is_exact::check(&protocol, &lambda, at), made);
    }
    holds("phases", scoped_phases::check(&protocol, at), made);
    // With 0 in all cells.
    let empty = Instance::of(instance.program.without_sources(), at.clone());
    let other = empty.defined_everywhere(&babycuda_core::Natural::zero());
    let invariant = well_typed_programs_are_access_invariant::check(instance, other.host());
    holds("invariance", invariant, made);
}

/// Enumeration and solvers say what a run shows, unless it depends on what atomic updates yield.
fn decided(program: &Program, launch: Launch, made: &mut Made) {
    if program.body.has_atomics() {
        return;
    }
    // A grid that is not said would be any.
    let mut program = program.clone().with_launch(launch);
    program.geometry.grid = Some(launch.grid.components().map(Extent::Known));
    let program = &program;
    let Some(truth) = truth(program, 0) else { return };
    for (name, decide) in [("enumeration", Decide::Enumerate), ("solvers", Decide::Solve)] {
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
        made.insert(name);
    }
}

/// The simulator, in two schedules, held to all claims.
fn simulated(program: &Program, made: &mut Made) {
    let Ok(trial) = Trial::new(program) else { return };
    for blocks in trial.jobs(0, 2) {
        let mut sim = Sim::new(Schedule::Random(1));
        let ran = Runner::new(&mut sim).run_grids(&[&blocks]).pop().expect("a report");
        let report = ran.and_then(|reports| trial.report(reports));
        let report = report.unwrap_or_else(|why| panic!("no report: {why}\n{program}"));
        let verdict = validate(&trial.reference, &report);
        if let Some((claim, why)) = verdict.failure(BackendName::Sim) {
            panic!("`{claim}` does not hold on the simulator: {why}\n{program}");
        }
        made.insert("simulator");
    }
}
