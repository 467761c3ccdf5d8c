//! Simplification of terms, before any circuit is built.
//!
//! Each rule keeps the models. Constants that an asserted equality defines are eliminated, and
//! computed again for a model. Asserted comparisons tighten the bounds of constants. Equations are
//! split by the [mixed-radix lemma](radix).
//!
//! What a rule may use must stay asserted, or a fact would help to erase itself. So: bounds of
//! constants are part of the query, and anything may use them. Order facts come from comparisons
//! that are asserted on their own. Such a comparison goes only where the bounds imply it.

mod bounds;
mod eliminate;
mod facts;
mod poly;
mod radix;
mod recombine;
mod rewrite;

use std::{collections::HashSet, sync::Arc};

use babycuda_core::{Budget, Interval, clock::Instant};
use bounds::Bounds;
use facts::is_comparison;
use poly::Algebra;
use rewrite::Context;

use crate::{
    model::Model,
    query::{Declaration, Query},
    ranges::{ByZero, Intervals},
    sort::{Sort, SortError},
    term::{Op, Term, postorder},
};

/// How often all rules are tried in turn.
const MAX_ROUNDS: usize = 16;
/// How often bounds are propagated within a round. Chains of inequalities between constants could
/// go on for as long as the bounds are wide.
const MAX_PASSES: usize = 6;

/// A query with the same models, but for the eliminated constants.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// What is left; [`Query::assertions`] is `false` alone when there is no model.
    pub query: Query,
    /// Constants that are no longer declared, each with the term that gives its value, in the order
    /// of their elimination. A term may use constants that were eliminated later.
    pub eliminated: Vec<(Arc<str>, Term)>,
    /// Is there nothing more to simplify?
    pub complete: bool,
}

impl Simplified {
    /// Whether the query was found to have no model.
    #[must_use]
    pub fn is_unsat(&self) -> bool {
        self.query.assertions().iter().any(|a| a.as_bool() == Some(false))
    }

    /// The model of the original query that belongs to a model of the simplified one. Constants
    /// whose definition has no definite value stay without one.
    #[must_use]
    pub fn extend(&self, mut model: Model) -> Model {
        for (name, definition) in self.eliminated.iter().rev() {
            if let Ok(value) = definition.eval(&model) {
                model.insert(Arc::clone(name), value);
            }
        }
        model
    }
}

/// Simplifies a query until nothing changes or the deadline has passed: then with what the rounds before have reached.
#[must_use]
pub fn simplify(query: &Query, deadline: Instant) -> Simplified {
    let left = |now: Instant| deadline.saturating_duration_since(now);
    let mut state = State {
        declarations: query.declarations().to_vec(),
        assertions: query.assertions().to_vec(),
        eliminated: Vec::new(),
        deadline,
    };
    let mut complete = false;
    for _ in 0..MAX_ROUNDS {
        let mut next = state.clone();
        let round = Budget::time(left(Instant::now())).within(|| next.round());
        // A sort error cannot happen: every rule keeps sorts. If one did, what was reached before it is still right.
        let Ok(Ok(changed)) = round else { break };
        state = next;
        complete = !changed;
        if complete || Instant::now() >= deadline {
            break;
        }
    }
    Simplified {
        query: query.rebuilt(state.declarations, state.assertions),
        eliminated: state.eliminated,
        complete,
    }
}

#[derive(Clone)]
struct State {
    declarations: Vec<Declaration>,
    assertions: Vec<Term>,
    eliminated: Vec<(Arc<str>, Term)>,
    deadline: Instant,
}

impl State {
    /// Applies every rule once; whether anything changed.
    fn round(&mut self) -> Result<bool, SortError> {
        if self.declarations.iter().any(|d| d.bounds.is_empty()) {
            self.assertions = vec![Term::bool(false)];
            return Ok(false);
        }
        let before = (self.assertions.clone(), self.declarations.clone());
        self.flatten();
        self.eliminate()?;
        if self.tighten() {
            self.rewrite()?;
        } else {
            // The comparisons contradict the bounds or each other.
            self.assertions = vec![Term::bool(false)];
        }
        self.flatten();
        Ok(before != (self.assertions.clone(), self.declarations.clone()))
    }

    /// Assertions as single literals and disjunctions, each once.
    fn flatten(&mut self) {
        let mut flat = Vec::new();
        let mut seen = HashSet::new();
        let mut open: Vec<Term> = self.assertions.iter().rev().cloned().collect();
        while let Some(term) = open.pop() {
            match (term.op(), term.args()) {
                (Op::And, parts) => open.extend(parts.iter().rev().cloned()),
                (Op::Not, [inner]) if *inner.op() == Op::Or => {
                    open.extend(inner.args().iter().rev().map(Term::negation));
                }
                _ if term.as_bool() == Some(true) || seen.contains(&term) => {}
                _ if term.as_bool() == Some(false) || seen.contains(&term.negation()) => {
                    self.assertions = vec![Term::bool(false)];
                    return;
                }
                _ => {
                    seen.insert(term.clone());
                    flat.push(term);
                }
            }
        }
        self.assertions = flat;
    }

