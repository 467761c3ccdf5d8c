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
//! | `clang` | 45 | `frontend`, and OpenCL C and C++ that the built-in parser does not understand, by an installed clang |
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
//!
//! The crates of the repository:
//!
//! | crate | contents |
//! |---|---|
//! | `babycuda-core` | syntax, parser, printer, numbers, histories, race definitions, witnesses, verdicts, launches, the rule ledger |
//! | `babycuda-kernel` | kernels of CUDA C and OpenCL C as typed trees, their control flow graphs |
//! | `babycuda-clang` | those trees as an installed `clang` reads them: templates, methods, lambdas, OpenCL C |
//! | `babycuda-semantics` | the judgments with derivations, a checker of derivations, run-to-barrier, a fast virtual machine |
//! | `babycuda-typing` | `V ⊢ b ▶ u`, rejections with their reason, over-approximating protocols |
//! | `babycuda-protocols` | the semantics of protocols, splitting at barriers, race-freedom by enumeration and by solver |
//! | `babycuda-smt` | terms, an embedded bit-blasting solver, z3 and cvc5 |
//! | `babycuda-frontend` | CUDA C kernels to BabyCUDA |
//! | `babycuda-gpu` | bytecode, devices (simulator, OpenCL, Vulkan, CUDA), access logs, texts for compilers |
//! | `babycuda-detectors` | four published techniques as executable models, and a concrete executor of kernels: formulae of two threads, symbolic heaps, test amplification, HiRace's state machine and shadow memory |
//! | `babycuda-traces` | logs of accesses of any tool, in a binary format and as JSON lines, and all of their races in bounded memory |
//! | `babycuda-certificates` | derivations of runs and types as terms that Coq checks |
//! | `babycuda-campaign` | runs many cases, seeded, sharded and resumable, on all processors; a reducer of what they find |
//! | `babycuda-exercises` | exercises of a course, and a grader that says the first wrong step |
//! | `babycuda-report` | verdicts, runs, types and verifications as text, JSON and SARIF |
//! | `babycuda-proofs` | the theorems as functions that check instances, small-scope and random searches; `proofs/coq` has their proofs, `proofs/oracle` the proved functions as a program |
//! | `babycuda-mutants` | tests the tests: one-line faults, each noticed by the theorems or by a test |
//! | `babycuda-fuzz` | asks analyzers about random kernels of which it is known what is true |
//! | `babycuda-validation` | compares the theorem with devices, claim by claim: what they log and leave in memory |
//! | `babycuda-testkit` | generators of programs for property tests and fuzzing |
//! | `babycuda` | the facade: `check` goes from a program to its verdict |
//! | `babycuda-files` | files of kernels as every front end takes them: read, checked, run, derived |
//! | `babycuda-cli` | the program `babycuda` |
//! | `babycuda-python` | the Python package `babycuda` |

pub mod benign;
mod check;
#[cfg(feature = "detectors")]
pub mod compare;
#[cfg(feature = "runs")]
mod concrete;
pub mod contract;
mod draws;
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
mod whole;

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
pub use run::{Observed, REFERENCE_STEPS, observe, run, unfinished, unordered_in_grid, visits};
pub use whole::check_apart;
