//! Many programs on one back end: workers generate programs, ask the theory, and judge what the
//! device reports, while the device runs the batches of other workers.

use crate::case::{Family, generate};
use crate::claims::Claim;
pub use crate::found::Found;
use crate::minimise::{Least, minimise};
use crate::tally::Tally;
use crate::trial::{Exclusion, Trial};
use crate::watched::{Answer, Open, Pool, Watched};
use babycuda_campaign::finding::distinct;
use babycuda_campaign::{self as engine, Plan as Programs, State};
use babycuda_core::Program;
use babycuda_core::launch::WARP_SIZE;
use babycuda_gpu::{Backend, Device, DeviceError, Failure, Job, Report, Runner, Unavailable};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;

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
    /// How long a device may take for a batch. One that takes longer hangs: it is given up, and
    /// halves of the batch are tried on new ones, until the programs are found. After the 16th the
    /// campaign ends.
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
    /// Counts.
    pub tally: Tally,
    /// The first failures, by the number of the program. After a device is lost, which is one,
    /// nothing more is run.
    pub failures: Vec<Finding>,
    /// The first runs that no interleaving explains, by the number of the program.
    pub beyond_interleavings: Vec<Finding>,
    /// How long it took, with all that was done before.
    pub time: Duration,
    /// The program of a number.
    generate: fn(u64, u64) -> Program,
}

/// A program with a run that is worth a look: a claim that does not hold, or no report. The same are
/// those whose small programs are the same but for names; where one does not fail again, its least
/// program is the whole one.
pub type Finding = engine::Finding<Option<Claim>>;

/// How the programs of a campaign run on a device.
pub(crate) struct Mode<B, T> {
    /// How many runs are made together, at about: what they leave is in memory at once.
    pub(crate) together: usize,
    /// The program of a number.
    pub(crate) generate: fn(u64, u64) -> Program,
    /// What the device gets: for the program of this number, and so many runs.
    pub(crate) prepare: fn(u64, &Trial, usize) -> T,
    /// What comes of all that it gets.
    pub(crate) run: fn(&mut B, Vec<T>) -> Vec<Ran>,
}

/// What comes of the runs of a program: reports of its blocks.
pub(crate) type Ran = Result<Vec<Result<Vec<Report>, Failure>>, NotRun>;

/// Why a program did not run.
pub(crate) enum NotRun {
    Excluded(Exclusion),
    /// Nor does any other.
    NoCompiler(String),
}

/// As bytecode.
const BYTECODE: Mode<Box<dyn Backend>, Vec<Vec<Job>>> = Mode {
    together: 2048,
    generate,
    prepare: |number, trial, runs| trial.jobs(number, runs).collect(),
    run: |backend, programs| {
        let counts: Vec<usize> = programs.iter().map(Vec::len).collect();
        let grids: Vec<&[Job]> = programs.iter().flatten().map(Vec::as_slice).collect();
        let mut reports = Runner::new(&mut **backend).run_grids(&grids).into_iter();
        counts.into_iter().map(|own| Ok(reports.by_ref().take(own).collect())).collect()
    },
};

/// Runs a plan from `state` on, on devices that `open` opens, and tells `after` the state after
/// each batch.
///
/// # Errors
/// [`Unavailable`]: there is no such back end.
pub fn run(
    plan: &Plan,
    open: &Open,
    state: State<Found>,
    after: &(dyn Fn(&State<Found>) + Sync),
) -> Result<Outcome, Unavailable> {
    run_as(&BYTECODE, plan, open, state, after)
}

/// What minimises findings, on a device that `open` opens.
///
/// # Errors
/// [`Unavailable`]
pub fn least(
    plan: &Plan,
    open: &Open,
) -> Result<impl FnMut(&Finding) -> Option<Least> + use<>, Unavailable> {
    least_as(&BYTECODE, plan, open, 4_000)
}

/// [`run`] in a mode.
pub(crate) fn run_as<B: Backend + 'static, T: Send + 'static>(
    mode: &Mode<B, T>,
    plan: &Plan,
    open: &Open<B>,
    state: State<Found>,
    after: &(dyn Fn(&State<Found>) + Sync),
) -> Result<Outcome, Unavailable> {
    let pool = Pool::open(open, plan.devices, plan.deadline)?;
    let running = Running { mode, plan, pool, missing: OnceLock::new() };
    let work = |(): &mut (), numbers| running.batch(numbers);
    let state = plan.programs.run(state, || (), work, after);
    match running.missing.into_inner() {
        Some(missing) => Err(missing),
        None => {
            let device = running.pool.device().clone();
            Ok(Outcome::new(device, state, mode.generate))
        }
    }
}

