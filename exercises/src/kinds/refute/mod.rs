//! Refute a wrong theorem: a counterexample is what meets the hypotheses and not the conclusion.
//!
//! | module | statements about |
//! |---|---|
//! | [`programs`] | programs |
//! | [`situations`] | a history, and a program that goes on from it |
//! | [`numbers`] | launches, and orders of atomic updates |

pub mod numbers;
pub mod programs;
pub mod situations;

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::reading::program;
use numbers::Numbers;
use programs::Programs;
use situations::Situations;

/// A wrong theorem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refute {
    /// About a program.
    Programs(Programs),
    /// About a history and a program.
    Situations(Situations),
    /// About numbers.
    Numbers(Numbers),
}

impl Check for Refute {
    /// The setting `theorem` is its name.
    fn read(source: &Source<'_>) -> Result<Refute, ExerciseError> {
        let name = source.need("theorem")?;
        let programs = Programs::named(name).map(Refute::Programs);
        let situations = || Situations::named(name).map(Refute::Situations);
        let found =
            programs.or_else(situations).or_else(|| Numbers::named(name).map(Refute::Numbers));
        found.ok_or_else(|| ExerciseError::new(format!("there is no theorem `{name}`")))
    }

    fn judge(&self, answer: &str) -> Judged {
        match self {
            Refute::Programs(theorem) => theorem.judge(&program(answer)?),
            Refute::Situations(theorem) => theorem.judge(answer),
            Refute::Numbers(theorem) => theorem.judge(answer),
        }
    }
}

impl Refute {
    /// The ending of the name of answers.
    pub(crate) fn ending(&self) -> &'static str {
        match self {
            Refute::Programs(_) => "bcuda",
            Refute::Situations(_) | Refute::Numbers(_) => "txt",
        }
    }
}

/// A hypothesis that the answer does not meet: the statement says nothing of it.
pub(crate) fn vacuous(why: impl Into<String>) -> Box<Fault> {
    Fault::wrong("the hypotheses hold", why)
}

/// The conclusion holds.
pub(crate) fn holds(why: impl Into<String>) -> Box<Fault> {
    Fault::wrong("the conclusion fails", why)
}
