//! Constructors of the Core theory, and the dispatch that rebuilds a term.

use std::collections::HashSet;

use super::{Op, Term, apply};
use crate::{
    sort::{Sort, SortError},
    value::Value,
};

impl Term {
    /// `not self`.
    ///
    /// # Errors
    /// When `self` is not Bool.
    pub fn not(&self) -> Result<Term, SortError> {
        self.expect_bool("not")?;
        Ok(self.negation())
    }

    /// The negation of a term known to be Bool.
    pub(crate) fn negation(&self) -> Term {
        match (self.op(), self.args()) {
            (Op::Value(Value::Bool(b)), _) => Term::bool(!b),
            (Op::Not, [inner]) => inner.clone(),
            _ => Term::node(Op::Not, vec![self.clone()], Sort::Bool),
        }
    }

    /// The conjunction of any number of terms; `true` for none. Nested conjunctions are flattened,
    /// repetitions dropped.
    ///
    /// # Errors
    /// When one of them is not Bool.
    pub fn and<T: std::borrow::Borrow<Term>>(
        terms: impl IntoIterator<Item = T>,
    ) -> Result<Term, SortError> {
        Term::connective(Op::And, terms, true)
    }

    /// The disjunction of any number of terms; `false` for none. Nested disjunctions are
    /// flattened, repetitions dropped.
    ///
    /// # Errors
    /// When one of them is not Bool.
    pub fn or<T: std::borrow::Borrow<Term>>(
        terms: impl IntoIterator<Item = T>,
    ) -> Result<Term, SortError> {
        Term::connective(Op::Or, terms, false)
    }

    fn connective<T: std::borrow::Borrow<Term>>(
        op: Op,
        terms: impl IntoIterator<Item = T>,
        neutral: bool,
    ) -> Result<Term, SortError> {
        let name = op.name();
        let mut flat: Vec<Term> = Vec::new();
        let mut seen: HashSet<Term> = HashSet::new();
        for term in terms {
            let term = term.borrow();
            term.expect_bool(name)?;
            let parts = if *term.op() == op { term.args() } else { std::slice::from_ref(term) };
            for part in parts {
                match part.as_bool() {
                    Some(b) if b == neutral => {}
                    Some(_) => return Ok(Term::bool(!neutral)),
                    None if seen.contains(&part.negation()) => return Ok(Term::bool(!neutral)),
                    None => {
                        if seen.insert(part.clone()) {
                            flat.push(part.clone());
                        }
                    }
                }
            }
        }
        Ok(match flat.len() {
            0 => Term::bool(neutral),
            1 => flat.swap_remove(0),
            _ => Term::node(op, flat, Sort::Bool),
        })
    }

    /// `self => other`, as `(or (not self) other)`.
    ///
    /// # Errors
    /// When one of them is not Bool.
    pub fn implies(&self, other: &Term) -> Result<Term, SortError> {
        Term::or([&self.not()?, other])
    }

    /// Exclusive or.
    ///
    /// # Errors
    /// When one of them is not Bool.
    pub fn xor(&self, other: &Term) -> Result<Term, SortError> {
        self.expect_bool("xor")?;
        other.expect_bool("xor")?;
        Ok(match (self.as_bool(), other.as_bool()) {
            (Some(a), _) => {
                if a {
                    other.negation()
                } else {
                    other.clone()
                }
            }
            (_, Some(b)) => {
                if b {
                    self.negation()
                } else {
                    self.clone()
                }
            }
            _ if self == other => Term::bool(false),
            _ if *self == other.negation() => Term::bool(true),
            _ => Term::node(Op::Xor, vec![self.clone(), other.clone()], Sort::Bool),
        })
    }

