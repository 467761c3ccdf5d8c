//! What clang says of a file.

use babycuda_core::Span;
use std::ops::Range;
use std::sync::Arc;

/// How clang calls the file that it reads.
pub(crate) const MAIN: &str = "<stdin>";

/// Why clang does not read a kernel, or a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}:{}: {message}", span.line, span.column)]
pub struct Unreadable {
    /// Where, in the file; in an included one, the message says where.
    pub span: Span,
    /// What clang says.
    pub message: String,
}

/// An error of clang.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Diagnostic {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    message: String,
    pub(crate) fatal: bool,
}

impl Diagnostic {
    /// The errors among clang's messages.
    pub(crate) fn all(messages: &str, source: &str) -> Vec<Diagnostic> {
        let lines = source.lines().count() as u32 + 1;
        messages.lines().filter_map(|line| Diagnostic::of(line, lines)).collect()
    }

    /// `file:line:column: error: message`; an error without a place is one of the whole file.
    fn of(text: &str, lines: u32) -> Option<Diagnostic> {
        let (place, message, fatal) = match text.split_once(": fatal error: ") {
            Some((place, message)) => (place, message, true),
            None => match text.split_once(": error: ") {
                Some((place, message)) => (place, message, false),
                None if text.starts_with("error: ") => ("", text, true),
                None => return None,
            },
        };
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next().and_then(|n| n.parse().ok());
        let line = parts.next().and_then(|n| n.parse().ok());
        let file = parts.next().unwrap_or(place).to_owned();
        let placed = line.is_some() && column.is_some();
        let (line, column) = (line.unwrap_or(1), column.unwrap_or(1));
        let line = if file == MAIN { line.min(lines) } else { line };
        let fatal = fatal || !placed;
        Some(Diagnostic { file, line, column, message: message.to_owned(), fatal })
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The error as one of the file.
    ///
    /// One in an included file is one of the `#include`; `includes` has a file and one that includes it.
    pub(crate) fn unreadable(&self, source: &str, includes: &[(Arc<str>, Arc<str>)]) -> Unreadable {
        if self.file != MAIN {
            let name = self.file.rsplit('/').next().unwrap_or(&self.file);
            let message = format!("{} (`{name}`, line {})", self.message, self.line);
            return Unreadable {
                span: Span::locate(source, inclusion(source, includes, &self.file)),
                message,
            };
        }
        let before: usize = source
            .split_inclusive('\n')
            .take((self.line as usize).saturating_sub(1))
            .map(str::len)
            .sum();
        let at = before.saturating_add(self.column.max(1) as usize - 1).min(source.len());
        let end = at + source.get(at..).and_then(|s| s.chars().next()).map_or(0, char::len_utf8);
        Unreadable { span: Span::locate(source, at..end), message: self.message.clone() }
    }
}

/// The `#include` of a file that brings in another, itself or through others; nothing, where there is none.
pub(crate) fn inclusion(
    source: &str,
    includes: &[(Arc<str>, Arc<str>)],
    file: &str,
) -> Range<usize> {
    let mut name: &str = file;
    for _ in 0..200 {
        match includes.iter().find(|(file, _)| **file == *name) {
            Some((_, by)) if &**by != MAIN => name = by,
            // Where clang does not say who includes it, the file itself may.
            _ => break,
        }
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        if text.starts_with('#') && text.contains("include") && text.contains(last) {
            let skipped = line.len() - line.trim_start().len();
            return start + skipped..start + line.trim_end().len();
        }
        start += line.len();
    }
    0..0
}
