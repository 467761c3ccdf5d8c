//! Kernels given as OpenCL C text.

use super::open;
use babycuda_gpu::DeviceError;
use babycuda_gpu::opencl::OpenCl;
use babycuda_gpu::text::{Argument, CompileError, Shape, TextBackend};

/// Runs the kernel `run` of a text.
fn run(
    backend: &mut OpenCl,
    text: &str,
    shape: Shape,
    arguments: &mut [Argument<'_>],
) -> Result<(), DeviceError> {
    let kernel = backend.compile(text, "run").expect("the text compiles");
    #[allow(unsafe_code)]
    // SAFETY: the kernels below have the parameters that they are given, or the driver refuses
    // them, and compare every index with the number of elements.
    unsafe {
        backend.run(&kernel, shape, arguments)
    }
}

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
    let mut words_in_out = [1, 2, 3, 4, u32::MAX];
    let mut longs_in_out = [1, 2, 3, 4, u64::MAX];
    let (mut words_out, mut longs_out) = ([9; 5], [9; 5]);
    let mut arguments = [
        Argument::Word(1000),
        Argument::Long(1 << 50),
        Argument::Words(&[10, 20, 30, 40, 50]),
        Argument::Longs(&[10, 20, 30, 40, 50]),
        Argument::WordsInOut(&mut words_in_out),
        Argument::LongsInOut(&mut longs_in_out),
        Argument::WordsOut(&mut words_out),
        Argument::LongsOut(&mut longs_out),
    ];
    assert_eq!(run(&mut backend, EVERY_KIND, Shape::line(2, 4), &mut arguments), Ok(()));
    assert_eq!(words_in_out, [1011, 1022, 1033, 1044, 1049]);
    let base = 1 << 50;
    assert_eq!(longs_in_out, [base + 11, base + 22, base + 33, base + 44, base + 49]);
    assert_eq!(words_out, [0, 1, 2, 3, 4]);
    assert_eq!(longs_out, [0, 1 << 40, 2 << 40, 3 << 40, 4 << 40]);
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
    for [x, y, z] in [[1, 1, 1], [4, 3, 2], [2, 1, 5]] {
        let shape = Shape { grid: [2, 1, 3], block: [x, y, z] };
        let mut places = vec![u32::MAX; (6 * x * y * z) as usize];
        let mut arguments = [Argument::WordsOut(&mut places)];
        assert_eq!(run(&mut backend, PLACES, shape, &mut arguments), Ok(()));
        let threads = (0..x * y * z).map(|i| i % x + 10 * (i / x % y) + 100 * (i / x / y));
        assert!(places.into_iter().eq((0..6).flat_map(|_| threads.clone())));
    }
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
    let mut refusal = |text: &str, entry: &str| match backend.compile(text, entry) {
        Err(CompileError::Refused { log }) => log,
        other => panic!("{other:?}"),
    };
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
