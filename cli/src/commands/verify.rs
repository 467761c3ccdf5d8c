//! `babycuda verify`: is the derivation in a document one?

use super::Failure;
use crate::args::{PlainFormat, VerifyArgs};
use crate::output;
use babycuda_core::json::JsonError;
use babycuda_files::input;
use babycuda_files::problem::Problem;
use babycuda_report::verify::{cut, verify};

/// What a document looks like.
const EXPECTED: &str = "expected a document as `babycuda derive --format json` prints it: \
    {\"format\":\"babycuda/run-derivation\",\"version\":1,\"content\":…}, or a `type-derivation` \
    or `map-derivation`";

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or is no document of a derivation.
pub(crate) fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    let text = input::text(&args.file)?;
    let unreadable =
        |error: JsonError| Problem::new(format!("{}: {}", args.file, cut(error))).help(EXPECTED);
    let report = verify(&text).map_err(unreadable)?;
    match args.format {
        PlainFormat::Human => output::println(report.human())?,
        PlainFormat::Json => output::println(report.document(&args.file))?,
    }
    Ok(u8::from(report.result.is_err()))
}
