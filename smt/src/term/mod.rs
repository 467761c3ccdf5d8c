//! Terms: shared, immutable, sort-correct by construction.
//!
//! A [`Term`] is a pointer into a directed acyclic graph. Structurally equal terms are one node
//! (hash-consing), so cloning, comparing and hashing take constant time. The operators are those
//! of the SMT-LIB theories Core, Ints and FixedSizeBitVectors, under SMT-LIB's meaning: Euclidean
//! `div` and `mod`, `bvudiv` by zero all ones, `bvurem` by zero the dividend, shifts by the width
//! or more giving 0 (or the sign).
//!
//! Constructors check sorts and fold the obvious (values, neutral elements, `x = x`). They are
//! methods: `a.add(&b)?.less_than(&n)?`.

mod arith;
mod bitvec;
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
    /// Sum of two; on bit-vectors modulo `2^w`.
    Add,
    /// Difference of two; on bit-vectors modulo `2^w`.
    Sub,
    /// Product of two; on bit-vectors modulo `2^w`.
    Mul,
    /// Additive inverse; on bit-vectors modulo `2^w`.
    Neg,
    /// Integer `div`, Euclidean. By zero: any value, a function of the dividend.
    Div,
    /// Integer `mod`, Euclidean. By zero: any value, a function of the dividend.
    Mod,
    /// Integer `<=`.
    Le,
    /// Integer `<`.
    Lt,
    /// `bvudiv`.
    UDiv,
    /// `bvurem`.
    URem,
    /// `bvsdiv`.
    SDiv,
    /// `bvsrem`.
    SRem,
    /// `bvshl`.
    Shl,
    /// `bvlshr`.
    LShr,
    /// `bvashr`.
    AShr,
    /// `bvand`.
    BvAnd,
    /// `bvor`.
    BvOr,
    /// `bvxor`.
    BvXor,
    /// `bvnot`.
    BvNot,
    /// `bvult`.
    ULt,
    /// `bvule`.
    ULe,
    /// `bvslt`.
    SLt,
    /// `bvsle`.
    SLe,
    /// `concat`: the first argument holds the high bits.
    Concat,
    /// `(_ extract high low)`.
    Extract {
        /// Highest bit kept.
        high: u32,
        /// Lowest bit kept.
        low: u32,
    },
    /// `(_ zero_extend by)`.
    ZeroExtend(u32),
    /// `(_ sign_extend by)`.
    SignExtend(u32),
}

impl Op {
    /// The SMT-LIB name at arguments of sort `of`; empty for constants and values.
    #[must_use]
    pub fn name(&self, of: Sort) -> &'static str {
        let int = of == Sort::Int;
        match self {
            Op::Constant(_) | Op::Value(_) => "",
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Eq => "=",
            Op::Ite => "ite",
            Op::Add if int => "+",
            Op::Add => "bvadd",
            Op::Sub if int => "-",
            Op::Sub => "bvsub",
            Op::Mul if int => "*",
            Op::Mul => "bvmul",
            Op::Neg if int => "-",
            Op::Neg => "bvneg",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Le => "<=",
            Op::Lt => "<",
            Op::UDiv => "bvudiv",
            Op::URem => "bvurem",
            Op::SDiv => "bvsdiv",
            Op::SRem => "bvsrem",
            Op::Shl => "bvshl",
            Op::LShr => "bvlshr",
            Op::AShr => "bvashr",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvNot => "bvnot",
            Op::ULt => "bvult",
            Op::ULe => "bvule",
            Op::SLt => "bvslt",
            Op::SLe => "bvsle",
            Op::Concat => "concat",
            Op::Extract { .. } => "extract",
            Op::ZeroExtend(_) => "zero_extend",
            Op::SignExtend(_) => "sign_extend",
        }
    }
}

impl Term {
    /// The free constant `name` of the given sort.
    ///
    /// # Errors
    /// [`SortError::Width`] for a bit-vector sort that does not exist.
    pub fn constant(name: impl AsRef<str>, sort: Sort) -> Result<Term, SortError> {
        if let Sort::BitVec(width) = sort {
            Sort::bitvec(width)?;
        }
        Ok(Term::node(Op::Constant(Arc::from(name.as_ref())), Vec::new(), sort))
    }

    /// The term that denotes `value`. A bit-vector value is taken modulo `2^width`.
    ///
    /// # Errors
    /// [`SortError::Width`] for a bit-vector width that does not exist.
    pub fn value(value: Value) -> Result<Term, SortError> {
        let value = match value {
            Value::BitVec { width, bits } => {
                Sort::bitvec(width)?;
                Value::bitvec(width, bits)
            }
            other => other,
        };
        Ok(Term::raw_value(value))
    }

    /// `true` or `false`.
    #[must_use]
    pub fn bool(b: bool) -> Term {
        Term::raw_value(Value::Bool(b))
    }

    /// An integer literal.
    #[must_use]
    pub fn int(n: impl Into<BigInt>) -> Term {
        Term::raw_value(Value::Int(n.into()))
    }

    /// The bit-vector literal of `width` bits congruent to `n` modulo `2^width`.
    ///
    /// # Errors
    /// [`SortError::Width`] unless `1 <= width <= MAX_WIDTH`.
    pub fn bitvec(width: u32, n: impl Into<BigInt>) -> Result<Term, SortError> {
        Sort::bitvec(width)?;
        Ok(Term::raw_value(Value::bitvec_wrapping(width, &n.into())))
    }

    /// A constant whose sort is known to exist.
    pub(crate) fn declared(name: &Arc<str>, sort: Sort) -> Term {
        Term::node(Op::Constant(name.clone()), Vec::new(), sort)
    }

    /// A literal whose width, if it has one, is known to be right.
    pub(crate) fn raw_value(value: Value) -> Term {
        let sort = value.sort();
        Term::node(Op::Value(value), Vec::new(), sort)
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
