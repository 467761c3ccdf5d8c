//! `babycuda gpu`: what a device does, beside what the semantics says.

mod json;
mod table;

use super::Failure;
use super::run::instance;
use crate::args::{BackendArg, GpuArgs, PlainFormat};
use crate::input::{self, File, Fixed, Problem};
use crate::output;
use crate::report::worst;
use babycuda::gpu::compare::{Comparison, expected};
use babycuda::gpu::report::Status;
use babycuda::gpu::{Backend, BackendName, Job, JobOptions, Report, Runner, open};
use babycuda::semantics::{Instance, Outcome};

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
    /// There is no report, a number did not fit, or a thread was stopped by a limit of the device:
    /// the calculus knows none of these.
    fn comparison(&self) -> Result<(&Report, Comparison), String> {
        let report = self.report.as_ref().map_err(String::clone)?;
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

    /// 0: the device did what the semantics says. 1: it did not. 3: nothing to compare.
    fn status(&self) -> u8 {
        match self.comparison() {
            Err(_) => 3,
            Ok((_, comparison)) => u8::from(comparison.first_difference().is_some()),
        }
    }
}

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open or does not
/// fit on any device, or when the device is not available.
pub fn run(args: &GpuArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let fixed = Fixed { source: &args.source, launch: Some(&args.launch), assumptions: &[] };
    let units = input::units(&file, &fixed).map_err(|p| Failure::of(&file, p))?;
    let mut backend = find(args.backend, args.seed)?;
    let mut runs = Vec::new();
    for unit in &units {
        let instance = instance(&file, unit, &args.launch)?;
        runs.extend(blocks(&file, unit.name(), &instance, args, backend.as_mut())?);
    }
    let device = backend.device();
    match args.format {
        PlainFormat::Human => {
            output::println(format!("{}: {} ({})", device.backend, device.name, device.driver))?;
            for run in &runs {
                output::print(table::print(run))?;
            }
        }
        PlainFormat::Json => output::println(json::document(&file.path, device, &runs))?,
    }
    Ok(worst(runs.iter().map(Run::status)))
}

/// The back end asked for; by default the first device at hand, else the simulator.
fn find(wanted: BackendArg, seed: u64) -> Result<Box<dyn Backend>, Problem> {
    let name = match wanted {
        BackendArg::Auto => {
            let devices = [BackendName::Cuda, BackendName::OpenCl, BackendName::Wgpu];
            if let Some(backend) = devices.into_iter().find_map(|name| open(name, seed).ok()) {
                return Ok(backend);
            }
            BackendName::Sim
        }
        BackendArg::Sim => BackendName::Sim,
        BackendArg::Opencl => BackendName::OpenCl,
        BackendArg::Wgpu => BackendName::Wgpu,
        BackendArg::Cuda => BackendName::Cuda,
    };
    open(name, seed).map_err(|unavailable| Problem::new(unavailable.to_string()))
}

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
    let grid = instance.block.launch.grid.count();
    let instances: Vec<Instance> =
        (0..grid).map(|block| instance.clone().with_block(block)).collect();
    let jobs = instances.iter().map(|instance| Job::new(instance, &options));
    let jobs: Vec<Job> = jobs.collect::<Result<_, _>>().map_err(|error| {
        let message = format!("kernel {kernel} does not fit on a device: {error}");
        Failure::of(file, Problem { message, span: None, help: None })
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
