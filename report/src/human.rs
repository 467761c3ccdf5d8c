//! Verdicts for people: the source with both accesses underlined, the witness, and the history.

use crate::code::Code;
use crate::lines::one_line;
use crate::{FileReport, causes, history, names, suggestion};
use babycuda::Checked;
use babycuda::contract::{Contract, shortly};
use babycuda_core::evidence::{
    Certainty, Confirmation, Divergence, DivergenceWitness, Report, Side, Witness,
};
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::site::{Site, Span};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::verdict::{Outcome, ScopeOfVerdict};
use babycuda_core::{Configuration, Declarations, Natural, counted};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{self, termcolor::Buffer};
use std::fmt::Write;

/// So many races and divergences of a kernel are shown.
const MAX_REPORTS: usize = 10;

/// The report of one file, with the colours of terminals or without.
pub fn document(report: &FileReport, colour: bool) -> String {
    let mut text = String::new();
    for (number, kernel) in report.kernels.iter().enumerate() {
        kernel_report(&mut text, report, kernel, colour);
        if let Some(accesses) = report.accesses.get(number) {
            text += "  accesses:\n";
            for access in accesses {
                let _ = writeln!(text, "    {access}");
            }
        }
    }
    text
}

fn kernel_report(out: &mut String, file: &FileReport, checked: &Checked, colour: bool) {
    let Checked { declarations, verdict, remarks, contract, .. } = checked;
    let show = |out: &mut String, diagnostic| {
        render_with(out, &file.path, &file.text, &diagnostic, colour);
    };
    let sure = matches!(verdict.outcome, Outcome::Racy | Outcome::Divergent);
    let groups = causes::groups(checked, &verdict.races);
    for group in groups.iter().take(MAX_REPORTS) {
        let [race, others @ ..] = &group[..] else { continue };
        let mut diagnostic = race_diagnostic(declarations, &file.text, race, sure);
        if let Some(value) = checked.same_value_of(race) {
            diagnostic.notes.push(benign(declarations, race, value));
        }
        if !others.is_empty() {
            diagnostic.notes.push(causes::alike(declarations, others));
        }
        show(out, diagnostic);
        if let Some(replay) = &race.replay {
            let _ = writeln!(out, "{}", history::around(&replay.history, race, declarations));
        }
    }
    if groups.len() > MAX_REPORTS {
        let rest: usize = groups[MAX_REPORTS..].iter().map(Vec::len).sum();
        let _ = writeln!(out, "and {}\n", counted(rest as u64, "more race"));
    }
    for divergence in verdict.divergences.iter().take(MAX_REPORTS) {
        show(out, divergence_diagnostic(declarations, divergence));
    }
    if verdict.divergences.len() > MAX_REPORTS {
        let rest = verdict.divergences.len() - MAX_REPORTS;
        let _ = writeln!(out, "and {}\n", counted(rest as u64, "more divergence"));
    }
    if let Some(fix) = &checked.fix {
        let _ = writeln!(out, "{}", suggestion::shown(&file.text, fix));
    }
    for note in &declarations.notes {
        let labels = note.span.map(|s| Label::primary((), s.bytes())).into_iter().collect();
        show(out, Diagnostic::note().with_message(&note.message).with_labels(labels));
    }
    let granted = contract.as_ref().is_some_and(Contract::is_granted);
    let launched = contract.as_ref().is_some_and(|contract| !contract.launches.is_empty());
    let under = match (granted, launched) {
        (true, true) => " as this file launches it",
        (true, false) => " as it requires",
        (false, _) => "",
    };
    let _ = writeln!(out, "{}: {}{under}", one_line(&declarations.name), summary(checked));
    for launched in contract.iter().flat_map(|contract| &contract.launches) {
        let said = match launched.conditions.is_empty() {
            true => "nothing is said".to_owned(),
            false => launched.conditions.join(", "),
        };
        let word = match &launched.outcome {
            Outcome::Drf => "race-free",
            other => other.word(),
        };
        let _ = writeln!(out, "  launched at {} ({word}): {said}", launched.span);
    }
    if let Some(without) = contract.as_ref().and_then(|contract| contract.without.as_ref()) {
        let what = if launched { "these launches" } else { "what it requires" };
        let _ = writeln!(out, "  without {what}: {}", shortly(checked, without));
    }
    if let Some(said) = &verdict.scope {
        let _ = writeln!(out, "  scope: {}", scope(said, declarations));
    }
    let _ = writeln!(out, "  method: {}", verdict.method);
    if let Some(parser) = &declarations.sources.parser {
        let _ = writeln!(out, "  read by: {parser}");
    }
    for line in remarks {
        let _ = writeln!(out, "  {line}");
    }
    if let Some(line) = contract.as_ref().and_then(Contract::unless) {
        let _ = writeln!(out, "  {line}");
    }
}

