//! The question, phase by phase, its cells and values numbered.

use super::Question;
use crate::threads::{CellId, Effect, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A value in a cell, by number.
pub(super) type Held = usize;

/// The accesses of a phase.
pub(super) struct Phase {
    /// Of each thread, in order.
    pub(super) threads: Vec<Vec<Move>>,
    /// The barriers of narrower scopes than the block: how many moves each thread of the group makes
    /// before.
    pub(super) meetings: Vec<Vec<(usize, usize)>>,
    /// Of each thread, its meetings in order.
    pub(super) own: Vec<Vec<usize>>,
    /// What each of its cells is to hold afterwards.
    pub(super) wanted: BTreeMap<usize, Wanted>,
}

/// An access.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) cell: usize,
    pub(super) sees: Option<Held>,
    pub(super) stores: Option<Held>,
    /// Does no other thread interfere with the cell in the phase?
    pub(super) alone: bool,
    /// The meetings of its thread since its move before: these of [`Phase::own`].
    pub(super) after: (usize, usize),
}

/// What the accesses that follow a phase want a cell to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// This.
    Value(Held),
    /// Anything: nobody sees it.
    Anything,
    /// That depends on their order.
    Unknown,
}

/// The phases, and what the cells hold before and after.
pub(super) struct Prepared {
    pub(super) phases: Vec<Phase>,
    pub(super) before: Vec<Held>,
    pub(super) after: Vec<Held>,
    /// How many values in cells there are.
    pub(super) values: usize,
}

/// Gives numbers to what comes, in order.
struct Numbers<T>(BTreeMap<T, usize>);

impl<T: Ord> Numbers<T> {
    fn of(&mut self, what: T) -> usize {
        let next = self.0.len();
        *self.0.entry(what).or_insert(next)
    }
}

/// Prepares a search. None where an accessed cell has no value: nothing explains that.
pub(super) fn prepare(question: &Question<'_>) -> Option<Prepared> {
    let (mut cells, mut values) = (Numbers(BTreeMap::new()), Numbers(BTreeMap::new()));
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for step in question.runs.iter().flat_map(|run| &run.steps) {
        if cells.of(step.cell) == before.len() {
            before.push(values.of((step.cell, (question.before)(step.cell)?)));
            after.push(values.of((step.cell, (question.after)(step.cell)?)));
        }
    }
    // What is wanted of each cell after a phase, found from the last phase backwards.
    let mut wanted: Vec<Wanted> = after.iter().copied().map(Wanted::Value).collect();
    let mut phases = Vec::new();
    for phase in (0..=question.last_phase).rev() {
        let threads: Vec<&[Step]> = question.runs.iter().map(|run| run.phase(phase)).collect();
        let uses = uses(&threads);
        let mut number = |step: &Step, value| values.of((step.cell, value));
        let groups = question.meetings.get(phase as usize).map_or(&[][..], Vec::as_slice);
        let (meetings, own) = meetings(&threads, groups);
        let mut moves = |passed: usize, step: &Step| Move {
            cell: cells.of(step.cell),
            sees: step.effect.seen().map(|value| number(step, value)),
            stores: step.effect.stored().map(|value| number(step, value)),
            alone: uses[&step.cell].alone(),
            after: (passed, step.passed),
        };
        let mut of_thread = |steps: &&[Step]| {
            let before = [0].into_iter().chain(steps.iter().map(|step| step.passed));
            before.zip(*steps).map(|(passed, step)| moves(passed, step)).collect()
        };
        let threads = threads.iter().map(&mut of_thread).collect();
        let mut wanted_after = BTreeMap::new();
        for (cell, used) in &uses {
            let number = cells.of(*cell);
            wanted_after.insert(number, wanted[number]);
            wanted[number] = match used.wants() {
                Some(Some(value)) => Wanted::Value(values.of((*cell, value))),
                Some(None) => Wanted::Anything,
                None => Wanted::Unknown,
            };
        }
        phases.push(Phase { threads, meetings, own, wanted: wanted_after });
    }
    phases.reverse();
    Some(Prepared { phases, before, after, values: values.0.len() })
}

/// Meetings in order, each with the steps that its threads take before; and of each thread its own ones.
type Meetings = (Vec<Vec<(usize, usize)>>, Vec<Vec<usize>>);

/// The meetings of these groups.
fn meetings(threads: &[&[Step]], groups: &[Range<usize>]) -> Meetings {
    let mut own = vec![Vec::new(); threads.len()];
    let mut meeting = |(number, group): (usize, &Range<usize>)| {
        let before = |thread: usize| {
            let passed = own[thread].len();
            own[thread].push(number);
            (thread, threads[thread].partition_point(|step| step.passed <= passed))
        };
        group.clone().map(before).collect()
    };
    let meetings = groups.iter().enumerate().map(&mut meeting).collect();
    (meetings, own)
}

/// How the threads of a phase use a cell.
#[derive(Default)]
struct Use {
    threads: BTreeSet<usize>,
    /// What the first access of the first thread does.
    first: Option<Effect>,
    seen: BTreeSet<u64>,
    stored: BTreeSet<u64>,
}

impl Use {
    fn alone(&self) -> bool {
        self.threads.len() == 1 || self.stored.is_empty()
    }

    /// What is wanted of the cell before: this value, if there is one, or anything. None where that
    /// depends on the order of the accesses.
    fn wants(&self) -> Option<Option<u64>> {
        if self.alone() {
            // Threads that only read all see what is there.
            return Some(self.first.and_then(Effect::seen));
        }
        let unstored = self.seen.difference(&self.stored).next().copied();
        if unstored.is_some() || self.seen.is_empty() { Some(unstored) } else { None }
    }
}

fn uses(threads: &[&[Step]]) -> BTreeMap<CellId, Use> {
    let mut uses: BTreeMap<CellId, Use> = BTreeMap::new();
    for (thread, steps) in threads.iter().enumerate() {
        for step in *steps {
            let used = uses.entry(step.cell).or_default();
            used.threads.insert(thread);
            used.first.get_or_insert(step.effect);
            used.seen.extend(step.effect.seen());
            used.stored.extend(step.effect.stored());
        }
    }
    uses
}
