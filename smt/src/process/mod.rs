//! Solvers that run as processes of their own: z3 and cvc5.
//!
//! The process back end of `smtlib` 0.4 loops for ever at end of file and leaves orphans. The one
//! here reads in a thread of its own, has a deadline and a limit on output, takes end of
//! file for an error, drains the error stream, and kills its child when dropped.

mod external;
mod pipe;
mod reply;

pub use external::{External, Kind};
