//! The search for a set of candidates under which a kernel is race-free.

use super::candidates::{Candidate, USUAL_GRID, candidates, equations};
use super::choose::{Flags, Known, choose};
use super::contents;
use super::infer::Stated;
use super::samples::{Label, holds, label, realistic};
use super::under::{check_all, fixed, races, under};
use super::watch::Watched;
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
/// A set of candidates is checked no longer than this, or than a part of the time that is left.
const ONE_CHECK: Duration = Duration::from_millis(800);
/// See above.
const PART_OF_TIME: u32 = 4;
/// What was found is read again so many times at most.
const MAX_CONFIRMATIONS: usize = 3;
/// And then checked no longer than this.
const CONFIRMATION: Duration = Duration::from_secs(2);
/// A race is replayed in no more steps than this.
const STEPS: u64 = 500_000;
/// So many sets of candidates are checked at most, before half of the time is over.
const MAX_CHECKS: usize = 60;
/// So many are checked before any launch is, of those that allow one launch in so many of the first ones, before an eighth
/// of the time is over.
const QUICK_CHECKS: usize = 6;
/// See above.
const BROAD: usize = 8;
/// See above.
const FEW: usize = 128;
/// So many conditions on contents of arrays are checked at most.
const MAX_CONTENTS: usize = 12;
/// For each part of a launch so many weaker ones are checked.
const WEAKER: usize = 10;

/// What a set says, part by part.
pub(super) fn texts(parts: &[Candidate]) -> Vec<String> {
    parts.iter().map(|part| part.text.clone()).collect()
}

/// What is checked.
pub(super) struct Search<'a> {
    pub(super) program: &'a Program,
    pub(super) programs: &'a [Program],
    stated: &'a Stated<'a>,
    candidates: Vec<Candidate>,
    /// As people make them.
    pub(super) launches: Vec<Configuration>,
    checked: &'a Checked,
    /// Made when it is asked for.
    watched: Option<Watched>,
    /// That of the user.
    budget: Budget,
    pub(super) quick: CheckOptions,
    /// A question takes no longer than this.
    question: Duration,
    pub(super) time: Duration,
    start: Instant,
    /// Launches that race.
    pub(super) bad: Vec<Configuration>,
    /// How often what was found was read again.
    confirmations: usize,
}

