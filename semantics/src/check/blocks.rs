//! The rules of `P::H, b ↓ Q::H`, `H, {i: k, …} ⇓ outcome` and `H, k ⇓ outcome`.

use super::Fault;
use super::code::Code;
use super::premises::{Place, Premises, same_history};
use crate::Rule;
use crate::derivation::{
    BlockJudgment, Ending, Judgment, ParallelJudgment, ProgramJudgment, Remaining, Stop,
};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{History, Phase, Stmt};
use std::collections::{BTreeMap, BTreeSet};
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
    let of_grid = |b: &Stmt| matches!(b, Stmt::Sync { scope: BarrierScope::Grid, .. });
    if block.launch.grid.count() > 1 && program.subterms().any(of_grid) {
        return Err(Fault::conclusion("a block alone has no barrier of the grid"));
    }
    let right_code = right_code && start.warp == block.launch.warp;
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
    let BlockJudgment { before, warp, remaining, ending } = conclusion;
    let Some((phase, older)) = before.split() else {
        return Err(Fault::conclusion("the history has a phase"));
    };
    if !remaining.is_sorted_by(|(i, _), (j, _)| i < j) {
        return Err(Fault::conclusion("each thread once"));
    }
    let (mut merged, mut stops) = (Phase::default().behind(phase), Vec::new());
    for (i, code) in &**remaining {
        let seen = Arc::new(older.amid(&phase.before(*i)));
        let place = Place { history: &seen, thread: *i };
        let (reached, stop) = premises.barrier(1, place, &phase.get(*i), &Code::Same(code))?;
        merged.insert(*i, (**reached).clone());
        stops.push((*i, stop));
    }
    let stops = Stops { warp: *warp, of: stops };
    let history = older.push(merged.clone());
    match rule {
        Rule::BlockEnds => check_ends(ending, &history, &stops),
        Rule::BlockSyncs => check_syncs((*warp, ending), &history, &stops, premises),
        Rule::BlockGroupSyncs => {
            check_group_syncs((*warp, ending), (&older, merged), &stops, premises)
        }
        Rule::BlockDiverges => check_diverges(ending, &history, &stops),
        _ => Err(Fault::conclusion("the rule does not conclude this")),
    }
}

/// Where each thread stopped, and how many are a warp.
struct Stops<'a> {
    warp: u32,
    of: Vec<(u64, &'a Stop)>,
}

impl Stops<'_> {
    /// What tells the groups of a scope apart.
    fn group(&self, scope: BarrierScope, i: u64) -> (u64, u64) {
        let warp = u64::from(self.warp.max(1));
        match scope {
            BarrierScope::Tile(size) => (i / warp, i % warp / u64::from(size.max(1))),
            BarrierScope::Warp => (i / warp, 0),
            BarrierScope::Block | BarrierScope::Grid => (0, 0),
        }
    }

    /// The groups whose threads all wait at one barrier of their scope, narrower than the block or
    /// not.
    fn going(&self, narrow: bool) -> Vec<Vec<u64>> {
        let scope = |stop: &Stop| match stop {
            Stop::Barrier { scope, .. } => Some(*scope),
            Stop::Done => None,
        };
        let scopes: BTreeSet<BarrierScope> = self.of.iter().filter_map(|(_, s)| scope(s)).collect();
        let mut going = Vec::new();
        for of in scopes.into_iter().filter(|s| (*s < BarrierScope::Block) == narrow) {
            let mut groups: BTreeMap<(u64, u64), Vec<(u64, &Stop)>> = BTreeMap::new();
            for (i, stop) in &self.of {
                groups.entry(self.group(of, *i)).or_default().push((*i, stop));
            }
            for group in groups.into_values() {
                let site = group[0].1.site();
                if group.iter().all(|(_, s)| scope(s) == Some(of) && s.site() == site) {
                    going.push(group.into_iter().map(|(i, _)| i).collect());
                }
            }
        }
        going.sort();
        going
    }
}

fn check_ends(ending: &Ending, history: &History, stops: &Stops<'_>) -> Result<(), Fault> {
    if !stops.of.iter().all(|(_, stop)| **stop == Stop::Done) {
        return Err(Fault::premise(1, "every thread ends"));
    }
    match *ending.history == *history && ending.divergence.is_none() {
        true => Ok(()),
        false => Err(Fault::conclusion("the phase of all threads' results, and no divergence")),
    }
}

