//! Kernels given as WGSL text.

use super::open;
use babycuda_gpu::DeviceError;
use babycuda_gpu::text::{Argument, CompileError, Shape, TextBackend};
use babycuda_gpu::wgpu::Wgpu;

/// Runs the entry point `main` of a text.
fn run(
    backend: &mut Wgpu,
    text: &str,
    shape: Shape,
    arguments: &mut [Argument<'_>],
) -> Result<(), DeviceError> {
    let kernel = backend.compile(text, "main").expect("the text compiles");
    #[allow(unsafe_code)]
    // SAFETY: wgpu checks all that the kernel accesses; the trait asks for the rest.
    unsafe {
        backend.run(&kernel, shape, arguments)
    }
}

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
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
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
    override block_x: u32;
    override block_y: u32;
    override block_z: u32;
    @group(0) @binding(0) var<storage, read_write> places: array<u32>;
    @compute @workgroup_size(block_x, block_y, block_z)
    fn main(
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
    let kernel = backend.compile(PLACES, "main").expect("the text compiles");
    for [x, y, z] in [[1, 1, 1], [4, 3, 2], [2, 1, 5], [4, 3, 2]] {
        let shape = Shape { grid: [2, 1, 3], block: [x, y, z] };
        let mut places = vec![u32::MAX; (6 * x * y * z) as usize];
        #[allow(unsafe_code)]
        // SAFETY: as above.
        let ran = unsafe { backend.run(&kernel, shape, &mut [Argument::WordsOut(&mut places)]) };
        assert_eq!(ran, Ok(()));
        let threads = (0..x * y * z).map(|i| i % x + 10 * (i / x % y) + 100 * (i / x / y));
        assert!(places.into_iter().eq((0..6).flat_map(|_| threads.clone())));
    }
}

const SIXTEEN: &str = "
    @group(0) @binding(0) var<storage, read_write> cells: array<u32>;
    @compute @workgroup_size(16)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
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
    let mut refusal = |text: &str, entry: &str| match backend.compile(text, entry) {
        Err(CompileError::Refused { log }) => log,
        other => panic!("{other:?}"),
    };
    assert!(refusal("fn main( {", "main").contains("expected"));
    assert!(refusal(SIXTEEN, "other").contains("no compute kernel `other`"));
    let vertex = "@vertex fn main() -> @builtin(position) vec4<f32> { return vec4<f32>(); }";
    assert!(refusal(vertex, "main").contains("no compute kernel `main`"));
    let untyped = SIXTEEN.replace("7u", "7.5f");
    assert!(refusal(&untyped, "main").contains("f32"), "{}", refusal(&untyped, "main"));
    // Valid WGSL that does not validate: the function returns no value at its end.
    let endless = format!("{SIXTEEN} fn other() -> u32 {{ loop {{ break; }} }}");
    assert!(refusal(&endless, "main").contains("other"));
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
