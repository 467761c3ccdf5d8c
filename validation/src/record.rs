//! Choosing what to record: above all racy programs whose memory differs from run to run.

use crate::case::generate;
use crate::claims::validate;
use crate::recording::Recording;
use crate::trial::Trial;
use babycuda_gpu::{Backend, Job, Report, Runner};
use std::collections::BTreeMap;

/// The most threads of a program that is recorded: files are for reading, too.
const THREADS: usize = 8;

/// Which programs to run, and how many recordings to choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    /// The seed of the programs.
    pub seed: u64,
    /// How many are run.
    pub programs: u64,
    /// Runs of each, at least 1.
    pub runs: usize,
    /// Recordings of each kind.
    pub each: usize,
}

/// A recording, with the number of its program.
pub type Chosen = (u64, Recording);

/// Runs programs of one block and chooses: of each class the first ones, of racy ones those whose
/// memories differ before others; and every run that no interleaving explains.
pub fn record(backend: &mut dyn Backend, search: &Search) -> Vec<Chosen> {
    let device = backend.device().clone();
    let mut runner = Runner::new(backend);
    let mut chosen: BTreeMap<(String, bool), Vec<Chosen>> = BTreeMap::new();
    let mut beyond = Vec::new();
    let numbers: Vec<u64> = (0..search.programs).collect();
    for numbers in numbers.chunks(1024) {
        let trials = numbers.iter().filter_map(|number| {
            Some((*number, Trial::new(&generate(search.seed, *number)).ok()?))
        });
        let trials: Vec<(u64, Trial)> =
            trials.filter(|(_, trial)| trial.blocks.len() == 1).collect();
        let jobs = trials.iter().flat_map(|(number, trial)| trial.jobs(*number, search.runs));
        let jobs: Vec<Job> = jobs.flatten().collect();
        let reports = runner.run(&jobs);
        for ((number, trial), reports) in trials.iter().zip(reports.chunks(search.runs)) {
            let reports: Vec<Report> = reports.iter().flatten().cloned().collect();
            if reports.is_empty() || reports.iter().any(|report| report.threads.len() > THREADS) {
                continue;
            }
            let weak = reports.iter().any(|report| {
                let verdict = validate(&trial.reference, report);
                verdict.beyond_interleavings().is_some()
            });
            let recording = Recording::new(&device, &trial.reference, distinct(reports));
            let kind = (recording.class.clone(), recording.memories_differ());
            if weak {
                beyond.push((*number, recording));
                continue;
            }
            let kept = chosen.entry(kind).or_default();
            if kept.len() < search.each {
                kept.push((*number, recording));
            }
        }
    }
    let (different, same): (Vec<_>, Vec<_>) =
        chosen.into_iter().partition(|((_, differ), _)| *differ);
    let classes: Vec<String> = different.iter().map(|((class, _), _)| class.clone()).collect();
    let same = same.into_iter().filter(|((class, _), _)| !classes.contains(class));
    // Of programs that always do the same, one of a class is enough.
    let same = same.flat_map(|(_, kept)| kept.into_iter().take(1));
    beyond.into_iter().chain(different.into_iter().flat_map(|(_, kept)| kept)).chain(same).collect()
}

/// The reports that differ, in their order.
fn distinct(reports: Vec<Report>) -> Vec<Report> {
    let mut distinct: Vec<Report> = Vec::new();
    for report in reports {
        if !distinct.contains(&report) {
            distinct.push(report);
        }
    }
    distinct
}
