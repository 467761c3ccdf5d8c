//! Rewriting of equations, in a context of facts.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_traits::One;

use super::{
    facts::{Facts, fact, positive},
    poly::{Algebra, Poly},
    radix,
};
use crate::{
    sort::{Sort, SortError},
    term::{Op, Term, postorder},
    value::Value,
};

/// What may be used, and what has been rewritten with it.
pub(super) struct Context {
    pub(super) algebra: Algebra,
    pub(super) facts: Facts,
    /// `n mod d` as it occurs.
    remainders: Vec<Term>,
    done: HashMap<Term, Term>,
}

impl Context {
    /// `others`: each may be used, by proofs that try so many combinations of them.
    pub(super) fn new(mut algebra: Algebra, others: &[Term], budget: usize) -> Context {
        let mut facts = Facts::none(budget);
        for assertion in others {
            if let Some(fact) = fact(&mut algebra, assertion) {
                facts.push(fact);
            }
        }
        let mut context = Context { algebra, facts, remainders: Vec::new(), done: HashMap::new() };
        context.know_definitions(others);
        context
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

    /// Adds what the definitions of terms say: of a quotient `q = n div d` with `d >= 1` that
    /// `d*q <= n < d*q + d`, and of the smaller or larger of two numbers that it is.
    pub(super) fn know_definitions(&mut self, assertions: &[Term]) {
        for term in postorder(assertions) {
            match (term.op(), term.args()) {
                (Op::Div, [n, d]) => self.know_quotient(&term, n, d),
                (Op::Mod, _) => self.remainders.push(term.clone()),
                (Op::Ite, [condition, then, otherwise]) => {
                    let least = match (condition.op(), condition.args()) {
                        (Op::Lt, [a, b]) if (a, b) == (then, otherwise) => true,
                        (Op::Lt, [a, b]) if (a, b) == (otherwise, then) => false,
                        _ => continue,
                    };
                    let chosen = self.algebra.poly(&term);
                    for one in [then, otherwise] {
                        let more = self.algebra.poly(one).minus(&chosen);
                        let sign = BigInt::from(if least { 1 } else { -1 });
                        self.facts.push(Poly::default().plus_scaled(&more, &sign, &[]));
                    }
                }
                _ => {}
            }
        }
    }

    fn know_quotient(&mut self, quotient: &Term, n: &Term, d: &Term) {
        let (n, d) = (self.algebra.poly(n), self.algebra.poly(d));
        if positive(&self.facts, &mut self.algebra, &d) {
            let rest = n.minus(&d.times(&self.algebra.poly(quotient)));
            let room = d.minus(&rest).minus(&Poly::constant(BigInt::one()));
            self.facts.push(rest);
            self.facts.push(room);
        }
    }

    /// `n mod d` where `n` is a remainder itself; or where it is with `x mod d`, of which something is known, for its
    /// `x`: both are congruent.
    fn remainder(&mut self, n: &Term, d: &Term) -> Result<Option<Term>, SortError> {
        let Some(divisor) = d.as_value().and_then(Value::as_int) else { return Ok(None) };
        let most = Poly::constant(divisor - 1);
        let number = self.algebra.poly(n);
        if self.is_within(&number, &most) {
            return Ok(Some(n.clone()));
        }
        for at in 0..self.remainders.len() {
            let known = self.remainders[at].clone();
            if let [x, e] = known.args()
                && (x, e) != (n, d)
                && e == d
                && self.algebra.poly(x).shares_product(&number)
            {
                let other = n.sub(x)?.add(&known)?;
                let number = self.algebra.poly(&other);
                if self.is_within(&number, &most) {
                    return Ok(Some(other));
                }
            }
        }
        Ok(None)
    }

    /// Does it follow that `0 <= number <= most`?
    fn is_within(&mut self, number: &Poly, most: &Poly) -> bool {
        self.facts.prove(&mut self.algebra, number)
            && self.facts.prove(&mut self.algebra, &most.minus(number))
    }

    /// A comparison that the facts decide.
    fn decided(&mut self, comparison: &Term) -> Option<Term> {
        for truth in [true, false] {
            let literal = if truth { comparison.clone() } else { comparison.negation() };
            let fact = fact(&mut self.algebra, &literal)?;
            if self.facts.prove(&mut self.algebra, &fact) {
                return Some(Term::bool(truth));
            }
        }
        None
    }

    /// A comparison, or the negation of one, with its sides rewritten.
    pub(super) fn rewrite_parts(&mut self, literal: &Term) -> Result<Term, SortError> {
        if let (Op::Not, [inner]) = (literal.op(), literal.args()) {
            return Ok(self.rewrite_parts(inner)?.negation());
        }
        let sides = literal.args().iter().map(|side| self.rewrite(side));
        literal.with_args(sides.collect::<Result<_, _>>()?)
    }

    /// A remainder that is the number, a comparison that is decided, or an equation that is split, as far as the
    /// facts allow.
    fn step(&mut self, term: &Term) -> Result<Option<Term>, SortError> {
        let (a, b) = match (term.op(), term.args()) {
            (Op::Eq, [a, b]) => (a, b),
            (Op::Mod, [n, d]) => return self.remainder(n, d),
            (Op::Lt | Op::Le, _) => return Ok(self.decided(term)),
            _ => return Ok(None),
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
