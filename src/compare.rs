//! All techniques on one kernel at one launch, beside what is true of it.

use crate::{CheckOptions, check};
use babycuda_core::evidence::{Report, Side, Witness};
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Configuration, Program, Span, Thread};
use babycuda_detectors::happens_before::{Trials, tried};
use babycuda_detectors::{Detector, Refusal};
use babycuda_kernel::{At, Kernel};
use std::time::{Duration, Instant};

/// A kernel with all that techniques read of it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The text of its file.
    pub source: &'a str,
    /// Its typed tree, if the file has one.
    pub tree: Option<&'a Kernel>,
    /// Its translation, with launch and parameters fixed, if there is one.
    pub program: Option<&'a Program>,
    /// The launch, the parameters, and what the host stored.
    pub configuration: &'a Configuration,
}

/// What a technique came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Its name.
    pub technique: String,
    /// The word of its verdict; `None`: it refuses the kernel.
    pub verdict: Option<&'static str>,
    /// Why it is unknown, or why the kernel is refused.
    pub reason: Option<String>,
    /// The races that it reports.
    pub races: Vec<Found>,
    /// How long it took.
    pub time: Duration,
}

/// A race that is reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The cell.
    pub cell: String,
    /// Both accesses: the thread, how, and the line.
    pub sides: [(Thread, &'static str, Option<u32>); 2],
}

/// All answers.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// What is true, as far as that is known; its `technique` says how.
    pub truth: Answer,
    /// The techniques, this library's first.
    pub answers: Vec<Answer>,
}

impl Answer {
    /// Does it say that there is no race where there is one, or that there is one where there is none?
    pub fn contradicts(&self, truth: &Answer) -> Option<&'static str> {
        match (self.verdict, truth.verdict) {
            (Some("drf"), Some("racy")) => Some("misses a race"),
            (Some("racy"), Some("drf")) => Some("false alarm"),
            _ => None,
        }
    }
}

/// Asks all techniques, and says what is true: a race that a run of the kernel has, under one of several
/// schedules; else what [`check`] says, which is about all contents of memory.
pub fn compare(
    subject: &Subject<'_>,
    detectors: &[Box<dyn Detector>],
    options: &CheckOptions,
) -> Compared {
    let own = checked(subject, options);
    let ran = timed("schedules that were tried", || match subject.tree {
        Some(tree) => tried(tree, subject.configuration, &Trials::default()),
        None => Err(unread()),
    });
    let ran = answer(ran, subject);
    // A run says what happens with these contents: that there is a race, and not that there is none.
    let truth = match (ran.verdict, own.verdict) {
        (Some("racy"), _) => ran,
        (Some("drf"), None | Some("unknown")) => Answer {
            verdict: Some("unknown"),
            reason: Some("no race with these contents of memory; others were not tried".to_owned()),
            ..ran
        },
        _ => Answer { technique: "check of the translation".to_owned(), ..own.clone() },
    };
    let others = detectors.iter().map(|detector| {
        let asked = timed(detector.name(), || match subject.tree {
            Some(tree) => detector.detect(tree, subject.configuration),
            None => Err(unread()),
        });
        answer(asked, subject)
    });
    Compared { truth, answers: std::iter::once(own).chain(others).collect() }
}

fn unread() -> Refusal {
    Refusal::unsupported("what this kernel or its file declares", At(0))
}

type Asked = (String, Result<Verdict, Refusal>, Duration);

fn timed(name: &str, ask: impl FnOnce() -> Result<Verdict, Refusal>) -> Asked {
    let start = Instant::now();
    let result = ask();
    (name.to_owned(), result, start.elapsed())
}

/// What this library's own technique says: types and protocols (LCL22).
fn checked(subject: &Subject<'_>, options: &CheckOptions) -> Answer {
    let spans = |side: &Side| {
        let sources = &subject.program?.sources;
        sources.spans.get(&side.site).map(|span| span.line)
    };
    let start = Instant::now();
    let result = match subject.program {
        Some(program) => check(program, options).map(|c| c.verdict).map_err(|e| e.to_string()),
        None => Err("the kernel is not translated".to_owned()),
    };
    let time = start.elapsed();
    of_verdict("lcl22".to_owned(), result, time, &spans)
}

fn answer((name, result, time): Asked, subject: &Subject<'_>) -> Answer {
    let line = |side: &Side| {
        let origin = subject.tree?.origins.get(side.site.0 as usize)?;
        Some(Span::locate(subject.source, origin.bytes.clone()).line)
    };
    let result = result.map_err(|refusal| match &refusal {
        Refusal::Unsupported { at, .. } => {
            let origin = subject.tree.and_then(|tree| tree.origins.get(at.0 as usize));
            let place = origin.map(|o| Span::locate(subject.source, o.bytes.clone()));
            place.map_or_else(|| refusal.to_string(), |at| format!("{refusal} (line {})", at.line))
        }
        other => other.to_string(),
    });
    of_verdict(name, result, time, &line)
}

fn of_verdict(
    technique: String,
    result: Result<Verdict, String>,
    time: Duration,
    line: &dyn Fn(&Side) -> Option<u32>,
) -> Answer {
    let race = |race: &Report<Witness>| Found {
        cell: race.cell.to_string(),
        sides: [&race.first, &race.second].map(|s| (s.thread, s.mode.keyword(), line(s))),
    };
    match result {
        Err(reason) => {
            Answer { technique, verdict: None, reason: Some(reason), races: Vec::new(), time }
        }
        Ok(verdict) => {
            let reason = match &verdict.outcome {
                Outcome::Unknown(why) => Some(why.clone()),
                _ if verdict.method == Method::None => Some("no check ran".to_owned()),
                _ => None,
            };
            let races = verdict.races.iter().map(race).collect();
            Answer { technique, verdict: Some(verdict.outcome.word()), reason, races, time }
        }
    }
}
