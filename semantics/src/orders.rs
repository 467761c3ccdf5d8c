//! Is there an order of atomic updates that yields the values a run took? (THEORY T13)
//!
//! In the big step an atomic update yields any value; in an interleaving it yields what the cell
//! holds. So the updates of a cell in a phase, each with the value that it yielded, are those of an
//! interleaving only if they can be put in an order, each thread's as it made them, in which every
//! one yields what those before it left in the cell:
//!
//! ```text
//! ──────────  all made      v ⋆ m; rest of i, others ⊢ ordered
//! v ⊢ ordered               ──────────────────────────────────   i yields v next
//!                           v; (⋆ m yields v); rest of i, others ⊢ ordered
//! ```
//!
//! The cells are looked at one by one, so that there are such orders does not yet make an
//! interleaving; that there is none for one cell shows that no interleaving has the run.

use crate::choice::{Choices, Open};
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use babycuda_core::{Cell, History, Natural, Phase};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;

/// An update, and the value that it yielded.
pub type Yielded = (AtomicUpdate<Natural>, Natural);

/// States that a search for an order may visit.
const MAX_STATES: usize = 100_000;

/// Can the updates, each thread's in its order, be put in an order in which each yields what the
/// cell holds, `start` at first? `None`: not known, because the search would be too long, or an
/// update is of data that the calculus does not compute.
#[must_use]
pub fn ordered(start: &Natural, threads: &[Vec<Yielded>]) -> Option<bool> {
    if threads.iter().flatten().any(|(update, _)| update.op == AtomicOp::Opaque) {
        return None;
    }
    let threads = by_kind(threads);
    let mut seen = HashSet::new();
    let mut open = vec![(start.clone(), vec![0usize; threads.len()])];
    while let Some((value, made)) = open.pop() {
        let next = |i: usize| threads[i].1.get(made[i]);
        if (0..threads.len()).all(|i| next(i).is_none()) {
            return Some(true);
        }
        if seen.len() >= MAX_STATES {
            return None;
        }
        if !seen.insert((value.clone(), made.clone())) {
            continue;
        }
        let possible = |i: &usize| next(*i).is_some_and(|(_, yielded)| *yielded == value);
        // Of those of a kind that made as many, the last one goes: so `made` stays in order.
        let place = |i: usize| Some((threads.get(i)?.0, made[i]));
        let last = |i: &usize| place(*i) != place(i + 1);
        for i in (0..threads.len()).filter(last).filter(possible) {
            let after = next(i).map_or_else(|| value.clone(), |(update, _)| update.apply(&value));
            let in_vain = after == value;
            let mut made = made.clone();
            made[i] += 1;
            open.push((after, made));
            // Whoever changes nothing may go at once.
            if in_vain {
                break;
            }
        }
    }
    Some(false)
}

/// The threads, each with the number of its kind: those that do the same stand behind each other.
fn by_kind(threads: &[Vec<Yielded>]) -> Vec<(usize, &Vec<Yielded>)> {
    let kind = |own| threads.iter().position(|other| other == own);
    let mut all: Vec<_> = threads.iter().map(|own| (kind(own).unwrap_or(0), own)).collect();
    all.sort_by_key(|(kind, _)| *kind);
    all
}

/// The first phase, and a cell in it, whose updates no order gives the values that a run took for
/// them; `None`: there is none, or it is not known, because choices were not kept.
///
/// A cell that a thread of the phase writes plainly is left out: the history does not tell what
/// comes first. So is one that `mine` does not name: where other blocks may update it too, the
/// block's own updates do not tell what it holds.
#[must_use]
pub fn unordered(
    history: &History,
    choices: &Choices,
    mine: &dyn Fn(&Cell) -> bool,
) -> Option<(usize, Cell)> {
    if !are_kept(choices) {
        return None;
    }
    let mut before = History::empty(history.host().clone());
    for (number, phase) in history.chronological() {
        for cell in updated([phase]).into_iter().filter(mine) {
            let starts = match lastwrite(&cell, &before) {
                LastWrite::One(value) => BTreeSet::from([value]),
                LastWrite::Several(possible) if possible.exhaustive => possible.values,
                LastWrite::Several(_) | LastWrite::Undefined => continue,
            };
            let Some(updates) = updates(&cell, number..=number, history, choices) else { continue };
            if starts.iter().all(|start| ordered(start, &updates) == Some(false)) {
                return Some((number, cell));
            }
        }
        before = before.push(phase.clone());
    }
    None
}

