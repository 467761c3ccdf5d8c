//! Write the derivation: of a run of one thread (`A, b ↓_{H,i} B`), or of a type (`V ⊢ b ▶ u`).
//!
//! An answer is an outline, one node a line, its premises below it and further in:
//!
//! ```text
//! seq  (∅, ∅), A[0] := 3; let x = A[0] in A[1] := x ↓ ({0}, {0: 3, 1: 3})
//!   write  (∅, ∅), A[0] := 3 ↓ (∅, {0: 3})
//!   read  (∅, {0: 3}), let x = A[0] in A[1] := x ↓ ({0}, {0: 3, 1: 3})   ⟵ lastwrite(A[0]) = 3
//!     write  ({0}, {0: 3}), A[1] := 3 ↓ ({0}, {0: 3, 1: 3})
//! ```
//!
//! For `∅ ↓ ⟵ ⊢ ▶` there are `{} => <- |- |>`. Values of expressions are not written: each has one. The checkers of
//! derivations judge the tree, which trust nothing that evaluates programs.

mod outline;
mod runs;
mod types;

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use babycuda_core::derivation::Rejected;
use babycuda_core::rules::{self, Rule};
use outline::Lines;
use runs::Runs;
use std::fmt::Display;
use types::Types;

/// Which judgment is to be derived.
#[derive(Clone, Debug)]
pub struct Derive(Judgment);

#[derive(Clone, Debug)]
enum Judgment {
    Run(Runs),
    Type(Types),
}

impl Check for Derive {
    /// Its block of `bcuda` is the program. The setting `judgment` is `run`, with the setting `thread` and a block of
    /// `history` where phases come before, or `type`.
    fn read(source: &Source<'_>) -> Result<Derive, ExerciseError> {
        match source.need("judgment")? {
            "run" => Runs::read(source).map(Judgment::Run),
            "type" => Types::read(source).map(Judgment::Type),
            _ => Err(ExerciseError::new("`judgment` is `run` or `type`")),
        }
        .map(Derive)
    }

    fn judge(&self, answer: &str) -> Judged {
        let nodes = match &self.0 {
            Judgment::Run(task) => task.judge(answer)?,
            Judgment::Type(task) => task.judge(answer)?,
        };
        Ok(format!("a derivation of {}", babycuda_core::counted(nodes as u64, "node")))
    }
}

/// What a checker says, at the line of the node.
fn rejected<R: Display, D: Display>(rejected: &Rejected<R, D>, lines: &Lines) -> Box<Fault> {
    let Rejected { path, rule, premise, defect } = rejected;
    let id = rule.to_string();
    let step = match premise {
        Some(number) => format!("premise {number} of {id}"),
        None => format!("the conclusion of {id}"),
    };
    let text = |rule: &Rule| {
        premise.and_then(|number| rule.premise(number)).unwrap_or(rule.conclusion).to_owned()
    };
    let expected = rules::find(&id).map(text).unwrap_or_default();
    Fault::wrong(step, defect.to_string()).expecting(expected).by(&id).at(lines.of(path))
}
