//! The JSON of `check`: one document a file, on one line.

use super::{FileReport, KernelReport, word};
use babycuda::Checked;
use babycuda_core::site::Span;
use babycuda_core::syntax::Note;
use babycuda_core::verdict::{AccessReport, DivergenceReport, Method, Outcome, RaceReport};
use babycuda_core::{Cell, Dim3, Name, Natural, Program};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The document of one file.
pub fn document(report: &FileReport) -> Value {
    json!({
        "version": 1,
        "file": report.file.path,
        "kernels": report.kernels.iter().map(kernel).collect::<Vec<_>>(),
    })
}

/// The document of a file that could not be checked.
pub fn failure(path: &str, message: &str) -> Value {
    json!({ "version": 1, "file": path, "kernels": [], "error": message.trim_end() })
}

fn kernel(report: &KernelReport) -> Value {
    let Checked { verdict, program, .. } = &report.checked;
    let mut scope = json!(verdict.scope);
    scope["fixed"] = parameters(program, &verdict.scope.fixed);
    let reason = match &verdict.outcome {
        Outcome::Unknown(reason) => Some(reason),
        _ => None,
    };
    json!({
        "name": report.name,
        "verdict": word(&verdict.outcome),
        "reason": reason,
        "scope": scope,
        "notes": report.checked.program.notes.iter().map(note).collect::<Vec<_>>(),
        "method": method(&verdict.method),
        "races": verdict.races.iter().map(|r| race(program, r)).collect::<Vec<_>>(),
        "divergences": verdict.divergences.iter().map(|d| divergence(program, d)).collect::<Vec<_>>(),
    })
}

/// `none`, `enumeration`, or `smt` with the solvers that answered: `smt(builtin,z3)`.
pub fn method(method: &Method) -> String {
    match method {
        Method::None => "none".into(),
        Method::Enumeration => "enumeration".into(),
        Method::Run => "run".into(),
        Method::Solver { solvers } if solvers.is_empty() => "smt".into(),
        Method::Solver { solvers } => format!("smt({})", solvers.join(",")),
    }
}

/// The values of parameters as their types read them.
fn parameters(program: &Program, values: &BTreeMap<Name, Natural>) -> Value {
    values.iter().map(|(x, k)| (x.to_string(), number(&program.show_parameter(x, k)))).collect()
}

/// A number, beyond 2^53 as text: readers would round it.
pub fn number(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(small) if small.unsigned_abs() < 1 << 53 => json!(small),
        _ => json!(text),
    }
}

fn note(note: &Note) -> Value {
    let (line, column) = place(note.span);
    json!({ "message": note.message, "line": line, "column": column })
}

fn race(program: &Program, race: &RaceReport) -> Value {
    let content = |(cell, value): &(Cell, Natural)| {
        (cell.to_string(), number(&program.show_content(&cell.array, value)))
    };
    json!({
        "array": race.array,
        "kind": race.kind,
        "code": race.kind.code(),
        "phase": race.phase,
        "index": race.index,
        "certainty": race.certainty,
        "evaluator": race.evaluator,
        "contents": race.contents.iter().map(content).collect::<Value>(),
        "first": access(&race.first),
        "second": access(&race.second),
        "launch": { "block": dims(race.launch.block), "grid": dims(race.launch.grid) },
        "parameters": parameters(program, &race.parameters),
    })
}

fn access(access: &AccessReport) -> Value {
    let iteration: serde_json::Map<String, Value> =
        access.iteration.iter().map(|(x, k)| (x.to_string(), json!(k))).collect();
    let (line, column) = place(access.span);
    json!({
        "thread": dims(access.thread),
        "block": dims(access.block),
        "mode": access.mode.keyword(),
        "line": line,
        "column": column,
        "iteration": iteration,
    })
}

fn divergence(program: &Program, divergence: &DivergenceReport) -> Value {
    let side = |thread: Dim3, barrier: bool, span: Option<Span>| {
        let (line, column) = place(span);
        json!({ "thread": dims(thread), "at": if barrier { "barrier" } else { "end" },
                "line": line, "column": column })
    };
    let (first, second) = (divergence.first, divergence.second);
    json!({
        "phase": divergence.phase,
        "certainty": divergence.certainty,
        "evaluator": divergence.evaluator,
        "first": side(first.0, first.1.is_some(), divergence.spans.0),
        "second": side(second.0, second.1.is_some(), divergence.spans.1),
        "launch": { "block": dims(divergence.launch.block), "grid": dims(divergence.launch.grid) },
        "parameters": parameters(program, &divergence.parameters),
    })
}

fn dims(d: Dim3) -> [u32; 3] {
    d.components()
}

fn place(span: Option<Span>) -> (Option<u32>, Option<u32>) {
    (span.map(|s| s.line), span.map(|s| s.column))
}
