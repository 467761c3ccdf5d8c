//! CUDA C to PTX, with the library NVRTC.

#![allow(unsafe_code)] // Whether the library is there is a question to the dynamic linker.

use super::unwinding;
use crate::text::CompileError;
use cudarc::nvrtc::{CompileError as NvrtcError, CompileOptions, Ptx, compile_ptx_with_opts, sys};

/// The virtual architecture of the PTX: what NVRTC 13 still knows, and every device since 2018
/// translates. Newer ones would need a newer NVRTC than may be there.
const ARCHITECTURE: &str = "compute_75";

/// The PTX of a CUDA C text; needs no device.
///
/// # Errors
/// There is no NVRTC, or it refuses the text.
pub fn ptx(text: &str) -> Result<String, CompileError> {
    compile(text).map(|ptx| ptx.to_src())
}

pub(super) fn compile(text: &str) -> Result<Ptx, CompileError> {
    // SAFETY: opens the library and closes it again; its initializers are NVIDIA's.
    if !unsafe { sys::is_culib_present() } {
        let reason = "the library libnvrtc could not be loaded".to_owned();
        return Err(CompileError::NoCompiler { reason });
    }
    if text.contains('\0') {
        return Err(CompileError::Refused { log: "the text has a character 0".to_owned() });
    }
    let options = CompileOptions { arch: Some(ARCHITECTURE), ..CompileOptions::default() };
    unwinding(|| compile_ptx_with_opts(text, options))
        .map_err(|reason| CompileError::NoCompiler { reason })?
        .map_err(explain)
}

fn explain(error: NvrtcError) -> CompileError {
    let log = match error {
        NvrtcError::CompileError { log, .. } => log.to_string_lossy().trim().to_owned(),
        other => other.to_string(),
    };
    CompileError::Refused { log }
}
