//! Bounded integers and bit-vectors for race queries.
//!
//! A [`Query`] declares constants and asserts [`Term`]s over them; a [`Solver`] finds a [`Model`],
//! shows that there is none, or says why it cannot tell. Whether a model is believed is decided
//! here, by exact evaluation ([`Query::check_model`]), never by the solver.

mod answer;
#[cfg(feature = "builtin")]
mod builtin;
mod interval;
mod model;
mod portfolio;
mod query;
mod ranges;
mod simplify;
mod solver;
mod sort;
mod term;
mod value;

#[cfg(feature = "process")]
pub mod process;
#[cfg(feature = "process")]
mod quote;
#[cfg(feature = "process")]
pub mod script;

pub use answer::{Answer, Disagreement, Reason};
#[cfg(feature = "builtin")]
pub use builtin::Builtin;
pub use interval::Interval;
pub use model::{EvalError, Model};
pub use portfolio::{Opinion, Portfolio, SolverName, UnknownSolver};
pub use query::{Declaration, Query, Rejection};
pub use simplify::{Simplified, simplify};
pub use solver::{Limits, Solver};
pub use sort::{MAX_WIDTH, Sort, SortError};
pub use term::{Op, Term};
pub use value::Value;
