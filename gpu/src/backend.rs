//! What every back end offers: a device that runs images.

use crate::check::BadImage;
use crate::image::{Image, Output};
use std::fmt;

/// A device, ready to run images.
pub trait Backend {
    /// Which device this is.
    fn device(&self) -> &Device;

    /// Runs one image to its end.
    ///
    /// # Errors
    /// [`DeviceError`]; the device's memory is lost then, and after [`DeviceError::Lost`] the device is too.
    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError>;
}

impl<B: Backend + ?Sized> Backend for Box<B> {
    fn device(&self) -> &Device {
        (**self).device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        (**self).launch(image)
    }
}

/// Which interface a back end uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BackendName {
    /// The simulator in this crate.
    Sim,
    /// Vulkan, through `wgpu`.
    Wgpu,
    /// OpenCL.
    OpenCl,
    /// The CUDA driver.
    Cuda,
}

impl BackendName {
    /// All of them, built in or not.
    pub const ALL: [BackendName; 4] =
        [BackendName::Sim, BackendName::Wgpu, BackendName::OpenCl, BackendName::Cuda];
}

impl fmt::Display for BackendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BackendName::Sim => "sim",
            BackendName::Wgpu => "wgpu",
            BackendName::OpenCl => "opencl",
            BackendName::Cuda => "cuda",
        })
    }
}

/// A device and what it can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// The interface it is reached by.
    pub backend: BackendName,
    /// Its name, as the driver gives it.
    pub name: String,
    /// The driver and its version, as far as it tells.
    pub driver: String,
    /// Threads that a workgroup may have.
    pub workgroup: u32,
    /// Bytes that one buffer may have.
    pub buffer_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Iterations of all loops of a kernel together, after which the device leaves them without a
    /// word; `None`: it never does.
    pub iterations: Option<u32>,
    /// Do the workgroups of a grid wait for each other at its barriers? Others are not given such
    /// images.
    pub cooperative: bool,
}

impl Device {
    /// The most fuel that a thread may be given so that the device does not leave its loops early,
    /// where a unit of fuel pays for at most `cost` iterations.
    ///
    /// That is so as long as threads which the device runs together take the same way. Where they
    /// do not, their iterations add up, and a program may still be cut off.
    pub(crate) fn affordable(&self, fuel: u32, cost: u32) -> u32 {
        self.iterations.map_or(fuel, |iterations| fuel.min(iterations / cost))
    }
}

/// Why a back end cannot be used here: a typed outcome of looking for it, never a panic.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("back end {backend} is not available: {reason}")]
pub struct Unavailable {
    /// Which.
    pub backend: BackendName,
    /// Why: not built in, no library, no driver, no device, or a device that lacks something.
    pub reason: String,
}

/// Why a launch has no output.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No device may be given this image.
    #[error("bad image: {0}")]
    BadImage(#[from] BadImage),
    /// The image does not fit.
    #[error("the launch needs {needed} bytes of {what}, the device has {available}")]
    #[allow(missing_docs)]
    TooLarge { what: &'static str, needed: u64, available: u64 },
    /// A barrier of a grid whose blocks do not all run, or not so that they wait for each other.
    #[error("`sync.grid` of several blocks, which do not wait for each other here")]
    NotCooperative,
    /// The driver refused a call; the device can be used again.
    #[error("{call} failed: {message}")]
    #[allow(missing_docs)]
    Call { call: &'static str, message: String },
    /// The device is gone, or did not come back in time.
    #[error("the device is lost: {message}")]
    #[allow(missing_docs)]
    Lost { message: String },
}
