//! Whole programs and protocols.

use crate::errors::{plain, problem};
use crate::syntax::Statement;
use crate::work::{Limits, apart, here};
use babycuda_core::json::to_json;
use babycuda_core::syntax::ArrayDecl;
use babycuda_core::{Declarations, parse};
use babycuda_files::input::{File, Language, Unit, units};
use babycuda_files::problem::Problem;
use babycuda_files::source::Source;
use pyo3::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A program, or a protocol: code with its declarations, which is well-scoped.
#[pyclass(frozen, module = "babycuda._native")]
pub(crate) struct Code(Unit);

/// Reads a program or a protocol; `language` is `babycuda`, `map` or `json`.
#[pyfunction]
pub(crate) fn parse_code(py: Python<'_>, text: &str, language: &str) -> PyResult<Code> {
    let language = match language {
        "map" => Language::Map,
        "json" => Language::Json,
        _ => Language::BabyCuda,
    };
    let file = File { path: "-".to_owned(), text: text.to_owned(), language };
    let own = file.clone();
    let found = apart(py, LIMITS, move |_| {
        units(&own, &Source::default(), &babycuda::Settings::default())
    })?;
    let found = found.map_err(|cut| cut.exception(py))?;
    let unit = found.and_then(|units| units.into_iter().next().ok_or_else(none));
    unit.map(Code).map_err(|wrong| problem(py, &wrong, Some(&file)))
}

/// What reading a program may use.
const LIMITS: Limits = Limits { time: 600.0, memory: 4096 };

fn none() -> Problem {
    Problem::new("there is no program")
}

/// The program of a statement, after declarations as text.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, header: &str, body: &Statement) -> PyResult<Code> {
    let made = || {
        let declared = parse::parse_program(&format!("{header}\nskip"))?;
        let body = body.0.numbered();
        let mut declarations =
            Declarations { sources: Default::default(), ..declared.declarations };
        if declarations.arrays.is_empty() {
            declarations.arrays = body.arrays().into_iter().map(ArrayDecl::implicit).collect();
        }
        Ok::<_, parse::ParseError>(declarations.around(body))
    };
    let made = here(py, made)?;
    let program = made.map_err(|error| {
        let message = format!("declarations: {} in `{}`", error.kind, error.excerpt().trim());
        crate::errors::usage(py, message)
    })?;
    if let Err(error) = here(py, || program.check_scope())? {
        return Err(plain(py, "ParseError", &error.kind.to_string()));
    }
    Ok(Code(Unit::Program(Box::new(program))))
}

impl Code {
    fn declared(&self) -> &Declarations {
        match &self.0 {
            Unit::Protocol(map) => &map.declarations,
            Unit::Program(program) => &program.declarations,
            // Proof: only `parse_code` and `program` make a `Code`, of programs and protocols.
            Unit::Unsupported { .. } => unreachable!("a kernel of another language"),
        }
    }
}

#[pymethods]
impl Code {
    /// Is it a protocol?
    #[getter]
    fn is_protocol(&self) -> bool {
        matches!(self.0, Unit::Protocol(_))
    }

    /// The kernel's name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// Parameters: names, types, and values as text.
    #[getter]
    fn params(&self) -> Vec<(String, String, Option<String>)> {
        let text = |param: &babycuda_core::syntax::Param| {
            let domain = match param.domain {
                babycuda_core::syntax::Domain::Natural => "nat".to_owned(),
                babycuda_core::syntax::Domain::Machine(t) => t.to_string(),
            };
            (param.name.to_string(), domain, param.value.as_ref().map(ToString::to_string))
        };
        self.declared().params.iter().map(text).collect()
    }

    /// Arrays: their declarations as text.
    #[getter]
    fn arrays(&self) -> Vec<(String, String)> {
        self.declared().arrays.iter().map(|a| (a.name.to_string(), a.to_string())).collect()
    }

    /// The code without declarations.
    #[getter]
    fn body(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || match &self.0 {
            Unit::Program(program) => program.body.to_string(),
            Unit::Protocol(map) => map.protocol.to_string(),
            Unit::Unsupported { .. } => String::new(),
        })
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || match &self.0 {
            Unit::Program(program) => program.to_string(),
            Unit::Protocol(map) => map.to_string(),
            Unit::Unsupported { .. } => String::new(),
        })
    }

    /// The document of `schemas/program.json` or `schemas/map.json`.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let written = here(py, || match &self.0 {
            Unit::Protocol(map) => to_json(&**map).map_err(|e| e.to_string()),
            unit => {
                let program = unit.program("a document").map_err(|problem| problem.message)?;
                to_json(program).map_err(|e| e.to_string())
            }
        })?;
        written.map_err(|error| plain(py, "LimitError", &error))
    }

    /// The same code with the same declarations, wherever it stands?
    fn same(&self, py: Python<'_>, other: &Code) -> PyResult<bool> {
        here(py, || match (&self.0, &other.0) {
            (Unit::Program(a), Unit::Program(b)) => a.without_sources() == b.without_sources(),
            (Unit::Protocol(a), Unit::Protocol(b)) => {
                a.declarations.without_sources() == b.declarations.without_sources()
                    && a.protocol == b.protocol
            }
            _ => false,
        })
    }

    /// A number that is the same for what is the same.
    fn hash(&self, py: Python<'_>) -> PyResult<u64> {
        here(py, || {
            let mut state = DefaultHasher::new();
            self.name().hash(&mut state);
            match &self.0 {
                Unit::Program(program) => program.body.hash(&mut state),
                Unit::Protocol(map) => map.protocol.hash(&mut state),
                Unit::Unsupported { .. } => {}
            }
            state.finish()
        })
    }
}
