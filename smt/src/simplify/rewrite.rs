//! Rewriting of equations, in a context of facts.

use std::collections::HashMap;

use super::{facts::Facts, poly::Algebra, radix};
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

    /// An equation, split as far as the facts allow.
    fn step(&mut self, term: &Term) -> Result<Option<Term>, SortError> {
        let (Op::Eq, [a, b]) = (term.op(), term.args()) else {
            return Ok(None);
        };
        if a.sort() == Sort::Bool {
            return Ok(None);
        }
        let difference = self.algebra.poly(a).minus(&self.algebra.poly(b));
        let Some(parts) = radix::solve(&self.facts, &mut self.algebra, difference) else {
            return Ok(Some(Term::bool(false)));
        };
        let equations = parts.iter().map(|part| self.algebra.equation(part));
        let split = Term::and(equations.collect::<Result<Vec<_>, _>>()?)?;
        // One equation in another form is progress only when it is smaller.
        let better = parts.len() != 1 || split.dag_size() < term.dag_size();
        Ok(better.then_some(split))
    }
}
