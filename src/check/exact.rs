//! Deciding by running: an ill-typed program whose launch, parameters and memory are all fixed has
//! one history up to and including its first racy phase, and that is the truth (THEORY T0, T6).

use super::{Checked, Options, has_atomic, is_grid_variable, report};
use babycuda_core::evidence::{
    Certainty, Confirmation, DivergenceWitness, Replay, Report, Side, Witness,
};
use babycuda_core::history::Race;
use babycuda_core::syntax::{Contents, Program, Stmt};
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Access, AccessMode, Configuration, Site, Thread};
use babycuda_semantics::{Derivation, Instance, Judgment, Reason, RunLimits};
use std::collections::BTreeSet;

/// The verdict on a program of which nothing is open; `None` when something is, or when the run
/// does not decide.
pub(super) fn run(program: &Program, options: &Options) -> Option<Checked> {
    let launch = program.geometry.launch()?;
    let determined = launch.grid.count() == 1
        && program.geometry.grid.is_none()
        && program.body.scoped_barrier().is_none()
        && program.params.iter().all(|p| p.value.is_some())
        && program.arrays.iter().all(|a| !matches!(a.contents, Contents::Any | Contents::Opaque))
        && !has_atomic(&program.body)
        && program.body.free_vars().iter().all(|x| !is_grid_variable(x));
    if !determined {
        return None;
    }
    let instance = Instance::new(program.stopping().unwrap_or_else(|| program.clone()), launch);
    let at = &instance.configuration;
    if !report::broken(&program.assumptions, at).is_empty() {
        return None;
    }
    if program.unmet_in(at, &instance.host).is_some() {
        return None;
    }
    let limits = RunLimits { steps: options.replay_steps, ..RunLimits::default() };
    let settings = babycuda_semantics::RunOptions { limits, ..Default::default() };
    let observed = crate::observe(&instance, &settings);
    let outcome = &observed.outcome;
    if let Some(Reason::Undefined { cell }) = outcome.stuck().map(|stuck| &stuck.reason)
        && instance.program.unwritten().contains(&cell.array)
    {
        // A stop: other threads go on in the phase, which the run does not show.
        return None;
    }
    let history = outcome.history().clone();
    let wanted = |race: &Race| options.array.as_ref().is_none_or(|a| *a == race.cell.array);
    // Up to and including the first racy phase the history is that of every interleaving (T6).
    let first_racy = history.chronological().find(|(_, phase)| phase.is_racy()).map(|(n, _)| n);
    let replay = || {
        let (evaluator, history) = (observed.evaluator, history.clone());
        Some(Replay { evaluator, contents: Vec::new(), history })
    };
    let mut races: Vec<Report<Witness>> = Vec::new();
    for race in history.races().filter(|r| Some(r.phase) == first_racy).filter(wanted) {
        let same =
            |r: &Report<Witness>| (&r.cell.array, r.kind()) == (&race.cell.array, race.kind());
        if !races.iter().any(same) {
            let witness = witness(at, race, observed.derivation.as_deref());
            races.push(Report { witness, certainty: Certainty::Replayed, replay: replay() });
        }
    }
    let divergences = match outcome.divergence() {
        Some(divergence) if first_racy.is_none() => {
            let (configuration, divergence) = (at.clone(), *divergence);
            let witness = DivergenceWitness { configuration, divergence, data: Default::default() };
            vec![Report { witness, certainty: Certainty::Provable, replay: replay() }]
        }
        _ => Vec::new(),
    };
    let outcome = match (first_racy, outcome.stuck()) {
        (Some(_), _) if !races.is_empty() => Outcome::Racy,
        (Some(n), _) => Outcome::Unknown(format!("phase {n} races on another array")),
        (None, Some(stuck)) => Outcome::Unknown(stuck.to_string()),
        (None, None) if !divergences.is_empty() => Outcome::Divergent,
        (None, None) => Outcome::Drf,
    };
    let scope = Some(report::scope(program, options.array.as_ref(), BTreeSet::new()));
    let verdict = Verdict { outcome, scope, method: Method::Run, races, divergences };
    let remarks =
        vec!["ill-typed, but launch, parameters and memory are fixed: the run decides".to_owned()];
    Some(Checked { declarations: program.declarations.clone(), verdict, remarks })
}

/// A race of the history, with its statements, which the derivation knows.
fn witness(at: &Configuration, race: Race, derivation: Option<&Derivation>) -> Witness {
    let Race { phase, cell, first, second } = race;
    let side = |(thread, mode): (u64, AccessMode)| {
        let wanted = Access { thread, mode, cell: cell.clone() };
        let site = derivation.and_then(|d| statement(d, phase, &wanted)).unwrap_or_default();
        let (thread, phase) = (Thread { block: at.block, index: thread }, Some(phase));
        Side { thread, phase, site, mode, iteration: Vec::new(), data: Vec::new() }
    };
    let (first, second) = (side(first), side(second));
    let (configuration, confirmation) = (at.clone(), Confirmation::Run);
    Witness { configuration, cell, first, second, confirmation }
}

/// The statement by which a thread makes an access in a phase: that of the first rule instance
/// that adds it.
fn statement(derivation: &Derivation, phase: usize, access: &Access) -> Option<Site> {
    derivation.nodes().find_map(|(_, node)| {
        let (history, thread, program) = match &node.conclusion {
            Judgment::Thread(j) => (&j.history, j.thread, &j.program),
            Judgment::ToBarrier(j) => (&j.history, j.thread, &j.program),
            _ => return None,
        };
        // The history of a thread judgment has the phases before the current one.
        if thread != access.thread || history.len() != phase {
            return None;
        }
        let (site, array, index, mode) = match program.as_ref() {
            Stmt::Write { site, array, index, .. } => (site, array, index, AccessMode::Wr),
            Stmt::Read { site, array, index, .. } => (site, array, index, AccessMode::Rd),
            _ => return None,
        };
        let here = mode == access.mode
            && *array == access.cell.array
            && index.value().is_ok_and(|j| j == access.cell.index);
        here.then_some(*site)
    })
}
