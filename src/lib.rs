//! Can this GPU kernel race? An answer with evidence.
//!
//! The facade of the babycuda crates: [`check`] takes a program on its whole way, through typing
//! ([`typing`]), its memory access protocol ([`protocols`]) and the replay of every witness in the
//! reference semantics ([`semantics`]).
//!
//! ```
//! use babycuda::{CheckOptions, check, parse::parse_program};
//! use babycuda::core::verdict::Outcome;
//!
//! // LCL22 Fig. 3: every thread increments every cell.
//! let program = parse_program(
//!     "threads 2; param M = 3; shared A = [7, 8, 9];
//!      forU x in 0..M { let y = A[x] in A[x] := y + 1 }",
//! )?;
//! let checked = check(&program, &CheckOptions::default())?;
//! assert_eq!(checked.verdict.outcome, Outcome::Racy);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | feature | adds |
//! |---|---|
//! | `solver` | verdicts for symbolic launches and parameters (`babycuda-smt`) |
//! | `frontend` | CUDA C kernels (`babycuda-frontend`) |
//! | `clang` | OpenCL C, and C++ that the built-in parser does not understand, by an installed clang |
//! | `runs` | runs of kernels, which look for races that a translation leaves open |
//! | `detectors` | published techniques (`babycuda-detectors`), and `compare` of all of them |
//! | `gpu` | runs on devices, and the simulator (`babycuda-gpu`) |
//! | `opencl`, `wgpu`, `cuda` | its back ends |
//! | `traces` | logs of accesses of any tool, and all of their races (`babycuda-traces`) |
//!
//! Without features nothing but syntax, semantics, typing and enumeration is pulled in.

pub mod benign;
mod check;
#[cfg(feature = "detectors")]
pub mod compare;
#[cfg(feature = "runs")]
mod concrete;
pub mod contract;
#[cfg(feature = "detectors")]
mod interleaved;
#[cfg(feature = "detectors")]
mod places;
#[cfg(feature = "clang")]
mod read;
pub mod repair;
#[cfg(feature = "detectors")]
mod replayed;
mod run;

#[cfg(feature = "clang")]
pub use babycuda_clang as clang;
pub use babycuda_core as core;
pub use babycuda_core::parse;
#[cfg(feature = "runs")]
pub use babycuda_detectors as detectors;
#[cfg(feature = "frontend")]
pub use babycuda_frontend as frontend;
#[cfg(feature = "gpu")]
pub use babycuda_gpu as gpu;
#[cfg(feature = "runs")]
pub use babycuda_kernel as kernel;
pub use babycuda_protocols as protocols;
pub use babycuda_semantics as semantics;
#[cfg(feature = "solver")]
pub use babycuda_smt as smt;
#[cfg(feature = "traces")]
pub use babycuda_traces as traces;
pub use babycuda_typing as typing;

pub use babycuda_core::evidence::Evaluator;
pub use babycuda_core::{Settings, SettingsError};
pub use check::{
    CheckError, CheckOptions, Checked, Decide, Evidence, NotCertified, blocks_by_themselves, check,
    check_blocks, check_protocol, guesses,
};
#[cfg(feature = "detectors")]
pub use compare::{Answer, Compared, Subject, compare};
#[cfg(feature = "runs")]
pub use concrete::run_potential;
#[cfg(feature = "clang")]
pub use read::{read_kernels, reading};
pub use run::{Observed, REFERENCE_STEPS, observe, run, unfinished, unordered_in_grid};
