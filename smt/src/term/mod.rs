//! Terms: shared, immutable, sort-correct by construction.
//!
//! A [`Term`] is a pointer into a directed acyclic graph. Structurally equal terms are one node
//! (hash-consing), so cloning, comparing and hashing take constant time. The operators are those
//! of the SMT-LIB theories Core and Ints, and mean what they mean there: `div` and `mod` are
//! Euclidean.
//!
//! Constructors check sorts and fold the obvious (values, neutral elements, `x = x`). They are
//! methods: `a.add(&b)?.less_than(&n)?`.

mod arith;
mod display;
mod fold;
mod intern;
mod logic;
mod walk;

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use num_bigint::BigInt;

use crate::{
    sort::{Sort, SortError},
    value::Value,
};
pub(crate) use fold::apply;
use intern::Node;
pub(crate) use walk::postorder;

/// A term over named constants.
#[derive(Clone)]
pub struct Term(Arc<Node>);

/// The head of a term. The arguments are [`Term::args`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// A free constant.
    Constant(Arc<str>),
    /// A value.
    Value(Value),
    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// Exclusive or of two.
    Xor,
    /// Equality of two terms of any one sort.
    Eq,
    /// `ite`: condition, then, else.
    Ite,
    /// Sum of two integers.
    Add,
    /// Difference of two integers.
    Sub,
    /// Product of two integers.
    Mul,
    /// Integer `div`, Euclidean. By zero: any value, a function of the dividend.
    Div,
    /// Integer `mod`, Euclidean. By zero: any value, a function of the dividend.
    Mod,
    /// Integer `<=`.
    Le,
    /// Integer `<`.
    Lt,
}

impl Op {
    /// The SMT-LIB name; empty for constants and values.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Op::Constant(_) | Op::Value(_) => "",
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Eq => "=",
            Op::Ite => "ite",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Le => "<=",
            Op::Lt => "<",
        }
    }
}

impl Term {
    /// The free constant `name` of the given sort.
    #[must_use]
    pub fn constant(name: impl Into<Arc<str>>, sort: Sort) -> Term {
        Term::node(Op::Constant(name.into()), Vec::new(), sort)
    }

    /// The term that denotes `value`.
    #[must_use]
    pub fn value(value: Value) -> Term {
        let sort = value.sort();
        Term::node(Op::Value(value), Vec::new(), sort)
    }

    /// `true` or `false`.
    #[must_use]
    pub fn bool(b: bool) -> Term {
        Term::value(Value::Bool(b))
    }

    /// An integer literal.
    #[must_use]
    pub fn int(n: impl Into<BigInt>) -> Term {
        Term::value(Value::Int(n.into()))
    }

    /// The head of the term.
    #[must_use]
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// The arguments of the head.
    #[must_use]
    pub fn args(&self) -> &[Term] {
        &self.0.args
    }

    /// What the term ranges over.
    #[must_use]
    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    /// The value, when the term is a literal.
    #[must_use]
    pub fn as_value(&self) -> Option<&Value> {
        match self.op() {
            Op::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, when the term is `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        self.as_value().and_then(Value::as_bool)
    }

    /// The name, when the term is a free constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<&Arc<str>> {
        match self.op() {
            Op::Constant(name) => Some(name),
            _ => None,
        }
    }

    /// The distinct free constants of the term, in order of first use from the left, bottom up.
    #[must_use]
    pub fn constants(&self) -> Vec<Term> {
        postorder([self]).into_iter().filter(|t| t.as_constant().is_some()).collect()
    }

    /// How many distinct subterms the term has, itself included.
    #[must_use]
    pub fn dag_size(&self) -> usize {
        postorder([self]).len()
    }

    /// The term with constants replaced as `replace` says; sharing is kept.
    ///
    /// # Errors
    /// [`SortError::Mismatch`] when a replacement has another sort than its constant.
    pub fn substitute(&self, replace: impl Fn(&Term) -> Option<Term>) -> Result<Term, SortError> {
        walk::rebuild(self, |old, args| {
            if old.as_constant().is_none() {
                return old.with_args(args);
            }
            let new = replace(old).unwrap_or_else(|| old.clone());
            if new.sort() == old.sort() {
                Ok(new)
            } else {
                Err(SortError::Mismatch {
                    operator: "substitution",
                    left: old.sort(),
                    right: new.sort(),
                })
            }
        })
    }

    /// The same head on other arguments, simplified as the constructors do.
    pub(crate) fn with_args(&self, args: Vec<Term>) -> Result<Term, SortError> {
        if args.as_slice() == self.args() {
            return Ok(self.clone());
        }
        Term::build(self.op(), args, self)
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        // Hash-consing: equal structure is one node.
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
