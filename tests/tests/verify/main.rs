//! Derivations as documents: what the evaluators derive is verified, and of thousands of changed
//! documents no one is but those that are again what an evaluator derives.
//!
//! `BABYCUDA_CASES` sets the number of random cases.

mod campaign;
mod hostile;
mod judge;
mod mutate;
#[path = "../semantics/replay.rs"]
mod replay;
