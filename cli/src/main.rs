//! The program `babycuda`: the only crate that prints.

mod args;
mod choices;
mod commands;
mod history;
mod includes;
mod input;
mod output;
mod report;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let result = match &cli.command {
        args::Command::Check(args) => commands::check::run(args),
        args::Command::Type(args) => commands::typing::run(args),
        args::Command::Run(args) => commands::run::run(args),
        args::Command::Derive(args) => commands::derive::run(args),
        args::Command::Verify(args) => commands::verify::run(args),
        args::Command::Gpu(args) => commands::gpu::run(args),
        args::Command::Emit(args) => commands::emit::run(args),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            eprint!("{}", failure.text);
            ExitCode::from(2)
        }
    }
}
