//! Kernels given as WGSL text.

use super::open;
use super::texts::{blocks_of_any_shape, parameters_of_every_kind, refusal, run};
use babycuda_gpu::DeviceError;
use babycuda_gpu::text::{Argument, Shape};

const EVERY_KIND: &str = "
    @group(0) @binding(0) var<storage, read> word: u32;
    @group(0) @binding(1) var<storage, read> long: u64;
    @group(0) @binding(2) var<storage, read> words: array<u32>;
    @group(0) @binding(3) var<storage, read> longs: array<u64>;
    @group(0) @binding(4) var<storage, read_write> words_in_out: array<u32>;
    @group(0) @binding(5) var<storage, read_write> longs_in_out: array<u64>;
    @group(0) @binding(6) var<storage, read_write> words_out: array<u32>;
    @group(0) @binding(7) var<storage, read_write> longs_out: array<u64>;
    override block_x: u32;
    @compute @workgroup_size(block_x)
    fn run(@builtin(global_invocation_id) id: vec3<u32>) {
        let i = id.x;
        if i < 5u {
            words_in_out[i] += words[i] + word;
            longs_in_out[i] += longs[i] + long;
            words_out[i] = i;
            longs_out[i] = u64(i) << 40u;
        }
    }";

#[test]
fn parameters_of_every_kind_are_bound_in_order() {
    let Some(mut backend) = open() else { return };
    parameters_of_every_kind(&mut backend, EVERY_KIND);
}

const PLACES: &str = "
    override block_x: u32;
    override block_y: u32;
    override block_z: u32;
    @group(0) @binding(0) var<storage, read_write> places: array<u32>;
    @compute @workgroup_size(block_x, block_y, block_z)
    fn run(
        @builtin(workgroup_id) block: vec3<u32>,
        @builtin(num_workgroups) blocks: vec3<u32>,
        @builtin(local_invocation_id) thread: vec3<u32>,
        @builtin(local_invocation_index) index: u32,
    ) {
        let block_index = block.x + blocks.x * (block.y + blocks.y * block.z);
        let threads = block_x * block_y * block_z;
        places[block_index * threads + index] = thread.x + 10u * thread.y + 100u * thread.z;
    }";

#[test]
fn a_kernel_runs_in_blocks_of_any_shape() {
    let Some(mut backend) = open() else { return };
    blocks_of_any_shape(&mut backend, PLACES);
}

const SIXTEEN: &str = "
    @group(0) @binding(0) var<storage, read_write> cells: array<u32>;
    @compute @workgroup_size(16)
    fn run(@builtin(global_invocation_id) id: vec3<u32>) {
        cells[id.x] = 7u;
    }";

#[test]
fn a_text_with_its_own_block_runs_in_no_other() {
    let Some(mut backend) = open() else { return };
    let mut run = |shape| {
        let mut cells = [0; 20];
        run(&mut backend, SIXTEEN, shape, &mut [Argument::WordsOut(&mut cells)]).map(|()| cells)
    };
    let mut expected = [7; 20];
    expected[16..].fill(0);
    assert_eq!(run(Shape::line(1, 16)), Ok(expected));
    assert!(matches!(run(Shape::line(1, 8)), Err(DeviceError::Call { .. })));
    // Nothing runs in an empty grid.
    assert_eq!(run(Shape::line(0, 16)), Ok([0; 20]));
}

#[test]
fn accesses_outside_a_buffer_harm_nothing() {
    let Some(mut backend) = open() else { return };
    let mut cells = [1; 16];
    let shape = Shape::line(1 << 10, 16);
    let mut arguments = [Argument::WordsInOut(&mut cells)];
    assert_eq!(run(&mut backend, SIXTEEN, shape, &mut arguments), Ok(()));
    assert_eq!(cells, [7; 16]);
}

#[test]
fn texts_that_are_no_kernels_are_refused_with_the_reason() {
    let Some(mut backend) = open() else { return };
    let mut refusal = |text: &str, entry: &str| refusal(&mut backend, text, entry);
    assert!(refusal("fn main( {", "main").contains("expected"));
    assert!(refusal(SIXTEEN, "other").contains("no compute kernel `other`"));
    let vertex = "@vertex fn main() -> @builtin(position) vec4<f32> { return vec4<f32>(); }";
    assert!(refusal(vertex, "main").contains("no compute kernel `main`"));
    let untyped = SIXTEEN.replace("7u", "7.5f");
    assert!(refusal(&untyped, "run").contains("f32"), "{}", refusal(&untyped, "run"));
    // Valid WGSL that does not validate: the function returns no value at its end.
    let endless = format!("{SIXTEEN} fn other() -> u32 {{ loop {{ break; }} }}");
    assert!(refusal(&endless, "run").contains("other"));
}

#[test]
fn arguments_that_do_not_suit_the_text_are_refused() {
    let Some(mut backend) = open() else { return };
    let shape = Shape::line(1, 16);
    let mut refused =
        |arguments: &mut [Argument<'_>]| match run(&mut backend, SIXTEEN, shape, arguments) {
            Err(DeviceError::Call { message, .. }) => message,
            other => panic!("{other:?}"),
        };
    assert!(!refused(&mut []).is_empty());
    assert!(!refused(&mut [Argument::Words(&[1; 16])]).is_empty());
    // The device can be used again.
    let mut cells = [0; 16];
    let mut arguments = [Argument::WordsOut(&mut cells)];
    assert_eq!(run(&mut backend, SIXTEEN, shape, &mut arguments), Ok(()));
    assert_eq!(cells, [7; 16]);
}
