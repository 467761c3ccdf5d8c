//! The names of figures.

use super::layout::{Figure, Part, Sheet, Tree};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// Names in the order in which a reader meets them.
pub(super) fn in_order(sheet: &mut Sheet) {
    let places: HashMap<usize, usize> = sheet
        .figures
        .iter()
        .enumerate()
        .filter_map(|(place, figure)| Some((figure.name?, place)))
        .collect();
    let (mut order, mut numbers) = (Vec::new(), HashMap::new());
    let mut next = 0;
    let mut pending = VecDeque::from([0]);
    while let Some(place) = pending.pop_front() {
        let Some(figure) = sheet.figures.get(place) else { break };
        order.push(place);
        for old in references(&figure.tree) {
            if let Entry::Vacant(number) = numbers.entry(old) {
                next += 1;
                number.insert(next);
                pending.extend(places.get(&old));
            }
        }
    }
    let mut figures: Vec<Option<Figure>> =
        std::mem::take(&mut sheet.figures).into_iter().map(Some).collect();
    for place in order {
        if let Some(mut figure) = figures[place].take() {
            figure.name = figure.name.and_then(|old| numbers.get(&old).copied());
            rename(&mut figure.tree, &numbers);
            sheet.figures.push(figure);
        }
    }
}

// Trees are no higher than a page, so these recursions are not deep.

fn references(tree: &Tree) -> Vec<usize> {
    let mut all = Vec::new();
    for part in tree.rows.iter().flatten() {
        match part {
            Part::Tree(child) => all.extend(references(child)),
            Part::Elsewhere { name, .. } => all.push(*name),
            _ => {}
        }
    }
    all
}

fn rename(tree: &mut Tree, numbers: &HashMap<usize, usize>) {
    for part in tree.rows.iter_mut().flatten() {
        match part {
            Part::Tree(child) => rename(child, numbers),
            Part::Elsewhere { name, .. } => *name = numbers.get(name).copied().unwrap_or(*name),
            _ => {}
        }
    }
}
