//! The judgments of BabyCUDA: reference evaluators with their derivations, a checker of
//! derivations that trusts no evaluator, and a fast virtual machine with the same results.
//!
//! | module | judgment | source |
//! |---|---|---|
//! | [`thread`] | `A, b ↓_{H,i} B` | LCL22 Fig. 5; atomics: THEORY §4 |
//! | [`parallel`] | `P::H, b ↓ Q::H` | LCL22 Fig. 5, rule par |
//! | `barriers`, [`blocks`] | `A, k ⇓_{H,i} (B, s)` and `H, k ⇓ outcome` | THEORY §4 |
//! | [`orders`] | is there an order of atomic updates that yields these values? | THEORY T13 |
//! | [`vm`] | all of them, fast and without derivations | |
//!
//! Evaluation of expressions, substitution, `lastwrite` and races are `babycuda-core`'s; the checker
//! has its own substitution and `lastwrite`.

mod attempt;
mod barriers;
mod block;
pub mod blocks;
mod chain;
mod check;
mod choice;
mod context;
mod derivation;
mod evidence;
pub mod grid;
mod instance;
pub mod interleavings;
pub mod json;
mod options;
pub mod orders;
mod outcome;
pub mod parallel;
pub mod thread;
pub mod vm;

pub use attempt::{Attempt, Started, Unfinished};
pub use babycuda_core::rules::SemanticsRule as Rule;
pub use block::Block;
pub use blocks::Evaluation;
pub use check::{Rejected, check_derivation, check_run};
pub use choice::{Choice, Choices, Open};
pub use derivation::{
    BlockJudgment, Derivation, Ending, Judgment, ParallelJudgment, Premise, ProgramJudgment,
    Remaining, Stop, ThreadJudgment, ToBarrierJudgment,
};
#[cfg(feature = "schema")]
pub use evidence::schema;
pub use evidence::{ChoiceForm, ChoiceKind, RunEvidence};
pub use instance::{Instance, chosen_contents};
pub use options::{AtomicOracle, AtomicPolicy, AtomicQuery, Limit, Policy, RunLimits, RunOptions};
pub use outcome::{Outcome, Reason, Stuck};
