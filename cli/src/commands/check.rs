//! `babycuda check`: can the kernels of some files race?

use super::Failure;
use crate::args::{CheckArgs, ReportFormat};
use crate::folders;
use crate::output::{self, Line};
use crate::watch::Overrun;
use babycuda::CheckOptions;
use babycuda::smt::SolverName;
use babycuda_core::{Budget, Name};
use babycuda_files::check::{self, Asked, Current, check_into, locked};
use babycuda_files::problem::Problem;
use babycuda_files::several::Several;
use babycuda_files::{input, readable};
use babycuda_report::document::Document;
use babycuda_report::{FileReport, human, lines, sarif, worst};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What has been done so far, for a command that is cut off.
#[derive(Default)]
pub(crate) struct Progress {
    statuses: Vec<u8>,
    /// Of the files that are done, those that are not printed yet.
    reports: Vec<FileReport>,
    /// Files that could not be checked, and why.
    failures: Vec<(String, String)>,
    /// The file that is being checked.
    current: Arc<check::Progress>,
    /// What stands on the terminal of it.
    line: Line,
}

impl Progress {
    /// Shows what is done where the command takes long: on a terminal.
    pub(crate) fn show(&mut self, elapsed: Duration) {
        let Ok(current) = self.current.try_lock() else { return };
        let Some(current) = &*current else { return };
        let done = current.kernels.iter().flatten().count();
        let mut kernels = current.names.iter().zip(&current.kernels);
        let name = kernels.find(|(_, done)| done.is_none()).map_or("", |(name, _)| name);
        let all = current.names.len();
        let path = &current.file.path;
        self.line.show(elapsed, &format!("{path}: {name} ({} of {all})", (done + 1).min(all)));
    }
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
    let asked = asked(args, budget);
    readable(&args.source.given())?;
    let current = locked(progress).current.clone();
    let mut several = (args.files.len() > 1).then(Several::default);
    for path in &args.files {
        let checked = check_file(path, &asked, &current, several.as_mut());
        // Held while it prints: what is cut off now is cut off after this file.
        report(path, checked, args, &mut locked(progress))?;
    }
    for (path, problem) in several.iter().flat_map(Several::unmet) {
        report(path, Err(problem.into()), args, &mut locked(progress))?;
    }
    if let Err(exhausted) = budget.check() {
        output::warn(format_args!("note: {exhausted}; --time-limit allows more\n"));
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
        let mut slot = locked(&progress.current);
        let current = slot.take().unwrap_or_else(|| Current::unread(path));
        *slot = Some(current.cut_off(&why.to_string()));
        drop(slot);
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
    let current = locked(&progress.current).take();
    progress.line.clear();
    match (checked, current) {
        (Ok(()), None) => {}
        (Ok(()), Some(current)) => {
            let report = current.report(args.ignore_benign);
            progress.statuses.push(report.status());
            match args.format {
                ReportFormat::Human => match args.color.is_wanted() {
                    true => output::show_coloured(&human::document(&report, true))?,
                    false => output::show(human::document(&report, false))?,
                },
                ReportFormat::Short => output::show(lines::short(&report))?,
                ReportFormat::Github => output::show(lines::github(&report))?,
                ReportFormat::Json => output::println(Document::from(&report).json())?,
                ReportFormat::Sarif => progress.reports.push(report),
            }
        }
        (Err(failure), _) => {
            progress.statuses.push(2);
            output::warn(&failure.text);
            match args.format {
                ReportFormat::Human | ReportFormat::Short => {}
                ReportFormat::Github => {
                    output::show(lines::github_failure(path, &failure.text))?;
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

/// What is asked of every file.
fn asked(args: &CheckArgs, budget: Budget) -> Result<Asked, Problem> {
    Ok(Asked {
        source: args.source.given(),
        settings: args.launch.settings(&args.assumptions)?,
        contracts: args.contract,
        options: CheckOptions { budget, ..options(args) },
        fix_time: args.fix_time,
        certainty: args.certainty,
        ignore_benign: args.ignore_benign,
    })
}

/// What becomes of a file with this text; where the budget is used up, all else is unknown.
///
/// # Errors
/// A [`Problem`] when it cannot be checked.
#[cfg(feature = "lsp")]
pub(crate) fn report_on(
    file: babycuda_files::input::File,
    args: &CheckArgs,
    budget: Budget,
) -> Result<FileReport, Problem> {
    check::check(file, &asked(args, budget)?)
}

/// Checks the kernels of a file; `progress` has what becomes of them.
fn check_file(
    path: &str,
    asked: &Result<Asked, Problem>,
    progress: &check::Progress,
    several: Option<&mut Several>,
) -> Result<(), Failure> {
    if Path::new(path).is_dir() {
        return Err(folders::unread(path).into());
    }
    let file = input::read(path)?;
    let asked = asked.as_ref().map_err(|problem| Failure::of(&file, problem.clone()))?;
    let checked = match several {
        Some(several) => several.check_into(&file, asked, progress),
        None => check_into(file.clone(), asked, progress),
    };
    checked.map_err(|problem| Failure::of(&file, problem))
}
