//! Coq accepts the certificates of derivations, and rejects those of derivations that a mutation
//! broke, in the lemma of the node that is wrong.
//!
//! `BABYCUDA_CERTIFICATES` sets how many random programs of each of the four kinds there are (10
//! unless told otherwise; most have two certificates); `BABYCUDA_REQUIRE_COQ` makes a missing Coq
//! a failure. Counts are printed: run with `--nocapture`.

mod accepted;
mod broken_runs;
mod broken_types;
mod coq;
mod edit;
#[path = "../../../proofs/tests/coq/mod.rs"]
mod mechanization;
mod programs;
mod rejected;
