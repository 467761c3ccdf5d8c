//! `babycuda check`: can the kernels of some files race?

use super::Failure;
use crate::args::{CheckArgs, ReportFormat};
use crate::commands_file;
use crate::contracts::Contracted;
use crate::fix;
use crate::input::{self, File, Language, Unit};
use crate::output::{self, Line};
use crate::problem::Problem;
use crate::watch::Overrun;
use babycuda::kernel::Kernel;
use babycuda::repair::Search;
use babycuda::smt::SolverName;
use babycuda::{
    CheckError, CheckOptions, Checked, Settings, blocks_by_themselves, check, check_protocol,
    run_potential,
};
use babycuda_core::evidence::Certainty;
use babycuda_core::site::{Site, Span};
use babycuda_core::syntax::Geometry;
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Budget, Declarations, Name, Program};
use babycuda_report::accesses::{self, Annotation};
use babycuda_report::document::Document;
use babycuda_report::{FileReport, human, lines, sarif, worst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What has been done so far, for a command that is cut off.
#[derive(Default)]
pub(crate) struct Progress {
    statuses: Vec<u8>,
    /// Of the files that are done, those that are not printed yet.
    reports: Vec<FileReport>,
    /// Files that could not be checked, and why.
    failures: Vec<(String, String)>,
    current: Option<Current>,
    /// What stands on the terminal of it.
    line: Line,
}

impl Progress {
    /// Shows what is done where the command takes long: on a terminal.
    pub(crate) fn show(&mut self, elapsed: Duration) {
        let Some(current) = &self.current else { return };
        let (done, all) = (current.kernels.len(), current.names.len());
        let name = current.names.get(done).map_or("", String::as_str);
        let path = &current.file.path;
        self.line.show(elapsed, &format!("{path}: {name} ({} of {all})", (done + 1).min(all)));
    }
}

/// The file that is being checked.
struct Current {
    file: File,
    /// Of all its kernels.
    names: Vec<String>,
    /// Of those that are done.
    kernels: Vec<Checked>,
    /// What the accesses of these rest on, where that is asked.
    accesses: Vec<Vec<Annotation>>,
}

impl Current {
    /// A file of which no kernel is known yet.
    fn unread(path: &str) -> Current {
        let (path, text, language) = (path.to_owned(), String::new(), Language::Cuda);
        let names = vec!["every kernel".to_owned()];
        let file = File { path, text, language };
        Current { file, names, kernels: Vec::new(), accesses: Vec::new() }
    }

    /// The kernels that are not done are unknown, for this reason.
    fn cut_off(mut self, why: &str) -> Current {
        for name in self.names.iter().skip(self.kernels.len()) {
            self.kernels.push(unknown(name, why.to_owned(), None));
        }
        self
    }
}

/// The progress; whoever panicked with it in hand left it as it is.
fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the command; the exit status.
///
/// # Errors
/// When the output cannot be written. A file that cannot be checked is reported, and the others
/// are checked all the same.
pub(crate) fn run(
    args: &CheckArgs,
    budget: Budget,
    progress: &Mutex<Progress>,
) -> Result<u8, Failure> {
    let options = CheckOptions { budget, ..options(args) };
    commands_file::readable(&args.source)?;
    for path in &args.files {
        let checked = check_file(path, args, &options, progress);
        // Held while it prints: what is cut off now is cut off after this file.
        report(path, checked, args, &mut locked(progress))?;
    }
    if let Err(exhausted) = budget.check() {
        eprintln!("note: {exhausted}; --time-limit allows more");
    }
    finish(args, &locked(progress))
}

/// Reports what is known when the command is cut off; the exit status. All else is unknown.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn cut_off(
    args: &CheckArgs,
    progress: &Mutex<Progress>,
    why: Overrun,
) -> Result<u8, Failure> {
    let mut progress = locked(progress);
    for path in args.files.iter().skip(progress.statuses.len()) {
        let current = progress.current.take().unwrap_or_else(|| Current::unread(path));
        progress.current = Some(current.cut_off(&why.to_string()));
        report(path, Ok(()), args, &mut progress)?;
    }
    finish(args, &progress)
}