/// Likewise a cell that several blocks update, in the runs of all of them: there are no phases that
/// they share. `ours` names the cells that all blocks see.
#[must_use]
pub fn unordered_in_grid(
    runs: &[(&History, &Choices)],
    ours: &dyn Fn(&Cell) -> bool,
) -> Option<Cell> {
    let phases = runs.iter().flat_map(|(history, _)| history.newest_first());
    let impossible = |cell: &Cell| {
        let host = runs.first().and_then(|(history, _)| history.host().get(cell));
        let start = host.filter(|_| runs.iter().all(|(_, choices)| are_kept(choices)));
        let of = |(history, choices): &(&History, &Choices)| {
            updates(cell, 0..=history.len(), history, choices)
        };
        let blocks: Option<Vec<_>> = runs.iter().map(of).collect();
        let found = start.zip(blocks);
        found.is_some_and(|(start, blocks)| ordered(start, &blocks.concat()) == Some(false))
    };
    updated(phases).into_iter().filter(ours).find(impossible)
}

/// Were all choices kept?
fn are_kept(choices: &Choices) -> bool {
    choices.made() == choices.noted().len() as u64
}

/// The cells that are updated in some phases.
fn updated<'a>(phases: impl IntoIterator<Item = &'a Phase>) -> BTreeSet<Cell> {
    let accesses = phases.into_iter().flat_map(|phase| phase.threads());
    accesses.flat_map(|(_, accesses)| accesses.atomics.keys().cloned()).collect()
}

