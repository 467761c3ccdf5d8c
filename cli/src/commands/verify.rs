//! `babycuda verify`: is the derivation in a document one?

use super::Failure;
use crate::args::{PlainFormat, VerifyArgs};
use crate::input::{self, Problem};
use crate::output;
use babycuda::protocols::map::{MapEvidence, check_map};
use babycuda::semantics::{RunEvidence, check_run};
use babycuda::typing::{TypeEvidence, check_type};
use babycuda_core::derivation::Rejected;
use babycuda_core::json::{Format, JsonError, format_of, from_json};
use serde_json::{Value, json};
use std::fmt::Display;

/// The longest message of a rejection: it may quote a program.
const MESSAGE: usize = 1000;

/// What a document looks like.
const EXPECTED: &str = "expected a document as `babycuda derive --format json` prints it: \
    {\"format\":\"babycuda/run-derivation\",\"version\":1,\"content\":…}, or a `type-derivation` \
    or `map-derivation`";

/// What came out.
struct Report {
    /// `run`, `type` or `map`.
    judgment: &'static str,
    /// What was verified; or which node is wrong.
    result: Result<String, Rejected<String>>,
}

impl Report {
    fn new(
        judgment: &'static str,
        summary: String,
        checked: Result<(), Rejected<impl Display, impl Display>>,
    ) -> Report {
        let result = match checked {
            Ok(()) => Ok(summary),
            Err(Rejected { path, rule, premise, defect }) => {
                Err(Rejected { path, rule: rule.to_string(), premise, defect: cut(defect) })
            }
        };
        Report { judgment, result }
    }
}

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or is no document of a derivation.
pub fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    let text = input::text(&args.file)?;
    let unreadable = |error: JsonError| Problem {
        help: Some(EXPECTED.to_owned()),
        ..Problem::new(format!("{}: {}", args.file, cut(&error)))
    };
    let report = verify(&text).map_err(unreadable)?;
    match args.format {
        PlainFormat::Human => output::println(human(&report))?,
        PlainFormat::Json => output::println(document(&args.file, &report))?,
    }
    Ok(u8::from(report.result.is_err()))
}

fn verify(text: &str) -> Result<Report, JsonError> {
    match format_of(text)?.as_str() {
        RunEvidence::NAME => {
            let evidence: RunEvidence = from_json(text)?;
            Ok(Report::new("run", evidence.summary(), check_run(&evidence)))
        }
        MapEvidence::NAME => {
            let evidence: MapEvidence = from_json(text)?;
            Ok(Report::new("map", evidence.summary(), check_map(&evidence)))
        }
        // Any other format is refused here, with its name.
        _ => {
            let evidence: TypeEvidence = from_json(text)?;
            Ok(Report::new("type", evidence.summary(), check_type(&evidence)))
        }
    }
}

fn human(report: &Report) -> String {
    match &report.result {
        Ok(summary) => format!("verified: {summary}"),
        Err(rejected) => format!("rejected: {rejected}"),
    }
}

fn document(file: &str, report: &Report) -> Value {
    let (verified, rejection) = match &report.result {
        Ok(summary) => (Some(summary), Value::Null),
        Err(Rejected { path, rule, premise, defect }) => {
            (None, json!({ "node": path, "rule": rule, "premise": premise, "expected": defect }))
        }
    };
    json!({
        "version": 1, "file": file, "judgment": report.judgment,
        "verified": verified.is_some(), "summary": verified, "rejection": rejection,
    })
}

/// The beginning of a message.
fn cut(message: impl ToString) -> String {
    let message = message.to_string();
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{} …", &message[..end]),
        None => message,
    }
}
