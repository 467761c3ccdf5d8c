//! Which device, and whether it can run the interpreter.

#![allow(unsafe_code)] // Questions to the dynamic linker and to the driver.

use super::driver::Driver;
use super::error::describe;
use super::unwinding;
use crate::backend::{BackendName, Device, Unavailable};
use cudarc::driver::{CudaContext, result, sys};
use std::sync::Arc;

/// The environment variable that chooses a device.
pub const DEVICE: &str = "BABYCUDA_CUDA_DEVICE";

/// The compute capability that kernels are compiled for.
const CAPABILITY: (i32, i32) = (7, 5);

/// The device that the environment variable [`DEVICE`] numbers, or the first.
///
/// # Errors
/// It is no number.
pub(super) fn wanted() -> Result<usize, Unavailable> {
    let number = std::env::var(DEVICE).unwrap_or_default();
    match number.trim() {
        "" => Ok(0),
        number => {
            number.parse().map_err(|_| unavailable(format!("{DEVICE} is `{number}`, not a number")))
        }
    }
}

/// Opens a device.
///
/// # Errors
/// No library, no driver, no device of that number, or one that is too old.
pub(super) fn open(number: usize) -> Result<Driver, Unavailable> {
    unwinding(|| find(number)).unwrap_or_else(Err).map_err(unavailable)
}

fn find(number: usize) -> Result<Driver, String> {
    // SAFETY: opens the library and closes it again; its initializers are NVIDIA's.
    if !unsafe { sys::is_culib_present() } {
        return Err("the library libcuda could not be loaded".to_owned());
    }
    let explain = |call| move |error: result::DriverError| format!("{call}: {}", describe(error));
    result::init().map_err(explain("cuInit"))?;
    let count = result::device::get_count().map_err(explain("cuDeviceGetCount"))?;
    // Ordinals are C's `int`, so a larger number is none.
    if i32::try_from(number).map_or(true, |number| number >= count) {
        return Err(format!("there is no device {} among {count}", number));
    }
    let context = CudaContext::new(number).map_err(explain("cuDevicePrimaryCtxRetain"))?;
    let (major, minor) = context.compute_capability().map_err(explain("cuDeviceGetAttribute"))?;
    if (major, minor) < CAPABILITY {
        let (least, part) = CAPABILITY;
        return Err(format!("compute capability {major}.{minor}, {least}.{part} is needed"));
    }
    let description = describe_device(&context).map_err(explain("cuDeviceGetAttribute"))?;
    Ok(Driver::new(description, context))
}

fn unavailable(reason: String) -> Unavailable {
    Unavailable { backend: BackendName::Cuda, reason }
}

fn describe_device(context: &Arc<CudaContext>) -> Result<Device, result::DriverError> {
    let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    let block = context.attribute(attribute)?;
    let (major, minor) = context.compute_capability()?;
    // What other processes hold is not to be had, and a buffer may be as large as the rest.
    let (free, _) = context.mem_get_info()?;
    Ok(Device {
        backend: BackendName::Cuda,
        name: format!("{}, compute capability {major}.{minor}", context.name()?),
        driver: driver_version()?,
        workgroup: u32::try_from(block).unwrap_or(0),
        buffer_bytes: free as u64,
        memory_bytes: free as u64,
        iterations: None,
        cooperative: false,
    })
}

/// The version of CUDA that the driver has, with the driver's own where the system tells it.
fn driver_version() -> Result<String, result::DriverError> {
    let mut version = 0;
    // SAFETY: the driver writes one int.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    let cuda = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
    let module = std::fs::read_to_string("/sys/module/nvidia/version");
    Ok(match module {
        Ok(driver) => format!("{cuda}, driver {}", driver.trim()),
        Err(_) => cuda,
    })
}