/// [`least`] in a mode, with so many tries.
pub(crate) fn least_as<B: Backend + 'static, T: Send + 'static>(
    mode: &Mode<B, T>,
    plan: &Plan,
    open: &Open<B>,
    tries: usize,
) -> Result<impl FnMut(&Finding) -> Option<Least> + use<B, T>, Unavailable> {
    let mut device = Watched::open(open, plan.deadline)?;
    let Mode { generate, prepare, run, .. } = *mode;
    let (seed, runs) = (plan.programs.seed, plan.racy_runs.max(plan.runs).max(8));
    Ok(move |finding: &Finding| {
        // What makes a device hang is not tried again.
        finding.claim?;
        let program = generate(seed, finding.number);
        let name = device.device().backend;
        let mut again = |trial: &Trial| {
            let prepared = vec![prepare(finding.number, trial, runs)];
            let ran = device.ask(move |backend| run(backend, prepared));
            let ran = ran.ok().and_then(|mut all| all.pop()?.ok()).unwrap_or_default();
            ran.into_iter().map(|blocks| trial.report(blocks?)).collect()
        };
        minimise(name, &mut again, &program, true, tries)
    })
}

impl Outcome {
    fn new(device: Device, state: State<Found>, generate: fn(u64, u64) -> Program) -> Outcome {
        let (time, Found { tally, failures, beyond }) = (state.time, state.found);
        let (failures, beyond_interleavings) = (failures.into_findings(), beyond.into_findings());
        Outcome { device, tally, failures, beyond_interleavings, time, generate }
    }

    /// Minimises the findings. Those that are the same but for names become one.
    pub fn minimise(&mut self, plan: &Plan, mut least: impl FnMut(&Finding) -> Option<Least>) {
        for findings in [&mut self.failures, &mut self.beyond_interleavings] {
            *findings = distinct(std::mem::take(findings), |finding| match least(finding) {
                Some(least) => (least.key(), least.text(&self.device)),
                None => {
                    let Finding { number, claim, why, .. } = finding;
                    let program = (self.generate)(plan.programs.seed, *number);
                    let backend = self.device.backend;
                    let text = format!("// once, on {backend}, and not again: {why}\n\n{program}");
                    // Where there was no report, the program may have no part in it.
                    (claim.map_or_else(|| why.clone(), |_| text.clone()), text)
                }
            });
        }
    }
}

/// A campaign at work.
struct Running<'a, B, T> {
    mode: &'a Mode<B, T>,
    plan: &'a Plan,
    pool: Pool<B>,
    /// Why nothing runs.
    missing: OnceLock<Unavailable>,
}