    /// Equality, at any sort (on Bool: if and only if).
    ///
    /// # Errors
    /// When the sorts differ.
    pub fn equals(&self, other: &Term) -> Result<Term, SortError> {
        if self.sort() != other.sort() {
            return Err(SortError::Mismatch {
                operator: "=",
                left: self.sort(),
                right: other.sort(),
            });
        }
        if self == other {
            return Ok(Term::bool(true));
        }
        match (self.as_value(), other.as_value()) {
            (Some(_), Some(_)) => return Ok(Term::bool(false)),
            // Values go right, so that `1 = x` and `x = 1` are one term.
            (Some(_), None) => return other.equals(self),
            (None, Some(Value::Bool(true))) => return Ok(self.clone()),
            (None, Some(Value::Bool(false))) => return Ok(self.negation()),
            _ => {}
        }
        if self.sort() == Sort::Bool && *self == other.negation() {
            return Ok(Term::bool(false));
        }
        Ok(Term::node(Op::Eq, vec![self.clone(), other.clone()], Sort::Bool))
    }

    /// `not (self = other)`.
    ///
    /// # Errors
    /// When the sorts differ.
    pub fn differs(&self, other: &Term) -> Result<Term, SortError> {
        Ok(self.equals(other)?.negation())
    }

    /// `ite self then otherwise`.
    ///
    /// # Errors
    /// When `self` is not Bool, or the branches' sorts differ.
    pub fn ite(&self, then: &Term, otherwise: &Term) -> Result<Term, SortError> {
        self.expect_bool("ite")?;
        if then.sort() != otherwise.sort() {
            return Err(SortError::Mismatch {
                operator: "ite",
                left: then.sort(),
                right: otherwise.sort(),
            });
        }
        if then == otherwise {
            return Ok(then.clone());
        }
        if let (Op::Not, [inner]) = (self.op(), self.args()) {
            return inner.ite(otherwise, then);
        }
        Ok(match (self.as_bool(), then.as_bool(), otherwise.as_bool()) {
            (Some(true), _, _) => then.clone(),
            (Some(false), _, _) => otherwise.clone(),
            (_, Some(true), Some(false)) => self.clone(),
            (_, Some(false), Some(true)) => self.negation(),
            _ => Term::node(
                Op::Ite,
                vec![self.clone(), then.clone(), otherwise.clone()],
                then.sort(),
            ),
        })
    }

    pub(super) fn expect_bool(&self, operator: &'static str) -> Result<(), SortError> {
        match self.sort() {
            Sort::Bool => Ok(()),
            found => Err(SortError::Operator { operator, found }),
        }
    }

    /// The node itself, or its value when all arguments are values.
    pub(super) fn folded(op: Op, args: Vec<Term>, sort: Sort) -> Term {
        let values: Option<Vec<Value>> = args.iter().map(|a| a.as_value().cloned()).collect();
        match values.and_then(|values| apply(&op, &values)) {
            Some(value) => Term::value(value),
            None => Term::node(op, args, sort),
        }
    }

    /// `op` on `args` through the checking constructors; `like` is a term with that head.
    pub(super) fn build(op: &Op, args: Vec<Term>, like: &Term) -> Result<Term, SortError> {
        match (op, args.as_slice()) {
            (Op::Not, [a]) => a.not(),
            (Op::And, parts) => Term::and(parts),
            (Op::Or, parts) => Term::or(parts),
            (Op::Xor, [a, b]) => a.xor(b),
            (Op::Eq, [a, b]) => a.equals(b),
            (Op::Ite, [c, a, b]) => c.ite(a, b),
            (Op::Add, [a, b]) => a.add(b),
            (Op::Sub, [a, b]) => a.sub(b),
            (Op::Mul, [a, b]) => a.mul(b),
            (Op::Div, [a, b]) => a.int_div(b),
            (Op::Mod, [a, b]) => a.int_mod(b),
            (Op::Le, [a, b]) => a.at_most(b),
            (Op::Lt, [a, b]) => a.less_than(b),
            // Constants and values have no arguments, and no other arity is ever built.
            _ => Ok(like.clone()),
        }
    }
}
