//! What is inside this library, as tools: the published techniques, and every implementation of the semantics.
//!
//! What is true of a kernel, the virtual machine says; so all implementations are held to it, and to each other.

mod devices;
mod extracted;
mod semantics;

use crate::found::without_numbers;
use crate::tool::{Answer, Said, Tool};
use babycuda_kernel::Language;
use babycuda_validation::scorecard::technique::Answer as Verdict;
use babycuda_validation::scorecard::truth::Truth;
use babycuda_validation::scorecard::{About, Case, Technique, techniques};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// So long what is inside may take for a kernel, which is longer than kernels of this size need.
pub(crate) const TIME: Duration = Duration::from_secs(20);

/// What all are called together.
pub(crate) const ALL: &str = "inside";
/// What the published techniques are called together.
pub(crate) const TECHNIQUES: &str = "techniques";
/// What the implementations of the semantics are called together.
pub(crate) const IMPLEMENTATIONS: &str = "implementations";

/// A function of this library.
pub(crate) struct Inside {
    name: &'static str,
    about: About,
    tells_divergence: bool,
    ask: Box<dyn Fn(&Case, u32) -> Answer + Send + Sync>,
}

impl Inside {
    fn technique(technique: Technique) -> Inside {
        Inside {
            name: technique.name,
            about: technique.about,
            tells_divergence: technique.is_own(),
            ask: Box::new(move |case, contents| match technique.judge(case, contents).0 {
                Verdict::Clean => Answer::RaceFree,
                Verdict::Wrong => Answer::Racy,
                Verdict::Unknown => unsupported("unknown"),
                Verdict::Unsupported => unsupported("a construct that it does not know"),
            }),
        }
    }
}

/// What makes an implementation, where what it needs is there; else why not.
type Make = fn() -> Result<Inside, String>;

/// All implementations, by name.
fn implementations() -> impl Iterator<Item = (&'static str, Make)> {
    semantics::ALL
        .into_iter()
        .chain(devices::ALL)
        .chain([(extracted::NAME, extracted::tool as Make)])
}

/// The names of all of them.
pub(crate) fn names() -> Vec<&'static str> {
    let techniques = techniques().into_iter().map(|technique| technique.name);
    techniques.chain(implementations().map(|(name, _)| name)).collect()
}

/// Those of a name or of a group; empty: there are none. Of a group, what needs something that is not there is left out.
///
/// # Errors
/// Why the one of the name cannot be asked here.
pub(crate) fn tools(name: &str) -> Result<Vec<Box<dyn Tool>>, String> {
    let is_asked = |known: &str, group: &str| name == known || name == ALL || name == group;
    let techniques = techniques().into_iter().filter(|t| is_asked(t.name, TECHNIQUES));
    let mut found: Vec<Inside> = techniques.map(Inside::technique).collect();
    for (known, make) in implementations().filter(|(known, _)| is_asked(known, IMPLEMENTATIONS)) {
        match make() {
            Ok(tool) => found.push(tool),
            Err(why) if name == known => return Err(why),
            Err(_) => {}
        }
    }
    Ok(found.into_iter().map(|tool| Box::new(tool) as Box<dyn Tool>).collect())
}

impl Tool for Inside {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> About {
        self.about
    }

    fn tells_divergence(&self) -> bool {
        self.tells_divergence
    }

    fn prepare(&self, case: &Case, _: u32, folder: &Path) -> Result<Vec<String>, String> {
        let text = case.small.fixed(Language::Cuda).ok_or("no text")?;
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(folder.join("kernel.cu"), text));
        written
            .map(|()| Vec::new())
            .map_err(|error| format!("the kernel cannot be written: {error}"))
    }

    /// It has a time of its own, [`TIME`].
    fn ask(&self, case: &Case, contents: u32, _: Duration) -> Said {
        Said { answer: (self.ask)(case, contents), words: String::new() }
    }
}

/// What the truth that something tells comes to.
fn told(truth: Truth) -> Answer {
    match truth {
        Truth::Clean => Answer::RaceFree,
        Truth::Racy | Truth::Divergent => Answer::Racy,
    }
}

/// Why something does not say: alike for all kernels.
fn unsupported(why: impl std::fmt::Display) -> Answer {
    Answer::Unsupported(without_numbers(&why.to_string()))
}
