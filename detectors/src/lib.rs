//! Published techniques that find data races of GPU kernels, as executable models.
//!
//! | module | technique | paper |
//! |---|---|---|
//! | [`amplification`] | one run, which speaks for all data if data decides no access | LGAGJL12 |
//! | [`hirace`] | a state machine for each memory cell, over a record of its last accessor | HiRace |
//! | [`symbolic_heap`] | symbolic execution with separation logic, one generic thread or two | Distefano and Dubreil |
//! | [`two_thread`] | formulae of two arbitrary threads, for a solver | SKBG18 |
//!
//! | module | what they are compared with |
//! |---|---|
//! | [`execute`] | a kernel run at one launch, under one schedule: its trace and what it leaves in memory |
//! | [`benign`] | whether a race harms: both accesses store the same value; all schedules leave the same memory |
//! | [`happens_before`] | the races of traces, from the definition, and of several schedules |
//!
//! The second table needs no feature, but [`benign`]; the techniques are of `techniques`, a default one.
//!
//! They share the tree of a kernel, the evidence and the solver, and those that run a kernel its execution; none asks
//! another for its verdict. What a technique
//! is behind is [`Detector`].

#[cfg(feature = "techniques")]
mod all;
#[cfg(feature = "techniques")]
pub mod amplification;
#[cfg(feature = "techniques")]
pub mod benign;
mod detector;
pub mod execute;
pub mod happens_before;
#[cfg(feature = "techniques")]
pub mod hirace;
#[cfg(feature = "techniques")]
pub mod symbolic_heap;
#[cfg(feature = "techniques")]
pub mod two_thread;

#[cfg(feature = "techniques")]
pub use all::all;
pub use detector::{Claims, Detector, Fragment, Races, Refusal, site};
