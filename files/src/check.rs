//! Can the kernels of a file race?

use crate::at_once::at_once;
use crate::contracts::Contracted;
use crate::fix;
use crate::input::{self, File, Language, Unit};
use crate::problem::{Missing, Problem};
use crate::source::{Contracts, Source};
use babycuda::frontend::Freer;
use babycuda::kernel::Kernel;
use babycuda::repair::Search;
use babycuda::{
    CheckError, CheckOptions, Checked, Settings, blocks_by_themselves, check as decided,
    check_apart, check_protocol, run_potential,
};
use babycuda_core::clock::Instant;
use babycuda_core::evidence::Certainty;
use babycuda_core::site::{Site, Span};
use babycuda_core::syntax::Geometry;
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Budget, Declarations, Name, Program};
use babycuda_report::FileReport;
use babycuda_report::accesses::{self, Annotation};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is asked of the kernels of a file.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// How the file is read.
    pub source: Source,
    /// What is fixed, and assumed.
    pub settings: Settings,
    /// Where contracts come from.
    pub contracts: Contracts,
    /// How verdicts are found.
    pub options: CheckOptions,
    /// Time to look for a suggestion for each racy kernel, in seconds; `None`: the likeliest edit is checked, for as long
    /// as the kernel was.
    pub fix_time: Option<f64>,
    /// Is said of every access what it rests on?
    pub certainty: bool,
    /// Do benign races not count for the exit status?
    pub ignore_benign: bool,
}

/// The file that is being checked.
#[derive(Debug)]
pub struct Current {
    /// The file.
    pub file: File,
    /// The names of all its kernels.
    pub names: Vec<String>,
    /// What became of each of them; `None`: it is not done.
    pub kernels: Vec<Option<Checked>>,
    /// What their accesses rest on, where that is asked.
    pub accesses: Vec<Vec<Annotation>>,
}

/// How far the check of a file is, for whoever cuts it off; `None`: its kernels are not known yet.
pub type Progress = Mutex<Option<Current>>;

impl Current {
    /// A file of which no kernel is known yet.
    pub fn unread(path: &str) -> Current {
        let (path, text, language) = (path.to_owned(), String::new(), Language::Cuda);
        let names = vec!["every kernel".to_owned()];
        let file = File { path, text, language };
        Current { file, names, kernels: vec![None], accesses: Vec::new() }
    }

    /// The kernels that are not done are unknown, for this reason.
    #[must_use]
    pub fn cut_off(mut self, why: &str) -> Current {
        for (name, kernel) in self.names.iter().zip(&mut self.kernels) {
            kernel.get_or_insert_with(|| unknown(name, why.to_owned(), None));
        }
        self
    }

    /// What became of the file; where benign races are to be ignored, they do not count for its status.
    pub fn report(self, ignore_benign: bool) -> FileReport {
        let Current { file: File { path, text, .. }, kernels, accesses, .. } = self;
        let kernels = kernels.into_iter().flatten().collect();
        FileReport { path, text, kernels, accesses, ignore_benign }
    }
}

/// The progress; whoever panicked with it in hand left it as it is.
pub fn locked<T>(progress: &Mutex<T>) -> MutexGuard<'_, T> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What becomes of a file; where the budget of the options is used up, all else is unknown.
///
/// # Errors
/// A [`Problem`] when it cannot be checked.
pub fn check(file: File, asked: &Asked) -> Result<FileReport, Problem> {
    let progress = Progress::default();
    check_into(file.clone(), asked, &progress)?;
    let current = locked(&progress).take();
    Ok(current.unwrap_or_else(|| Current::unread(&file.path)).report(asked.ignore_benign))
}

/// Checks the kernels of a file, several at once where there are processors; `progress` has what becomes of them.
///
/// # Errors
/// As [`check`]: that of the first kernel that cannot be checked.
pub fn check_into(file: File, asked: &Asked, progress: &Progress) -> Result<(), Problem> {
    let options = &asked.options;
    let settings = Settings { any_grid: true, ..asked.settings.clone() };
    // Where contracts come from elsewhere, nothing counts that a kernel requires.
    let ignore_requires = asked.contracts != Contracts::Source;
    let source = Source { ignore_requires, ..asked.source.clone() };
    let read = || input::units_and_kernels(&file, &source, &settings);
    let (units, kernels): (Vec<Unit>, Vec<_>) = match options.budget.within(read) {
        Ok(units) => units?.into_iter().unzip(),
        Err(exhausted) => {
            let unread = Current { file: file.clone(), ..Current::unread(&file.path) };
            *locked(progress) = Some(unread.cut_off(&exhausted.to_string()));
            return Ok(());
        }
    };
    known_array(&file, &units, options)?;
    let accesses = |unit: &Unit| match unit {
        Unit::Program(program) => accesses::of(program),
        Unit::Protocol(_) | Unit::Unsupported { .. } => Vec::new(),
    };
    *locked(progress) = Some(Current {
        file: file.clone(),
        names: units.iter().map(|unit| unit.name().to_owned()).collect(),
        kernels: vec![None; units.len()],
        accesses: units.iter().filter(|_| asked.certainty).map(accesses).collect(),
    });
    let contracts = Contracted::new(&file, asked.contracts, &source, &settings, options);
    let all: Vec<(&Unit, _)> = units.iter().zip(kernels.iter().map(Option::as_ref)).collect();
    let done = at_once(&all, |n, (unit, kernel)| {
        let start = Instant::now();
        let tree = kernel.and_then(|kernel| kernel.tree.as_deref());
        let checked = check_unit(unit, tree, &file, options)?;
        let taken = start.elapsed();
        let mut checked = contracts.of(unit, *kernel, checked);
        let search = match asked.fix_time {
            Some(time) => (Search::All, Duration::from_secs_f64(time)),
            None => (Search::First, taken.clamp(SHORT, LONG)),
        };
        checked.fix = fix::find(&file, &source, &settings, &units, &checked, options, search);
        // Whoever cuts it off may have gone on to another file, all of which is done.
        let mut current = locked(progress);
        let own = current.as_mut().and_then(|current| current.kernels.get_mut(n));
        if let Some(open @ None) = own {
            *open = Some(checked);
        }
        Ok(())
    });
    done.into_iter().collect()
}

