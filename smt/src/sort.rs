//! The sorts of terms.

use std::fmt;

/// The widest bit-vector the crate accepts.
///
/// Race queries need twice the width of an address at most; the bound keeps every circuit small
/// enough to build.
pub const MAX_WIDTH: u32 = 256;

/// What a term ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// The integers, unbounded.
    Int,
    /// Bit patterns of the given width, `1..=`[`MAX_WIDTH`].
    BitVec(u32),
}

impl Sort {
    /// The bit-vector sort of `width` bits.
    ///
    /// # Errors
    /// [`SortError::Width`] unless `1 <= width <= MAX_WIDTH`.
    pub fn bitvec(width: u32) -> Result<Sort, SortError> {
        if (1..=MAX_WIDTH).contains(&width) {
            Ok(Sort::BitVec(width))
        } else {
            Err(SortError::Width(width))
        }
    }

    /// The width of a bit-vector sort.
    #[must_use]
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            Sort::Bool | Sort::Int => None,
        }
    }
}

/// The SMT-LIB spelling.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
        }
    }
}

/// Why a term or a query could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SortError {
    /// An operator met an argument of a sort it is not defined on.
    #[error("`{operator}` is not defined on {found}")]
    Operator {
        /// The SMT-LIB name of the operator.
        operator: &'static str,
        /// The sort of the offending argument.
        found: Sort,
    },
    /// Two arguments that must agree do not.
    #[error("`{operator}` needs arguments of one sort, and got {left} and {right}")]
    Mismatch {
        /// The SMT-LIB name of the operator.
        operator: &'static str,
        /// Sort of the first of the two.
        left: Sort,
        /// Sort of the second of the two.
        right: Sort,
    },
    /// A bit-vector width outside `1..=MAX_WIDTH`.
    #[error("a bit-vector of {0} bits: only 1 to {MAX_WIDTH} are supported")]
    Width(u32),
    /// `extract` of bits that the argument does not have.
    #[error("bits {high} down to {low} of a bit-vector of {width} bits")]
    Extract {
        /// Highest bit asked for.
        high: u32,
        /// Lowest bit asked for.
        low: u32,
        /// Width of the argument.
        width: u32,
    },
    /// A constant declared twice with different sorts or bounds.
    #[error("the constant `{0}` is declared twice, differently")]
    Redeclared(String),
    /// An assertion uses a constant that the query does not declare with that sort.
    #[error("the constant `{name}` of sort {sort} is not declared")]
    Undeclared {
        /// The constant's name.
        name: String,
        /// The sort it is used at.
        sort: Sort,
    },
    /// Bounds given to a constant that is not an integer.
    #[error("bounds are for Int constants, and `{name}` has sort {sort}")]
    Bounds {
        /// The constant's name.
        name: String,
        /// Its sort.
        sort: Sort,
    },
}
