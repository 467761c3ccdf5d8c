//! The folder of a campaign: how far it is, and each disagreement with what reproduces it.
//!
//! `state.json` is the campaign, `findings/CLASS-NUMBER` a disagreement: the kernel as the tool read it, and `finding.json`.

use crate::judge::{Asking, Class, judge};
use crate::{Answer, Finding, Found, FuzzError, Told, Tool, Tools};
use babycuda_campaign::{Merge, Plan, State};
use babycuda_core::json::{Format, JsonError, from_json, to_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of a campaign.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// What became of a disagreement.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Where it lies.
    pub path: PathBuf,
    /// The tool that is asked now.
    pub tool: String,
    /// What the answer came to before, of this tool or another.
    pub before: Class,
    /// What it comes to now.
    pub now: Class,
    /// Why the tool does not say, where it does not.
    pub unsupported: Option<String>,
}

const STATE: &str = "state.json";
const LOCK: &str = "state.lock";
const FINDINGS: &str = "findings";
const FINDING: &str = "finding.json";

/// The document of a disagreement, `finding.json` (`schemas/fuzz-finding.json`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// The disagreement.
    #[serde(flatten)]
    pub finding: Finding,
    /// The command that asks the tool about it, in the document's folder; empty for what is called as a function.
    pub command: Vec<String>,
    /// The command that asks about it again and judges the answer, where the campaign was begun; empty where only the program
    /// that began it can ask the tool.
    #[serde(default)]
    pub again: Vec<String>,
    /// How the tool is asked.
    #[serde(flatten)]
    pub asking: Asking,
}

impl Format for Disagreement {
    const NAME: &'static str = "babycuda/fuzz-finding";
}

impl Folder {
    /// The folder at a path, which is made when something is written.
    pub fn at(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }

    /// The folder for oneself, as long as the file is open: two campaigns would overwrite each other.
    pub(crate) fn hold(&self) -> Result<File, FuzzError> {
        fs::create_dir_all(&self.0).map_err(|error| FuzzError::File(self.0.clone(), error))?;
        let path = self.0.join(LOCK);
        let file = File::create(&path).map_err(|error| FuzzError::File(path, error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let why = "another campaign works in this folder";
                Err(FuzzError::Document(self.0.clone(), why.to_owned()))
            }
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        }
    }

    /// How far its campaign is, of this plan.
    pub(crate) fn load(&self, plan: &Plan) -> Result<State<Found>, FuzzError> {
        let path = self.0.join(STATE);
        let old = self.0.join(FINDINGS);
        if !path.exists() && fs::read_dir(&old).is_ok_and(|mut all| all.next().is_some()) {
            let why = format!("findings of a campaign whose {STATE} is gone");
            return Err(FuzzError::Document(old, why));
        }
        let state = State::load(&path, plan).map_err(|e| FuzzError::State(path.clone(), e))?;
        consistent(&path, state)
    }

    /// Writes how far the campaign is, and the disagreements that are not there yet.
    pub(crate) fn save(
        &self,
        state: &State<Found>,
        tools: &[Box<dyn Tool>],
        asking: &Asking,
    ) -> Result<(), FuzzError> {
        let path = self.0.join(STATE);
        state.save(&path).map_err(|error| FuzzError::State(path, error))?;
        self.keep(&state.found, tools, asking, false)
    }

    /// Writes all disagreements as they are in the end: how often, and with the first kernel of each.
    pub(crate) fn finish(
        &self,
        found: &Found,
        tools: &[Box<dyn Tool>],
        asking: &Asking,
    ) -> Result<(), FuzzError> {
        self.keep(found, tools, asking, true)
    }

