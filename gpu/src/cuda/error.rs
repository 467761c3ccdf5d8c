//! Codes of the CUDA driver as errors.

use crate::backend::DeviceError;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

/// The bytes that a launch asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needed(pub(super) u64);

/// `CUDA_ERROR_OUT_OF_MEMORY: out of memory`
pub(super) fn describe(error: DriverError) -> String {
    // Both are static texts of the driver.
    let text = error.error_string().ok().map(|text| text.to_string_lossy().into_owned());
    match text {
        Some(text) => format!("{:?}: {text}", error.0),
        None => format!("{:?}", error.0),
    }
}

/// The error of a call that asks for memory, `available` of which is left.
pub(super) fn classify(
    call: &'static str,
    error: DriverError,
    needed: Needed,
    available: impl FnOnce() -> u64,
) -> DeviceError {
    match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            DeviceError::TooLarge { what: "memory", needed: needed.0, available: available() }
        }
        code if leaves_the_context(code) => DeviceError::Call { call, message: describe(error) },
        _ => DeviceError::Lost { message: format!("{call}: {}", describe(error)) },
    }
}

/// Does the context work on after this error? Those that say so are the refusals of single calls.
/// A fault of a kernel, of the memory or of the device stays with the context, and comes from
/// whatever call is next; so does what is not known here.
fn leaves_the_context(code: CUresult) -> bool {
    use CUresult::*;
    matches!(
        code,
        CUDA_ERROR_INVALID_VALUE
            | CUDA_ERROR_INVALID_IMAGE
            | CUDA_ERROR_NO_BINARY_FOR_GPU
            | CUDA_ERROR_INVALID_PTX
            | CUDA_ERROR_JIT_COMPILER_NOT_FOUND
            | CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            | CUDA_ERROR_JIT_COMPILATION_DISABLED
            | CUDA_ERROR_INVALID_SOURCE
            | CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
            | CUDA_ERROR_INVALID_HANDLE
            | CUDA_ERROR_NOT_FOUND
            | CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
            | CUDA_ERROR_NOT_SUPPORTED
    )
}
