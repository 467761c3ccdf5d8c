//! `babycuda verify`: is the derivation in a document one? And as a term for Coq.

use super::Failure;
use crate::args::{VerifyArgs, VerifyFormat};
use crate::output;
use babycuda_core::json::JsonError;
use babycuda_files::derive::certificate;
use babycuda_files::input;
use babycuda_files::problem::Problem;
use babycuda_report::verify::{Evidence, cut};

/// What a document looks like.
const EXPECTED: &str = "expected a document as `babycuda derive --format json` prints it: \
    {\"format\":\"babycuda/run-derivation\",\"version\":1,\"content\":…}, or a `type-derivation` \
    or `map-derivation`";

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or is no document of a derivation, or Coq has none of it.
pub(crate) fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    let text = input::text(&args.file)?;
    let unreadable =
        |error: JsonError| Problem::new(format!("{}: {}", args.file, cut(error))).help(EXPECTED);
    let evidence = Evidence::read(&text).map_err(unreadable)?;
    let report = evidence.verify();
    match args.format {
        VerifyFormat::Json => output::println(report.document(&args.file))?,
        VerifyFormat::Coq if report.result.is_ok() => output::print(certificate(&evidence)?)?,
        VerifyFormat::Coq => output::warn(format_args!("{}\n", report.human())),
        VerifyFormat::Human => output::show(format_args!("{}\n", report.human()))?,
    }
    Ok(u8::from(report.result.is_err()))
}
