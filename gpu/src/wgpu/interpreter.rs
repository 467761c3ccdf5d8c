//! The back end: images, run by `kernels/interpreter.wgsl`, and kernels given as text.

use super::find::find;
use super::gpu::Gpu;
use super::kernel::Kernel;
use crate::backend::{Backend, Device, DeviceError, Unavailable};
use crate::image::{Image, Output};
use crate::interpreter::{ENTRY, launch};
use crate::numbers;
use crate::text::{Argument, CompileError, Shape, TextBackend, only};
use std::time::Duration;

/// The text of the interpreter; one that does not spin ([`Jitter`](crate::Jitter)) is for devices
/// that count the iterations of all loops, those of a loop that no thread enters too.
pub fn interpreter(spins: bool) -> String {
    let spins = format!("const SPINS = {spins};\n");
    [&numbers::wgsl(), &spins, include_str!("../../kernels/interpreter.wgsl")].concat()
}

/// How long [`Wgpu::open`] lets one launch take.
pub const DEADLINE: Duration = Duration::from_secs(300);

/// A Vulkan device, ready to run images and kernels given as WGSL text.
#[derive(Debug)]
pub struct Wgpu {
    gpu: Gpu,
    interpreter: Kernel,
}

impl Wgpu {
    /// Opens the device that the environment variable `WGPU_ADAPTER_NAME` names, or else the best.
    ///
    /// # Errors
    /// There is none that fits.
    pub fn open() -> Result<Self, Unavailable> {
        let wanted = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty());
        Wgpu::with(wanted.as_deref(), DEADLINE)
    }

    /// Opens the device with `wanted` in its name, in any case; of several, and without it, the most
    /// powerful kind of device wins. A launch that takes longer than `deadline` loses the device:
    /// fuel bounds every program, so this is for drivers that hang.
    ///
    /// # Errors
    /// There is no Vulkan, no device of that name, or none that can run the interpreter.
    pub fn with(wanted: Option<&str>, deadline: Duration) -> Result<Self, Unavailable> {
        let gpu = find(wanted, deadline)?;
        let spins = gpu.description.iterations.is_none();
        let interpreter =
            gpu.compile(&interpreter(spins), &[ENTRY]).map(only).map_err(|error| Unavailable {
                backend: gpu.description.backend,
                reason: format!("{}: {error}", gpu.description.name),
            })?;
        Ok(Wgpu { gpu, interpreter })
    }
}

impl Backend for Wgpu {
    fn device(&self) -> &Device {
        &self.gpu.description
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        launch(image, &self.gpu.description, |line, arguments| {
            self.gpu.run(&self.interpreter, self.shape(line), arguments)
        })
    }
}

impl Wgpu {
    /// One workgroup a program, in two dimensions where one is too short; the interpreter idles in
    /// what is too much.
    ///
    /// The threads are rounded up to a power of two where the device has as many: idle threads
    /// cost little, but every size is compiled.
    fn shape(&self, line: Shape) -> Shape {
        let ([programs, ..], [threads, ..]) = (line.grid, line.block);
        let width = programs.min(self.gpu.limits.max_compute_workgroups_per_dimension);
        let height = programs.div_ceil(width.max(1));
        let most = self.gpu.description.workgroup;
        let rounded = threads.checked_next_power_of_two().filter(|rounded| *rounded <= most);
        Shape { grid: [width, height, 1], block: [rounded.unwrap_or(threads), 1, 1] }
    }
}

// Only the trait asks for `unsafe`: wgpu checks every index that a kernel uses.
#[allow(unsafe_code)]
impl TextBackend for Wgpu {
    type Kernel = Kernel;

    fn compile_all(&mut self, text: &str, entries: &[&str]) -> Result<Vec<Kernel>, CompileError> {
        self.gpu.compile(text, entries)
    }

    unsafe fn run(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        self.gpu.run(kernel, shape, arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Runner;
    use crate::report::Status;
    use crate::{Failure, Job, JobOptions};
    use babycuda_core::{Launch, Name, parse::parse_program};
    use babycuda_semantics::Instance;

    /// Whatever the device, a long loop either ends or runs out of fuel.
    #[test]
    fn a_long_loop_is_not_cut_off_without_a_word() {
        let Ok(mut backend) = Wgpu::open() else { return };
        let text = "forU x in 0..n { skip }; A[tid] := n";
        let program = parse_program(&format!("threads 2; param n; {text}")).expect("it parses");
        let options = JobOptions { fuel: 1 << 22, ..JobOptions::default() };
        for iterations in [100u64, 5_000, 70_000, 200_000] {
            let instance = Instance::new(program.clone(), Launch::threads(2));
            let instance = instance.with_parameter("n", iterations);
            let job = Job::new(&instance, &options).expect("a job");
            let report = Runner::new(&mut backend).run_one(&job).expect("a report");
            match report.status {
                Status::Done => assert_eq!(report.value(&Name::new("A"), 1), Some(iterations)),
                Status::OutOfFuel(_) => assert!(iterations > 5_000),
                other => panic!("{iterations} iterations: {other}"),
            }
        }
    }

    #[test]
    fn a_destroyed_device_is_lost_and_the_batch_says_so() {
        // Whether there has to be a device is for the suite of the back end to say.
        let Ok(mut backend) = Wgpu::open() else { return };
        let program = parse_program("A[tid] := tid").expect("it parses");
        let instance = Instance::new(program, Launch::threads(4));
        let job = Job::new(&instance, &JobOptions::default()).expect("a job");
        assert!(Runner::new(&mut backend).run_one(&job).is_ok());
        backend.gpu.device.destroy();
        for result in Runner::new(&mut backend).run(&[job.clone(), job]) {
            assert!(matches!(result, Err(Failure::Device(DeviceError::Lost { .. }))), "{result:?}");
        }
    }
}
