//! The semantics on random programs: the virtual machine against the reference, derivations
//! against their checker, and determinism.
//!
//! `BABYCUDA_CASES` sets the number of random cases.

mod derivations;
mod determinism;
mod evidence;
mod forged;
mod instances;
mod machine;
mod mutants;
mod printed_rules;
mod replay;
