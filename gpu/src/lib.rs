//! BabyCUDA programs on devices: what really happened, beside what the semantics says.
//!
//! `BYTECODE.md`, beside this crate's manifest, is the contract between compiler, packer and interpreters.

pub mod backend;
mod batch;
pub mod bytecode;
pub mod check;
mod decode;
pub mod image;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod interpreter;
pub mod job;
pub mod report;
pub mod runner;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod text;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use backend::{Backend, BackendName, Device, DeviceError, Unavailable};
pub use decode::{Malformed, MalformedThread};
pub use image::{Image, Output};
pub use job::{Job, JobArray, JobError, JobOptions};
pub use report::Report;
pub use runner::{Failure, LaunchLimits, Runner};
