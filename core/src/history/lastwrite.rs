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
mod tests {
    use super::*;
    use crate::history::{Accesses, HostMemory};
    use crate::machine::IntType;
    use crate::syntax::Scope;

    fn cell(index: u32) -> Cell {
        Cell::new("A", index)
    }

    fn wrote(value: u32) -> Accesses {
        Accesses::default().write(cell(0), Natural::from(value))
    }

    fn update(op: AtomicOp, operand: u32) -> AtomicUpdate<Natural> {
        AtomicUpdate { op, operand: Natural::from(operand), expected: None }
    }

    /// The accesses, and then an atomic update of cell 0.
    fn updated(accesses: &Accesses, op: AtomicOp, operand: u32) -> Accesses {
        accesses.atomic(cell(0), Scope::Device, update(op, operand))
    }

    fn added(operand: u32) -> Accesses {
        updated(&Accesses::default(), AtomicOp::Add(None), operand)
    }

    fn phase(threads: impl IntoIterator<Item = Accesses>) -> Phase {
        (0..).zip(threads).collect()
    }

    /// A history over a host that stored 100 in cell 0, phases oldest first.
    fn history(phases: impl IntoIterator<Item = Phase>) -> History {
        let mut host = HostMemory::default();
        host.set(cell(0), Natural::from(100u32));
        phases.into_iter().fold(History::empty(host), |h, p| h.push(p))
    }

    fn after_phases(phases: impl IntoIterator<Item = Phase>) -> LastWrite {
        lastwrite(&cell(0), &history(phases))
    }

    fn one(value: u32) -> LastWrite {
        LastWrite::One(Natural::from(value))
    }

    /// Several values; the first one given is the one of the first thread.
    fn several(values: impl IntoIterator<Item = u32>, exhaustive: bool) -> LastWrite {
        let values: Vec<Natural> = values.into_iter().map(Natural::from).collect();
        let first = values[0].clone();
        LastWrite::Several(Possible { values: values.into_iter().collect(), exhaustive, first })
    }

    #[test]
    fn the_history_of_equation_1() {
        let write = |a: Accesses, j: u32, k: u32| a.write(cell(j), Natural::from(k));
        let empty = Accesses::default;
        let phase_0 = phase([write(empty(), 1, 9), write(empty(), 2, 10)]);
        let phase_1 = phase([write(empty(), 0, 0), write(empty().read(cell(0)), 0, 1)]);
        let h = History::empty(HostMemory::default()).push(phase_0).push(phase_1);
        assert_eq!(
            h.to_string(),
            "[{0: (∅, {0: 0}), 1: ({0}, {0: 1})}, {0: (∅, {1: 9}), 1: (∅, {2: 10})}]"
        );
        assert_eq!(lastwrite(&cell(0), &h), several([0, 1], true));
        assert_eq!(lastwrite(&cell(1), &h), one(9));
        assert_eq!(lastwrite(&cell(2), &h), one(10));
        assert_eq!(lastwrite(&cell(3), &h), LastWrite::Undefined);
        let races: Vec<String> = h.races().map(|r| r.to_string()).collect();
        assert_eq!(
            races,
            [
                "phase 1: thread 0 wr / thread 1 rd on A[0]",
                "phase 1: thread 0 wr / thread 1 wr on A[0]"
            ]
        );
        assert!(!h.is_drf());
    }

    #[test]
    fn the_newest_writing_phase_decides_and_the_host_comes_last() {
        assert_eq!(after_phases([]), one(100));
        assert_eq!(after_phases([phase([wrote(1)]), phase([wrote(2)])]), one(2));
        let reader = phase([Accesses::default().read(cell(0))]);
        assert_eq!(after_phases([phase([wrote(1)]), reader]), one(1));
        assert_eq!(lastwrite(&cell(1), &history([])), LastWrite::Undefined);
    }

    #[test]
    fn plain_writes_of_several_threads_are_a_relation() {
        assert_eq!(after_phases([phase([wrote(1), wrote(2)])]), several([1, 2], true));
        assert_eq!(after_phases([phase([wrote(3), wrote(3)])]), one(3));
        // An update before the thread's own write is overwritten in every order.
        let overwritten = added(5).write(cell(0), Natural::from(7u32));
        assert_eq!(after_phases([phase([overwritten, wrote(1)])]), several([7, 1], true));
    }

    #[test]
    fn a_threads_own_operations_are_ordered() {
        let add = AtomicOp::Add(None);
        assert_eq!(after_phases([phase([updated(&wrote(1), add, 2)])]), one(3));
        let exchanged = updated(&updated(&wrote(1), AtomicOp::Exch, 9), add, 2);
        assert_eq!(after_phases([phase([exchanged])]), one(11));
        assert_eq!(after_phases([phase([added(2)])]), one(102));
    }

