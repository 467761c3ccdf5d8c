//! The type of a program, or why it has none, for people and for programs.

use crate::human::render;
use babycuda::typing::{
    AccessCertainty, Approximation, Cause, Rejection, approximate, type_relative,
};
use babycuda_core::{Name, Program};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Appends the report for people on a program, from the file with this path and text, to `out`;
/// returns the exit status (1: ill-typed) and the document.
pub fn report(out: &mut String, path: &str, text: &str, program: &Program) -> (u8, Value) {
    match type_relative(program) {
        Ok(typed) => {
            let inputs: BTreeSet<&Name> = typed.protocol.inputs().collect();
            let relative = match inputs.iter().map(|a| a.as_str()).collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => none,
                inputs => format!(", relative to what the host stored in {inputs}"),
            };
            let _ = writeln!(out, "{}: well-typed{relative}", program.name);
            let _ = writeln!(out, "{}", typed.protocol);
            let document = json!({
                "name": program.name, "typed": true, "protocol": typed.protocol.to_string(),
                "paper_fragment": typed.is_paper_fragment(), "inputs": inputs,
            });
            (0, document)
        }
        Err(rejection) => {
            let approximation = approximate(program);
            let diagnostic = diagnostic(program, &rejection);
            let _ = writeln!(out, "{}: ill-typed", program.name);
            render(out, path, text, &diagnostic);
            list(out, program, &approximation);
            let document = json!({
                "name": program.name, "typed": false,
                "rejection": {
                    "rule": rejection.rule.id(), "premise": rejection.premise,
                    "premise_text": rejection.premise_text(),
                    "variable": rejection.variable,
                    "line": rejection.span(&program.sources).map(|s| s.line),
                    "message": rejection.describe(&program.sources),
                },
                "accesses": accesses(program, &approximation),
                "approximation": approximation.protocol.to_string(),
            });
            (1, document)
        }
    }
}

fn diagnostic(program: &Program, rejection: &Rejection) -> Diagnostic<()> {
    let mut labels = Vec::new();
    if let Some(span) = rejection.span(&program.sources) {
        let text = format!("{} mentions `{}`", rejection.place, rejection.variable);
        labels.push(Label::primary((), span.bytes()).with_message(text));
    }
    if let Cause::Data(read) = &rejection.cause
        && let Some(span) = program.sources.spans.get(&read.site)
    {
        let text = format!("`{}` became data here", rejection.variable);
        labels.push(Label::secondary((), span.bytes()).with_message(text));
    }
    Diagnostic::error()
        .with_code(rejection.rule.id())
        .with_message(rejection.describe(&program.sources))
        .with_labels(labels)
        .with_notes(vec![format!("premise {}: {}", rejection.premise, rejection.premise_text())])
}

fn list(out: &mut String, program: &Program, approximation: &Approximation) {
    let _ = writeln!(out, "accesses, one by one:");
    for access in &approximation.accesses {
        let place = program.sources.place(access.site);
        let mode = access.mode;
        if access.is_independent() {
            let _ = writeln!(out, "  {place} {mode} {}: independent of data", access.array);
        } else {
            let why: Vec<String> =
                access.flows().map(|flow| flow.describe(&program.sources)).collect();
            let _ = writeln!(out, "  {place} {mode} {}: {}", access.array, why.join("; "));
        }
    }
}

fn accesses(program: &Program, approximation: &Approximation) -> Vec<Value> {
    let entry = |access: &AccessCertainty| {
        let span = program.sources.spans.get(&access.site);
        let flows: Vec<String> = access.flows().map(|f| f.describe(&program.sources)).collect();
        json!({
            "line": span.map(|s| s.line), "column": span.map(|s| s.column),
            "mode": access.mode.keyword(), "array": access.array,
            "independent": access.is_independent(), "data": flows,
        })
    };
    approximation.accesses.iter().map(entry).collect()
}
