//! `campaign`: many random programs.

use super::text::{OnText, on_text};
use super::{Error, Found, apart, create_folder, writable, write_json};
use crate::args::CampaignArgs;
use babycuda_campaign::{Plan as Programs, State};
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{Unavailable, open};
use babycuda_validation::campaign::{self, Finding, Outcome, Plan};
use babycuda_validation::compiled;
use babycuda_validation::minimise::Least;
use babycuda_validation::results::Campaign as Results;
use babycuda_validation::watched::Open;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

/// How often progress is told.
const INTERVAL: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &CampaignArgs) -> Result<Found, Error> {
    let (backend, seed) = (args.backend.name(), args.seed);
    apart([&args.json, &args.state, &args.keep])?;
    writable(args.json.as_ref())?;
    args.keep.as_deref().map_or(Ok(()), create_folder)?;
    if args.compiled.is_some() {
        return on_text(backend, args);
    }
    let plan = plan(args);
    let opened: Open = Arc::new(move || open(backend, seed));
    go_on(
        args,
        &plan,
        |state, after| campaign::run(&plan, &opened, state, after),
        || campaign::least(&plan, &opened),
    )
}

impl OnText for &CampaignArgs {
    fn on<B: TextBackend + 'static>(self, open: Open<B>) -> Result<Found, Error> {
        let plan = plan(self);
        go_on(
            self,
            &plan,
            |state, after| compiled::run(&plan, &open, state, after),
            || compiled::least(&plan, &open),
        )
    }
}

/// What runs a campaign from a state on, and tells its states.
type Run<'a> = &'a (dyn Fn(&State<campaign::Found>) + Sync);

/// Goes on with the campaign where it ended, and tells what came of it.
fn go_on<L: FnMut(&Finding) -> Option<Least>>(
    args: &CampaignArgs,
    plan: &Plan,
    run: impl FnOnce(State<campaign::Found>, Run<'_>) -> Result<Outcome, Unavailable>,
    least: impl FnOnce() -> Result<L, Unavailable>,
) -> Result<Found, Error> {
    let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let unkept = |path: &PathBuf, error| Error::State { path: path.clone(), error };
    let state: State<campaign::Found> = match &args.state {
        Some(path) => State::load(path, &plan.programs).map_err(|e| unkept(path, e))?,
        None => State::new(&plan.programs),
    };
    let total = plan.programs.cases / plan.programs.shard.of;
    let progress = progress(state.found.tally.programs, total);
    let failed: OnceLock<Error> = OnceLock::new();
    let after = |state: &State<campaign::Found>| {
        progress(state.found.tally.programs);
        if let Some(path) = &args.state {
            // The first error is told in the end.
            state.save(path).unwrap_or_else(|error| drop(failed.set(unkept(path, error))));
        }
    };
    if let Some(path) = &args.state {
        // Where it cannot be kept, nothing begins.
        state.save(path).map_err(|error| unkept(path, error))?;
    }
    let mut outcome = run(state, &after)?;
    if !(outcome.failures.is_empty() && outcome.beyond_interleavings.is_empty()) {
        match least() {
            Ok(least) => outcome.minimise(plan, least),
            // The device was there; what it did is told as it is.
            Err(_) => outcome.minimise(plan, |_| None),
        }
    }
    tell(args, &outcome, began.as_secs())?;
    failed.into_inner().map_or(Ok(()), Err)?;
    if let Some(folder) = &args.keep {
        keep(folder, plan, &outcome)?;
    }
    Ok(Found::failure_if(!outcome.failures.is_empty()))
}

/// Prints the results, and writes them where the arguments say.
fn tell(args: &CampaignArgs, outcome: &Outcome, began: u64) -> Result<(), Error> {
    let results = results(outcome, began);
    let Results { device, driver, seconds, programs_per_second, .. } = &results;
    say!("{}: {device}; {driver}", outcome.device.backend);
    say!("{seconds:.1} s, {programs_per_second:.0} programs a second");
    say!("{}", outcome.tally.to_string().trim_end());
    for (sort, findings) in
        [("failure", &outcome.failures), ("beyond interleavings", &outcome.beyond_interleavings)]
    {
        for Finding { number, claim, why, times, .. } in findings {
            let claim = claim.map_or_else(|| "no report".to_owned(), |claim| claim.to_string());
            say!("{sort}, found {times} times: program {number}: {claim}: {why}");
        }
    }
    if let Some(path) = &args.json {
        write_json(path, &results)?;
    }
    Ok(())
}

fn plan(args: &CampaignArgs) -> Plan {
    let default = Programs::of(args.programs);
    let programs = Programs {
        first: args.first,
        seed: args.seed,
        setting: [
            // A compiled campaign does not go on with others.
            args.backend as u64 + if args.compiled.is_some() { 1 << 8 } else { 0 },
            args.runs.into(),
            args.racy_runs.into(),
        ],
        names: ["its back end, or whether it compiles", "its runs", "its runs of racy programs"],
        batch: args.compiled.unwrap_or(args.batch),
        shard: args.shard,
        workers: args.workers.unwrap_or(default.workers),
        time: args.seconds.map(Duration::from_secs),
        ..default
    };
    Plan {
        programs,
        runs: args.runs as usize,
        racy_runs: args.racy_runs as usize,
        devices: args.queues,
        deadline: args.watch.deadline(),
    }
}

/// Tells on standard error how far the campaign is, by the number of programs that are done.
fn progress(before: u64, programs: u64) -> impl Fn(u64) + Sync {
    let last = Mutex::new((Instant::now(), before));
    move |done| {
        let Ok(mut last) = last.lock() else { return };
        let time = last.0.elapsed();
        if time >= INTERVAL {
            let rate = (done - last.1) as f64 / time.as_secs_f64();
            let left = programs.saturating_sub(done) as f64 / rate;
            super::warn(format_args!(
                "{done} of {programs} programs, {rate:.0} a second, {left:.0} s left"
            ));
            *last = (Instant::now(), done);
        }
    }
}

fn results(outcome: &Outcome, began: u64) -> Results {
    let seconds = outcome.time.as_secs_f64();
    Results {
        command: std::env::args().collect(),
        began,
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        backend: outcome.device.backend.to_string(),
        device: outcome.device.name.clone(),
        driver: outcome.device.driver.clone(),
        seconds,
        programs_per_second: outcome.tally.programs as f64 / seconds.max(f64::EPSILON),
        tally: outcome.tally.clone(),
        failures: outcome.failures.clone(),
        beyond_interleavings: outcome.beyond_interleavings.clone(),
    }
}

/// Writes what was found to the folder.
fn keep(folder: &Path, plan: &Plan, outcome: &Outcome) -> Result<(), Error> {
    let name = format!("{}-{}", outcome.device.backend, plan.programs.seed);
    for finding in outcome.failures.iter().chain(&outcome.beyond_interleavings) {
        let path = finding.keep(folder, &name, "bcuda");
        let path = path.map_err(|error| Error::File { path: folder.to_owned(), error })?;
        say!("kept {}, found {} times", path.display(), finding.times);
    }
    Ok(())
}
