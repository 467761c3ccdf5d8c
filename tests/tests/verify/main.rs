//! Derivations as documents: what the evaluators derive is verified. Of thousands of changed
//! documents only those are that an evaluator derives, too.
//!
//! `BABYCUDA_CASES` sets the number of random cases.

mod campaign;
mod hostile;
mod judge;
mod mutate;
#[path = "../semantics/replay.rs"]
mod replay;
