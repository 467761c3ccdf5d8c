//! Kernels given as text, in any language: what every back end that compiles them must do.

use crate::suite::image::{Program, pack};
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::text::{Argument, CompileError, Shape, TextBackend};
use babycuda_gpu::{Backend, DeviceError};

/// Runs the kernel `run` of a text.
pub fn run<B: TextBackend>(
    backend: &mut B,
    text: &str,
    shape: Shape,
    arguments: &mut [Argument<'_>],
) -> Result<(), DeviceError> {
    let Ok(kernel) = backend.compile(text, "run") else { panic!("the text compiles") };
    #[allow(unsafe_code)]
    // SAFETY: the kernels of the tests have the parameters that they are given, or the driver
    // refuses them, and compare every index with the number of elements.
    unsafe {
        backend.run(&kernel, shape, arguments)
    }
}

/// Why a text is refused.
pub fn refusal<B: TextBackend>(backend: &mut B, text: &str, entry: &str) -> String {
    match backend.compile(text, entry) {
        Err(CompileError::Refused { log }) => log,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it compiles"),
    }
}

/// `text` adds word and words, number and longs, and stores `i` and `i << 40`, for `i` below 5.
pub fn parameters_of_every_kind<B: TextBackend>(backend: &mut B, text: &str) {
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
    assert_eq!(run(backend, text, Shape::line(2, 4), &mut arguments), Ok(()));
    assert_eq!(words_in_out, [1011, 1022, 1033, 1044, 1049]);
    let base = 1 << 50;
    assert_eq!(longs_in_out, [base + 11, base + 22, base + 33, base + 44, base + 49]);
    assert_eq!(words_out, [0, 1, 2, 3, 4]);
    assert_eq!(longs_out, [0, 1 << 40, 2 << 40, 3 << 40, 4 << 40]);
}

/// `text` stores, in the place of each thread among all, where it is in its block: `x + 10y + 100z`.
pub fn blocks_of_any_shape<B: TextBackend>(backend: &mut B, text: &str) {
    for [x, y, z] in [[1, 1, 1], [4, 3, 2], [2, 1, 5], [4, 3, 2]] {
        let shape = Shape { grid: [2, 1, 3], block: [x, y, z] };
        let mut places = vec![u32::MAX; (6 * x * y * z) as usize];
        let mut arguments = [Argument::WordsOut(&mut places)];
        assert_eq!(run(backend, text, shape, &mut arguments), Ok(()));
        let threads = (0..x * y * z).map(|i| i % x + 10 * (i / x % y) + 100 * (i / x / y));
        assert!(places.into_iter().eq((0..6).flat_map(|_| threads.clone())));
    }
}

/// An image whose log has one byte more than `most` is refused, and the device can be used again.
pub fn a_log_beyond(backend: &mut dyn Backend, most: u64) {
    let good = pack(1, &[Program::new(vec![Instruction::Halt], 1, Vec::new())]);
    let mut image = good.clone();
    image.log_entries = usize::try_from(most / 24 + 1).expect("this machine has 64 bits");
    let refused = backend.launch(&image);
    assert!(matches!(refused, Err(DeviceError::TooLarge { .. })), "{refused:?}");
    assert!(backend.launch(&good).is_ok());
}
