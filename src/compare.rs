//! All techniques on one kernel at one launch, beside what is true of it.

use crate::{CheckOptions, check};
use babycuda_core::evidence::{Report, Witness};
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{AccessMode, Budget, Configuration, Program, Site, Span, Thread};
use babycuda_detectors::benign::{Runs, determined};
use babycuda_detectors::happens_before::{Trials, tried};
use babycuda_detectors::{Claims, Detector, Fragment, Races, Refusal};
use babycuda_kernel::{At, Kernel};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A kernel with all that techniques read of it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The text of its file.
    pub source: &'a str,
    /// Its typed tree, if the file has one.
    pub tree: Option<&'a Kernel>,
    /// Its translation, with launch and parameters fixed, or why there is none.
    pub program: Result<&'a Program, &'a str>,
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
    /// Where threads diverge: two of a block, each with the line of the barrier where it waits, or at its end.
    pub divergences: Vec<[(u64, Option<u32>); 2]>,
    /// The claims that it makes of this kernel: that it misses no race, that it raises no false alarm.
    pub claims: [bool; 2],
    /// What the verdict assumes.
    pub assumptions: Vec<String>,
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
    /// Do both write, and store the same value, in the runs that were made? `None`: that is not known.
    pub same_value: Option<bool>,
}

/// All answers.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// What is true, as far as that is known; its `technique` says how.
    pub truth: Answer,
    /// The techniques, this library's first.
    pub answers: Vec<Answer>,
    /// Do all schedules leave the same memory at each barrier, with these contents of memory before? `None`: that is
    /// not known. A race of a kernel of which this is so is benign, and one where both accesses store the same value
    /// is, too: the two are different things.
    pub determined: Option<bool>,
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

    /// Does it refute with that what the technique claims of this kernel?
    pub fn refutes_a_claim(&self, truth: &Answer) -> bool {
        let [misses_none, no_false_alarm] = self.claims;
        match self.contradicts(truth) {
            Some(_) if self.verdict == Some("drf") => misses_none,
            Some(_) => no_false_alarm,
            None => false,
        }
    }
}

/// Asks all techniques, and says what is true: a race that a run of the kernel has, under one of several
/// schedules; else what [`check`] says, which is about all contents of memory.
///
/// Each technique has the time of `options.timeout`, as have the runs, and all have that of `options.budget`. What is
/// not decided by then is unknown.
pub fn compare(
    subject: &Subject<'_>,
    detectors: &[Box<dyn Detector>],
    options: &CheckOptions,
) -> Compared {
    let asking = Asking { subject, options, runs: RefCell::default() };
    let own = asking.checked();
    let ran = asking.detected("schedules that were tried", |tree| {
        tried(tree, subject.configuration, &Trials::default())
    });
    // A run says what happens with these contents: that there is a race, and not that there is none.
    let truth = match (ran.verdict, own.verdict) {
        (Some("racy"), _) => ran,
        (Some("drf"), None | Some("unknown")) => Answer {
            verdict: Some("unknown"),
            reason: Some("no race with these contents of memory; others were not tried".to_owned()),
            ..ran
        },
        (Some("drf"), Some("drf")) => Answer {
            technique: "check of the translation, and schedules that were tried".to_owned(),
            ..own.clone()
        },
        _ => Answer { technique: "check of the translation".to_owned(), ..own.clone() },
    };
    let determined = asking.runs_of(subject.configuration).and_then(|runs| {
        let all = || determined(subject.tree?, subject.configuration, &runs);
        asking.budget().within(all).ok()?
    });
    let others = detectors.iter().map(|detector| {
        let answer =
            asking.detected(detector.name(), |tree| detector.detect(tree, subject.configuration));
        let claims = subject.tree.map_or([false; 2], |tree| {
            let Claims { misses_no_race, raises_no_false_alarm, races } = detector.claims();
            let made = |claim: Option<Fragment>| claim.is_some_and(|of| (of.holds)(tree));
            // Whether the race is a harmful one is known where some schedules leave different memories.
            let meant = races == Races::All || determined == Some(false);
            [made(misses_no_race) && meant, made(raises_no_false_alarm)]
        });
        Answer { claims, ..answer }
    });
    let answers = std::iter::once(own).chain(others).collect();
    Compared { truth, answers, determined }
}

/// A kernel that techniques are asked about.
struct Asking<'a> {
    subject: &'a Subject<'a>,
    options: &'a CheckOptions,
    /// Its runs, by what they begin with; `None`: it cannot be run.
    runs: RefCell<Vec<(Configuration, Option<Rc<Runs>>)>>,
}

