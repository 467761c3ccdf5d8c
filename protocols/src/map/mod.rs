//! The semantics of protocols: `u ↓ Λ`, and `p ⇓ Λ1 … Λn` phase by phase.
//!
//! Reference implementation. One thread runs by structural recursion on the protocol, with
//! substitution; its rules are
//!
//! | rule | from | to |
//! |---|---|---|
//! | `map/skip` | `skip` | nothing |
//! | `map/access` | `o A[n]`, `n ↓ j` | `i:o A[j]` |
//! | `map/seq` | `p ; q` | `p`, then `q` |
//! | `map/if-t`, `map/if-f` | `if c {p} else {q}` | `p` when `c ↓ true`, `q` when `c ↓ false` |
//! | `map/for-1` | `for x in n..m {p}`, `n ≥ m` | nothing |
//! | `map/for-2` | `for x in n..m {p}`, `n < m` | `p[x := n]`, then `for x in n+1..m {p}` |
//! | `map/sync` | `sync` at ℓ | stops: `sync_ℓ ▷` what is left to do |
//! | `map/any` | `any x {p}` | `p[x := k]` for the `k` that the [`Oracle`] chooses |
//!
//! and [`evaluate`] runs all threads of a block from barrier to barrier (THEORY §4).

mod evaluate;
mod thread;

pub use evaluate::{Configured, Ending, Lambda, PhaseAccesses, evaluate, evaluate_threads};
pub use thread::{Counter, Event, Limits, MapError, NoOracle, Oracle, Residual, Stop, run_thread};
