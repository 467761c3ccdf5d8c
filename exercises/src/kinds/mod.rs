//! The checkers, one a kind.
//!
//! | module | asks | an answer is |
//! |---|---|---|
//! | [`predict`] | what a run does, phase by phase | an account of a history |
//! | [`derive`](mod@derive) | a derivation of a run of one thread, or of a type | an outline of nodes |
//! | [`typable`] | a typable program for a protocol | a program |
//! | [`untypable`] | a race-free program that typing rejects | a program |
//! | [`repair`] | a racy kernel with barriers put in | the kernel |
//! | [`warp`] | a race that a barrier of a warp, or lockstep, does not prevent | two threads, a cell, a phase |
//! | [`refute`] | a counterexample to a statement | what the statement is about |
//! | [`mutant`] | what tells a changed semantics from the right one | a program |
//! | [`tool`] | a kernel about which a technique is wrong | a kernel |

pub mod derive;
pub mod mutant;
pub mod predict;
pub mod refute;
pub mod repair;
pub mod tool;
pub mod typable;
pub mod untypable;
pub mod warp;

mod account;

use crate::exercise::{Check, ExerciseError, Kind, Source};
use crate::grade::Judged;

macro_rules! tasks {
    ($($kind:ident $module:ident,)*) => {
        /// What the checker of an exercise needs.
        #[derive(Clone, Debug)]
        pub(crate) enum Task { $($kind($module::$kind),)* }

        impl Task {
            /// Reads what the checker of a kind needs.
            pub(crate) fn read(kind: Kind, source: &Source<'_>) -> Result<Task, ExerciseError> {
                match kind { $(Kind::$kind => $module::$kind::read(source).map(Task::$kind),)* }
            }

            /// Is the answer right?
            pub(crate) fn judge(&self, answer: &str) -> Judged {
                match self { $(Task::$kind(task) => task.judge(answer),)* }
            }
        }
    };
}

tasks! {
    Predict predict,
    Derive derive,
    Typable typable,
    Untypable untypable,
    Repair repair,
    Warp warp,
    Refute refute,
    Mutant mutant,
    Tool tool,
}

impl Task {
    /// The ending of the name of answers.
    pub(crate) fn ending(&self) -> &'static str {
        match self {
            Task::Predict(_) | Task::Derive(_) | Task::Warp(_) => "txt",
            Task::Typable(_) | Task::Untypable(_) | Task::Mutant(_) => "bcuda",
            Task::Repair(task) => task.ending(),
            Task::Refute(task) => task.ending(),
            Task::Tool(_) => "cu",
        }
    }
}
