//! Verdicts on the kernels of a text.

use crate::errors::problem;
use crate::options::{Options, Text, read};
use crate::work::{Cut, apart, here};
use babycuda::CheckOptions;
use babycuda_files::check::{Asked, Current, Progress, check_into, locked};
use babycuda_report::code::{CODES, Code, Entry};
use babycuda_report::document::Document;
use babycuda_report::{FileReport, finding, human, lines, sarif};
use pyo3::prelude::*;
use std::sync::Arc;

/// What became of a text: what `babycuda check` prints, in each of its formats.
#[pyclass(frozen, module = "babycuda._native")]
pub(crate) struct Checked(FileReport);

#[pymethods]
impl Checked {
    /// The document of `check --format json`.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || Document::from(&self.0).json())
    }

    /// The report for people.
    #[pyo3(signature = (colour=false))]
    fn human(&self, py: Python<'_>, colour: bool) -> PyResult<String> {
        here(py, || human::document(&self.0, colour))
    }

    /// One line for each finding.
    fn short(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || lines::short(&self.0))
    }

    /// For code scanning services.
    fn sarif(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || sarif::document(std::slice::from_ref(&self.0), &[]).to_string())
    }

    /// Of each kernel, its races, divergences and what is not decided, each in one line.
    fn messages(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        let texts = |kernel| finding::of(kernel).into_iter().map(|f| f.text).collect();
        here(py, || self.0.kernels.iter().map(texts).collect())
    }

    /// The exit status that `babycuda check` has for it.
    #[getter]
    fn status(&self) -> u8 {
        self.0.status()
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }
}

/// Checks the kernels of a text. What is not decided within the limits of the call is unknown.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, text: &str, options: &str) -> PyResult<Checked> {
    let options: Options = read(py, options)?;
    let (asked, limits) = (options.asked(py)?, options.limits(py)?);
    let file = read::<Text>(py, text)?.file(py, limits)?;
    let progress = Arc::new(Progress::default());
    let (work, shared) = (file.clone(), progress.clone());
    let ignore_benign = asked.ignore_benign;
    let done = apart(py, limits, move |budget| {
        let options = CheckOptions { budget, ..asked.options.clone() };
        check_into(work, &Asked { options, ..asked }, &shared)
    })?;
    let current = locked(&progress).take();
    let unread = || Current { file: file.clone(), ..Current::unread(&file.path) };
    match done {
        Ok(Ok(())) => Ok(Checked(current.unwrap_or_else(unread).report(ignore_benign))),
        Ok(Err(wrong)) => Err(problem(py, &wrong, Some(&file))),
        Err(cut @ Cut::Panic(_)) => Err(cut.exception(py)),
        Err(cut) => {
            let current = current.unwrap_or_else(unread).cut_off(&cut.to_string());
            Ok(Checked(current.report(ignore_benign)))
        }
    }
}

/// What a code means, as a JSON object; of an empty text all codes, as a list. `None`: there is no such code.
#[pyfunction]
pub(crate) fn explain(code: &str) -> Option<String> {
    let object = |entry: &Entry| {
        serde_json::json!({
            "id": entry.id, "title": entry.title, "meaning": entry.meaning, "kernel": entry.kernel,
            "options": entry.options, "repair": entry.repair, "source": entry.source,
        })
    };
    if code.is_empty() {
        return Some(CODES.iter().map(object).collect::<serde_json::Value>().to_string());
    }
    Code::named(code).map(|code| object(code.entry()).to_string())
}