    #[test]
    fn one_commutative_operator_gives_one_value() {
        assert_eq!(after_phases([phase([added(1), added(2), added(3)])]), one(106));
        let max = |m| updated(&Accesses::default(), AtomicOp::Max(Some(IntType::I32)), m);
        // As i32, 0xffff_ffff is -1.
        assert_eq!(after_phases([phase([max(0xffff_ffff), max(200)])]), one(200));
        // Phase by phase.
        let phases = [phase([wrote(1)]), phase([added(1), added(2)]), phase([added(4)])];
        assert_eq!(after_phases(phases), one(8));
        // On top of a racy phase, each possible value is updated.
        let phases = [phase([wrote(1), wrote(2)]), phase([added(1), added(2)])];
        assert_eq!(after_phases(phases), several([4, 5], true));
    }

    #[test]
    fn where_the_order_decides_not_all_values_are_known() {
        let exch = |m| updated(&Accesses::default(), AtomicOp::Exch, m);
        assert_eq!(after_phases([phase([exch(1), exch(2)])]), several([1, 2], false));
        let typed = updated(&Accesses::default(), AtomicOp::Add(Some(IntType::U8)), 3);
        assert_eq!(after_phases([phase([added(200), typed])]), several([303, 47], false));
        assert_eq!(after_phases([phase([wrote(5), added(1)])]), several([5, 6], false));
        // Even when the listed values agree, others may exist.
        assert_eq!(after_phases([phase([wrote(5), added(0)])]), several([5], false));
        let opaque = updated(&wrote(5), AtomicOp::Opaque, 0);
        assert_eq!(after_phases([phase([opaque])]), several([5], false));
    }

    #[test]
    fn an_update_of_values_that_are_not_all_known_makes_none_certain() {
        let exch = |m| updated(&Accesses::default(), AtomicOp::Exch, m);
        let phases = [phase([exch(1), exch(2)]), phase([added(1)])];
        assert_eq!(after_phases(phases), several([2, 3], false));
        // One listed value is not one possible value.
        let phases = [phase([wrote(5), added(0)]), phase([added(1), added(2)])];
        assert_eq!(after_phases(phases), several([8], false));
    }

    /// Phase `number`, of two updates whose order decides.
    fn mixed(number: u32) -> Phase {
        let t = IntType::U32;
        let add = updated(&Accesses::default(), AtomicOp::Add(Some(t)), 3u32.wrapping_pow(number));
        let xor = updated(&Accesses::default(), AtomicOp::Xor(t), 5u32.wrapping_pow(number));
        phase([add, xor])
    }

    #[test]
    fn the_values_do_not_double_for_ever_and_what_is_cut_is_not_called_complete() {
        for phases in 1..=40 {
            let LastWrite::Several(Possible { values, exhaustive, first }) =
                after_phases((0..phases).map(mixed))
            else {
                panic!("the order decides");
            };
            assert!(values.contains(&first) && values.len() <= MAX_LISTED);
            assert!(!exhaustive, "{phases} phases");
            assert!(phases < 10 || values.len() > MAX_LISTED / 4, "{phases}: {}", values.len());
            // One that decides makes the list complete again.
            let newer = (0..phases).map(mixed).chain([phase([wrote(1), wrote(2)])]);
            assert_eq!(after_phases(newer), several([1, 2], true));
        }
    }

    #[test]
    fn all_values_of_a_racy_phase_are_listed_and_updates_make_no_more() {
        let racy = phase((0..100).map(|i| wrote(1000 * i)));
        let LastWrite::Several(all) = after_phases([racy.clone()]) else { panic!() };
        assert_eq!((all.values.len(), all.exhaustive), (100, true));
        let LastWrite::Several(cut) = after_phases([racy, mixed(1)]) else { panic!() };
        assert_eq!((cut.values.len(), cut.exhaustive), (100, false));
        assert!(cut.values.contains(&cut.first));
    }

    #[test]
    fn an_update_of_an_undefined_cell_is_undefined() {
        let at = |op| {
            let log = update(op, 1);
            Accesses::default().atomic(cell(1), Scope::Device, log)
        };
        let add = AtomicOp::Add(None);
        for threads in [vec![at(add)], vec![at(add), at(add)], vec![at(add), at(AtomicOp::Exch)]] {
            assert_eq!(lastwrite(&cell(1), &history([phase(threads)])), LastWrite::Undefined);
        }
    }
}
