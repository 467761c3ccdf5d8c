//! `babycuda derive`: the derivation of a run, or of a type.

use super::Failure;
use crate::args::{DerivationFormat, DeriveArgs, JudgmentArg};
use crate::input::{self, Fixed, Problem, Unit};

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open, or when there
/// is no derivation.
pub fn run(args: &DeriveArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let fixed = Fixed { source: &args.source, launch: Some(&args.launch), assumptions: &[] };
    let _units = input::units(&file, &fixed).map_err(|p| Failure::of(&file, p))?;
    let _ = (DerivationFormat::Text, JudgmentArg::Run, Unit::name);
    Err(Failure::from(Problem::new("pending")))
}
