//! All techniques on one kernel at one launch, beside what is true of it.

use crate::interleaved::{interleaved, of_all};
use crate::places::Places;
use crate::replayed::replayed;
use crate::{CheckOptions, check};
use babycuda_core::clock::Instant;
use babycuda_core::evidence::{Divergence, Evaluator, Report, Witness};
use babycuda_core::natural::Integer;
use babycuda_core::syntax::Domain;
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{AccessMode, Budget, Configuration, Name, Natural, Program, Site, Span};
use babycuda_detectors::benign::{Runs, determined};
use babycuda_detectors::happens_before::{Claim, Trials, tried};
use babycuda_detectors::{Claims, Detector, Fragment, Races, Refusal};
use babycuda_kernel::{At, Kernel};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

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
    /// Where threads diverge: two of a block, each with the place of the barrier where it waits, or at its end.
    pub divergences: Vec<[(u64, Option<Span>); 2]>,
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
    /// Who accesses which cell, with which parameters and data.
    pub witness: Witness,
    /// The parameters, as their types read them.
    pub parameters: Vec<(Name, Integer)>,
    /// Where both accesses stand; `None`: that is not known.
    pub places: [Option<Span>; 2],
    /// Do both write, and store the same value, in the runs that were made? `None`: that is not known.
    pub same_value: Option<bool>,
    /// What replayed it: the semantics, in the translation, as every race of this library is replayed.
    pub evaluator: Option<Evaluator>,
    /// Was it replayed, or has one of the runs of the kernel that were made from the witness's launch, parameters and
    /// contents this race: of the cell, by the two threads, with both accesses at their places and in their modes?
    /// `None`: there is no run, or a place is not known. A race that no run has may be one of other data or schedules.
    pub replayed: Option<bool>,
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
    /// What holds of all answers: what was assumed, or taken so, when the kernel was read.
    pub notes: Vec<String>,
}

impl Answer {
    /// Does it say that all is well where there is a race or a divergence, or that there is one where all is well?
    pub fn contradicts(&self, truth: &Answer) -> Option<&'static str> {
        match (self.verdict, truth.verdict) {
            (Some("drf"), Some("racy")) => Some("misses a race"),
            (Some("drf"), Some("divergent")) => Some("misses a divergence"),
            (Some("racy" | "divergent"), Some("drf")) => Some("false alarm"),
            _ => None,
        }
    }

    /// Does it refute with that what the technique claims of this kernel? (No technique claims to miss no
    /// divergence.)
    pub fn refutes_a_claim(&self, truth: &Answer) -> bool {
        let [misses_none, no_false_alarm] = self.claims;
        match (self.verdict, self.contradicts(truth)) {
            (_, None) => false,
            (Some("drf"), _) => misses_none && truth.verdict == Some("racy"),
            _ => no_false_alarm,
        }
    }
}

impl Compared {
    /// Of a kernel that nobody was asked about, for this reason.
    pub fn unasked(why: String) -> Compared {
        let technique = "nothing, since no technique was asked".to_owned();
        let (races, divergences, assumptions) = Default::default();
        let (verdict, reason, claims) = (Some("unknown"), Some(why), [false; 2]);
        let time = Duration::ZERO;
        let truth =
            Answer { technique, verdict, reason, races, divergences, claims, assumptions, time };
        Compared { truth, answers: Vec::new(), determined: None, notes: Vec::new() }
    }
}

/// Asks all techniques, and says what is true. Of a small launch that is what all its interleavings come to. Of others,
/// it is a race that a run of the kernel has, under one of several schedules; else what [`check`] says, which is about
/// all contents of memory.
///
/// Each technique has the time of `options.timeout`, as have the runs, and all have that of `options.budget`. What is
/// not decided by then is unknown.
pub fn compare(
    subject: &Subject<'_>,
    detectors: &[Box<dyn Detector>],
    options: &CheckOptions,
) -> Compared {
    let places = subject.tree.map(|tree| Places::of(subject.source, tree));
    let asking = Asking { subject, options, places, runs: RefCell::default() };
    let own = asking.checked();
    let ran = asking.detected("schedules that were tried", |tree| {
        tried(tree, subject.configuration, &Trials::default())
    });
    let truth = asking.truth(&own, ran);
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
    let notes = subject.program.iter().flat_map(|program| &program.notes);
    let notes = notes.map(|note| note.message.clone()).collect();
    Compared { truth, answers, determined, notes }
}

