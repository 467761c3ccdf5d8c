//! Sets of candidates that exclude all races known so far, and allow most of the launches that are known to be race-free.

use super::candidates::Candidate;
use super::samples::holds;
use babycuda_core::Configuration;

/// A condition has so many parts at most.
pub(super) const MAX_PARTS: usize = 5;

/// Which of some launches: one bit each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Flags(Vec<u64>);

impl Flags {
    pub(super) fn of(flags: impl IntoIterator<Item = bool>) -> Flags {
        let mut words = Vec::new();
        for (i, flag) in flags.into_iter().enumerate() {
            if i % 64 == 0 {
                words.push(0);
            }
            if let Some(last) = words.last_mut() {
                *last |= u64::from(flag) << (i % 64);
            }
        }
        Flags(words)
    }

    fn zip(&self, other: &Flags, f: impl Fn(u64, u64) -> u64) -> Flags {
        Flags(self.0.iter().zip(&other.0).map(|(a, b)| f(*a, *b)).collect())
    }

    fn and(&self, other: &Flags) -> Flags {
        self.zip(other, |a, b| a & b)
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// A candidate with the launches that satisfy it.
pub(super) struct Known {
    pub(super) candidate: Candidate,
    unusual: bool,
    /// Of those that are race-free.
    pub(super) free: Flags,
    /// Of those of which it is not known.
    pub(super) open: Flags,
    /// Of those that are racy.
    pub(super) racy: Flags,
}

impl Known {
    pub(super) fn new(
        candidate: Candidate,
        free: &[&Configuration],
        open: &[&Configuration],
    ) -> Known {
        let of = |all: &[&Configuration]| {
            Flags::of(all.iter().map(|at| holds(&candidate.condition, at)))
        };
        let (free, open, unusual) = (of(free), of(open), candidate.is_unusual());
        Known { candidate, unusual, free, open, racy: Flags::default() }
    }

    pub(super) fn meets(&mut self, racy: &[Configuration]) {
        self.racy = Flags::of(racy.iter().map(|at| holds(&self.candidate.condition, at)));
    }
}

/// Launches that some parts allow.
#[derive(Clone)]
struct Allowed {
    free: Flags,
    open: Flags,
    racy: Flags,
}

impl Allowed {
    fn with(&self, known: &Known) -> Allowed {
        Allowed {
            free: self.free.and(&known.free),
            open: self.open.and(&known.open),
            racy: self.racy.and(&known.racy),
        }
    }

    /// What is more is better: race-free launches, of which each further part must be worth some, then others. A part that
    /// is unusual makes it worth less.
    fn worth(&self, parts: usize, unusual: usize) -> (usize, usize) {
        (self.free.count() * 64 / (parts + unusual + 3), self.open.count() * 64 / (unusual + 1))
    }
}

/// A set of candidates that excludes all of so many racy launches; those in `refused` are none. All sets of one or two are
/// looked at; larger ones are made part by part.
pub(super) fn choose(
    all: &[Known],
    races: usize,
    enough: usize,
    refused: &[Vec<usize>],
) -> Option<Vec<usize>> {
    let first = all.first()?;
    let full = |flags: &Flags| Flags(vec![u64::MAX; flags.0.len()]);
    let start =
        Allowed { free: full(&first.free), open: full(&first.open), racy: full(&first.racy) };
    let useful: Vec<usize> = (0..all.len()).filter(|i| all[*i].racy.count() < races).collect();
    let some_free = all.iter().any(|known| known.free.count() > 0);
    let mut best: Option<((usize, usize), Vec<usize>)> = None;
    let mut offer = |allowed: &Allowed, chosen: &[usize]| {
        let fits = allowed.racy.count() == 0
            && if some_free { allowed.free.count() > 0 } else { allowed.open.count() >= enough };
        let unusual = chosen.iter().filter(|i| all[**i].unusual).count();
        let worth = allowed.worth(chosen.len(), unusual);
        let mut chosen = chosen.to_vec();
        chosen.sort_unstable();
        if fits
            && best.as_ref().is_none_or(|(known, _)| worth > *known)
            && !refused.contains(&chosen)
        {
            best = Some((worth, chosen));
        }
    };
    for (n, i) in useful.iter().enumerate() {
        let one = start.with(&all[*i]);
        offer(&one, &[*i]);
        if one.racy.count() == 0 {
            continue;
        }
        for j in &useful[n + 1..] {
            if one.racy.and(&all[*j].racy).count() == 0 {
                offer(&one.with(&all[*j]), &[*i, *j]);
            }
        }
    }
    // Part by part, around each launch that is race-free.
    let seeds = all.iter().map(|known| known.free.0.len() * 64).max().unwrap_or(0);
    let mut seen: Vec<Vec<usize>> = Vec::new();
    for seed in 0..seeds {
        let (word, bit) = (seed / 64, 1u64 << (seed % 64));
        let of_seed: Vec<usize> =
            useful.iter().copied().filter(|i| all[*i].free.0[word] & bit != 0).collect();
        let (mut allowed, mut chosen) = (start.clone(), Vec::new());
        while allowed.racy.count() > 0 && chosen.len() < MAX_PARTS {
            let before = allowed.racy.count().min(races);
            let gain = |i: &usize| {
                let next = allowed.with(&all[*i]);
                (before - next.racy.count().min(before)) * (next.free.count() + 1)
            };
            let Some(next) = of_seed.iter().copied().max_by_key(gain) else { break };
            if gain(&next) == 0 || chosen.contains(&next) {
                break;
            }
            allowed = allowed.with(&all[next]);
            chosen.push(next);
        }
        if seen.contains(&chosen) {
            continue;
        }
        seen.push(chosen.clone());
        // What later parts exclude, too, needs no part of its own.
        for i in chosen.clone() {
            let rest: Vec<usize> = chosen.iter().copied().filter(|j| *j != i).collect();
            let without = rest.iter().fold(start.clone(), |a, j| a.with(&all[*j]));
            if without.racy.count() == 0 && !rest.is_empty() {
                (allowed, chosen) = (without, rest);
            }
        }
        if !chosen.is_empty() {
            offer(&allowed, &chosen);
        }
    }
    best.map(|(_, chosen)| chosen)
}
