//! The statements of the theory, as functions that check one instance of them.
//!
//! Each module below is one statement. Its `STATEMENT` says it in words and names its source and
//! its proof in Coq; its `check` takes an instance and returns
//!
//! - `Ok(evidence)`: the instance meets the hypotheses, and the conclusion holds;
//! - [`Failure::Vacuous`]: it does not meet the hypotheses, so the statement says nothing of it;
//! - [`Failure::Undecided`]: a limit was reached before that was known;
//! - [`Failure::Refuted`]: a [`Counterexample`], which prints itself as a runnable program.
//!
//! | id | module |
//! |---|---|
//! | T0 | [`determinism`] |
//! | T1 | [`printed_theorem_1`] (false), [`corrected_theorem_1`] |
//! | T2 | [`access_equivalence`] |
//! | T3 | [`well_typed_programs_are_stuck_only_on_undefined_cells`] |
//! | T4 | [`synchronized_access_equivalence`] |
//! | T5 | [`well_typed_programs_are_access_invariant`] |
//! | T6 | [`adequacy`] |
//! | T7 | [`splitting_preserves_phases`] |
//! | T8 | `race_formulae_are_exact` (feature `smt`) |
//! | T9 | [`shadow_machine_is_exact`] |
//! | T10 | `claims_of_other_techniques` (feature `smt`) |
//! | T11 | [`relative_access_equivalence`] |
//! | T12 | [`scoped_phases`] |
//! | T13 | [`atomic_counters`] |
//!
//! ```
//! use babycuda_core::parse::parse_stmt;
//! use babycuda_core::{Accesses, Cell, History, HostMemory, Natural, Phase};
//! use babycuda_proofs::{Situation, Subject, corrected_theorem_1, printed_theorem_1};
//!
//! // Thread 0 wrote A[1] in this phase; now every thread writes the cell of its number.
//! let before = Accesses::default().write(Cell::new("A", 1u32), Natural::zero());
//! let history = History::empty(HostMemory::default()).push(Phase::singleton(0, before));
//! let subject = Subject::new(parse_stmt("A[tid] := 0")?, 2);
//! let situation = Situation::new(history, subject);
//!
//! let refuted = printed_theorem_1::check(&situation).unwrap_err();
//! assert!(refuted.counterexample().is_some());
//! assert!(corrected_theorem_1::check(&situation).is_ok());
//! # Ok::<(), babycuda_core::parse::ParseError>(())
//! ```
//!
//! [`agreement`] compares implementations with each other and with the rules in the same way. So
//! the statements, which are about judgments, say something about the functions.
//!
//! [`oracle`] asks the functions that Coq proved correct, as a process; a suite compares their
//! answers with those of the library.
//!
//! The suites of this crate try to break the statements: on every program of a small scope
//! ([`small_scope`]), and on random ones beyond it.

pub mod access_equivalence;
pub mod adequacy;
pub mod agreement;
pub mod atomic_counters;
#[cfg(feature = "smt")]
pub mod claims_of_other_techniques;
pub mod corrected_theorem_1;
mod definition_1;
pub mod determinism;
mod hypotheses;
pub mod oracle;
pub mod printed_theorem_1;
#[cfg(feature = "smt")]
pub mod race_formulae_are_exact;
mod relation;
pub mod relative_access_equivalence;
mod render;
pub mod scoped_phases;
pub mod shadow_machine_is_exact;
pub mod situation;
pub mod small_scope;
pub mod splitting_preserves_phases;
pub mod statement;
pub mod synchronized_access_equivalence;
pub mod well_typed_programs_are_access_invariant;
pub mod well_typed_programs_are_stuck_only_on_undefined_cells;

pub use situation::{Situation, Subject};
pub use statement::{
    Checked, Counterexample, Coverage, Failure, Proof, STATEMENTS, Statement, Vacuous,
};