/// Lines of a file that are longer, in bytes, are not shown: nobody reads them, and a hundred
/// excerpts of them are megabytes.
const MAX_LINE: usize = 2_000;

/// Appends a diagnostic with its excerpt of the file of this path and text.
pub fn render(out: &mut String, path: &str, text: &str, diagnostic: &Diagnostic<()>) {
    render_with(out, path, text, diagnostic, false);
}

/// The same, with the colours of terminals or without.
fn render_with(
    out: &mut String,
    path: &str,
    text: &str,
    diagnostic: &Diagnostic<()>,
    colour: bool,
) {
    let source = SimpleFile::new(one_line(path), text);
    let long = diagnostic.labels.iter().any(|label| {
        let (before, after) = text.split_at_checked(label.range.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        before.len() - start + after.find('\n').unwrap_or(after.len()) > MAX_LINE
    });
    let placed;
    let diagnostic = if long {
        placed = without_excerpt(path, text, diagnostic);
        &placed
    } else {
        diagnostic
    };
    let config = term::Config::default();
    let mut buffer = match colour {
        true => Buffer::ansi(),
        false => Buffer::no_color(),
    };
    let shown = term::emit_to_write_style(&mut buffer, &config, &source, diagnostic);
    match (shown, String::from_utf8(buffer.into_inner())) {
        (Ok(()), Ok(text)) => {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let _ = writeln!(out, "{}", lines.join("\n"));
        }
        // A span outside the text: the message alone is still true.
        _ => {
            let _ = writeln!(out, "{}", diagnostic.message);
        }
    }
}

/// The diagnostic with the places of its labels in words.
fn without_excerpt(path: &str, text: &str, diagnostic: &Diagnostic<()>) -> Diagnostic<()> {
    let mut placed = diagnostic.clone();
    let labels = std::mem::take(&mut placed.labels);
    let notes = labels.into_iter().map(|label| {
        let Span { line, column, .. } = Span::locate(text, label.range);
        format!("at {path}:{line}:{column}: {}", label.message)
    });
    placed.notes.splice(0..0, notes.collect::<Vec<_>>());
    placed
}

fn race_diagnostic(
    declarations: &Declarations,
    text: &str,
    race: &Report<Witness>,
    sure: bool,
) -> Diagnostic<()> {
    let (base, potential) = match race.certainty {
        Certainty::Potential => (Diagnostic::warning(), "potential "),
        _ if sure => (Diagnostic::error(), ""),
        _ => (Diagnostic::warning(), ""),
    };
    let message = format!(
        "{potential}{} race on {}",
        race.kind().description(),
        names::cell(declarations, &race.cell)
    );
    let (first, second) = (&race.first, &race.second);
    let says = |side: &Side| says(side, &race.configuration);
    let span = |side: &Side| declarations.sources.spans.get(&side.site).copied();
    let labels = match (span(first), span(second)) {
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
    let order = match race.phase() {
        Some(phase) => format!("both in phase {phase}: no barrier between them"),
        None if race.same_block() => "one block: no barrier between them".to_owned(),
        None => "different blocks: no barrier orders them".to_owned(),
    };
    let mut notes = vec![order, witness(declarations, &race.configuration)];
    notes.extend(contents(declarations, race, &race.configuration, race.depends_on_data()));
    for (side, access) in [("first", first), ("second", second)] {
        let counters = names::counters(declarations, &race.configuration, access).into_iter();
        let counters = counters.map(|(variable, value)| format!("{variable} = {value}"));
        let reads = access.data.iter().filter_map(|choice| names::read(declarations, text, choice));
        let reads = reads.map(|(place, value)| format!("{value} read from {place}"));
        let at: Vec<String> = counters.chain(reads).collect();
        if !at.is_empty() {
            notes.push(format!("{side} access at {}", at.join(", ")));
        }
    }
    notes.push(certainty(race));
    let code = Code::of_race(race.kind(), race.same_block());
    base.with_code(code.id()).with_message(message).with_labels(labels).with_notes(notes)
}

/// Who does what.
pub(crate) fn says(side: &Side, at: &Configuration) -> String {
    let verb = match side.mode.keyword() {
        "rd" => "reads",
        "wr" => "writes",
        _ => "updates atomically",
    };
    let thread = at.launch.block.position(side.thread.index);
    let block = match at.launch.grid.count() {
        0 | 1 => String::new(),
        _ => format!(" of block {}", at.launch.grid.position(side.thread.block)),
    };
    format!("thread {thread}{block} {verb}")
}

fn divergence_diagnostic(
    declarations: &Declarations,
    report: &Report<DivergenceWitness>,
) -> Diagnostic<()> {
    let sides = [report.divergence.first, report.divergence.second];
    let sides = sides.map(|(number, barrier)| (thread(report, number), barrier));
    let span = |site: Site| declarations.sources.spans.get(&site);
    // The first one's barrier is where the diagnostic stands.
    let makes = [Label::primary, Label::secondary].into_iter();
    let labels = makes.zip(&sides).filter_map(|(make, (thread, barrier))| {
        let label = make((), barrier.and_then(span)?.bytes());
        Some(label.with_message(format!("thread {thread} waits here")))
    });
    let ends = sides.iter().filter(|(_, barrier)| barrier.is_none());
    let ends = ends.map(|(thread, _)| format!("thread {thread} ends without reaching a barrier"));
    let mut notes: Vec<String> = ends.collect();
    notes.push(after(report));
    notes.push(witness(declarations, &report.configuration));
    notes.extend(contents(declarations, report, &report.configuration, report.depends_on_data()));
    notes.push(match (report.certainty, &report.replay) {
        (Certainty::Potential, _) => {
            "potential: rests on data, or a thread may be stuck before".to_owned()
        }
        (_, Some(replay)) if !report.depends_on_data() => {
            format!("{} runs into it; data does not decide it", replay.evaluator)
        }
        (_, Some(replay)) => {
            format!("{} runs into it; only what the host stored decides it", replay.evaluator)
        }
        (_, None) if !report.configuration.host.is_empty() => {
            "provable: the protocol diverges there in these contents".to_owned()
        }
        (_, None) => "provable: data does not decide it".to_owned(),
    });
    let (base, message) = match report.certainty {
        Certainty::Potential => (Diagnostic::warning(), "potential barrier divergence"),
        _ => (Diagnostic::error(), "barrier divergence"),
    };
    base.with_code(Code::Divergence.id())
        .with_message(message)
        .with_labels(labels.collect())
        .with_notes(notes)
}

/// The position of a thread that diverges; in a grid of several blocks also of its block.
pub(crate) fn thread(report: &DivergenceWitness, number: u64) -> String {
    let (thread, launch) = (report.thread(number), report.configuration.launch);
    let block = match launch.grid.count() {
        0 | 1 => String::new(),
        _ => format!(" of block {}", launch.grid.position(thread.block)),
    };
    format!("{}{block}", launch.block.position(thread.index))
}

/// When the threads diverge, and in which group where that is not the block.
pub(crate) fn after(report: &DivergenceWitness) -> String {
    let Divergence { phase, first: (number, _), scope, .. } = report.divergence;
    let thread = thread(report, number);
    match scope {
        BarrierScope::Block => format!("after phase {phase}"),
        scope => format!("after phase {phase}, in the {scope} of thread {thread}"),
    }
}

fn certainty(race: &Report<Witness>) -> String {
    match (race.certainty, &race.replay) {
        (Certainty::Potential, _) => {
            "potential: rests on data, on undefined contents, or on what could not be translated"
                .to_owned()
        }
        (_, Some(replay)) => {
            format!("replayed: {} runs into it on this witness", replay.evaluator)
        }
        (_, None) if race.confirmation == Confirmation::Interleaving => {
            "provable: an interleaving of the threads has it".to_owned()
        }
        (_, None) if !race.configuration.host.is_empty() => {
            "provable: the protocol's accesses in these contents race".to_owned()
        }
        (_, None) => "provable: both accesses are independent of data".to_owned(),
    }
}

/// Launch and parameters.
pub(crate) fn witness(declarations: &Declarations, at: &Configuration) -> String {
    let mut text = format!("witness: block {}", at.launch.block);
    if at.launch.grid.count() > 1 {
        let _ = write!(text, ", grid {}", at.launch.grid);
    }
    if at.launch.warp != WARP_SIZE {
        let _ = write!(text, ", warps of {}", at.launch.warp);
    }
    for (name, value) in &at.parameters {
        let _ = write!(text, ", {name} = {}", declarations.read_parameter(name, value));
    }
    text
}

/// What the host stored, where the race or divergence rests on it, or something is assumed of it.
pub(crate) fn contents<W>(
    declarations: &Declarations,
    report: &Report<W>,
    at: &Configuration,
    rests_on_data: bool,
) -> Option<String> {
    const SHOWN: usize = 32;
    let contents = crate::contents(declarations, report, at)?;
    let cells = contents.iter().take(SHOWN);
    let cells = cells.map(|(cell, k)| format!("{} = {k}", names::cell(declarations, cell)));
    let cells: Vec<String> = cells.collect();
    let more = match contents.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    match (cells.is_empty(), rests_on_data) {
        (true, false) => None,
        (true, true) => Some("contents: 0 in all cells".to_owned()),
        (false, _) => {
            let rest = "0 in all cells that are not named";
            Some(format!("contents: {}{more}; {rest}", cells.join(", ")))
        }
    }
}

/// Why a race is benign: both sides store this value.
pub(crate) fn benign(declarations: &Declarations, race: &Witness, value: &Natural) -> String {
    let value = declarations.read_content(&race.cell.array, value);
    format!(
        "benign (same value): both threads store {value}; any two threads that race here store the same, whatever it is; a \
         read that comes too early would be another race"
    )
}

fn summary(checked: &Checked) -> String {
    let verdict = &checked.verdict;
    let count = |n: usize, what: &str| counted(n as u64, what);
    match &verdict.outcome {
        Outcome::Drf => "race-free".into(),
        Outcome::Racy => {
            let sure = verdict.races.iter().filter(|r| r.certainty != Certainty::Potential).count();
            let races = count(sure, "racing pair");
            let benign =
                verdict.races.iter().filter(|r| checked.same_value_of(r).is_some()).count();
            let benign = match benign {
                _ if checked.is_benign_only() => ", benign only: of the same value".to_owned(),
                0 => String::new(),
                n => format!(", {n} of them benign"),
            };
            match verdict.races.len() - sure {
                0 => format!("racy ({races}{benign})"),
                more if benign.is_empty() => format!("racy ({races} and {more} potential)"),
                more => format!("racy ({races}{benign}, and {more} potential)"),
            }
        }
        Outcome::Divergent => {
            format!("divergent ({})", count(verdict.divergences.len(), "barrier divergence"))
        }
        Outcome::Unknown(reason) => format!("unknown: {reason} [{}]", Code::of_unknown(reason)),
    }
}

/// One line that says for what the verdict holds.
fn scope(scope: &ScopeOfVerdict, declarations: &Declarations) -> String {
    let mut text = format!("blocks of {}", scope.block.join(" x "));
    match &scope.grid {
        None => text.push_str(", one block"),
        Some(grid) => {
            let _ = write!(text, ", grids of {}", grid.join(" x "));
        }
    }
    if let Some(warp) = scope.warp {
        let _ = write!(text, ", warps of {warp}");
    }
    if let Some(array) = &scope.array {
        let _ = write!(text, ", races on {array} only");
    }
    for (name, value) in &scope.fixed {
        let _ = write!(text, ", {name} = {value}");
    }
    let free = declarations.params.iter().filter(|p| p.value.is_none());
    let free: Vec<&str> = free.map(|p| p.name.as_str()).collect();
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
        let _ = write!(text, ", no overflow or division by 0 (at {first}{places})");
    }
    if !scope.ordered_updates.is_empty() {
        let arrays: Vec<&str> = scope.ordered_updates.iter().map(|name| name.as_str()).collect();
        let arrays = arrays.join(", ");
        let _ = write!(text, ", atomic updates of {arrays} one after the other (interleavings)");
    }
    text
}
