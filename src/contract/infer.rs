//! Abduction: the weakest simple condition under which a racy kernel is race-free.
//!
//! Launches as people make them are checked one by one, as far as the time allows: each is an example of what the condition
//! should allow or must exclude. Among the sets of candidates that exclude all races known so far, the one that allows most
//! is checked; a race of it is the next example. Where no set is found so, a launch that is race-free is made weaker, part
//! by part.

use super::candidates::{Candidate, USUAL_GRID, candidates, equations};
use super::choose::{Flags, Known, choose};
use super::contents;
use super::samples::{Label, holds, label, realistic};
use super::under::{check_all, fixed, races};
use crate::{CheckOptions, Checked};
use babycuda_core::clock::Instant;
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::verdict::Outcome;
use babycuda_core::{Budget, Configuration, Program};
use std::time::Duration;

/// No longer than this, and not longer than so many questions.
const QUESTIONS: u32 = 6;
/// See above.
const MAX_TIME: Duration = Duration::from_secs(6);
/// A question to solvers takes no longer than this.
const ONE_QUESTION: Duration = Duration::from_millis(500);
/// And before any launch is checked, no longer than this.
const QUICK_QUESTION: Duration = Duration::from_millis(100);
/// A set of candidates is checked no longer than this.
const ONE_CHECK: Duration = Duration::from_millis(800);
/// A race is replayed in no more steps than this.
const STEPS: u64 = 500_000;
/// So many launches are checked by themselves at most, in a quarter of the time.
const MAX_LAUNCHES: usize = 64;
/// So many sets of candidates are checked at most, before half of the time is over.
const MAX_CHECKS: usize = 60;
/// So many conditions on contents of arrays are checked at most.
const MAX_CONTENTS: usize = 12;
/// Where so many launches as people make them were checked and all of them race, no condition is looked for.
const HOPELESS: usize = 24;
/// So many are checked before any launch is, of those that allow one launch in so many of the first ones.
const QUICK_CHECKS: usize = 6;
/// See above.
const BROAD: usize = 8;
/// See above.
const FEW: usize = 128;
/// A useful condition allows one realistic launch in so many.
const RARE: usize = 400;
/// For each part of a launch so many weaker ones are checked.
const WEAKER: usize = 5;

/// What was found out about a racy kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inferred {
    /// What is to hold for it to be race-free, in C. Together they are checked, and launches as people make them satisfy
    /// them. Empty: none was found.
    pub conditions: Vec<String>,
    /// So many launches as people make them were checked, and all of them race. 0: that is not so.
    pub racy_at: usize,
}

/// What reads a kernel again, with conditions that its user states.
pub type Stated<'a> = dyn Fn(&[String]) -> Option<Vec<Program>> + 'a;

/// Looks for what is to hold for a kernel, which `checked` found racy, to be race-free, in the time of a few questions and
/// no more than a few seconds. The kernel is race-free where all of `programs` are, of which the first one has all that it
/// does. `stated` reads it again: nothing is found that does not make that race-free, too. `examples` are programs of it
/// under launches that somebody makes.
pub fn infer(
    programs: &[Program],
    examples: &[Program],
    checked: &Checked,
    options: &CheckOptions,
    stated: &Stated<'_>,
) -> Inferred {
    let Some(program) = programs.first() else { return Inferred::default() };
    let mut search = Search::new(program, programs, examples, options, stated);
    search.bad = races(checked);
    if checked.verdict.outcome != Outcome::Racy || search.bad.is_empty() {
        return Inferred::default();
    }
    let contents = contents::matter(checked);
    if contents && let Some(conditions) = search.contents() {
        return Inferred { conditions, racy_at: 0 };
    }
    let launches = realistic(program, examples);
    // What excludes the races and little else needs no examples.
    let few: Vec<&Configuration> = launches.iter().take(FEW).collect();
    search.quick.timeout = options.timeout.min(QUICK_QUESTION);
    let quickly = search.sets(&[], &few, QUICK_CHECKS, few.len() / BROAD);
    search.quick.timeout = options.timeout.min(ONE_QUESTION);
    if let Some(parts) = quickly {
        let conditions = parts.into_iter().map(|part| part.text).collect();
        return Inferred { conditions, racy_at: 0 };
    }
    let (mut free, mut open, mut racy) = (Vec::new(), Vec::new(), 0);
    let begin = Instant::now();
    for (n, at) in launches.iter().enumerate() {
        let hopeless = free.is_empty() && racy >= HOPELESS;
        let more = n < MAX_LAUNCHES && !hopeless && begin.elapsed() < search.time / 4;
        match if more { label(programs, at, &search.quick, false) } else { Label::Open } {
            Label::Free => free.push(at),
            Label::Racy => {
                racy += 1;
                search.bad.push(at.clone());
            }
            Label::Open => open.push(at),
        }
    }
    if free.is_empty() && racy >= HOPELESS {
        let sure = |at: &&Configuration| label(programs, at, &search.quick, true) == Label::Racy;
        let racy_at = search.bad.iter().rev().take(HOPELESS).filter(sure).count();
        let all = racy_at == HOPELESS && !contents;
        return Inferred { racy_at: if all { racy_at } else { 0 }, ..Inferred::default() };
    }
    let enough = (open.len() / RARE).max(1);
    let found = search.sets(&free, &open, MAX_CHECKS, enough).or_else(|| search.weakest(&free));
    let conditions = found.unwrap_or_default().into_iter().map(|part| part.text).collect();
    Inferred { conditions, racy_at: 0 }
}

