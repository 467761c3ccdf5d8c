//! What every back end must do: hand-made programs, and what `BYTECODE.md` says becomes of them;
//! random programs and random bytecode, and what the simulator makes of them.
//!
//! `backend_suite!(open)` makes a test of each, on the back end that `open` returns, if it does.

pub mod accesses;
pub mod agreement;
pub mod contention;
pub mod groups;
pub mod image;
pub mod images;
pub mod jitter;
pub mod operators;
pub mod shapes;
pub mod stops;

use babycuda_core::syntax::BarrierScope;
use babycuda_gpu::bytecode::{Instruction, Register};

/// The register `r`.
pub fn r(number: usize) -> Register {
    Register::new(number).expect("the suite knows the registers")
}

/// `r to := array k [tid]`
pub fn read_own(to: usize, array: u32) -> Instruction {
    Instruction::Read { to: r(to), array, index: Register::TID }
}

/// `array k [tid] := r value`
pub fn write_own(array: u32, value: usize) -> Instruction {
    Instruction::Write { array, index: Register::TID, value: r(value) }
}

/// `r to := value`
pub fn constant(to: usize, value: u64) -> Instruction {
    Instruction::Const { to: r(to), value }
}

/// The barrier of the block with this number.
pub fn barrier(barrier: u32) -> Instruction {
    Instruction::Sync { scope: BarrierScope::Block, barrier }
}

/// Numbers at which operators turn.
pub const EDGES: [u64; 18] = [
    0,
    1,
    2,
    7,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 63,
    u64::MAX - 6,
    u64::MAX,
];

/// All pairs of [`EDGES`], as two arrays.
pub fn pairs() -> [Vec<u64>; 2] {
    let pairs = EDGES.iter().flat_map(|left| EDGES.iter().map(move |right| (*left, *right)));
    let (left, right) = pairs.unzip();
    [left, right]
}

/// A test of each item of the suite.
#[macro_export]
macro_rules! backend_suite {
    ($open:expr) => {
        backend_suite! { $open;
            operators: numbers_have_the_operators_of_the_calculus
                machine_integers_have_the_operators_of_the_calculus
                casts_are_those_of_the_calculus
                comparisons_are_those_of_the_calculus
                conditions_have_their_operators
                constants_and_registers_hold_any_long
                the_first_overflow_is_kept;
            accesses: every_access_is_logged_in_order
                atomic_updates_are_those_of_the_calculus
                atomic_updates_of_one_cell_follow_one_another
                threads_see_the_phases_before
                a_loop_over_a_barrier_is_a_phase_a_round
                racing_writes_leave_one_of_the_values;
            stops: a_thread_halts_with_the_fuel_left
                a_thread_without_fuel_stops_before_the_instruction
                a_full_log_stops_the_thread_before_the_access
                a_full_log_stops_every_kind_of_access
                an_index_outside_its_array_stops_the_thread
                a_fault_lets_the_others_run_to_their_next_stop
                threads_at_different_barriers_diverge
                a_barrier_that_some_threads_skip_diverges
                divergent_branches_meet_at_one_barrier
                a_barrier_may_have_several_instructions;
            contention: programs_of_one_launch_end_each_in_its_way
                updates_by_different_workgroups_follow_one_another;
            groups: a_group_waits_for_all_its_threads_and_for_no_other
                groups_are_those_of_the_launch
                a_group_sees_what_it_left_before_its_barrier
                what_some_of_a_group_skip_diverges
                a_fault_stops_its_groups_alone
                a_barrier_of_a_group_takes_a_place_in_the_log
                barriers_of_a_grid_need_all_its_blocks;
            agreement: random_programs_do_what_they_do_on_the_simulator;
            images: random_bytecode_does_what_it_does_on_the_simulator;
            jitter: a_race_leaves_several_memories
                race_free_programs_do_the_same_under_every_jitter
                every_thread_has_one_lane
                an_update_that_others_come_between_is_tried_again
                blocks_of_a_grid_share_global_cells_and_no_others;
            shapes: threads_know_where_they_are_and_what_they_are_given
                programs_of_one_launch_are_apart
                idle_threads_change_nothing
                blocks_are_as_large_as_the_device_allows
                nothing_to_run_is_nothing
                an_image_that_breaks_the_contract_is_refused;
        }
    };
    ($open:expr; $($module:ident: $($name:ident)*;)*) => {
        $($(
            #[test]
            fn $name() {
                if let Some(mut backend) = $open() {
                    suite::$module::$name(&mut backend);
                }
            }
        )*)*
    };
}
