//! `FlowsTo`, `StaticFlowsTo`, Theorem 1 and Propositions 1 and 2 (LGAGJL12 §3.3, §3.4).

use super::step::{Command, Kernel, Logged, State};
use std::collections::BTreeSet;

/// The states after k transitions, for each k, and at most this many; `None`: there are too many states.
fn layers(kernel: &Kernel, initial: &State, steps: usize) -> Option<Vec<BTreeSet<State>>> {
    const MOST: usize = 200_000;
    let mut layers = vec![BTreeSet::from([initial.clone()])];
    let mut states = 0;
    while let Some(last) = layers.last().filter(|last| !last.is_empty() && layers.len() <= steps) {
        let next: BTreeSet<State> = last.iter().flat_map(|s| kernel.successors(s)).collect();
        states += next.len();
        if states > MOST {
            return None;
        }
        layers.push(next);
    }
    Some(layers)
}

/// `v ∈ FlowsTo(P, w)`, as printed: some traces from these two initial states (which differ in `v` alone, or not
/// at all) differ in what `seen` says of w after equally many steps. `None`: too many states.
pub fn flows_to<T: Ord>(
    kernel: &Kernel,
    [one, other]: [&State; 2],
    seen: impl Fn(&State) -> T,
    steps: usize,
) -> Option<bool> {
    let [ones, others] = [one, other].map(|initial| layers(kernel, initial, steps));
    let mut pairs = ones?.into_iter().zip(others?);
    Some(pairs.any(|(ones, others)| {
        let values = |states: &BTreeSet<State>| states.iter().map(&seen).collect::<BTreeSet<T>>();
        let (ones, others) = (values(&ones), values(&others));
        // Two sets hold different values unless both hold the same one alone.
        !ones.is_empty() && !others.is_empty() && (ones.len() > 1 || ones != others)
    }))
}

/// The last states of all complete runs, and whether every other trace goes on to one: no thread hangs.
/// `None`: too many states, or runs of more steps.
pub fn complete_runs(
    kernel: &Kernel,
    initial: &State,
    steps: usize,
) -> Option<(BTreeSet<State>, bool)> {
    let layers = layers(kernel, initial, steps)?;
    if layers.last().is_some_and(|last| !last.is_empty()) {
        return None;
    }
    let stopped = layers.into_iter().flatten().filter(|s| kernel.successors(s).is_empty());
    let (over, hung): (BTreeSet<State>, BTreeSet<State>) = stopped.partition(|s| kernel.is_over(s));
    Some((over, hung.is_empty()))
}

/// `FlowsTo` with the first repair: the last states of complete runs are compared.
pub fn flows_to_at_the_end<T: Ord>(
    kernel: &Kernel,
    [one, other]: [&State; 2],
    seen: impl Fn(&State) -> T,
    steps: usize,
) -> Option<bool> {
    let ends = |initial| Some(complete_runs(kernel, initial, steps)?.0);
    let values = |states: BTreeSet<State>| states.iter().map(&seen).collect::<BTreeSet<T>>();
    let (ones, others) = (values(ends(one)?), values(ends(other)?));
    Some(!ones.is_empty() && !others.is_empty() && (ones.len() > 1 || ones != others))
}

/// Φ_Det: in each interval, what a thread writes no other accesses.
pub fn clean(log: &[BTreeSet<Logged>]) -> bool {
    log.iter().enumerate().all(|(i, one)| {
        let others = log.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, log)| log);
        let others: Vec<&Logged> = others.collect();
        let clashes = |a: &Logged, b: &Logged| (a.0, a.2, a.3) == (b.0, b.2, b.3) && (a.1 || b.1);
        one.iter().all(|a| others.iter().all(|b| !clashes(a, b)))
    })
}

/// `StaticFlowsTo(P, {log}, Y)`: does no input of `data` (all that is not in Y) flow to the log? Taint goes through
/// assignments, and an `assume` that is tainted taints all that comes after it, since here no statement says
/// where a branch ends.
pub fn static_flows_to(kernel: &Kernel, data: &BTreeSet<&'static str>) -> bool {
    let mut tainted = data.clone();
    let mut decided = BTreeSet::new();
    loop {
        let before = (tainted.len(), decided.len());
        for (from, to, commands) in &kernel.edges {
            let mut control = decided.contains(from);
            for command in commands {
                let is = |e: &super::Operand| e.locals().iter().any(|x| tainted.contains(x));
                let (written, taint) = match command {
                    Command::Assume(e) => {
                        control |= is(e);
                        continue;
                    }
                    Command::Assign(x, e) => (*x, is(e)),
                    Command::Read(x, g, e, _) => (*x, is(e) || tainted.contains(g)),
                    Command::Write(g, e, value, _) => (*g, is(e) || is(value)),
                };
                if taint || control {
                    tainted.insert(written);
                }
            }
            if control {
                decided.insert(*to);
            }
        }
        if before == (tainted.len(), decided.len()) {
            break;
        }
    }
    kernel.edges.iter().all(|(from, _, commands)| {
        let mut control = decided.contains(from);
        commands.iter().all(|command| {
            let is = |e: &super::Operand| e.locals().iter().any(|x| tainted.contains(x));
            match command {
                Command::Assume(e) => {
                    control |= is(e);
                    true
                }
                Command::Assign("timestamp", e) => !control && !is(e),
                Command::Read(_, _, e, true) | Command::Write(_, e, _, true) => !control && !is(e),
                _ => true,
            }
        })
    })
}

/// Proposition 2, repaired: P is invariant, and a complete run from the first state has a clean log. Is then every
/// log of every trace from each other state (which agree with it on Y) clean, and within that of the run? `None`:
/// the premises do not hold, or there are too many states.
pub fn amplified(
    kernel: &Kernel,
    data: &BTreeSet<&'static str>,
    run: &State,
    others: &[State],
    steps: usize,
) -> Option<bool> {
    let (ends, _) = complete_runs(kernel, run, steps)?;
    let end = ends.iter().find(|end| clean(&end.log))?;
    if !static_flows_to(kernel, data) {
        return None;
    }
    let mut holds = true;
    for other in others {
        for state in layers(kernel, other, steps)?.into_iter().flatten() {
            let within = state.log.iter().zip(&end.log).all(|(log, all)| log.is_subset(all));
            holds &= within && clean(&state.log);
        }
    }
    Some(holds)
}