impl Asking<'_> {
    /// What one technique may take.
    fn budget(&self) -> Budget {
        Budget::time(self.options.timeout).sooner(self.options.budget)
    }

    /// Some runs with this launch, these parameters and these contents.
    fn runs_of(&self, configuration: &Configuration) -> Option<Rc<Runs>> {
        let configuration = Configuration { block: 0, ..configuration.clone() };
        let mut known = self.runs.borrow_mut();
        if let Some((_, runs)) = known.iter().find(|(begun, _)| *begun == configuration) {
            return runs.clone();
        }
        let trials = Trials { random: 3, ..Trials::default() };
        let run = |tree| self.budget().within(|| Runs::of(tree, &configuration, &trials));
        let runs = self.subject.tree.and_then(|tree| run(tree).ok()?.ok()).map(Rc::new);
        known.push((configuration, runs.clone()));
        runs
    }

    /// What this library's own technique says: types and protocols (LCL22).
    fn checked(&self) -> Answer {
        let line = |site: Site| {
            let sources = &self.subject.program.ok()?.sources;
            sources.spans.get(&site).map(|span| span.line)
        };
        let start = Instant::now();
        let options = CheckOptions { budget: self.budget(), ..self.options.clone() };
        let result = match self.subject.program {
            Ok(program) => check(program, &options).map(|c| c.verdict).map_err(|e| e.to_string()),
            Err(reason) => Err(reason.to_owned()),
        };
        // A race-free verdict is one of all launches in its scope, and an alarm has its witness.
        Answer { claims: [true; 2], ..self.answer("protocols", result, start.elapsed(), &line) }
    }

    /// What a technique says of the typed tree.
    fn detected(
        &self,
        name: &str,
        ask: impl FnOnce(&Kernel) -> Result<Verdict, Refusal>,
    ) -> Answer {
        let start = Instant::now();
        let unread = || Refusal::unsupported("what this kernel or its file declares", At(0));
        let ask = || self.subject.tree.ok_or_else(unread).and_then(ask);
        let result = match self.budget().within(ask) {
            Ok(Ok(verdict)) => Ok(verdict),
            Ok(Err(limit @ Refusal::Limit(_))) => Ok(undecided(limit.to_string())),
            Ok(Err(refusal @ Refusal::Unsupported { at, .. })) => Err(match self.line(at.0) {
                Some(line) => format!("{refusal} (line {line})"),
                None => refusal.to_string(),
            }),
            Ok(Err(other)) => Err(other.to_string()),
            Err(out_of_time) => Ok(undecided(out_of_time.to_string())),
        };
        self.answer(name, result, start.elapsed(), &|site| self.line(site.0))
    }

    /// The line of a node of the typed tree.
    fn line(&self, node: u32) -> Option<u32> {
        let origin = self.subject.tree?.origins.get(node as usize)?;
        Some(Span::locate(self.subject.source, origin.bytes.clone()).line)
    }

    fn answer(
        &self,
        technique: &str,
        result: Result<Verdict, String>,
        time: Duration,
        line: &dyn Fn(Site) -> Option<u32>,
    ) -> Answer {
        let mut answer = Answer {
            technique: technique.to_owned(),
            verdict: None,
            reason: None,
            races: Vec::new(),
            divergences: Vec::new(),
            claims: [false; 2],
            assumptions: Vec::new(),
            time,
        };
        let verdict = match result {
            Ok(verdict) => verdict,
            Err(reason) => return Answer { reason: Some(reason), ..answer },
        };
        answer.verdict = Some(verdict.outcome.word());
        answer.reason = match &verdict.outcome {
            Outcome::Unknown(why) => Some(why.clone()),
            _ if verdict.method == Method::None => Some("no check ran".to_owned()),
            _ => None,
        };
        answer.races = verdict.races.iter().map(|race| self.found(race, line)).collect();
        let diverging = verdict.divergences.iter().map(|found| {
            let divergence = found.witness.divergence;
            [divergence.first, divergence.second]
                .map(|(thread, barrier)| (thread, barrier.and_then(line)))
        });
        answer.divergences = diverging.collect();
        if let Some(scope) = &verdict.scope {
            answer.assumptions.clone_from(&scope.assumptions);
            let lines: BTreeSet<u32> = scope.no_overflow_at.iter().map(|at| at.line).collect();
            let lines = lines.iter().map(|line| format!("no overflow in line {line}"));
            answer.assumptions.extend(lines);
        }
        answer
    }

    fn found(&self, race: &Report<Witness>, line: &dyn Fn(Site) -> Option<u32>) -> Found {
        let sides = [&race.first, &race.second];
        let writes = sides.iter().all(|side| side.mode == AccessMode::Wr);
        let runs = || self.runs_of(&race.configuration);
        Found {
            cell: race.cell.to_string(),
            sides: sides.map(|side| (side.thread, side.mode.keyword(), line(side.site))),
            same_value: match writes {
                true => runs().and_then(|runs| runs.same_value(race)),
                false => Some(false),
            },
        }
    }
}

fn undecided(why: String) -> Verdict {
    Verdict {
        outcome: Outcome::Unknown(why),
        scope: None,
        method: Method::None,
        races: Vec::new(),
        divergences: Vec::new(),
    }
}