/// Reports on the current file, all of whose kernels are done, or why it cannot be checked.
fn report(
    path: &str,
    checked: Result<(), Failure>,
    args: &CheckArgs,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let current = progress.current.take();
    progress.line.clear();
    match (checked, current) {
        (Ok(()), None) => {}
        (Ok(()), Some(Current { file, kernels, accesses, .. })) => {
            let ignore_benign = args.ignore_benign;
            let report =
                FileReport { path: file.path, text: file.text, kernels, accesses, ignore_benign };
            progress.statuses.push(report.status());
            match args.format {
                ReportFormat::Human => {
                    output::print(human::document(&report, args.color.is_wanted()))?;
                }
                ReportFormat::Short => output::print(lines::short(&report))?,
                ReportFormat::Github => output::print(lines::github(&report))?,
                ReportFormat::Json => output::println(Document::from(&report).json())?,
                ReportFormat::Sarif => progress.reports.push(report),
            }
        }
        (Err(failure), _) => {
            progress.statuses.push(2);
            eprint!("{}", failure.text);
            match args.format {
                ReportFormat::Human | ReportFormat::Short => {}
                ReportFormat::Github => {
                    output::print(lines::github_failure(path, &failure.text))?;
                }
                ReportFormat::Json => {
                    output::println(Document::failure(path, &failure.text).json())?;
                }
                ReportFormat::Sarif => progress.failures.push((path.to_owned(), failure.text)),
            }
        }
    }
    Ok(())
}

/// After the last file: the exit status.
fn finish(args: &CheckArgs, progress: &Progress) -> Result<u8, Failure> {
    if args.format == ReportFormat::Sarif {
        output::println(sarif::document(&progress.reports, &progress.failures))?;
    }
    Ok(worst(progress.statuses.iter().copied()))
}

fn options(args: &CheckArgs) -> CheckOptions {
    let solvers = args.solvers.iter().copied().filter(|solver| *solver != SolverName::Auto);
    CheckOptions {
        decide: args.method,
        array: args.array.as_deref().map(Name::new),
        solvers: solvers.collect(),
        timeout: Duration::from_secs_f64(args.timeout),
        races: args.max_races as usize,
        ..CheckOptions::default()
    }
}

/// What becomes of a file with this text; where the budget is used up, all else is unknown.
///
/// # Errors
/// A [`Problem`] when it cannot be checked.
#[cfg(feature = "lsp")]
pub(crate) fn report_on(
    file: File,
    args: &CheckArgs,
    budget: Budget,
) -> Result<FileReport, Problem> {
    let progress = Mutex::new(Progress::default());
    check_text(file.clone(), args, &CheckOptions { budget, ..options(args) }, &progress)?;
    let current = locked(&progress).current.take();
    let (kernels, accesses) = current.map(|c| (c.kernels, c.accesses)).unwrap_or_default();
    let ignore_benign = args.ignore_benign;
    Ok(FileReport { path: file.path, text: file.text, kernels, accesses, ignore_benign })
}

/// Checks the kernels of a file; `progress` has what becomes of them.
fn check_file(
    path: &str,
    args: &CheckArgs,
    options: &CheckOptions,
    progress: &Mutex<Progress>,
) -> Result<(), Failure> {
    let file = input::read(path)?;
    check_text(file.clone(), args, options, progress).map_err(|p| Failure::of(&file, p))
}

/// The same of a file that was read.
fn check_text(
    file: File,
    args: &CheckArgs,
    options: &CheckOptions,
    progress: &Mutex<Progress>,
) -> Result<(), Problem> {
    let settings = Settings { any_grid: true, ..args.launch.settings(&args.assumptions)? };
    let source = args.source();
    let read = || input::units_and_kernels(&file, &source, &settings);
    let (units, kernels): (Vec<Unit>, Vec<_>) = match options.budget.within(read) {
        Ok(units) => units?.into_iter().unzip(),
        Err(exhausted) => {
            let unread = Current { file: file.clone(), ..Current::unread(&file.path) };
            locked(progress).current = Some(unread.cut_off(&exhausted.to_string()));
            return Ok(());
        }
    };
    known_array(&file, &units, args)?;
    let names = units.iter().map(|unit| unit.name().to_owned()).collect();
    let current = Current { file: file.clone(), names, kernels: Vec::new(), accesses: Vec::new() };
    locked(progress).current = Some(current);
    let mut contracts = Contracted::new(&file, args.contract, &source, &settings, options);
    for (unit, kernel) in units.iter().zip(kernels) {
        let start = Instant::now();
        let tree = kernel.as_ref().and_then(|kernel| kernel.tree.as_deref());
        let checked = check_unit(unit, tree, &file, options)?;
        let taken = start.elapsed();
        let mut checked = contracts.of(unit, kernel.as_ref(), checked);
        let search = match args.fix_time {
            Some(time) => (Search::All, Duration::from_secs_f64(time)),
            None => (Search::First, taken.max(SHORT)),
        };
        checked.fix = fix::find(&file, &source, &settings, &units, &checked, options, search);
        if let Some(current) = &mut locked(progress).current {
            current.kernels.push(checked);
            if args.certainty {
                current.accesses.push(match unit {
                    Unit::Program(program) => accesses::of(program),
                    Unit::Protocol(_) | Unit::Unsupported { .. } => Vec::new(),
                });
            }
        }
    }
    Ok(())
}

