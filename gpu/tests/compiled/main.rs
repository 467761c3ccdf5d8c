//! Compiled mode: the texts that this crate prints, compiled and run, do what the bytecode path
//! and the semantics say.
#![cfg(any(feature = "opencl", feature = "wgpu", feature = "cuda"))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../emit/corpus.rs"]
mod corpus;
mod digests;
#[path = "../common/expressions.rs"]
mod expressions;
mod faults;
mod kernels;
mod operators;
mod plain;
#[path = "../common/plain.rs"]
mod plain_text;
mod random;

/// The suite on the back end that `$open` returns, if it does.
macro_rules! compiled_suite {
    ($name:ident, $open:expr) => {
        mod $name {
            use super::*;
            use babycuda_gpu::BackendName;

            compiled_suite!(@tests $open;
                operators::every_operator_computes_what_it_should,
                operators::every_atomic_update_does_what_it_should,
                random::programs_do_what_their_bytecode_does,
                random::many_programs_are_one_module,
                kernels::the_corpus_does_what_its_bytecode_does,
                plain::plain_kernels_of_the_corpus_leave_what_their_bytecode_leaves,
                digests::a_grid_adds_up_to_what_its_logs_say,
                digests::a_phase_too_many_is_a_fault,
                faults::faults_are_reported_as_the_bytecode_reports_them,
                faults::a_long_loop_ends_or_runs_out_of_fuel,
                faults::a_block_gives_up_a_loop_with_barriers_together,
                faults::barriers_that_may_differ_are_refused,
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
compiled_suite!(
    opencl,
    common::available(BackendName::OpenCl, babycuda_gpu::opencl::OpenCl::open())
);
#[cfg(feature = "wgpu")]
compiled_suite!(wgpu, common::available(BackendName::Wgpu, babycuda_gpu::wgpu::Wgpu::open()));
#[cfg(feature = "cuda")]
compiled_suite!(cuda, common::available(BackendName::Cuda, babycuda_gpu::cuda::Cuda::open()));
