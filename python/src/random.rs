//! Random kernels and programs of which it is known what is true, and a fuzzer of tools that are Python functions.

use crate::errors::{plain, usage};
use crate::options::read;
use crate::work::{Limits, apart};
use babycuda_core::{Budget, Launch, Program};
use babycuda_fuzz::{
    Answer, Asking, Divergence, Folder, Fragment, FuzzError, Options, Profile, Reading, Said,
    Shard, Tool, fuzz as campaign, tools,
};
use babycuda_kernel::Language;
use babycuda_validation::case;
use babycuda_validation::scorecard::truth::{Truth, cells, truth};
use babycuda_validation::scorecard::{About, Case};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A name as Python programs write it: `data-index`.
fn plain_name(fragment: Fragment) -> String {
    fragment.to_string().replace(' ', "-").to_lowercase()
}

/// The names of the fragments.
#[pyfunction]
pub(crate) fn fragments() -> Vec<String> {
    Fragment::ALL.into_iter().map(plain_name).collect()
}

fn fragment(py: Python<'_>, name: &str) -> PyResult<Fragment> {
    let asked = name.replace([' ', '_'], "-").to_lowercase();
    let found = Fragment::ALL.into_iter().find(|f| plain_name(*f) == asked);
    found.ok_or_else(|| {
        usage(
            py,
            format!("there is no profile `{name}`: programs, kernels, {}", fragments().join(", ")),
        )
    })
}

fn word(truth: Option<Truth>) -> &'static str {
    match truth {
        Some(Truth::Clean) => "drf",
        Some(Truth::Racy) => "racy",
        Some(Truth::Divergent) => "divergent",
        None => "unknown",
    }
}

fn extents(launch: Launch) -> Value {
    json!({ "block": launch.block.components(), "grid": launch.grid.components(), "warp": launch.warp })
}

fn kernel(case: &Case, language: Language) -> Option<Value> {
    let worst = case.worst();
    Some(json!({
        "source": case.small.fixed(language)?,
        "profile": plain_name(case.fragment),
        "launch": extents(case.launch()),
        "truth": word(worst.map(|(truth, _)| truth)),
        "d": worst.map(|(_, contents)| cells(contents)),
    }))
}

fn program(program: &Program) -> Value {
    let instance = case::instance(program);
    let launch = instance.as_ref().map(|instance| extents(instance.configuration.launch));
    json!({
        "source": program.without_sources().to_string(),
        "profile": "programs",
        "launch": launch,
        "truth": word(truth(program, 0)),
        "d": null,
    })
}

/// Random kernels of a profile, those of the numbers from `first` on: a list of JSON objects.
#[pyfunction]
pub(crate) fn generate(
    py: Python<'_>,
    profile: &str,
    seed: u64,
    first: u64,
    count: u64,
    language: &str,
) -> PyResult<String> {
    let language = match language {
        "cuda" => Language::Cuda,
        "opencl" => Language::OpenCl,
        other => return Err(usage(py, format!("language: `{other}` is none of cuda, opencl"))),
    };
    let numbers = first..first.saturating_add(count);
    let limits = Limits { time: 3600.0, memory: 8192 };
    let done = match profile {
        "programs" => apart(py, limits, move |_| {
            numbers.map(|number| program(&case::generate(seed, number))).collect::<Vec<_>>()
        })?,
        name => {
            let only = if name == "kernels" { None } else { Some(fragment(py, name)?) };
            apart(py, limits, move |_| {
                let of = |number| match only {
                    Some(fragment) => Case::of_fragment(fragment, seed, number),
                    None => Case::of(seed, number),
                };
                numbers.filter_map(|number| kernel(&of(number)?, language)).collect::<Vec<_>>()
            })?
        }
    };
    let samples = done.map_err(|cut| cut.exception(py))?;
    Ok(Value::from(samples).to_string())
}

/// A tool that is a Python function of a text and a launch.
struct Callable {
    name: String,
    function: Py<PyAny>,
    about: About,
    divergence: Divergence,
    language: Language,
    /// What the function raised that is no answer, if it did.
    raised: Raised,
    gone: Arc<AtomicBool>,
}

type Raised = Arc<Mutex<Option<PyErr>>>;

impl Callable {
    /// What the function says; the inner error is its exception, and an answer of its kind.
    fn call(&self, py: Python<'_>, text: &str, case: &Case, contents: u32) -> PyResult<Said> {
        let launch = case.launch();
        let d = (self.about == About::Run).then(|| cells(contents));
        let (block, grid) = (launch.block.components(), launch.grid.components());
        let launch = py.import("babycuda._random")?.getattr("Launch")?;
        let launch = launch.call1((block, grid, case.launch().warp, d))?;
        let said = match self.function.bind(py).call1((text, launch)) {
            Ok(said) => said,
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyException>(py) => {
                let words = error.to_string();
                return Ok(Said { answer: Answer::Crash(words.clone()), words });
            }
            Err(error) => return Err(error),
        };
        let words = said.str()?.to_string();
        let answer = match words.as_str() {
            "racy" | "divergent" => Answer::Racy,
            "drf" => Answer::RaceFree,
            "unknown" => Answer::Unsupported("unknown".into()),
            other => {
                let what = format!("a tool says racy, drf or unknown, not `{other}`");
                return Err(plain(py, "UsageError", &what));
            }
        };
        Ok(Said { answer, words })
    }

    fn text(&self, case: &Case) -> Result<String, String> {
        case.small.fixed(self.language).ok_or_else(|| "OpenCL C has no barriers of warps".into())
    }
}

impl Tool for Callable {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> About {
        self.about
    }

