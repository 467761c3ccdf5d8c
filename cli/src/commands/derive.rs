//! `babycuda derive`: the derivation of a run, of a type, or of a protocol's accesses.

use super::Failure;
use crate::args::{DerivationFormat, DeriveArgs, JudgmentArg};
use crate::output;
use babycuda_core::counted;
use babycuda_files::derive::{Form, Judgment, derive};
use babycuda_files::problem::Problem;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open, or when there
/// is no derivation.
pub(crate) fn run(args: &DeriveArgs) -> Result<u8, Failure> {
    let (file, units) = args.choose.given(args.kernel.open(&args.kernel.source.given())?)?;
    let [unit] = units.as_slice() else {
        let message = format!("{} has {}", file.path, counted(units.len() as u64, "kernel"));
        return Err(Problem::new(message).help("name one with --kernel").into());
    };
    let judgment = match args.judgment {
        JudgmentArg::Run => Judgment::Run,
        JudgmentArg::Type => Judgment::Type,
        JudgmentArg::Map => Judgment::Map,
    };
    let form = match args.format {
        DerivationFormat::Text => Form::Text,
        DerivationFormat::Latex => Form::Latex,
        DerivationFormat::Html => Form::Html,
        DerivationFormat::Json => Form::Json,
        DerivationFormat::Coq => Form::Coq,
    };
    let text = derive(unit, judgment, &args.choose.chosen(), form);
    output::println(text.map_err(|problem| Failure::of(&file, problem))?.trim_end())?;
    Ok(0)
}
