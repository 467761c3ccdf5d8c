//! Deciding by running: an ill-typed program whose launch, parameters and memory are all fixed has
//! one history up to and including its first racy phase, and that is the truth (THEORY T0, T6).

use super::{CheckOptions, Checked, has_atomic, is_grid_variable, report};
use babycuda_core::evidence::{
    Certainty, Confirmation, Divergence, DivergenceWitness, Replay, Report, Side, Witness,
};
use babycuda_core::history::{HostMemory, Place, Race, Stage};
use babycuda_core::syntax::{Contents, Program, Stmt};
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{
    Access, AccessMode, Accesses, Configuration, History, Phase, Site, Thread, Together,
};
use babycuda_semantics::{Derivation, Instance, Judgment, Reason, RunLimits};
use std::collections::BTreeSet;

/// The verdict on a program of which nothing is open; `None` when something is, or when the run
/// does not decide.
pub(super) fn run(program: &Program, options: &CheckOptions) -> Option<Checked> {
    let launch = program.geometry.launch()?;
    let one_block = launch.grid.count() == 1
        && program.geometry.grid.is_none()
        && program.body.free_vars().iter().all(|x| !is_grid_variable(x));
    let determined = (one_block || Together::of(program, &program.body, launch).is_some())
        && program.params.iter().all(|p| p.value.is_some())
        && program.arrays.iter().all(|a| !matches!(a.contents, Contents::Any | Contents::Opaque))
        && !has_atomic(&program.body);
    if !determined {
        return None;
    }
    let instance = Instance::new(program.stopping().unwrap_or_else(|| program.clone()), launch);
    // What the host stored is declared.
    let at = &Configuration { host: HostMemory::default(), ..instance.configuration.clone() };
    if !report::broken(&program.assumptions, at).is_empty() {
        return None;
    }
    if program.unmet_in(at, instance.host()).is_some() {
        return None;
    }
    let limits = RunLimits { steps: options.replay_steps, ..RunLimits::default() };
    let settings = babycuda_semantics::RunOptions { limits, ..Default::default() };
    let observed = crate::observe(&instance, &settings);
    let outcome = &observed.outcome;
    let history = outcome.history().clone();
    match outcome.stuck().map(|stuck| &stuck.reason) {
        // A stop: other threads go on in the phase, which the run does not show.
        Some(Reason::Undefined { cell }) if instance.program.unwritten().contains(&cell.array) => {
            return None;
        }
        // A race, of the phase that the run does not complete.
        Some(Reason::Ambiguous { .. }) if history.is_drf() => return None,
        _ => {}
    }
    let wanted = |race: &Race| options.asks_for(&race.cell.array);
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
            let witness = witness(&instance, &history, race, observed.derivation.as_deref())?;
            races.push(Report { witness, certainty: Certainty::Replayed, replay: replay() });
        }
    }
    let lets_pass = |of: &Divergence| program.sources.lets_pass(of.scope);
    let divergences = match outcome.divergence() {
        Some(divergence) if first_racy.is_none() && lets_pass(divergence).is_none() => {
            let own = |all: Together<'_>| all.own_divergence(*divergence);
            let (block, divergence) = instance.blocks().map_or((at.block, *divergence), own);
            let configuration = Configuration { block, ..at.clone() };
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
        (None, None) => match outcome.divergence().and_then(lets_pass) {
            Some(why) => Outcome::Unknown(why.to_owned()),
            None => Outcome::Drf,
        },
    };
    let in_warps = program.body.waits_in_warps();
    let scope = Some(report::scope(program, in_warps, options.array.as_ref(), BTreeSet::new()));
    let verdict = Verdict { outcome, scope, method: Method::Run, races, divergences };
    let remarks =
        vec!["ill-typed, but launch, parameters and memory are fixed: the run decides".to_owned()];
    let declarations = program.declarations.clone();
    Some(Checked::of(declarations, verdict, remarks))
}

/// A race of the history, with its statements, which the derivation knows.
fn witness(
    instance: &Instance,
    history: &History,
    race: Race,
    derivation: Option<&Derivation>,
) -> Option<Witness> {
    let Race { phase: number, cell, first, second } = race;
    let (_, phase) = history.chronological().find(|(n, _)| *n == number)?;
    let places = |(thread, mode): (u64, AccessMode)| {
        let made = |a: &Accesses| a.iter().any(|(m, c)| (m, c) == (mode, &cell));
        let own = phase.places().filter(move |((_, i), a)| *i == thread && made(a));
        own.map(|(place, _)| place).collect::<Vec<Place>>()
    };
    let (of_first, of_second) = (places(first), places(second));
    let mut pairs = of_first.iter().flat_map(|p| of_second.iter().map(move |q| (*p, *q)));
    let (p, q) = pairs.find(|(p, q)| !phase.precedes(*p, *q) && !phase.precedes(*q, *p))?;
    let side = |(thread, mode): (u64, AccessMode), place: Place| {
        let wanted = Access { thread, mode, cell: cell.clone() };
        let site = derivation.and_then(|d| statement(d, (number, phase), place, &wanted));
        let (thread, site) = (Thread { block: 0, index: thread }, site.unwrap_or_default());
        let (iteration, data) = (Vec::new(), Vec::new());
        Side { thread, phase: Some(number), site, mode, iteration, data }
    };
    let (first, second) = (side(first, p), side(second, q));
    let (of, host) = (instance.together(), HostMemory::default());
    let configuration = Configuration { host, ..of.configuration.clone() };
    let witness = Witness { configuration, cell, first, second, confirmation: Confirmation::Run };
    Some(match instance.blocks() {
        Some(blocks) => blocks.witness_apart(witness),
        None => witness,
    })
}

/// The statement by which a thread makes an access in a place of a phase: that of the first rule
/// instance that adds it.
fn statement(
    derivation: &Derivation,
    (number, phase): (usize, &Phase),
    (stage, thread): Place,
    access: &Access,
) -> Option<Site> {
    let stages: Vec<&Stage> = phase.stages().collect();
    // The stage that ends at the next barrier of the thread, or the end.
    let stage_from = |begun: usize| {
        let next = stages[begun.min(stages.len())..].iter().position(|s| s.holds(thread));
        next.map_or(stages.len(), |n| begun + n)
    };
    derivation.nodes().find_map(|(_, node)| {
        let (history, of, program) = match &node.conclusion {
            Judgment::Thread(j) => (&j.history, j.thread, &j.program),
            Judgment::ToBarrier(j) => (&j.history, j.thread, &j.program),
            _ => return None,
        };
        // The history of a thread judgment has the phases before the current one, and its stages.
        let here = of == thread && history.len() == number;
        if !here || stage_from(history.begun().stages().count()) != stage {
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
