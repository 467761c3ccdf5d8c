//! Test amplification (LGAGJL12): one run, checked for races, speaks for all data if data decides no access.

mod calls;
mod determinism;
mod inputs;
mod invariance;
mod log;
pub mod model;
mod record;
mod sort;
mod taint;
mod unset;
mod value;
mod walk;

pub use determinism::{CheckError, Conflict, Sweep, conflicts};
pub use inputs::{Input, data, inputs};
pub use invariance::{Invariance, Variance, VarianceKind, integrity, invariance, is_invariant};
pub use log::{Entry, LogError, Recorder, log};
pub use sort::{LEAST_BUDGET, Sorted, Sorter};
pub use taint::{Flow, Step};
