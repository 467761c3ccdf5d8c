//! The embedded solver: simplification on words, then a circuit, then SAT search.
//!
//! It decides bit-vectors, and integers whose constants are bounded, by declaration or by what is
//! asserted. Nothing but Rust is needed, so a fresh machine gets full verdicts.

mod divide;
mod encode;
mod gates;
mod words;

use std::time::Instant;

use crate::{
    answer::{Answer, Reason},
    query::Query,
    solver::{Limits, Solver},
};
use encode::{Encoder, Obstacle};
use gates::{Circuit, Overrun};

/// The embedded solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Builtin {
    /// Decides a query by circuit and search alone, without simplification.
    #[must_use]
    pub fn check_plainly(&self, query: &Query, limits: &Limits) -> Answer {
        search(query, Instant::now() + limits.time, limits)
    }
}

impl Solver for Builtin {
    fn name(&self) -> &str {
        "builtin"
    }

    fn check(&self, query: &Query, limits: &Limits) -> Answer {
        self.check_plainly(query, limits)
    }
}

fn search(query: &Query, deadline: Instant, limits: &Limits) -> Answer {
    let circuit = Circuit::new(deadline, limits.gates);
    let result = match Encoder::new(circuit, query) {
        Ok(encoder) => encoder.solve(query.declarations()),
        Err(Obstacle::Overrun(overrun)) => Err(overrun),
        Err(Obstacle::Unbounded(what)) => {
            let reason = format!("an integer without bounds, {what}");
            return Answer::Unknown(Reason::Unsupported(reason));
        }
    };
    match result {
        Ok(Some(model)) => Answer::from_model(query, model.into_iter().collect()),
        Ok(None) => Answer::Unsat,
        Err(Overrun::Time) => Answer::Unknown(Reason::Timeout(limits.time)),
        Err(Overrun::Gates) => {
            let reason = format!("a circuit of more than {} gates", limits.gates);
            Answer::Unknown(Reason::TooLarge(reason))
        }
    }
}
