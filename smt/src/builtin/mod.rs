//! The embedded solver: simplification of terms, then a circuit, then SAT search.
//!
//! It decides queries whose integers are bounded, by declaration or by what is asserted. It needs
//! nothing but Rust, so a fresh machine gets full verdicts.

mod divide;
mod encode;
mod gates;
mod words;

use std::time::Duration;

use babycuda_core::{Interval, clock::Instant};
use num_bigint::BigInt;

use crate::{
    answer::{Answer, Reason},
    query::Query,
    simplify::{Simplified, simplify},
    solver::{QueryLimits, Solver},
    sort::Sort,
    term::{Op, postorder},
};
use encode::{Encoder, Obstacle};
use gates::{Circuit, Overrun};

/// The embedded solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Builtin {
    /// Decides a query by circuit and search alone, without simplification.
    #[must_use]
    pub fn check_plainly(&self, query: &Query, limits: &QueryLimits) -> Answer {
        search(query, Instant::now() + limits.time, limits)
    }
}

impl Solver for Builtin {
    fn name(&self) -> &str {
        "builtin"
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        let start = Instant::now();
        let deadline = start + limits.time;
        let simplified = simplify(query, start + limits.time / 2);
        if simplified.is_unsat() {
            return Answer::Unsat;
        }
        match decided(query, &simplified, deadline, limits) {
            Answer::Unknown(Reason::Timeout(_)) if !simplified.complete => {
                let reason = "simplifying the question takes more than half of its time";
                Answer::Unknown(Reason::TooLarge(reason.into()))
            }
            answer => answer,
        }
    }
}

/// The answer to a query that was simplified, as far as that went.
fn decided(
    query: &Query,
    simplified: &Simplified,
    deadline: Instant,
    limits: &QueryLimits,
) -> Answer {
    let mut answer = Answer::Unknown(Reason::Timeout(limits.time));
    for (window, share) in windows(&simplified.query, limits.time) {
        let (narrowed, is_whole) = narrow(&simplified.query, window);
        let until = if is_whole { deadline } else { deadline.min(Instant::now() + share) };
        match search(&narrowed, until, limits) {
            Answer::Sat(model) => return Answer::from_model(query, simplified.extend(model)),
            Answer::Unsat if is_whole => return Answer::Unsat,
            Answer::Unsat => {}
            unknown => answer = unknown,
        }
        if is_whole {
            return answer;
        }
    }
    // Some integer has no bounds: that no small value will do says nothing of the others.
    match search(&simplified.query, deadline, limits) {
        Answer::Sat(model) => Answer::from_model(query, simplified.extend(model)),
        other => other,
    }
}

/// Which ranges of constants to search first, and for how long. Witnesses are mostly small, and a
/// small range makes a small circuit. Without a product of unknowns the whole range is as easy.
fn windows(query: &Query, time: Duration) -> Vec<(Option<u32>, Duration)> {
    let hard = postorder(query.assertions()).iter().any(|term| {
        let unknown = |i: usize| term.args().get(i).is_some_and(|a| a.as_value().is_none());
        match term.op() {
            Op::Mul => unknown(0) && unknown(1),
            Op::Div | Op::Mod => unknown(1),
            _ => false,
        }
    });
    let unbounded =
        query.declarations().iter().any(|d| d.sort == Sort::Int && d.bounds.ends().is_none());
    let mut windows = Vec::new();
    if hard || unbounded {
        windows.push((Some(5), (time / 20).min(Duration::from_millis(200))));
        windows.push((Some(11), (time / 20).min(Duration::from_millis(400))));
    }
    if !unbounded {
        windows.push((None, time));
    }
    windows
}

/// The query with every integer within `2^window` of its lower bound (or around 0); and whether
/// that leaves the query as it was.
fn narrow(query: &Query, window: Option<u32>) -> (Query, bool) {
    let Some(window) = window else {
        return (query.clone(), true);
    };
    let reach = BigInt::from(1) << window;
    let mut whole = true;
    let mut declarations = query.declarations().to_vec();
    for declaration in declarations.iter_mut().filter(|d| d.sort == Sort::Int) {
        let near = match (&declaration.bounds.lower, &declaration.bounds.upper) {
            (Some(low), _) => Interval::new(low.clone(), low + &reach),
            (None, Some(high)) => Interval::new(high - &reach, high.clone()),
            (None, None) => Interval::new(-&reach, reach.clone()),
        };
        let narrowed = declaration.bounds.meet(&near);
        whole &= narrowed == declaration.bounds;
        declaration.bounds = narrowed;
    }
    (query.rebuilt(declarations, query.assertions().to_vec()), whole)
}

fn search(query: &Query, deadline: Instant, limits: &QueryLimits) -> Answer {
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
        Ok(Some(model)) => Answer::from_model(query, model),
        Ok(None) => Answer::Unsat,
        Err(Overrun::Time) => Answer::Unknown(Reason::Timeout(limits.time)),
        Err(Overrun::Gates) => {
            let reason = format!("a circuit of more than {} gates", limits.gates);
            Answer::Unknown(Reason::TooLarge(reason))
        }
    }
}
