//! Many programs on one back end: workers generate programs, ask the theory, and judge what the
//! device reports, while the device runs the batches of other workers.

use crate::case::{Family, generate};
use crate::claims::{Claim, Verdict, validate};
use crate::queue::{Queue, serve};
use crate::tally::Tally;
use crate::trial::{Exclusion, Trial};
use babycuda_gpu::{Backend, Device, Failure, Job, Report, Unavailable};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many programs: those from `first` on.
    pub programs: u64,
    /// The number of the first one.
    pub first: u64,
    /// The seed of the programs.
    pub seed: u64,
    /// Runs of each program.
    pub runs: usize,
    /// Programs of a batch.
    pub batch: u64,
    /// Threads that generate and judge.
    pub workers: usize,
    /// Threads that give batches to a device of their own; more than one keeps a device busy
    /// while the host packs and unpacks.
    pub devices: usize,
    /// No batch is begun after this time.
    pub time: Option<Duration>,
}

impl Plan {
    /// So many programs of seed 0, each run twice, by one worker a processor and one device.
    pub fn of(programs: u64) -> Plan {
        Plan {
            programs,
            first: 0,
            seed: 0,
            runs: 2,
            batch: 1024,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            devices: 1,
            time: None,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The device that ran the programs.
    pub device: Device,
    /// Counts.
    pub tally: Tally,
    /// The first failures, by the number of the program. After a device is lost, which is one,
    /// nothing more is run.
    pub failures: Vec<Finding>,
    /// The first runs that no interleaving explains, by the number of the program.
    pub beyond_interleavings: Vec<Finding>,
    /// How long it took.
    pub time: Duration,
}

/// A program with a run that is worth a look.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The number of the program.
    pub number: u64,
    /// The claim; none where the device gave no report.
    pub claim: Option<Claim>,
    /// What was found.
    pub why: String,
}

/// How many findings of a sort are kept.
const KEPT: usize = 16;

/// Runs a plan on a back end that `open` opens, and tells `progress` after each batch how many
/// programs are done.
///
/// # Errors
/// [`Unavailable`]: there is no such back end.
pub fn run(
    plan: &Plan,
    open: &(dyn Fn() -> Result<Box<dyn Backend>, Unavailable> + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, Unavailable> {
    let start = Instant::now();
    let queue = Queue::default();
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let found = Mutex::new(Found::default());
    let device = std::thread::scope(|scope| {
        let devices: Vec<_> =
            (0..plan.devices.max(1)).map(|_| scope.spawn(|| serve(&queue, open))).collect();
        let worker = || {
            loop {
                let first = next.fetch_add(plan.batch, Relaxed);
                let late = plan.time.is_some_and(|time| start.elapsed() > time);
                if first >= plan.programs || late || queue.is_closed() {
                    break;
                }
                let count = plan.batch.min(plan.programs - first);
                let batch = batch(plan, plan.first + first, count, &queue);
                found.lock().unwrap_or_else(PoisonError::into_inner).add(batch);
                progress(done.fetch_add(count, Relaxed) + count);
            }
        };
        let workers: Vec<_> = (0..plan.workers.max(1)).map(|_| scope.spawn(worker)).collect();
        // A panic of a worker is a bug, which the test or the user should see.
        workers.into_iter().for_each(|worker| worker.join().expect("a worker does not panic"));
        queue.close();
        let opened = devices.into_iter().map(|d| d.join().expect("a device thread does not panic"));
        opened.collect::<Result<Vec<Device>, Unavailable>>()
    })?;
    let Found { tally, failures, beyond } =
        found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Proof: there is at least one device, and all were opened.
    let device = device.into_iter().next().expect("a device");
    Ok(Outcome { device, tally, failures, beyond_interleavings: beyond, time: start.elapsed() })
}

#[derive(Default)]
struct Found {
    tally: Tally,
    failures: Vec<Finding>,
    beyond: Vec<Finding>,
}

impl Found {
    fn add(&mut self, other: Found) {
        self.tally.add(&other.tally);
        for (kept, more) in [(&mut self.failures, other.failures), (&mut self.beyond, other.beyond)]
        {
            kept.extend(more);
            kept.sort_by_key(|finding| finding.number);
            kept.truncate(KEPT);
        }
    }
}

/// Generates, runs and judges a batch.
fn batch(plan: &Plan, first: u64, count: u64, queue: &Queue) -> Found {
    let mut found = Found::default();
    let (mut trials, mut jobs): (Vec<(u64, Trial)>, Vec<Job>) = (Vec::new(), Vec::new());
    for number in first..first + count {
        found.tally.program(Family::of(number));
        match Trial::new(&generate(plan.seed, number)) {
            Ok(trial) => {
                jobs.extend(std::iter::repeat_n(&trial.job, plan.runs).cloned());
                trials.push((number, trial));
            }
            Err(why) => found.tally.exclude(why),
        }
    }
    let Some((device, reports)) = queue.run(jobs) else {
        // There is no device, as `run` says, or none any more, as an earlier failure does.
        return Found::default();
    };
    for ((number, trial), reports) in trials.iter().zip(reports.chunks(plan.runs)) {
        found.judge(*number, trial, reports, &device);
    }
    found
}

impl Found {
    /// Judges the reports of one program.
    fn judge(
        &mut self,
        number: u64,
        trial: &Trial,
        reports: &[Result<Report, Failure>],
        device: &Device,
    ) {
        let mut overflowed = false;
        // Runs are often alike, and the verdict on a report depends on nothing else.
        let mut last: Option<(&Report, Verdict)> = None;
        for report in reports {
            let report = match report {
                Ok(report) => report,
                Err(failure) => {
                    self.tally.unreported += 1;
                    let why = failure.to_string();
                    self.failures.push(Finding { number, claim: None, why });
                    continue;
                }
            };
            let verdict = match last.take_if(|(same, _)| *same == report) {
                Some((_, verdict)) => verdict,
                None => validate(&trial.reference, report),
            };
            overflowed |= verdict.overflowed;
            self.tally.report(report, &verdict);
            if let Some((claim, why)) = verdict.failure(device.backend) {
                let why = why.to_owned();
                self.failures.push(Finding { number, claim: Some(claim), why });
            } else if let Some(why) = verdict.beyond_interleavings() {
                let claim = Some(Claim::ValuesAreOfAnInterleaving);
                self.beyond.push(Finding { number, claim, why: why.to_owned() });
            }
            last = Some((report, verdict));
        }
        let memories = reports.iter().flatten().map(|report| &report.arrays);
        let differ = memories.clone().zip(memories.skip(1)).any(|(one, other)| one != other);
        self.tally.different_memories += u64::from(differ);
        match overflowed {
            true => self.tally.exclude(Exclusion::Overflow),
            false => self.tally.compared(trial.reference.class()),
        }
    }
}
