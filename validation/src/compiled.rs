//! Random programs in compiled mode: a batch is one module, which the device's compiler sees once.

use crate::campaign::{Finding, Found, Outcome};
use crate::case::{Family, generate, options};
use crate::trial::{Exclusion, Trial};
use babycuda_campaign::{Plan, State};
use babycuda_gpu::JobOptions;
use babycuda_gpu::compiled::{CompiledError, run_all};
use babycuda_gpu::report::Status;
use babycuda_gpu::text::{CompileError, TextBackend};
use babycuda_gpu::{Report, Unavailable};
use babycuda_semantics::Instance;
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

/// Compiles the programs of a plan, a module a batch, runs each once on a device that `open` opens,
/// and holds what they do to every claim.
///
/// # Errors
/// [`Unavailable`]: there is no such device, or it has no compiler here.
pub fn run<B: TextBackend>(
    plan: &Plan,
    open: impl Fn() -> Result<B, Unavailable> + Sync + Send,
) -> Result<Outcome, Unavailable> {
    let (device, start) = (open()?.device().clone(), Instant::now());
    // Why there is no device, or no compiler.
    let missing: OnceLock<Unavailable> = OnceLock::new();
    let work = |backend: &mut Result<B, Unavailable>, numbers| {
        let found = backend.as_mut().map_err(|error| error.clone());
        match found.and_then(|backend| module(plan.seed, numbers, backend)) {
            Ok(found) => Continue(found),
            Err(error) => {
                // The first one is told.
                let _ = missing.set(error);
                Break(Found::default())
            }
        }
    };
    let found = plan.run(State::new(plan), open, work, |_| {}).found;
    match missing.into_inner() {
        Some(missing) => Err(missing),
        None => Ok(Outcome::new(device, found, 0, start.elapsed())),
    }
}

/// Compiles programs together, runs each and judges it; unless there is no compiler.
fn module<B: TextBackend>(
    seed: u64,
    numbers: Range<u64>,
    backend: &mut B,
) -> Result<Found, Unavailable> {
    let mut found = Found::default();
    let mut trials: Vec<(u64, Trial)> = Vec::new();
    for number in numbers {
        found.tally.program(Family::of(number));
        let mut program = generate(seed, number);
        // Claims are about one block, and this mode runs all that there are.
        program.geometry.grid = None;
        match Trial::new(&program) {
            Ok(trial) => trials.push((number, trial)),
            Err(why) => found.tally.excluded.add(why),
        }
    }
    let instances: Vec<Instance> =
        trials.iter().map(|(_, t)| t.reference.instance.clone()).collect();
    // One room for the logs of all.
    let ample = instances.iter().map(options).max_by_key(|options| options.log);
    let reports = run_all(backend, &instances, &ample.unwrap_or_else(JobOptions::default));
    let name = backend.device().backend;
    for ((number, trial), reports) in trials.iter().zip(reports) {
        match reports {
            Ok(reports) if reports.iter().any(goes_on_after_a_fault) => {
                found.tally.excluded.add(Exclusion::BeyondFault);
            }
            Ok(reports) => {
                let reports: Vec<Result<Report, CompiledError>> =
                    reports.into_iter().map(Ok).collect();
                found.judge(*number, trial, &reports, name);
            }
            Err(CompiledError::Compile(error @ CompileError::NoCompiler { .. })) => {
                return Err(Unavailable { backend: name, reason: error.to_string() });
            }
            Err(CompiledError::Emit(_)) => found.tally.excluded.add(Exclusion::NoText),
            Err(error) => {
                found.tally.unreported += 1;
                let why = error.to_string();
                found.fail(Finding { number: *number, claim: None, why });
            }
        }
    }
    Ok(found)
}

fn goes_on_after_a_fault(report: &Report) -> bool {
    match report.status {
        Status::Done | Status::Divergence(_) => false,
        Status::Waits(_)
        | Status::OutOfFuel(_)
        | Status::LogFull(_)
        | Status::OutOfBounds { .. } => report.last_phase > 0,
    }
}
