//! Solvers that run as processes of their own: z3 and cvc5.
//!
//! The process back end of `smtlib` 0.4 loops for ever at the end of a file and leaves orphans. This
//! one reads in a thread of its own, up to a deadline and a limit. The end of a file is an error.
//! What the solver writes to standard error is dropped. Its process ends with its owner.

mod external;
mod pipe;
mod reply;

pub use external::{External, Kind};
