//! The sorts of terms.

use std::fmt;

/// What a term ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// The integers, unbounded.
    Int,
}

/// The SMT-LIB spelling.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
        }
    }
}

/// Why a term or a query could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
