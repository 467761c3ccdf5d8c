//! The letter for a thread where threads are drawn as one: one that the program has no name of.

use super::drawing::{Drawing, Given};
use super::formula::{Formula, Kind};
use std::collections::HashSet;

/// What stands for the letter until everything is written.
pub(super) const THREAD: char = '\u{e000}';

/// Letters, those that mathematicians take first.
const LETTERS: &str = "itjkpqrsuvwxyzabcdefghlmno";

/// The text with the letter in its place.
pub(super) fn settled(text: &str, drawing: &Drawing) -> String {
    if !text.contains(THREAD) {
        return text.to_owned();
    }
    let mut taken: HashSet<&str> = HashSet::new();
    let mut take = |formula| words(formula, &mut taken);
    for node in &drawing.nodes {
        take(&node.conclusion);
        node.bindings.iter().for_each(|(_, formula)| take(formula));
        for premise in &node.premises {
            if let Given::Side(formula) | Given::Fails(formula, _) | Given::Unseen(formula) =
                &premise.given
            {
                take(formula);
            }
        }
    }
    drawing.legend.iter().for_each(|(_, formula)| take(formula));
    let letters = LETTERS.chars().map(String::from);
    // A program has only so many names.
    let mut all = letters.chain((1_u64..).map(|n| format!("i{n}")));
    match all.find(|letter| !taken.contains(letter.as_str())) {
        Some(letter) => text.replace(THREAD, &letter),
        None => text.to_owned(),
    }
}

/// The names of a program that a formula has.
fn words<'a>(formula: &'a Formula, into: &mut HashSet<&'a str>) {
    let code = formula.iter().filter(|piece| piece.kind == Kind::Code);
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '\'';
    into.extend(code.flat_map(|piece| piece.text.split(move |c| !is_name(c))));
}
