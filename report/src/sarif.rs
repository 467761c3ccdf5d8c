//! SARIF 2.1.0, for code scanning services.
//!
//! Written directly: the few objects that a result needs are smaller than a generated model of the
//! whole standard, which would add half a minute to a cold build.

use crate::FileReport;
use crate::code::CODES;
use crate::finding::{self, Finding, Level};
use babycuda::repair::{Edit, Fix};
use babycuda_core::site::Span;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One run over all files.
///
/// `failures`: files that could not be checked, and why.
pub fn document(reports: &[FileReport], failures: &[(String, String)]) -> Value {
    let results: Vec<Value> = reports.iter().flat_map(results).collect();
    // What is race-free under assumptions is no result.
    let free = reports.iter().flat_map(|report| {
        let free = report.kernels.iter().filter_map(finding::free);
        free.map(|text| notification("note", &report.path, &text))
    });
    let failed = failures.iter().map(|(path, text)| notification("error", path, text));
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
                "toolExecutionNotifications": failed.chain(free).collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn notification(level: &str, path: &str, text: &str) -> Value {
    json!({
        "level": level,
        "message": { "text": text.trim_end() },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } }],
    })
}

fn rules() -> Value {
    let rule = |entry: &crate::code::Entry| {
        json!({
            "id": entry.id,
            "shortDescription": { "text": entry.title },
            "fullDescription": { "text": entry.meaning },
            "help": { "text": entry.repair },
        })
    };
    CODES.iter().map(rule).collect()
}

fn results(report: &FileReport) -> Vec<Value> {
    let mut known = BTreeMap::new();
    let kernels = report.kernels.iter().flat_map(|checked| {
        finding::of(checked).into_iter().map(move |finding| (finding, checked))
    });
    let all = kernels.map(|(finding, checked)| {
        let mut result = result(report, &finding, &mut known);
        let mut properties = Map::new();
        if let Some(parser) = &checked.declarations.sources.parser {
            properties.insert("parser".into(), json!(parser));
        }
        if finding.benign {
            properties.insert("benign".into(), json!("same-value"));
        }
        if !properties.is_empty() {
            result["properties"] = properties.into();
        }
        if let (Some(fix), "race") = (&checked.fix, finding.word) {
            result["fixes"] = json!([suggestion(report, fix)]);
        }
        result
    });
    all.collect()
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

fn result(report: &FileReport, finding: &Finding, known: &mut BTreeMap<String, u32>) -> Value {
    let [place, other] = finding.places;
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let mut result = json!({
        "ruleId": finding.code.id(),
        "level": level,
        "message": { "text": finding.text },
        "locations": [location(report, place)],
        "relatedLocations": [],
        "partialFingerprints": { "babycuda/v1": fingerprint(report, finding, known) },
    });
    let says = |mut location: Value, text: &str| {
        location["message"] = json!({ "text": text });
        location
    };
    if let Some(other) = other {
        result["relatedLocations"] =
            json!([says(location(report, Some(other)), &finding.sides[1])]);
    }
    // What is unordered is two threads of one flow, each with its access.
    let flows = finding.places.iter().zip(&finding.sides).filter_map(|(place, text)| {
        let place = says(location(report, Some((*place)?)), text);
        Some(json!({ "message": { "text": text }, "locations": [{ "location": place }] }))
    });
    let flows: Vec<Value> = flows.collect();
    if finding.level != Level::Note && !flows.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": flows }]);
    }
    result
}

/// A suggestion that is to be made as a whole: it repairs all races of its kernel.
fn suggestion(report: &FileReport, fix: &Fix) -> Value {
    let replacement = |edit: &Edit| {
        json!({
            "deletedRegion": region(&report.text, edit.span),
            "insertedContent": { "text": edit.text },
        })
    };
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(&report.path) },
            "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
        }],
    })
}

/// A number that stays while the lines of the finding do, wherever they stand in the file: of the rule, the
/// kernel, both lines, and how many such findings come before.
fn fingerprint(
    report: &FileReport,
    finding: &Finding,
    known: &mut BTreeMap<String, u32>,
) -> String {
    let line = |span: &Option<Span>| {
        let line = span.and_then(|at| report.text.lines().nth(at.line.saturating_sub(1) as usize));
        line.unwrap_or_default().trim().to_owned()
    };
    let [first, second] = finding.places.each_ref().map(line);
    let text = [finding.code.id(), &finding.kernel, &first, &second].join("\n");
    let number = known.entry(text.clone()).and_modify(|n| *n += 1).or_insert(0);
    // FNV-1a: the same in every version of every compiler.
    let hash = format!("{text}\n{number}").bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn location(report: &FileReport, span: Option<Span>) -> Value {
    let artifact = json!({ "uri": uri(&report.path) });
    match span {
        None => json!({ "physicalLocation": { "artifactLocation": artifact } }),
        Some(span) => json!({ "physicalLocation": {
            "artifactLocation": artifact,
            "region": region(&report.text, span),
        }}),
    }
}

/// The region of a span; its end is the first character behind it.
fn region(text: &str, span: Span) -> Value {
    let end = Span::locate(text, span.end..span.end);
    json!({
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": end.line,
        "endColumn": end.column,
        "byteOffset": span.start,
        "byteLength": span.end - span.start,
    })
}
