//! The back end `wgpu`: what every back end must do, and what is particular to this one.
#![cfg(feature = "wgpu")]

#[path = "../common/mod.rs"]
mod common;
mod failures;
#[path = "../suite/mod.rs"]
mod suite;
mod text;
#[path = "../common/texts.rs"]
mod texts;
mod uniformity;

use babycuda_gpu::BackendName;
use babycuda_gpu::wgpu::Wgpu;
use common::available;

fn open() -> Option<Wgpu> {
    available(BackendName::Wgpu, Wgpu::open())
}

backend_suite!(open);
