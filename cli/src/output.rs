//! Standard output.

use crate::commands::Failure;
use babycuda_files::problem::Problem;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::time::Duration;

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

/// What takes longer says how far it is.
const SILENT: Duration = Duration::from_secs(1);

/// The line on standard error that says what goes on: only on a terminal.
#[derive(Default)]
pub(crate) struct Line {
    /// When it was written, and whether it is there.
    at: Duration,
    shown: bool,
}

impl Line {
    /// Writes the line anew, at most twice a second.
    pub(crate) fn show(&mut self, elapsed: Duration, text: &str) {
        let soon = self.shown && elapsed < self.at + SILENT / 2;
        if elapsed < SILENT || soon || !std::io::stderr().is_terminal() {
            return;
        }
        let text: String = text.chars().filter(|c| !c.is_control()).take(100).collect();
        eprint!("\r\x1b[Kchecking {text}, {} s", elapsed.as_secs());
        (self.at, self.shown) = (elapsed, true);
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            eprint!("\r\x1b[K");
        }
    }
}
