//! `babycuda gpu`: what a device does, beside what the semantics says.

use super::{Failure, without_stops};
use crate::args::{GpuArgs, PlainFormat};
use crate::output;
use babycuda::gpu::compare::expected;
use babycuda::gpu::{Backend, BackendName, Job, JobOptions, Runner, open};
use babycuda::semantics::Instance;
use babycuda_files::input::File;
use babycuda_files::problem::Problem;
use babycuda_files::run::{as_assumed, instance};
use babycuda_report::device::{DeviceRun, document, human};
use babycuda_report::worst;

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
        let instance = instance(unit).map_err(|p| Failure::of(&file, p))?;
        as_assumed(&instance.program, &instance.configuration, instance.host())
            .map_err(|p| Failure::of(&file, p))?;
        kernels.push(blocks(&file, unit.name(), &instance, args, backend.as_mut())?);
    }
    let device = backend.device();
    match args.format {
        PlainFormat::Human => output::print(human(device, &kernels))?,
        PlainFormat::Json => output::println(document(&file.path, device, &kernels))?,
    }
    Ok(worst(kernels.iter().flatten().map(DeviceRun::status)))
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
) -> Result<Vec<DeviceRun>, Failure> {
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
        .map(|(instance, report)| DeviceRun {
            kernel: kernel.to_owned(),
            expected: expected(&instance, options.undefined),
            instance,
            report: report.map_err(|failure| failure.to_string()),
        })
        .collect())
}
