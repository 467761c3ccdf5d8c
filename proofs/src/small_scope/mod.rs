//! Small scope, exhaustively: every program up to a size over a tiny vocabulary, on every history
//! of a kind.
//!
//! | module | contents |
//! |---|---|
//! | [`vocabulary`] | the expressions that programs may use |
//! | [`programs`] | every program of a size, each once |
//! | [`symmetry`] | the renaming under which programs are not told apart |
//! | [`histories`] | every history of a kind |
//! | [`search`] | trying them all, on several cores, with counts |
//!
//! # What “every program” means
//! A *block* is a list of statements; the *size* of a program is the number of its writes, reads,
//! branches, loops and barriers. Programs are not told apart when they differ
//! - in the names of bound variables: a binder is called `xn` below n names, or has the name of
//!   one around it, which it hides;
//! - by the laws `skip; b = b = b; skip` and `(b; c); d = b; (c; d)`;
//! - by swapping the two threads, the two cells and the values 0 and 1 at once
//!   ([`symmetry`]), where that swap exists.
//!
//! # Bounds
//! Run by the suites `tests/small_scope*.rs`, which print what they counted. `BABYCUDA_SCOPE=n` raises
//! every bound by n.
//!
//! | suite | programs | histories or memories | threads |
//! |---|---|---|---|
//! | T0 to T3, every head | size ≤ 2 | every phase of two cells, as the head or before it | 2 |
//! | T0 to T3, one access | size ≤ 3 | at most one access in the head or before it | 2 |
//! | T0 to T3, three threads | size ≤ 2 | at most one access in the head or before it | 3 |
//! | T4, T5, T7 with barriers, by the virtual machine | size ≤ 3 | every memory of two cells with values ⊥, 0, 1, 2 | 2 |
//! | the virtual machine against the reference | size ≤ 2 | the same | 2 |
//! | T6 with barriers, by the reference and all interleavings | size ≤ 3 | the same | 2 |
//! | T6 with barriers and atomic updates | size ≤ 2 | the same | 2 |
//! | inference against Fig. 6, with barriers and atomic updates | size ≤ 3 | – | – |
//! | derivations, enumeration and `lastwrite`, the same | size ≤ 2 | two memories; at most one access before | 2, 3 |
//!
//! T0 to T3 run on the reference semantics. Completed by command (`BABYCUDA_SCOPE=1`), without a
//! counterexample, for programs in which no binder hides another: T0 to T3 in three threads up to
//! size 3 (989,102 instances), and T6 with atomic updates up to size 3 (572,768 instances, 1,910,368
//! executions).

pub mod histories;
pub mod programs;
pub mod search;
pub mod symmetry;
pub mod vocabulary;

pub use programs::Programs;
pub use search::{Found, Search};
pub use vocabulary::Vocabulary;

/// By how much the environment raises every bound: `BABYCUDA_SCOPE`.
pub fn raise() -> usize {
    babycuda_campaign::setting("BABYCUDA_SCOPE", 0)
}
