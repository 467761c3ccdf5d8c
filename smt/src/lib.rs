//! Bounded integers for race queries.
//!
//! A [`Query`] declares constants and asserts [`Term`]s over them. A [`Solver`] finds a [`Model`],
//! shows that there is none, or says why it cannot tell. No solver's model is believed: each is
//! evaluated here, exactly ([`Query::check_model`]).
//!
//! Do two threads of a matrix with rows of `N` ever meet, when `x < N` for both?
//!
//! ```
//! use babycuda_smt::{Answer, Portfolio, Query, QueryLimits, Solver, SortError, Term, installed};
//!
//! # fn main() -> Result<(), SortError> {
//! let mut query = Query::named("transpose");
//! let int = (1i64 << 31) - 1;
//! let n = query.declare_int("N", 1, int)?;
//! let (x1, x2) = (query.declare_int("x$1", 0, int)?, query.declare_int("x$2", 0, int)?);
//! let (y1, y2) = (query.declare_int("y$1", 0, int)?, query.declare_int("y$2", 0, int)?);
//! query.assert(&x1.less_than(&n)?)?;
//! query.assert(&x2.less_than(&n)?)?;
//! query.assert(&Term::or([x1.differs(&x2)?, y1.differs(&y2)?])?)?;
//! query.assert(&y1.mul(&n)?.add(&x1)?.equals(&y2.mul(&n)?.add(&x2)?)?)?;
//! # #[cfg(feature = "builtin")]
//! match Portfolio::new(installed()).check(&query, &QueryLimits::default()) {
//!     Answer::Sat(model) => panic!("they meet: {model}"),
//!     Answer::Unsat => {} // never
//!     Answer::Unknown(reason) => panic!("undecided: {reason}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | back end | needs | decides |
//! |---|---|---|
//! | `Builtin` (feature `builtin`) | nothing | bounded integers, and what [`simplify`] alone decides |
//! | `process::External` (feature `process`) | the program z3 or cvc5 | what those do |
//! | [`Portfolio`] | | what one of its members does; or cross-checks them |
//!
//! Without features the crate still has terms, queries, models, evaluation and simplification.

mod answer;
#[cfg(feature = "builtin")]
mod builtin;
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

pub use answer::{Answer, Reason};
pub use babycuda_core::Interval;
#[cfg(feature = "builtin")]
pub use builtin::Builtin;
pub use model::{EvalError, Model};
pub use portfolio::{Opinion, Portfolio, SolverName, installed};
pub use query::{Declaration, Query, Rejection};
pub use simplify::{Simplified, simplify};
pub use solver::{QueryLimits, Solver};
pub use sort::{Sort, SortError};
pub use term::{Op, Term};
pub use value::Value;
