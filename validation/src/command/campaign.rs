//! `campaign`: many random programs.

use super::{Error, Found, create_folder, write};
use crate::args::CampaignArgs;
use babycuda_core::json::{Format, to_json};
use babycuda_gpu::{Backend, BackendName, Unavailable, open};
use babycuda_validation::campaign::{self, Finding, Outcome, Plan};
use babycuda_validation::{Tally, case, minimise};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

/// How often progress is told.
const INTERVAL: Duration = Duration::from_secs(5);

/// The results of a campaign, as they are kept.
#[derive(Serialize, Deserialize)]
struct Results {
    /// The command.
    command: Vec<String>,
    /// When it began, in seconds since 1970.
    began: u64,
    /// Processors of the host.
    processors: usize,
    backend: String,
    device: String,
    driver: String,
    seconds: f64,
    programs_per_second: f64,
    tally: Tally,
    failures: Vec<Finding>,
    beyond_interleavings: Vec<Finding>,
}

impl Format for Results {
    const NAME: &'static str = "babycuda/validation-campaign";
}

pub fn run(args: &CampaignArgs) -> Result<Found, Error> {
    let backend = args.backend.name();
    let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let plan = plan(args);
    let opened = || open(backend, args.seed);
    let outcome = campaign::run(&plan, &opened, &progress(plan.programs))?;
    let results = results(&outcome, began.as_secs());
    let Results { device, driver, seconds, programs_per_second, .. } = &results;
    println!("{backend}: {device}; {driver}");
    println!("{seconds:.1} s, {programs_per_second:.0} programs a second");
    print!("{}", outcome.tally);
    for (sort, findings) in
        [("failure", &outcome.failures), ("beyond interleavings", &outcome.beyond_interleavings)]
    {
        for Finding { number, claim, why } in findings {
            let claim = claim.map_or_else(|| "no report".to_owned(), |claim| claim.to_string());
            println!("{sort}: program {number}: {claim}: {why}");
        }
    }
    if let Some(path) = &args.json {
        let text = to_json(&results).map_err(|error| Error::Json { path: path.clone(), error })?;
        write(path, &(text + "\n"))?;
    }
    if let Some(folder) = &args.keep {
        keep(folder, &plan, backend, &opened, &outcome)?;
    }
    Ok(Found::failure_if(!outcome.failures.is_empty()))
}

fn plan(args: &CampaignArgs) -> Plan {
    let default = Plan::of(args.programs);
    Plan {
        first: args.first,
        seed: args.seed,
        runs: args.runs as usize,
        batch: args.batch,
        workers: args.workers.unwrap_or(default.workers),
        devices: args.queues,
        time: args.seconds.map(Duration::from_secs),
        ..default
    }
}

/// Tells on standard error how far the campaign is.
fn progress(programs: u64) -> impl Fn(u64) + Sync {
    let start = Instant::now();
    let last = Mutex::new(start);
    move |done| {
        let Ok(mut last) = last.lock() else { return };
        if last.elapsed() >= INTERVAL {
            *last = Instant::now();
            let rate = done as f64 / start.elapsed().as_secs_f64();
            let left = programs.saturating_sub(done) as f64 / rate;
            eprintln!("{done} of {programs} programs, {rate:.0} a second, {left:.0} s left");
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
        programs_per_second: outcome.tally.programs as f64 / seconds,
        tally: outcome.tally.clone(),
        failures: outcome.failures.clone(),
        beyond_interleavings: outcome.beyond_interleavings.clone(),
    }
}

/// Writes what was found to the folder, minimised.
fn keep(
    folder: &Path,
    plan: &Plan,
    backend: BackendName,
    open: &dyn Fn() -> Result<Box<dyn Backend>, Unavailable>,
    outcome: &Outcome,
) -> Result<(), Error> {
    let findings = outcome.failures.iter().chain(&outcome.beyond_interleavings);
    for finding in findings {
        create_folder(folder)?;
        let program = case::generate(plan.seed, finding.number);
        let least = minimise::minimise(&mut *open()?, &program, plan.runs.max(8), true);
        // What does not happen again is kept as it was.
        let text = least.unwrap_or_else(|| {
            let why = &finding.why;
            format!("// once, on {backend}, and not again: {why}\n\n{program}")
        });
        let path = folder.join(format!("{backend}-{}-{}.bcuda", plan.seed, finding.number));
        write(&path, &text)?;
        println!("kept {}", path.display());
    }
    Ok(())
}
