//! Test amplification (LGAGJL12): one run, checked for races, speaks for all data if data decides no access.
//!
//! - The dynamic half (§4.2): a [`Recorder`] logs the accesses of a run, a [`Sorter`] sorts the log within a
//!   budget of memory, and a [`Sweep`] over it looks for two entries that break Φ_Det.
//! - The static half (§4.1): [`invariance()`] says whether data flows to an address or decides an access, and on
//!   which way; [`integrity`] finds the inputs that do.
//! - [`Amplification`] is both: a clean run of an invariant kernel is race-free for all data (Proposition 2).
//! - [`rewrite()`] makes a kernel invariant where data decides stores alone (Fig. 6).
//! - [`model`] has the definitions of §3, and what is false of them.
//!
//! # What its claims need
//! Theorem 1 and Proposition 1 are false as printed ([`model`]). They hold with three changes: the run is complete
//! (every thread comes to its end), logs are sets for each interval, and the log that is amplified is clean.
//! [`Amplification`] asks for all three. Contents of shared memory, and locals that may be read before they are
//! set, must count as data: here they do. Pointer parameters must not overlap, and no signed result may
//! overflow: verdicts state both as assumptions. A loop that data decides may hang, after fewer accesses.

mod calls;
mod detector;
mod determinism;
mod inputs;
mod invariance;
mod language;
mod log;
pub mod model;
mod record;
mod rewrite;
mod sort;
mod taint;
mod unset;
mod value;
mod walk;

pub use detector::Amplification;
pub use determinism::{CheckError, Conflict, Sweep, conflicts};
pub use inputs::{Input, data, inputs};
pub use invariance::{Invariance, Variance, VarianceKind, integrity, invariance, is_invariant};
pub use log::{Entry, LogError, Recorder, log};
pub use rewrite::rewrite;
pub use sort::{LEAST_BUDGET, Sorted, Sorter};
pub use taint::{Flow, Step};
