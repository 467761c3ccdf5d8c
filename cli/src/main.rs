//! The program `babycuda`: the only crate that prints.

// `output` prints where no reader is, too; the macros panic there.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod folders;
mod output;
mod watch;
#[cfg(feature = "traces")]
mod whole;

use args::Command;
use babycuda_core::budget::Exhausted;
use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use commands::Failure;
use commands::check::Progress;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// The exit status when a limit of the whole command passed.
const UNFINISHED: u8 = 3;

/// The words of the command line, with a compiler's `-std=` as an option of ours.
fn words() -> impl Iterator<Item = OsString> {
    std::env::args_os().map(|word| match word.to_str().and_then(|w| w.strip_prefix("-std=")) {
        Some(version) => format!("--std={version}").into(),
        None => word,
    })
}

/// Says what is wrong with the command line, or prints the help that was asked for.
fn refuse(error: &clap::Error) -> ! {
    let feature = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => args::feature_of(name),
        _ => None,
    };
    let Some(feature) = feature else { error.exit() };
    output::warn(format_args!("error: this program was built without the feature `{feature}`\n"));
    output::warn("  = help: `cargo build --release --features full` builds all commands\n");
    std::process::exit(2)
}

fn main() -> ExitCode {
    let mut cli = args::Cli::try_parse_from(words()).unwrap_or_else(|error| refuse(&error));
    if let Command::Check(args) = &mut cli.command {
        args.files = folders::expanded(&args.files);
    }
    #[cfg(feature = "lsp")]
    if let Command::Lsp(args) = &cli.command {
        // Its limits are those of each check.
        ended(commands::lsp::run(args, cli.limits));
    }
    let cli = Arc::new(cli);
    let progress = Arc::new(Mutex::new(Progress::default()));
    let (worker, shared) = (cli.clone(), progress.clone());
    #[cfg(feature = "compare")]
    let comparing = Arc::new(Mutex::new(commands::compare::Progress::default()));
    #[cfg(feature = "compare")]
    let compared = comparing.clone();
    let budget = cli.limits.budget();
    let work = move || match &worker.command {
        // These keep the verdicts that they have when the time is over.
        Command::Check(args) => Ok(commands::check::run(args, budget, &shared)),
        #[cfg(feature = "compare")]
        Command::Compare(args) => commands::compare::run(args, budget, &compared),
        Command::Type(args) => budget.within(|| commands::typing::run(args)),
        Command::Run(args) => budget.within(|| commands::run::run(args)),
        Command::Derive(args) => budget.within(|| commands::derive::run(args)),
        Command::Verify(args) => budget.within(|| commands::verify::run(args)),
        #[cfg(feature = "devices")]
        Command::Gpu(args) => budget.within(|| commands::gpu::run(args)),
        #[cfg(feature = "traces")]
        Command::Trace(args) => commands::trace::run(args, worker.limits, budget),
        #[cfg(feature = "devices")]
        Command::Emit(args) => budget.within(|| commands::emit::run(args)),
        #[cfg(feature = "grade")]
        Command::Grade(args) => budget.within(|| commands::grade::run(args)),
        #[cfg(feature = "lsp")]
        Command::Lsp(args) => Ok(commands::lsp::run(args, worker.limits)),
        #[cfg(feature = "fuzz")]
        Command::Fuzz(args) => Ok(commands::fuzz::run(args)),
        Command::Explain(args) => Ok(commands::explain::run(args)),
        Command::Doctor(args) => Ok(commands::doctor::run(args)),
        #[cfg(feature = "shell")]
        Command::Completions(args) => Ok(commands::shell::completions(args)),
        #[cfg(feature = "shell")]
        Command::Man => Ok(commands::shell::man()),
    };
    let tick = |elapsed| {
        // Whoever prints has it in hand.
        if let Ok(mut progress) = progress.try_lock() {
            progress.show(elapsed);
        }
    };
    let limits = match &cli.command {
        // It has a time of its own.
        #[cfg(feature = "fuzz")]
        Command::Fuzz(_) => args::LimitArgs { time_limit: 1e9, ..cli.limits },
        _ => cli.limits,
    };
    let result = watch::run(limits, work, tick);
    let result = result.and_then(|done| done.map_err(|Exhausted(time)| watch::Overrun::Time(time)));
    let result = match (result, &cli.command) {
        (Ok(result), _) => result,
        (Err(watch::Overrun::Panic), _) => return ExitCode::from(101),
        (Err(overrun), Command::Check(args)) => {
            output::warn(format_args!("note: {overrun}; {}\n", overrun.help()));
            commands::check::cut_off(args, &progress, overrun)
        }
        #[cfg(feature = "compare")]
        (Err(overrun), Command::Compare(args)) => {
            let kept = commands::compare::cut_off(args, &comparing, overrun);
            kept.unwrap_or_else(|| Ok(unfinished(overrun)))
        }
        #[cfg(feature = "fuzz")]
        (Err(overrun), Command::Fuzz(_)) => {
            commands::fuzz::stop();
            Ok(unfinished(overrun))
        }
        (Err(overrun), _) => Ok(unfinished(overrun)),
    };
    ended(result)
}

/// Says which limit passed; the exit status.
fn unfinished(overrun: watch::Overrun) -> u8 {
    output::warn(format_args!("error: {overrun}\n  = help: {}\n", overrun.help()));
    UNFINISHED
}

/// Says why a command failed, and ends the program. Not by returning: a command that was cut off is
/// still running.
fn ended(result: Result<u8, Failure>) -> ! {
    let status = match result {
        Ok(status) => status,
        Err(Failure { text }) => {
            output::warn(text);
            2
        }
    };
    std::process::exit(status.into())
}
