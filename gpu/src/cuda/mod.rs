//! NVIDIA's devices, through the crate `cudarc`, which loads the libraries `libcuda` and, for
//! kernels given as text, `libnvrtc` when they are needed.
//!
//! [`Cuda`] runs images with `kernels/interpreter.h`, from the PTX beside it, which
//! `examples/regenerate_ptx.rs` makes; and any other CUDA C text.

mod driver;
mod error;
mod find;
mod nvrtc;

pub use driver::Kernel;
pub use find::DEVICE;
pub use nvrtc::ptx;

use crate::backend::{Backend, BackendName, Device, DeviceError, Unavailable};
use crate::image::{Image, Output};
use crate::interpreter::{ENTRY, launch};
use crate::numbers;
use crate::text::{Argument, CompileError, Shape, TextBackend, only};
use cudarc::nvrtc::Ptx;
use driver::Driver;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The text of the interpreter.
pub fn interpreter() -> String {
    [
        include_str!("../../kernels/interpreter.cu"),
        &numbers::c(),
        include_str!("../../kernels/numbers.h"),
        include_str!("../../kernels/interpreter.h"),
    ]
    .concat()
}

/// What the text compiles to.
pub const INTERPRETER_PTX: &str = include_str!("../../kernels/interpreter.ptx");

/// The back end `cuda`.
#[derive(Debug)]
pub struct Cuda {
    interpreter: Kernel,
    driver: Driver,
}

impl Cuda {
    /// Opens the device that the environment variable [`DEVICE`] numbers, or the first.
    ///
    /// # Errors
    /// There is none, or it does not fit.
    pub fn open() -> Result<Self, Unavailable> {
        Cuda::with(find::wanted()?)
    }

    /// Opens the device of this number, from 0 on, and loads the interpreter into it. The driver
    /// itself renumbers by `CUDA_VISIBLE_DEVICES`.
    ///
    /// # Errors
    /// It is not there, does not fit, or refuses the interpreter.
    pub fn with(number: usize) -> Result<Self, Unavailable> {
        let mut driver = find::open(number)?;
        let ptx = Ptx::from_src(INTERPRETER_PTX);
        let interpreter = driver.load(ptx, &[ENTRY]).map(only).map_err(|error| Unavailable {
            backend: BackendName::Cuda,
            reason: format!("{}: the interpreter: {error}", driver.description.name),
        })?;
        let most = u32::try_from(interpreter.block()).unwrap_or(u32::MAX);
        driver.description.workgroup = driver.description.workgroup.min(most);
        Ok(Cuda { interpreter, driver })
    }
}

impl Backend for Cuda {
    fn device(&self) -> &Device {
        &self.driver.description
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let Cuda { interpreter, driver } = self;
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

impl TextBackend for Cuda {
    type Kernel = Kernel;

    fn compile_all(&mut self, text: &str, entries: &[&str]) -> Result<Vec<Kernel>, CompileError> {
        self.driver.load(nvrtc::compile(text)?, entries)
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

/// What `action` results in, or the words of its panic: `cudarc` panics where a library lacks a
/// function. What the action left half done must not be used again.
fn unwinding<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        words
            .or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()))
            .unwrap_or_else(|| "the driver's interface panicked".to_owned())
    })
}
