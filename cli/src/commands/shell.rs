//! What shells and `man` know of the program: `babycuda completions` and `babycuda man`.

use super::Failure;
use crate::args::{Cli, CompletionsArgs};
use crate::output;
use babycuda_files::problem::Problem;
use clap::CommandFactory;

/// Prints the completions for a shell; the exit status.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "babycuda", &mut text);
    output::print(String::from_utf8_lossy(&text))?;
    Ok(0)
}

/// Prints the manual page: the program, and then each command; the exit status.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn man() -> Result<u8, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut text = Vec::new();
    let mut page = |command: clap::Command| {
        let written = clap_mangen::Man::new(command).render(&mut text);
        written.map_err(|error| Problem::new(error.to_string()))
    };
    page(command.clone())?;
    let is_own = |part: &&clap::Command| part.get_name() != "help";
    for part in command.get_subcommands().filter(is_own) {
        page(part.clone())?;
        part.get_subcommands().filter(is_own).try_for_each(|inner| page(inner.clone()))?;
    }
    output::print(String::from_utf8_lossy(&text))?;
    Ok(0)
}
