//! Kernels of the corpus with the sizes at which they are launched.

use babycuda_core::syntax::{Contents, Geometry};
use babycuda_core::{Dim3, Launch, Natural, Program};
use babycuda_frontend::{Options, Overflow, Translation, parse_cuda};
use babycuda_semantics::Instance;
use std::collections::BTreeMap;

/// A kernel of the corpus.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name, which its file has too.
    pub name: &'static str,
    source: &'static str,
    /// The sizes of a launch of about so many threads; the exponent of a power of two.
    sizes: fn(u32) -> Sizes,
    /// The binary logarithm of the most threads that it is launched with: a thread of a kernel with
    /// long loops has many accesses, and the reference enumerates them all.
    most: u32,
}

/// The sizes of a launch.
struct Sizes {
    grid: Dim3,
    block: Dim3,
    params: Vec<(&'static str, u64)>,
    /// The cells of each array.
    lengths: Vec<(&'static str, u64)>,
}

/// Why a kernel cannot be launched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("kernel {kernel}: {reason}")]
#[allow(missing_docs)]
pub struct NoLaunch {
    pub kernel: &'static str,
    pub reason: String,
}

macro_rules! kernel {
    ($name:literal, $most:literal, $sizes:expr) => {
        Kernel {
            name: $name,
            source: include_str!(concat!("../../../tests/corpus/", $name, ".cu")),
            sizes: $sizes,
            most: $most,
        }
    };
}

/// The kernels: well-typed, race-free and racy, with and without barriers and shared arrays.
pub const KERNELS: [Kernel; 16] = [
    kernel!("vector_add", 20, vectors),
    kernel!("vector_add_racy", 20, vectors),
    kernel!("saxpy", 20, |log| {
        let n = 1 << log;
        // Each thread has two elements.
        line(log, vec![("n", 2 * n), ("a", 3)], vec![("x", 2 * n), ("y", 2 * n)])
    }),
    kernel!("transpose_naive", 20, transpose),
    kernel!("transpose_naive_racy", 20, |log| {
        let (n, _) = sides(log);
        plane(log, vec![("n", n)], vec![("a", n * n)])
    }),
    kernel!("transpose_tiled", 20, transpose_tiled),
    kernel!("transpose_tiled_racy", 20, transpose_tiled),
    kernel!("stencil_1d", 20, stencil),
    kernel!("stencil_1d_racy", 20, stencil),
    kernel!("stencil_2d", 20, |log| {
        let (x, y) = sides(log);
        let cells = x * y;
        plane(log, vec![("nx", x), ("ny", y)], vec![("out", cells), ("in", cells)])
    }),
    kernel!("blur", 18, |log| {
        let (x, y) = sides(log);
        let cells = x * y;
        plane(log, vec![("width", x), ("height", y)], vec![("out", cells), ("in", cells)])
    }),
    kernel!("reduce_sequential", 20, reduction),
    kernel!("reduce_interleaved", 20, reduction),
    kernel!("matmul_naive", 16, |log| {
        let (x, y) = sides(log);
        let n = x.max(y);
        let cells = n * n;
        plane(log, vec![("n", n)], vec![("A", cells), ("B", cells), ("C", cells)])
    }),
    kernel!("matmul_tiled", 14, |log| {
        let (x, y) = sides(log);
        let n = x.max(y);
        let cells = n * n;
        let lengths = vec![("A", cells), ("B", cells), ("C", cells), ("As", 256), ("Bs", 256)];
        plane(log, vec![("n", n)], lengths)
    }),
    kernel!("matvec", 18, |log| {
        let (rows, columns) = (1 << log, 8);
        let lengths = vec![("A", rows * columns), ("x", columns), ("y", rows)];
        line(log, vec![("rows", rows), ("cols", columns)], lengths)
    }),
];

/// Threads of a block in one dimension, and of a side of one in two.
const BLOCK: u32 = 256;
const SIDE: u32 = 16;

/// The least exponent: one block.
pub const LEAST: u32 = BLOCK.ilog2();

/// 2^`log` threads in blocks of [`BLOCK`].
fn line(log: u32, params: Vec<(&'static str, u64)>, lengths: Vec<(&'static str, u64)>) -> Sizes {
    Sizes { grid: Dim3::line(1 << (log - LEAST)), block: Dim3::line(BLOCK), params, lengths }
}

/// The sides of a plane of 2^`log` threads.
fn sides(log: u32) -> (u64, u64) {
    (1 << log.div_ceil(2), 1 << (log / 2))
}

/// A plane of 2^`log` threads in blocks of [`SIDE`] by [`SIDE`].
fn plane(log: u32, params: Vec<(&'static str, u64)>, lengths: Vec<(&'static str, u64)>) -> Sizes {
    let blocks = |log: u32| 1 << (log - SIDE.ilog2());
    let grid = Dim3 { x: blocks(log.div_ceil(2)), y: blocks(log / 2), z: 1 };
    Sizes { grid, block: Dim3 { x: SIDE, y: SIDE, z: 1 }, params, lengths }
}

fn vectors(log: u32) -> Sizes {
    // The last threads have no element.
    let n = (1 << log) - 5;
    line(log, vec![("n", n)], vec![("a", n + 2), ("b", n + 2), ("c", n + 2)])
}

fn transpose(log: u32) -> Sizes {
    let (width, height) = sides(log);
    let lengths = vec![("out", width * height), ("in", width * height)];
    plane(log, vec![("width", width), ("height", height)], lengths)
}

fn transpose_tiled(log: u32) -> Sizes {
    let mut sizes = transpose(log);
    sizes.lengths.push(("tile", 16 * 17));
    sizes
}

fn stencil(log: u32) -> Sizes {
    let n = (1 << log) + 6;
    line(log, vec![], vec![("in", n), ("out", n), ("temp", 1030)])
}

fn reduction(log: u32) -> Sizes {
    let blocks = 1 << (log - LEAST);
    line(log, vec![], vec![("in", 1 << log), ("out", blocks), ("s", u64::from(BLOCK))])
}

impl Kernel {
    /// The binary logarithm of the threads that it is launched with where `log` is allowed.
    pub fn threads(&self, log: u32) -> u32 {
        log.min(self.most).max(LEAST)
    }

    /// The kernel, launched with 2^`log` threads, `log` being one of [`Kernel::threads`].
    ///
    /// # Errors
    /// [`NoLaunch`]: the front end does not translate it, or it has other parameters or arrays than
    /// this table.
    pub fn instance(&self, log: u32) -> Result<Instance, NoLaunch> {
        let no_launch = |reason: String| NoLaunch { kernel: self.name, reason };
        let Sizes { grid, block, params, lengths } = (self.sizes)(log);
        let mut program = self.program().map_err(no_launch)?;
        for (name, length) in lengths {
            let array = program.arrays.iter_mut().find(|array| *array.name == *name);
            let array = array.ok_or_else(|| no_launch(format!("there is no array `{name}`")))?;
            array.length = Some(length.into());
        }
        // What the front end does not compute it reads from the first cell of such an array.
        for array in program.arrays.iter_mut().filter(|a| a.contents == Contents::Opaque) {
            array.length.get_or_insert_with(|| 1u32.into());
        }
        if let Some(array) = program.arrays.iter().find(|array| array.length.is_none()) {
            return Err(no_launch(format!("the length of `{}` is open", array.name)));
        }
        let launch = Launch::new(grid, block);
        program.geometry = Geometry::exactly(launch);
        let known: BTreeMap<&str, u64> = params.into_iter().collect();
        let open: Vec<_> = program.params.iter().filter(|p| p.value.is_none()).cloned().collect();
        let mut instance = Instance::new(program, launch).defined_everywhere(&Natural::zero());
        for param in open {
            let value = known.get(&*param.name);
            let value = value.ok_or_else(|| no_launch(format!("`{}` is open", param.name)))?;
            instance = instance.with_parameter(param.name, *value);
        }
        Ok(instance)
    }

    fn program(&self) -> Result<Program, String> {
        // Devices wrap around.
        let options = Options { overflow: Overflow::Wrap, ..Options::default() };
        let mut kernels = parse_cuda(self.source, &options).map_err(|error| error.to_string())?;
        let kernel = kernels.pop().filter(|_| kernels.is_empty());
        match kernel.ok_or("not one kernel")?.translation {
            Translation::Program(program) => Ok(program),
            Translation::Unsupported(construct) => Err(construct.to_string()),
        }
    }
}
