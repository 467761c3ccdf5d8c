//! babycuda: tests, and what they share with the fuzz targets of `fuzz/targets`.

pub mod readers;
