//! The back end `opencl`: what every back end must do, and what is particular to this one.
#![cfg(feature = "opencl")]

#[path = "../common/mod.rs"]
mod common;
#[cfg(target_os = "linux")]
#[path = "../emit/corpus.rs"]
mod corpus;
mod failures;
#[cfg(target_os = "linux")]
mod oclgrind;
#[cfg(target_os = "linux")]
#[path = "../common/plain.rs"]
mod plain_text;
#[path = "../suite/mod.rs"]
mod suite;
mod text;
#[path = "../common/texts.rs"]
mod texts;

use babycuda_gpu::BackendName;
use babycuda_gpu::opencl::OpenCl;
use common::available;

fn open() -> Option<OpenCl> {
    available(BackendName::OpenCl, OpenCl::open())
}

backend_suite!(open);
