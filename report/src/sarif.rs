//! SARIF 2.1.0, for code scanning services.
//!
//! Written directly: the few objects that a result needs are smaller than a generated model of the
//! whole standard, which would add half a minute to a cold build.

use crate::{FileReport, human};
use babycuda::Checked;
use babycuda_core::evidence::{Certainty, Report};
use babycuda_core::site::{Site, Span};
use babycuda_core::verdict::{DIVERGENCE_CODE, Outcome, UNKNOWN_CODE};
use babycuda_core::{Configuration, Declarations};
use serde_json::{Value, json};
use std::fmt::Write;

/// One run over all files.
///
/// `failures`: files that could not be checked, and why.
pub fn document(reports: &[FileReport], failures: &[(String, String)]) -> Value {
    let results: Vec<Value> =
        reports.iter().flat_map(|r| r.kernels.iter().flat_map(|k| kernel(&r.path, k))).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "babycuda",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules(),
            }},
            "invocations": [{
                "executionSuccessful": failures.is_empty(),
                "toolExecutionNotifications": failures.iter().map(failure).collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn failure((path, text): &(String, String)) -> Value {
    json!({
        "level": "error",
        "message": { "text": text.trim_end() },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } }],
    })
}

fn rules() -> Value {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    json!([
        rule("BC001", "write-write race"),
        rule("BC002", "read-write race"),
        rule("BC003", "race with an atomic access"),
        rule(DIVERGENCE_CODE, "barrier divergence"),
        rule(UNKNOWN_CODE, "not decided"),
    ])
}

fn kernel(file: &str, checked: &Checked) -> Vec<Value> {
    let Checked { declarations, verdict, .. } = checked;
    let span = |site: Site| declarations.sources.spans.get(&site).copied();
    let mut results = Vec::new();
    for race in &verdict.races {
        let (kind, sides, at) = (race.kind(), [&race.first, &race.second], &race.configuration);
        let [one, other] = sides.map(|side| human::says(side, at));
        let (level, potential) = severity(race.certainty);
        let text = format!(
            "{potential}{} race on {} in kernel {}: {one}, {other}; {}",
            kind.description(),
            race.cell,
            declarations.name,
            when(declarations, race, at, race.depends_on_data()),
        );
        results.push(result(kind.code(), level, &text, file, sides.map(|side| span(side.site))));
    }
    for divergence in &verdict.divergences {
        let (level, potential) = severity(divergence.certainty);
        let sides = [divergence.divergence.first, divergence.divergence.second];
        let [one, other] = sides.map(|(number, _)| human::thread(divergence, number));
        let text = format!(
            "{potential}barrier divergence in kernel {}: threads {one} and {other}, {}; {}",
            declarations.name,
            human::after(divergence),
            when(declarations, divergence, &divergence.configuration, divergence.depends_on_data()),
        );
        let spans = sides.map(|(_, barrier)| barrier.and_then(span));
        results.push(result(DIVERGENCE_CODE, level, &text, file, spans));
    }
    if let Outcome::Unknown(reason) = &verdict.outcome {
        let text = format!("kernel {} was not decided: {reason}", declarations.name);
        // Of a kernel that was refused nothing is known but the place.
        let places = declarations.sources.spans.values().copied();
        let refused = places.take(usize::from(verdict.scope.is_none())).next();
        results.push(result(UNKNOWN_CODE, "note", &text, file, [refused, None]));
    }
    if let Some(parser) = &declarations.sources.parser {
        results.iter_mut().for_each(|result| result["properties"] = json!({ "parser": parser }));
    }
    results
}

/// The launch, the parameters and the contents of a witness.
fn when<W>(
    declarations: &Declarations,
    report: &Report<W>,
    at: &Configuration,
    rests_on_data: bool,
) -> String {
    let contents = human::contents(declarations, report, at, rests_on_data);
    let contents = contents.map(|cells| format!("; {cells}")).unwrap_or_default();
    human::witness(declarations, at) + &contents
}

/// The level of a result, and what its text begins with.
fn severity(certainty: Certainty) -> (&'static str, &'static str) {
    match certainty {
        Certainty::Potential => ("warning", "potential "),
        Certainty::Provable | Certainty::Replayed => ("error", ""),
    }
}

/// A path as a reference of a URI: what is no letter, digit or mark there is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

fn result(rule: &str, level: &str, text: &str, file: &str, spans: [Option<Span>; 2]) -> Value {
    let location = |span: Option<Span>| {
        let artifact = json!({ "uri": uri(file) });
        match span {
            None => json!({ "physicalLocation": { "artifactLocation": artifact } }),
            Some(span) => json!({ "physicalLocation": {
                "artifactLocation": artifact,
                "region": {
                    "startLine": span.line,
                    "startColumn": span.column,
                    "byteOffset": span.start,
                    "byteLength": span.end - span.start,
                },
            }}),
        }
    };
    let related: Vec<Value> = spans[1].into_iter().map(|s| location(Some(s))).collect();
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [location(spans[0])],
        "relatedLocations": related,
    })
}
