//! The operators by their spelling, for the parser and the JSON forms.

use crate::expr::{ArithOp, CompareOp, NumOp, Relation};
use crate::machine::{IntType, MachineOp};
use crate::syntax::AtomicOp;
use std::str::FromStr;

/// The text spells no operator of the kind that is asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no such operator")]
pub struct NoOperator(String);

/// `add` and `u32` of `add.u32`.
fn typed(text: &str) -> Option<(&str, IntType)> {
    let (head, t) = text.split_once('.')?;
    Some((head, t.parse().ok()?))
}

fn num_op(text: &str) -> Option<NumOp> {
    let natural = ArithOp::ALL.into_iter().find(|op| op.to_string() == text);
    natural.map(NumOp::Natural).or_else(|| {
        let (head, t) = typed(text)?;
        let op = MachineOp::ALL.into_iter().find(|op| op.mnemonic() == head)?;
        Some(NumOp::Machine(op, t))
    })
}

fn compare_op(text: &str) -> Option<CompareOp> {
    let natural = Relation::ALL.into_iter().find(|relation| relation.symbol() == text);
    natural.map(CompareOp::natural).or_else(|| {
        let (head, t) = typed(text)?;
        let relation = Relation::ALL.into_iter().find(|relation| relation.mnemonic() == head)?;
        Some(CompareOp::machine(relation, t))
    })
}

fn atomic_op(text: &str) -> Option<AtomicOp> {
    let (head, machine) = match text.split_once('.') {
        Some(_) => typed(text).map(|(head, t)| (head, Some(t)))?,
        None => (text, None),
    };
    Some(match (head, machine) {
        ("add", t) => AtomicOp::Add(t),
        ("sub", t) => AtomicOp::Sub(t),
        ("min", t) => AtomicOp::Min(t),
        ("max", t) => AtomicOp::Max(t),
        ("and", Some(t)) => AtomicOp::And(t),
        ("or", Some(t)) => AtomicOp::Or(t),
        ("xor", Some(t)) => AtomicOp::Xor(t),
        ("exch", None) => AtomicOp::Exch,
        ("inc", None) => AtomicOp::Inc,
        ("dec", None) => AtomicOp::Dec,
        ("cas", None) => AtomicOp::Cas,
        ("opaque", None) => AtomicOp::Opaque,
        _ => return None,
    })
}

macro_rules! spelled {
    ($($operator:ty = $parse:path;)*) => {$(
        impl FromStr for $operator {
            type Err = NoOperator;
            fn from_str(text: &str) -> Result<Self, NoOperator> {
                $parse(text).ok_or_else(|| NoOperator(text.to_owned()))
            }
        }

        impl TryFrom<String> for $operator {
            type Error = NoOperator;
            fn try_from(text: String) -> Result<Self, NoOperator> {
                text.parse()
            }
        }

        impl From<$operator> for String {
            fn from(operator: $operator) -> String {
                operator.to_string()
            }
        }
    )*};
}

spelled! {
    NumOp = num_op;
    CompareOp = compare_op;
    AtomicOp = atomic_op;
}
