//! Verdicts for people: the source with both accesses underlined, the witness, and the history.

use super::{FileReport, KernelReport, json};
use crate::input::File;
use babycuda::Checked;
use babycuda_core::site::Span;
use babycuda_core::syntax::Program;
use babycuda_core::verdict::{
    AccessReport, Certainty, DIVERGENCE_CODE, DivergenceReport, Evaluator, Outcome, RaceReport,
    ScopeOfVerdict, Verdict,
};
use babycuda_core::{Dim3, Launch, Name, Natural, counted};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The report of one file.
pub fn document(report: &FileReport) -> String {
    let mut text = String::new();
    for kernel in &report.kernels {
        kernel_report(&mut text, &report.file, kernel);
    }
    text
}

fn kernel_report(out: &mut String, file: &File, report: &KernelReport) {
    let verdict = &report.checked.verdict;
    let sure = matches!(verdict.outcome, Outcome::Racy | Outcome::Divergent);
    for (number, race) in verdict.races.iter().enumerate() {
        render(out, file, &race_diagnostic(&report.checked.program, race, sure));
        if let Some(replay) = report.checked.replays.get(number).and_then(Option::as_ref) {
            let _ = writeln!(out, "{}", crate::history::around(replay, race));
        }
    }
    for divergence in &verdict.divergences {
        render(out, file, &divergence_diagnostic(&report.checked.program, divergence));
    }
    for note in &report.checked.program.notes {
        let labels = note.span.map(|s| Label::primary((), s.bytes())).into_iter().collect();
        render(out, file, &Diagnostic::note().with_message(&note.message).with_labels(labels));
    }
    let _ = writeln!(out, "{}: {}", report.name, summary(&report.checked));
    // A kernel that is not supported has a verdict of no scope.
    if verdict.scope != ScopeOfVerdict::default() {
        let _ = writeln!(out, "  scope: {}", scope(verdict, &report.checked.program));
    }
    let _ = writeln!(out, "  method: {}", json::method(&verdict.method));
    for line in &report.checked.remarks {
        let _ = writeln!(out, "  {line}");
    }
}

/// Lines of a file that are longer, in bytes, are not shown: nobody reads them, and a hundred
/// excerpts of them are megabytes.
const MAX_LINE: usize = 2_000;

