//! Runs, derivations, types and comparisons: documents for the Python side.

use crate::errors::{problem, usage};
use crate::options::{Options, Text, read};
use crate::work::apart;
use babycuda::detectors::all;
use babycuda::{CheckOptions, Settings};
use babycuda_core::Budget;
use babycuda_core::history::Race;
use babycuda_core::syntax::MapFile;
use babycuda_files::compare;
use babycuda_files::derive::{Form, Judgment, derive as derived};
use babycuda_files::input::{File, Unit, units};
use babycuda_files::problem::Problem;
use babycuda_files::run::Runs;
use babycuda_report::compare::{document, human};
use babycuda_report::derivation::{PAGE, Style};
use babycuda_report::{across, typing, worst};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Does `work` with a file within the limits of a call.
fn with_file<T: Send + 'static>(
    py: Python<'_>,
    text: &str,
    options: &Options,
    work: impl FnOnce(&File, Budget) -> Result<T, Problem> + Send + 'static,
) -> PyResult<T> {
    let limits = options.limits(py)?;
    let file = read::<Text>(py, text)?.file(py, limits)?;
    let own = file.clone();
    let done = apart(py, limits, move |budget| {
        // Nothing of it is kept when the time is over.
        budget.within(|| work(&own, budget))
    })?;
    match done {
        Ok(Ok(done)) => done.map_err(|wrong| problem(py, &wrong, Some(&file))),
        Ok(Err(exhausted)) => Err(crate::errors::plain(py, "LimitError", &exhausted.to_string())),
        Err(cut) => Err(cut.exception(py)),
    }
}

/// The runs of all kernels of a text: a list of JSON objects.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, text: &str, options: &str) -> PyResult<String> {
    let options: Options = read(py, options)?;
    let (source, settings) = (options.source(py)?, options.settings(py)?);
    let chosen = options.chosen(py)?;
    with_file(py, text, &options, move |file, _| {
        let mut documents = Vec::new();
        for unit in &units(file, &source, &settings)? {
            let runs = Runs::of(unit, &chosen)?;
            let each: Vec<Value> = runs
                .runs
                .iter()
                .map(|run| {
                    let races: Vec<Race> = run.observed.outcome.history().races().collect();
                    json!({ "document": run.document(), "human": run.human(), "races": races })
                })
                .collect();
            documents.push(json!({
                "name": unit.name(),
                "status": worst(runs.statuses()),
                "runs": each,
                "across": across::document(unit.name(), &runs.across),
                "across_text": across::lines(&runs.across),
            }));
        }
        Ok(Value::from(documents).to_string())
    })
}

/// A derivation, in one of its forms.
#[pyfunction]
pub(crate) fn derive(
    py: Python<'_>,
    text: &str,
    options: &str,
    judgment: &str,
    form: &str,
) -> PyResult<String> {
    let options: Options = read(py, options)?;
    let (source, settings) = (options.source(py)?, options.settings(py)?);
    let chosen = options.chosen(py)?;
    let judgment = match judgment {
        "run" => Judgment::Run,
        "type" => Judgment::Type,
        "map" => Judgment::Map,
        other => {
            return Err(usage(py, format!("judgment: `{other}` is none of run, type, map")));
        }
    };
    let form = match form {
        "text" => Form::Text,
        "tree" => Form::Tree(100),
        "latex" => Form::Latex(Style::Mathpartir),
        "html" => Form::Html,
        "svg" => Form::Svg(PAGE),
        "json" => Form::Json,
        "coq" => Form::Coq,
        other => return Err(usage(py, format!("`{other}` is no form of a derivation"))),
    };
    with_file(py, text, &options, move |file, _| {
        let unit = only(&units(file, &source, &settings)?)?;
        derived(&unit, judgment, &chosen, form).map_err(|none| none.problem)
    })
}

/// The only kernel of a file.
fn only(units: &[Unit]) -> Result<Unit, Problem> {
    match units {
        [unit] => Ok(unit.clone()),
        _ => {
            let names: Vec<&str> = units.iter().map(Unit::name).collect();
            let names = names.join(", ");
            Err(Problem::new(format!("there are several kernels ({names}): name one with kernel=")))
        }
    }
}

/// The types of all kernels of a text, or the rules that reject them: a list of JSON objects.
#[pyfunction]
pub(crate) fn types(py: Python<'_>, text: &str, options: &str) -> PyResult<String> {
    let options: Options = read(py, options)?;
    let source = options.source(py)?;
    with_file(py, text, &options, move |file, _| {
        let mut documents = Vec::new();
        for unit in &units(file, &source, &Settings::default())? {
            let mut text = String::new();
            let mut document = match unit {
                Unit::Program(program) => {
                    let (_, mut document) =
                        typing::report(&mut text, &file.path, &file.text, program);
                    match babycuda::typing::type_relative(program) {
                        Ok(typed) => {
                            let (declarations, protocol) =
                                (program.declarations.clone(), typed.protocol);
                            let map = MapFile { declarations, protocol };
                            document["map"] = map.to_string().into();
                        }
                        Err(rejection) => {
                            let column = rejection.span(&program.sources).map(|span| span.column);
                            document["rejection"]["column"] = column.into();
                        }
                    }
                    document
                }
                Unit::Protocol(map) => {
                    json!({ "name": unit.name(), "typed": true,
                            "protocol": map.protocol.to_string(), "map": map.to_string(), "inputs": [] })
                }
                Unit::Unsupported { kernel, construct, span, .. } => {
                    let problem = Problem::new(format!("kernel {kernel}: {construct}")).at(*span);
                    text.push_str(&problem.render(Some(file)));
                    json!({ "name": kernel, "typed": false, "unsupported": construct,
                            "line": span.map(|s| s.line), "column": span.map(|s| s.column) })
                }
            };
            document["human"] = text.into();
            documents.push(document);
        }
        Ok(Value::from(documents).to_string())
    })
}

/// All techniques on all kernels of a text: a list of JSON objects.
#[pyfunction]
pub(crate) fn compared(py: Python<'_>, text: &str, options: &str) -> PyResult<String> {
    let options: Options = read(py, options)?;
    let (source, settings) = (options.source(py)?, options.settings(py)?);
    let check: CheckOptions = options.check_options(py)?;
    with_file(py, text, &options, move |file, budget| {
        let (asked, detectors) = (compare::Asked::read(file.clone(), &source, settings)?, all());
        let (launch, check) = (asked.launch(), CheckOptions { budget, ..check });
        let mut documents = Vec::new();
        for kernel in &asked.kernels {
            let (found, open) = asked.compare(kernel, &detectors, &check)?;
            let mut document = document(&kernel.name, &launch, &found);
            document["human"] = human(&kernel.name, &launch, &found).into();
            document["open"] = open.iter().map(|name| name.as_str()).collect();
            documents.push(document);
        }
        Ok(Value::from(documents).to_string())
    })
}
