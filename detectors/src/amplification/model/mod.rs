//! LGAGJL12 §3 as executable definitions: its kernels (Fig. 2), their transitions (Fig. 3), `FlowsTo`, Theorem 1
//! and the barriers of §3.4, on finite sets of initial states.
//!
//! What is found of the printed definitions, each with its smallest program in the tests:
//!
//! - A trace is any finite sequence of transitions, so the one without any is a trace. Theorem 1 is then FALSE
//!   already for one thread and `x = 1`, with the property `x = 0`: the run before the first step has it.
//! - [`flows_to`] compares states at equal step numbers. What two threads log depends then on who comes first, so
//!   that *every* variable flows to the log as soon as two threads access anything. Proposition 1 is FALSE,
//!   and Theorem 1 says nothing of such kernels.
//! - The barriers of §3.4 let thread `n` go first, of threads `0` to `n - 1`: no run passes one. With threads
//!   `1` to `n` some runs hang, since a thread that leaves takes back the count that others wait for.
//! - Comparing complete runs alone does not repair Proposition 1: two threads race to write what is then an
//!   address. No taint is there, but the log is another.
//!
//! What holds instead ([`amplified`], tested on random kernels): runs are complete, logs are sets for each
//! barrier interval, and the run that is amplified has a clean log. Then in a kernel that is invariant by
//! [`static_flows_to`] each run from an initial state that agrees on Y has a log within that of the run.

mod barrier;
mod flows;
mod step;

pub use barrier::{printed_barrier, repaired_barrier};
pub use flows::{amplified, clean, complete_runs, flows_to, flows_to_at_the_end, static_flows_to};
pub use step::{Command, Edge, Kernel, Logged, Operand, State};
