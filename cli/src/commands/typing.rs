//! `babycuda type`: the memory access protocol of a kernel, or why it has none.

use super::Failure;
use crate::args::{PlainFormat, TypeArgs};
use crate::input::{self, File, Fixed, Problem, Unit};
use crate::output;
use babycuda::typing::{Approximation, Cause, Rejection, approximate, type_program};
use babycuda_core::Program;
use babycuda_core::syntax::Sources;
use babycuda_report::{human, worst};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use serde_json::{Value, json};
use std::fmt::Write;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or does not parse.
pub fn run(args: &TypeArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let fixed = Fixed { source: &args.source, launch: None, assumptions: &[] };
    let units = input::units(&file, &fixed).map_err(|p| Failure::of(&file, p))?;
    let mut statuses = Vec::new();
    let mut documents = Vec::new();
    let mut text = String::new();
    for unit in &units {
        let (status, document) = match unit {
            Unit::Program(program) => program_report(&mut text, &file, program),
            Unit::Protocol(map) => {
                let _ = writeln!(text, "{}", map.protocol);
                (0, json!({ "name": unit.name(), "protocol": map.protocol.to_string() }))
            }
            Unit::Unsupported { kernel, construct, span } => {
                let message = format!("kernel {kernel}: {construct}");
                let problem = Problem { message, span: *span, help: None };
                text.push_str(&problem.render(Some(&file)));
                (3, json!({ "name": kernel, "unsupported": construct }))
            }
        };
        statuses.push(status);
        documents.push(document);
    }
    match args.format {
        PlainFormat::Human => output::print(&text)?,
        PlainFormat::Json => {
            output::println(json!({ "version": 1, "file": file.path, "kernels": documents }))?;
        }
    }
    Ok(worst(statuses))
}

fn program_report(out: &mut String, file: &File, program: &Program) -> (u8, Value) {
    match type_program(program) {
        Ok(typed) => {
            let _ = writeln!(out, "{}: well-typed", program.name);
            let _ = writeln!(out, "{}", typed.protocol);
            let document = json!({
                "name": program.name, "typed": true, "protocol": typed.protocol.to_string(),
                "paper_fragment": typed.is_paper_fragment(),
            });
            (0, document)
        }
        Err(rejection) => {
            let approximation = approximate(program);
            rejection_report(out, file, program, &rejection, &approximation);
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

fn rejection_report(
    out: &mut String,
    file: &File,
    program: &Program,
    rejection: &Rejection,
    approximation: &Approximation,
) {
    let _ = writeln!(out, "{}: ill-typed", program.name);
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
    let diagnostic = Diagnostic::error()
        .with_code(rejection.rule.id())
        .with_message(rejection.describe(&program.sources))
        .with_labels(labels)
        .with_notes(vec![format!("premise {}: {}", rejection.premise, rejection.premise_text())]);
    human::render(out, &file.path, &file.text, &diagnostic);
    let _ = writeln!(out, "accesses, one by one:");
    for access in &approximation.accesses {
        let place = place(&program.sources, access.site);
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
    let entry = |access: &babycuda::typing::AccessCertainty| {
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

fn place(sources: &Sources, site: babycuda_core::Site) -> String {
    match sources.spans.get(&site) {
        Some(span) => span.to_string(),
        None => site.to_string(),
    }
}
