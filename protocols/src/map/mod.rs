//! The semantics of protocols: `u ↓ Λ`, and `p ⇓ Λ1 … Λn` phase by phase.
//!
//! Reference implementation. One thread runs by structural recursion on the protocol; values stand
//! beside it, the innermost binder's first, which is what substitution comes to. Its rules are
//! [`Rule`]'s. At a barrier it stops with what is left to do, and for
//! `any` the [`Oracle`] chooses.
//!
//! Inputs hold what [`Configuration::host`] says (THEORY T11). Where that is nothing, the thread is
//! stuck; where it says nothing of the array, there is an error.
//!
//! A read of an array that no one can have written ([`Configuration::stops`]) has no rule: the thread
//! is stuck there, as it is in the semantics of programs (THEORY §4). The paper's Λ has no such
//! arrays.
//!
//! [`derive()`] gives derivations by these rules, [`check_derivation`] checks them; and [`evaluate`]
//! runs all threads of a block from barrier to barrier (THEORY §4).

#[cfg(doc)]
use babycuda_core::Configuration;

mod check;
mod derivation;
mod derive;
mod evaluate;
mod json;
mod thread;

pub use check::{Rejected, check_derivation, check_map};
pub use derivation::{Derivation, Judgment, Premise, Reached, Rule};
pub use derive::{Attempt, attempt, derive};
pub use evaluate::{Configured, Ending, Lambda, PhaseAccesses, evaluate, evaluate_threads};
pub use json::MapEvidence;
#[cfg(feature = "schema")]
pub use json::schema;
pub use thread::{AccessEvent, MapError, MapLimits, NoOracle, Oracle};
