//! What names stand for: histories with threads that do the same at once, and no names but those that
//! a reader meets.

use super::drawing::{Drawing, Given};
use super::formula::{Formula, code, columns, math, name};
use super::texts::several;
use babycuda_core::history::Phase;
use babycuda_core::{Accesses, History};
use std::collections::HashSet;
use std::sync::Arc;

/// Histories that are longer are written as a phase behind another history, where that has a name.
const LONG: usize = 100;

/// `[P, …]`, or `P :: H1`: threads that did the same but for numbers stand at once.
pub(super) fn history(history: &History, known: &[Arc<History>]) -> Formula {
    let mut whole = list(history);
    if columns(&whole) > LONG
        && !history.begun().is_staged()
        && let Some((head, tail)) = history.split()
        && !tail.is_empty()
        && let Some(number) = known.iter().position(|other| **other == tail)
    {
        whole = phase(head);
        whole.extend([math(" :: "), name(format!("H{number}"))]);
    }
    whole
}

fn list(history: &History) -> Formula {
    let mut formula = vec![math("[")];
    for (n, own) in history.newest_first().enumerate() {
        if n > 0 {
            formula.push(math(", "));
        }
        formula.extend(phase(own));
    }
    formula.push(math("]"));
    if history.begun().is_staged() {
        formula.push(math(" amid "));
        formula.extend(phase(history.begun()));
    }
    formula
}

/// `{i: A, …}`; behind its stages, each with its barrier: `{0: A} |0..2| {1: B}`.
fn phase(phase: &Phase) -> Formula {
    let mut formula = Formula::new();
    for stage in phase.stages() {
        formula.extend(threads(stage.threads()));
        formula.push(math(format!(" |{}..{}| ", stage.first, stage.end)));
    }
    formula.extend(threads(phase.open().threads()));
    formula
}

fn threads<'a>(threads: impl Iterator<Item = (u64, &'a Accesses)>) -> Formula {
    let texts: Vec<(u64, String)> = threads.map(|(i, own)| (i, own.to_string())).collect();
    if texts.is_empty() {
        return vec![code("∅")];
    }
    let mut formula = vec![math("{")];
    formula.extend(several(&texts));
    formula.push(math("}"));
    formula
}

/// Leaves out names that nothing drawn has.
pub(super) fn only_met(drawing: &mut Drawing) {
    let mut met: HashSet<String> = HashSet::new();
    let mut meet = |formula: &Formula| {
        for piece in formula {
            let words = piece.text.split(|c: char| !c.is_alphanumeric());
            met.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    };
    for node in drawing.bottom_up() {
        let node = &drawing.nodes[node];
        meet(&node.conclusion);
        node.bindings.iter().for_each(|(_, formula)| meet(formula));
        for premise in &node.premises {
            if let Given::Side(own) | Given::Fails(own, _) | Given::Unseen(own) = &premise.given {
                meet(own);
            }
        }
    }
    // Meanings have names, too.
    let mut looked_at = vec![false; drawing.legend.len()];
    while let Some(next) =
        (0..drawing.legend.len()).find(|n| !looked_at[*n] && met.contains(&drawing.legend[*n].0))
    {
        looked_at[next] = true;
        for piece in &drawing.legend[next].1 {
            let words = piece.text.split(|c: char| !c.is_alphanumeric());
            met.extend(words.map(str::to_owned));
        }
    }
    let mut keep = looked_at.into_iter();
    drawing.legend.retain(|_| keep.next().unwrap_or(true));
}
