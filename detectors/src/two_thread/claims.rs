//! Theorems and properties of the paper (SKBG18 §5, §5.3) as functions that check an instance against what is
//! true of it. `None`: it holds there. What is true is the caller's to say: this module calls no semantics.

use super::findings::{Diverging, Finding, Findings};
use babycuda_core::history::Cell;
use babycuda_core::launch::Thread;
use std::collections::BTreeSet;

/// What is true of a kernel at one launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Truth {
    /// The races: the cell, and the two threads, the lesser first.
    pub races: BTreeSet<(Cell, [Thread; 2])>,
    /// Do threads stop at different barriers?
    pub diverges: bool,
}

/// How an instance contradicts a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// There is a race where none was found.
    MissedRace(Cell),
    /// There is a divergence where none was found.
    MissedDivergence,
    /// A race was found that is none.
    FalseRace(Box<Finding>),
    /// A divergence was found that is none.
    FalseDivergence(Box<Diverging>),
    /// A property of one kind was found, and said to imply the other, which is not there.
    NotBoth,
    /// A kernel is racy, and no two threads are.
    NoPair,
}

/// Theorem 1: "if no satisfying assignment […] exists, then no execution of the two threads […] leading to a
/// situation fulfilling the condition […] exists". `findings` are of a configuration and `truth` is of the same.
pub fn theorem_1(findings: &Findings, truth: &Truth) -> Option<Broken> {
    if !findings.undecided.is_empty() {
        return None;
    }
    if let (true, Some((cell, _))) = (findings.races.is_empty(), truth.races.first()) {
        return Some(Broken::MissedRace(cell.clone()));
    }
    let missed = findings.divergences.is_empty() && findings.races.is_empty() && truth.diverges;
    missed.then_some(Broken::MissedDivergence)
}

/// Theorem 2: "if the function DataraceDetection (Algorithm 1) reports a data race […], then there is a data
/// race". `truth` is of the configuration of the finding's witness.
pub fn theorem_2(finding: &Finding, truth: &Truth) -> Option<Broken> {
    let witness = &finding.witness;
    let mut threads = [witness.first.thread, witness.second.thread];
    threads.sort();
    let found = truth.races.contains(&(witness.cell.clone(), threads));
    (!found).then(|| Broken::FalseRace(Box::new(finding.clone())))
}

/// Theorem 3: "if the function BarrierDivergence reports a divergent barrier at statement s_i, then there must
/// be a barrier call at s_i which is indeed divergent".
pub fn theorem_3(diverging: &Diverging, truth: &Truth) -> Option<Broken> {
    (!truth.diverges).then(|| Broken::FalseDivergence(Box::new(diverging.clone())))
}

/// Property 1 as it is explained: "if M satisfies Q, then the program contains both data race and barrier
/// divergence". (That a model is a model is checked of every one.)
pub fn property_1(findings: &Findings, truth: &Truth) -> Option<Broken> {
    let any = !findings.races.is_empty() || !findings.divergences.is_empty();
    (any && (truth.races.is_empty() || !truth.diverges)).then_some(Broken::NotBoth)
}

/// Property 2: "a kernel is free of data races iff any two arbitrary threads of execution of the kernel are
/// free of data races": `pair` says of two threads whether they are racy.
pub fn property_2(
    truth: &Truth,
    threads: &[Thread],
    pair: impl Fn([Thread; 2]) -> bool,
) -> Option<Broken> {
    let some = pairs(threads).any(pair);
    (some == truth.races.is_empty()).then_some(Broken::NoPair)
}

/// Property 3: the same of barrier divergence; the threads are of one block.
pub fn property_3(
    truth: &Truth,
    threads: &[Thread],
    pair: impl Fn([Thread; 2]) -> bool,
) -> Option<Broken> {
    let some = pairs(threads).filter(|[i, j]| i.block == j.block).any(pair);
    (some != truth.diverges).then_some(Broken::NoPair)
}

fn pairs(threads: &[Thread]) -> impl Iterator<Item = [Thread; 2]> {
    let behind = |(i, t): (usize, &Thread)| {
        let t = *t;
        threads[i + 1..].iter().map(move |other| [t, *other])
    };
    threads.iter().enumerate().flat_map(behind)
}