/// So long one suggestion may be checked, where the check itself was faster.
const SHORT: Duration = Duration::from_millis(100);
/// No longer, unless somebody asks for it.
const LONG: Duration = Duration::from_secs(2);

/// An array that no kernel of the file has is a mistake, not a wish.
fn known_array(file: &File, units: &[Unit], options: &CheckOptions) -> Result<(), Problem> {
    let Some(array) = &options.array else { return Ok(()) };
    let known = units.iter().any(|unit| match unit.declarations() {
        Some(program) => program.arrays.iter().any(|a| a.name == *array),
        None => true,
    });
    if known {
        return Ok(());
    }
    let message = format!("{}: no kernel has an array `{array}`", file.path);
    Err(Problem::new(message).missing(Missing::Array(array.clone())))
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
            let checked = decided(program, options).map_err(failed)?;
            let checked = match tree {
                Some(tree) => run_potential(tree, &file.text, program, checked, options),
                None => checked,
            };
            Ok(blocks_by_themselves(program, checked, options))
        }
        Unit::Protocol(map) => check_protocol(map, options).map_err(failed),
        Unit::Unsupported { kernel, construct, span, known, apart, freer, parser } => {
            let place = span.map(|s| format!(" at {s}")).unwrap_or_default();
            if let Some((whole, parts)) = apart.split_first() {
                let mut checked = check_apart(whole, parts, options).map_err(failed)?;
                checked.remarks.push(format!(
                    "{construct}{place}: each space of memory was checked by itself, too"
                ));
                if checked.verdict.outcome == Outcome::Racy {
                    let of_space = "phases and values of a race may be those of one space alone";
                    checked.remarks.push(of_space.to_owned());
                }
                checked.declarations.sources.parser = parser.clone();
                return Ok(checked);
            }
            let reason = format!("not supported: {construct}{place}");
            // The parser may have taken what comes before for something else.
            let read = tree.filter(|_| !construct.starts_with("syntax error"));
            let races =
                |program| races_of(program, read.map(|t| (t, &*file.text)), &reason, options);
            let racy = known.as_deref().and_then(races);
            let freer = freer.as_deref().filter(|_| racy.is_none());
            let without = freer.map(|freer| (freer, without_barrier(freer, options)));
            let mut checked = match (racy, without) {
                (Some(racy), _) => racy,
                (None, Some((Freer { barrier, span, .. }, Ok(Some(mut free))))) => {
                    let remark = format!("race-free even if {barrier} at {span} orders nothing");
                    free.remarks.push(remark);
                    free
                }
                (None, without) => {
                    let mut checked = unknown(kernel, reason.clone(), *span);
                    if let Some((Freer { barrier, span, .. }, Err(race))) = without {
                        let remark = format!("unless {barrier} at {span} orders them, {race}");
                        checked.remarks.push(remark);
                    }
                    checked
                }
            };
            checked.declarations.sources.parser = parser.clone();
            Ok(checked)
        }
    }
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
    let mut checked = decided(program, &CheckOptions { budget, ..options.clone() }).ok()?;
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

/// That a kernel has no race, because it has none with fewer barriers; or that not even that is known.
///
/// # Errors
/// With these it has one, in words.
fn without_barrier(freer: &Freer, options: &CheckOptions) -> Result<Option<Checked>, String> {
    let mut found = None;
    for program in &freer.programs {
        let Ok(checked) = decided(program, options) else { return Ok(None) };
        match checked.verdict.outcome {
            Outcome::Drf => found = found.or(Some(checked)),
            Outcome::Racy => {
                let spans = &checked.declarations.sources.spans;
                let place = |site: &Site| spans.get(site).map(Span::to_string);
                let places =
                    checked.verdict.races.first().and_then(|race| {
                        Some((place(&race.first.site)?, place(&race.second.site)?))
                    });
                return match places {
                    Some((first, second)) => {
                        Err(format!("the accesses at {first} and {second} race"))
                    }
                    None => Ok(None),
                };
            }
            _ => return Ok(None),
        }
    }
    Ok(found)
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
