//! The back end `opencl`, on the device that the environment chooses.
#![cfg(feature = "opencl")]

mod common;

use babycuda_gpu::BackendName;
use babycuda_gpu::opencl::OpenCl;
use common::{available, suite};

/// A test for each property of the suite.
macro_rules! properties {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                if let Some(mut backend) = available(BackendName::OpenCl, OpenCl::open()) {
                    suite::$name(&mut backend);
                }
            }
        )*
    };
}

properties! {
    operations_compute_what_the_calculus_says
    atomic_updates_compute_what_the_calculus_says
    registers_start_as_the_contract_says
    as_many_inputs_as_there_are_registers
    loops_count
    fuel_runs_out
    logs_fill_up
    indices_are_checked
    phases_follow_each_other
    divergence_ends_the_block
    a_barrier_may_have_two_instructions
    a_fault_ends_the_block
    the_first_overflow_is_kept
    many_programs_run_in_one_launch
    workgroups_may_be_larger
    the_largest_workgroup_runs
    contended_updates_are_atomic
    an_empty_image_runs
    refusals_leave_the_device_usable
}
