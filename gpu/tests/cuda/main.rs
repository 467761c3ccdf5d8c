//! The back end `cuda`: what every back end must do, and what is particular to this one.
#![cfg(feature = "cuda")]

#[path = "../common/mod.rs"]
mod common;
mod failures;
#[cfg(target_os = "linux")]
#[path = "fake/main.rs"]
mod fake;
mod ptx;
#[path = "../suite/mod.rs"]
mod suite;
mod text;
#[path = "../common/texts.rs"]
mod texts;

use babycuda_gpu::BackendName;
use babycuda_gpu::cuda::Cuda;
use common::available;

fn open() -> Option<Cuda> {
    available(BackendName::Cuda, Cuda::open())
}

backend_suite!(open);
