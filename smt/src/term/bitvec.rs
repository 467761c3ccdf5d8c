//! Constructors of bit-vector terms. The ring operations are in `arith`.

use num_bigint::BigUint;

use super::{Op, Term};
use crate::{
    sort::{Sort, SortError},
    value::{Value, mask},
};

macro_rules! binary_operators {
    ($($(#[$doc:meta])* $name:ident => $op:expr;)*) => {
        impl Term {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Unless both are bit-vectors of one width.
                pub fn $name(&self, other: &Term) -> Result<Term, SortError> {
                    self.bit_operator($op, other)
                }
            )*
        }
    };
}

binary_operators! {
    /// `bvudiv`: the unsigned quotient; all ones when `other` is 0.
    udiv => Op::UDiv;
    /// `bvurem`: the unsigned remainder; `self` when `other` is 0.
    urem => Op::URem;
    /// `bvsdiv`: the two's complement quotient, truncated; by zero 1 for a negative dividend and
    /// −1 otherwise.
    sdiv => Op::SDiv;
    /// `bvsrem`: the two's complement remainder, with the sign of the dividend; `self` when
    /// `other` is 0.
    srem => Op::SRem;
    /// `bvshl`: shift left; 0 when `other` is the width or more.
    shl => Op::Shl;
    /// `bvlshr`: shift right, filling with 0.
    lshr => Op::LShr;
    /// `bvashr`: shift right, filling with the sign.
    ashr => Op::AShr;
    /// `bvand`.
    bvand => Op::BvAnd;
    /// `bvor`.
    bvor => Op::BvOr;
    /// `bvxor`.
    bvxor => Op::BvXor;
    /// `bvult`: unsigned `<`.
    ult => Op::ULt;
    /// `bvule`: unsigned `<=`.
    ule => Op::ULe;
    /// `bvslt`: two's complement `<`.
    slt => Op::SLt;
    /// `bvsle`: two's complement `<=`.
    sle => Op::SLe;
}

impl Term {
    /// `bvnot`: every bit inverted.
    ///
    /// # Errors
    /// Unless `self` is a bit-vector.
    pub fn bvnot(&self) -> Result<Term, SortError> {
        self.width_for("bvnot")?;
        Ok(match (self.op(), self.args()) {
            (Op::BvNot, [inner]) => inner.clone(),
            _ => Term::folded(Op::BvNot, vec![self.clone()], self.sort()),
        })
    }

    /// `concat`: `self` holds the high bits.
    ///
    /// # Errors
    /// Unless both are bit-vectors of [`MAX_WIDTH`](crate::MAX_WIDTH) bits together at most.
    pub fn concat(&self, low: &Term) -> Result<Term, SortError> {
        let width = self.width_for("concat")? + low.width_for("concat")?;
        Ok(self.binary(Op::Concat, low, Sort::bitvec(width)?))
    }

    /// `(_ extract high low)`: the bits `low..=high`.
    ///
    /// # Errors
    /// Unless `self` is a bit-vector and `low <= high < width`.
    pub fn extract(&self, high: u32, low: u32) -> Result<Term, SortError> {
        let width = self.width_for("extract")?;
        if low > high || high >= width {
            return Err(SortError::Extract { high, low, width });
        }
        if low == 0 && high + 1 == width {
            return Ok(self.clone());
        }
        Ok(Term::folded(
            Op::Extract { high, low },
            vec![self.clone()],
            Sort::bitvec(high - low + 1)?,
        ))
    }

    /// `(_ zero_extend by)`: `by` zero bits in front.
    ///
    /// # Errors
    /// Unless `self` is a bit-vector and the result has a width that exists.
    pub fn zero_extend(&self, by: u32) -> Result<Term, SortError> {
        self.extend(Op::ZeroExtend(by), by)
    }

    /// `(_ sign_extend by)`: `by` copies of the sign bit in front.
    ///
    /// # Errors
    /// Unless `self` is a bit-vector and the result has a width that exists.
    pub fn sign_extend(&self, by: u32) -> Result<Term, SortError> {
        self.extend(Op::SignExtend(by), by)
    }

    fn extend(&self, op: Op, by: u32) -> Result<Term, SortError> {
        let width = self.width_for(op.name(self.sort()))?;
        let sort = Sort::bitvec(width.saturating_add(by))?;
        if by == 0 {
            return Ok(self.clone());
        }
        Ok(Term::folded(op, vec![self.clone()], sort))
    }

    fn bit_operator(&self, op: Op, other: &Term) -> Result<Term, SortError> {
        let name = op.name(self.sort());
        self.width_for(name)?;
        other.width_for(name)?;
        self.same_sort(op.clone(), other)?;
        if let Some(simple) = self.bit_identity(&op, other) {
            return Ok(simple);
        }
        let sort = match op {
            Op::ULt | Op::ULe | Op::SLt | Op::SLe => Sort::Bool,
            _ => self.sort(),
        };
        Ok(self.binary(op, other, sort))
    }

    /// Neutral and absorbing elements, and equal arguments.
    fn bit_identity(&self, op: &Op, other: &Term) -> Option<Term> {
        let zero = || Term::zero(self.sort());
        let same = self == other;
        match op {
            Op::ULe | Op::SLe if same => Some(Term::bool(true)),
            Op::ULt | Op::SLt if same => Some(Term::bool(false)),
            Op::ULt if other.is_zero() => Some(Term::bool(false)),
            Op::ULe if self.is_zero() => Some(Term::bool(true)),
            Op::BvAnd | Op::BvOr if same => Some(self.clone()),
            Op::BvXor if same => Some(zero()),
            Op::BvAnd if self.is_zero() || other.is_ones() => Some(self.clone()),
            Op::BvAnd if other.is_zero() || self.is_ones() => Some(other.clone()),
            Op::BvOr if self.is_ones() || other.is_zero() => Some(self.clone()),
            Op::BvOr if other.is_ones() || self.is_zero() => Some(other.clone()),
            Op::BvXor if other.is_zero() => Some(self.clone()),
            Op::BvXor if self.is_zero() => Some(other.clone()),
            Op::Shl | Op::LShr | Op::AShr if other.is_zero() || self.is_zero() => {
                Some(self.clone())
            }
            Op::UDiv | Op::SDiv if other.is_one() => Some(self.clone()),
            Op::URem if other.is_one() => Some(zero()),
            _ => None,
        }
    }

    fn is_ones(&self) -> bool {
        matches!(self.as_value(), Some(Value::BitVec { width, bits }) if *bits == mask(*width))
    }

    /// The pattern, when the term is a bit-vector literal.
    pub(crate) fn as_bits(&self) -> Option<&BigUint> {
        match self.as_value() {
            Some(Value::BitVec { bits, .. }) => Some(bits),
            _ => None,
        }
    }

    fn width_for(&self, operator: &'static str) -> Result<u32, SortError> {
        self.sort().width().ok_or(SortError::Operator { operator, found: self.sort() })
    }
}
