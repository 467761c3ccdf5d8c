//! The subcommands, one a file.

pub(crate) mod check;
#[cfg(feature = "compare")]
pub(crate) mod compare;
pub(crate) mod derive;
pub(crate) mod doctor;
#[cfg(feature = "devices")]
pub(crate) mod emit;
pub(crate) mod explain;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
#[cfg(feature = "devices")]
pub(crate) mod gpu;
#[cfg(feature = "grade")]
pub(crate) mod grade;
#[cfg(feature = "lsp")]
pub(crate) mod lsp;
pub(crate) mod run;
#[cfg(feature = "shell")]
pub(crate) mod shell;
#[cfg(feature = "traces")]
pub(crate) mod trace;
pub(crate) mod typing;
pub(crate) mod verify;

use babycuda_files::input::File;
#[cfg(feature = "devices")]
use babycuda_files::input::Unit;
use babycuda_files::problem::Problem;

/// No text and no device image says that a thread goes no further.
///
/// # Errors
/// [`Problem`] when a thread of the kernel may stop at an assertion or the like.
#[cfg(feature = "devices")]
pub(crate) fn without_stops(unit: &Unit) -> Result<(), Problem> {
    let Unit::Program(program) = unit else { return Ok(()) };
    match program.sources.stops.first_key_value() {
        None => Ok(()),
        Some((site, why)) => {
            let message = format!("kernel {}: a thread may stop here ({why})", program.name);
            let problem = Problem::new(message).at(program.sources.spans.get(site).copied());
            Err(problem.help("with `-D NDEBUG` an assertion does nothing"))
        }
    }
}

/// A command that could not do its work: exit status 2.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What to print to standard error.
    pub text: String,
}

impl Failure {
    /// A problem with a place in a file.
    pub(crate) fn of(file: &File, problem: Problem) -> Failure {
        Failure { text: problem.render(Some(file)) }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure { text: problem.render(None) }
    }
}
