//! Barrier intervals: the sequences of statements between two barriers (SKBG18 §5.1, "Condition for data
//! race"). The printed Algorithm 1 and Φ do not look at them; the repaired ones do.

use super::formula::{Action, Age, Interval, LoopId, Translated, Turns};
use std::collections::BTreeSet;

/// The structure of a kernel over its formulae.
#[derive(Clone, Debug)]
pub(super) enum Flow {
    Formula(usize),
    Either(Vec<Flow>, Vec<Flow>),
    Loop(LoopId, Vec<Flow>),
}

type Intervals = BTreeSet<Interval>;

/// Says of each formula which barriers may be the last one before it.
pub(super) fn assign(flow: &[Flow], translated: &mut Translated) {
    let mut found = vec![Intervals::new(); translated.formulae.len()];
    let beginning = Interval { barrier: None, ago: Vec::new(), since: Vec::new() };
    walk(flow, [beginning].into(), translated, &mut found);
    for (formula, after) in translated.formulae.iter_mut().zip(found) {
        formula.after = after.into_iter().collect();
    }
}

fn walk(flow: &[Flow], mut now: Intervals, all: &Translated, found: &mut [Intervals]) -> Intervals {
    for step in flow {
        now = match step {
            Flow::Formula(i) => {
                found[*i].extend(now.iter().cloned());
                let formula = &all.formulae[*i];
                if formula.action == Action::Barrier {
                    let ago = formula.loops.iter().map(|l| (*l, Age::In(Some(0)))).collect();
                    [Interval { barrier: Some(*i), ago, since: Vec::new() }].into()
                } else {
                    now
                }
            }
            Flow::Either(then, otherwise) => {
                let mut both = walk(then, now.clone(), all, found);
                both.extend(walk(otherwise, now, all, found));
                both
            }
            Flow::Loop(number, body) => turns(*number, body, now, all, found),
        };
    }
    now
}

/// The intervals behind a loop: those in which an iteration may begin.
fn turns(
    number: LoopId,
    body: &[Flow],
    now: Intervals,
    all: &Translated,
    found: &mut [Intervals],
) -> Intervals {
    let mut now: Intervals = now.into_iter().map(|i| entered(i, number)).collect();
    // Each turn adds intervals, of which there are finitely many.
    loop {
        let ends = walk(body, now.clone(), all, found);
        let before = now.len();
        now.extend(ends.into_iter().map(|i| over(aged(i, number, older), number)));
        if now.len() == before {
            return now.into_iter().map(|i| ended(aged(i, number, left), number)).collect();
        }
    }
}

fn aged(mut interval: Interval, number: LoopId, age: impl Fn(Age) -> Age) -> Interval {
    for (_, ago) in interval.ago.iter_mut().filter(|(l, _)| *l == number) {
        *ago = age(*ago);
    }
    interval
}

/// An interval that begins before a loop holds in its first iteration.
fn entered(mut interval: Interval, number: LoopId) -> Interval {
    interval.since.retain(|(l, _)| *l != number);
    interval.since.push((number, Turns::Over(Some(0))));
    interval
}

/// One more iteration passed no barrier. What loops in it made is of the last iteration; they were entered after it.
fn over(mut interval: Interval, number: LoopId) -> Interval {
    let entered = interval.since.iter().position(|(l, _)| *l == number);
    interval.since.truncate(entered.map_or(0, |at| at + 1));
    for (l, turns) in &mut interval.since {
        if let (true, Turns::Over(n)) = (*l == number, turns) {
            *n = n.filter(|n| *n == 0).map(|_| 1);
        }
    }
    interval
}

fn ended(mut interval: Interval, number: LoopId) -> Interval {
    for (l, turns) in &mut interval.since {
        if let (true, Turns::Over(n)) = (*l == number, *turns) {
            *turns = Turns::Ended(n);
        }
    }
    interval
}

/// Seen from the next iteration; more than one is any number.
fn older(age: Age) -> Age {
    match age {
        Age::In(n) => Age::In(n.filter(|n| *n == 0).map(|_| 1)),
        left => left,
    }
}

/// Seen from behind the loop.
fn left(age: Age) -> Age {
    match age {
        Age::In(n) | Age::Out(n) => Age::Out(n),
    }
}
