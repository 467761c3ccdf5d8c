//! The question, phase by phase, its cells and values numbered.

use super::Question;
use crate::threads::{CellId, Effect, Step};
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
    /// What each cell is to hold afterwards.
    pub(super) wanted: Vec<Wanted>,
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

/// What there is, in order: each has its place for a number.
struct Numbers<T>(Vec<T>);

impl<T: Ord> Numbers<T> {
    fn new(mut all: Vec<T>) -> Numbers<T> {
        all.sort_unstable();
        all.dedup();
        Numbers(all)
    }

    fn of(&self, what: &T) -> usize {
        // Proof: all were told when the numbers were given.
        self.0.binary_search(what).expect("it has a number")
    }
}

/// Prepares a search. None where an accessed cell has no value: nothing explains that.
pub(super) fn prepare(question: &Question<'_>) -> Option<Prepared> {
    let steps = || question.runs.iter().flat_map(|run| &run.steps);
    let cells = Numbers::new(steps().map(|step| step.cell).collect());
    let held = |of: &dyn Fn(CellId) -> Option<u64>| -> Option<Vec<(usize, u64)>> {
        cells.0.iter().enumerate().map(|(n, cell)| Some((n, of(*cell)?))).collect()
    };
    let (before, after) = (held(question.before)?, held(question.after)?);
    let moved = steps().flat_map(|step| {
        let values = [step.effect.seen(), step.effect.stored()];
        let cell = cells.of(&step.cell);
        values.into_iter().flatten().map(move |value| (cell, value))
    });
    let values = Numbers::new(moved.chain(before.clone()).chain(after.clone()).collect());
    let numbered = |held: Vec<(usize, u64)>| held.iter().map(|held| values.of(held)).collect();
    let (before, after): (Vec<Held>, Vec<Held>) = (numbered(before), numbered(after));
    // What is wanted of each cell after a phase, found from the last phase backwards.
    let mut wanted: Vec<Wanted> = after.iter().copied().map(Wanted::Value).collect();
    let mut phases = Vec::new();
    for phase in (0..=question.last_phase).rev() {
        let threads: Vec<&[Step]> = question.runs.iter().map(|run| run.phase(phase)).collect();
        let uses = uses(&cells, &threads);
        let groups = question.meetings.get(phase as usize).map_or(&[][..], Vec::as_slice);
        let (meetings, own) = meetings(&threads, groups);
        let moves = |passed: usize, step: &Step| {
            let cell = cells.of(&step.cell);
            let number = |value| values.of(&(cell, value));
            let (sees, stores) = (step.effect.seen().map(number), step.effect.stored().map(number));
            Move { cell, sees, stores, alone: uses[cell].alone(), after: (passed, step.passed) }
        };
        let of_thread = |steps: &&[Step]| {
            let before = [0].into_iter().chain(steps.iter().map(|step| step.passed));
            before.zip(*steps).map(|(passed, step)| moves(passed, step)).collect()
        };
        let threads = threads.iter().map(of_thread).collect();
        let wanted_after = wanted.clone();
        for (cell, used) in uses.into_iter().enumerate().filter(|(_, used)| used.first.is_some()) {
            wanted[cell] = match used.wants() {
                Some(Some(value)) => Wanted::Value(values.of(&(cell, value))),
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
#[derive(Clone, Default)]
struct Use {
    /// The first access of the first thread, and what it does.
    first: Option<(usize, Effect)>,
    /// Is there an access of another thread?
    shared: bool,
    seen: Vec<u64>,
    stored: Vec<u64>,
}

impl Use {
    fn alone(&self) -> bool {
        !self.shared || self.stored.is_empty()
    }

    /// What is wanted of the cell before: this value, if there is one, or anything. None where that
    /// depends on the order of the accesses.
    fn wants(self) -> Option<Option<u64>> {
        if self.alone() {
            // Threads that only read all see what is there.
            return Some(self.first.and_then(|(_, effect)| effect.seen()));
        }
        let stored = Numbers::new(self.stored).0;
        let unstored =
            self.seen.iter().copied().filter(|value| stored.binary_search(value).is_err()).min();
        if unstored.is_some() || self.seen.is_empty() { Some(unstored) } else { None }
    }
}

/// How each cell is used, by its number.
fn uses(cells: &Numbers<CellId>, threads: &[&[Step]]) -> Vec<Use> {
    let mut uses = vec![Use::default(); cells.0.len()];
    for (thread, steps) in threads.iter().enumerate() {
        for step in *steps {
            let used = &mut uses[cells.of(&step.cell)];
            used.shared |= used.first.get_or_insert((thread, step.effect)).0 != thread;
            used.seen.extend(step.effect.seen());
            used.stored.extend(step.effect.stored());
        }
    }
    uses
}
