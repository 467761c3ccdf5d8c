//! Reports in the protocol's words.

use super::place::Lines;
use babycuda_core::site::Span;
use babycuda_core::verdict::Outcome;
use babycuda_files::input::{self, File, Unit};
use babycuda_files::problem::Problem;
use babycuda_report::FileReport;
use babycuda_report::code::Code;
use babycuda_report::finding::{self, Finding, Level};
use lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    Location, NumberOrString, Range, TextEdit, Uri, WorkspaceEdit,
};
use std::collections::HashMap;

/// Who says so.
const SOURCE: &str = "babycuda";

/// What was found, in the order of the file's kernels, each with its kernel's number.
pub(super) fn diagnostics(
    report: &FileReport,
    uri: &Uri,
    lines: &Lines,
) -> Vec<(usize, Diagnostic)> {
    let kernels = report.kernels.iter().enumerate();
    let all = kernels.flat_map(|(number, checked)| {
        let begins = checked.declarations.sources.spans.values().min_by_key(|span| span.start);
        let found = finding::of(checked).into_iter();
        found.map(move |finding| (number, diagnostic(&finding, begins.copied(), uri, lines)))
    });
    all.collect()
}

/// `begins`: the first statement of the kernel, for what has no place of its own.
fn diagnostic(finding: &Finding, begins: Option<Span>, uri: &Uri, lines: &Lines) -> Diagnostic {
    let [place, other] = finding.places;
    let range = |span: Option<Span>| span.map(|span| lines.range(span)).unwrap_or_default();
    let related = other.map(|other| DiagnosticRelatedInformation {
        location: Location::new(uri.clone(), range(Some(other))),
        message: finding.sides[1].clone(),
    });
    Diagnostic {
        range: range(place.or(begins)),
        severity: Some(match finding.level {
            Level::Error => DiagnosticSeverity::ERROR,
            Level::Warning => DiagnosticSeverity::WARNING,
            Level::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.id().to_owned())),
        source: Some(SOURCE.to_owned()),
        message: finding.text.clone(),
        related_information: related.map(|related| vec![related]),
        ..Diagnostic::default()
    }
}

/// Why a file cannot be checked.
pub(super) fn problem(problem: &Problem, lines: &Lines) -> Diagnostic {
    let help = problem.help.iter().map(|help| format!("\nhelp: {help}"));
    Diagnostic {
        range: problem.span.map(|span| lines.range(span)).unwrap_or_default(),
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: problem.message.clone() + &help.collect::<String>(),
        ..Diagnostic::default()
    }
}

/// A file of which nothing is decided.
pub(super) fn undecided(why: &str) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        code: Some(NumberOrString::String(Code::Limit.id().to_owned())),
        source: Some(SOURCE.to_owned()),
        message: why.to_owned(),
        ..Diagnostic::default()
    }
}

/// The checked suggestions for kernels that have a finding in the range, as one edit each.
pub(super) fn actions(
    report: &FileReport,
    found: &[(usize, Diagnostic)],
    uri: &Uri,
    lines: &Lines,
    range: Range,
) -> Vec<CodeAction> {
    let touches = |of: &Range| of.start <= range.end && range.start <= of.end;
    let kernels = report.kernels.iter().enumerate();
    let actions = kernels.filter_map(|(number, checked)| {
        let fix = checked.fix.as_ref()?;
        let own = found.iter().filter(|(kernel, _)| *kernel == number);
        let own: Vec<Diagnostic> = own.map(|(_, diagnostic)| diagnostic.clone()).collect();
        let at = |diagnostic: &Diagnostic| {
            let related = diagnostic.related_information.iter().flatten();
            touches(&diagnostic.range) || related.into_iter().any(|r| touches(&r.location.range))
        };
        own.iter().any(at).then(|| {
            let edits = fix.edits.iter().map(|edit| TextEdit {
                range: lines.range(edit.span),
                new_text: edit.text.clone(),
            });
            // The protocol's type has URIs for keys.
            #[allow(clippy::mutable_key_type)]
            let changes = HashMap::from([(uri.clone(), edits.collect())]);
            CodeAction {
                title: format!("{} (checked: the kernel is race-free then)", fix.title),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(own),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                is_preferred: Some(true),
                ..CodeAction::default()
            }
        })
    });
    actions.collect()
}

/// What is known at a place: of a kernel where its name stands, of the accesses of a line elsewhere.
/// As Markdown.
pub(super) fn hover(
    report: &FileReport,
    units: impl FnOnce() -> Vec<Unit>,
    byte: usize,
) -> Option<String> {
    let word = word(&report.text, byte);
    let named = report.kernels.iter().find(|checked| {
        // Of an instance of a template, the template's.
        checked.declarations.name.as_str().split('<').next() == word
    });
    match named {
        Some(checked) => {
            let name = &checked.declarations.name;
            let protocol =
                units().iter().find(|unit| unit.name() == name.as_str()).and_then(protocol);
            let verdict = format!("`{name}`: {}", said(&checked.verdict.outcome));
            Some(verdict + &protocol.map(|p| format!("\n\n{p}")).unwrap_or_default())
        }
        None => {
            let line = Span::locate(&report.text, byte..byte).line;
            let accesses = report.accesses.iter().flatten().filter(|a| a.line == Some(line));
            let accesses: Vec<String> = accesses.map(|access| format!("- {access}")).collect();
            (!accesses.is_empty()).then(|| accesses.join("\n"))
        }
    }
}

fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Drf => "race-free".to_owned(),
        Outcome::Unknown(reason) => format!("unknown: {reason}"),
        Outcome::Racy | Outcome::Divergent => outcome.word().to_owned(),
    }
}

/// The protocol of a kernel, or one that covers it.
fn protocol(unit: &Unit) -> Option<String> {
    let (exact, protocol) = match unit {
        Unit::Program(program) => match babycuda::typing::type_relative(program) {
            Ok(typed) => (true, typed.protocol.to_string()),
            Err(_) => (false, babycuda::typing::approximate(program).protocol.to_string()),
        },
        Unit::Protocol(map) => (true, map.protocol.to_string()),
        Unit::Unsupported { .. } => return None,
    };
    let title = match exact {
        true => "Its memory access protocol:",
        false => "It has no memory access protocol; this one covers its accesses:",
    };
    let mut shown: Vec<&str> = protocol.lines().take(LINES).collect();
    if protocol.lines().nth(LINES).is_some() {
        shown.push("…");
    }
    Some(format!("{title}\n\n```\n{}\n```", shown.join("\n")))
}

/// So many lines of a protocol are shown.
const LINES: usize = 60;

/// The name that stands at a byte.
fn word(text: &str, byte: usize) -> Option<&str> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let (before, after) = text.split_at_checked(byte)?;
    let start = before.len()
        - before.chars().rev().take_while(|&c| is_of_name(c)).map(char::len_utf8).sum::<usize>();
    let end =
        byte + after.chars().take_while(|&c| is_of_name(c)).map(char::len_utf8).sum::<usize>();
    (start < end).then(|| &text[start..end])
}

/// The kernels of a file.
pub(super) fn units(file: &File, args: &crate::args::CheckArgs) -> Vec<Unit> {
    let settings = args.launch.settings(&args.assumptions);
    settings
        .and_then(|settings| input::units(file, &args.source.given(), &settings))
        .unwrap_or_default()
}
