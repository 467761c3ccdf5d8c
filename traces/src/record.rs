//! What a log says, record by record.

use babycuda_core::{AccessMode, Name, Site, Thread};

/// A record of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// There is an array; its number is how many were told before.
    Array(Array),
    /// Where a statement stands.
    Place(Place),
    /// A thread accessed a cell.
    Access(Access),
    /// Threads passed a barrier.
    Barrier(Barrier),
}

/// An array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name, of at most [`MAX_NAME`](crate::MAX_NAME) bytes. No other array has it.
    pub name: Name,
    /// Does each block have its own?
    pub shared: bool,
    /// How many bytes a cell has; 0: it is not known. Nothing depends on it.
    pub element: u32,
}

/// Where a statement stands. No other place has its number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number by which accesses name the statement.
    pub site: Site,
    /// The file, of at most [`MAX_NAME`](crate::MAX_NAME) bytes.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0: it is not known.
    pub column: u32,
}

/// An access of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Who.
    pub thread: Thread,
    /// How.
    pub mode: AccessMode,
    /// Which array, by its number.
    pub array: u32,
    /// Which cell of it.
    pub index: u64,
    /// By which statement.
    pub site: Option<Site>,
}

/// A barrier, as in [`babycuda_core::trace::Event`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Barrier {
    /// Of all threads of the launch.
    Grid,
    /// Of all threads of a block.
    Block { block: u64 },
    /// Of all threads of a warp.
    Warp { block: u64, warp: u64 },
    /// Of a tile of `size` threads, a power of two; `first` is its first thread.
    Tile { block: u64, size: u32, first: u64 },
    /// Of those threads of a warp whose bits `lanes` has. Bits of lanes that the warp does not have count for
    /// nothing.
    Lanes { block: u64, warp: u64, lanes: u64 },
}
