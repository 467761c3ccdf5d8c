//! Numeric and boolean expressions (LCL22 Fig. 2: `n` and `c`) and their one evaluation function.

mod build;
mod eval;
mod ops;
mod tree;
mod vars;

pub use build::tid;
pub use eval::Unbound;
pub use ops::{ArithOp, BoolOp, CompareOp, NumOp, Relation};
pub use tree::{Expr, ExprMut, Head};
pub use vars::Renaming;

use crate::deep;
use crate::machine::IntType;
use crate::name::Name;
use crate::natural::Natural;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An arithmetic expression `n ::= x | k | n * n | …`. Every operator is total on naturals.
///
/// The paper's fragment has variables, literals and natural binary operators; machine operators,
/// casts and selections are ours ([`Num::is_paper`]).
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Num {
    /// A variable `x`.
    Var(Name),
    /// A literal `k`.
    Lit(Natural),
    /// A binary operation on naturals or on machine integers.
    Binary(
        NumOp,
        #[serde(with = "deep::Child::<Num>")] Arc<Num>,
        #[serde(with = "deep::Child::<Num>")] Arc<Num>,
    ),
    /// C's conversion between machine integer types, on patterns: `cast.i32.u64(n)`.
    Cast(IntType, IntType, #[serde(with = "deep::Child::<Num>")] Arc<Num>),
    /// `n` if the condition holds, otherwise `m`: `select(c, n, m)`. Both are total, so it is
    /// immaterial whether the other one is evaluated.
    Select(
        #[serde(with = "deep::Child::<Bool>")] Arc<Bool>,
        #[serde(with = "deep::Child::<Num>")] Arc<Num>,
        #[serde(with = "deep::Child::<Num>")] Arc<Num>,
    ),
}

/// A boolean expression `c ::= true | false | n ◇ n | c ∘ c | !c`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bool {
    /// `true` or `false`.
    Lit(bool),
    /// `n ◇ m`.
    Compare(
        CompareOp,
        #[serde(with = "deep::Child::<Num>")] Arc<Num>,
        #[serde(with = "deep::Child::<Num>")] Arc<Num>,
    ),
    /// `c ∘ d`.
    Connective(
        BoolOp,
        #[serde(with = "deep::Child::<Bool>")] Arc<Bool>,
        #[serde(with = "deep::Child::<Bool>")] Arc<Bool>,
    ),
    /// `!c`.
    Not(#[serde(with = "deep::Child::<Bool>")] Arc<Bool>),
}

impl Num {
    /// The variable `name`.
    pub fn var(name: impl Into<Name>) -> Num {
        Num::Var(name.into())
    }

    /// The literal `value`.
    pub fn lit(value: impl Into<Natural>) -> Num {
        Num::Lit(value.into())
    }

    /// `left op right` on naturals.
    pub fn arith(op: ArithOp, left: Num, right: Num) -> Num {
        Num::Binary(NumOp::Natural(op), Arc::new(left), Arc::new(right))
    }

    /// `left op right` on machine integers of type `t`.
    pub fn machine(op: crate::machine::MachineOp, t: IntType, left: Num, right: Num) -> Num {
        Num::Binary(NumOp::Machine(op, t), Arc::new(left), Arc::new(right))
    }

    /// The conversion of `operand` between machine integer types.
    pub fn cast(from: IntType, to: IntType, operand: Num) -> Num {
        Num::Cast(from, to, Arc::new(operand))
    }

    /// `then` if `condition`, otherwise `otherwise`.
    pub fn select(condition: Bool, then: Num, otherwise: Num) -> Num {
        Num::Select(Arc::new(condition), Arc::new(then), Arc::new(otherwise))
    }

    /// Does the expression use only what LCL22 Fig. 2 prints?
    pub fn is_paper(&self) -> bool {
        Expr::Num(self).is_paper()
    }
}

impl Bool {
    /// `left relation right` on naturals.
    pub fn compare(relation: Relation, left: Num, right: Num) -> Bool {
        Bool::Compare(CompareOp::natural(relation), Arc::new(left), Arc::new(right))
    }

    /// `left relation right` on machine integers of type `t`.
    pub fn compare_machine(relation: Relation, t: IntType, left: Num, right: Num) -> Bool {
        Bool::Compare(CompareOp::machine(relation, t), Arc::new(left), Arc::new(right))
    }

    /// `left ∘ right`.
    pub fn connective(op: BoolOp, left: Bool, right: Bool) -> Bool {
        Bool::Connective(op, Arc::new(left), Arc::new(right))
    }

    /// `left && right`.
    pub fn and(left: Bool, right: Bool) -> Bool {
        Bool::connective(BoolOp::And, left, right)
    }

    /// `left || right`.
    pub fn or(left: Bool, right: Bool) -> Bool {
        Bool::connective(BoolOp::Or, left, right)
    }

    /// `!operand`.
    #[allow(clippy::should_implement_trait)] // a constructor, as `and` and `or` are
    pub fn not(operand: Bool) -> Bool {
        Bool::Not(Arc::new(operand))
    }

    /// Does the expression use only what LCL22 Fig. 2 prints?
    pub fn is_paper(&self) -> bool {
        Expr::Bool(self).is_paper()
    }
}

impl From<u64> for Num {
    fn from(value: u64) -> Num {
        Num::lit(value)
    }
}

impl From<&str> for Num {
    fn from(name: &str) -> Num {
        Num::var(name)
    }
}
