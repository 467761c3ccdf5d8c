//! Findings as lines: for `grep` and editors, and as workflow commands of GitHub.

use crate::FileReport;
use crate::finding::{self, Finding, Level};
use babycuda_core::site::Span;
use std::fmt::Write;

/// One line a finding, as compilers print: `file:line:column: race [BC002]: …`. A finding without a
/// place has only the file; so has the note that a kernel is race-free under what is assumed.
pub fn short(report: &FileReport) -> String {
    let mut out = String::new();
    for Finding { code, level, word, text, places: [place, other], .. } in finding::all(report) {
        let potential = if level == Level::Warning { "potential " } else { "" };
        let text = text.strip_prefix(potential).unwrap_or(&text);
        let place = place.map(|at| format!("{at}:")).unwrap_or_default();
        let other = other.map(|at| format!("; the other access is at {at}")).unwrap_or_default();
        let path = one_line(&report.path);
        let _ =
            writeln!(out, "{path}:{place} {potential}{word} [{code}]: {}{other}", one_line(text));
    }
    for text in report.kernels.iter().filter_map(finding::free) {
        let _ = writeln!(out, "{}: note: {}", one_line(&report.path), one_line(&text));
    }
    out
}

/// One workflow command a finding: `::error file=…,line=…,col=…,title=…::…`, and a `::notice` for a kernel that is race-free
/// under what is assumed.
pub fn github(report: &FileReport) -> String {
    let mut out = String::new();
    for finding in finding::all(report) {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let title = format!("{}: {}", finding.code, finding.code.title());
        out += &annotation(
            command,
            &report.path,
            finding.places[0],
            &report.text,
            &title,
            &finding.text,
        );
    }
    for text in report.kernels.iter().filter_map(finding::free) {
        out += &annotation("notice", &report.path, None, "", "race-free under assumptions", &text);
    }
    out
}

/// The workflow command for a file that could not be checked.
pub fn github_failure(path: &str, message: &str) -> String {
    annotation("error", path, None, "", "not checked", message.trim_end())
}

fn annotation(
    command: &str,
    path: &str,
    place: Option<Span>,
    source: &str,
    title: &str,
    message: &str,
) -> String {
    // Relative to the repository, as GitHub has it.
    let mut properties = format!("file={}", property(path.strip_prefix("./").unwrap_or(path)));
    if let Some(at) = place {
        let end = Span::locate(source, at.end..at.end);
        let _ = write!(
            properties,
            ",line={},col={},endLine={},endColumn={}",
            at.line, at.column, end.line, end.column
        );
    }
    format!("::{command} {properties},title={}::{}\n", property(title), data(message))
}

/// A text as a workflow command may hold it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as a property of a workflow command may hold it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
