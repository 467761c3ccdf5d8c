//! The operators of expressions and what they compute.

use crate::machine::{self, IntType, MachineOp};
use crate::natural::Natural;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A binary operator on naturals: total, so subtraction is truncated, `n / 0 = 0` and `n % 0 = n`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
}

impl ArithOp {
    /// All operators.
    pub const ALL: [ArithOp; 7] = [
        ArithOp::Add,
        ArithOp::Sub,
        ArithOp::Mul,
        ArithOp::Div,
        ArithOp::Mod,
        ArithOp::Min,
        ArithOp::Max,
    ];

    /// `left op right`.
    pub fn apply(self, left: &Natural, right: &Natural) -> Natural {
        match self {
            ArithOp::Add => left + right,
            ArithOp::Sub => left.monus(right),
            ArithOp::Mul => left * right,
            ArithOp::Div => left.div_total(right),
            ArithOp::Mod => left.mod_total(right),
            ArithOp::Min => left.min(right).clone(),
            ArithOp::Max => left.max(right).clone(),
        }
    }
}

/// A binary operator of numeric expressions: on naturals, or on machine integers of a type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum NumOp {
    /// The paper's operators.
    Natural(ArithOp),
    /// `add.u32` and its kin.
    Machine(MachineOp, IntType),
}

impl NumOp {
    /// `left op right`.
    pub fn apply(self, left: &Natural, right: &Natural) -> Natural {
        match self {
            NumOp::Natural(op) => op.apply(left, right),
            NumOp::Machine(op, t) => op.apply_natural(t, left, right),
        }
    }
}

/// One of the six order relations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Relation {
    /// All relations.
    pub const ALL: [Relation; 6] =
        [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Le, Relation::Gt, Relation::Ge];

    /// The relation with its sides exchanged: `>` for `<`.
    #[must_use]
    pub fn mirrored(self) -> Relation {
        match self {
            Relation::Eq | Relation::Ne => self,
            Relation::Lt => Relation::Gt,
            Relation::Le => Relation::Ge,
            Relation::Gt => Relation::Lt,
            Relation::Ge => Relation::Le,
        }
    }

    /// The spelling before the dot in `lt.u32`.
    pub fn mnemonic(self) -> &'static str {
        match self {
            Relation::Eq => "eq",
            Relation::Ne => "ne",
            Relation::Lt => "lt",
            Relation::Le => "le",
            Relation::Gt => "gt",
            Relation::Ge => "ge",
        }
    }

    /// The spelling between two naturals: `<`.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Eq => "==",
            Relation::Ne => "!=",
            Relation::Lt => "<",
            Relation::Le => "<=",
            Relation::Gt => ">",
            Relation::Ge => ">=",
        }
    }

    /// Does the relation hold of two values that compare as `ordering`?
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Relation::Eq => ordering.is_eq(),
            Relation::Ne => ordering.is_ne(),
            Relation::Lt => ordering.is_lt(),
            Relation::Le => ordering.is_le(),
            Relation::Gt => ordering.is_gt(),
            Relation::Ge => ordering.is_ge(),
        }
    }
}

/// A comparison `◇`: of naturals, or of machine integers (`lt.i32`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct CompareOp {
    /// Which relation.
    pub relation: Relation,
    /// On machine integers of which type; `None`: on naturals.
    pub machine: Option<IntType>,
}

impl CompareOp {
    /// The relation on naturals.
    pub fn natural(relation: Relation) -> Self {
        CompareOp { relation, machine: None }
    }

    /// The relation on machine integers of type `t`.
    pub fn machine(relation: Relation, t: IntType) -> Self {
        CompareOp { relation, machine: Some(t) }
    }

    /// `left ◇ right`.
    pub fn apply(self, left: &Natural, right: &Natural) -> bool {
        let ordering = match self.machine {
            None => left.cmp(right),
            Some(t) => machine::compare(t, left, right),
        };
        self.relation.holds(ordering)
    }
}

/// A propositional connective `∘`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum BoolOp {
    And,
    Or,
}

impl BoolOp {
    /// Both connectives.
    pub const ALL: [BoolOp; 2] = [BoolOp::And, BoolOp::Or];

    /// `left ∘ right`.
    pub fn apply(self, left: bool, right: bool) -> bool {
        match self {
            BoolOp::And => left && right,
            BoolOp::Or => left || right,
        }
    }
}
