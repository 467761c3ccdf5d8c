//! The back end `wgpu`: what every back end must do, and what is particular to this one.
#![cfg(feature = "wgpu")]

#[path = "../common/mod.rs"]
mod common;
mod failures;
mod random;
#[path = "../suite/mod.rs"]
mod suite;
mod text;
mod uniformity;

use babycuda_gpu::BackendName;
use babycuda_gpu::wgpu::Wgpu;
use common::available;

fn open() -> Option<Wgpu> {
    available(BackendName::Wgpu, Wgpu::open())
}

backend_suite!(open);

/// What the back ends that compile C are asked for.
mod images {
    use super::{common as suite, open};
    use crate::backend_suite;

    backend_suite! { open;
        suite: operations_compute_what_the_calculus_says
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
            refusals_leave_the_device_usable;
    }
}
