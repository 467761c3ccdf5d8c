//! Random programs in compiled mode, many a module.

#![cfg(any(feature = "opencl", feature = "wgpu", feature = "cuda"))]

use crate::backends::is_here;
use babycuda_campaign::Plan;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{BackendName, Unavailable};
use babycuda_validation::{Exclusion, compiled};

fn claims_hold<B: TextBackend>(backend: BackendName, open: fn() -> Result<B, Unavailable>) {
    if !is_here(backend) {
        return;
    }
    // The last module is not full, and one program alone says the same as among others.
    let plan = |batch| Plan { batch, workers: 1, ..Plan::of(60) };
    let [many, few] = [25, 1].map(|batch| {
        let plan = if batch == 1 { Plan { cases: 6, ..plan(batch) } } else { plan(batch) };
        let outcome = compiled::run(&plan, open).expect("it is here");
        println!("{batch} kernels a module, {:?}:\n{}", outcome.time, outcome.tally);
        assert!(outcome.failures.is_empty(), "{:#?}", outcome.failures);
        outcome.tally
    });
    assert_eq!((many.programs, many.unreported, few.programs), (60, 0, 6));
    assert!(many.all_compared() >= 35, "{many}");
    assert!(many.excluded.get(&Exclusion::NoText) > 0, "{many}");
    for racy in ["racy", "race-free"] {
        assert!(many.of_class(&[racy]) >= 8, "{many}");
    }
}

#[cfg(feature = "opencl")]
#[test]
fn many_kernels_a_module_on_opencl() {
    claims_hold(BackendName::OpenCl, babycuda_gpu::opencl::OpenCl::open);
}

#[cfg(feature = "wgpu")]
#[test]
fn many_kernels_a_module_on_wgpu() {
    claims_hold(BackendName::Wgpu, babycuda_gpu::wgpu::Wgpu::open);
}

#[cfg(feature = "cuda")]
#[test]
fn many_kernels_a_module_on_cuda() {
    claims_hold(BackendName::Cuda, babycuda_gpu::cuda::Cuda::open);
}
