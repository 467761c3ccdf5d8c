//! The theory held against a device, by command.

/// Prints a line on standard output.
macro_rules! say {
    ($($text:tt)*) => { $crate::command::say(format_args!($($text)*)) };
}

mod args;
mod command;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

/// A campaign allocates all the time, on every core.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match &args.command {
        Command::Devices => command::devices::run(),
        Command::Campaign(args) => command::campaign::run(args),
        Command::SelfTest(args) => command::self_test::run(args),
        Command::Kernels(args) => command::kernels::run(args),
        Command::Litmus(args) => command::litmus::run(args),
        Command::Record(args) => command::record::run(args),
        Command::Replay(args) => command::replay::run(args),
        Command::Scorecard(args) => command::scorecard::run(args),
    };
    match outcome {
        Ok(command::Found::NoFailure) => ExitCode::SUCCESS,
        Ok(command::Found::Failure) => ExitCode::from(1),
        Err(error) => {
            command::warn(format_args!("error: {error}"));
            ExitCode::from(if matches!(error, command::Error::Unavailable(_)) { 3 } else { 2 })
        }
    }
}