    /// Bounds of the integer constants, as declared.
    fn declared(&self) -> Bounds {
        let bounded = self.declarations.iter().filter(|d| d.sort == Sort::Int);
        bounded.map(|d| (Arc::clone(&d.name), d.bounds.clone())).collect()
    }

    /// Replaces constants that assertions define.
    fn eliminate(&mut self) -> Result<(), SortError> {
        let mut at = 0;
        while at < self.assertions.len() && Instant::now() < self.deadline {
            let Some((constant, definition)) = eliminate::definition(&self.assertions[at]) else {
                at += 1;
                continue;
            };
            let Some(position) = self.declarations.iter().position(|d| d.term() == constant) else {
                at += 1;
                continue;
            };
            let declaration = self.declarations.remove(position);
            self.assertions.remove(at);
            for assertion in &mut self.assertions {
                *assertion =
                    assertion.substitute(|term| (*term == constant).then(|| definition.clone()))?;
            }
            if let Some(low) = &declaration.bounds.lower {
                self.assertions.push(Term::int(low.clone()).at_most(&definition)?);
            }
            if let Some(high) = &declaration.bounds.upper {
                self.assertions.push(definition.at_most(&Term::int(high.clone()))?);
            }
            self.eliminated.push((declaration.name, definition));
            // Earlier assertions may define something now.
            at = 0;
            self.flatten();
        }
        Ok(())
    }

    /// Tightens the bounds of integer constants; whether they leave each of them a value.
    fn tighten(&mut self) -> bool {
        let mut all = self.declared();
        if all.values().any(Interval::is_empty) {
            return false;
        }
        for _ in 0..MAX_PASSES {
            let mut algebra = algebra(all.clone());
            let mut changed = false;
            for assertion in &self.assertions {
                let Some(fact) = facts::fact(&mut algebra, assertion) else { continue };
                for (constant, interval) in bounds::implied(&mut algebra, &fact) {
                    changed |= bounds::tighten(&mut all, &constant, &interval);
                }
                if all.values().any(Interval::is_empty) {
                    return false;
                }
            }
            if !changed || Instant::now() >= self.deadline {
                break;
            }
        }
        for declaration in &mut self.declarations {
            if declaration.sort == Sort::Int
                && let Some(bounds) = all.get(&declaration.name)
            {
                declaration.bounds = bounds.clone();
                // A constant with one value is that value, and an assertion can say so.
                if let Some(value) = bounds.single()
                    && let Ok(fixed) = declaration.term().equals(&Term::int(value.clone()))
                    && !self.assertions.contains(&fixed)
                {
                    self.assertions.push(fixed);
                }
            }
        }
        true
    }

    /// Splits the equations, with what the comparisons say. Those stay, but for what the bounds say
    /// already, and for what the others say of their parts.
    fn rewrite(&mut self) -> Result<(), SortError> {
        let mut algebra = algebra(self.declared());
        for assertion in &mut self.assertions {
            let fact = facts::fact(&mut algebra, assertion);
            if fact.is_some_and(|fact| algebra.range(&fact).is_nonnegative()) {
                *assertion = Term::bool(true);
            }
        }
        // One after the other: what is rewritten is no fact of its own.
        let mut budget = facts::BUDGET;
        for at in 0..self.assertions.len() {
            let assertion = &self.assertions[at];
            if !is_comparison(assertion) || !has_parts(assertion) || self.is_over() {
                continue;
            }
            let (before, behind) = (&self.assertions[..at], &self.assertions[at + 1..]);
            let mut context = Context::new(algebra, &[before, behind].concat(), budget);
            self.assertions[at] = context.rewrite_parts(assertion)?;
            budget = context.facts.left();
            algebra = context.algebra;
        }
        let mut context = Context::new(algebra, &self.assertions, facts::BUDGET);
        for at in 0..self.assertions.len() {
            if !is_comparison(&self.assertions[at]) && !self.is_over() {
                self.assertions[at] = context.rewrite(&self.assertions[at])?;
            }
        }
        recombine::recombine(&context.facts, &mut context.algebra, &mut self.assertions)
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// Is there something in a comparison to rewrite?
fn has_parts(comparison: &Term) -> bool {
    let rewritten = |term: &Term| matches!(term.op(), Op::Mod | Op::Ite);
    postorder([comparison]).iter().any(rewritten)
}

fn algebra(bounds: Bounds) -> Algebra {
    Algebra::new(Intervals::new(bounds, ByZero::Anything))
}

#[cfg(test)]
mod tests;
