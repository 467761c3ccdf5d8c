//! Standard output and standard error.

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

/// Prints a text for people: what a terminal would obey, in a name or a source, is escaped.
///
/// # Errors
/// As [`print`].
pub(crate) fn show(text: impl Display) -> Result<(), Failure> {
    print(visible(&text.to_string(), false))
}

/// The same, with the colours of terminals.
///
/// # Errors
/// As [`print`].
pub(crate) fn show_coloured(text: &str) -> Result<(), Failure> {
    print(visible(text, true))
}

/// Prints a text for people to standard error. Where nobody can read it, that is no failure, and no panic.
pub(crate) fn warn(text: impl Display) {
    warn_raw(visible(&text.to_string(), false));
}

fn warn_raw(text: impl Display) {
    let _ = write!(std::io::stderr().lock(), "{text}");
}

/// The text with its control characters escaped but for the ends of lines, tabs, and colours where there are some.
fn visible(text: &str, coloured: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && c != '\n' && c != '\t') {
        let (before, found) = rest.split_at(at);
        shown.push_str(before);
        let colour = found.strip_prefix("\x1b[").filter(|_| coloured).and_then(|colour| {
            let length = colour.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
            colour[length..].starts_with('m').then_some(length + 3)
        });
        let length = colour.unwrap_or_else(|| {
            shown.extend(found.chars().take(1).flat_map(char::escape_unicode));
            found.chars().next().map_or(0, char::len_utf8)
        });
        shown.push_str(&found[..colour.unwrap_or(0)]);
        rest = &found[length..];
    }
    shown + rest
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
        warn_raw(format_args!("\r\x1b[Kchecking {text}, {} s", elapsed.as_secs()));
        (self.at, self.shown) = (elapsed, true);
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            warn_raw("\r\x1b[K");
        }
    }
}
