//! Answers and their reasons.

use std::{path::PathBuf, time::Duration};

use crate::{model::Model, query::Query};

/// What a solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The query holds in this model, which has been [checked](Query::check_model).
    Sat(Model),
    /// The query holds in no model.
    Unsat,
    /// Not decided.
    Unknown(Reason),
}

impl Answer {
    /// `Sat(model)` when the model answers the query, `Unknown(ModelRejected)` when it does not.
    /// Every model of every solver goes through here.
    #[must_use]
    pub(crate) fn from_model(query: &Query, model: Model) -> Answer {
        match query.check_model(&model) {
            Ok(()) => Answer::Sat(model),
            Err(rejection) => Answer::Unknown(Reason::ModelRejected(rejection.to_string())),
        }
    }

    /// Whether the answer is [`Answer::Sat`] or [`Answer::Unsat`].
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !matches!(self, Answer::Unknown(_))
    }
}

/// Why a query was not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The time limit passed.
    #[error("no answer within {} s, the time limit of one question", .0.as_secs_f64())]
    Timeout(Duration),
    /// The query would need more memory than allowed.
    #[error("too large: {0}")]
    TooLarge(String),
    /// The solver gave up.
    #[error("the solver answered unknown: {0}")]
    Incomplete(String),
    /// The solver does not handle what the query uses.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The solver is not there.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// The solver's process ended, or its pipe broke.
    #[error("the solver crashed: {0}")]
    Crashed(String),
    /// The solver printed what is no answer.
    #[error("the solver printed nonsense: {0}")]
    Nonsense(String),
    /// The solver answered `sat` with a model in which the query does not hold.
    #[error("the solver's model was rejected: {0}")]
    ModelRejected(String),
    /// Solvers contradict each other. At least one of them is wrong.
    #[error(
        "solvers disagree on query `{query}`: sat by {}, unsat by {}{}",
        .sat.join(", "), .unsat.join(", "), place(.saved)
    )]
    Disagreement {
        /// The query's name.
        query: String,
        /// Solvers that answered `sat`.
        sat: Vec<String>,
        /// Solvers that answered `unsat`.
        unsat: Vec<String>,
        /// Where the query was saved as SMT-LIB text.
        saved: Option<PathBuf>,
    },
}

fn place(path: &Option<PathBuf>) -> String {
    match path {
        Some(path) => format!(" (saved as {})", path.display()),
        None => String::new(),
    }
}
