//! Can this GPU kernel race? An answer with evidence.
//!
//! ```
//! # #[cfg(all(feature = "frontend", feature = "solver"))] {
//! use babycuda::frontend::{Options, Translation, parse_cuda};
//! use babycuda::{CheckOptions, check};
//!
//! let source = "__global__ void shift(int *a) { a[threadIdx.x] = a[threadIdx.x + 1]; }";
//! for kernel in parse_cuda(source, &Options::default())? {
//!     let Translation::Program(program) = kernel.translation else { panic!("not supported") };
//!     let checked = check(&program, &CheckOptions::default())?;
//!     assert_eq!(checked.verdict.outcome.word(), "racy"); // under some launch; else for all of them
//!     let race = &checked.verdict.races[0];
//!     assert_eq!(race.witness.cell.to_string(), "a[1]"); // thread 0 reads it, thread 1 writes it
//!     println!("{}: {}", kernel.name, race.witness);
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The facade of the babycuda crates: [`check`] takes a program on its whole way, through typing
//! ([`typing`]), its memory access protocol ([`protocols`]) and the replay of every witness in the
//! reference semantics ([`semantics`]). Programs come from CUDA C, from their own syntax ([`parse`]), or are made in
//! Rust ([`core::Stmt`]):
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
//! Without features there are syntax, semantics, typing and enumeration. How many crates a build has that a user's
//! program links, this one and what its code is made of counted:
//!
//! | feature | crates | adds |
//! |---|---|---|
//! | none | 28 | |
//! | `solver` | 41 | verdicts for symbolic launches and parameters (`babycuda-smt`) |
//! | `frontend` | 38 | CUDA C kernels (`babycuda-frontend`) |
//! | `clang` | 39 | `frontend`, and OpenCL C and C++ that the built-in parser does not understand, by an installed clang |
//! | `runs` | 30 | runs of kernels, which look for races that a translation leaves open |
//! | `detectors` | 43 | `runs`, and published techniques (`babycuda-detectors`) with [`compare()`] of all of them |
//! | `traces` | 29 | logs of accesses of any tool, and all of their races (`babycuda-traces`) |
//! | `gpu` | 29 | runs on devices, and the simulator (`babycuda-gpu`) |
//! | `opencl` | 33 | `gpu` on OpenCL devices |
//! | `wgpu` | 71 | `gpu` on Vulkan devices |
//! | `cuda` | 31 | `gpu` on NVIDIA GPUs |
//!
//! | to | look at |
//! |---|---|
//! | check kernels | [`check`], [`CheckOptions`], [`contract`], [`repair`] |
//! | make programs | [`core::Program`], [`core::Stmt`], [`core::expr`] |
//! | run one launch | [`semantics::Instance`], [`observe`] |
//! | ask for protocols | [`typing::type_program`], [`protocols::map`] |
//! | check derivations | [`semantics::check_derivation`], [`typing::check_derivation`] |
//!
//! The examples of the repository have a detector, an oracle, a front end and a log of one's own.

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
