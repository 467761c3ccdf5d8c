//! The theory held against devices: random programs run on a back end of `babycuda-gpu`, and every
//! report is held to what typing, protocols, the big-step semantics and interleavings say.
//!
//! | claim | of which programs | statement |
//! |---|---|---|
//! | [`Claim::OverflowIsReported`] | race-free, no atomics | THEORY §1 |
//! | [`Claim::WellTypedProgramsAccessTheirProtocol`] | well-typed | T2, T4, T5 |
//! | [`Claim::RacesAreInTheLog`] | all | T6 |
//! | [`Claim::RaceFreeProgramsEndInLastwrite`] | race-free | T6 |
//! | [`Claim::DivergenceIsReported`] | race-free | THEORY §4 |
//! | [`Claim::ThreadsFollowTheirProgram`] | all | THEORY §4 |
//! | [`Claim::ValuesAreOfAnInterleaving`] | all | T6 |
//! | [`Claim::EndsAreThoseOfInterleavings`] | racy, of few interleavings | T6 |
//! | [`Claim::DifferencesAreExplained`] | ill-typed | T6 |
//!
//! A program of several blocks runs as a whole grid, and the claims are about the one block of all its
//! threads (THEORY §4).
//!
//! ```
//! use babycuda_core::parse::parse_program;
//! use babycuda_gpu::{Job, Runner, sim::{Schedule, Sim}};
//! use babycuda_validation::{Reference, case, validate};
//!
//! let program = parse_program("kernel k; threads 2;\n A[0] := tid; sync; let x = A[0] in A[x] := 7")?;
//! let instance = case::instance(&program).ok_or("an open launch")?;
//! let job = Job::new(&instance, &case::options(&instance))?;
//! let reference = Reference::new(instance)?;
//! let mut device = Sim::new(Schedule::Random(1));
//! let report = Runner::new(&mut device).run_one(&job)?;
//!
//! let verdict = validate(&reference, &report);
//! assert_eq!(verdict.class.to_string(), "ill-typed, racy");
//! assert_eq!(verdict.failure(device.device().backend), None);
//! # use babycuda_gpu::Backend;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod campaign;
pub mod case;
mod claims;
mod coherence;
pub mod compiled;
mod due;
mod finish;
mod found;
mod grid;
pub mod kernels;
pub mod litmus;
pub mod minimise;
mod observation;
mod order;
pub mod record;
pub mod recording;
mod reference;
pub mod results;
pub mod scorecard;
mod shape;
mod stages;
mod tally;
mod threads;
mod trial;
pub mod watched;
pub mod wrong;

pub use claims::{Claim, Explanation, Judgment, Verdict, validate};
pub use reference::{Class, NoReference, Reference};
pub use tally::{Grids, Judged, Tally};
pub use trial::{Exclusion, Trial};
