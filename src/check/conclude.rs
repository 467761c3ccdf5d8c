//! From findings to a verdict: each race and each divergence is held against runs, and what stays open is said.

use super::{CheckOptions, Checked, Code, Findings, alone, diverge, replay, report, smaller};
use crate::benign;
use babycuda_core::evidence::{Certainty, DivergenceWitness, Report, Witness};
use babycuda_core::syntax::Sources;
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Declarations, Together};
use babycuda_semantics::Stuck;
use std::collections::BTreeMap;

/// Where a race is certain, replays of others get this part of the steps: the verdict is racy whatever they come to.
const RACY: u64 = 8;

/// The verdict on the findings. Findings about a program are compared with its runs; without code
/// there are none.
pub(super) fn conclude(
    declarations: &Declarations,
    code: Option<Code<'_>>,
    findings: Findings,
    options: &CheckOptions,
) -> Checked {
    let Findings { method, mut open, remarks, ordered, assumed, .. } = findings;
    let asked = |w: &Witness| options.asks_for(&w.cell.array);
    let solved = matches!(method, Method::Solver { .. });
    let (mut races, mut divergences) = (Vec::new(), Vec::new());
    if let Some(code) = code {
        let stage = Stage { declarations, code, solved, options };
        races = stage.races(findings.races.into_iter().filter(asked), &mut open);
        let certain = races.iter().any(|race| race.certainty != Certainty::Potential);
        if !(options.verdict_only && certain) {
            races.extend(findings.alarms.into_iter().filter(asked).map(potential));
        }
        divergences = stage.divergences(findings.divergences, &mut open);
    }
    let all_races = !options.verdict_only
        && open.is_empty()
        && races.iter().all(|r| r.certainty != Certainty::Potential);
    let same_value = match code {
        Some(Code::Program(program, _)) => benign::same_values(program, &races),
        _ => BTreeMap::new(),
    };
    let outcome = outcome(&declarations.sources, &races, &divergences, open);
    let in_warps = code.is_some_and(|code| match code {
        Code::Program(program, _) => program.body.waits_in_warps(),
        Code::Protocol(map) => map.protocol.waits_in_warps(),
    });
    let mut scope = report::scope(declarations, in_warps, options.array.as_ref(), ordered);
    scope.assumptions.extend(assumed);
    let verdict = Verdict { outcome, scope: Some(scope), method, races, divergences };
    Checked { same_value, all_races, ..Checked::of(declarations.clone(), verdict, remarks) }
}

fn potential<W>(witness: W) -> Report<W> {
    Report { witness, certainty: Certainty::Potential, replay: None }
}

/// What findings are held against.
struct Stage<'a> {
    declarations: &'a Declarations,
    code: Code<'a>,
    /// Did solvers find them? Then there may be smaller ones.
    solved: bool,
    options: &'a CheckOptions,
}