/// So long one suggestion may be checked, where the check itself was faster.
const SHORT: Duration = Duration::from_millis(100);

/// An array that no kernel of the file has is a mistake, not a wish.
fn known_array(file: &File, units: &[Unit], args: &CheckArgs) -> Result<(), Problem> {
    let Some(array) = &args.array else { return Ok(()) };
    let known = units.iter().any(|unit| match unit.declarations() {
        Some(program) => program.arrays.iter().any(|a| *a.name == **array),
        None => true,
    });
    if known {
        return Ok(());
    }
    Err(Problem::new(format!("{}: no kernel has an array `{array}`", file.path)))
}

fn check_unit(
    unit: &Unit,
    tree: Option<&Kernel>,
    file: &File,
    options: &CheckOptions,
) -> Result<Checked, Problem> {
    let failed = |error: CheckError| match error {
        CheckError::Scope(error) => Problem::new(error.kind.to_string()).at(error.span),
        error => Problem::new(error.to_string()),
    };
    match unit {
        Unit::Program(program) => {
            let checked = check(program, options).map_err(failed)?;
            let checked = match tree {
                Some(tree) => run_potential(tree, &file.text, program, checked, options),
                None => checked,
            };
            Ok(blocks_by_themselves(program, checked, options))
        }
        Unit::Protocol(map) => check_protocol(map, options).map_err(failed),
        Unit::Unsupported { kernel, construct, span, known, apart, parser } => {
            let place = span.map(|s| format!(" at {s}")).unwrap_or_default();
            if let Some((whole, parts)) = apart.split_first() {
                let mut checked = check_apart(whole, parts, options).map_err(failed)?;
                checked.remarks.push(format!(
                    "{construct}{place}: each space of memory was checked by itself, too"
                ));
                checked.declarations.sources.parser = parser.clone();
                return Ok(checked);
            }
            let reason = format!("not supported: {construct}{place}");
            // The parser may have taken what comes before for something else.
            let read = tree.filter(|_| !construct.starts_with("syntax error"));
            let races =
                |program| races_of(program, read.map(|t| (t, &*file.text)), &reason, options);
            let racy = known.as_deref().and_then(races);
            let mut checked = racy.unwrap_or_else(|| unknown(kernel, reason, *span));
            checked.declarations.sources.parser = parser.clone();
            Ok(checked)
        }
    }
}

/// The verdict on a kernel that was taken apart: a race of any of the programs, or what the first one has or leaves open,
/// or what the others leave open.
fn check_apart(
    whole: &Program,
    parts: &[Program],
    options: &CheckOptions,
) -> Result<Checked, CheckError> {
    let mut found = check(whole, options)?;
    for part in parts {
        if matches!(found.verdict.outcome, Outcome::Racy | Outcome::Divergent) {
            break;
        }
        let mut checked = check(part, options)?;
        match &checked.verdict.outcome {
            Outcome::Racy => found = checked,
            Outcome::Unknown(_) if found.verdict.outcome == Outcome::Drf => found = checked,
            Outcome::Divergent => {
                let why = "threads of a part of the kernel diverge".to_owned();
                checked.verdict.outcome = Outcome::Unknown(why);
                found = checked;
            }
            _ => {}
        }
    }
    found.all_races = false;
    Ok(found)
}

/// The races of what is known of a kernel with an unsupported construct, and of runs of its `tree`, with the text of its
/// file, up to where they come to what cannot be run. There may be others. All of it has the time of two questions.
fn races_of(
    program: &Program,
    tree: Option<(&Kernel, &str)>,
    reason: &str,
    options: &CheckOptions,
) -> Option<Checked> {
    let budget = Budget::time(options.budget.at_most(options.timeout));
    let mut checked = check(program, &CheckOptions { budget, ..options.clone() }).ok()?;
    if let Some((tree, source)) = tree {
        checked = run_potential(tree, source, program, checked, options);
    }
    let verdict = &mut checked.verdict;
    verdict.races.retain(|race| race.certainty != Certainty::Potential);
    verdict.divergences.clear();
    checked.all_races = false;
    checked.remarks.push(format!("there may be other races: {reason}"));
    (verdict.outcome == Outcome::Racy).then_some(checked)
}

/// The verdict on a kernel of which nothing but its name is known, and what in it was refused: that
/// stands for its code.
fn unknown(name: &str, reason: String, refused: Option<Span>) -> Checked {
    let verdict = Verdict {
        outcome: Outcome::Unknown(reason),
        scope: None,
        method: Method::None,
        races: Vec::new(),
        divergences: Vec::new(),
    };
    let name = Name::new(name);
    let mut declarations = Declarations { name, ..Declarations::of_geometry(Geometry::line()) };
    declarations.sources.spans.extend(refused.map(|span| (Site::default(), span)));
    Checked::of(declarations, verdict, Vec::new())
}
