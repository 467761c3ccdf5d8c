//! Constructors of integer arithmetic, and of the ring operations that bit-vectors share.

use num_traits::{One, Zero};

use super::{Op, Term};
use crate::{
    sort::{Sort, SortError},
    value::Value,
};

impl Term {
    /// `self + other`, on integers or bit-vectors of one width (modulo `2^w`).
    ///
    /// # Errors
    /// On Bool, or when the sorts differ.
    pub fn add(&self, other: &Term) -> Result<Term, SortError> {
        self.numeric(Op::Add, other)?;
        if other.is_zero() {
            return Ok(self.clone());
        }
        if self.is_zero() {
            return Ok(other.clone());
        }
        Ok(self.binary(Op::Add, other, self.sort()))
    }

    /// `self - other`, on integers or bit-vectors of one width (modulo `2^w`).
    ///
    /// # Errors
    /// On Bool, or when the sorts differ.
    pub fn sub(&self, other: &Term) -> Result<Term, SortError> {
        self.numeric(Op::Sub, other)?;
        if other.is_zero() {
            return Ok(self.clone());
        }
        if self == other {
            return Ok(Term::zero(self.sort()));
        }
        Ok(self.binary(Op::Sub, other, self.sort()))
    }

    /// `self * other`, on integers or bit-vectors of one width (modulo `2^w`).
    ///
    /// # Errors
    /// On Bool, or when the sorts differ.
    pub fn mul(&self, other: &Term) -> Result<Term, SortError> {
        self.numeric(Op::Mul, other)?;
        if self.is_zero() || other.is_one() {
            return Ok(self.clone());
        }
        if other.is_zero() || self.is_one() {
            return Ok(other.clone());
        }
        Ok(self.binary(Op::Mul, other, self.sort()))
    }

    /// `-self`, on integers or bit-vectors (modulo `2^w`).
    ///
    /// # Errors
    /// On Bool.
    pub fn neg(&self) -> Result<Term, SortError> {
        self.expect_numeric(Op::Neg)?;
        Ok(match (self.op(), self.args()) {
            (Op::Neg, [inner]) => inner.clone(),
            _ => Term::folded(Op::Neg, vec![self.clone()], self.sort()),
        })
    }

    /// SMT-LIB's integer `div`: the `q` of `self = other*q + r`, `0 <= r < |other|`.
    ///
    /// By zero, SMT-LIB lets the solver choose the result. A model then proves nothing, so
    /// evaluation is [undetermined](crate::EvalError::Undetermined): an encoder must guard the
    /// divisor, `ite (= d 0) … (div n d)`.
    ///
    /// # Errors
    /// On another sort than Int.
    pub fn int_div(&self, other: &Term) -> Result<Term, SortError> {
        self.integers(Op::Div, other)?;
        if other.is_one() {
            return Ok(self.clone());
        }
        Ok(self.binary(Op::Div, other, Sort::Int))
    }

    /// SMT-LIB's integer `mod`: the `r` of `self = other*q + r`, `0 <= r < |other|`.
    ///
    /// By zero as for [`Term::int_div`].
    ///
    /// # Errors
    /// On another sort than Int.
    pub fn int_mod(&self, other: &Term) -> Result<Term, SortError> {
        self.integers(Op::Mod, other)?;
        if other.is_one() {
            return Ok(Term::int(0));
        }
        Ok(self.binary(Op::Mod, other, Sort::Int))
    }

    /// `self <= other` on integers.
    ///
    /// # Errors
    /// On another sort than Int.
    pub fn at_most(&self, other: &Term) -> Result<Term, SortError> {
        self.integers(Op::Le, other)?;
        if self == other {
            return Ok(Term::bool(true));
        }
        Ok(self.binary(Op::Le, other, Sort::Bool))
    }

    /// `self < other` on integers.
    ///
    /// # Errors
    /// On another sort than Int.
    pub fn less_than(&self, other: &Term) -> Result<Term, SortError> {
        self.integers(Op::Lt, other)?;
        if self == other {
            return Ok(Term::bool(false));
        }
        Ok(self.binary(Op::Lt, other, Sort::Bool))
    }

    /// `self >= other` on integers, as `other <= self`.
    ///
    /// # Errors
    /// On another sort than Int.
    pub fn at_least(&self, other: &Term) -> Result<Term, SortError> {
        other.at_most(self)
    }

    /// `self > other` on integers, as `other < self`.
    ///
    /// # Errors
    /// On another sort than Int.
    pub fn greater_than(&self, other: &Term) -> Result<Term, SortError> {
        other.less_than(self)
    }

    /// The zero of a numeric sort (of Bool: `false`).
    pub(crate) fn zero(sort: Sort) -> Term {
        Term::raw_value(Value::default_of(sort))
    }

    /// Whether the term is the literal 0.
    pub(crate) fn is_zero(&self) -> bool {
        match self.as_value() {
            Some(Value::Int(n)) => n.is_zero(),
            Some(Value::BitVec { bits, .. }) => bits.is_zero(),
            _ => false,
        }
    }

    /// Whether the term is the literal 1.
    pub(crate) fn is_one(&self) -> bool {
        match self.as_value() {
            Some(Value::Int(n)) => n.is_one(),
            Some(Value::BitVec { bits, .. }) => bits.is_one(),
            _ => false,
        }
    }

    pub(super) fn binary(&self, op: Op, other: &Term, sort: Sort) -> Term {
        Term::folded(op, vec![self.clone(), other.clone()], sort)
    }

    fn expect_numeric(&self, op: Op) -> Result<(), SortError> {
        match self.sort() {
            Sort::Bool => {
                Err(SortError::Operator { operator: op.name(Sort::Int), found: Sort::Bool })
            }
            Sort::Int | Sort::BitVec(_) => Ok(()),
        }
    }

    fn numeric(&self, op: Op, other: &Term) -> Result<(), SortError> {
        self.expect_numeric(op.clone())?;
        self.same_sort(op, other)
    }

    pub(super) fn same_sort(&self, op: Op, other: &Term) -> Result<(), SortError> {
        if self.sort() == other.sort() {
            Ok(())
        } else {
            Err(SortError::Mismatch {
                operator: op.name(self.sort()),
                left: self.sort(),
                right: other.sort(),
            })
        }
    }

    fn integers(&self, op: Op, other: &Term) -> Result<(), SortError> {
        for term in [self, other] {
            if term.sort() != Sort::Int {
                return Err(SortError::Operator {
                    operator: op.name(Sort::Int),
                    found: term.sort(),
                });
            }
        }
        Ok(())
    }
}
