//! What a run settled that the calculus leaves open, for people and for programs.

use crate::args::ChooseArgs;
use crate::commands::Failure;
use crate::input::{File, Problem};
use babycuda::semantics::{ChoiceForm, Choices, Instance, Policy};
use babycuda_core::natural::Integer;
use babycuda_core::syntax::{ArrayDecl, Contents, Program};
use babycuda_core::{BigInt, Span};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How many choices people are shown.
const SHOWN: usize = 10;

impl ChooseArgs {
    /// The instance with the contents that its program leaves open: as given, and else chosen.
    ///
    /// # Errors
    /// [`Failure`] when a cell is given that is none of such an array, or a value that is none of
    /// its type.
    pub fn settle(&self, file: &File, instance: Instance) -> Result<Instance, Failure> {
        let instance = instance.with_contents_chosen(self.choose);
        let mut host = (*instance.host).clone();
        let mut seen = BTreeSet::new();
        for (cell, value) in &self.contents {
            let fail = |what: String| Failure::of(file, Problem::new(what));
            if !seen.insert(cell) {
                return Err(fail(format!("--contents: {cell} has two values")));
            }
            let open = instance.program.open_arrays().find(|a| a.name == cell.array);
            let Some(ArrayDecl { element, length, .. }) = open else {
                let what = "no array that the kernel uses and whose contents are open";
                return Err(fail(format!("--contents {cell}: `{}` is {what}", cell.array)));
            };
            if length.as_ref().is_some_and(|length| cell.index >= *length) {
                return Err(fail(format!("--contents {cell}: the array is not that long")));
            }
            let value = element
                .value(value)
                .ok_or_else(|| fail(format!("--contents {cell}: {value} is not of its type")))?;
            host.set(cell.clone(), value);
        }
        Ok(instance.with_host(host))
    }

    /// The cells of an array that were given.
    fn given(&self, array: &str) -> Vec<(String, BigInt)> {
        let here = self.contents.iter().filter(|(cell, _)| *cell.array == *array);
        here.map(|(cell, value)| (cell.index.to_string(), value.clone())).collect()
    }
}

/// The choices of a run, line by line; none when nothing was chosen.
pub fn lines(program: &Program, choose: &ChooseArgs, choices: &Choices) -> Vec<String> {
    let mut lines: Vec<String> = initial(program)
        .map(|(array, contents)| {
            let given = choose.given(array).into_iter().map(|(i, k)| format!("{k} in cell {i}"));
            let given: Vec<String> = given.collect();
            let given = if given.is_empty() {
                String::new()
            } else {
                ", but ".to_owned() + &given.join(", ")
            };
            let values = match choose.choose {
                Policy::Seed(_) => "numbers below 256, drawn",
                _ => "0 in every cell",
            };
            format!("  initial contents of {array}, which are `{contents}`: {values}{given}")
        })
        .collect();
    lines.extend(choices.noted().iter().take(SHOWN).map(|choice| format!("  {choice}")));
    let shown = choices.noted().len().min(SHOWN) as u64;
    if choices.made() > shown {
        lines.push(format!("  … and {} more", choices.made() - shown));
    }
    if !lines.is_empty() {
        lines.insert(0, format!("chosen by `--choose {}`:", choose.choose));
    }
    lines
}

/// What the run takes for unknown values, if that may decide what the kernel accesses.
pub fn guesses(program: &Program) -> Option<String> {
    let guesses = babycuda::guesses(program);
    let (first, more) = guesses.split_first()?;
    let at = program.sources.spans.get(first).map_or_else(|| first.to_string(), Span::to_string);
    let more = match more.len() {
        0 => String::new(),
        n => format!(" and {n} more places"),
    };
    Some(format!(
        "decided by values that are not known (at {at}{more}): the kernel may have no such run"
    ))
}

/// The fields of a run's document that say what was chosen.
pub fn json(program: &Program, choose: &ChooseArgs, choices: &Choices) -> Value {
    let initial = initial(program)
        .map(|(array, contents)| {
            let given = choose.given(array).into_iter();
            let given = given.map(|(i, k)| (i, json!(Integer(k))));
            json!({ "array": array, "contents": contents, "given": given.collect::<Value>() })
        })
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
        "by": choose.choose.to_string(),
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
