//! BabyCUDA programs on devices: what really happened, beside what the semantics says.
//!
//! `BYTECODE.md`, beside this crate's manifest, is the contract between compiler, packer and interpreters.
//!
//! A program is compiled to [`bytecode`]; with the values that a run needs it is a [`Job`]; a
//! [`Runner`] gives many of them to a [`Backend`] at once, and makes a [`Report`] of each: what the
//! threads accessed, and what the arrays held in the end. [`sim`] is a back end that needs no
//! device:
//!
//! ```
//! use babycuda_core::{Launch, parse::parse_program};
//! use babycuda_gpu::sim::{Schedule, Sim};
//! use babycuda_gpu::{Job, JobOptions, Runner};
//! use babycuda_semantics::{Instance, RunOptions};
//!
//! let program = parse_program("A[tid] := tid; sync; let x = A[1 - tid] in A[tid] := x + 5")?;
//! let instance = Instance::new(program, Launch::threads(2));
//! let mut device = Sim::new(Schedule::Random(1));
//! let report = Runner::new(&mut device).run_one(&Job::new(&instance, &JobOptions::default())?)?;
//!
//! // Threads 0 and 1 read and write the same cells in phase 1: what they hold is up to the
//! // schedule, but what is accessed is not.
//! assert!(report.is_exact());
//! let outcome = instance.run(&RunOptions::default());
//! let history = outcome.history();
//! for (number, phase) in history.chronological() {
//!     assert_eq!(report.accesses()[number], phase.accesses().collect());
//! }
//! assert_eq!(report.phases()[1].races(1).count(), history.races().count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod backend;
mod batch;
pub mod bytecode;
pub mod check;
pub mod compare;
pub mod compiled;
#[cfg(feature = "cuda")]
pub mod cuda;
mod decode;
pub mod digest;
#[cfg(any(feature = "opencl", feature = "cuda", feature = "wgpu"))]
mod driver;
pub mod emit;
pub mod image;
#[cfg(any(feature = "opencl", feature = "cuda", feature = "wgpu"))]
mod interpreter;
mod jitter;
pub mod job;
mod located;
mod numbers;
mod open;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod report;
pub mod runner;
pub mod sim;
pub mod text;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use backend::{Backend, BackendName, Device, DeviceError, Unavailable};
pub use compiled::Compiler;
pub use decode::{Malformed, MalformedThread};
pub use image::{Image, Output};
pub use jitter::Jitter;
pub use job::{Job, JobArray, JobError, JobOptions};
pub use located::Located;
pub use open::{open, open_compiler};
pub use report::Report;
pub use runner::{Failure, LaunchLimits, Runner};
