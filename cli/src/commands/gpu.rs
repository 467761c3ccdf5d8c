//! `babycuda gpu`: what a device does, beside what the semantics says.

use super::{Failure, without_stops};
use crate::args::{GpuArgs, PlainFormat};
use crate::output;
use babycuda::gpu::compare::expected;
use babycuda::gpu::compiled::CompiledError;
use babycuda::gpu::{
    Backend, BackendName, Compiler, Device, Job, JobOptions, Report, Runner, Unavailable, open,
    open_compiler,
};
use babycuda::semantics::{Choices, Instance};
use babycuda_files::input::File;
use babycuda_files::problem::Problem;
use babycuda_files::run::{instance, settle};
use babycuda_report::choices::guesses;
use babycuda_report::device::{DeviceKernel, DeviceRun, document, human};
use babycuda_report::worst;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open or does not
/// fit on any device, or when the device is not available.
pub(crate) fn run(args: &GpuArgs) -> Result<u8, Failure> {
    let (file, units) = args.choose.given(args.kernel.open(&args.kernel.source.wrapping())?)?;
    let mut runner = Opened::new(args)?;
    let mut kernels = Vec::new();
    for unit in &units {
        without_stops(unit).map_err(|p| Failure::of(&file, p))?;
        let instance = instance(unit).and_then(|instance| settle(&args.choose.chosen(), instance));
        let instance = instance.map_err(|problem| Failure::of(&file, problem))?;
        kernels.push(blocks(&file, unit.name(), &instance, args, &mut runner)?);
    }
    let device = runner.device();
    match args.format {
        PlainFormat::Human => output::show(human(device, &kernels, args.rows.0))?,
        PlainFormat::Json => output::println(document(&file.path, device, &kernels))?,
    }
    Ok(worst(kernels.iter().map(DeviceKernel::status)))
}

/// A device, and how it runs programs.
enum Opened {
    Interprets(Box<dyn Backend>),
    Compiles(Box<dyn Compiler>),
}

impl Opened {
    /// The back end asked for; by default the first device at hand, else the simulator.
    fn new(args: &GpuArgs) -> Result<Opened, Problem> {
        match args.compiled {
            true => find(args.backend, BackendName::OpenCl, open_compiler).map(Opened::Compiles),
            false => {
                let open = |name| open(name, args.seed);
                find(args.backend, BackendName::Sim, open).map(Opened::Interprets)
            }
        }
    }

    fn device(&self) -> &Device {
        match self {
            Opened::Interprets(backend) => backend.device(),
            Opened::Compiles(backend) => backend.device(),
        }
    }
}

/// The back end asked for; by default the first device at hand, else `last`.
fn find<B>(
    wanted: Option<BackendName>,
    last: BackendName,
    open: impl Fn(BackendName) -> Result<B, Unavailable>,
) -> Result<B, Problem> {
    let devices = [BackendName::Cuda, BackendName::OpenCl, BackendName::Wgpu];
    let mut devices = devices.into_iter().filter(|_| wanted.is_none());
    if let Some(backend) = devices.find_map(|name| open(name).ok()) {
        return Ok(backend);
    }
    open(wanted.unwrap_or(last)).map_err(|unavailable| Problem::new(unavailable.to_string()))
}

/// Blocks that one command runs: all of them are in memory at once.
const MAX_BLOCKS: u64 = 1 << 16;

/// Runs every block of a kernel.
fn blocks(
    file: &File,
    kernel: &str,
    instance: &Instance,
    args: &GpuArgs,
    device: &mut Opened,
) -> Result<DeviceKernel, Failure> {
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
    let refused = |why: &dyn std::fmt::Display| {
        let message = format!("kernel {kernel} does not fit on a device: {why}");
        Failure::of(file, Problem::new(message))
    };
    let reports: Vec<Result<Report, String>> = match device {
        Opened::Interprets(backend) => {
            let jobs = instances.iter().map(|instance| Job::new(instance, &options));
            let jobs: Vec<Job> = jobs.collect::<Result<_, _>>().map_err(|error| refused(&error))?;
            let reports = Runner::new(backend.as_mut()).run(&jobs).into_iter();
            reports.map(|report| report.map_err(|failure| failure.to_string())).collect()
        }
        Opened::Compiles(backend) => match backend.run_grid(instance, &options) {
            Ok(reports) => reports.into_iter().map(Ok).collect(),
            Err(error @ (CompiledError::Device(_) | CompiledError::Malformed { .. })) => {
                instances.iter().map(|_| Err(error.to_string())).collect()
            }
            Err(error) => return Err(refused(&error)),
        },
    };
    let runs = instances.into_iter().zip(reports).map(|(instance, report)| {
        let expected = expected(&instance, options.undefined);
        DeviceRun { expected, instance, report }
    });
    let mut notes = args.choose.chosen().lines(&instance.program, &Choices::default());
    notes.extend(guesses(&instance.program));
    Ok(DeviceKernel::new(&file.path, kernel, runs.collect(), args.compiled).with_notes(notes))
}
