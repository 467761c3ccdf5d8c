//! `lastwrite(j, H)` (LCL22 Fig. 5, rules lastwrite-curr, lastwrite-prev, lastwrite-undef;
//! ours are lastwrite/host, lastwrite/atomic and lastwrite/atomic-curr).
//!
//! The newest phase with a writer of `j` decides; before all phases stands what the host stored.
//! The paper's rule relates `j` to the value of every thread that wrote it in that phase, so it is
//! a relation; and atomic updates (THEORY §4), which the paper does not have, apply to what the
//! cell held before. What a phase makes of a cell:
//!
//! | who touched the cell in the phase | what it holds afterwards |
//! |---|---|
//! | nobody | what it held before |
//! | one thread | what that thread left: its operations are ordered |
//! | several, and each wrote it last by a plain write | any of their values: all are listed |
//! | several, only by atomics of one commutative operator | one value: the order is immaterial |
//! | several in any other way | the order decides; values of some orders are listed |
//!
//! Where barriers of narrower scopes part the phase (THEORY T12), the table is about its parts, each
//! wholly before the next; what a thread does between two barriers counts as one operation, and only
//! operations that no other one of the part follows can be the last. The orders are then those in
//! which, of all that may come next, the first thread does, or the last one.
//!
//! Two orders are listed, so each phase of the last kind may double the values. Where that would
//! make more than [`MAX_LISTED`], the one order is listed in which the first thread has the last
//! word. Such a list never claims to be complete, so values may be left out.

use super::{Cell, History, Phase, Place};
use crate::natural::Natural;
use crate::syntax::{AtomicOp, AtomicUpdate};
use im::Vector;
use std::collections::BTreeSet;

/// At most so many values are listed where the order of threads decides. Values of plain writes are
/// all listed: there are no more than threads.
pub const MAX_LISTED: usize = 64;

/// What a cell may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LastWrite {
    /// `⊥`: nobody wrote the cell.
    Undefined,
    /// Exactly this value.
    One(Natural),
    /// Several values are possible: the newest phase that writes the cell is racy on it, or
    /// updates it atomically in a way that depends on the order, or with data that the calculus
    /// does not compute.
    Several(Possible),
}

/// The values that a cell may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Possible {
    /// Values that it may hold: as a relation, `lastwrite` relates the cell to each of them.
    pub values: BTreeSet<Natural>,
    /// Are these all? If not, there may be others.
    pub exhaustive: bool,
    /// The one among them when the first thread has the last word: where the order of a phase's
    /// threads decides, they come by falling identifier.
    pub first: Natural,
}

impl LastWrite {
    fn several(values: BTreeSet<Natural>, exhaustive: bool, first: Natural) -> LastWrite {
        match exhaustive && values.len() == 1 {
            true => LastWrite::One(first),
            false => LastWrite::Several(Possible { values, exhaustive, first }),
        }
    }

    /// Every value, after an atomic update. An update of ⊥ has no value.
    fn update(self, update: &AtomicUpdate<Natural>) -> LastWrite {
        let computed = update.op != AtomicOp::Opaque;
        match self {
            LastWrite::Undefined => LastWrite::Undefined,
            LastWrite::One(v) => {
                let v = update.apply(&v);
                LastWrite::several(BTreeSet::from([v.clone()]), computed, v)
            }
            LastWrite::Several(Possible { values, exhaustive, first }) => LastWrite::several(
                values.iter().map(|v| update.apply(v)).collect(),
                exhaustive && computed,
                update.apply(&first),
            ),
        }
    }

    /// The values, and the one when the first thread has the last word; `None`: ⊥.
    fn possible(self) -> Option<(BTreeSet<Natural>, Natural)> {
        match self {
            LastWrite::Undefined => None,
            LastWrite::One(v) => Some((BTreeSet::from([v.clone()]), v)),
            LastWrite::Several(possible) => Some((possible.values, possible.first)),
        }
    }
}

/// What one thread did to a cell in one phase, as far as it is visible afterwards.
struct Effect<'a> {
    place: Place,
    /// The value of its last plain write.
    written: Option<&'a Natural>,
    /// Its atomic updates since then.
    updates: Option<&'a Vector<AtomicUpdate<Natural>>>,
}

impl<'a> Effect<'a> {
    fn updates(&self) -> impl Iterator<Item = &'a AtomicUpdate<Natural>> {
        self.updates.into_iter().flatten()
    }

    /// What the cell holds when this is done to it and nothing else.
    fn apply(&self, before: LastWrite) -> LastWrite {
        let start = match self.written {
            Some(k) => LastWrite::One(k.clone()),
            None => before,
        };
        self.updates().fold(start, LastWrite::update)
    }
}

/// What each thread of a phase did to a cell between two barriers, for the threads that wrote or updated it.
fn effects<'a>(cell: &Cell, phase: &'a Phase) -> Vec<Effect<'a>> {
    phase
        .places()
        .map(|(place, accesses)| Effect {
            place,
            written: accesses.writes.get(cell),
            updates: accesses.atomics.get(cell).map(|log| &log.updates),
        })
        .filter(|effect| effect.written.is_some() || effect.updates.is_some())
        .collect()
}

