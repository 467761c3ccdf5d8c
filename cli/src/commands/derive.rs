//! `babycuda derive`: the derivation of a run, of a type, or of a protocol's accesses.

use super::Failure;
use crate::args::{DerivationFormat, DeriveArgs, JudgmentArg};
use crate::output;
use babycuda_core::counted;
use babycuda_files::derive::{Form, Judgment, NoDerivation, derive, not_well_scoped};
use babycuda_files::input;
use babycuda_files::problem::Problem;
use babycuda_report::derivation::PAGE;

/// Columns of a tree in text.
const COLUMNS: u32 = 100;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open, or when there
/// is no derivation.
pub(crate) fn run(args: &DeriveArgs) -> Result<u8, Failure> {
    let judgment = match args.judgment {
        JudgmentArg::Run => Judgment::Run,
        JudgmentArg::Type => Judgment::Type,
        JudgmentArg::Map => Judgment::Map,
    };
    let form = match args.format {
        DerivationFormat::Text => Form::Text,
        DerivationFormat::Tree => Form::Tree(args.width.unwrap_or(COLUMNS) as usize),
        DerivationFormat::Latex => Form::Latex(args.latex_style.style()),
        DerivationFormat::Html => Form::Html,
        DerivationFormat::Svg => Form::Svg(args.width.unwrap_or(PAGE)),
        DerivationFormat::Json => Form::Json,
        DerivationFormat::Coq => Form::Coq,
    };
    let chosen = args.choose.chosen();
    let settings = args.kernel.launch.settings(&[])?;
    let file = input::read(&args.kernel.file)?;
    let units = match input::units(&file, &args.kernel.source.given(), &settings) {
        Ok(units) => units,
        Err(problem) => {
            // What is not well-scoped has no derivation, and its tree says where it stops.
            let unit = not_well_scoped(&file, &settings);
            print(form, unit.and_then(|unit| derive(&unit, judgment, &chosen, form).err()?.drawn))?;
            return Err(Failure::of(&file, problem));
        }
    };
    let (file, units) = args.choose.given((file, units))?;
    let [unit] = units.as_slice() else {
        let message = format!("{} has {}", file.path, counted(units.len() as u64, "kernel"));
        return Err(Problem::new(message).help("name one with --kernel").into());
    };
    match derive(unit, judgment, &chosen, form) {
        Ok(text) => print(form, Some(text)).map(|()| 0),
        Err(NoDerivation { problem, drawn }) => {
            print(form, drawn)?;
            Err(Failure::of(&file, problem))
        }
    }
}

fn print(form: Form, text: Option<String>) -> Result<(), Failure> {
    let Some(text) = text else { return Ok(()) };
    let line = format_args!("{}\n", text.trim_end());
    match form {
        Form::Text | Form::Tree(_) => output::show(line),
        _ => output::print(line),
    }
}
