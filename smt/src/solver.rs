//! The one trait of all back ends.

use std::time::Duration;

use crate::{answer::Answer, query::Query};

/// What a query may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// Wall-clock time.
    pub time: Duration,
    /// Gates the embedded solver may build (about 100 bytes each).
    pub gates: usize,
}

impl QueryLimits {
    /// A time limit, and the default for the rest.
    #[must_use]
    pub fn time(time: Duration) -> QueryLimits {
        QueryLimits { time, ..QueryLimits::default() }
    }
}

impl Default for QueryLimits {
    fn default() -> QueryLimits {
        QueryLimits { time: Duration::from_secs(10), gates: 4_000_000 }
    }
}

/// Something that decides queries.
///
/// [`Answer::Sat`] and [`Answer::Unsat`] must be right: check a model
/// ([`Query::check_model`]) before you return it. What is not decided within the limits is
/// [`Answer::Unknown`], with the reason.
pub trait Solver: Send + Sync {
    /// The name people know it by: `builtin`, `z3`, `cvc5`.
    fn name(&self) -> &str;

    /// Can it answer at all? Not where its program is missing.
    fn is_there(&self) -> bool {
        true
    }

    /// Decides the query, within the limits.
    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn is_there(&self) -> bool {
        (**self).is_there()
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        (**self).check(query, limits)
    }
}
