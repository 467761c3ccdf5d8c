//! `babycuda verify`: is the derivation in a document one?

use super::Failure;
use crate::args::{PlainFormat, VerifyArgs};
use crate::input::{self, Problem};
use crate::output;
use babycuda::protocols::map::{MapEvidence, check_map};
use babycuda::semantics::{RunEvidence, check_run};
use babycuda::typing::{TypeEvidence, check_type};
use babycuda_core::json::{Format, JsonError, format_of, from_json};
use serde_json::{Value, json};

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
    /// What was verified; or the node, its rule, the premise and why.
    result: Result<String, (Vec<usize>, String, Option<usize>, String)>,
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
            let wrong = check_run(&evidence).err();
            let wrong = wrong.map(|r| (r.path, r.rule.to_string(), r.premise, r.expected));
            Ok(Report { judgment: "run", result: wrong.map_or(Ok(evidence.summary()), Err) })
        }
        MapEvidence::NAME => {
            let evidence: MapEvidence = from_json(text)?;
            let wrong = check_map(&evidence).err();
            let wrong = wrong.map(|r| (r.path, r.rule.to_string(), r.premise, r.expected));
            Ok(Report { judgment: "map", result: wrong.map_or(Ok(evidence.summary()), Err) })
        }
        // Any other format is refused here, with its name.
        _ => {
            let evidence: TypeEvidence = from_json(text)?;
            let wrong = check_type(&evidence).err();
            let wrong =
                wrong.map(|r| (r.path, r.rule.id().to_owned(), r.premise, r.defect.to_string()));
            Ok(Report { judgment: "type", result: wrong.map_or(Ok(evidence.summary()), Err) })
        }
    }
}

fn human(report: &Report) -> String {
    match &report.result {
        Ok(summary) => format!("verified: {summary}"),
        Err((path, rule, premise, expected)) => {
            let path: Vec<String> = path.iter().map(usize::to_string).collect();
            let place = match premise {
                Some(number) => format!("premise {number}"),
                None => "conclusion".to_owned(),
            };
            format!("rejected: node /{}, rule {rule}, {place}: {}", path.join("/"), cut(expected))
        }
    }
}

fn document(file: &str, report: &Report) -> Value {
    let (verified, rejection) = match &report.result {
        Ok(summary) => (Some(summary), Value::Null),
        Err((path, rule, premise, expected)) => {
            let expected = cut(expected);
            let rejection =
                json!({ "node": path, "rule": rule, "premise": premise, "expected": expected });
            (None, rejection)
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
