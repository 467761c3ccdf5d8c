//! Techniques held against the ground truth, kernel by kernel.

use super::case::Case;
use super::fragment::Fragment;
use super::technique::{About, Answer, Technique};
use super::truth::Truth;
use babycuda_campaign::{Least, Merge, reduce, shards};
use babycuda_detectors::Races;
use rand_xoshiro::rand_core::RngCore;
use std::collections::BTreeMap;
use std::time::Duration;

/// A claim that a paper makes for its technique.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Claim {
    /// It misses no race.
    MissesNoRace,
    /// It raises no false alarm.
    RaisesNoFalseAlarm,
}

/// How often a technique said what of the kernels of a fragment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Alarms on kernels that race or diverge.
    pub found: u64,
    /// Kernels that race or diverge, called clean.
    pub missed: u64,
    /// Alarms on clean kernels.
    pub false_alarms: u64,
    /// Clean kernels, called so.
    pub clean: u64,
    /// No verdict on a kernel that races or diverges.
    pub silent: u64,
    /// No verdict on a clean kernel.
    pub unknown: u64,
    /// Kernels outside of the technique's language.
    pub unsupported: u64,
    /// What a kernel took, in microseconds.
    pub times: Vec<u64>,
}

impl Tally {
    /// The share of alarms that are true; `None`: there was no alarm.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.found, self.false_alarms)
    }

    /// The share of the wrong kernels of its language on which it raises an alarm; `None`: there were
    /// none.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found, self.missed + self.silent)
    }

    /// The median time of a kernel.
    pub fn median(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        Duration::from_micros(times.get(times.len() / 2).copied().unwrap_or(0))
    }

    pub(super) fn add(&mut self, answer: &Answer, is_wrong: bool) {
        let count = match (answer, is_wrong) {
            (Answer::Wrong, true) => &mut self.found,
            (Answer::Clean, true) => &mut self.missed,
            (Answer::Wrong, false) => &mut self.false_alarms,
            (Answer::Clean, false) => &mut self.clean,
            (Answer::Unknown(_), true) => &mut self.silent,
            (Answer::Unknown(_), false) => &mut self.unknown,
            (Answer::Unsupported(_), _) => &mut self.unsupported,
        };
        *count += 1;
    }
}

fn ratio(of: u64, others: u64) -> Option<f64> {
    (of + others > 0).then(|| of as f64 / (of + others) as f64)
}

impl Merge for Tally {
    fn merge(&mut self, other: Tally) {
        self.found += other.found;
        self.missed += other.missed;
        self.false_alarms += other.false_alarms;
        self.clean += other.clean;
        self.silent += other.silent;
        self.unknown += other.unknown;
        self.unsupported += other.unsupported;
        self.times.extend(other.times);
    }
}

/// What was found of all techniques.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Kernels by fragment, and how many of them race and how many diverge.
    pub kernels: BTreeMap<Fragment, [u64; 3]>,
    /// By technique and fragment.
    pub tallies: BTreeMap<(&'static str, Fragment), Tally>,
    /// Kernels on which a claim is false, the smallest first: by size and number.
    pub refuted: BTreeMap<(&'static str, Claim), Refuted>,
}

/// The numbers of the smallest kernels that refute a claim, by size; and how many do.
#[derive(Clone, Debug, Default)]
pub struct Refuted {
    /// How many.
    pub kernels: u64,
    least: Least<(usize, u64), u64, 1>,
}

impl Merge for Refuted {
    fn merge(&mut self, other: Refuted) {
        self.kernels += other.kernels;
        self.least.merge(other.least);
    }
}

impl Merge for Score {
    fn merge(&mut self, other: Score) {
        for (fragment, counts) in other.kernels {
            let own = self.kernels.entry(fragment).or_default();
            own.iter_mut().zip(counts).for_each(|(own, count)| *own += count);
        }
        for (key, tally) in other.tallies {
            self.tallies.entry(key).or_default().merge(tally);
        }
        for (key, refuted) in other.refuted {
            self.refuted.entry(key).or_default().merge(refuted);
        }
    }
}

/// Holds the techniques against the kernels of the numbers below `kernels`.
pub fn score(techniques: &[Technique], seed: u64, kernels: u64) -> Score {
    shards(|shard| {
        let mut score = Score::default();
        for number in (0..kernels).filter(|number| shard.takes(*number)) {
            score.kernel(techniques, seed, number);
        }
        score
    })
}

impl Score {
    fn kernel(&mut self, techniques: &[Technique], seed: u64, number: u64) {
        let Some(case) = Case::of(seed, number) else { return };
        let Some((worst, _)) = case.worst() else { return };
        let counts = self.kernels.entry(case.fragment).or_default();
        counts[0] += 1;
        counts[1] += u64::from(worst == Truth::Racy);
        counts[2] += u64::from(worst == Truth::Divergent);
        for technique in techniques {
            let contents = contents_of(&case, seed, number);
            let (answer, time) = technique.judge(&case, contents);
            let tally = self.tallies.entry((technique.name, case.fragment)).or_default();
            let truth = match technique.about {
                About::Inputs => Some(worst),
                About::Run => case.truth(contents),
            };
            let Some(truth) = truth else { continue };
            tally.add(&answer, truth != Truth::Clean);
            tally.times.push(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
            for claim in [Claim::MissesNoRace, Claim::RaisesNoFalseAlarm] {
                if technique.refutes(claim, &case, contents, &answer, truth) {
                    let refuted = self.refuted.entry((technique.name, claim)).or_default();
                    refuted.kernels += 1;
                    refuted.least.add((case.small.size(), number), number);
                }
            }
        }
    }

    /// The smallest kernel that was found to refute a claim, made smaller.
    pub fn counterexample(
        &self,
        techniques: &[Technique],
        seed: u64,
        of: (&str, Claim),
    ) -> Option<Case> {
        let technique = techniques.iter().find(|technique| technique.name == of.0)?;
        let refuted = self.refuted.iter().find(|(key, _)| **key == of)?.1;
        let (_, number) = *refuted.least.iter().next()?;
        let found = Case::of(seed, number)?;
        let contents = contents_of(&found, seed, number);
        let judge = |case: &Case| {
            let truth = match technique.about {
                About::Inputs => case.worst()?.0,
                About::Run => case.truth(contents)?,
            };
            let (answer, _) = technique.judge(case, contents);
            technique.refutes(of.1, case, contents, &answer, truth).then_some(())
        };
        Some(reduce((found, ()), Case::smaller, judge, 500).0)
    }
}

/// The contents with which a kernel is run.
fn contents_of(case: &Case, seed: u64, number: u64) -> u32 {
    match case.fragment.depends_on_contents() {
        true => babycuda_campaign::random(!seed, number).next_u32() % super::truth::CONTENTS,
        false => 0,
    }
}

impl Technique {
    /// Does the answer refute what the paper claims? A divergence is no race.
    fn refutes(
        &self,
        claim: Claim,
        case: &Case,
        contents: u32,
        answer: &Answer,
        truth: Truth,
    ) -> bool {
        let counts = || self.claims.races == Races::All || case.is_harmful(contents);
        let (fragment, refuted) = match claim {
            Claim::MissesNoRace => (
                self.claims.misses_no_race,
                *answer == Answer::Clean && truth == Truth::Racy && counts(),
            ),
            Claim::RaisesNoFalseAlarm => (
                self.claims.raises_no_false_alarm,
                *answer == Answer::Wrong && truth == Truth::Clean,
            ),
        };
        refuted && fragment.is_some_and(|fragment| (fragment.holds)(&case.tree))
    }
}
