//! Many programs on one back end: workers generate programs, ask the theory, and judge what the
//! device reports, while the device runs the batches of other workers.

use crate::case::{Family, generate};
use crate::claims::{Claim, Verdict, validate};
use crate::minimise::{Least, minimise};
use crate::tally::Tally;
use crate::trial::{Exclusion, Trial};
use babycuda_campaign::{self as engine, Plan as Programs, State, merge_fields};
use babycuda_gpu::{
    Backend, BackendName, Device, DeviceError, Failure, Job, Report, Runner, Unavailable,
};
use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Which programs, and the threads that generate and judge them.
    pub programs: Programs,
    /// Runs of each program, the first one as it is and the others under jitters.
    pub runs: usize,
    /// Runs of each racy program.
    pub racy_runs: usize,
    /// Threads that give batches to a device of their own; more than one keeps a device busy
    /// while the host packs and unpacks.
    pub devices: usize,
    /// How long a device may take for a batch. One that takes longer hangs, and the campaign ends.
    pub deadline: Duration,
}

impl Plan {
    /// So many programs of seed 0, each run twice and racy ones 16 times, by one worker a processor
    /// and one device.
    pub fn of(programs: u64) -> Plan {
        let programs = Programs { batch: 256, ..Programs::of(programs) };
        Plan { programs, runs: 2, racy_runs: 16, devices: 1, deadline: Duration::from_secs(300) }
    }

