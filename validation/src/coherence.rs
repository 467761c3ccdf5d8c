//! What holds of the values of each cell by itself on every device: there is an order of its
//! accesses that explains them. So nothing is read that nobody stored, an atomic update is one, and
//! no thread that read a new value reads an older one afterwards.

use crate::order::{Found, Question, search};
use crate::threads::{CellId, Effect, Run, Step};
use std::collections::HashMap;
use std::fmt::Write;

/// Moves of the search for an order of one cell's accesses.
const MOVES: usize = 1 << 14;

/// The first of the cells whose accesses no order explains, or which is never accessed and holds
/// in the end what it did not hold before. `found`: what the search for an order of all accesses
/// found.
pub(crate) fn incoherent(
    question: &Question<'_>,
    mut cells: impl Iterator<Item = CellId>,
    found: &Found,
) -> Option<CellId> {
    let changed = |cell: &CellId| (question.before)(*cell) != (question.after)(*cell);
    if matches!(found, Found::Interleaving(_)) {
        let steps = question.runs.iter().flat_map(|run| &run.steps);
        let mut accessed: Vec<CellId> = steps.map(|step| step.cell).collect();
        accessed.sort_unstable();
        return cells.find(|cell| changed(cell) && accessed.binary_search(cell).is_err());
    }
    let accesses = by_cell(question);
    cells.find(|cell| match accesses.get(cell) {
        Some(runs) => {
            let runs: Vec<Run> = runs.iter().map(|(_, run)| run.clone()).collect();
            search(&Question { runs: &runs, ..*question }, MOVES) == Found::None
        }
        None => changed(cell),
    })
}

/// What threads do with each accessed cell, by thread: those that access it, and where threads meet, all.
fn by_cell(question: &Question<'_>) -> HashMap<CellId, Vec<(usize, Run)>> {
    let none = || Run { steps: Vec::new(), barriers: Vec::new() };
    let meet = question.meetings.iter().any(|groups| !groups.is_empty());
    let mut cells: HashMap<CellId, Vec<(usize, Run)>> = HashMap::new();
    for (thread, run) in question.runs.iter().enumerate() {
        for step in &run.steps {
            let all = if meet { question.runs.len() } else { 0 };
            let threads = || (0..all).map(|thread| (thread, none())).collect();
            let own = cells.entry(step.cell).or_insert_with(threads);
            let place = match own.binary_search_by_key(&thread, |(other, _)| *other) {
                Ok(place) => place,
                Err(place) => {
                    own.insert(place, (thread, none()));
                    place
                }
            };
            own[place].1.steps.push(*step);
        }
    }
    cells
}

/// What was seen of a cell, in words.
pub(crate) fn describe(question: &Question<'_>, cell: CellId) -> String {
    let mut text = String::new();
    for (thread, run) in question.runs.iter().enumerate() {
        for Step { phase, effect, .. } in run.steps.iter().filter(|step| step.cell == cell) {
            let what = match effect {
                Effect::Read(value) => format!("reads {value}"),
                Effect::Write(value) => format!("writes {value}"),
                Effect::Update { before, after } => format!("updates {before} to {after}"),
            };
            // A string takes everything.
            let _ = write!(text, "thread {thread} {what} in phase {phase}, ");
        }
    }
    let held = |value: Option<u64>| value.map_or_else(|| "nothing".to_owned(), |v| v.to_string());
    let (before, after) = ((question.before)(cell), (question.after)(cell));
    format!("it holds {} before, {text}and it holds {} after", held(before), held(after))
}
