//! A differential fuzzer of analyzers: random kernels, what the semantics says of each of them, and what a tool says.
//!
//! | module | contents |
//! |---|---|
//! | [`tool`] | what is fuzzed: a [`Tool`] |
//! | [`external`] | programs, by their words or their exit status |
//! | `inside` | the techniques of this library, and its implementations of the semantics |
//! | `probe` | whether a tool tells a race from none at all |
//! | [`kernels`] | which kernels are tried |
//! | [`coverage`] | what of the theory they use |
//! | [`judge()`] | the [`Class`] of an answer |
//! | `smaller` | disagreements made small |
//! | [`evidence`] | what shows that a kernel is racy or divergent |
//! | [`found`] | counts, and each disagreement once |
//! | `consistent` | whether a document of these agrees with itself |
//! | [`folder`] | what a campaign leaves for people, and to go on from |
//! | `single` | one kernel, outside of a campaign |
//!
//! Kernels are those of the scorecard ([`babycuda_validation::scorecard`]): small ones of one array, of eleven fragments, at a
//! fixed launch. What is true of one is known for all contents of the host that it tells apart.
//!
//! ```
//! use babycuda_fuzz::{Asking, Class, judge, tools};
//! use babycuda_validation::scorecard::{Case, Fragment};
//!
//! let asking = Asking::default();
//! let inside = &tools("protocols", &asking.reading, &std::env::temp_dir())?.asked[0];
//! let case = Case::of_fragment(Fragment::Affine, 0, 7).ok_or("no kernel")?;
//! assert_eq!(judge(inside.as_ref(), &case, 0, &asking).class, Class::Agreed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod consistent;
pub mod coverage;
pub mod evidence;
pub mod external;
pub mod folder;
pub mod found;
mod inside;
mod judge;
pub mod kernels;
mod macros;
mod probe;
mod process;
mod single;
mod smaller;
pub mod tool;

pub use evidence::Evidence;
pub use external::Reading;
pub use folder::{Folder, Replayed};
pub use found::{Finding, Found, Told};
pub use judge::{Asking, Class, Judged, judge};
pub use kernels::Profile;
pub use probe::Same;
pub use process::end_all;
pub use tool::{Answer, Divergence, Said, Tool};

pub use babycuda_campaign::Shard;
use babycuda_campaign::state::NoState;
pub use babycuda_validation::scorecard::Fragment;

use babycuda_campaign::{Merge, Plan, State};
use babycuda_validation::scorecard::Case;
use coverage::Used;
use external::External;
use found::constructs;
use judge::judge_beside;
use kernels::Kernels;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Why there is no campaign.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FuzzError {
    /// No tool has the name, and it is no command: why.
    #[error("{0} is no tool: {1}")]
    NoTool(String, String),
    /// A tool has the name, and cannot be asked here: why.
    #[error("{0} cannot be asked: {1}")]
    Absent(String, String),
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(std::path::PathBuf, std::io::Error),
    /// The campaign of a folder does not go on.
    #[error("{0}: {1}")]
    State(std::path::PathBuf, NoState),
    /// A document is not what it should be.
    #[error("{0}: {1}")]
    Document(std::path::PathBuf, String),
}

/// Who a name stands for.
#[derive(Default)]
pub struct Tools {
    /// Who is asked.
    pub asked: Vec<Box<dyn Tool>>,
    /// Those of a group that cannot be asked here, and why.
    pub left_out: Vec<(String, String)>,
}

/// The tools that a name stands for (`techniques`: those of this library; `implementations`: those of the semantics, which
/// must agree; `inside`: both), or the one that a command with `{file}` is. What they read is written below `scratch`.
///
/// # Errors
/// [`FuzzError::NoTool`], [`FuzzError::Absent`]
pub fn tools(name: &str, reading: &Reading, scratch: &Path) -> Result<Tools, FuzzError> {
    let inside = inside::tools(name).map_err(|why| FuzzError::Absent(name.to_owned(), why))?;
    if !inside.asked.is_empty() {
        return Ok(inside);
    }
    let tool = match External::known(name, reading.macros, scratch) {
        Some(tool) => tool,
        None => External::command(name, reading, scratch)
            .map_err(|why| FuzzError::NoTool(name.to_owned(), why))?,
    };
    tool.is_there().map_err(|why| FuzzError::Absent(name.to_owned(), why))?;
    Ok(Tools { asked: vec![Box::new(tool)], left_out: Vec::new() })
}

