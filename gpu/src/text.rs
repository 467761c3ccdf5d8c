//! Kernels that a device compiles from text, or loads as assembly, and runs.
//!
//! The interpreters of bytecode run through this too: they are one kernel among others.

use crate::backend::{Backend, Device, DeviceError};

/// A back end whose device compiles kernels.
pub trait TextBackend: Backend {
    /// A kernel, ready to run on this device.
    type Kernel;

    /// Compiles `text` and takes the kernel `entry` from it. The text's language is the back end's:
    /// OpenCL C, CUDA C or WGSL.
    ///
    /// # Errors
    /// [`CompileError`]; the device can be used again.
    fn compile(&mut self, text: &str, entry: &str) -> Result<Self::Kernel, CompileError> {
        self.compile_all(text, &[entry]).map(only)
    }

    /// Compiles `text` once, and takes a kernel from it for each of the entries.
    ///
    /// # Errors
    /// [`CompileError`]; the device can be used again.
    fn compile_all(
        &mut self,
        text: &str,
        entries: &[&str],
    ) -> Result<Vec<Self::Kernel>, CompileError>;

    /// Runs a kernel to its end; the arguments are its parameters, in order.
    ///
    /// # Errors
    /// [`DeviceError`]; the contents of the arguments that the kernel writes are lost then.
    ///
    /// # Safety
    /// The kernel has these parameters and keeps within their lengths: on some devices it runs in
    /// this process.
    #[allow(unsafe_code)]
    unsafe fn run(
        &mut self,
        kernel: &Self::Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError>;
}

/// The kernel that was compiled for the one entry.
pub(crate) fn only<K>(kernels: Vec<K>) -> K {
    // Proof: there is a kernel for each entry.
    kernels.into_iter().next().expect("a kernel")
}

/// The blocks of a launch and the threads of a block, in three dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// Blocks in x, y and z; a 0 runs nothing.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z; a 0 runs nothing.
    pub block: [u32; 3],
}

impl Shape {
    /// `blocks` blocks of `threads` threads, in one dimension.
    pub fn line(blocks: u32, threads: u32) -> Shape {
        Shape { grid: [blocks, 1, 1], block: [threads, 1, 1] }
    }

    /// Nothing to run?
    pub fn is_empty(self) -> bool {
        self.grid.contains(&0) || self.block.contains(&0)
    }

    /// Threads of a block.
    pub fn threads(self) -> u64 {
        self.block.into_iter().map(u64::from).fold(1, u64::saturating_mul)
    }
}

/// What a parameter of a kernel is bound to.
///
/// A buffer is a pointer in the device's memory; where it has no elements, the pointer is one that
/// must not be followed.
#[derive(Debug)]
pub enum Argument<'a> {
    /// A number of 32 bits.
    Word(u32),
    /// A number of 64 bits.
    Long(u64),
    /// A buffer of words that the kernel reads.
    Words(&'a [u32]),
    /// A buffer of longs that the kernel reads.
    Longs(&'a [u64]),
    /// A buffer of words that the kernel reads and writes.
    WordsInOut(&'a mut [u32]),
    /// A buffer of longs that the kernel reads and writes.
    LongsInOut(&'a mut [u64]),
    /// A buffer of words that begins with any contents; what the kernel does not write is any word.
    WordsOut(&'a mut [u32]),
    /// A buffer of longs that begins with any contents; what the kernel does not write is any long.
    LongsOut(&'a mut [u64]),
}

impl Argument<'_> {
    /// Bytes of the buffer; 0 for a number.
    pub fn bytes(&self) -> u64 {
        let (count, size) = match self {
            Argument::Word(_) | Argument::Long(_) => (0, 0),
            Argument::Words(words) => (words.len(), 4),
            Argument::WordsInOut(words) | Argument::WordsOut(words) => (words.len(), 4),
            Argument::Longs(longs) => (longs.len(), 8),
            Argument::LongsInOut(longs) | Argument::LongsOut(longs) => (longs.len(), 8),
        };
        // A slice has at most isize::MAX bytes.
        count as u64 * size
    }
}

/// Checks that the arguments fit into the device's memory.
///
/// # Errors
/// One of them is larger than a buffer may be, or all of them are larger than the memory.
pub fn check_memory(device: &Device, arguments: &[Argument<'_>]) -> Result<(), DeviceError> {
    let fits = |what, needed, available| match needed > available {
        true => Err(DeviceError::TooLarge { what, needed, available }),
        false => Ok(()),
    };
    let sizes = arguments.iter().map(Argument::bytes);
    fits("one buffer", sizes.clone().max().unwrap_or(0), device.buffer_bytes)?;
    fits("memory", sizes.fold(0, u64::saturating_add), device.memory_bytes)
}

/// Why a text gave no kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// There is no compiler here.
    #[error("there is no compiler: {reason}")]
    #[allow(missing_docs)]
    NoCompiler { reason: String },
    /// The compiler or the loader refused the text.
    #[error("the kernel was refused: {log}")]
    #[allow(missing_docs)]
    Refused { log: String },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_with_an_empty_side_is_empty() {
        assert!(!Shape::line(1, 1).is_empty());
        assert!(Shape::line(0, 1).is_empty());
        assert!(Shape { grid: [1, 1, 1], block: [1, 0, 1] }.is_empty());
    }

    #[test]
    fn threads_are_the_product_of_the_sides() {
        assert_eq!(Shape { grid: [9, 9, 9], block: [4, 3, 2] }.threads(), 24);
        assert_eq!(Shape { grid: [1; 3], block: [u32::MAX; 3] }.threads(), u64::MAX);
    }

    #[test]
    fn bytes_count_buffers() {
        assert_eq!(Argument::Long(7).bytes(), 0);
        assert_eq!(Argument::Words(&[1, 2, 3]).bytes(), 12);
        assert_eq!(Argument::LongsOut(&mut [1, 2, 3]).bytes(), 24);
    }

    #[test]
    fn arguments_fit_one_by_one_and_together() {
        let device = Device {
            backend: crate::BackendName::Sim,
            name: String::new(),
            driver: String::new(),
            workgroup: 1,
            buffer_bytes: 8,
            memory_bytes: 12,
            iterations: None,
            cooperative: false,
        };
        let too_large =
            |what, needed, available| Err(DeviceError::TooLarge { what, needed, available });
        let fitting = [Argument::Word(1), Argument::Words(&[1]), Argument::Longs(&[1])];
        assert_eq!(check_memory(&device, &fitting), Ok(()));
        let wide = [Argument::Words(&[1, 2, 3])];
        assert_eq!(check_memory(&device, &wide), too_large("one buffer", 12, 8));
        let many = [Argument::Longs(&[1]), Argument::Longs(&[1])];
        assert_eq!(check_memory(&device, &many), too_large("memory", 16, 12));
    }
}
