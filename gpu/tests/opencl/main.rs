//! The back end `opencl`: what every back end must do, and what is particular to this one.
#![cfg(feature = "opencl")]

#[path = "../common/mod.rs"]
mod common;
mod failures;
#[cfg(target_os = "linux")]
mod oclgrind;
#[path = "../suite/mod.rs"]
mod suite;
mod text;

use babycuda_gpu::BackendName;
use babycuda_gpu::opencl::OpenCl;
use common::available;

fn open() -> Option<OpenCl> {
    available(BackendName::OpenCl, OpenCl::open())
}

backend_suite!(open);
