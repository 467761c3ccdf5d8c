//! Back ends that compile text.

use super::{Error, Found};
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{BackendName, Unavailable};
use babycuda_validation::watched::Open;
#[cfg(any(feature = "opencl", feature = "wgpu", feature = "cuda"))]
use std::sync::Arc;

/// What is done on any of them.
pub(crate) trait OnText {
    #[cfg_attr(not(any(feature = "opencl", feature = "wgpu", feature = "cuda")), allow(dead_code))]
    fn on<B: TextBackend + 'static>(self, open: Open<B>) -> Result<Found, Error>;
}

/// Does it on the back end of this name.
pub(crate) fn on_text(backend: BackendName, action: impl OnText) -> Result<Found, Error> {
    match backend {
        #[cfg(feature = "opencl")]
        BackendName::OpenCl => action.on(Arc::new(babycuda_gpu::opencl::OpenCl::open)),
        #[cfg(feature = "wgpu")]
        BackendName::Wgpu => action.on(Arc::new(babycuda_gpu::wgpu::Wgpu::open)),
        #[cfg(feature = "cuda")]
        BackendName::Cuda => action.on(Arc::new(babycuda_gpu::cuda::Cuda::open)),
        BackendName::Sim => {
            let _ = action;
            let reason = "the simulator compiles no text".to_owned();
            Err(Unavailable { backend, reason }.into())
        }
        #[allow(unreachable_patterns)] // with every feature there is nothing left
        _ => {
            let reason = "this program was built without it".to_owned();
            Err(Unavailable { backend, reason }.into())
        }
    }
}
