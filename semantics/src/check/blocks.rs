//! The rules of `P::H, b ↓ Q::H`, `H, {i: k, …} ⇓ outcome` and `H, k ⇓ outcome`.

use super::Fault;
use super::code::Code;
use super::premises::{Place, Premises, same_history};
use crate::Rule;
use crate::derivation::{
    BlockJudgment, Ending, Judgment, ParallelJudgment, ProgramJudgment, Remaining, Stop,
};
use babycuda_core::{History, Phase};
use std::sync::Arc;

pub(super) fn check_parallel(
    rule: Rule,
    conclusion: &ParallelJudgment,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let ParallelJudgment { block, before, program, after } = conclusion;
    let (Rule::Par, Some((phase, older))) = (rule, before.split()) else {
        return Err(Fault::conclusion("the rule does not conclude this"));
    };
    let older = Arc::new(older);
    let mut merged = Phase::default();
    for i in 0..block.len() {
        let place = Place { history: &older, thread: i };
        let code = Code::Instance(program, block.values(i));
        let reached = premises.thread(1, place, &phase.get(i), &code)?;
        merged.insert(i, (**reached).clone());
    }
    match **after == older.push(merged) {
        true => Ok(()),
        false => Err(Fault::conclusion("the phase of all threads' results")),
    }
}

pub(super) fn check_program(
    rule: Rule,
    conclusion: &ProgramJudgment,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let ProgramJudgment { block, before, program, ending } = conclusion;
    let (Rule::BlockStart, Judgment::Block(start)) = (rule, premises.derived(1)?) else {
        return Err(Fault::premise(1, "the block from its start"));
    };
    let right_threads = start.remaining.len() as u64 == block.len();
    let right_code = right_threads
        && (0..).zip(&*start.remaining).all(|(i, (thread, code))| {
            *thread == i && Code::Instance(program, block.values(i)).is(code)
        });
    match right_code && same_history(&start.before, before) && same_ending(&start.ending, ending) {
        true => Ok(()),
        false => Err(Fault::premise(1, "every thread starts with its own `tid`")),
    }
}

fn same_ending(a: &Ending, b: &Ending) -> bool {
    same_history(&a.history, &b.history) && a.divergence == b.divergence
}

pub(super) fn check_block(
    rule: Rule,
    conclusion: &BlockJudgment,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let BlockJudgment { before, remaining, ending } = conclusion;
    let Some((phase, older)) = before.split() else {
        return Err(Fault::conclusion("the history has a phase"));
    };
    if !remaining.is_sorted_by(|(i, _), (j, _)| i < j) {
        return Err(Fault::conclusion("each thread once"));
    }
    let older = Arc::new(older);
    let (mut merged, mut stops) = (Phase::default(), Vec::new());
    for (i, code) in &**remaining {
        let place = Place { history: &older, thread: *i };
        let (reached, stop) = premises.barrier(1, place, &phase.get(*i), &Code::Same(code))?;
        merged.insert(*i, (**reached).clone());
        stops.push((*i, stop));
    }
    let history = older.push(merged);
    match rule {
        Rule::BlockEnds => check_ends(ending, &history, &stops),
        Rule::BlockSyncs => check_syncs(ending, &history, &stops, premises),
        Rule::BlockDiverges => check_diverges(ending, &history, &stops),
        _ => Err(Fault::conclusion("the rule does not conclude this")),
    }
}

/// Where each thread stopped.
type Stops<'a> = [(u64, &'a Stop)];

fn check_ends(ending: &Ending, history: &History, stops: &Stops<'_>) -> Result<(), Fault> {
    if !stops.iter().all(|(_, stop)| **stop == Stop::Done) {
        return Err(Fault::premise(1, "every thread ends"));
    }
    match *ending.history == *history && ending.divergence.is_none() {
        true => Ok(()),
        false => Err(Fault::conclusion("the phase of all threads' results, and no divergence")),
    }
}

fn check_syncs(
    ending: &Ending,
    history: &History,
    stops: &Stops<'_>,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let first = stops.first().and_then(|(_, stop)| stop.site());
    let rest = stops.iter().map(|(i, stop)| match stop {
        Stop::Barrier { site, rest } if Some(*site) == first => Some((*i, rest.clone())),
        _ => None,
    });
    let rest = rest.collect::<Option<Remaining>>().filter(|rest| !rest.is_empty());
    let Some(rest) = rest else {
        return Err(Fault::premise(1, "all threads stop at one barrier"));
    };
    let next = history.push(Phase::default());
    match premises.derived(2)? {
        Judgment::Block(continued)
            if *continued.before == next
                && *continued.remaining == rest
                && same_ending(&continued.ending, ending) =>
        {
            Ok(())
        }
        _ => Err(Fault::premise(2, "the block goes on in a new phase, to the same ending")),
    }
}

fn check_diverges(ending: &Ending, history: &History, stops: &Stops<'_>) -> Result<(), Fault> {
    let stopped = |(thread, site)| stops.iter().any(|(i, s)| *i == thread && s.site() == site);
    let Some(divergence) = &ending.divergence else {
        return Err(Fault::conclusion("two threads that diverge"));
    };
    let places = stopped(divergence.first) && stopped(divergence.second);
    if !places || divergence.first.1 == divergence.second.1 {
        return Err(Fault::premise(2, "two threads stop at different places"));
    }
    match *ending.history == *history && divergence.phase.checked_add(1) == Some(history.len()) {
        true => Ok(()),
        false => Err(Fault::conclusion("the phase of all threads' results")),
    }
}
