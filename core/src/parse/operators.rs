//! The operators by their spelling, for the parser and the JSON forms.

use super::Misspelled;
use crate::expr::{ArithOp, CompareOp, NumOp, Relation};
use crate::machine::{IntType, MachineOp};
use crate::syntax::{AtomicOp, BarrierScope};
use std::str::FromStr;

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

/// `tile4`, `warp`, `block` or `grid`
pub(crate) fn barrier_scope(text: &str) -> Option<BarrierScope> {
    Some(match text {
        "warp" => BarrierScope::Warp,
        "block" => BarrierScope::Block,
        "grid" => BarrierScope::Grid,
        _ => {
            let digits = text.strip_prefix("tile")?;
            let plain = digits.starts_with(|c: char| ('1'..='9').contains(&c));
            BarrierScope::Tile(digits.parse().ok().filter(|_| plain)?)
        }
    })
}

macro_rules! spelled {
    ($($operator:ty = $parse:path;)*) => {$(
        impl FromStr for $operator {
            type Err = Misspelled;
            fn from_str(text: &str) -> Result<Self, Misspelled> {
                $parse(text).ok_or_else(|| Misspelled::new(text, "no such operator"))
            }
        }

        impl TryFrom<String> for $operator {
            type Error = Misspelled;
            fn try_from(text: String) -> Result<Self, Misspelled> {
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
    BarrierScope = barrier_scope;
}