    fn divergence(&self) -> Divergence {
        self.divergence
    }

    fn prepare(&self, case: &Case, _: u32, folder: &Path) -> Result<Vec<String>, String> {
        let extension = if self.language == Language::Cuda { "cu" } else { "cl" };
        let (text, path) = (self.text(case)?, folder.join(format!("kernel.{extension}")));
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
        written.map(|()| Vec::new()).map_err(|e| format!("the kernel cannot be written: {e}"))
    }

    fn ask(&self, case: &Case, contents: u32, _: Duration) -> Said {
        let refused = |why: String| Said { answer: Answer::Unsupported(why), words: String::new() };
        let text = match self.text(case) {
            Ok(text) => text,
            Err(why) => return refused(why),
        };
        let said = Python::attach(|py| self.call(py, &text, case, contents));
        said.unwrap_or_else(|error| {
            self.gone.store(true, Relaxed);
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            refused("the function raised an exception".into())
        })
    }
}

/// What is asked of a campaign.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Campaign {
    name: String,
    programs: u64,
    seed: u64,
    profiles: Vec<String>,
    coverage: bool,
    jobs: usize,
    time: Option<f64>,
    timeout: f64,
    ignore_benign: bool,
    about_run: bool,
    divergence: bool,
    opencl: bool,
    racy_when: Option<String>,
    divergent_when: Option<String>,
    free_when: Option<String>,
    out: PathBuf,
    scratch: PathBuf,
}

/// Asks a function, or the tool that a name or a command stands for, about random kernels; what was found, as JSON.
#[pyfunction]
pub(crate) fn fuzz(
    py: Python<'_>,
    function: Option<Py<PyAny>>,
    campaign_of: &str,
) -> PyResult<String> {
    let asked: Campaign = read(py, campaign_of)?;
    let (mut fragments, mut profile) = (Vec::new(), None);
    for name in &asked.profiles {
        match Profile::ALL.into_iter().find(|profile| profile.to_string() == *name) {
            None => fragments.push(fragment(py, name)?),
            found if profile.is_none() => profile = found,
            _ => {
                return Err(usage(
                    py,
                    format!("profiles: `{name}` beside another that kernels are"),
                ));
            }
        }
    }
    let language = if asked.opencl { Language::OpenCl } else { Language::Cuda };
    let gone = Arc::new(AtomicBool::new(false));
    let options = Options {
        cases: asked.programs,
        seed: asked.seed,
        fragments,
        profile,
        coverage: asked.coverage,
        shard: "1/1".parse::<Shard>().map_err(|why: &str| usage(py, why))?,
        jobs: asked.jobs.clamp(1, 256),
        time: asked.time.map(Duration::from_secs_f64),
        asking: Asking {
            within: Duration::from_secs_f64(asked.timeout),
            ignore_benign: asked.ignore_benign,
            reading: Reading {
                racy: asked.racy_when,
                divergent: asked.divergent_when,
                free: asked.free_when,
                language,
                ..Reading::default()
            },
        },
        reductions: 60,
    };
    let raised = Raised::default();
    let callable = function.map(|function| Callable {
        name: asked.name.clone(),
        function,
        about: if asked.about_run { About::Run } else { About::Inputs },
        divergence: if asked.divergence { Divergence::Alarm } else { Divergence::Ignored },
        language,
        raised: raised.clone(),
        gone: gone.clone(),
    });
    let watch = gone.clone();
    let work = move |budget: Budget| {
        let all: Vec<Box<dyn Tool>> = match callable {
            Some(callable) => vec![Box::new(callable)],
            None => tools(&asked.name, &options.asking.reading, &asked.scratch)?.asked,
        };
        let watched = |tool| Box::new(Watched(tool, watch.clone(), budget)) as Box<dyn Tool>;
        let all: Vec<_> = all.into_iter().map(watched).collect();
        let found = campaign(&all, &options, &Folder::at(asked.out), |_| {})?.found;
        let kernels: Vec<Value> = found
            .findings
            .values()
            .map(|finding| {
                let case = finding.case();
                let launch = case.as_ref().map(|case| extents(case.launch()));
                json!({ "finding": finding, "launch": launch,
                    "source": case.and_then(|case| case.small.fixed(language)) })
            })
            .collect();
        Ok::<_, FuzzError>(json!({ "found": found, "findings": kernels }).to_string())
    };
    // It ends when its kernels are done, its own time is over, or somebody interrupts it.
    let done = apart(py, Limits { time: 30.0 * 86_400.0, memory: u64::MAX >> 20 }, work);
    gone.store(true, Relaxed);
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let found = done?.map_err(|cut| cut.exception(py))?;
    found.map_err(|error| usage(py, error.to_string()))
}

/// A tool that is asked no more when its campaign is gone.
struct Watched(Box<dyn Tool>, Arc<AtomicBool>, Budget);

impl Tool for Watched {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn identity(&self) -> String {
        self.0.identity()
    }

    fn about(&self) -> About {
        self.0.about()
    }

    fn divergence(&self) -> Divergence {
        self.0.divergence()
    }

    fn has_name(&self) -> bool {
        self.0.has_name()
    }

    fn prepare(&self, case: &Case, contents: u32, folder: &Path) -> Result<Vec<String>, String> {
        self.0.prepare(case, contents, folder)
    }

    fn is_gone(&self) -> bool {
        self.1.load(Relaxed) || self.2.check().is_err()
    }

    fn ask(&self, case: &Case, contents: u32, within: Duration) -> Said {
        if self.is_gone() {
            let answer = Answer::Unsupported("the campaign has ended".into());
            return Said { answer, words: String::new() };
        }
        self.0.ask(case, contents, within)
    }
}
