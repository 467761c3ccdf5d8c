//! babycuda: tests, and what they share with the fuzz targets of `fuzz/targets`.
//!
//! ```
//! use babycuda_tests::readers::{READERS, find};
//!
//! // Each reader accepts its seeds; what it makes of other bytes, it says.
//! assert!(READERS.iter().all(|reader| (reader.seeds)().iter().all(|seed| (reader.read)(seed))));
//! assert!(!(find("program").expect("a reader").read)(b"threads"));
//! ```

pub mod readers;
