//! The back end: images, run by `kernels/interpreter.wgsl`, and kernels given as text.

use super::find::Options;
use super::gpu::Gpu;
use super::kernel::Kernel;
use crate::backend::{Backend, Device, DeviceError, Unavailable};
use crate::check::check;
use crate::image::{ENTRY_LONGS, Image, Output, THREAD_WORDS};
use crate::text::{Argument, CompileError, Shape, TextBackend};

/// The text of the interpreter.
pub const INTERPRETER: &str = include_str!("../../kernels/interpreter.wgsl");

/// A Vulkan device, ready to run images and kernels given as WGSL text.
#[derive(Debug)]
pub struct Wgpu {
    gpu: Gpu,
    interpreter: Kernel,
}

impl Wgpu {
    /// Opens the device that the environment asks for, or else the best.
    ///
    /// # Errors
    /// There is none that fits.
    pub fn open() -> Result<Self, Unavailable> {
        Wgpu::with(&Options::from_environment())
    }

    /// Opens a device.
    ///
    /// # Errors
    /// There is no Vulkan, no device of that name, or none that can run the interpreter.
    pub fn with(options: &Options) -> Result<Self, Unavailable> {
        let gpu = options.find()?;
        let interpreter = gpu.compile(INTERPRETER, "interpret").map_err(|error| Unavailable {
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
        let refused = |message| DeviceError::Call { call: "launch", message };
        check(image).map_err(|error| refused(error.to_string()))?;
        let mut memory = image.memory.clone();
        if image.is_empty() {
            return Ok(Output { memory, ..Output::default() });
        }
        self.check_memory(image)?;
        let shape = self.shape(image).map_err(refused)?;
        let mut log = vec![0; image.log_entries * ENTRY_LONGS];
        let mut threads = vec![0; image.threads * THREAD_WORDS];
        let mut arguments = [
            Argument::Words(&image.programs),
            Argument::Words(&image.code),
            Argument::Words(&image.arrays),
            Argument::Longs(&image.inputs),
            Argument::LongsInOut(&mut memory),
            Argument::LongsOut(&mut log),
            Argument::WordsOut(&mut threads),
        ];
        self.gpu.run(&self.interpreter, shape, &mut arguments)?;
        Ok(Output { memory, log, threads })
    }
}

impl Wgpu {
    /// Before the host reserves memory for what the device could not have: an image says how long
    /// its log is, and that may be any number.
    fn check_memory(&self, image: &Image) -> Result<(), DeviceError> {
        let available = self.gpu.description.buffer_bytes;
        let sizes = [
            ("log", image.log_entries as u64, 8 * ENTRY_LONGS as u64),
            ("threads", image.threads as u64, 4 * THREAD_WORDS as u64),
        ];
        for (what, count, bytes) in sizes {
            let needed = count.saturating_mul(bytes);
            if needed > available {
                return Err(DeviceError::TooLarge { what, needed, available });
            }
        }
        Ok(())
    }

    /// One workgroup a program, in two dimensions where one is too short.
    ///
    /// The threads are rounded up to a power of two where the device has as many: idle threads
    /// cost little, but every size is compiled.
    fn shape(&self, image: &Image) -> Result<Shape, String> {
        let programs = u32::try_from(image.len()).map_err(|_| "too many programs".to_owned())?;
        let width = programs.min(self.gpu.limits.max_compute_workgroups_per_dimension);
        let most = self.gpu.description.workgroup;
        let threads = match image.workgroup.checked_next_power_of_two() {
            Some(rounded) if rounded <= most => rounded,
            // A size that does not fit at all is refused when it is run.
            _ => image.workgroup.max(most),
        };
        Ok(Shape { grid: [width, programs.div_ceil(width), 1], block: [threads, 1, 1] })
    }
}

// Only the trait asks for `unsafe`: wgpu checks every index that a kernel uses.
#[allow(unsafe_code)]
impl TextBackend for Wgpu {
    type Kernel = Kernel;

    fn compile(&mut self, text: &str, entry: &str) -> Result<Kernel, CompileError> {
        self.gpu.compile(text, entry)
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
