//! Running a block: by the reference while that is cheap, by the virtual machine beyond.

use babycuda_core::evidence::Evaluator;
use babycuda_core::{Cell, Program, Stmt};
use babycuda_semantics::vm::Visit;
use babycuda_semantics::{
    Choices, Derivation, Evaluation, Instance, Limit, Outcome, Reason, RunLimits, RunOptions,
    Stuck, orders, vm,
};
use babycuda_typing::approximate;
use std::sync::Arc;

/// Steps that the reference may take; the virtual machine, which tests hold equal to it, makes
/// longer runs. A step of the reference leaves about 2 KB of derivation behind.
pub const REFERENCE_STEPS: u64 = 50_000;

/// A run of a block; of all blocks where they run together
/// ([`together`](babycuda_core::together)): as of one, threads and cells likewise.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What it comes to. The scope of a divergence is that of the grid's barriers.
    pub outcome: Outcome,
    /// How the run settled what the calculus leaves open.
    pub choices: Choices,
    /// What ran it.
    pub evaluator: Evaluator,
    /// The derivation, where the reference ran to the end.
    pub derivation: Option<Arc<Derivation>>,
}

impl Observed {
    /// A phase and a cell in it such that no order of its atomic updates yields the values that the
    /// run took for them, where these values may decide what is accessed: then no interleaving has
    /// this run, nor its races (THEORY T13). The phase is not later than the first that is racy.
    /// `None` is no proof that there is such an interleaving.
    #[must_use]
    pub fn unordered(&self, instance: &Instance) -> Option<(usize, Cell)> {
        let instance = &*instance.together();
        if are_values_immaterial(&instance.program) {
            return None;
        }
        let history = self.outcome.history();
        let one_block = instance.configuration.launch.grid.count() == 1;
        let mine = |cell: &Cell| one_block || !instance.program.is_global(&cell.array);
        let racy = history.chronological().find(|(_, phase)| phase.is_racy());
        let (phase, cell) = orders::unordered(history, &self.choices, &mine)?;
        racy.is_none_or(|(first, _)| phase <= first).then_some((phase, cell))
    }
}

/// Likewise a cell of a global array, in the runs of all blocks of a grid.
#[must_use]
pub fn unordered_in_grid(program: &Program, runs: &[&Observed]) -> Option<Cell> {
    if are_values_immaterial(program) {
        return None;
    }
    let runs: Vec<_> = runs.iter().map(|run| (run.outcome.history(), &run.choices)).collect();
    orders::unordered_in_grid(&runs, &|cell| program.is_global(&cell.array))
}

/// Does no atomic update yield a value that may decide what is accessed?
pub(crate) fn are_values_immaterial(program: &Program) -> bool {
    let is_used = |statement: &Stmt| match statement {
        Stmt::Atomic { var, body, .. } => body.free_vars().contains(var),
        _ => false,
    };
    !program.body.subterms().any(is_used) || approximate(program).is_exact()
}

/// What the run of the block comes to, within the limits of `options`.
pub fn run(instance: &Instance, options: &RunOptions) -> Outcome {
    observe(instance, options).outcome
}

/// Likewise, with all that is known of the run.
pub fn observe(instance: &Instance, options: &RunOptions) -> Observed {
    let steps = options.limits.steps.min(REFERENCE_STEPS);
    let short = RunOptions { limits: RunLimits { steps, ..options.limits }, ..options.clone() };
    let evaluation = instance.evaluate(&short);
    let too_long = evaluation
        .outcome
        .stuck()
        .is_some_and(|s| matches!(s.reason, Reason::Limit { limit: Limit::Steps, .. }));
    let mut observed = if too_long && steps < options.limits.steps {
        let instance = instance.together();
        let code = vm::Code::compile(&instance.program.body);
        let mut machine = vm::Machine::default();
        let run = machine.run(&code, &instance, options);
        let (outcome, choices) = (run.outcome(), run.choices().clone());
        Observed { outcome, choices, evaluator: Evaluator::VirtualMachine, derivation: None }
    } else {
        let Evaluation { outcome, derivation, choices } = evaluation;
        Observed { outcome, choices, evaluator: Evaluator::Reference, derivation }
    };
    if let (Some(blocks), Outcome::Diverged { divergence, .. }) =
        (instance.blocks(), &mut observed.outcome)
    {
        *divergence = blocks.divergence(&instance.program.body, *divergence);
    }
    observed
}

/// How many accesses of a run, or of an unfinished phase, are listed.
const MAX_VISITS: usize = 1 << 16;

/// The first accesses of a run, thread by thread between barriers, at most 65,536; and are they all?
pub fn visits(instance: &Instance, options: &RunOptions) -> (Vec<Visit>, bool) {
    let (mut visits, mut all) = (Vec::new(), true);
    watch(instance, options, &mut |visit| {
        all = visits.len() < MAX_VISITS;
        if all {
            visits.push(visit);
        }
    });
    (visits, all)
}

/// Hands every access of the run to `see`; where the run is stuck, if it is.
fn watch(instance: &Instance, options: &RunOptions, see: &mut dyn FnMut(Visit)) -> Option<Stuck> {
    let instance = &*instance.together();
    let (code, mut machine) = (vm::Code::compile(&instance.program.body), vm::Machine::default());
    machine.watch(&code, instance, options, see).outcome().stuck().cloned()
}

/// The accesses of the phase in which a run is stuck, thread by thread: those of earlier threads up
/// to their barriers, and those of the stuck thread; later threads did not run. At most 65,536;
/// none where no run is stuck.
pub fn unfinished(instance: &Instance, options: &RunOptions) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::new();
    let stuck = watch(instance, options, &mut |visit| {
        if visits.last().is_some_and(|last| last.phase < visit.phase) {
            visits.clear();
        }
        if visits.len() < MAX_VISITS {
            visits.push(visit);
        }
    });
    match stuck {
        Some(stuck) => visits.retain(|visit| visit.phase == stuck.phase),
        None => visits.clear(),
    }
    visits
}