/// Appends a diagnostic with its excerpt of the file.
pub fn render(out: &mut String, file: &File, diagnostic: &Diagnostic<()>) {
    let source = SimpleFile::new(&file.path, &file.text);
    let long = diagnostic.labels.iter().any(|label| {
        let (before, after) = file.text.split_at_checked(label.range.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        before.len() - start + after.find('\n').unwrap_or(after.len()) > MAX_LINE
    });
    let placed;
    let diagnostic = if long {
        placed = without_excerpt(file, diagnostic);
        &placed
    } else {
        diagnostic
    };
    let config = term::Config::default();
    match term::emit_into_string(&config, &source, diagnostic) {
        Ok(text) => {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let _ = writeln!(out, "{}", lines.join("\n"));
        }
        // A span outside the text: the message alone is still true.
        Err(_) => {
            let _ = writeln!(out, "{}", diagnostic.message);
        }
    }
}

/// The diagnostic with the places of its labels in words.
fn without_excerpt(file: &File, diagnostic: &Diagnostic<()>) -> Diagnostic<()> {
    let mut placed = diagnostic.clone();
    let labels = std::mem::take(&mut placed.labels);
    let notes = labels.into_iter().map(|label| {
        let Span { line, column, .. } = Span::locate(&file.text, label.range);
        format!("at {}:{line}:{column}: {}", file.path, label.message)
    });
    placed.notes.splice(0..0, notes.collect::<Vec<_>>());
    placed
}

fn race_diagnostic(program: &Program, race: &RaceReport, sure: bool) -> Diagnostic<()> {
    let base = if sure { Diagnostic::error() } else { Diagnostic::warning() };
    let potential = if race.certainty == Certainty::Potential { "potential " } else { "" };
    let message =
        format!("{potential}{} race on {}[{}]", race.kind.description(), race.array, race.index);
    let several_blocks = race.launch.grid.count() > 1;
    let (first, second) = (&race.first, &race.second);
    let says = |access: &AccessReport| says(access, several_blocks);
    let labels = match (first.span, second.span) {
        (Some(a), Some(b)) if a == b => {
            vec![Label::primary((), a.bytes()).with_message(format!(
                "{} and {}",
                says(first),
                says(second)
            ))]
        }
        (a, b) => [
            a.map(|s| Label::primary((), s.bytes()).with_message(says(first))),
            b.map(|s| Label::secondary((), s.bytes()).with_message(says(second))),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    let order = match race.phase {
        Some(phase) => format!("both in phase {phase}: no barrier between them"),
        None if first.block == second.block => "one block: no barrier between them".to_owned(),
        None => "different blocks: no barrier orders them".to_owned(),
    };
    let mut notes = vec![order, witness(program, race.launch, &race.parameters)];
    notes.extend(contents(program, race));
    for (side, access) in [("first", first), ("second", second)] {
        if !access.iteration.is_empty() {
            notes.push(format!("{side} access at {}", bindings(&access.iteration)));
        }
    }
    notes.push(certainty(race));
    base.with_code(race.kind.code()).with_message(message).with_labels(labels).with_notes(notes)
}

fn says(access: &AccessReport, several_blocks: bool) -> String {
    let verb = match access.mode.keyword() {
        "rd" => "reads",
        "wr" => "writes",
        _ => "updates atomically",
    };
    let block = if several_blocks { format!(" of block {}", access.block) } else { String::new() };
    format!("thread {}{block} {verb}", access.thread)
}

fn divergence_diagnostic(program: &Program, divergence: &DivergenceReport) -> Diagnostic<()> {
    let side = |(thread, barrier): (Dim3, Option<_>)| match barrier {
        Some(_) => format!("thread {thread} waits here"),
        None => format!("thread {thread} ends"),
    };
    let label = |span: Option<Span>, text: String, primary: bool| {
        span.map(|s| {
            let make = if primary { Label::primary } else { Label::secondary };
            make((), s.bytes()).with_message(text)
        })
    };
    let labels = [
        label(divergence.spans.0, side(divergence.first), true),
        label(divergence.spans.1, side(divergence.second), false),
    ];
    let ends = [divergence.first, divergence.second]
        .into_iter()
        .filter(|(_, barrier)| barrier.is_none())
        .map(|(thread, _)| format!("thread {thread} ends without reaching a barrier"));
    let mut notes: Vec<String> = ends.collect();
    notes.push(format!("after phase {}", divergence.phase));
    notes.push(witness(program, divergence.launch, &divergence.parameters));
    notes.push(match (divergence.certainty, divergence.evaluator) {
        (Certainty::Potential, _) => {
            "potential: rests on data, or a thread may be stuck before".to_owned()
        }
        (_, Some(evaluator)) => format!("{evaluator} runs into it; data does not decide it"),
        (_, None) => "provable: data does not decide it".to_owned(),
    });
    let (base, message) = match divergence.certainty {
        Certainty::Potential => (Diagnostic::warning(), "potential barrier divergence"),
        _ => (Diagnostic::error(), "barrier divergence"),
    };
    base.with_code(DIVERGENCE_CODE)
        .with_message(message)
        .with_labels(labels.into_iter().flatten().collect())
        .with_notes(notes)
}

fn certainty(race: &RaceReport) -> String {
    match (race.certainty, race.evaluator) {
        (Certainty::Replayed, evaluator) => {
            let evaluator = evaluator.unwrap_or(Evaluator::VirtualMachine);
            format!("replayed: {evaluator} runs into it on this witness")
        }
        (Certainty::Provable, _) => {
            "provable: both accesses are independent of data (Theorem 1)".to_owned()
        }
        (Certainty::Potential, _) => {
            "potential: rests on data, on undefined contents, or on what could not be translated"
                .to_owned()
        }
    }
}

fn witness(program: &Program, launch: Launch, parameters: &BTreeMap<Name, Natural>) -> String {
    let mut text = format!("witness: block {}", launch.block);
    if launch.grid.count() > 1 {
        let _ = write!(text, ", grid {}", launch.grid);
    }
    for (name, value) in parameters {
        let _ = write!(text, ", {name} = {}", program.show_parameter(name, value));
    }
    text
}

/// What the host stored, where the race rests on it.
fn contents(program: &Program, race: &RaceReport) -> Option<String> {
    const SHOWN: usize = 32;
    let cells = race
        .contents
        .iter()
        .take(SHOWN)
        .map(|(cell, value)| format!("{cell} = {}", program.show_content(&cell.array, value)));
    let cells: Vec<String> = cells.collect();
    let more = match race.contents.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let rest = "0 in all cells that are not named";
    (!cells.is_empty()).then(|| format!("contents: {}{more}; {rest}", cells.join(", ")))
}

fn bindings(iteration: &[(babycuda_core::Name, babycuda_core::Natural)]) -> String {
    let parts: Vec<String> = iteration.iter().map(|(x, k)| format!("{x} = {k}")).collect();
    parts.join(", ")
}

fn summary(checked: &Checked) -> String {
    let count = |n: usize, what: &str| counted(n as u64, what);
    let verdict = &checked.verdict;
    match &verdict.outcome {
        Outcome::Drf => "race-free".into(),
        Outcome::Racy => format!("racy ({})", count(verdict.races.len(), "racing pair")),
        Outcome::Divergent => {
            format!("divergent ({})", count(verdict.divergences.len(), "barrier divergence"))
        }
        Outcome::Unknown(reason) => format!("unknown: {reason}"),
    }
}

/// One line that says for what the verdict holds.
fn scope(verdict: &Verdict, program: &Program) -> String {
    let scope = &verdict.scope;
    let mut text = format!("blocks of {}", scope.block.join(" x "));
    match &scope.grid {
        None => text.push_str(", one block"),
        Some(grid) => {
            let _ = write!(text, ", grids of {}", grid.join(" x "));
        }
    }
    if let Some(array) = &scope.array {
        let _ = write!(text, ", races on {array} only");
    }
    for (name, value) in &scope.fixed {
        let _ = write!(text, ", {name} = {}", program.show_parameter(name, value));
    }
    let free: Vec<&str> =
        program.params.iter().filter(|p| p.value.is_none()).map(|p| p.name.as_str()).collect();
    if !free.is_empty() {
        let _ = write!(text, ", any {}", free.join(", "));
    }
    for assumption in &scope.assumptions {
        let _ = write!(text, ", assuming {assumption}");
    }
    if let Some(first) = scope.no_overflow_at.first() {
        let places = match scope.no_overflow_at.len() {
            1 => String::new(),
            n => format!(" and {}", counted(n as u64 - 1, "more place")),
        };
        let _ = write!(text, ", no signed overflow (at {first}{places})");
    }
    text
}
