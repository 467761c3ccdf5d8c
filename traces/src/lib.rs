//! Logs of the accesses and barriers of one run, of whatever tool, and all of their races.
//!
//! | module | what |
//! |---|---|
//! | [`Reader`], [`Writer`] | the binary format, record by record: `docs/TRACES.md` has it byte by byte |
//! | [`LineReader`], [`LineWriter`] | the same as JSON lines |
//! | [`check`](check()) | the races of a log, in bounded memory |
//!
//! ```
//! use babycuda_core::{AccessMode, Launch, Thread};
//! use babycuda_traces::{Access, Array, Options, Outcome, Record, Writer, check};
//!
//! let mut log = Writer::new(Vec::new(), Launch::threads(2))?;
//! log.write(&Record::Array(Array { name: "A".into(), shared: false, element: 4 }))?;
//! for index in 0..2 {
//!     let thread = Thread { block: 0, index };
//!     let access = Access { thread, mode: AccessMode::Wr, array: 0, index: 7, site: None };
//!     log.write(&Record::Access(access))?;
//! }
//! let log = log.finish()?;
//! let checked = check(|| Ok(log.as_slice()), &Options::default())?;
//! assert_eq!(checked.outcome, Outcome::Racy);
//! assert_eq!(checked.cell(&checked.races[0]).to_string(), "A[7]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binary;
mod check;
mod error;
mod lines;
mod log;
mod record;
mod tables;

pub use binary::{MAGIC, Reader, Writer};
pub use check::{Checked, Judged, Options, Outcome, Race, Side, check};
pub use error::{Fault, LogError, Position};
pub use lines::{FORMAT, LineReader, LineWriter, MAX_LINE};
pub use log::{
    CopyError, Format, LogReader, LogWriter, Recorder, copy, read_trace, write_events, write_trace,
};
pub use record::{Access, Array, Barrier, Place, Record};
pub use tables::{MAX_ARRAYS, MAX_NAME, MAX_PLACES, MAX_TEXT, MAX_THREADS, MAX_WARP, Tables};
