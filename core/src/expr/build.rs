//! Expressions with Rust's operators: `tid() * 4 + "x"`, `tid().less_than(2) & !done`.
//!
//! The arithmetic is that of naturals: `-` stops at 0, and `/` and `%` are total (THEORY §1).
//! Comparisons have names, as `<` and `==` on expressions compare trees.

use super::{ArithOp, Bool, Num, Relation};
use crate::name::reserved::TID;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Rem, Sub};

/// The variable `tid`: the thread's index in its block.
pub fn tid() -> Num {
    Num::var(TID)
}

macro_rules! operators {
    ($($trait:ident, $method:ident, $operator:ident;)*) => { $(
        operators!($trait, $method, $operator, [Num, u64, &str]);
    )* };
    ($trait:ident, $method:ident, $operator:ident, [$($right:ty),*]) => { $(
        impl $trait<$right> for Num {
            type Output = Num;
            fn $method(self, right: $right) -> Num {
                Num::arith(ArithOp::$operator, self, right.into())
            }
        }
    )* };
}

operators! {
    Add, add, Add;
    Sub, sub, Sub;
    Mul, mul, Mul;
    Div, div, Div;
    Rem, rem, Mod;
}

impl Num {
    /// `self == right`
    pub fn equals(self, right: impl Into<Num>) -> Bool {
        Bool::compare(Relation::Eq, self, right.into())
    }

    /// `self < right`
    pub fn less_than(self, right: impl Into<Num>) -> Bool {
        Bool::compare(Relation::Lt, self, right.into())
    }
}

impl BitAnd for Bool {
    type Output = Bool;
    fn bitand(self, right: Bool) -> Bool {
        Bool::and(self, right)
    }
}

impl BitOr for Bool {
    type Output = Bool;
    fn bitor(self, right: Bool) -> Bool {
        Bool::or(self, right)
    }
}

impl Not for Bool {
    type Output = Bool;
    fn not(self) -> Bool {
        Bool::not(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{parse_bool, parse_num};

    #[test]
    fn operators_build_what_is_read() {
        for (built, text) in [
            (tid() * 4 + "x", "tid * 4 + x"),
            ((tid() + 1) % Num::var("n") - 2, "(tid + 1) % n - 2"),
            (Num::from(7) / tid(), "7 / tid"),
        ] {
            assert_eq!(Ok(built), parse_num(text));
        }
        for (built, text) in [
            (tid().less_than(2) & !tid().equals("x"), "tid < 2 && !(tid == x)"),
            (tid().equals(0) | Bool::Lit(false), "tid == 0 || false"),
        ] {
            assert_eq!(Ok(built), parse_bool(text));
        }
    }
}
