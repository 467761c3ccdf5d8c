//! Compiles the interpreter for CUDA with NVRTC, into `kernels/interpreter.ptx`.
//!
//!     cargo run -p babycuda-gpu --features cuda --example regenerate_ptx
//!
//! Needs no GPU. The library `libnvrtc` has to be on `LD_LIBRARY_PATH`: any version from 12.0 on
//! works, and an old one is better, since its PTX is accepted by older drivers too, and by all newer
//! ones: the Python package `nvidia-cuda-nvrtc-cu12==12.0.140` has one, which may be there under the
//! name `libnvrtc.so.12` only.

use babycuda_gpu::cuda::{interpreter, ptx};
use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = interpreter();
    let hash: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    let head = "// The interpreter, by examples/regenerate_ptx.rs.";
    let ptx = format!(
        "{head}\n// sources: sha256 {hash}\n{}\n",
        ptx(&text)?.trim_end_matches(['\n', '\0'])
    );
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/interpreter.ptx"), ptx)?;
    Ok(())
}
