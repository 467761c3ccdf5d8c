//! Opening back ends by name.

use crate::backend::{Backend, BackendName, Unavailable};
use crate::compiled::Compiler;
use crate::sim::{Schedule, Sim};

/// Opens the back end's device, chosen as its module says; the simulator draws its schedules from
/// `seed`.
///
/// # Errors
/// [`Unavailable`], also when this program was built without the back end.
pub fn open(backend: BackendName, seed: u64) -> Result<Box<dyn Backend>, Unavailable> {
    match backend {
        BackendName::Sim => Ok(Box::new(Sim::new(Schedule::Random(seed)))),
        #[cfg(feature = "opencl")]
        BackendName::OpenCl => Ok(Box::new(crate::opencl::OpenCl::open()?)),
        #[cfg(feature = "wgpu")]
        BackendName::Wgpu => Ok(Box::new(crate::wgpu::Wgpu::open()?)),
        #[cfg(feature = "cuda")]
        BackendName::Cuda => Ok(Box::new(crate::cuda::Cuda::open()?)),
        #[allow(unreachable_patterns)] // with every feature there is nothing left
        _ => Err(not_built_in(backend)),
    }
}

/// As [`open`], of the back ends that compile programs.
///
/// # Errors
/// [`Unavailable`], also for the simulator, which compiles nothing.
pub fn open_compiler(backend: BackendName) -> Result<Box<dyn Compiler>, Unavailable> {
    match backend {
        BackendName::Sim => {
            Err(Unavailable { backend, reason: "the simulator compiles nothing".to_owned() })
        }
        #[cfg(feature = "opencl")]
        BackendName::OpenCl => Ok(Box::new(crate::opencl::OpenCl::open()?)),
        #[cfg(feature = "wgpu")]
        BackendName::Wgpu => Ok(Box::new(crate::wgpu::Wgpu::open()?)),
        #[cfg(feature = "cuda")]
        BackendName::Cuda => Ok(Box::new(crate::cuda::Cuda::open()?)),
        #[allow(unreachable_patterns)] // with every feature there is nothing left
        _ => Err(not_built_in(backend)),
    }
}

fn not_built_in(backend: BackendName) -> Unavailable {
    Unavailable { backend, reason: "this program was built without it".to_owned() }
}