/// What the sites of a technique are.
struct Sites<'a> {
    /// Where one stands.
    place: &'a dyn Fn(Site) -> Option<Span>,
    nodes: &'a Nodes<'a>,
}

/// The nodes of the typed tree that the access of a site is at, in its mode.
type Nodes<'a> = dyn Fn(Site, AccessMode) -> BTreeSet<Site> + 'a;

/// A kernel that techniques are asked about.
struct Asking<'a> {
    subject: &'a Subject<'a>,
    options: &'a CheckOptions,
    places: Option<Places<'a>>,
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

    /// What is true, given what the library's own technique says and what the runs show.
    fn truth(&self, own: &Answer, ran: Answer) -> Answer {
        let start = Instant::now();
        let visit = || interleaved(self.subject.program.ok()?, self.subject.configuration);
        let all = self.budget().within(visit).ok().flatten();
        let assumes = |program: &Program| !program.contents_assumed.is_empty();
        if self.subject.program.is_ok_and(assumes) && ran.verdict == Some("racy") {
            return of_assumed(own);
        }
        if let Some(all) = all {
            let mut answer = of_all(&all, own, ran, start.elapsed());
            for race in &mut answer.races {
                race.parameters = self.parameters(&race.witness.configuration);
            }
            return answer;
        }
        // A run says what happens with these contents: that there is a race, and not that there is none.
        match (ran.verdict, own.verdict) {
            (Some("racy"), _) => ran,
            (Some("drf"), None | Some("unknown")) => Answer {
                verdict: Some("unknown"),
                reason: Some(
                    "no race with these contents of memory; others were not tried".to_owned(),
                ),
                ..ran
            },
            (Some("drf"), Some("drf")) => Answer {
                technique: "check of the translation, and schedules that were tried".to_owned(),
                ..own.clone()
            },
            _ => Answer { technique: "check of the translation".to_owned(), ..own.clone() },
        }
    }

    /// What this library's own technique says: types and protocols (LCL22).
    fn checked(&self) -> Answer {
        let place = |site: Site| {
            let sources = &self.subject.program.ok()?.sources;
            sources.spans.get(&site).copied()
        };
        let start = Instant::now();
        let options = CheckOptions { budget: self.budget(), ..self.options.clone() };
        let result = match self.subject.program {
            Ok(program) => check(program, &options).map(|c| c.verdict).map_err(|e| e.to_string()),
            Err(reason) => Err(reason.to_owned()),
        };
        let nodes = |site: Site, mode| match (self.places.as_ref(), place(site)) {
            (Some(places), Some(place)) => places.nodes(place, mode),
            _ => BTreeSet::new(),
        };
        // A race-free verdict is one of all launches in its scope, and an alarm has its witness.
        let answer = self.answer(
            "protocols",
            result,
            start.elapsed(),
            &Sites { place: &place, nodes: &nodes },
        );
        Answer { claims: [true; 2], ..answer }
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
            Ok(Err(refusal @ Refusal::Unsupported { at, .. })) => {
                Err(match self.place(Site(at.0)) {
                    Some(Span { line, .. }) => format!("{refusal} (line {line})"),
                    None => refusal.to_string(),
                })
            }
            Ok(Err(other)) => Err(other.to_string()),
            Err(out_of_time) => Ok(undecided(out_of_time.to_string())),
        };
        let time = start.elapsed();
        let place = |site: Site| self.place(site);
        let result = result.map(|verdict| self.shown(verdict));
        let nodes = |site, _| BTreeSet::from([site]);
        self.answer(name, result, time, &Sites { place: &place, nodes: &nodes })
    }

    /// The verdict of a technique with its races replayed, where the semantics can.
    fn shown(&self, mut verdict: Verdict) -> Verdict {
        let Ok(program) = self.subject.program else { return verdict };
        let place = |site, mode| self.places.as_ref()?.telling(site, mode);
        let options = CheckOptions { budget: self.budget(), ..self.options.clone() };
        for race in &mut verdict.races {
            let again = || replayed(&race.witness, &place, program, &options);
            let Ok(again) = options.budget.within(again) else { break };
            if let Some(Report { certainty, replay, .. }) = again {
                (race.certainty, race.replay) = (certainty, replay);
            }
        }
        verdict
    }

    /// Where a node of the typed tree stands.
    fn place(&self, node: Site) -> Option<Span> {
        self.places.as_ref()?.span(node)
    }

    fn answer(
        &self,
        technique: &str,
        result: Result<Verdict, String>,
        time: Duration,
        sites: &Sites<'_>,
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
        answer.races = self.found(&verdict.races, sites);
        let diverging = verdict.divergences.iter().map(|found| {
            let Divergence { first, second, .. } = found.witness.divergence;
            [first, second].map(|(thread, barrier)| (thread, barrier.and_then(sites.place)))
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

    /// The parameters of a launch as their types read them.
    fn parameters(&self, at: &Configuration) -> Vec<(Name, Integer)> {
        let read = |(name, value): (&Name, &Natural)| {
            let value = match self.subject.program {
                Ok(program) => program.read_parameter(name, value),
                Err(_) => Domain::Natural.read(value),
            };
            (name.clone(), value)
        };
        at.parameters.iter().map(read).collect()
    }

    fn found(&self, races: &[Report<Witness>], sites: &Sites<'_>) -> Vec<Found> {
        let replayed = self.replayed(races, sites.nodes);
        let found = races.iter().zip(replayed).map(|(race, replayed)| {
            let writes = [&race.first, &race.second].iter().all(|side| side.mode == AccessMode::Wr);
            Found {
                witness: race.witness.clone(),
                parameters: self.parameters(&race.configuration),
                places: [&race.first, &race.second].map(|side| (sites.place)(side.site)),
                same_value: match writes {
                    true => {
                        self.runs_of(&race.configuration).and_then(|runs| runs.same_value(race))
                    }
                    false => Some(false),
                },
                evaluator: race.replay.as_ref().map(|replay| replay.evaluator),
                replayed,
            }
        });
        found.collect()
    }

    /// Which of the races a run has.
    fn replayed(&self, races: &[Report<Witness>], nodes: &Nodes<'_>) -> Vec<Option<bool>> {
        let own = |race: &Report<Witness>| race.replay.is_some().then_some(true);
        let mut all: Vec<Option<bool>> = races.iter().map(own).collect();
        let begun =
            |race: &Report<Witness>| Configuration { block: 0, ..race.configuration.clone() };
        for (first, race) in races.iter().enumerate() {
            // Those of one configuration are looked for at once.
            if races[..first].iter().any(|other| begun(other) == begun(race)) {
                continue;
            }
            let alike: Vec<usize> =
                (first..races.len()).filter(|n| begun(&races[*n]) == begun(race)).collect();
            let Some(runs) = self.runs_of(&race.configuration) else { continue };
            let claim = |n: usize| Some((n, Claim::of(&races[n].witness, nodes)?));
            let (told, asked): (Vec<usize>, Vec<Claim>) =
                alike.into_iter().filter_map(claim).unzip();
            let Ok(had) = self.budget().within(|| runs.have(&asked)) else { continue };
            for (n, has) in told.into_iter().zip(had) {
                all[n] = all[n].or(Some(has));
            }
        }
        all
    }
}

/// What is true where the runs that race begin with contents that may not be as the kernel assumes: no technique but the
/// library's own knows what it assumes.
fn of_assumed(own: &Answer) -> Answer {
    let truth = Answer { technique: "check of the translation".to_owned(), ..own.clone() };
    let reason = "a run races with contents that may not be as assumed";
    match own.verdict {
        Some("racy") => truth,
        _ => Answer { verdict: Some("unknown"), reason: Some(reason.to_owned()), ..truth },
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