/// A program outside that a campaign may ask.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outside {
    /// How the command line calls it.
    pub name: &'static str,
    /// The program, or why it cannot be asked here.
    pub program: Result<PathBuf, String>,
    /// How to get it.
    pub remedy: &'static str,
}

/// All programs outside that are known but clang, with the extracted functions of Coq.
pub fn outside() -> Vec<Outside> {
    // Of clang, which reads kernels for this library, too, others tell.
    let others = external::remedies().filter(|(name, _)| *name != "clang");
    let known = others.filter_map(|(name, remedy)| {
        let tool = External::known(name, false, Path::new(""))?;
        Some(Outside { name, program: tool.is_there(), remedy })
    });
    let (program, remedy) = (inside::extracted_program(), inside::EXTRACTED_REMEDY);
    known.chain([Outside { name: "oracle", program, remedy }]).collect()
}

/// The names of tools.
pub fn names() -> Vec<String> {
    let groups = [inside::ALL, inside::TECHNIQUES, inside::IMPLEMENTATIONS];
    let all = groups.into_iter().chain(inside::names()).chain(external::known());
    all.map(str::to_owned).collect()
}

/// What is tried.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many kernels.
    pub cases: u64,
    /// Their seed.
    pub seed: u64,
    /// Of which fragments; none: of all.
    pub fragments: Vec<Fragment>,
    /// What is true of all of them; `None`: anything.
    pub profile: Option<Profile>,
    /// Are kernels made of those that used rules as none before them did?
    pub coverage: bool,
    /// The part that is tried here.
    pub shard: Shard,
    /// How many kernels at once.
    pub jobs: usize,
    /// No kernel is begun after this time.
    pub time: Option<Duration>,
    /// How tools are asked.
    pub asking: Asking,
    /// So many smaller kernels a tool is asked about for each disagreement.
    pub reductions: usize,
}

impl Options {
    fn fragments(&self) -> &[Fragment] {
        if self.fragments.is_empty() { &Fragment::ALL } else { &self.fragments }
    }

    /// What the cases depend on: a campaign of others does not go on.
    fn plan(&self, tools: &[Box<dyn Tool>]) -> Plan {
        let names: Vec<String> = tools.iter().map(|tool| tool.identity()).collect();
        let fragments: Vec<String> = self.fragments().iter().map(Fragment::to_string).collect();
        let text = |parts: String| folder::hash(parts.as_bytes());
        let kernels = format!("{:?} {}", self.profile, self.coverage);
        let first = kernels::first(self.fragments());
        let setting = [
            text([&*names.join("\n"), env!("CARGO_PKG_VERSION")].concat()),
            text([&*fragments.join("\n"), &kernels, &first].concat()),
            text(format!("{:?} {}", self.asking.within, self.asking.ignore_benign)),
        ];
        Plan {
            cases: self.cases,
            first: 0,
            seed: self.seed,
            setting,
            names: [
                "who is asked, or how words are read (--against, --racy-when, --free-when, --language, --macros), or the program's version",
                "its kernels (--fragment, --profile, --coverage, or the build of the program)",
                "how answers are judged (--timeout, --ignore-benign)",
            ],
            batch: if self.coverage { LONG_BATCH } else { 1 },
            shard: self.shard,
            workers: self.jobs,
            time: self.time,
        }
    }
}

/// Kernels of a batch, which is done or begins anew: where kernels are made of those before them in it.
const LONG_BATCH: u64 = 256;
/// Between two states that are written, where nothing is found.
const PAUSE: Duration = Duration::from_millis(200);

