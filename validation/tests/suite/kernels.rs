//! Kernels of the corpus, by digest.

use babycuda_core::{Cell, Natural};
use babycuda_gpu::digest::term;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Job, JobOptions, Runner};
use babycuda_validation::kernels::{KERNELS, LEAST, expect};
use std::collections::BTreeMap;

#[test]
fn the_sums_that_are_expected_are_those_of_the_simulators_log() {
    let options = JobOptions { log: 1 << 12, ..JobOptions::default() };
    for kernel in KERNELS {
        let instance = kernel.instance(LEAST).unwrap_or_else(|error| panic!("{error}"));
        let expected = expect(&instance).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
        let job = Job::new(&instance, &options).expect("a job");
        let report = Runner::new(&mut Sim::new(Schedule::RoundRobin)).run_one(&job);
        let report = report.expect("a report");
        assert!(report.is_exact(), "{}: {}", kernel.name, report.status);
        let mut sums: BTreeMap<(usize, Cell), u64> = BTreeMap::new();
        let (mut count, block) = (0, report.block);
        for (thread, own) in (0..).zip(&report.threads) {
            for entry in &own.log {
                let term = term(block.thread(thread), entry.mode, entry.phase.into());
                let sum = sums.entry((entry.phase as usize, report.cell(entry))).or_default();
                *sum = sum.wrapping_add(term);
                count += 1;
            }
        }
        assert_eq!(count, expected.accesses(), "{}", kernel.name);
        assert_eq!(u64::from(expected.phases()), u64::from(report.last_phase) + 1);
        for array in &report.arrays {
            for phase in 0..expected.phases() as usize {
                for index in 0..array.cells.len() as u64 {
                    let cell = Cell::new(array.name.clone(), Natural::from(index));
                    let sum = sums.get(&(phase, cell.clone())).copied().unwrap_or(0);
                    assert_eq!(expected.sum(phase, &cell), Some(sum), "{}: {cell}", kernel.name);
                }
            }
        }
    }
}

#[test]
fn the_largest_launches_are_as_large_as_they_are_said_to_be() {
    let most: Vec<u64> = KERNELS
        .iter()
        .map(|kernel| {
            let log = kernel.threads(20);
            let launch = kernel.instance(log).expect("it can be launched").configuration.launch;
            assert_eq!(launch.grid.count() * launch.block.count(), 1 << log, "{}", kernel.name);
            1 << log
        })
        .collect();
    assert!(most.iter().filter(|threads| **threads == 1 << 20).count() >= 10, "{most:?}");
}

/// On a device that compiles text.
#[cfg(any(feature = "opencl", feature = "wgpu", feature = "cuda"))]
mod on_a_device {
    use babycuda_gpu::text::TextBackend;
    use babycuda_gpu::{BackendName, Unavailable};
    use babycuda_validation::kernels::{Disagreement, KERNELS, LEAST, compare, expect};

    fn agrees<B: TextBackend>(backend: BackendName, opened: Result<B, Unavailable>) {
        if !crate::backends::is_here(backend) {
            return;
        }
        let mut device = opened.expect("it is here");
        for kernel in KERNELS {
            for log in [LEAST, kernel.threads(LEAST + 3)] {
                let instance = kernel.instance(log).expect("it can be launched");
                let expected = expect(&instance).expect("a protocol");
                let compared = compare(&mut device, &instance, &expected);
                compared.unwrap_or_else(|error| panic!("{} on {backend}: {error}", kernel.name));
            }
        }
        a_kernel_is_not_another(&mut device);
    }

    /// What one kernel does is not what is expected of another with the same arrays.
    fn a_kernel_is_not_another<B: TextBackend>(device: &mut B) {
        let named =
            |name| KERNELS.into_iter().find(|kernel| kernel.name == name).expect("a kernel");
        let instance = |name| named(name).instance(LEAST + 2).expect("it can be launched");
        for (name, other) in
            [("vector_add", "vector_add_racy"), ("reduce_sequential", "reduce_interleaved")]
        {
            let expected = expect(&instance(other)).expect("a protocol");
            let found = compare(device, &instance(name), &expected);
            assert!(matches!(found, Err(Disagreement::Accesses { .. })), "{name}: {found:?}");
        }
    }

    #[cfg(feature = "opencl")]
    #[test]
    fn compiled_kernels_access_their_protocol_on_opencl() {
        agrees(BackendName::OpenCl, babycuda_gpu::opencl::OpenCl::open());
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn compiled_kernels_access_their_protocol_on_wgpu() {
        agrees(BackendName::Wgpu, babycuda_gpu::wgpu::Wgpu::open());
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn compiled_kernels_access_their_protocol_on_cuda() {
        agrees(BackendName::Cuda, babycuda_gpu::cuda::Cuda::open());
    }
}
