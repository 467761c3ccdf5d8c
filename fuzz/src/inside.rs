//! What is inside this library, as tools: the published techniques, and every implementation of the semantics.
//!
//! What is true of a kernel, the virtual machine says; so all implementations are held to it, and to each other.

mod devices;
mod extracted;
mod semantics;

pub(crate) use extracted::{REMEDY as EXTRACTED_REMEDY, program as extracted_program};

use crate::Tools;
use crate::found::without_numbers;
use crate::tool::{Answer, Divergence, Said, Tool};
use babycuda_core::History;
use babycuda_kernel::Language;
use babycuda_validation::scorecard::technique::Answer as Verdict;
use babycuda_validation::scorecard::truth::{Truth, shown};
use babycuda_validation::scorecard::{About, Case, Technique, techniques};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// So long solvers and the oracle may take for a kernel, which is longer than kernels of this size need.
const TIME: Duration = Duration::from_secs(20);

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
    divergence: Divergence,
    ask: Box<Ask>,
}

/// What it says of a kernel with contents of `d`.
type Ask = dyn Fn(&Case, u32) -> Answer + Send + Sync;

impl Inside {
    fn technique(technique: Technique) -> Inside {
        Inside {
            name: technique.name,
            about: technique.about,
            divergence: if technique.is_own() { Divergence::Alarm } else { Divergence::Ignored },
            ask: Box::new(move |case, contents| match technique.judge(case, contents).0 {
                Verdict::Clean => Answer::RaceFree,
                Verdict::Wrong => Answer::Racy,
                Verdict::Unknown(why) => unsupported(format_args!("unknown: {why}")),
                Verdict::Unsupported(construct) => unsupported(construct),
            }),
        }
    }
}

/// What makes an implementation, where what it needs is there; else why not. What stands in the folder where the program runs
/// is used where the implementation is asked for by its name, `named`.
type Make = fn(named: bool) -> Result<Inside, String>;

/// All implementations, by name.
fn implementations() -> impl Iterator<Item = (&'static str, Make)> {
    let proved = [(extracted::NAME, extracted::tool as Make)];
    semantics::ALL.into_iter().chain(devices::ALL).chain(proved)
}

/// The names of all of them.
pub(crate) fn names() -> Vec<&'static str> {
    let own = techniques().into_iter().map(|technique| technique.name);
    own.chain(implementations().map(|(name, _)| name)).collect()
}

/// Those of a name or of a group; none, where there is no such name.
///
/// # Errors
/// Why the one of the name cannot be asked here.
pub(crate) fn tools(name: &str) -> Result<Tools, String> {
    let is_asked = |known: &str, group: &str| name == known || name == ALL || name == group;
    let own = techniques().into_iter().filter(|t| is_asked(t.name, TECHNIQUES));
    let mut found = Tools::default();
    let mut ask = |tool: Inside| found.asked.push(Box::new(tool));
    own.map(Inside::technique).for_each(&mut ask);
    for (known, make) in implementations().filter(|(known, _)| is_asked(known, IMPLEMENTATIONS)) {
        match make(name == known) {
            Ok(tool) => ask(tool),
            Err(why) if name == known => return Err(why),
            Err(why) => found.left_out.push((known.to_owned(), why)),
        }
    }
    Ok(found)
}

impl Tool for Inside {
    fn name(&self) -> &str {
        self.name
    }

    fn has_name(&self) -> bool {
        true
    }

    fn about(&self) -> About {
        self.about
    }

    fn divergence(&self) -> Divergence {
        self.divergence
    }

    fn prepare(&self, case: &Case, _: u32, folder: &Path) -> Result<Vec<String>, String> {
        let text = case.small.fixed(Language::Cuda).ok_or("no text")?;
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(folder.join("kernel.cu"), text));
        written
            .map(|()| Vec::new())
            .map_err(|error| format!("the kernel cannot be written: {error}"))
    }

    /// It has a time of its own, or needs none.
    fn ask(&self, case: &Case, contents: u32, _: Duration) -> Said {
        Said { answer: (self.ask)(case, contents), words: String::new() }
    }
}

/// What the truth that something tells comes to.
fn told(truth: Truth) -> Answer {
    match truth {
        Truth::Clean => Answer::RaceFree,
        Truth::Racy => Answer::Racy,
        Truth::Divergent => Answer::Divergent,
    }
}

/// Why something does not say: alike for all kernels.
fn unsupported(why: impl std::fmt::Display) -> Answer {
    Answer::Unsupported(without_numbers(&why.to_string()))
}

/// What the histories of all blocks of a kernel come to, in some of which threads diverge or in none.
fn shown_by(case: &Case, histories: &[History], diverges: bool) -> Answer {
    told(shown(&case.program, &histories.iter().collect::<Vec<_>>(), diverges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_validation::scorecard::kernel::{Line, Small};
    use babycuda_validation::scorecard::{About, Fragment};

    /// All implementations that need nothing else, on a kernel.
    fn said(fragment: Fragment, body: &[&str]) -> Vec<(&'static str, Answer)> {
        let line = |text: &&str| match text.split_once(" { ") {
            Some((head, inner)) => Line::Block(head.into(), vec![Line::Code(inner.into())]),
            None => Line::Code((*text).into()),
        };
        let small = Small { array: "s", n: 3, body: body.iter().map(line).collect() };
        let case = Case::read(fragment, small).expect("a kernel");
        let all = semantics::ALL.into_iter().chain(devices::ALL.into_iter().take(1));
        all.map(|(name, make)| (name, (make(true).expect("it is there").ask)(&case, 0))).collect()
    }

    #[test]
    fn implementations_tell_races_from_divergences() {
        let expected = |answer: Answer, said: Vec<(&'static str, Answer)>| {
            assert_eq!(said.len(), 5);
            for (name, found) in said {
                assert_eq!(found, answer, "{name}");
            }
        };
        expected(Answer::RaceFree, said(Fragment::Affine, &["X[t] = 1u;"]));
        expected(Answer::Racy, said(Fragment::Affine, &["X[t / 2] = 1u;"]));
        let waits = "if (t < 2) { __syncthreads();";
        expected(Answer::Divergent, said(Fragment::DivergentBarriers, &[waits]));
        // What they do until they part is a phase, too.
        expected(Answer::Racy, said(Fragment::DivergentBarriers, &["X[0] = 1u;", waits]));
        expected(Answer::Racy, said(Fragment::DivergentBarriers, &[waits, "X[0] = 1u;"]));
        let apart = &["X[t] = 1u;", waits, "if (t > 2) { X[t] = 2u;"];
        expected(Answer::Divergent, said(Fragment::DivergentBarriers, apart));
    }

    #[test]
    fn a_name_or_a_group_is_asked() {
        let names = |name: &str| {
            let tools = tools(name).map(|tools| tools.asked).expect("they are there");
            tools.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("solvers"), ["solvers"]);
        let (own, implementations) = (names(TECHNIQUES), names(IMPLEMENTATIONS));
        assert!(own.contains(&"hirace".to_owned()) && implementations.contains(&"sim".to_owned()));
        assert_eq!(names(ALL).len(), own.len() + implementations.len());
        assert!(names("nobody").is_empty());
        let all = tools(ALL).map(|tools| tools.left_out).expect("some are there");
        assert!(
            all.iter()
                .all(|(name, why)| super::names().contains(&name.as_str()) && !why.is_empty())
        );
        assert_eq!(semantics::ALL[0].1(false).map(|tool| tool.about), Ok(About::Run));
    }
}
