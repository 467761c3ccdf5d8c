//! Standard output.

use crate::commands::Failure;
use crate::problem::Problem;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Prints a text as it is. A reader that has seen enough (`babycuda … | head`) is no failure.
///
/// # Errors
/// [`Failure`] when standard output cannot be written, on a full disk for example.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Problem::new(format!("standard output cannot be written: {error}")).into())
        }
        _ => Ok(()),
    }
}

/// Prints a text and ends the line.
///
/// # Errors
/// As [`print`].
pub(crate) fn println(text: impl Display) -> Result<(), Failure> {
    print(format_args!("{text}\n"))
}
