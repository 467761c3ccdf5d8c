//! Monitored texts: what a device says of its own run is what the definition of a race says of a logged one.
#![cfg(any(feature = "opencl", feature = "wgpu", feature = "cuda"))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../emit/corpus.rs"]
mod corpus;
mod definition;
mod kernels;
mod limits;
mod random;
mod same;

/// The suite on the back end that `$open` returns, if it does.
macro_rules! monitor_suite {
    ($name:ident, $open:expr) => {
        mod $name {
            use super::*;
            use babycuda_gpu::BackendName;

            monitor_suite!(@tests $open;
                random::random_programs_have_the_races_of_the_definition,
                random::random_programs_with_barriers_of_warps_have_them_too,
                kernels::the_corpus_has_the_races_of_the_definition,
                kernels::a_race_is_told_with_its_place,
                kernels::blocks_that_meet_at_a_cell_race,
                kernels::updates_of_two_blocks_race,
                kernels::every_round_of_a_hot_cell_counts,
                limits::a_clock_that_is_full_is_told,
                limits::a_barrier_of_some_lanes_is_told,
                limits::blocks_beyond_the_bits_are_told,
                limits::a_launch_that_does_not_fit_is_refused,
                limits::what_is_not_accessed_is_told,
                limits::another_machine_says_what_its_table_says,
            );
        }
    };
    (@tests $open:expr; $($module:ident::$test:ident),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                if let Some(mut backend) = $open {
                    $module::$test(&mut backend);
                }
            }
        )*
    };
}

#[cfg(feature = "opencl")]
monitor_suite!(
    opencl,
    common::available(BackendName::OpenCl, babycuda_gpu::opencl::OpenCl::open())
);
#[cfg(feature = "wgpu")]
monitor_suite!(wgpu, common::available(BackendName::Wgpu, babycuda_gpu::wgpu::Wgpu::open()));
#[cfg(feature = "cuda")]
monitor_suite!(cuda, common::available(BackendName::Cuda, babycuda_gpu::cuda::Cuda::open()));