    fn runs_of(&self, trial: &Trial) -> usize {
        if trial.reference.class().racy { self.racy_runs } else { self.runs }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The device that ran the programs.
    pub device: Device,
    /// How many programs were run now, and not before.
    pub programs: u64,
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

impl Finding {
    /// The program, minimised on the back end. None where nothing fails again, or there was no
    /// report: what makes a device hang is not tried again.
    pub fn least(&self, plan: &Plan, backend: &mut dyn Backend) -> Option<Least> {
        self.claim?;
        let program = generate(plan.programs.seed, self.number);
        minimise(backend, &program, plan.racy_runs.max(8), true)
    }

    /// The program as a file, as it was, for what did not happen again.
    pub fn text(&self, plan: &Plan, device: &Device) -> String {
        let program = generate(plan.programs.seed, self.number);
        format!("// once, on {}, and not again: {}\n\n{program}", device.backend, self.why)
    }
}

/// How many findings of a sort are kept.
const KEPT: usize = 16;

/// What some of the programs came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Found {
    /// Counts.
    pub tally: Tally,
    failures: engine::Least<u64, Finding, KEPT>,
    beyond: engine::Least<u64, Finding, KEPT>,
}

merge_fields!(Found { tally, failures, beyond });

/// Opens a device.
pub type Open = Arc<dyn Fn() -> Result<Box<dyn Backend>, Unavailable> + Send + Sync>;

/// Jobs on their way to a device, and where their reports go.
type Batch = (Vec<Job>, Sender<Vec<Result<Report, Failure>>>);

/// The devices of a campaign.
struct Devices {
    device: Device,
    jobs: Sender<Batch>,
    /// Did one of them not answer in time?
    hang: AtomicBool,
}

/// Runs a plan from `state` on, on devices that `open` opens, and tells `after` the state after
/// each batch. The threads of a device that hangs are left alone: no one can end them.
///
/// # Errors
/// [`Unavailable`]: there is no such back end.
pub fn run(
    plan: &Plan,
    open: &Open,
    state: State<Found>,
    after: &(dyn Fn(&State<Found>) + Sync),
) -> Result<Outcome, Unavailable> {
    let (start, before) = (Instant::now(), state.found.tally.programs);
    let (jobs, batches) = bounded(0);
    let (ready, opened) = bounded(0);
    let serve = |_| {
        let (open, batches, ready) = (open.clone(), batches.clone(), ready.clone());
        std::thread::spawn(move || serve(&open, &batches, &ready))
    };
    let threads: Vec<JoinHandle<()>> = (0..plan.devices.max(1)).map(serve).collect();
    drop(batches);
    let devices = opened.iter().take(plan.devices.max(1));
    let devices = devices.collect::<Result<Vec<Device>, Unavailable>>()?;
    // Proof: there is at least one, and `ready` is still there.
    let device = devices.into_iter().next().expect("a device");
    let devices = Devices { device, jobs, hang: AtomicBool::new(false) };
    let work = |(): &mut (), numbers| batch(plan, numbers, &devices);
    let found = plan.programs.run(state, || (), work, after).found;
    let time = start.elapsed();
    let Devices { device, jobs, hang } = devices;
    drop(jobs);
    if !hang.into_inner() {
        // What one of them panics with was told on standard error.
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
    Ok(Outcome::new(device, found, before, time))
}

impl Outcome {
    /// `before`: how many programs were run before.
    pub(crate) fn new(device: Device, found: Found, before: u64, time: Duration) -> Outcome {
        let Found { tally, failures, beyond } = found;
        let programs = tally.programs - before;
        let (failures, beyond_interleavings) = (failures.into_findings(), beyond.into_findings());
        Outcome { device, programs, tally, failures, beyond_interleavings, time }
    }
}

/// Opens a device and runs batches on it until there are no more, or the device is lost. It belongs
/// to the thread that opened it, so batches come to that thread.
fn serve(open: &Open, batches: &Receiver<Batch>, ready: &Sender<Result<Device, Unavailable>>) {
    let opened = open();
    // Whoever waits no more needs no answer, here and below.
    let _ = ready.send(opened.as_ref().map(|b| b.device().clone()).map_err(Clone::clone));
    let Ok(mut backend) = opened else { return };
    let mut runner = Runner::new(&mut *backend);
    for (jobs, reply) in batches {
        let reports = runner.run(&jobs);
        let lost = reports.iter().any(is_lost);
        let _ = reply.send(reports);
        if lost {
            return;
        }
    }
}

/// What devices say to a batch.
enum Answer {
    Reports(Vec<Result<Report, Failure>>),
    /// There is none any more, as an earlier failure says.
    NoDevice,
    /// It had the time that it may take.
    Hangs,
}

impl Devices {
    /// The reports of jobs from the first device that is free.
    fn run(&self, jobs: Vec<Job>, deadline: Duration) -> Answer {
        let (reply, reports) = bounded(1);
        let mut batch = (jobs, reply);
        loop {
            match self.jobs.send_timeout(batch, PATIENCE) {
                Ok(()) => break,
                Err(SendTimeoutError::Timeout(back)) if !self.hang.load(Relaxed) => batch = back,
                Err(_) => return Answer::NoDevice,
            }
        }
        match reports.recv_timeout(deadline) {
            Ok(reports) => Answer::Reports(reports),
            Err(RecvTimeoutError::Disconnected) => Answer::NoDevice,
            Err(RecvTimeoutError::Timeout) => {
                self.hang.store(true, Relaxed);
                Answer::Hangs
            }
        }
    }
}

/// How long a batch waits for a device before it looks whether one hangs.
const PATIENCE: Duration = Duration::from_millis(200);

fn is_lost(report: &Result<Report, Failure>) -> bool {
    matches!(report, Err(Failure::Device(DeviceError::Lost { .. })))
}

/// Generates, runs and judges a batch.
fn batch(plan: &Plan, numbers: Range<u64>, devices: &Devices) -> ControlFlow<Found, Found> {
    let mut found = Found::default();
    let (mut trials, mut jobs): (Vec<(u64, Trial)>, Vec<Job>) = (Vec::new(), Vec::new());
    for number in numbers.clone() {
        found.tally.program(Family::of(number));
        match Trial::new(&generate(plan.programs.seed, number)) {
            Ok(trial) => {
                jobs.extend(trial.jobs((number as u32).wrapping_mul(64), plan.runs_of(&trial)));
                trials.push((number, trial));
            }
            Err(why) => found.tally.excluded.add(why),
        }
    }
    let runs = jobs.len() as u64;
    let reports = match devices.run(jobs, plan.deadline) {
        Answer::Reports(reports) => reports,
        Answer::NoDevice => return Break(Found::default()),
        Answer::Hangs => {
            let seconds = plan.deadline.as_secs_f64();
            let Range { start: number, end } = numbers;
            let why = format!("the device did not end programs {number} to {end} in {seconds} s");
            found.tally.unreported += runs;
            found.fail(Finding { number, claim: None, why });
            // The batch is done, so that a campaign that goes on from here does not try it again.
            return Continue(found);
        }
    };
    let mut rest = &reports[..];
    for (number, trial) in &trials {
        // There is a report for each job.
        let (own, others) = rest.split_at(plan.runs_of(trial));
        found.judge(*number, trial, own, devices.device.backend);
        rest = others;
    }
    if reports.iter().any(is_lost) { Break(found) } else { Continue(found) }
}

impl Found {
    /// Keeps a failure.
    pub(crate) fn fail(&mut self, finding: Finding) {
        self.failures.add(finding.number, finding);
    }

    /// Judges the reports of one program.
    pub(crate) fn judge<E: ToString>(
        &mut self,
        number: u64,
        trial: &Trial,
        reports: &[Result<Report, E>],
        backend: BackendName,
    ) {
        let mut overflowed = false;
        // Runs are often alike, and the verdict on a report depends on nothing else.
        let mut known: Vec<(&Report, Verdict)> = Vec::new();
        for report in reports {
            let report = match report {
                Ok(report) => report,
                Err(failure) => {
                    self.tally.unreported += 1;
                    let why = failure.to_string();
                    self.fail(Finding { number, claim: None, why });
                    continue;
                }
            };
            let verdict = match known.iter().position(|(same, _)| *same == report) {
                Some(same) => &known[same].1,
                None => {
                    known.push((report, validate(&trial.reference, report)));
                    &known[known.len() - 1].1
                }
            };
            overflowed |= verdict.overflowed;
            self.tally.report(report, verdict);
            if let Some((claim, why)) = verdict.failure(backend) {
                let why = why.to_owned();
                self.fail(Finding { number, claim: Some(claim), why });
            } else if let Some(why) = verdict.beyond_interleavings() {
                let claim = Some(Claim::ValuesAreOfAnInterleaving);
                self.beyond.add(number, Finding { number, claim, why: why.to_owned() });
            }
        }
        if overflowed {
            self.tally.excluded.add(Exclusion::Overflow);
            return;
        }
        let class = trial.reference.class();
        let mut memories = known.iter().map(|(report, _)| &report.arrays);
        let first = memories.next();
        if memories.any(|memory| Some(memory) != first) {
            self.tally.different_memories.add(class.to_string());
        }
        self.tally.classes.add(class.to_string());
    }
}
