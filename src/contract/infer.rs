//! Abduction: the weakest simple condition under which a racy kernel is race-free.
//!
//! Races are examples of what the condition must exclude, launches as people make them of what it should allow. Among the
//! sets of candidates that exclude all races known so far, the smallest that allows most is checked; a race of it is the
//! next example.

use super::candidates::{Candidate, candidates, holds, realistic};
use crate::{CheckOptions, Checked, check};
use babycuda_core::evidence::Certainty;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Budget, Configuration, Program};
use std::time::Duration;

/// No longer than this, and not longer than so many questions.
const QUESTIONS: u32 = 4;
/// See above.
const MAX_TIME: Duration = Duration::from_secs(3);
/// One candidate is checked no longer than this.
const ONE_QUESTION: Duration = Duration::from_millis(600);
/// A condition has so many parts at most.
const MAX_PARTS: usize = 3;
/// So many are checked at most.
const MAX_CHECKS: usize = 60;
/// A useful condition allows one realistic launch in so many.
const RARE: usize = 500;

/// What is to hold for `program`, which `checked` found racy, to be race-free: conditions in words. Each is needed as far
/// as was found out; together they are checked, and launches as people make them satisfy them. `None`: none was found, in
/// the time of one question and no more than a few seconds.
pub fn infer(program: &Program, checked: &Checked, options: &CheckOptions) -> Option<Vec<String>> {
    let racy = |found: &Checked| -> Vec<Configuration> {
        let races = found.verdict.races.iter();
        let sure = races.filter(|race| race.certainty != Certainty::Potential);
        sure.map(|race| race.configuration.clone()).collect()
    };
    let mut bad = racy(checked);
    if checked.verdict.outcome != Outcome::Racy || bad.is_empty() {
        return None;
    }
    let time = options.budget.at_most((options.timeout * QUESTIONS).min(MAX_TIME));
    let budget = Budget::time(time);
    let question = options.timeout.min(ONE_QUESTION);
    let quick = CheckOptions { budget, timeout: question, races: 1, ..options.clone() };
    let good = realistic(program);
    let mut all: Vec<(Candidate, Vec<bool>)> = candidates(program)
        .into_iter()
        .map(|c| {
            let allows = good.iter().map(|at| holds(&c.condition, at)).collect();
            (c, allows)
        })
        .collect();
    let enough = (good.len() / RARE).max(1);
    all.retain(|(_, allows): &(_, Vec<bool>)| count(allows) >= enough);
    // The weakest first.
    all.sort_by_key(|(_, allows)| std::cmp::Reverse(count(allows)));
    let mut refused: Vec<Vec<usize>> = Vec::new();
    for _ in 0..MAX_CHECKS {
        budget.check().ok()?;
        let excludes: Vec<Vec<bool>> = all
            .iter()
            .map(|(c, _)| bad.iter().map(|at| !holds(&c.condition, at)).collect())
            .collect();
        let chosen = choose(&all, &excludes, bad.len(), enough, &refused)?;
        let mut narrowed = program.clone();
        for i in &chosen {
            let (candidate, _) = &all[*i];
            let stated = (candidate.condition.clone(), candidate.text.clone());
            narrowed.sources.stated.push(stated);
            narrowed.assumptions.push(candidate.condition.clone());
        }
        let found = check(&narrowed, &quick).ok()?;
        match found.verdict.outcome {
            Outcome::Drf => return Some(chosen.iter().map(|i| all[*i].0.text.clone()).collect()),
            Outcome::Racy => {
                let more = racy(&found);
                if more.is_empty() {
                    refused.push(chosen);
                } else {
                    bad.extend(more);
                }
            }
            _ => refused.push(chosen),
        }
    }
    None
}

fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|flag| **flag).count()
}

/// The smallest set of candidates that excludes all races, of those the one that allows most.
fn choose(
    all: &[(Candidate, Vec<bool>)],
    excludes: &[Vec<bool>],
    races: usize,
    enough: usize,
    refused: &[Vec<usize>],
) -> Option<Vec<usize>> {
    let mut best: Option<(usize, Vec<usize>)> = None;
    let useful: Vec<usize> =
        (0..all.len()).filter(|i| excludes[*i].iter().any(|excluded| *excluded)).collect();
    for size in 1..=MAX_PARTS {
        let mut chosen = Vec::new();
        let mut seek = Seek { all, excludes, useful: &useful, refused, enough, best: &mut best };
        seek.sets(size, 0, &mut chosen, &vec![false; races], None);
        if let Some((_, chosen)) = best {
            return Some(chosen);
        }
    }
    None
}

/// A search through sets of candidates.
struct Seek<'a> {
    all: &'a [(Candidate, Vec<bool>)],
    excludes: &'a [Vec<bool>],
    useful: &'a [usize],
    refused: &'a [Vec<usize>],
    enough: usize,
    best: &'a mut Option<(usize, Vec<usize>)>,
}

impl Seek<'_> {
    fn sets(
        &mut self,
        size: usize,
        from: usize,
        chosen: &mut Vec<usize>,
        excluded: &[bool],
        allows: Option<&[bool]>,
    ) {
        if size == 0 {
            let allowed = allows.map_or(0, count);
            let better = self.best.as_ref().is_none_or(|(known, _)| allowed > *known);
            let whole = excluded.iter().all(|e| *e) && allowed >= self.enough;
            if whole && better && !self.refused.iter().any(|r| r == chosen) {
                *self.best = Some((allowed, chosen.clone()));
            }
            return;
        }
        for at in from..self.useful.len() {
            let i = self.useful[at];
            // Each part excludes a race that those before it do not.
            let news = self.excludes[i].iter().zip(excluded).any(|(new, old)| *new && !*old);
            if !news {
                continue;
            }
            let both: Vec<bool> =
                self.excludes[i].iter().zip(excluded).map(|(a, b)| *a || *b).collect();
            if size == 1 && !both.iter().all(|e| *e) {
                continue;
            }
            let own = &self.all[i].1;
            let allowed: Vec<bool> = match allows {
                Some(allows) => allows.iter().zip(own).map(|(a, b)| *a && *b).collect(),
                None => own.clone(),
            };
            let known = self.best.as_ref().map_or(0, |(known, _)| *known);
            if count(&allowed) <= known {
                continue;
            }
            chosen.push(i);
            self.sets(size - 1, at + 1, chosen, &both, Some(&allowed));
            chosen.pop();
        }
    }
}