/// What the cell holds after a phase with these effects on it, which stand in an order that they
/// may have: part by part.
fn after(phase: &Phase, mut effects: &[Effect<'_>], mut value: LastWrite) -> LastWrite {
    while !effects.is_empty() {
        // A part ends where all that is in it precedes all that is not.
        let precedes = |i: usize, j: usize| phase.precedes(effects[i].place, effects[j].place);
        let (mut end, mut next) = (1, 0);
        while next < end {
            let beside = (end..effects.len()).rfind(|j| !precedes(next, *j));
            end = beside.map_or(end, |j| j + 1);
            next += 1;
        }
        let (part, rest) = effects.split_at(end);
        value = after_part(phase, part, value);
        effects = rest;
    }
    value
}

/// The same of one part; the table above.
fn after_part(phase: &Phase, effects: &[Effect<'_>], before: LastWrite) -> LastWrite {
    let staged = phase.is_staged();
    let followed =
        |e: &Effect<'_>| staged && effects.iter().any(|f| phase.precedes(e.place, f.place));
    let last: Vec<&Effect<'_>> = effects.iter().filter(|e| !followed(e)).collect();
    match (effects, last.iter().min_by_key(|e| e.place.1)) {
        ([alone], _) => alone.apply(before),
        (_, Some(Effect { written: Some(first), .. }))
            if last.iter().all(|e| e.updates().next().is_none()) =>
        {
            let values = last.iter().filter_map(|e| e.written.cloned());
            LastWrite::several(values.collect(), true, Natural::clone(first))
        }
        _ if order_is_immaterial(effects) => {
            effects.iter().fold(before, |value, effect| effect.apply(value))
        }
        _ => {
            // One thread after the other, from the first or from the last: two orders of many.
            let [up, down] = [false, true].map(|falling| in_turn(phase, effects, falling));
            let up = up.into_iter().fold(before.clone(), |value, effect| effect.apply(value));
            let down = down.into_iter().fold(before, |value, effect| effect.apply(value));
            match (up.possible(), down.possible()) {
                (Some((mut both, _)), Some((values, first))) => {
                    both.extend(values.iter().cloned());
                    let listed = if both.len() > MAX_LISTED { values } else { both };
                    LastWrite::several(listed, false, first)
                }
                // Both are ⊥: nobody wrote the cell, and nobody had.
                _ => LastWrite::Undefined,
            }
        }
    }
}

/// The effects in the order in which, of all that may come next, the first thread does, or the
/// last one.
fn in_turn<'a, 'e>(phase: &Phase, effects: &'e [Effect<'a>], falling: bool) -> Vec<&'e Effect<'a>> {
    let mut left: Vec<&Effect<'a>> = effects.iter().collect();
    if !phase.is_staged() {
        // By thread, as they stand.
        if falling {
            left.reverse();
        }
        return left;
    }
    let mut turns = Vec::new();
    while !left.is_empty() {
        let waits = |e: &Effect<'a>| left.iter().any(|f| phase.precedes(f.place, e.place));
        let ready = (0..left.len()).filter(|n| !waits(left[*n]));
        let thread = |n: &usize| left[*n].place.1;
        let turn = if falling { ready.max_by_key(thread) } else { ready.min_by_key(thread) };
        // Proof: places that precede others stand behind fewer stages, so some precede no other.
        turns.push(left.remove(turn.unwrap_or(0)));
    }
    turns
}

/// Are the effects only updates by one operator that commutes?
fn order_is_immaterial(effects: &[Effect<'_>]) -> bool {
    let mut operators = effects.iter().flat_map(Effect::updates).map(|u| u.op);
    let first = operators.next();
    effects.iter().all(|e| e.written.is_none())
        && first.is_some_and(AtomicOp::commutes)
        && operators.all(|op| Some(op) == first)
}

/// `lastwrite(j, H)`: what `cell` may hold after the history.
pub fn lastwrite(cell: &Cell, history: &History) -> LastWrite {
    // Phases that only update the cell need to know what it held before: they are kept until a
    // phase that writes it, or the host, says so.
    let mut updating = Vec::new();
    let mut value = None;
    for phase in std::iter::once(history.begun()).chain(history.newest_first()) {
        let effects = effects(cell, phase);
        if effects.iter().any(|e| e.written.is_some()) {
            // lastwrite/curr; with updates beside the writes, lastwrite/atomic-curr
            value = Some(after(phase, &effects, LastWrite::Undefined));
            break;
        }
        // lastwrite/prev; with updates, lastwrite/atomic
        if !effects.is_empty() {
            updating.push((phase, effects));
        }
    }
    // lastwrite/host
    let oldest = value.unwrap_or_else(|| match history.host().get(cell) {
        Some(k) => LastWrite::One(k.clone()),
        // lastwrite/undef
        None => LastWrite::Undefined,
    });
    updating.iter().rev().fold(oldest, |value, (phase, effects)| after(phase, effects, value))
}

#[cfg(test)]
mod tests;
