//! `babycuda compare`: all techniques on a kernel, beside what is true of it.

use super::Failure;
use crate::args::{CompareArgs, PlainFormat};
use crate::output;
use crate::watch::Overrun;
use babycuda::detectors::hirace::HiRace;
use babycuda::detectors::{Detector, all};
use babycuda::{CheckOptions, Compared};
use babycuda_core::budget::Exhausted;
use babycuda_core::{Budget, Launch};
use babycuda_files::compare::Asked;
use babycuda_files::input;
use babycuda_files::problem::Problem;
use babycuda_report::compare::{document, human};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What has been done so far, for a command that is cut off.
#[derive(Default)]
pub(crate) struct Progress {
    file: String,
    launch: Option<Launch>,
    /// The kernels that are not reported yet.
    names: VecDeque<String>,
    /// Of those that are, where they are printed at the end.
    documents: Vec<Value>,
    /// How bad it is: see [`exit`].
    worst: u8,
}

/// The progress; whoever panicked with it in hand left it as it is.
fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the command; the exit status. What is not decided when the time is over is unknown.
///
/// # Errors
/// [`Exhausted`] when the kernels are not read by then; [`Failure`] when the file has no kernels, or a parameter has
/// no value.
pub(crate) fn run(
    args: &CompareArgs,
    budget: Budget,
    progress: &Mutex<Progress>,
) -> Result<Result<u8, Failure>, Exhausted> {
    Ok(match budget.within(|| read(args))? {
        Ok((asked, detectors)) => compared(args, &asked, &detectors, budget, progress),
        Err(failure) => Err(failure),
    })
}

/// Reports what is known when the command is cut off; the exit status. All other kernels are unknown. `None`: no kernel
/// was read yet.
pub(crate) fn cut_off(
    args: &CompareArgs,
    progress: &Mutex<Progress>,
    overrun: Overrun,
) -> Option<Result<u8, Failure>> {
    let mut progress = locked(progress);
    let launch = progress.launch?;
    output::warn(format_args!("note: {overrun}; {}\n", overrun.help()));
    let done = unasked(args, &mut progress, &launch, &overrun.to_string(), true);
    Some(done.and_then(|()| finish(args, &mut progress)))
}

fn read(args: &CompareArgs) -> Result<(Asked, Vec<Box<dyn Detector>>), Failure> {
    let detectors = detectors(args)?;
    let file = input::read(&args.kernel.file)?;
    let given = args.kernel.launch.settings(&[])?;
    let asked = Asked::read(file.clone(), &args.kernel.source.given(), given);
    Ok((asked.map_err(|problem| Failure::of(&file, problem))?, detectors))
}

/// Compares and reports; the exit status.
fn compared(
    args: &CompareArgs,
    asked: &Asked,
    detectors: &[Box<dyn Detector>],
    budget: Budget,
    progress: &Mutex<Progress>,
) -> Result<u8, Failure> {
    let Asked { file, kernels, .. } = asked;
    let shown = args.show.as_deref().map(|name| shown(detectors, name)).transpose()?;
    let timeout = Duration::from_secs_f64(args.timeout);
    let options = CheckOptions { timeout, budget, ..CheckOptions::default() };
    let launch = asked.launch();
    let names = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let file_name = file.path.clone();
    *locked(progress) =
        Progress { file: file_name, launch: Some(launch), names, ..Progress::default() };
    for kernel in kernels {
        if let Err(exhausted) = budget.check() {
            output::warn(format_args!("note: {exhausted}; --time-limit allows more\n"));
            let why = exhausted.to_string();
            unasked(args, &mut locked(progress), &launch, &why, false)?;
            break;
        }
        let (compared, open) = asked.compare(kernel, detectors, &options)?;
        let form = match shown.zip(kernel.tree.as_deref()) {
            Some((technique, tree)) => Some(form(technique, tree)?),
            None => None,
        };
        let open: Vec<_> = open.iter().map(|name| format!("--param {name}=VALUE")).collect();
        // Held while it prints: what is cut off now is cut off after this kernel.
        report(args, &mut locked(progress), &launch, &compared, form, &open)?;
    }
    finish(args, &mut locked(progress))
}

