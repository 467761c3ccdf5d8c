//! What the keywords of a call say, as the Python side writes them down: a JSON object.

use crate::errors::{problem, usage};
use crate::work::{Limits, apart};
use babycuda::frontend::{Overflow, Parser};
use babycuda::semantics::Policy;
use babycuda::smt::SolverName;
use babycuda::{CheckOptions, Decide, Settings};
use babycuda_core::{BigInt, Cell, Dim3, Name, Natural, parse};
use babycuda_files::check::Asked;
use babycuda_files::input::{self, File, Language};
use babycuda_files::source::{Contracts, Source, parse_define, parse_name};
use babycuda_report::choices::Chosen;
use pyo3::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The keywords, by the names that the Python side has for them. All are there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    kernel: Option<String>,
    block: Option<[u32; 3]>,
    grid: Option<[u32; 3]>,
    warp: Option<u32>,
    /// Integers of any size, in decimal.
    params: BTreeMap<String, String>,
    assume: Vec<String>,
    contract: String,
    solvers: Vec<String>,
    method: String,
    timeout: f64,
    time_limit: f64,
    memory_limit: u64,
    max_races: u32,
    fix_time: Option<f64>,
    certainty: bool,
    array: Option<String>,
    ignore_benign: bool,
    defines: Vec<String>,
    undefines: Vec<String>,
    includes: Vec<String>,
    standard: Option<String>,
    parser: String,
    overflow: Option<String>,
    choose: String,
    /// Arrays, indices and values.
    contents: Vec<(String, String, String)>,
}

/// A text, as a call has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    /// `None`: the file at the path is read.
    text: Option<String>,
    /// `-` where there is none.
    path: String,
    /// `None`: as the path, or the text, says.
    language: Option<String>,
}

/// The value of a name.
fn named<T: Clone>(py: Python<'_>, what: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        usage(py, format!("{what}: `{name}` is none of {}", names.join(", ")))
    })
}

/// Reads what the Python side wrote.
pub(crate) fn read<'a, T: Deserialize<'a>>(py: Python<'_>, json: &'a str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| usage(py, error.to_string()))
}

impl Text {
    /// The file that it stands for. To know its language, it may have to be parsed.
    pub(crate) fn file(self, py: Python<'_>, limits: Limits) -> PyResult<File> {
        const LANGUAGES: [(&str, Language); 5] = [
            ("cuda", Language::Cuda),
            ("opencl", Language::OpenCl),
            ("babycuda", Language::BabyCuda),
            ("map", Language::Map),
            ("json", Language::Json),
        ];
        let language = self.language.as_deref();
        let language = language.map(|name| named(py, "language", name, &LANGUAGES)).transpose()?;
        let read = move |_| match (self.text, language) {
            (Some(text), Some(language)) => Ok(File { path: self.path, text, language }),
            (Some(text), None) => File::new(&self.path, text),
            (None, None) => input::read(&self.path),
            (None, Some(language)) => {
                input::text(&self.path).map(|text| File { path: self.path, text, language })
            }
        };
        let file = apart(py, limits, read)?.map_err(|cut| cut.exception(py))?;
        file.map_err(|error| problem(py, &error, None))
    }
}

impl Options {
    /// What the call may use.
    pub(crate) fn limits(&self, py: Python<'_>) -> PyResult<Limits> {
        seconds(py, "time_limit", self.time_limit)?;
        Ok(Limits { time: self.time_limit, memory: self.memory_limit })
    }

    /// How files are read.
    pub(crate) fn source(&self, py: Python<'_>) -> PyResult<Source> {
        let wrong = |what: &str| usage(py, what);
        let defines = self.defines.iter().map(|text| parse_define(text));
        let undefines = self.undefines.iter().map(|text| parse_name(text));
        let overflow = self.overflow.as_deref().map(|name| {
            let known = [("assume-none", Overflow::AssumeNone), ("wrap", Overflow::Wrap)];
            named(py, "overflow", name, &known)
        });
        let parsers =
            [("auto", Parser::Auto), ("builtin", Parser::Builtin), ("clang", Parser::Other)];
        Ok(Source {
            kernel: self.kernel.clone(),
            defines: defines.collect::<Result<_, _>>().map_err(|what| wrong(&what))?,
            undefines: undefines.collect::<Result<_, _>>().map_err(|what| wrong(&what))?,
            includes: self.includes.iter().map(Into::into).collect(),
            standard: self.standard.clone(),
            parser: named(py, "parser", &self.parser, &parsers)?,
            overflow: overflow.transpose()?,
            ..Source::default()
        })
    }

