//! The back end `wgpu` does what every back end must.
#![cfg(feature = "wgpu")]

mod common;
mod suite;

use babycuda_gpu::BackendName;
use babycuda_gpu::wgpu::Wgpu;
use common::available;

fn open() -> Option<Wgpu> {
    available(BackendName::Wgpu, Wgpu::open())
}

backend_suite!(open);
