//! How many programs could have shown a fault, and how many did.

use super::{Fault, Wrong};
use crate::case::generate;
use crate::claims::{Claim, Judgment, validate};
use crate::trial::Trial;
use crate::watched::{Open, Watched};
use babycuda_gpu::{Backend, Failure, Job, Report, Runner, Unavailable};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Programs of a batch.
const BATCH: u64 = 500;

/// What came of programs on a device with a fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Caught {
    /// Those for which the device got, did or left something wrong, and those of them whose reports
    /// were refused.
    pub refused: Shown,
    /// Of those with a report, by claim.
    pub claims: BTreeMap<Claim, Shown>,
}

/// How many programs could have shown the fault, and did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Shown {
    pub could: u64,
    pub did: u64,
}

impl Shown {
    fn count(&mut self, did: bool) {
        self.could += 1;
        self.did += u64::from(did);
    }
}

/// Runs the first programs of seed 0, once each, on a device that `open` opens, with the fault. A
/// program could have shown it to a claim that says something of its run.
///
/// # Errors
/// [`Unavailable`]: there is no such device, or it hangs.
pub fn catch(
    fault: Fault,
    open: &Open,
    programs: u64,
    deadline: Duration,
) -> Result<Caught, Unavailable> {
    let right = open.clone();
    let wrong: Open<Wrong> = Arc::new(move || Ok(Wrong::new(right()?, fault)));
    let mut device = Watched::open(&wrong, deadline)?;
    let (backend, cooperative) = (device.device().backend, device.device().cooperative);
    let mut caught = Caught::default();
    for first in (0..programs).step_by(BATCH as usize) {
        let ready = |number| {
            let trial = Trial::new(&generate(0, number)).ok()?;
            let blocks = trial.jobs(number, 1).next()?;
            (cooperative || !trial.waits()).then_some((trial, blocks))
        };
        let numbers = (first..programs.min(first + BATCH)).into_par_iter();
        let (trials, jobs): (Vec<Trial>, Vec<Vec<Job>>) = numbers.filter_map(ready).unzip();
        let seed = |blocks: &Vec<Job>| blocks.first().map_or(0, |job| job.jitter().seed);
        let seeds: Vec<u32> = jobs.iter().map(seed).collect();
        let run = move |wrong: &mut Wrong| {
            let grids: Vec<&[Job]> = jobs.iter().map(Vec::as_slice).collect();
            let reports = Runner::new(wrong).run_grids(&grids);
            (reports, std::mem::take(&mut wrong.victims))
        };
        let lost =
            |error: babycuda_gpu::DeviceError| Unavailable { backend, reason: error.to_string() };
        let (reports, victims) = device.ask(run).map_err(lost)?;
        let ran = trials.iter().zip(reports).zip(seeds);
        for ((trial, report), _) in ran.filter(|(_, seed)| victims.contains(seed)) {
            let report = report.and_then(|blocks| trial.report(blocks));
            caught.count(trial, &report);
        }
    }
    Ok(caught)
}

impl Caught {
    fn count(&mut self, trial: &Trial, report: &Result<Report, Failure>) {
        self.refused.count(report.is_err());
        let Ok(report) = report else { return };
        for (claim, judgment) in validate(&trial.reference, report).judgments {
            let shown = match judgment {
                Judgment::NotApplicable | Judgment::Undecided => continue,
                Judgment::Holds | Judgment::BeyondInterleavings(_) => false,
                Judgment::Violated(_) => true,
            };
            self.claims.entry(claim).or_default().count(shown);
        }
    }

    /// What the fault should be shown by: claims, or a report that is refused.
    pub fn expected(&self, fault: Fault) -> Vec<(String, Shown)> {
        if fault.violates().is_empty() {
            return vec![("refused".to_owned(), self.refused)];
        }
        let of = |claim: &Claim| self.claims.get(claim).copied().unwrap_or_default();
        fault.violates().iter().map(|claim| (claim.to_string(), of(claim))).collect()
    }
}
