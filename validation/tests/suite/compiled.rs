//! Random programs in compiled mode, many a module.

#![cfg(any(feature = "opencl", feature = "wgpu", feature = "cuda"))]

use crate::backends::is_here;
use babycuda_campaign::{Plan as Programs, State};
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{BackendName, Unavailable};
use babycuda_validation::campaign::Plan;
use babycuda_validation::watched::Open;
use babycuda_validation::{Exclusion, compiled};
use std::sync::Arc;

fn claims_hold<B: TextBackend + 'static>(
    backend: BackendName,
    open: fn() -> Result<B, Unavailable>,
) {
    if !is_here(backend) {
        return;
    }
    // The last module is not full, and one program alone says the same as among others.
    let [many, few] = [(25, 60), (1, 6)].map(|(batch, cases)| {
        let programs = Programs { batch, workers: 1, ..Programs::of(cases) };
        let plan = Plan { programs, runs: 1, racy_runs: 3, ..Plan::of(0) };
        let open: Open<B> = Arc::new(open);
        let start = State::new(&programs);
        let outcome = compiled::run(&plan, &open, start, &|_| {}).expect("it is here");
        println!("{batch} kernels a module, {:?}:\n{}", outcome.time, outcome.tally);
        assert!(outcome.failures.is_empty(), "{:#?}", outcome.failures);
        outcome.tally
    });
    assert_eq!((many.programs, many.unreported, few.programs), (60, 0, 6));
    assert!(many.all_compared() >= 35, "{many}");
    assert!(many.excluded.get(&Exclusion::NoText) > 0, "{many}");
    let [racy, free] = ["racy", "race-free"].map(|class| many.of_class(&[class]));
    assert!(racy >= 8 && free >= 8, "{many}");
    // Parameters of more than 64 bits that nothing reads: no text has them.
    for first in [2224, 4914, 5434] {
        let programs = Programs { first, batch: 1, ..Programs::of(1) };
        let plan = Plan { programs, runs: 1, racy_runs: 1, ..Plan::of(0) };
        let open: Open<B> = Arc::new(open);
        let outcome = compiled::run(&plan, &open, State::new(&programs), &|_| {});
        let outcome = outcome.expect("it is here");
        assert!(outcome.failures.is_empty(), "{:#?}", outcome.failures);
        assert_eq!(outcome.tally.excluded.get(&Exclusion::NumberTooLarge), 1, "{first}");
    }
    // Programs whose numbers were too large ran, and are not compared.
    assert!(many.endings.total() >= 3 * racy + free, "{many}");
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
