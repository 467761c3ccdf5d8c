//! babycuda: tests, and what they share with the fuzz targets of `fuzz/targets`.
//!
//! ```
//! use babycuda_tests::{find, readers::READERS};
//!
//! // Each reader accepts its seeds; what it makes of other bytes, it says.
//! assert!(READERS.iter().all(|reader| (reader.seeds)().iter().all(|seed| (reader.run)(seed))));
//! assert!(!(find("program").expect("a reader").run)(b"threads"));
//! ```

pub mod comparisons;
pub mod readers;

/// What is run on any bytes, and a fuzz target of its name.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Runs; was there anything in the bytes? It panics where a promise is broken.
    pub run: fn(&[u8]) -> bool,
    /// Inputs in which there is something.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub fn targets() -> impl Iterator<Item = &'static Target> {
    readers::READERS.iter().chain(&comparisons::COMPARISONS)
}

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    targets().find(|target| target.name == name)
}
