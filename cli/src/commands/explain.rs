//! `babycuda explain`: what a code means.

use super::Failure;
use crate::args::ExplainArgs;
use crate::output;
use babycuda_files::problem::Problem;
use babycuda_report::code::{CODES, Code};

/// Prints what the codes mean, or all codes with their titles; the exit status.
///
/// # Errors
/// When there is no such code, or the output cannot be written.
pub(crate) fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let mut texts = Vec::new();
    for id in &args.codes {
        let unknown = || {
            let problem = Problem::new(format!("no code is named `{id}`"));
            problem.help("`babycuda explain` lists all codes")
        };
        texts.push(Code::named(id).ok_or_else(unknown)?.entry().to_string());
    }
    if texts.is_empty() {
        texts = CODES.iter().map(|entry| format!("{}: {}", entry.id, entry.title)).collect();
        output::println(texts.join("\n"))?;
    } else {
        output::print(texts.join("\n"))?;
    }
    Ok(0)
}
