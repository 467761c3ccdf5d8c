//! What a run settled that the calculus leaves open, for people and for programs.

use babycuda::semantics::{Choice, ChoiceForm, Choices, Policy, RunOptions};
use babycuda_core::natural::Integer;
use babycuda_core::syntax::{Contents, Program};
use babycuda_core::{BigInt, Cell};
use serde_json::{Value, json};

/// How many choices people are shown.
const SHOWN: usize = 10;

/// How to settle what the calculus leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// Where nothing is given.
    pub policy: Policy,
    /// What the host stored in cells of arrays that are `any` or `opaque`.
    pub contents: Vec<(Cell, BigInt)>,
}

impl Chosen {
    /// How kernels are run: whatever is open is chosen, so that a racy run goes on.
    pub fn options(&self) -> RunOptions {
        RunOptions { ambiguous: self.policy, ..RunOptions::default() }
    }

    /// The cells of an array that were given.
    fn given(&self, array: &str) -> impl Iterator<Item = (String, &BigInt)> {
        let here = self.contents.iter().filter(move |(cell, _)| *cell.array == *array);
        here.map(|(cell, value)| (cell.index.to_string(), value))
    }

    /// The choices of a run, line by line; none when nothing was chosen.
    pub fn lines(&self, program: &Program, choices: &Choices) -> Vec<String> {
        let mut lines: Vec<String> = initial(program)
            .map(|(array, contents)| {
                let given = self.given(array).map(|(i, k)| format!("{k} in cell {i}"));
                let given = match given.collect::<Vec<_>>().join(", ") {
                    none if none.is_empty() => none,
                    given => format!(", but {given}"),
                };
                let values = match self.policy {
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
            lines.insert(0, format!("chosen by `--choose {}`:", self.policy));
        }
        lines
    }

    /// The fields of a run's document that say what was chosen.
    pub fn json(&self, program: &Program, choices: &Choices) -> Value {
        let initial = initial(program)
            .map(|(array, contents)| {
                let given = self.given(array).map(|(i, k)| (i, json!(Integer(k.clone()))));
                json!({ "array": array, "contents": contents, "given": given.collect::<Value>() })
            })
            .collect::<Vec<_>>();
        let entry = |choice: &Choice| {
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
            "by": self.policy.to_string(),
            "initial": initial,
            "choices": choices.noted().iter().map(entry).collect::<Vec<_>>(),
            "made": choices.made(),
        })
    }
}

/// What the run takes for unknown values, if that may decide what the kernel accesses.
pub fn guesses(program: &Program) -> Option<String> {
    let guesses = babycuda::guesses(program);
    let (first, more) = guesses.split_first()?;
    let at = program.sources.place(*first);
    let more = match more.len() {
        0 => String::new(),
        n => format!(" and {n} more places"),
    };
    Some(format!(
        "decided by values that are not known (at {at}{more}): the kernel may have no such run"
    ))
}

/// That no interleaving has a run, in which the updates of a cell yield these values: in a phase, or in
/// all blocks.
pub fn unordered(cell: &Cell, phase: Option<usize>) -> String {
    let place = match phase {
        Some(phase) => format!("in phase {phase}"),
        None => "in the runs of the blocks".to_owned(),
    };
    format!(
        "no interleaving has this run: no order of the atomic updates of {cell} {place} yields the \
         values that were chosen"
    )
}

/// The arrays whose initial contents were chosen, and how they are declared.
fn initial(program: &Program) -> impl Iterator<Item = (&str, &'static str)> {
    program.open_arrays().map(|array| match array.contents {
        Contents::Opaque => (array.name.as_str(), "opaque"),
        _ => (array.name.as_str(), "any"),
    })
}