/// The last premise: the block goes on from there, to the same ending.
fn goes_on(
    (warp, ending): (u32, &Ending),
    (before, rest): (&History, &Remaining),
    premises: &mut Premises<'_>,
) -> Result<bool, Fault> {
    Ok(match premises.derived(2)? {
        Judgment::Block(continued) => {
            *continued.before == *before
                && continued.warp == warp
                && *continued.remaining == *rest
                && same_ending(&continued.ending, ending)
        }
        _ => false,
    })
}

fn check_syncs(
    ending: (u32, &Ending),
    history: &History,
    stops: &Stops<'_>,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let first = stops.of.first().and_then(|(_, stop)| stop.site());
    let rest = stops.of.iter().map(|(i, stop)| match stop {
        Stop::Barrier { site, scope: BarrierScope::Block | BarrierScope::Grid, rest }
            if Some(*site) == first =>
        {
            Some((*i, rest.clone()))
        }
        _ => None,
    });
    let rest = rest.collect::<Option<Remaining>>().filter(|rest| !rest.is_empty());
    let Some(rest) = rest else {
        return Err(Fault::premise(1, "all threads stop at one barrier"));
    };
    match goes_on(ending, (&history.push(Phase::default()), &rest), premises)? {
        true => Ok(()),
        false => Err(Fault::premise(2, "the block goes on in a new phase, to the same ending")),
    }
}

fn check_group_syncs(
    ending: (u32, &Ending),
    (older, mut phase): (&History, Phase),
    stops: &Stops<'_>,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let going = stops.going(true);
    if going.is_empty() || !stops.going(false).is_empty() {
        return Err(Fault::premise(2, "all threads of a group wait at one barrier"));
    }
    for group in &going {
        // Proof: no group is empty.
        let (first, last) = (group[0], group[group.len() - 1]);
        if group.len() as u64 != last - first + 1 {
            return Err(Fault::premise(2, "all threads of the group"));
        }
        phase.pass(first, last + 1);
    }
    let goes_on_from: BTreeSet<u64> = going.into_iter().flatten().collect();
    let rest = stops.of.iter().map(|(i, stop)| match stop {
        Stop::Done => (*i, Arc::new(Stmt::Skip)),
        Stop::Barrier { rest, .. } if goes_on_from.contains(i) => (*i, rest.clone()),
        Stop::Barrier { site, scope, rest } => {
            let sync = Stmt::Sync { site: *site, scope: *scope };
            (*i, Arc::new(Stmt::Seq(Arc::new(sync), rest.clone())))
        }
    });
    let rest: Remaining = rest.collect();
    match goes_on(ending, (&older.push(phase), &rest), premises)? {
        true => Ok(()),
        false => Err(Fault::premise(3, "the block goes on in a new stage, to the same ending")),
    }
}

fn check_diverges(ending: &Ending, history: &History, stops: &Stops<'_>) -> Result<(), Fault> {
    let stopped = |(thread, site)| stops.of.iter().any(|(i, s)| *i == thread && s.site() == site);
    let Some(divergence) = &ending.divergence else {
        return Err(Fault::conclusion("two threads that diverge"));
    };
    let places = stopped(divergence.first) && stopped(divergence.second);
    if !places || divergence.first.1 == divergence.second.1 {
        return Err(Fault::premise(2, "two threads stop at different places"));
    }
    if [true, false].into_iter().any(|narrow| !stops.going(narrow).is_empty()) {
        return Err(Fault::premise(2, "no group goes on"));
    }
    let group = |i| stops.group(divergence.scope, i);
    let waits = |(i, stop): &(u64, &Stop)| {
        group(*i) == group(divergence.first.0)
            && matches!(stop, Stop::Barrier { scope, .. } if *scope == divergence.scope)
    };
    if group(divergence.first.0) != group(divergence.second.0) || !stops.of.iter().any(waits) {
        return Err(Fault::premise(2, "two threads of one group, of which a thread waits"));
    }
    match *ending.history == *history && divergence.phase.checked_add(1) == Some(history.len()) {
        true => Ok(()),
        false => Err(Fault::conclusion("the phase of all threads' results")),
    }
}
