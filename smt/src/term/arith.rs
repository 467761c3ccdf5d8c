//! Constructors of integer arithmetic.

use num_traits::{One, Zero};

use super::{Op, Term};
use crate::{
    sort::{Sort, SortError},
    value::Value,
};

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident => $op:expr;)*) => {
        impl Term {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// On another sort than Int.
                pub fn $name(&self, other: &Term) -> Result<Term, SortError> {
                    self.operator($op, other)
                }
            )*
        }
    };
}

operators! {
    /// `self + other`.
    add => Op::Add;
    /// `self - other`.
    sub => Op::Sub;
    /// `self * other`.
    mul => Op::Mul;
    /// SMT-LIB's integer `div`: the `q` of `self = other*q + r`, `0 <= r < |other|`.
    ///
    /// By zero, SMT-LIB lets the solver choose the result. A model then proves nothing, so
    /// evaluation is [undetermined](crate::EvalError::Undetermined): an encoder must guard the
    /// divisor, `ite (= d 0) … (div n d)`.
    int_div => Op::Div;
    /// SMT-LIB's integer `mod`: the `r` of `self = other*q + r`, `0 <= r < |other|`.
    ///
    /// By zero as for [`Term::int_div`].
    int_mod => Op::Mod;
    /// `self <= other`.
    at_most => Op::Le;
    /// `self < other`.
    less_than => Op::Lt;
}

impl Term {
    /// Whether the term is the literal 0.
    pub(crate) fn is_zero(&self) -> bool {
        matches!(self.as_value(), Some(Value::Int(n)) if n.is_zero())
    }

    /// Whether the term is the literal 1.
    pub(crate) fn is_one(&self) -> bool {
        matches!(self.as_value(), Some(Value::Int(n)) if n.is_one())
    }

    fn operator(&self, op: Op, other: &Term) -> Result<Term, SortError> {
        self.expect_int(&op)?;
        other.expect_int(&op)?;
        if let Some(simple) = self.identity(&op, other) {
            return Ok(simple);
        }
        let sort = if matches!(op, Op::Le | Op::Lt) { Sort::Bool } else { Sort::Int };
        Ok(Term::folded(op, vec![self.clone(), other.clone()], sort))
    }

    /// Neutral and absorbing elements, and equal arguments.
    fn identity(&self, op: &Op, other: &Term) -> Option<Term> {
        let same = self == other;
        match op {
            Op::Add if self.is_zero() => Some(other.clone()),
            Op::Add | Op::Sub if other.is_zero() => Some(self.clone()),
            Op::Sub if same => Some(Term::int(0)),
            Op::Mul if self.is_zero() || other.is_one() => Some(self.clone()),
            Op::Mul if other.is_zero() || self.is_one() => Some(other.clone()),
            Op::Div if other.is_one() => Some(self.clone()),
            Op::Mod if other.is_one() => Some(Term::int(0)),
            Op::Le | Op::Lt if same => Some(Term::bool(*op == Op::Le)),
            _ => None,
        }
    }

    fn expect_int(&self, op: &Op) -> Result<(), SortError> {
        match self.sort() {
            Sort::Int => Ok(()),
            found => Err(SortError::Operator { operator: op.name(), found }),
        }
    }
}
