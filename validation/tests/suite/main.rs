//! Random programs on every back end that is here, held to every claim.
//!
//! `BABYCUDA_CASES` sets how many programs each back end runs. A failure is minimised and written
//! to a `.bcuda` file.

mod backends;
mod campaigns;
mod compiled;
mod devices;
mod faults;
mod grids;
mod kernels;
mod litmus;
mod machine;
mod scorecard;
mod weak;
