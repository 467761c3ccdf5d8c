//! Deciding by running: an ill-typed program whose launch, parameters and memory are all fixed has
//! one history up to and including its first racy phase, and that is the truth (THEORY T0, T6).

use super::{Checked, Options, has_atomic, is_grid_variable, report};
use crate::Observed;
use babycuda_core::history::Race;
use babycuda_core::syntax::{Contents, Program, Stmt};
use babycuda_core::verdict::{
    AccessReport, Certainty, DivergenceReport, Method, Outcome, RaceReport, Verdict,
};
use babycuda_core::{Access, AccessMode, Configuration, Launch, Site};
use babycuda_semantics::{Derivation, Instance, Judgment, Limits, Reason};

/// The verdict on a program of which nothing is open; `None` when something is, or when the run
/// does not decide.
pub(super) fn run(program: &Program, options: &Options) -> Option<Checked> {
    let launch = program.geometry.launch()?;
    let determined = launch.grid.count() == 1
        && program.geometry.grid.is_none()
        && program.params.iter().all(|p| p.value.is_some())
        && program.arrays.iter().all(|a| !matches!(a.contents, Contents::Any | Contents::Opaque))
        && !has_atomic(&program.body)
        && program.body.free_vars().iter().all(|x| !is_grid_variable(x));
    if !determined {
        return None;
    }
    let parameters =
        program.params.iter().filter_map(|p| Some((p.name.clone(), p.value.clone()?))).collect();
    if !report::broken(
        &program.assumptions,
        &Configuration { parameters, ..Configuration::of_launch(launch) },
    )
    .is_empty()
    {
        return None;
    }
    let limits = Limits { steps: options.replay_steps, ..Limits::default() };
    let settings = babycuda_semantics::Options { limits, ..Default::default() };
    let stopping = program.stopping();
    let run = stopping.as_ref().unwrap_or(program);
    let instance = Instance::new(run.clone(), launch);
    let observed = crate::observe(&instance, &settings);
    let outcome = &observed.outcome;
    if let Some(Reason::Undefined { cell }) = outcome.stuck().map(|stuck| &stuck.reason)
        && run.unwritten().contains(&cell.array)
    {
        // A stop: other threads go on in the phase, which the run does not show.
        return None;
    }
    let history = outcome.history().clone();
    let wanted = |race: &Race| options.array.as_ref().is_none_or(|a| *a == race.cell.array);
    // Up to and including the first racy phase the history is that of every interleaving (T6).
    let first_racy = history.chronological().find(|(_, phase)| phase.is_racy()).map(|(n, _)| n);
    let mut races: Vec<RaceReport> = Vec::new();
    for race in history.races().filter(|r| Some(r.phase) == first_racy).filter(wanted) {
        let known = races.iter().any(|r| r.array == race.cell.array && r.kind == race.kind());
        if !known {
            races.push(race_report(program, launch, &race, &observed));
        }
    }
    let divergences = match outcome.divergence() {
        Some(d) if first_racy.is_none() => {
            let sides = (d.first, d.second);
            let found = report::divergence(program, launch, &instance.parameters, d.phase, sides);
            vec![DivergenceReport { evaluator: Some(observed.evaluator), ..found }]
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
    let replays = races.iter().map(|_| Some(history.clone())).collect();
    let scope = report::scope(program, options.array.as_ref());
    let verdict = Verdict { outcome, scope, method: Method::Run, races, divergences };
    let remarks =
        vec!["ill-typed, but launch, parameters and memory are fixed: the run decides".to_owned()];
    Some(Checked { program: program.clone(), verdict, replays, remarks })
}

/// A race of the history, with its statements, which the derivation knows.
fn race_report(program: &Program, launch: Launch, race: &Race, observed: &Observed) -> RaceReport {
    let derivation = observed.derivation.as_deref();
    let side = |(thread, mode): (u64, AccessMode)| {
        let wanted = Access { thread, mode, cell: race.cell.clone() };
        let site = derivation.and_then(|d| statement(d, race.phase, &wanted)).unwrap_or_default();
        AccessReport {
            thread: launch.block.position(thread),
            block: launch.grid.position(0),
            mode,
            site,
            span: program.sources.spans.get(&site).copied(),
            iteration: Vec::new(),
        }
    };
    RaceReport {
        array: race.cell.array.clone(),
        kind: race.kind(),
        phase: Some(race.phase),
        index: race.cell.index.clone(),
        certainty: Certainty::Replayed,
        evaluator: Some(observed.evaluator),
        contents: Vec::new(),
        first: side(race.first),
        second: side(race.second),
        launch,
        parameters: program
            .params
            .iter()
            .filter_map(|p| Some((p.name.clone(), p.value.clone()?)))
            .collect(),
    }
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