/// What is checked.
struct Search<'a> {
    program: &'a Program,
    programs: &'a [Program],
    examples: &'a [Program],
    stated: &'a Stated<'a>,
    candidates: Vec<Candidate>,
    quick: CheckOptions,
    time: Duration,
    start: Instant,
    /// Launches that race.
    bad: Vec<Configuration>,
}

/// How a set of conditions was judged.
enum Judged {
    Free,
    Racy,
    Open,
}

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        programs: &'a [Program],
        examples: &'a [Program],
        options: &CheckOptions,
        stated: &'a Stated<'a>,
    ) -> Search<'a> {
        let time = options.budget.at_most((options.timeout * QUESTIONS).min(MAX_TIME));
        let timeout = options.timeout.min(ONE_QUESTION);
        let quick = CheckOptions {
            budget: Budget::time(time),
            timeout,
            races: 1,
            verdict_only: true,
            replay_steps: options.replay_steps.min(STEPS),
            ..options.clone()
        };
        let candidates = candidates(program, examples);
        let (start, bad) = (Instant::now(), Vec::new());
        Search { program, programs, examples, stated, candidates, quick, time, start, bad }
    }

    /// Is the program race-free where these hold? A race is remembered.
    fn judge(&mut self, parts: &[&Candidate]) -> Judged {
        let one = Budget::time(self.quick.budget.at_most(ONE_CHECK));
        let quick = CheckOptions { budget: one, ..self.quick.clone() };
        let narrowed = self.programs.iter().cloned().map(|mut narrowed| {
            for part in parts {
                narrowed.sources.stated.push((part.condition.clone(), part.text.clone()));
                narrowed.assumptions.push(part.condition.clone());
            }
            fixed(narrowed, parts)
        });
        let Some(found) = check_all(narrowed, &quick) else { return Judged::Open };
        match found.verdict.outcome {
            Outcome::Drf => {}
            Outcome::Racy => {
                let more = races(&found);
                let new = !more.is_empty();
                self.bad.extend(more);
                return if new { Judged::Racy } else { Judged::Open };
            }
            _ => return Judged::Open,
        }
        // It is what it says that counts.
        let texts: Vec<String> = parts.iter().map(|part| part.text.clone()).collect();
        let stated = (self.stated)(&texts).unwrap_or_default();
        let again = check_all(stated.into_iter().map(|program| fixed(program, parts)), &quick);
        match again.map(|found| found.verdict.outcome) {
            Some(Outcome::Drf) => Judged::Free,
            _ => Judged::Open,
        }
    }

    /// What is to hold of arrays that the host filled.
    fn contents(&mut self) -> Option<Vec<String>> {
        for texts in contents::candidates(self.program).into_iter().take(MAX_CONTENTS) {
            let one = Budget::time(self.quick.budget.at_most(ONE_CHECK));
            let quick = CheckOptions { budget: one, ..self.quick.clone() };
            let stated = (self.stated)(&texts).unwrap_or_default();
            let found = check_all(stated.into_iter(), &quick);
            if found.is_some_and(|found| found.verdict.outcome == Outcome::Drf) {
                return Some(texts);
            }
        }
        None
    }

    /// Does the set exclude all races that are known?
    fn excludes(&self, parts: &[&Candidate]) -> bool {
        self.bad.iter().all(|at| parts.iter().any(|part| !holds(&part.condition, at)))
    }

    /// The set of candidates that allows most of these launches, after so many checks at most; where none is known to be
    /// race-free, `enough` of the others.
    fn sets(
        &mut self,
        free: &[&Configuration],
        open: &[&Configuration],
        checks: usize,
        enough: usize,
    ) -> Option<Vec<Candidate>> {
        let enough = enough.max(1);
        let mut all: Vec<Known> = self
            .candidates
            .iter()
            .cloned()
            .map(|candidate| Known::new(candidate, free, open))
            .filter(|known| known.free.count() > 0 || known.open.count() >= enough)
            .collect();
        // The weakest first.
        all.sort_by_key(|known| std::cmp::Reverse((known.free.count(), known.open.count())));
        let mut refused: Vec<Vec<usize>> = Vec::new();
        for _ in 0..checks {
            let first = checks < MAX_CHECKS;
            let late = self.start.elapsed() > self.time / if first { 8 } else { 2 };
            if self.quick.budget.check().is_err() || (late && (first || !free.is_empty())) {
                return None;
            }
            all.iter_mut().for_each(|known| known.meets(&self.bad));
            let chosen = choose(&all, self.bad.len(), enough, &refused)?;
            let parts: Vec<Candidate> = chosen.iter().map(|i| all[*i].candidate.clone()).collect();
            match self.judge(&parts.iter().collect::<Vec<_>>()) {
                Judged::Free => return Some(self.fewest(parts)),
                Judged::Racy => {}
                Judged::Open => {
                    let blocks = self.with_blocks(&parts, free);
                    if blocks.is_some() {
                        return blocks;
                    }
                    refused.push(chosen);
                }
            }
        }
        None
    }

    /// Those of the parts that it does not do without.
    fn fewest(&mut self, mut parts: Vec<Candidate>) -> Vec<Candidate> {
        for i in (0..parts.len()).rev() {
            let mut rest: Vec<&Candidate> = parts.iter().collect();
            rest.remove(i);
            if !rest.is_empty() && matches!(self.judge(&rest), Judged::Free) {
                parts.remove(i);
            }
        }
        parts
    }

    /// The same for blocks of one size, of which more may be decided.
    fn with_blocks(
        &mut self,
        parts: &[Candidate],
        free: &[&Configuration],
    ) -> Option<Vec<Candidate>> {
        let satisfies = |at: &&&Configuration| parts.iter().all(|part| holds(&part.condition, at));
        let at = free.iter().filter(satisfies).max_by_key(|at| at.launch.block.count())?;
        let mut blocks = equations(self.program, at);
        blocks.retain(|part| part.equation().is_some_and(|(x, _)| BLOCK_DIM.contains(&x.as_str())));
        if blocks.iter().all(|block| parts.contains(block)) {
            return None;
        }
        // What speaks of blocks only is so then.
        let open = |part: &&Candidate| {
            part.condition.free_vars().iter().any(|x| !BLOCK_DIM.contains(&x.as_str()))
        };
        let rest = parts.iter().filter(open).cloned();
        let all: Vec<Candidate> = rest.chain(blocks.iter().cloned()).collect();
        matches!(self.judge(&all.iter().collect::<Vec<_>>()), Judged::Free).then_some(all)
    }

    /// One of these launches, made weaker part by part while it stays race-free. First any grid is tried, with parameters
    /// that fit it.
    fn weakest(&mut self, free: &[&Configuration]) -> Option<Vec<Candidate>> {
        for at in free.iter().take(3) {
            let parts = equations(self.program, at);
            let (mut fitting, mut usual) = (Vec::new(), Vec::new());
            for part in &parts {
                let Some((name, _)) = part.equation() else { continue };
                if GRID_DIM.contains(&name.as_str()) {
                    let bound = format!("{name} <= {USUAL_GRID}");
                    usual.extend(self.candidates.iter().find(|c| c.text == bound).cloned());
                    continue;
                }
                let begin = format!("{name} == ");
                let relates = |c: &&Candidate| {
                    c.text.starts_with(&begin)
                        && c.text.contains("gridDim")
                        && holds(&c.condition, at)
                };
                fitting.push(self.candidates.iter().find(relates).unwrap_or(part).clone());
            }
            usual.extend(fitting.iter().cloned());
            for parts in [fitting, usual, parts] {
                if self.quick.budget.check().is_err() {
                    return None;
                }
                let whole: Vec<&Candidate> = parts.iter().collect();
                if !parts.is_empty() && matches!(self.judge(&whole), Judged::Free) {
                    return Some(self.weaker(parts, at));
                }
            }
        }
        None
    }

    fn weaker(&mut self, mut parts: Vec<Candidate>, at: &Configuration) -> Vec<Candidate> {
        let all: Vec<Candidate> =
            self.candidates.iter().filter(|c| holds(&c.condition, at)).cloned().collect();
        // What is true of the launch, the weakest first.
        let others = realistic(self.program, self.examples);
        let allows =
            |c: &Candidate| Flags::of(others.iter().map(|at| holds(&c.condition, at))).count();
        let mut all: Vec<(usize, Candidate)> = all.into_iter().map(|c| (allows(&c), c)).collect();
        all.sort_by_key(|(allowed, _)| std::cmp::Reverse(*allowed));
        for i in (0..parts.len()).rev() {
            let own = parts[i].condition.free_vars();
            let mut tried = 0;
            let weaker: Vec<Option<&Candidate>> = std::iter::once(None)
                .chain(all.iter().filter_map(|(_, c)| {
                    let about = own.iter().all(|x| c.condition.free_vars().contains(x));
                    (about && *c != parts[i]).then_some(Some(c))
                }))
                .collect();
            for instead in weaker {
                let rest = parts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, part)| part);
                let next: Vec<&Candidate> = rest.chain(instead).collect();
                if next.is_empty() || !self.excludes(&next) {
                    continue;
                }
                if self.quick.budget.check().is_err() || tried >= WEAKER {
                    break;
                }
                tried += 1;
                if matches!(self.judge(&next), Judged::Free) {
                    let next = next.into_iter().cloned();
                    // The places of those that are still to come stay.
                    parts = next.collect();
                    break;
                }
            }
        }
        parts
    }
}
