//! What goes wrong, as the exceptions of the package.

use babycuda_files::input::File;
use babycuda_files::problem::{Kind, Problem};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception of the package with this name, with these attributes.
pub(crate) fn exception(
    py: Python<'_>,
    class: &str,
    message: &str,
    attributes: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || {
        let keywords = PyDict::new(py);
        attributes(&keywords)?;
        let class = py.import("babycuda._errors")?.getattr(class)?;
        class.call((message,), Some(&keywords))
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// An exception with a message alone.
pub(crate) fn plain(py: Python<'_>, class: &str, message: &str) -> PyErr {
    exception(py, class, message, |_| Ok(()))
}

/// What is wrong with an argument.
pub(crate) fn usage(py: Python<'_>, message: impl AsRef<str>) -> PyErr {
    plain(py, "UsageError", message.as_ref())
}

/// Why a file cannot be used.
pub(crate) fn problem(py: Python<'_>, problem: &Problem, file: Option<&File>) -> PyErr {
    let class = match problem.kind {
        Kind::Usage => "UsageError",
        Kind::Text => "ParseError",
        Kind::Limit => "LimitError",
    };
    // What is said of a text that has no name.
    let message = problem.message.strip_prefix("-: ").unwrap_or(&problem.message);
    let said = message.strip_prefix("- has").map(|rest| format!("the text has{rest}"));
    let message = said.as_deref().unwrap_or(message);
    exception(py, class, message, |keywords| {
        keywords.set_item("line", problem.span.map(|span| span.line))?;
        keywords.set_item("column", problem.span.map(|span| span.column))?;
        keywords.set_item("help", problem.help.as_deref())?;
        keywords.set_item("rendered", problem.render(file))
    })
}
