//! Random programs in compiled mode: a batch is one module, which the device's compiler sees once.

use crate::campaign::{Finding, Found, Mode, NotRun, Outcome, Plan, Ran, least_as, run_as};
use crate::case::{generate, options};
use crate::minimise::Least;
use crate::trial::Exclusion;
use crate::watched::Open;
use babycuda_campaign::State;
use babycuda_core::Program;
use babycuda_gpu::compiled::{CompiledError, run_all};
use babycuda_gpu::report::Status;
use babycuda_gpu::text::{CompileError, TextBackend};
use babycuda_gpu::{DeviceError, Failure, JobOptions, Report, Unavailable};
use babycuda_semantics::Instance;

/// Compiles the programs of a plan, a module a batch, runs them on devices that `open` opens, and
/// holds what they do to every claim.
///
/// # Errors
/// [`Unavailable`]: there is no such device, or it has no compiler here.
pub fn run<B: TextBackend + 'static>(
    plan: &Plan,
    open: &Open<B>,
    state: State<Found>,
    after: &(dyn Fn(&State<Found>) + Sync),
) -> Result<Outcome, Unavailable> {
    run_as(&mode(), plan, open, state, after)
}

/// What minimises findings, compiling each smaller program.
///
/// # Errors
/// [`Unavailable`]
pub fn least<B: TextBackend + 'static>(
    plan: &Plan,
    open: &Open<B>,
) -> Result<impl FnMut(&Finding) -> Option<Least> + use<B>, Unavailable> {
    least_as(&mode(), plan, open, 400)
}

fn mode<B: TextBackend>() -> Mode<B, (Instance, usize)> {
    Mode {
        // A batch is a module.
        together: usize::MAX,
        generate: one_block,
        prepare: |_, trial, runs| (trial.reference.instance.clone(), runs),
        run: run_together,
    }
}

/// Claims are about one block, and this mode runs all that there are.
fn one_block(seed: u64, number: u64) -> Program {
    let mut program = generate(seed, number);
    program.geometry.grid = None;
    program
}

/// Compiles programs together, and runs each.
fn run_together<B: TextBackend>(backend: &mut B, programs: Vec<(Instance, usize)>) -> Vec<Ran> {
    // One room for the logs of all.
    let ample = programs.iter().map(|(own, _)| options(own)).max_by_key(|options| options.log);
    let all = run_all(backend, &programs, &ample.unwrap_or_else(JobOptions::default));
    let failed = |error| Ok(vec![Err(Failure::Device(error))]);
    let ran = |runs: Result<Vec<Vec<Report>>, CompiledError>| match runs {
        Ok(runs) if runs.iter().flatten().any(goes_on_after_a_fault) => {
            Err(NotRun::Excluded(Exclusion::BeyondFault))
        }
        Ok(runs) => Ok(runs.into_iter().map(Ok).collect()),
        Err(CompiledError::Compile(error @ CompileError::NoCompiler { .. })) => {
            Err(NotRun::NoCompiler(error.to_string()))
        }
        Err(CompiledError::Emit(_)) => Err(NotRun::Excluded(Exclusion::NoText)),
        // Texts have all parameters, bytecode those that the program asks for.
        Err(CompiledError::ParameterTooLarge { .. }) => {
            Err(NotRun::Excluded(Exclusion::NumberTooLarge))
        }
        Err(CompiledError::Device(error))
        | Err(CompiledError::Compile(CompileError::Device(error))) => failed(error),
        Err(error) => {
            let message = error.to_string();
            failed(DeviceError::Call { call: "the run of a compiled program", message })
        }
    };
    all.into_iter().map(ran).collect()
}

fn goes_on_after_a_fault(report: &Report) -> bool {
    match report.status {
        Status::Done | Status::Divergence(_) => false,
        Status::Waits(_)
        | Status::OutOfFuel(_)
        | Status::LogFull(_)
        | Status::OutOfBounds { .. } => {
            let passed = report.threads.iter().any(|thread| !thread.passed.is_empty());
            report.last_phase > 0 || passed
        }
    }
}
