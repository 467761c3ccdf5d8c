//! The test of the tests.
//!
//! A suite is as good as the mistakes that it finds. This crate makes mistakes on purpose: small
//! wrong changes of the reference sources, each with a name in English. Each must be *killed*: it
//! must refute a statement of `babycuda-proofs` on some case, or fail a test of the product.
//!
//! | module | contents |
//! |---|---|
//! | [`mutant`], [`list`] | what a mutant is; all of them |
//! | [`schema`] | a source text with its mutants, each behind a switch |
//! | [`switch`] | which mutant is on |
//! | [`workspace`] | the mutated copy of the workspace, and its build |
//! | `case`, `small`, `suites`, `findings` | what is checked, on what |
//! | [`suite`], [`area`] | tests of the product that kill; who looks for a mutant of which file |
//! | [`hunt`], [`run`] | the search for a case that kills, in a process for each mutant |
//! | [`table`] | the page `docs/MUTANTS.md` |
//!
//! The reference sources stay as they are: a copy of the workspace is mutated and built once, with
//! this crate in it, whose program `kill-mutant` then runs once for each mutant, and once with none:
//! the control, in which every statement must hold.

pub mod area;
mod case;
mod findings;
pub mod hunt;
pub mod list;
pub mod mutant;
pub mod run;
pub mod schema;
mod small;
pub mod suite;
mod suites;
pub mod switch;
pub mod table;
pub mod workspace;