/// What each thread did to a cell in some phases; `None`: not only atomic updates, or the run did
/// not note what each of them yielded, or narrower barriers order the updates further.
fn updates(
    cell: &Cell,
    phases: RangeInclusive<usize>,
    history: &History,
    choices: &Choices,
) -> Option<Vec<Vec<Yielded>>> {
    let mut values: BTreeMap<(usize, u64), Vec<Natural>> = BTreeMap::new();
    for choice in choices.noted() {
        if choice.cell == *cell && matches!(choice.open, Open::Atomic(_)) {
            values.entry((choice.phase, choice.thread)).or_default().push(choice.value.clone());
        }
    }
    let mut threads: BTreeMap<u64, Vec<Yielded>> = BTreeMap::new();
    for (number, phase) in history.chronological().filter(|(n, _)| phases.contains(n)) {
        if phase.is_staged() {
            return None;
        }
        for (thread, accesses) in phase.threads() {
            if accesses.writes.contains_key(cell) {
                return None;
            }
            let Some(log) = accesses.atomics.get(cell) else { continue };
            let values = values.remove(&(number, thread))?;
            if values.len() != log.updates.len() {
                return None;
            }
            threads.entry(thread).or_default().extend(log.updates.iter().cloned().zip(values));
        }
    }
    Some(threads.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::machine::IntType;

    const OPERATORS: [AtomicOp; 6] = [
        AtomicOp::Add(None),
        AtomicOp::Add(Some(IntType::U8)),
        AtomicOp::Max(None),
        AtomicOp::Exch,
        AtomicOp::Inc,
        AtomicOp::Cas,
    ];

    fn update(op: AtomicOp, operand: u32) -> AtomicUpdate<Natural> {
        let expected = (op == AtomicOp::Cas).then(Natural::zero);
        AtomicUpdate { op, operand: operand.into(), expected }
    }

    /// What each of the updates yields in every order that keeps the threads' own, by recursion
    /// over the next step.
    fn orders(
        value: &Natural,
        threads: &[Vec<AtomicUpdate<Natural>>],
        yielded: &mut Vec<Vec<Natural>>,
        found: &mut BTreeSet<Vec<Vec<Natural>>>,
    ) {
        let mut ended = true;
        for i in 0..threads.len() {
            if let Some(update) = threads[i].get(yielded[i].len()) {
                ended = false;
                yielded[i].push(value.clone());
                orders(&update.apply(value), threads, yielded, found);
                yielded[i].pop();
            }
        }
        if ended {
            found.insert(yielded.clone());
        }
    }

    /// All values below `most` for so many updates.
    fn values(updates: usize, most: u32) -> Vec<Vec<Natural>> {
        let mut all = vec![Vec::new()];
        for _ in 0..updates {
            all = all
                .iter()
                .flat_map(|before: &Vec<Natural>| {
                    (0..most).map(|k| before.iter().cloned().chain([k.into()]).collect())
                })
                .collect();
        }
        all
    }

    /// Three updates, by two threads or by three, of all operators and of small operands, whatever
    /// they yield: there is an order iff one of all orders yields that.
    #[test]
    fn there_is_an_order_iff_trying_all_finds_one() {
        let all: Vec<AtomicUpdate<Natural>> = OPERATORS
            .iter()
            .flat_map(|op| [0u32, 1, 2, 255].map(|operand| update(*op, operand)))
            .collect();
        let (mut yes, mut no) = (0, 0);
        for (n, first) in all.iter().enumerate() {
            for second in &all {
                let third = &all[(n * 7 + 3) % all.len()];
                for lengths in [vec![2, 1], vec![1, 1, 1]] {
                    let mut rest = [first, second, third].into_iter().cloned();
                    let threads: Vec<Vec<AtomicUpdate<Natural>>> =
                        lengths.iter().map(|k| rest.by_ref().take(*k).collect()).collect();
                    let (mut found, mut none) = (BTreeSet::new(), vec![Vec::new(); lengths.len()]);
                    orders(&Natural::zero(), &threads, &mut none, &mut found);
                    for values in values(3, 4) {
                        let mut rest = values.into_iter();
                        let yielded: Vec<Vec<Natural>> =
                            lengths.iter().map(|k| rest.by_ref().take(*k).collect()).collect();
                        let updates: Vec<Vec<Yielded>> = threads
                            .iter()
                            .zip(&yielded)
                            .map(|(t, v)| t.iter().cloned().zip(v.iter().cloned()).collect())
                            .collect();
                        let exists = found.contains(&yielded);
                        let judged = ordered(&Natural::zero(), &updates);
                        assert_eq!(judged, Some(exists), "{updates:?}");
                        if exists { yes += 1 } else { no += 1 }
                    }
                }
            }
        }
        assert!(yes > 1000 && no > 10_000, "{yes} with an order, {no} without");
    }

    #[test]
    fn what_is_not_computed_has_no_answer() {
        let opaque = vec![vec![(update(AtomicOp::Opaque, 0), Natural::zero())]];
        assert_eq!(ordered(&Natural::zero(), &opaque), None);
        // 2^20 sets of twenty threads that each leave the cell as it was.
        let exchange = |new: u32, old: u32| (update(AtomicOp::Exch, new), Natural::from(old));
        let mut many: Vec<_> = (1..=20).map(|k| vec![exchange(k, 0), exchange(0, k)]).collect();
        many.push(vec![(update(AtomicOp::Add(None), 0), Natural::from(99u32))]);
        assert_eq!(ordered(&Natural::zero(), &many), None);
    }

    #[test]
    fn many_threads_of_a_kind_are_one_choice() {
        let add =
            |operand: u32, yielded: u32| (update(AtomicOp::Add(None), operand), yielded.into());
        let mut threads = vec![vec![add(0, 0)]; 40];
        threads.extend(vec![vec![add(1, 0)]; 2]);
        assert_eq!(ordered(&Natural::zero(), &threads), Some(false), "two add to 0");
        threads.pop();
        assert_eq!(ordered(&Natural::zero(), &threads), Some(true));
        let counted: Vec<_> = (0..300u32).map(|k| vec![add(1, k)]).collect();
        assert_eq!(ordered(&Natural::zero(), &counted), Some(true));
    }
}