    fn keep(
        &self,
        found: &Found,
        tools: &[Box<dyn Tool>],
        asking: &Asking,
        all: bool,
    ) -> Result<(), FuzzError> {
        for (same, finding) in &found.findings {
            let folder = self.finding(same, finding.class);
            let path = folder.join(FINDING);
            if !all && path.exists() {
                continue;
            }
            let tool = tools.iter().find(|tool| tool.name() == finding.tool);
            let (Some(tool), Some(case)) = (tool, finding.case()) else { continue };
            let command = tool
                .prepare(&case, finding.contents(), &folder)
                .map_err(|why| FuzzError::Document(folder.clone(), why))?;
            let again = if tool.has_name() { again(&folder) } else { Vec::new() };
            let (finding, asking) = (finding.clone(), asking.clone());
            let document = Disagreement { finding, command, again, asking };
            let text = pretty(&document)
                .map_err(|error| FuzzError::Document(path.clone(), error.to_string()))?;
            // Whole or not at all: the program may be killed.
            let unfinished = path.with_extension("new");
            fs::write(&unfinished, text)
                .and_then(|()| fs::rename(unfinished, &path))
                .map_err(|error| FuzzError::File(path, error))?;
        }
        Ok(())
    }

    /// Puts together what the parts of a campaign found, each in a folder of its own; how many parts are not there; and
    /// how many kernels of the others are not done.
    ///
    /// # Errors
    /// [`FuzzError`]: a folder is none of a campaign, or of no other part of the same one.
    pub fn merged(folders: &[PathBuf]) -> Result<(Found, u64, u64), FuzzError> {
        let mut states: Vec<State<Found>> = Vec::new();
        for folder in folders {
            let path = folder.join(STATE);
            let state = state(&path)?;
            if !states.iter().all(|other| state.is_beside(other)) {
                let why = "this part was given before, or is one of another campaign";
                return Err(FuzzError::Document(path, why.to_owned()));
            }
            states.push(state);
        }
        let parts = states.first().map_or(0, State::parts);
        let missing = parts.saturating_sub(states.len() as u64);
        let all = states.iter().map(State::cases).max().unwrap_or(0);
        let open = states.iter().map(|state| state.open_of(all)).sum();
        let found = states.into_iter().map(|state| state.found);
        Ok((found.fold(Found::default(), Merge::and), missing, open))
    }

    /// The kernel of a disagreement as the tool read it, by what makes two of them the same.
    pub fn kernel(&self, same: &str, class: Class) -> Option<String> {
        let folder = self.finding(same, class);
        ["kernel.cu", "kernel.cl"]
            .iter()
            .find_map(|name| fs::read_to_string(folder.join(name)).ok())
    }

    /// Where a disagreement lies.
    fn finding(&self, same: &str, class: Class) -> PathBuf {
        let class = class.to_string().replace(' ', "-");
        let name = format!("{class}-{:08x}", hash(same.as_bytes()) >> 32);
        self.0.join(FINDINGS).join(name)
    }

    /// The folders of its disagreements; itself, where it is that of one.
    fn all(&self) -> Result<Vec<PathBuf>, FuzzError> {
        if self.0.join(FINDING).exists() {
            return Ok(vec![self.0.clone()]);
        }
        let folder = self.0.join(FINDINGS);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // A campaign that found nothing.
            Err(e) if e.kind() == ErrorKind::NotFound && self.0.join(STATE).exists() => {
                return state(&self.0.join(STATE)).map(|_| Vec::new());
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(FuzzError::Document(self.0.clone(), "no campaign is there".to_owned()));
            }
            Err(error) => return Err(FuzzError::File(folder, error)),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        Ok(paths)
    }

    /// The command that asks about a disagreement of the folder again.
    pub fn again(&self, same: &str, class: Class) -> Vec<String> {
        again(&self.finding(same, class))
    }

