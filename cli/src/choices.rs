//! What a run settled that the calculus leaves open, for people and for programs.

use babycuda::semantics::{ChoiceForm, Choices, Policy};
use babycuda_core::syntax::{Contents, Program};
use serde_json::{Value, json};

/// How many choices people are shown.
const SHOWN: usize = 10;

/// The choices of a run, line by line; none when nothing was chosen.
pub fn lines(program: &Program, policy: Policy, choices: &Choices) -> Vec<String> {
    let mut lines: Vec<String> = initial(program)
        .map(|(array, contents)| {
            let values = match policy {
                Policy::Seed(_) => "numbers below 256, drawn",
                _ => "0 in every cell",
            };
            format!("  initial contents of {array}, which are `{contents}`: {values}")
        })
        .collect();
    lines.extend(choices.noted().iter().take(SHOWN).map(|choice| format!("  {choice}")));
    let shown = choices.noted().len().min(SHOWN) as u64;
    if choices.made() > shown {
        lines.push(format!("  … and {} more", choices.made() - shown));
    }
    if !lines.is_empty() {
        lines.insert(0, format!("chosen by `--choose {policy}`:"));
    }
    lines
}

/// The fields of a run's document that say what was chosen.
pub fn json(program: &Program, policy: Policy, choices: &Choices) -> Value {
    let initial = initial(program)
        .map(|(array, contents)| json!({ "array": array, "contents": contents }))
        .collect::<Vec<_>>();
    let entry = |choice: &babycuda::semantics::Choice| {
        let form = ChoiceForm::from(choice);
        let span = program.sources.spans.get(&form.site);
        json!({
            "phase": form.phase, "thread": form.thread, "kind": form.kind,
            "line": span.map(|s| s.line), "column": span.map(|s| s.column),
            "cell": form.cell.to_string(), "value": form.value,
            "candidates": form.candidates, "exhaustive": form.exhaustive,
        })
    };
    json!({
        "by": policy.to_string(),
        "initial": initial,
        "choices": choices.noted().iter().map(entry).collect::<Vec<_>>(),
        "made": choices.made(),
    })
}

/// The arrays whose initial contents were chosen, and how they are declared.
fn initial(program: &Program) -> impl Iterator<Item = (&str, &'static str)> {
    program.open_arrays().map(|array| match array.contents {
        Contents::Opaque => (array.name.as_str(), "opaque"),
        _ => (array.name.as_str(), "any"),
    })
}