impl<B: Backend + 'static, T: Send + 'static> Running<'_, B, T> {
    /// Generates, runs and judges a batch.
    fn batch(&self, numbers: Range<u64>) -> ControlFlow<Found, Found> {
        let mut found = Found::default();
        let (mut trials, mut runs): (Vec<(u64, Trial)>, usize) = (Vec::new(), 0);
        for number in numbers {
            found.tally.program(Family::of(number));
            let program = (self.mode.generate)(self.plan.programs.seed, number);
            let blocks = program.geometry.launch().map_or(0, |launch| launch.grid.count());
            found.tally.grids.programs += u64::from(blocks > 1);
            match Trial::new(&program) {
                Ok(trial) if trial.waits() && !self.pool.device().cooperative => {
                    found.tally.excluded.add(Exclusion::NotCooperative);
                }
                Ok(trial) => {
                    let threads = trial.blocks.first().map_or(0, Job::threads);
                    found.tally.several_warps += u64::from(threads > WARP_SIZE);
                    runs += self.plan.runs_of(&trial);
                    trials.push((number, trial));
                    if runs >= self.mode.together {
                        runs = 0;
                        if self.run(std::mem::take(&mut trials), &mut found).is_break() {
                            return Break(found);
                        }
                    }
                }
                Err(why) => found.tally.excluded.add(why),
            }
        }
        match self.run(trials, &mut found) {
            Continue(_) => Continue(found),
            Break(()) => Break(found),
        }
    }

    /// Runs and judges programs; where the device hangs, the halves of them, each on another device.
    /// Goes on with whether one hung, and breaks off where there is no device any more.
    fn run(&self, mut trials: Vec<(u64, Trial)>, found: &mut Found) -> ControlFlow<(), bool> {
        let ([(first, _), ..], [.., (last, _)]) = (&trials[..], &trials[..]) else {
            return Continue(false);
        };
        let (first, last) = (*first, *last);
        let prepare = |(number, trial): &(u64, Trial)| {
            (self.mode.prepare)(*number, trial, self.plan.runs_of(trial))
        };
        let prepared: Vec<T> = trials.iter().map(prepare).collect();
        let run = self.mode.run;
        let others = match self.pool.ask(move |backend| run(backend, prepared)) {
            Answer::None => return Break(()),
            Answer::Some(all) => return self.judge(trials, all, found).map_continue(|()| false),
            Answer::Hang { others } => others,
        };
        let seconds = self.plan.deadline.as_secs_f64();
        let mut hangs = |which: String| {
            let why = format!("the device did not end {which} in {seconds} s");
            found.fail(Finding::new(first, None, why));
        };
        match &trials[..] {
            [(number, trial)] => {
                hangs(format!("program {number}"));
                found.tally.unreported += self.plan.runs_of(trial) as u64;
            }
            _ if !others => hangs(format!("programs {first} to {last}")),
            _ => {
                let other = trials.split_off(trials.len() / 2);
                let both = [self.run(trials, found)?, self.run(other, found)?];
                if both == [false, false] {
                    let why =
                        format!("programs {first} to {last} took {seconds} s, and half did not");
                    found.fail(Finding::new(first, None, why));
                }
            }
        }
        // Where there is no other device, the batch is not done.
        if others { Continue(true) } else { Break(()) }
    }

    /// Judges what came of programs. What is known of a program is gone when it is judged: all of a
    /// batch together is a lot.
    fn judge(
        &self,
        trials: Vec<(u64, Trial)>,
        all: Vec<Ran>,
        found: &mut Found,
    ) -> ControlFlow<()> {
        let backend = self.pool.device().backend;
        let mut lost = false;
        for ((number, trial), ran) in trials.into_iter().zip(all) {
            match ran {
                Ok(runs) => {
                    let reports = runs.into_iter().map(|blocks| trial.report(blocks?));
                    let reports: Vec<Result<Report, Failure>> = reports.collect();
                    lost |= reports.iter().any(is_lost);
                    found.judge(number, &trial, &reports, backend);
                }
                Err(NotRun::Excluded(why)) => found.tally.excluded.add(why),
                Err(NotRun::NoCompiler(reason)) => {
                    // The first one is told.
                    let _ = self.missing.set(Unavailable { backend, reason });
                    return Break(());
                }
            }
        }
        if lost { Break(()) } else { Continue(()) }
    }
}

fn is_lost(report: &Result<Report, Failure>) -> bool {
    matches!(report, Err(Failure::Device(DeviceError::Lost { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::parse::parse_program;
    use babycuda_gpu::sim::{Schedule, Sim};
    use std::sync::Arc;

    /// What is found and not again is told with the program that ran.
    #[test]
    fn a_finding_has_the_program_of_its_mode() {
        fn only(_: u64, _: u64) -> Program {
            parse_program("kernel only; threads 1; A[0] := 7").expect("a program")
        }
        let mode: Mode<Sim, ()> = Mode {
            together: 1,
            generate: only,
            prepare: |_, _, _| (),
            run: |_, programs| {
                let error = || DeviceError::Lost { message: "it caught fire".to_owned() };
                programs.iter().map(|()| Ok(vec![Err(error().into())])).collect()
            },
        };
        let plan = Plan::of(3);
        let open: Open<Sim> = Arc::new(|| Ok(Sim::new(Schedule::RoundRobin)));
        let outcome = run_as(&mode, &plan, &open, State::new(&plan.programs), &|_| {});
        let mut outcome = outcome.expect("it is there");
        outcome.minimise(&plan, |_| None);
        let [finding] = &outcome.failures[..] else { panic!("{:#?}", outcome.failures) };
        assert!(finding.least.starts_with("// once, on sim, and not again: "), "{finding:?}");
        assert!(finding.least.contains("kernel only"), "{finding:?}");
    }
}
