//! Values: what a closed term means.

use std::fmt;

use babycuda_core::interval::euclid;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};

use crate::sort::Sort;

/// An element of a sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A bit pattern, read as the natural `bits < 2^width`.
    BitVec {
        /// Number of bits, `1..=`[`MAX_WIDTH`](crate::MAX_WIDTH).
        width: u32,
        /// The pattern, below `2^width`.
        bits: BigUint,
    },
}

impl Value {
    /// The bit-vector value `bits mod 2^width`.
    #[must_use]
    pub fn bitvec(width: u32, bits: impl Into<BigUint>) -> Value {
        let bits = bits.into() & mask(width);
        Value::BitVec { width, bits }
    }

    /// The bit-vector value of `width` bits congruent to `value` modulo `2^width` (two's complement
    /// for negative ones).
    #[must_use]
    pub(crate) fn bitvec_wrapping(width: u32, value: &BigInt) -> Value {
        Value::BitVec { width, bits: wrap(width, value) }
    }

    /// The sort the value belongs to.
    #[must_use]
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::BitVec { width, .. } => Sort::BitVec(*width),
        }
    }

    /// Some value of the sort: `false`, 0.
    #[must_use]
    pub(crate) fn default_of(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(BigInt::zero()),
            Sort::BitVec(width) => Value::BitVec { width, bits: BigUint::zero() },
        }
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The integer, or the natural that a bit pattern denotes unsigned.
    #[must_use]
    pub fn to_int(&self) -> Option<BigInt> {
        match self {
            Value::Bool(_) => None,
            Value::Int(n) => Some(n.clone()),
            Value::BitVec { bits, .. } => Some(BigInt::from(bits.clone())),
        }
    }
}

/// SMT-LIB text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) if n.sign() == Sign::Minus => write!(f, "(- {})", n.magnitude()),
            Value::Int(n) => write!(f, "{n}"),
            Value::BitVec { width, bits } => write!(f, "(_ bv{bits} {width})"),
        }
    }
}

/// `2^width - 1`.
pub(crate) fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

/// `value mod 2^width`.
pub(crate) fn wrap(width: u32, value: &BigInt) -> BigUint {
    let modulus = BigInt::one() << width;
    let (_, rest) = euclid(value, &modulus);
    rest.magnitude().clone()
}

/// The two's complement reading of a pattern.
pub(crate) fn signed(width: u32, bits: &BigUint) -> BigInt {
    let value = BigInt::from(bits.clone());
    if bits.bit(u64::from(width) - 1) { value - (BigInt::one() << width) } else { value }
}