/// Reports on the next kernel, with its form where one is shown, and the parameters that have no value. Nothing where
/// the command was cut off before.
fn report(
    args: &CompareArgs,
    progress: &mut Progress,
    launch: &Launch,
    compared: &Compared,
    form: Option<String>,
    open: &[String],
) -> Result<(), Failure> {
    let Some(name) = progress.names.pop_front() else { return Ok(()) };
    progress.worst = progress.worst.max(exit(compared));
    match args.format {
        PlainFormat::Human => {
            output::print(form.unwrap_or_default())?;
            output::show(human(&name, launch, compared))?;
            if !open.is_empty() {
                let open = open.join(" ");
                output::println(format_args!("  what runs the kernel needs {open}"))?;
            }
        }
        PlainFormat::Json => {
            let mut document = document(&name, launch, compared);
            document["form"] = form.into();
            progress.documents.push(document);
        }
    }
    Ok(())
}

/// Reports that the kernels that are left are unknown. With the first of them, the command may have `begun`.
fn unasked(
    args: &CompareArgs,
    progress: &mut Progress,
    launch: &Launch,
    why: &str,
    mut begun: bool,
) -> Result<(), Failure> {
    while !progress.names.is_empty() {
        let not_reached = if std::mem::take(&mut begun) { "not done" } else { "not reached" };
        let compared = Compared::unasked(format!("{not_reached}: {why}"));
        report(args, progress, launch, &compared, None, &[])?;
    }
    Ok(())
}

/// Prints what is printed at the end, once; the exit status.
fn finish(args: &CompareArgs, progress: &mut Progress) -> Result<u8, Failure> {
    let file = std::mem::take(&mut progress.file);
    if args.format == PlainFormat::Json && progress.launch.take().is_some() {
        let kernels = std::mem::take(&mut progress.documents);
        let all = serde_json::json!({ "version": 1, "file": file, "kernels": kernels });
        output::println(format_args!("{all:#}"))?;
    }
    // A contradiction is worse than not to know what is true.
    Ok(match progress.worst {
        2 => 1,
        1 => 3,
        _ => 0,
    })
}

/// How bad it is: 2 a contradiction, 1 the truth is not known.
fn exit(compared: &Compared) -> u8 {
    let wrong = compared.answers.iter().any(|a| a.contradicts(&compared.truth).is_some());
    match compared.truth.verdict {
        _ if wrong => 2,
        Some("drf" | "racy" | "divergent") => 0,
        _ => 1,
    }
}

/// The techniques, and HiRace with a machine that is given.
fn detectors(args: &CompareArgs) -> Result<Vec<Box<dyn Detector>>, Failure> {
    let Some(path) = &args.machine else { return Ok(all()) };
    let machine = input::machine(path)?;
    let machine: Box<dyn Detector> = Box::new(HiRace::new(machine).named("hirace-machine"));
    Ok(all().into_iter().chain([machine]).collect())
}

/// What a technique makes of a kernel, or why it does not.
fn form(technique: &dyn Detector, tree: &babycuda::kernel::Kernel) -> Result<String, Failure> {
    let form = technique.form(tree).ok_or_else(|| {
        let name = technique.name();
        Problem::new(format!(
            "--show {name}: it judges the kernel as it stands, nothing is to be shown"
        ))
    })?;
    Ok(form.unwrap_or_else(|refusal| format!("{refusal}\n")))
}

/// The technique of a name.
fn shown<'a>(detectors: &'a [Box<dyn Detector>], name: &str) -> Result<&'a dyn Detector, Failure> {
    let found = detectors.iter().find(|detector| detector.name() == name);
    found.map(|detector| &**detector).ok_or_else(|| {
        let names: Vec<_> = detectors.iter().map(|detector| detector.name()).collect();
        let message = format!("--show {name}: the techniques are {}", names.join(", "));
        Problem::new(message).into()
    })
}
