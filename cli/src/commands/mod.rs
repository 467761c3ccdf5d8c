//! The subcommands, one a file.

pub mod check;
pub mod derive;
pub mod emit;
pub mod gpu;
pub mod run;
pub mod typing;
pub mod verify;

use crate::input::{File, Problem};

/// A command that could not do its work: exit status 2.
#[derive(Debug)]
pub struct Failure {
    /// What to print to standard error.
    pub text: String,
}

impl Failure {
    /// A problem with a place in a file.
    pub fn of(file: &File, problem: Problem) -> Failure {
        Failure { text: problem.render(Some(file)) }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure { text: problem.render(None) }
    }
}
