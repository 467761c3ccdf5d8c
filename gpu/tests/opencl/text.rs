//! Kernels given as OpenCL C text.

use super::open;
use super::texts::{blocks_of_any_shape, parameters_of_every_kind, refusal, run};
use babycuda_gpu::DeviceError;
use babycuda_gpu::text::{Argument, Shape};

const EVERY_KIND: &str = "
    kernel void run(uint word, ulong number, global const uint *words, global const ulong *longs,
                    global uint *words_in_out, global ulong *longs_in_out, global uint *words_out,
                    global ulong *longs_out) {
        uint i = get_global_id(0);
        if (i >= 5) return;
        words_in_out[i] += words[i] + word;
        longs_in_out[i] += longs[i] + number;
        words_out[i] = i;
        longs_out[i] = (ulong)i << 40;
    }";

#[test]
fn parameters_of_every_kind_are_bound_in_order() {
    let Some(mut backend) = open() else { return };
    parameters_of_every_kind(&mut backend, EVERY_KIND);
}

const PLACES: &str = "
    kernel void run(global uint *places) {
        size_t block = get_group_id(0)
            + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
        size_t thread = get_local_id(0)
            + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
        size_t threads = get_local_size(0) * get_local_size(1) * get_local_size(2);
        places[block * threads + thread] =
            get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2);
    }";

#[test]
fn a_kernel_runs_in_blocks_of_any_shape() {
    let Some(mut backend) = open() else { return };
    blocks_of_any_shape(&mut backend, PLACES);
}

const EMPTY: &str = "
    kernel void run(global const uint *none, global ulong *some) { some[get_global_id(0)] = 7; }";

#[test]
fn buffers_and_grids_may_be_empty() {
    let Some(mut backend) = open() else { return };
    let mut some = [1; 2];
    let mut arguments = [Argument::Words(&[]), Argument::LongsInOut(&mut some)];
    for grid in [Shape::line(0, 2), Shape { grid: [1, 1, 1], block: [2, 0, 1] }] {
        assert_eq!(run(&mut backend, EMPTY, grid, &mut arguments), Ok(()));
    }
    assert_eq!(run(&mut backend, EMPTY, Shape::line(1, 2), &mut arguments), Ok(()));
    assert_eq!(some, [7; 2]);
}

#[test]
fn texts_that_are_no_kernels_are_refused_with_the_reason() {
    let Some(mut backend) = open() else { return };
    let mut refusal = |text, entry| refusal(&mut backend, text, entry);
    let undeclared = "kernel void run(global uint *cells) { cells[0] = nothing; }";
    assert!(refusal(undeclared, "run").contains("nothing"), "{}", refusal(undeclared, "run"));
    assert!(refusal(EMPTY, "other").contains("no kernel `other`"));
    assert!(refusal(EMPTY, "ru\0n").contains("no kernel"));
}

#[test]
fn arguments_that_do_not_suit_the_text_are_refused() {
    let Some(mut backend) = open() else { return };
    let mut some = [1; 2];
    let mut refused = |shape, arguments: &mut [Argument<'_>]| {
        let refused = run(&mut backend, EMPTY, shape, arguments);
        assert!(matches!(refused, Err(DeviceError::Call { .. })), "{refused:?}");
    };
    let pair = Shape::line(1, 2);
    refused(pair, &mut [Argument::Words(&[])]);
    refused(pair, &mut [Argument::Words(&[]), Argument::LongsOut(&mut some), Argument::Word(1)]);
    refused(pair, &mut [Argument::Words(&[]), Argument::Word(1)]);
    let mut arguments = [Argument::Words(&[]), Argument::LongsOut(&mut some)];
    refused(Shape::line(1, u32::MAX), &mut arguments);
    // The device can be used again.
    assert_eq!(run(&mut backend, EMPTY, pair, &mut arguments), Ok(()));
    assert_eq!(some, [7; 2]);
}