    /// Asks about each disagreement of the folder again, in the order of their names, or about the one whose own folder it is.
    /// `tools` makes the tool of a name, and may change how it is asked, which is as it was before.
    ///
    /// # Errors
    /// [`FuzzError`]: there is no campaign, or a disagreement is not what was written.
    pub fn replay(
        &self,
        tools: &dyn Fn(&str, &mut Asking) -> Result<Tools, FuzzError>,
    ) -> Result<Vec<Replayed>, FuzzError> {
        let mut replayed = Vec::new();
        for path in self.all()? {
            let file = path.join(FINDING);
            let text = match fs::read_to_string(&file) {
                Ok(text) => text,
                // A campaign that was stopped just then.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(FuzzError::File(file, error)),
            };
            let wrong = |why: String| FuzzError::Document(file.clone(), why);
            let Disagreement { finding, mut asking, .. } = disagreement(&text).map_err(wrong)?;
            let case = finding.case().ok_or_else(|| {
                wrong(
                    "/content: its fragment, array, launch and body are no kernel of a campaign"
                        .into(),
                )
            })?;
            let asked = tools(&finding.tool, &mut asking);
            for tool in asked.map_err(|error| wrong(format!("/content/tool: {error}")))?.asked {
                let judged = judge(tool.as_ref(), &case, finding.contents(), &asking);
                let truth = Told::from(judged.truth);
                if tool.name() == finding.tool && truth != finding.truth {
                    let before = finding.truth;
                    return Err(wrong(format!("/content/truth: {before}, where it is {truth}")));
                }
                let unsupported = match judged.said.answer {
                    Answer::Unsupported(why) => Some(why),
                    _ => None,
                };
                let (path, tool) = (path.clone(), tool.name().to_owned());
                let (before, now) = (finding.class, judged.class);
                replayed.push(Replayed { path, tool, before, now, unsupported });
            }
        }
        Ok(replayed)
    }
}

/// The command that asks about the disagreement of a folder again.
fn again(folder: &Path) -> Vec<String> {
    let command = ["babycuda", "fuzz", "replay"].map(str::to_owned);
    command.into_iter().chain([folder.display().to_string()]).collect()
}

/// The document, for people as well.
pub(crate) fn pretty(document: &Disagreement) -> Result<String, JsonError> {
    let value: serde_json::Value = serde_json::from_str(&to_json(document)?)?;
    Ok(format!("{value:#}\n"))
}

/// The campaign of a file, whatever its plan.
fn state(path: &Path) -> Result<State<Found>, FuzzError> {
    let text = fs::read_to_string(path).map_err(|e| FuzzError::File(path.to_owned(), e))?;
    let state = State::read(&text).map_err(|error| FuzzError::State(path.to_owned(), error))?;
    consistent(path, state)
}

/// The state, whose numbers agree.
fn consistent(path: &Path, state: State<Found>) -> Result<State<Found>, FuzzError> {
    match state.found.agrees(state.tried()) {
        Ok(()) => Ok(state),
        Err((at, why)) => Err(FuzzError::Document(path.to_owned(), format!("{at}: {why}"))),
    }
}

/// A key of a document that its reader leaves out, by its place.
fn unknown_key(given: &Value, read: &Value, at: &str) -> Option<String> {
    let (Value::Object(given), Value::Object(read)) = (given, read) else { return None };
    given.iter().find_map(|(key, value)| {
        let at = format!("{at}/{key}");
        match read.get(key) {
            Some(read) => unknown_key(value, read, &at),
            None => Some(at),
        }
    })
}

/// The document of a disagreement, read to the letter.
fn disagreement(text: &str) -> Result<Disagreement, String> {
    let read: Disagreement = from_json(text).map_err(|error| error.to_string())?;
    let values = to_json(&read).ok().and_then(|again| serde_json::from_str(&again).ok());
    let given = serde_json::from_str(text).ok();
    let unknown = given.zip(values).and_then(|(given, read)| unknown_key(&given, &read, ""));
    match unknown {
        Some(place) => Err(format!("{place}: no such key is known")),
        None => Ok(read),
    }
}

/// FNV-1a: the same on every machine, for names and for what must not change between two calls.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}
