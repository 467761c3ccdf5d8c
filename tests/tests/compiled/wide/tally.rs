//! What the comparisons of random kernels come to.

use super::case::Case;
use super::compare::Verdict;
use crate::parsers::reason;
use babycuda_campaign::{Plan, State, merge_fields, setting};
use babycuda_frontend::{Kernel, Overflow};
use babycuda_testkit::Distribution;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

/// What they came to.
#[derive(Default)]
pub struct Tally {
    pub seen: Distribution,
    /// The seeds of each reason for which a case was not compared.
    others: BTreeMap<String, Vec<u64>>,
    failures: Vec<(Case, String)>,
}

merge_fields!(Tally { seen, others, failures });

impl Tally {
    /// Notes why a kernel is not translated.
    pub fn refuse(&mut self, by: &str, kernel: &Kernel, case: &Case) {
        let why = reason(kernel).unwrap_or_default();
        // Without its place.
        let why = why.splitn(3, ':').last().unwrap_or_default();
        self.leave(format!("{by}:{why}"), case);
    }

    /// Notes why a case is not compared.
    pub fn leave(&mut self, why: String, case: &Case) {
        self.others.entry(why).or_default().push(case.seed);
    }

    /// Counts a case that has these labels, too. Only where it is compared do they count.
    pub fn judge(&mut self, case: &Case, more: &[&'static str], verdict: Verdict) {
        let what = match verdict {
            Verdict::Equal { races } => {
                let mut labels: BTreeSet<&str> = case.labels.iter().chain(more).copied().collect();
                let undefined = case.overflow == Overflow::AssumeNone;
                labels.extend(undefined.then_some("overflow is undefined"));
                labels.extend(races.into_iter().chain(["compared"]));
                return self.seen.case(labels);
            }
            Verdict::Open(what) => {
                self.leave(format!("open: {what}"), case);
                "open"
            }
            Verdict::Limit => {
                self.leave("limit".to_owned(), case);
                "limit"
            }
            Verdict::Different(text) => {
                self.failures.push((case.clone(), text));
                "different"
            }
        };
        self.seen.case([what]);
    }

    /// The reasons, and the first difference.
    pub fn show(&self) {
        println!("{:?}\n{:?}", self.others, self.failures.first().map(|(_, text)| text));
    }
}

/// Compares as many random kernels as are asked for, which all have to agree. `least`: of how many of them a label is, in
/// percent.
pub fn campaign(
    generate: fn(u64) -> Case,
    batch: impl Fn(&[Case]) -> Tally + Sync,
    least: &[(&str, f64)],
) {
    let (first, count) = (setting("BABYCUDA_SEED", 0), setting("BABYCUDA_CASES", 2_000));
    let plan = Plan { first, batch: 100, workers: 2, ..Plan::of(count) };
    let work = |(): &mut (), seeds: Range<u64>| {
        let cases: Vec<Case> = seeds.map(generate).collect();
        ControlFlow::Continue(batch(&cases))
    };
    let tally: Tally = plan.run(State::new(&plan), || (), work, |_| {}).found;
    println!("{}", tally.seen);
    let mut why: Vec<_> = tally.others.iter().collect();
    why.sort_by_key(|(_, seeds)| std::cmp::Reverse(seeds.len()));
    for (why, seeds) in why.iter().take(40) {
        println!("{:6} {why} (seed {})", seeds.len(), seeds[0]);
    }
    for (case, failure) in &tally.failures {
        println!("seed {}: {}", case.seed, failure.lines().next().unwrap_or_default());
    }
    for (case, failure) in tally.failures.iter().take(setting("BABYCUDA_SHOW", 3)) {
        println!("{case}{failure}\n");
    }
    assert_eq!(tally.failures.len(), 0);
    let skipped = tally.seen.count("skipped");
    if skipped > 0 {
        println!("without clang, {skipped} cases are skipped");
        return;
    }
    tally.seen.assert_share("compared", 0.8..=1.0);
    tally.seen.assert_share("races compared", 0.75..=1.0);
    if count >= 1_000 {
        for (label, least) in least {
            tally.seen.assert_share(label, least / 100.0..=1.0);
        }
    }
}