/// How a set of conditions was judged.
enum Judged {
    Free,
    Racy,
    Open,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        program: &'a Program,
        programs: &'a [Program],
        examples: &'a [Program],
        checked: &'a Checked,
        options: &CheckOptions,
        stated: &'a Stated<'a>,
    ) -> Search<'a> {
        let time = options.budget.at_most((options.timeout * QUESTIONS).min(MAX_TIME));
        let question = options.timeout.min(ONE_QUESTION);
        let quick = CheckOptions {
            budget: Budget::time(time),
            timeout: question,
            races: 1,
            verdict_only: true,
            replay_steps: options.replay_steps.min(STEPS),
            ..options.clone()
        };
        Search {
            program,
            programs,
            stated,
            candidates: candidates(program, examples),
            launches: realistic(program, examples),
            checked,
            watched: None,
            budget: options.budget,
            quick,
            question,
            time,
            start: Instant::now(),
            bad: races(checked),
            confirmations: 0,
        }
    }

    /// Is the program race-free where these hold? A race is remembered.
    fn judge(&mut self, parts: &[&Candidate]) -> Judged {
        let narrowed = self.programs.iter().map(|program| under(program, parts));
        let Some(found) = check_all(narrowed, &self.one_check()) else { return Judged::Open };
        match found.verdict.outcome {
            Outcome::Drf => Judged::Free,
            Outcome::Racy => {
                let more = races(&found);
                let new = !more.is_empty();
                self.bad.extend(more);
                if new { Judged::Racy } else { Judged::Open }
            }
            _ => Judged::Open,
        }
    }

    /// Is it of use, and is the program race-free where it is read with these texts? It is what it says that counts. To
    /// read it may take longer than all else (another parser is a process of its own): that, and what is done here, is no
    /// part of the time of the search.
    fn confirmed(&mut self, texts: &[String], parts: &[Candidate]) -> bool {
        let parts: Vec<&Candidate> = parts.iter().collect();
        let options =
            CheckOptions { budget: self.budget, timeout: self.question, ..self.quick.clone() };
        let watched = self
            .watched
            .get_or_insert_with(|| Watched::new(self.program, &self.checked.verdict, &options));
        if self.confirmations == MAX_CONFIRMATIONS
            || (!parts.is_empty() && watched.is_idle(&parts, &self.launches, &options))
        {
            return false;
        }
        self.confirmations += 1;
        let stated = (self.stated)(texts).unwrap_or_default();
        let options =
            CheckOptions { budget: Budget::time(self.budget.at_most(CONFIRMATION)), ..options };
        let again = check_all(stated.into_iter().map(|program| fixed(program, &parts)), &options);
        again.is_some_and(|found| found.verdict.outcome == Outcome::Drf)
    }

    fn is_over(&self) -> bool {
        self.confirmations == MAX_CONFIRMATIONS || self.quick.budget.check().is_err()
    }

    /// How a set of candidates is checked: in a part of the time that is left.
    fn one_check(&self) -> CheckOptions {
        let left = self.quick.budget.at_most(self.time);
        let budget = Budget::time(left.min(ONE_CHECK.max(left / PART_OF_TIME)));
        CheckOptions { budget, ..self.quick.clone() }
    }

    /// What is to hold of arrays that the host filled.
    pub(super) fn contents(&mut self) -> Option<Vec<String>> {
        for texts in contents::candidates(self.program).into_iter().take(MAX_CONTENTS) {
            let narrowed = self.programs.iter().map(|program| contents::stated(program, &texts));
            let found = check_all(narrowed, &self.one_check());
            if found.is_some_and(|found| found.verdict.outcome == Outcome::Drf)
                && self.confirmed(&texts, &[])
            {
                return Some(texts);
            }
        }
        None
    }

    /// There are some, and each of them races.
    pub(super) fn all_race(&self, launches: &[Configuration]) -> bool {
        let race = |at| label(self.programs, at, &self.quick, false) == Label::Racy;
        !launches.is_empty() && launches.iter().all(race)
    }

    /// Does the set exclude all races that are known?
    fn excludes(&self, parts: &[&Candidate]) -> bool {
        self.bad.iter().all(|at| parts.iter().any(|part| !holds(&part.condition, at)))
    }

    /// What excludes the races and little else needs no examples.
    pub(super) fn quickly(&mut self) -> Option<Vec<Candidate>> {
        let launches = self.launches.clone();
        let few: Vec<&Configuration> = launches.iter().take(FEW).collect();
        self.quick.timeout = self.question.min(QUICK_QUESTION);
        let found = self.most(&[], &few, few.len() / BROAD, QUICK_CHECKS, self.time / 8);
        self.quick.timeout = self.question;
        found
    }

    /// The set of candidates that allows most of these launches; where none is known to be race-free, `enough` of the
    /// others.
    pub(super) fn sets(
        &mut self,
        free: &[&Configuration],
        open: &[&Configuration],
        enough: usize,
    ) -> Option<Vec<Candidate>> {
        // Where no launch is known to be race-free, nothing else is looked for behind.
        let time = if free.is_empty() { self.time } else { self.time / 2 };
        self.most(free, open, enough, MAX_CHECKS, time)
    }

    /// The same, after so many checks at most, and in this time from the beginning.
    fn most(
        &mut self,
        free: &[&Configuration],
        open: &[&Configuration],
        enough: usize,
        checks: usize,
        time: Duration,
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
            if self.is_over() || self.start.elapsed() > time {
                return None;
            }
            all.iter_mut().for_each(|known| known.meets(&self.bad));
            let chosen = choose(&all, self.bad.len(), enough, &refused)?;
            let parts: Vec<Candidate> = chosen.iter().map(|i| all[*i].candidate.clone()).collect();
            match self.judge(&parts.iter().collect::<Vec<_>>()) {
                Judged::Free => {
                    let parts = self.fewest(parts);
                    if self.confirmed(&texts(&parts), &parts) {
                        return Some(parts);
                    }
                    refused.push(chosen);
                }
                Judged::Racy => {}
                Judged::Open => {
                    let known = if free.is_empty() { open } else { free };
                    let blocks = self.with_blocks(&parts, known).map(|all| self.fewest(all));
                    if let Some(blocks) = blocks.filter(|all| self.confirmed(&texts(all), all)) {
                        return Some(blocks);
                    }
                    refused.push(chosen);
                }
            }
        }
        None
    }

    /// Those of the parts that it does not do without, with the time that a question may take.
    fn fewest(&mut self, mut parts: Vec<Candidate>) -> Vec<Candidate> {
        let before = std::mem::replace(&mut self.quick.timeout, self.question);
        for i in (0..parts.len()).rev() {
            let mut rest: Vec<&Candidate> = parts.iter().collect();
            rest.remove(i);
            if !rest.is_empty() && matches!(self.judge(&rest), Judged::Free) {
                parts.remove(i);
            }
        }
        self.quick.timeout = before;
        parts
    }

    /// The same for blocks of one size, of which more may be decided.
    fn with_blocks(
        &mut self,
        parts: &[Candidate],
        launches: &[&Configuration],
    ) -> Option<Vec<Candidate>> {
        let satisfies = |at: &&&Configuration| parts.iter().all(|part| holds(&part.condition, at));
        let at = launches.iter().filter(satisfies).max_by_key(|at| at.launch.block.count())?;
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
    pub(super) fn weakest(&mut self, free: &[&Configuration]) -> Option<Vec<Candidate>> {
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
                if self.is_over() {
                    return None;
                }
                let whole: Vec<&Candidate> = parts.iter().collect();
                if !parts.is_empty() && matches!(self.judge(&whole), Judged::Free) {
                    let weaker = self.weaker(parts, at);
                    if self.confirmed(&texts(&weaker), &weaker) {
                        return Some(weaker);
                    }
                }
            }
        }
        None
    }

    fn weaker(&mut self, mut parts: Vec<Candidate>, at: &Configuration) -> Vec<Candidate> {
        let all: Vec<Candidate> =
            self.candidates.iter().filter(|c| holds(&c.condition, at)).cloned().collect();
        // What is true of the launch, the weakest first.
        let allows = |c: &Candidate| {
            Flags::of(self.launches.iter().map(|at| holds(&c.condition, at))).count()
        };
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
