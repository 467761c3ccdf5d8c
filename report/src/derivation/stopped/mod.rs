//! Derivations that there are not: the tree up to where it stops, the premise that does not hold, and
//! why. What is behind that premise was not looked at.

mod document;
mod protocol;
mod run;
mod types;

pub use document::stopped_document;
pub use protocol::stopped_map;
pub use run::stopped_run;
pub use types::stopped_type;

use super::drawing::{Drawing, Given, Premise};
use super::formula::{Formula, code, math, schematic};
use super::notation::Notation;
use super::texts::several;
use super::{LOOKED_AT, finish};
use babycuda_core::rules::Rule;

/// A tree under way.
struct Stopped {
    drawing: Drawing,
    notation: Notation,
    most: usize,
}

impl Stopped {
    /// `all`: for indented text.
    fn new(all: bool) -> Stopped {
        let notation = if all { Notation::spelled() } else { Notation::default() };
        let most = if all { usize::MAX } else { LOOKED_AT };
        Stopped { drawing: Drawing::default(), notation, most }
    }

    fn end(self) -> Drawing {
        let Stopped { mut drawing, notation, .. } = self;
        drawing.legend = notation.legend();
        if !notation.spelled {
            finish(&mut drawing);
        }
        drawing
    }
}

fn premise(number: usize, given: Given) -> Premise {
    Premise { number, given }
}

/// The premises of the rule behind one that does not hold, as the rule has them.
fn unseen(rule: &Rule, behind: usize) -> impl Iterator<Item = Premise> {
    let text = move |number: usize| rule.premise(number).unwrap_or_default();
    let rest = behind + 1..=rule.premises.len();
    rest.map(move |number| premise(number, Given::Unseen(schematic(text(number)))))
}

/// The judgments of threads that were not reached: which they are, and what each has to do. `all` of
/// it, for indented text.
fn not_reached(threads: &[(u64, String)], arrow: &str, all: bool) -> Formula {
    let numbers: Vec<u64> = threads.iter().map(|(i, _)| *i).collect();
    let (word, begin, end) = match threads {
        [_] => ("thread", "", ""),
        _ => ("threads", "{", "}"),
    };
    let mut formula =
        vec![math(format!("{word} {}, not reached: {begin}", super::texts::range(&numbers)))];
    match (threads, all) {
        ([(_, program)], _) => formula.push(code(program)),
        (_, false) => formula.extend(several(threads)),
        (_, true) => {
            for (position, (i, program)) in threads.iter().enumerate() {
                let comma = if position == 0 { "" } else { ", " };
                formula.extend([math(format!("{comma}{i}: ")), code(program)]);
            }
        }
    }
    formula.push(math(format!("{end} {arrow} ?")));
    formula
}

/// A judgment whose right side is not known.
fn open(mut left: Formula) -> Formula {
    left.push(math("?"));
    left
}
