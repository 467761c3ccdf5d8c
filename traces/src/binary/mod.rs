//! The binary format: `docs/TRACES.md` has it byte by byte.

mod read;
mod write;

pub use read::Reader;
pub use write::Writer;

use crate::error::{Fault, LogError, Position};
use babycuda_core::syntax::Scope;
use babycuda_core::{AccessMode, Site, Thread};

/// How a binary log begins.
pub const MAGIC: [u8; 8] = *b"\x89BCLOG\r\n";
const VERSION: u64 = 1;

/// The modes of accesses, by the lowest three bits of their tags.
const MODES: [AccessMode; 5] = [
    AccessMode::Rd,
    AccessMode::Wr,
    AccessMode::At(Scope::Block),
    AccessMode::At(Scope::Device),
    AccessMode::At(Scope::System),
];

// Other records.
const BARRIER: u8 = 5;
const TELL: u8 = 6;
const END: u8 = 7;

/// What a record may leave out, since one before it has said so.
#[derive(Debug)]
struct Last {
    thread: Thread,
    array: u32,
    site: Option<Site>,
    /// By array.
    indices: Vec<u64>,
}

impl Last {
    fn new() -> Last {
        let thread = Thread { block: 0, index: 0 };
        Last { thread, array: 0, site: None, indices: Vec::new() }
    }
}

#[cold]
fn at(offset: u64, fault: Fault) -> LogError {
    LogError { at: Position::Byte(offset), fault }
}