impl Stage<'_> {
    /// The races, judged; why some are no more than potential becomes open.
    fn races(
        &self,
        found: impl Iterator<Item = Witness>,
        open: &mut Vec<String>,
    ) -> Vec<Report<Witness>> {
        let (mut races, made) = (Vec::new(), replay::Made::default());
        let (mut resting, mut unordered) = (0, 0);
        let certain = |race: &Report<Witness>| race.certainty != Certainty::Potential;
        let short =
            CheckOptions { replay_steps: self.options.replay_steps / RACY, ..self.options.clone() };
        for witness in found {
            let options = if races.iter().any(certain) { &short } else { self.options };
            let (report, stopped, rests_on_updates) = self.race(witness, options, &made);
            match stopped {
                _ if certain(&report) => {}
                None if rests_on_updates => unordered += 1,
                None => resting += 1,
                Some(why) => say(open, report::not_replayed("race", self.declarations, &why)),
            }
            if self.options.verdict_only && certain(&report) {
                return vec![report];
            }
            races.push(report);
        }
        if let Err(exhausted) = self.options.budget.check()
            && !races.iter().all(certain)
            && open.is_empty()
        {
            open.push(format!("replays: {exhausted}"));
        }
        let orders = "what atomic updates yield: no order that was tried has it";
        for (count, what) in [(unordered, orders), (resting, "data")] {
            match count {
                0 => {}
                1 => open.insert(0, format!("1 potential race rests on {what}")),
                n => open.insert(0, format!("{n} potential races rest on {what}")),
            }
        }
        races
    }

    /// A race, in the smallest launch that has it; what stopped its run, and whether it rests on what atomic updates yield.
    fn race(
        &self,
        found: Witness,
        options: &CheckOptions,
        made: &replay::Made,
    ) -> (Report<Witness>, Option<Stuck>, bool) {
        let smaller = || smaller::smaller(self.code.protocol(), self.declarations, &found);
        let budget = self.options.budget;
        let smaller = if self.solved { budget.within(smaller).ok().flatten() } else { None };
        let mut witness = smaller.clone().unwrap_or_else(|| found.clone());
        let (program, approximation) = match self.code {
            Code::Protocol(map) => return (alone::race(map, witness, options), None, false),
            Code::Program(program, approximation) => (program, approximation),
        };
        let launch = witness.configuration.launch;
        if Together::of(program, &program.body, launch).is_some() {
            // The phases of its run are those of the grid.
            (witness.first.phase, witness.second.phase) = (None, None);
        }
        let judge = |w: &Witness| replay::judge(program, approximation, w, options, made);
        let mut judged = judge(&witness);
        if judged.certainty == Certainty::Potential && smaller.is_some() {
            (judged, witness) = (judge(&found), found);
        }
        let (stopped, rests_on_updates) = (judged.stopped.take(), judged.unordered);
        (judged.report(program, witness), stopped, rests_on_updates)
    }

    /// The divergences, likewise.
    fn divergences(
        &self,
        found: Vec<DivergenceWitness>,
        open: &mut Vec<String>,
    ) -> Vec<Report<DivergenceWitness>> {
        let mut divergences = Vec::new();
        for witness in found {
            let (divergence, stopped) = match self.code {
                Code::Protocol(map) => (alone::divergence(map, witness, self.options), None),
                Code::Program(program, approximation) => {
                    let judge =
                        || diverge::judge(program, approximation, witness.clone(), self.options);
                    self.options.budget.within(judge).unwrap_or_else(|exhausted| {
                        open.push(format!("the run of a divergence: {exhausted}"));
                        (potential(witness), None)
                    })
                }
            };
            let scope = divergence.witness.divergence.scope;
            let divergence = match self.declarations.sources.lets_pass(scope) {
                Some(why) => {
                    say(open, why.to_owned());
                    potential(divergence.witness)
                }
                None => divergence,
            };
            divergences.push(divergence);
            let why = |why: Stuck| report::not_replayed("divergence", self.declarations, &why);
            open.extend(stopped.map(why));
        }
        divergences
    }
}

/// What is open is said once.
fn say(open: &mut Vec<String>, why: String) {
    if !open.contains(&why) {
        open.push(why);
    }
}

/// The verdict with these races in the place of its own. If one is proved, it is racy.
#[cfg(feature = "runs")]
pub(crate) fn with_races(mut checked: Checked, races: Vec<Report<Witness>>) -> Checked {
    if races.iter().any(|race| race.certainty != Certainty::Potential) {
        checked.verdict.outcome = Outcome::Racy;
    }
    checked.verdict.races = races;
    checked
}

/// Proved races first; then proved divergences, where no race comes before them; then what is not
/// shown; race-free last.
fn outcome(
    sources: &Sources,
    races: &[Report<Witness>],
    divergences: &[Report<DivergenceWitness>],
    open: Vec<String>,
) -> Outcome {
    let sure = |c: Certainty| c != Certainty::Potential;
    if races.iter().any(|r| sure(r.certainty)) {
        return Outcome::Racy;
    }
    let mut reasons: Vec<String> = Vec::new();
    let lets_pass = |d: &Report<DivergenceWitness>| sources.lets_pass(d.witness.divergence.scope);
    let diverges = divergences.iter().any(|d| sure(d.certainty));
    if diverges && open.is_empty() {
        return Outcome::Divergent;
    }
    match (diverges, divergences.is_empty()) {
        (true, _) => reasons
            .push("threads diverge at a barrier, but whether a race comes first is open".into()),
        // Why it is potential was said.
        (false, false) if divergences.iter().all(|d| lets_pass(d).is_some()) => {}
        (false, false) => reasons.push("a potential barrier divergence rests on data".into()),
        (false, true) => {}
    }
    reasons.extend(open);
    if reasons.is_empty() { Outcome::Drf } else { Outcome::Unknown(reasons.join("; ")) }
}
