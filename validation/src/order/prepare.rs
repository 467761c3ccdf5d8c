//! The question, phase by phase.

use super::Question;
use crate::threads::{CellId, Effect, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The accesses of a phase.
pub(super) struct Phase {
    /// Of each thread, in order.
    pub(super) threads: Vec<Vec<Move>>,
    /// The cells that several threads access and none reads, with what they may hold afterwards.
    pub(super) only_written: Vec<(usize, Vec<u64>)>,
}

/// An access, its cell by number.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) cell: usize,
    pub(super) effect: Effect,
    pub(super) kind: Kind,
}

/// How the threads of a phase use a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// No access of one thread is affected by another's.
    Alone,
    /// Several threads write it, and that is all.
    OnlyWritten,
    /// In any other way.
    Contested,
}

/// The phases, and what the cells hold before and after.
pub(super) struct Prepared {
    pub(super) phases: Vec<Phase>,
    pub(super) before: Vec<u64>,
    pub(super) after: Vec<u64>,
}

/// Prepares a search. None where an accessed cell has no value: nothing explains that.
pub(super) fn prepare(question: &Question<'_>) -> Option<Prepared> {
    let mut numbers: BTreeMap<CellId, usize> = BTreeMap::new();
    for step in question.runs.iter().flat_map(|run| &run.steps) {
        let next = numbers.len();
        numbers.entry(step.cell).or_insert(next);
    }
    let (mut before, mut after) = (vec![0; numbers.len()], vec![0; numbers.len()]);
    for (cell, number) in &numbers {
        before[*number] = (question.before)(*cell)?;
        after[*number] = (question.after)(*cell)?;
    }
    let steps = |phase| question.runs.iter().map(|run| run.phase(phase)).collect();
    let steps: Vec<Vec<&[Step]>> = (0..=question.last_phase).map(steps).collect();
    // What is wanted of each cell after a phase, found from the last phase backwards.
    let mut wanted: Vec<Wanted> = after.iter().map(|value| Wanted::Value(*value)).collect();
    let mut phases = Vec::new();
    for threads in steps.iter().rev() {
        let uses = uses(threads);
        let only_written = uses.iter().filter(|(_, u)| u.kind() == Kind::OnlyWritten);
        let only_written = only_written.map(|(cell, u)| {
            let cell = numbers[cell];
            (cell, wanted[cell].of(&u.last))
        });
        let only_written = only_written.collect();
        for (cell, used) in &uses {
            wanted[numbers[cell]] = used.wants();
        }
        let moves = |steps: &&[Step]| {
            let numbered = |step: &Step| Move {
                cell: numbers[&step.cell],
                effect: step.effect,
                kind: uses[&step.cell].kind(),
            };
            steps.iter().map(numbered).collect()
        };
        phases.push(Phase { threads: threads.iter().map(moves).collect(), only_written });
    }
    phases.reverse();
    Some(Prepared { phases, before, after })
}

/// What the accesses that follow a phase want a cell to hold.
#[derive(Clone, Copy)]
enum Wanted {
    /// This value.
    Value(u64),
    /// Anything: nobody sees it.
    Anything,
    /// That depends on their order.
    Unknown,
}

impl Wanted {
    /// Those of the values that may be wanted.
    fn of(self, last: &BTreeMap<usize, u64>) -> Vec<u64> {
        let values: BTreeSet<u64> = last.values().copied().collect();
        match self {
            Wanted::Value(value) => values.contains(&value).then_some(value).into_iter().collect(),
            Wanted::Anything => values.into_iter().take(1).collect(),
            Wanted::Unknown => values.into_iter().collect(),
        }
    }
}

/// How the threads of a phase use a cell.
struct Use {
    threads: BTreeSet<usize>,
    /// What the first access sees: of several threads, the first one's.
    first: Option<u64>,
    seen: bool,
    stored: bool,
    /// The last store of each thread.
    last: BTreeMap<usize, u64>,
}

impl Use {
    fn kind(&self) -> Kind {
        match (self.threads.len() > 1 && self.stored, self.seen) {
            (false, _) => Kind::Alone,
            (true, false) => Kind::OnlyWritten,
            (true, true) => Kind::Contested,
        }
    }

    /// What is wanted of the cell before.
    fn wants(&self) -> Wanted {
        match (self.kind(), self.first) {
            // Threads that only read all see what is there.
            (Kind::Alone, Some(value)) => Wanted::Value(value),
            (Kind::Alone, None) | (Kind::OnlyWritten, _) => Wanted::Anything,
            (Kind::Contested, _) => Wanted::Unknown,
        }
    }
}

fn uses(threads: &[&[Step]]) -> BTreeMap<CellId, Use> {
    let mut uses: BTreeMap<CellId, Use> = BTreeMap::new();
    for (thread, steps) in threads.iter().enumerate() {
        for step in *steps {
            let used = uses.entry(step.cell).or_insert_with(|| Use {
                threads: BTreeSet::new(),
                first: step.effect.seen(),
                seen: false,
                stored: false,
                last: BTreeMap::new(),
            });
            used.threads.insert(thread);
            used.seen |= step.effect.seen().is_some();
            if let Some(value) = step.effect.stored() {
                used.stored = true;
                used.last.insert(thread, value);
            }
        }
    }
    uses
}
