//! OpenCL devices, through the crate `opencl3`, which loads the library `libOpenCL` when it is
//! asked for devices.
//!
//! [`OpenCl`] runs images with `kernels/interpreter.h`, and any other OpenCL C text. Processors
//! with PoCL (Debian: `pocl-opencl-icd ocl-icd-libopencl1`) are among the devices.

mod driver;
mod error;
mod find;
mod handle;
mod pocl;

pub use driver::Kernel;
pub use find::DEVICE;

use crate::backend::{Backend, BackendName, Device, DeviceError, Unavailable};
use crate::image::{Image, Output};
use crate::interpreter::{ENTRY, launch};
use crate::numbers;
use crate::text::{Argument, CompileError, Shape, TextBackend, only};
use driver::Driver;

/// The text of the interpreter.
pub fn interpreter() -> String {
    [
        include_str!("../../kernels/interpreter.cl"),
        &numbers::c(),
        include_str!("../../kernels/numbers.h"),
        include_str!("../../kernels/interpreter.h"),
    ]
    .concat()
}

/// The back end `opencl`.
#[derive(Debug)]
pub struct OpenCl {
    interpreter: Kernel,
    driver: Driver,
}

impl OpenCl {
    /// Opens the device that the environment variable [`DEVICE`] names, or else the best.
    ///
    /// # Errors
    /// There is none that fits.
    pub fn open() -> Result<Self, Unavailable> {
        let wanted = std::env::var(DEVICE).ok().filter(|name| !name.is_empty());
        OpenCl::with(wanted.as_deref())
    }

    /// Opens the best device, of those with `wanted` in their `platform: device`, in any case, and
    /// compiles the interpreter for it. GPUs come before other devices, and processors last.
    ///
    /// # Errors
    /// There is none that fits, or its compiler refuses the interpreter.
    pub fn with(wanted: Option<&str>) -> Result<Self, Unavailable> {
        let mut driver = find::open(wanted)?;
        let interpreter =
            driver.compile(&interpreter(), &[ENTRY]).map(only).map_err(|error| Unavailable {
                backend: BackendName::OpenCl,
                reason: format!("{}: the interpreter: {error}", driver.description.name),
            })?;
        let most = u32::try_from(interpreter.workgroup()).unwrap_or(u32::MAX);
        driver.description.workgroup = driver.description.workgroup.min(most);
        Ok(OpenCl { interpreter, driver })
    }
}

impl Backend for OpenCl {
    fn device(&self) -> &Device {
        &self.driver.description
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let OpenCl { interpreter, driver } = self;
        let device = driver.description.clone();
        launch(image, &device, |shape, arguments| {
            // SAFETY: these are the interpreter's parameters, of an image that was checked.
            #[allow(unsafe_code)]
            unsafe {
                driver.run(interpreter, shape, arguments)
            }
        })
    }
}

impl TextBackend for OpenCl {
    type Kernel = Kernel;

    fn compile_all(&mut self, text: &str, entries: &[&str]) -> Result<Vec<Kernel>, CompileError> {
        self.driver.compile(text, entries)
    }

    #[allow(unsafe_code)]
    unsafe fn run(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.driver.run(kernel, shape, arguments) }
    }
}
