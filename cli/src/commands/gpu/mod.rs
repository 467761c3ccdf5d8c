//! `babycuda gpu`: what a device does, beside what the semantics says.

mod json;
mod table;

use super::run::{as_assumed, instance};
use super::{Failure, without_stops};
use crate::args::{GpuArgs, PlainFormat};
use crate::input::{File, Problem};
use crate::output;
use babycuda::gpu::compare::{Comparison, expected};
use babycuda::gpu::report::Status;
use babycuda::gpu::{Backend, BackendName, Job, JobOptions, Report, Runner, open};
use babycuda::semantics::grid::GridRace;
use babycuda::semantics::{Instance, Outcome, Reason};
use babycuda_report::{across, worst};

/// One block of a kernel, on the device and in the semantics.
struct Run {
    kernel: String,
    instance: Instance,
    expected: Outcome,
    /// Or why there is no report.
    report: Result<Report, String>,
}

impl Run {
    /// The report and the two sides, or why there is nothing to compare.
    ///
    /// # Errors
    /// There is no report, a number did not fit, a thread was stopped by a limit of the device (the
    /// calculus knows none of these), or the semantics reached a limit of its own.
    fn comparison(&self) -> Result<(&Report, Comparison), String> {
        let report = self.report.as_ref().map_err(String::clone)?;
        if let Outcome::Stuck { stuck, .. } = &self.expected
            && let Reason::Limit { .. } = stuck.reason
        {
            return Err(format!("the semantics gave up: {stuck}"));
        }
        if let Some(place) = report.overflow {
            return Err(format!("a natural outgrew 64 bits: {place}"));
        }
        match &report.status {
            Status::Done | Status::Divergence(_) => {
                Ok((report, Comparison::new(&self.expected, report)))
            }
            fault => Err(fault.to_string()),
        }
    }

    /// What the comparison says.
    fn finding(&self, comparison: &Comparison) -> Finding {
        match comparison.first_difference() {
            None => Finding::Same,
            // The semantics' history rests on one choice of what the updates yield.
            Some(_) if self.instance.program.body.has_atomics() => Finding::Atomic,
            Some(_) if !self.expected.history().is_drf() => Finding::Racy,
            Some(_) => Finding::Wrong,
        }
    }

    /// As the program's help says.
    fn status(&self) -> u8 {
        match self.comparison().map(|(_, comparison)| self.finding(&comparison)) {
            Ok(Finding::Same) => 0,
            Ok(Finding::Wrong) => 1,
            Ok(Finding::Racy | Finding::Atomic) | Err(_) => 3,
        }
    }
}

/// What a comparison says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding {
    /// Both sides are the same.
    Same,
    /// They differ, as those of a racy program may.
    Racy,
    /// They differ. The order of atomic updates is open, and so is what they yield.
    Atomic,
    /// They differ, though nothing is left open.
    Wrong,
}

impl Finding {
    /// In a word, for programs.
    fn word(self) -> &'static str {
        match self {
            Finding::Same => "same",
            Finding::Racy => "racy",
            Finding::Atomic => "atomic",
            Finding::Wrong => "wrong",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Finding::Same => "the device did what the semantics says",
            Finding::Racy => {
                "the sides differ; the program is racy, so the order of threads may decide"
            }
            Finding::Atomic => "the sides differ; the order of the atomic updates may decide",
            Finding::Wrong => "the sides differ, though nothing in the program is left open",
        }
    }
}

/// The races between blocks of one kernel; none of blocks that wait for each other, whose history is
/// one.
fn across_blocks(runs: &[Run]) -> (Vec<GridRace>, usize) {
    let Some(first) = runs.first().filter(|run| run.instance.blocks().is_none()) else {
        return Default::default();
    };
    across::races(&first.instance.program, runs.iter().map(|run| run.expected.history()))
}

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open or does not
/// fit on any device, or when the device is not available.
pub(crate) fn run(args: &GpuArgs) -> Result<u8, Failure> {
    let (file, units) = args.kernel.open(&args.kernel.source.wrapping())?;
    let mut backend = find(args.backend, args.seed)?;
    let mut kernels = Vec::new();
    for unit in &units {
        without_stops(unit).map_err(|p| Failure::of(&file, p))?;
        let instance = instance(&file, unit)?;
        as_assumed(&file, &instance.program, &instance.configuration, instance.host())?;
        kernels.push(blocks(&file, unit.name(), &instance, args, backend.as_mut())?);
    }
    let device = backend.device();
    match args.format {
        PlainFormat::Human => {
            output::println(format!("{}: {} ({})", device.backend, device.name, device.driver))?;
            for runs in &kernels {
                for run in runs {
                    output::print(table::print(run))?;
                }
                output::print(across::lines(&across_blocks(runs)))?;
            }
        }
        PlainFormat::Json => output::println(json::document(&file.path, device, &kernels))?,
    }
    Ok(worst(kernels.iter().flatten().map(Run::status)))
}

/// The back end asked for; by default the first device at hand, else the simulator.
fn find(wanted: Option<BackendName>, seed: u64) -> Result<Box<dyn Backend>, Problem> {
    let devices = [BackendName::Cuda, BackendName::OpenCl, BackendName::Wgpu];
    let mut devices = devices.into_iter().filter(|_| wanted.is_none());
    if let Some(backend) = devices.find_map(|name| open(name, seed).ok()) {
        return Ok(backend);
    }
    open(wanted.unwrap_or(BackendName::Sim), seed)
        .map_err(|unavailable| Problem::new(unavailable.to_string()))
}

/// Blocks that one command runs: all of them are in memory at once.
const MAX_BLOCKS: u64 = 1 << 16;

/// Runs every block of a kernel, each with the memory that the host left.
fn blocks(
    file: &File,
    kernel: &str,
    instance: &Instance,
    args: &GpuArgs,
    backend: &mut dyn Backend,
) -> Result<Vec<Run>, Failure> {
    let options = JobOptions {
        fuel: args.fuel,
        log: args.log,
        length: args.length,
        undefined: args.undefined,
        ..JobOptions::default()
    };
    let grid = instance.configuration.launch.grid.count();
    if grid > MAX_BLOCKS {
        let message = format!("a grid of {grid} blocks; at most {MAX_BLOCKS} are run on a device");
        return Err(Problem::new(message).help("give --grid").into());
    }
    let instances: Vec<Instance> =
        (0..grid).map(|block| instance.clone().with_block(block)).collect();
    let jobs = instances.iter().map(|instance| Job::new(instance, &options));
    let jobs: Vec<Job> = jobs.collect::<Result<_, _>>().map_err(|error| {
        let message = format!("kernel {kernel} does not fit on a device: {error}");
        Failure::of(file, Problem::new(message))
    })?;
    let reports = Runner::new(backend).run(&jobs);
    Ok(instances
        .into_iter()
        .zip(reports)
        .map(|(instance, report)| Run {
            kernel: kernel.to_owned(),
            expected: expected(&instance, options.undefined),
            instance,
            report: report.map_err(|failure| failure.to_string()),
        })
        .collect())
}