/// Asks the tools about kernels, from where the folder's campaign is; `after` sees how far it is, first before any is asked
/// about one of the campaign.
///
/// # Errors
/// [`FuzzError`]
pub fn fuzz(
    tools: &[Box<dyn Tool>],
    options: &Options,
    folder: &Folder,
    after: impl Fn(&State<Found>) + Sync + Send,
) -> Result<State<Found>, FuzzError> {
    let plan = options.plan(tools);
    let _held = folder.hold()?;
    let mut state = folder.load(&plan)?;
    for tool in tools.iter().filter(|tool| !tool.is_gone()) {
        if let Some(same) = Same::of(tool.as_ref(), &options.asking) {
            state.found.tools.entry(tool.name().to_owned()).or_default().same = Some(same);
        }
    }
    after(&state);
    let failed = OnceLock::new();
    let work = |(): &mut (), numbers: Range<u64>| {
        if failed.get().is_some() || tools.iter().any(|tool| tool.is_gone()) {
            return ControlFlow::Break(Found::default());
        }
        let mut kernels = Kernels::new(options);
        let found = numbers.map(|number| tried(tools, options, &mut kernels, number));
        ControlFlow::Continue(found.fold(Found::default(), Merge::and))
    };
    let written = Mutex::new((Instant::now(), state.found.disagreements()));
    let saved = |state: &State<Found>| {
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        let known = state.found.disagreements();
        if written.1 != known || written.0.elapsed() > PAUSE {
            if let Err(error) = folder.save(state, tools, &options.asking) {
                // The first says why; nothing is begun after it.
                let _ = failed.set(error);
            }
            *written = (Instant::now(), known);
        }
        after(state);
    };
    let state = plan.run(state, || (), work, saved);
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    folder.save(&state, tools, &options.asking)?;
    folder.finish(&state.found, tools, &options.asking)?;
    Ok(state)
}

/// What the tools say of the kernel of a number.
fn tried(
    tools: &[Box<dyn Tool>],
    options: &Options,
    kernels: &mut Kernels<'_>,
    number: u64,
) -> Found {
    let mut found = Found::default();
    let (case, worst) = match kernels.next(number) {
        Ok(made) => made,
        Err((fragment, why)) => {
            found.kernels.add(format!("{fragment}: {why}"));
            return found;
        }
    };
    let fragment = case.fragment;
    // The contents of runs, which differ from kernel to kernel.
    let contents = folder::hash(&number.to_le_bytes()) as u32
        % babycuda_validation::scorecard::truth::CONTENTS;
    let known = *worst.get_or_init(|| case.worst());
    found.kernels.add(format!("{fragment}: {}", Told::from(known.map(|(truth, _)| truth))));
    constructs(&case.small.body, &mut found.constructs);
    let used = Used::by(&case, contents);
    used.rules.iter().for_each(|rule| found.rules.add((*rule).to_owned()));
    used.steps.iter().for_each(|step| found.steps.add(step.to_string()));
    kernels.used(&case, &used);
    for tool in tools {
        let judged = judge_beside(tool.as_ref(), &case, &worst, contents, &options.asking);
        let row = found.tools.entry(tool.name().to_owned()).or_default();
        row.classes.add(judged.class);
        if let Answer::Unsupported(why) = &judged.said.answer {
            row.unsupported.add(why.clone());
        }
        if judged.class.is_finding() {
            let (tool, asking) = (tool.as_ref(), &options.asking);
            let (least, finding) = reduced(tool, number, &case, judged, asking, options.reductions);
            found.add(finding.shape(&least), finding);
        }
    }
    found
}

/// A disagreement made small, by asking the tool at most so often; and its kernel.
fn reduced(
    tool: &dyn Tool,
    number: u64,
    case: &Case,
    judged: Judged,
    asking: &Asking,
    reductions: usize,
) -> (Case, Finding) {
    // Who does not end is not asked often.
    let steps = if judged.class == Class::TimeOut { reductions.min(8) } else { reductions };
    let (least, judged) = smaller::least(tool, case, judged, asking, steps);
    let finding = Finding::new(tool, number, &least, judged);
    (least, finding)
}
