//! Campaigns: many cases, each from its number, tried on all processors.
//!
//! | module | contents |
//! |---|---|
//! | [`plan`] | which cases a [`Plan`] tries, in batches; the part of a [`Shard`] |
//! | [`state`] | how far a campaign is, as a document from which it goes on |
//! | [`finding`] | what was found, each thing once, in a folder for people: [`Finding`] |
//! | [`found`] | what the parts of a campaign found, put together: [`Counts`], [`Distribution`], [`Least`] |
//! | [`reduce()`] | from a case to a small one that is judged alike |
//!
//! ```
//! use babycuda_campaign::{Counts, Plan, State, random};
//! use rand_xoshiro::rand_core::RngCore;
//! use std::ops::ControlFlow;
//!
//! let plan = Plan { seed: 7, ..Plan::of(1_000) };
//! let tried = plan.run(State::new(&plan), || (), |(), numbers| {
//!     let mut found = Counts::default();
//!     for number in numbers {
//!         found.add(if random(plan.seed, number).next_u32() % 2 == 0 { "even" } else { "odd" });
//!     }
//!     ControlFlow::Continue(found)
//! }, |_| {});
//! assert_eq!(tried.found.total(), 1_000);
//! assert!(tried.found.get("even") > 400);
//! ```

pub mod finding;
pub mod found;
pub mod plan;
pub mod reduce;
pub mod state;

pub use finding::Finding;
pub use found::{Counts, Distribution, Least, Merge};
pub use plan::{Plan, Shard, shards};
pub use reduce::reduce;
pub use state::State;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The randomness of a case. Every number has a stream of its own, so that any part of a campaign can
/// be run alone.
pub fn random(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// What a variable of the environment says (`BABYCUDA_CASES`); `standard` where it says nothing.
pub fn setting<T: std::str::FromStr>(variable: &str, standard: T) -> T {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(standard)
}
