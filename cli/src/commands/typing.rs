//! `babycuda type`: the memory access protocol of a kernel, or why it has none.

use super::Failure;
use crate::args::{PlainFormat, TypeArgs, open};
use crate::output;
use babycuda_core::Settings;
use babycuda_files::input::Unit;
use babycuda_files::problem::Problem;
use babycuda_report::{typing, worst};
use serde_json::json;
use std::fmt::Write;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or does not parse.
pub(crate) fn run(args: &TypeArgs) -> Result<u8, Failure> {
    let (file, units) = open(&args.file, &args.source.given(), &Settings::default())?;
    let mut statuses = Vec::new();
    let mut documents = Vec::new();
    let mut text = String::new();
    for unit in &units {
        let (status, document) = match unit {
            Unit::Program(program) => typing::report(&mut text, &file.path, &file.text, program),
            Unit::Protocol(map) => {
                let _ = writeln!(text, "{}", map.protocol);
                (0, json!({ "name": unit.name(), "protocol": map.protocol.to_string() }))
            }
            Unit::Unsupported { kernel, construct, span, .. } => {
                let problem = Problem::new(format!("kernel {kernel}: {construct}")).at(*span);
                text.push_str(&problem.render(Some(&file)));
                (3, json!({ "name": kernel, "unsupported": construct }))
            }
        };
        statuses.push(status);
        documents.push(document);
    }
    match args.format {
        PlainFormat::Human => output::show(&text)?,
        PlainFormat::Json => {
            output::println(json!({ "version": 1, "file": file.path, "kernels": documents }))?;
        }
    }
    Ok(worst(statuses))
}
