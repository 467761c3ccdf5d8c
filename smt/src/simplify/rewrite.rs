//! Rewriting of single atoms and quotients, in a context of facts.

use std::collections::HashMap;

use super::{
    facts::{self, Facts},
    poly::{Algebra, Poly},
    radix::{self, Solved},
};
use crate::{
    sort::{Sort, SortError},
    term::{Op, Term, postorder},
};

/// What may be used, and what has been rewritten with it.
pub(super) struct Context {
    pub(super) algebra: Algebra,
    pub(super) facts: Facts,
    done: HashMap<Term, Term>,
}

impl Context {
    pub(super) fn new(algebra: Algebra) -> Context {
        Context { algebra, facts: Facts::default(), done: HashMap::new() }
    }

    /// A term that has the same value in every model of the facts and bounds.
    pub(super) fn rewrite(&mut self, root: &Term) -> Result<Term, SortError> {
        for term in postorder([root]) {
            if self.done.contains_key(&term) {
                continue;
            }
            let args = term.args().iter().map(|a| self.done[a].clone()).collect();
            let rebuilt = term.with_args(args)?;
            let new = self.step(&rebuilt)?.unwrap_or(rebuilt);
            self.done.insert(term, new);
        }
        Ok(self.done[root].clone())
    }

    fn step(&mut self, term: &Term) -> Result<Option<Term>, SortError> {
        let [a, b] = term.args() else {
            return Ok(None);
        };
        match term.op() {
            Op::Eq if a.sort() != Sort::Bool => self.equation(term, a, b),
            Op::Le | Op::Lt => Ok(self.comparison(term)),
            Op::Div | Op::Mod => self.division(term, a, b),
            _ => Ok(None),
        }
    }

    fn equation(&mut self, term: &Term, a: &Term, b: &Term) -> Result<Option<Term>, SortError> {
        let difference = self.algebra.poly(a).minus(&self.algebra.poly(b));
        let parts = match radix::solve(&self.facts, &mut self.algebra, difference) {
            Solved::Never => return Ok(Some(Term::bool(false))),
            Solved::All(parts) => parts,
        };
        let mut equations = Vec::with_capacity(parts.len());
        for part in &parts {
            let (left, right) = part.sides();
            equations.push(self.algebra.sum(&left)?.equals(&self.algebra.sum(&right)?)?);
        }
        let split = Term::and(equations)?;
        // One equation in another form is progress only when it is smaller.
        let better = parts.len() != 1 || split.dag_size() < term.dag_size();
        Ok(better.then_some(split))
    }

    fn comparison(&mut self, term: &Term) -> Option<Term> {
        let holds = facts::fact(&mut self.algebra, term)?;
        if self.facts.prove(&mut self.algebra, &holds) {
            return Some(Term::bool(true));
        }
        let fails = holds.negated().minus(&Poly::constant(1.into()));
        let refuted = self.facts.prove(&mut self.algebra, &fails);
        refuted.then(|| Term::bool(false))
    }

    fn division(&mut self, term: &Term, n: &Term, d: &Term) -> Result<Option<Term>, SortError> {
        let (n, d) = (self.algebra.poly(n), self.algebra.poly(d));
        let Some((q, r)) = radix::divide(&self.facts, &mut self.algebra, &n, &d) else {
            return Ok(None);
        };
        let new = self.algebra.term(if *term.op() == Op::Div { &q } else { &r })?;
        // `x mod d` in the proof that 0 <= x < d is found anew as x; anything else must shrink.
        Ok((new != *term && !postorder([&new]).contains(term)).then_some(new))
    }
}
