//! The behavioural type system of LCL22 (Fig. 6), and what it says of programs that it rejects.
//!
//! | item | what it does |
//! |---|---|
//! | [`infer`], [`type_program`] | `V ⊢ b ▶ u`: the memory access protocol of a program, with a [`Derivation`] |
//! | [`infer_relative`], [`type_relative`] | the same, relative to read-only inputs (THEORY T11) |
//! | [`Rejection`] | why there is none: rule, premise, variable, and where that variable became data |
//! | [`check_derivation`], [`check_type`] | accept or reject a derivation, trusting no inference |
//! | [`approximate`] | for every program: a protocol that covers its accesses, and what data decides |
//! | [`updates`] | what each atomic statement does, and what its operands may be |
//!
//! A well-typed program accesses the same cells whatever its arrays contain (THEORY T5), so its
//! protocol has exactly the races of the program (THEORY T1, corrected). For any other program
//! the protocol of [`approximate`] has at least its races.
//!
//! ```
//! use babycuda_core::{Num, Protocol, Stmt};
//! use babycuda_typing::{Context, infer};
//!
//! // let x = A[tid] in A[x] := 9
//! let program = Stmt::read("x", "A", "tid", Stmt::write("A", "x", 9));
//! let rejection = infer(&Context::from_iter(["tid"]), &program.numbered()).unwrap_err();
//! assert_eq!(rejection.rule.id(), "type/t-write");
//! assert_eq!(
//!     rejection.to_string(),
//!     "t-write, premise 1: index mentions x, which is data: read from A at #0"
//! );
//! ```

mod approximate;
mod check;
mod context;
mod derivation;
mod infer;
mod json;
mod normalize;
mod reject;

pub use approximate::{
    AccessCertainty, Approximation, BarrierCertainty, Counter, DataFlow, DataSource, approximate,
    updates,
};
pub use babycuda_core::rules::TypingRule as Rule;
pub use check::{Defect, Rejected, check_derivation, check_type};
pub use context::Context;
pub use derivation::{Derivation, Judgment};
pub use infer::{Attempt, Typed, attempt, infer, infer_relative, type_program, type_relative};
pub use json::TypeEvidence;
#[cfg(feature = "schema")]
pub use json::schema;
pub use normalize::normalize;
pub use reject::{Cause, DataRead, Place, Rejection};