    /// What is fixed.
    pub(crate) fn settings(&self, py: Python<'_>) -> PyResult<Settings> {
        let mut params = BTreeMap::new();
        for (name, value) in &self.params {
            params.insert(Name::new(name), integer(py, value)?);
        }
        let extents = |extents: Option<[u32; 3]>| extents.map(|[x, y, z]| Dim3 { x, y, z });
        let (block, grid) = (extents(self.block), extents(self.grid));
        let is_warp = |n: u32| n.is_power_of_two() && n <= 1024;
        if let Some(warp) = self.warp.filter(|n| !is_warp(*n)) {
            let what = "its size must be a power of two, at most 1024";
            return Err(usage(py, format!("a warp of {warp} threads: {what}")));
        }
        let assumptions = self.assume.clone();
        Ok(Settings { block, grid, any_grid: false, warp: self.warp, params, assumptions })
    }

    /// How verdicts are found.
    pub(crate) fn check_options(&self, py: Python<'_>) -> PyResult<CheckOptions> {
        let known = [
            ("auto", SolverName::Auto),
            ("builtin", SolverName::Builtin),
            ("z3", SolverName::Z3),
            ("cvc5", SolverName::Cvc5),
        ];
        let methods =
            [("auto", Decide::Auto), ("enumerate", Decide::Enumerate), ("smt", Decide::Solve)];
        let solvers = self.solvers.iter().map(|name| named(py, "solver", name, &known));
        let mut solvers = solvers.collect::<PyResult<Vec<_>>>()?;
        solvers.retain(|solver| *solver != SolverName::Auto);
        seconds(py, "timeout", self.timeout)?;
        if self.max_races == 0 {
            return Err(usage(py, "max_races must be above 0"));
        }
        Ok(CheckOptions {
            decide: named(py, "method", &self.method, &methods)?,
            array: self.array.as_deref().map(Name::new),
            solvers,
            timeout: Duration::from_secs_f64(self.timeout),
            races: self.max_races as usize,
            ..CheckOptions::default()
        })
    }

    /// All that is asked of a check but its budget.
    pub(crate) fn asked(&self, py: Python<'_>) -> PyResult<Asked> {
        let contracts =
            [("source", Contracts::Source), ("infer", Contracts::Infer), ("none", Contracts::None)];
        if let Some(time) = self.fix_time.filter(|time| *time != 0.0) {
            seconds(py, "fix_time", time)?;
        }
        Ok(Asked {
            source: self.source(py)?,
            settings: self.settings(py)?,
            contracts: named(py, "contract", &self.contract, &contracts)?,
            options: self.check_options(py)?,
            fix_time: self.fix_time,
            certainty: self.certainty,
            ignore_benign: self.ignore_benign,
        })
    }

    /// What settles the choices of a run.
    pub(crate) fn chosen(&self, py: Python<'_>) -> PyResult<Chosen> {
        let policy = self.choose.parse().ok();
        let offered = |p: &Policy| matches!(p, Policy::Smallest | Policy::First | Policy::Seed(_));
        let policy = policy.filter(offered);
        let policy = policy.ok_or_else(|| {
            let choose = &self.choose;
            usage(py, format!("choose: `{choose}` is none of smallest, first, seed:N"))
        })?;
        let cell = |(array, index, value): &(String, String, String)| {
            let index: Natural =
                index.parse().map_err(|_| usage(py, format!("contents: `{index}` is no index")))?;
            Ok((Cell::new(array.as_str(), index), integer(py, value)?))
        };
        let contents = self.contents.iter().map(cell).collect::<PyResult<_>>()?;
        Ok(Chosen { policy, contents })
    }
}

fn seconds(py: Python<'_>, what: &str, seconds: f64) -> PyResult<()> {
    match seconds.is_finite() && seconds > 0.0 && seconds <= 86_400.0 {
        true => Ok(()),
        false => {
            Err(usage(py, format!("{what}: above 0 and at most 86400 seconds, not {seconds}")))
        }
    }
}

fn integer(py: Python<'_>, value: &str) -> PyResult<BigInt> {
    // Longer numbers are in no program either.
    let short = value.len() <= parse::MAX_DIGITS;
    let number = short.then(|| value.parse().ok()).flatten();
    number.ok_or_else(|| usage(py, "an integer with too many digits"))
}
