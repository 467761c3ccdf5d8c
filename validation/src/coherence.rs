//! What holds of the values of each cell by itself on every device: there is an order of its
//! accesses that explains them. So nothing is read that nobody stored, an atomic update is one, and
//! no thread that read a new value reads an older one afterwards.

use crate::order::{Found, Question, search};
use crate::threads::{CellId, Effect, Run, Step};
use std::collections::HashSet;
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
    let steps = question.runs.iter().flat_map(|run| &run.steps);
    let accessed: HashSet<CellId> = steps.map(|step| step.cell).collect();
    let explained = matches!(found, Found::Interleaving(_));
    cells.find(|cell| {
        let changed = || (question.before)(*cell) != (question.after)(*cell);
        if explained || !accessed.contains(cell) {
            return changed() && !accessed.contains(cell);
        }
        let own = |run: &Run| {
            let steps = run.steps.iter().filter(|step| step.cell == *cell);
            Run { steps: steps.copied().collect(), barriers: Vec::new() }
        };
        let runs: Vec<Run> = question.runs.iter().map(own).collect();
        search(&Question { runs: &runs, ..*question }, MOVES) == Found::None
    })
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
