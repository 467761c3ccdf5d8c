//! Interleavings: a small-step semantics with one shared memory (DD §4, LGAGJL12 §3.2).
//!
//! Threads step one access at a time and see each other's writes at once; a barrier blocks until
//! every thread waits at it. Written independently of the big-step judgments, which it justifies
//! (THEORY §5, T6).
//!
//! ```text
//! configuration   M; t; k_0 ∥ … ∥ k_{n-1}      memory, trace of the barrier interval, threads
//!
//! M; t; … ∥ A[n] := m ; k ∥ …              →  M[j ↦ v]; t, i:wr[j]; … ∥ k ∥ …               n ↓ j, m ↓ v
//! M; t; … ∥ let x = A[n] in b ; k ∥ …      →  M; t, i:rd[j]; … ∥ b[x := M(j)] ; k ∥ …       n ↓ j, M(j) ≠ ⊥
//! M; t; … ∥ let x = atomic A[n] ⋆ m in b ; k ∥ …
//!                                          →  M[j ↦ M(j) ⋆ v]; t, i:at[j]; … ∥ b[x := M(j)] ; k ∥ …
//! M; t; sync_ℓ ; k_0 ∥ … ∥ sync_ℓ ; k_{n-1} →  M; ∅; k_0 ∥ … ∥ k_{n-1}
//! ```
//!
//! Branches, loops and `;` are taken silently with the access that follows: they touch no memory,
//! so no other thread can tell when they happen. A read or an update of ⊥ has no step, as in the
//! big-step semantics; another thread may still write the cell. When no thread can step, the
//! execution ends, in one of the ways of [`EndKind`].
//!
//! [`explore`] visits every execution, or with [`Reduction::SleepSets`] one of each class of
//! executions that differ only in the order of independent steps (Godefroid 1996). [`find_race`] looks
//! for a race in some executions. A [`Walk`] is one execution, in which whoever walks chooses each step.
//!
//! ```
//! use babycuda_core::{Launch, parse::parse_program};
//! use babycuda_semantics::Instance;
//! use babycuda_semantics::interleavings::{ExplorationLimits, Reduction, explore};
//!
//! let program = parse_program("A[tid] := 1; sync; A[1 - tid] := 2").unwrap();
//! let instance = Instance::new(program, Launch::threads(2));
//! let all = explore(&instance, Reduction::None, &ExplorationLimits::default()).unwrap();
//! let some = explore(&instance, Reduction::SleepSets, &ExplorationLimits::default()).unwrap();
//! assert_eq!(all.ends, some.ends);
//! assert_eq!((all.executions, some.executions), (4, 1));
//! ```

mod explore;
mod schedule;
mod step;
mod walk;

pub use explore::{End, EndKind, Exploration, ExplorationLimits, Reduction, TooLarge, explore};
pub use schedule::{Side, find_race};
pub use step::{Next, Rest, advance};
pub use walk::{Stand, Walk};
