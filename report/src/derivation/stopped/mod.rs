//! Derivations that there are not: the tree up to where it stops, the premise that does not hold, and
//! why. What is behind that premise was not looked at.

mod protocol;
mod run;
mod types;

pub use protocol::stopped_map;
pub use run::stopped_run;
pub use types::stopped_type;

use super::drawing::{Drawing, Given, Premise};
use super::formula::{Formula, math};
use super::notation::Notation;
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
    rest.map(move |number| premise(number, Given::Unseen(vec![math(text(number))])))
}

/// A judgment whose right side is not known.
fn open(mut left: Formula) -> Formula {
    left.push(math("?"));
    left
}
