//! Atomic updates (THEORY §4).

use crate::expr::{ArithOp, NumOp};
use crate::machine::{IntType, MachineOp};
use crate::natural::Natural;
use serde::{Deserialize, Serialize};

/// How far an atomic operation is atomic (CUDA's `_block` and `_system` suffixes).
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Against threads of the same block only.
    Block,
    /// Against all threads of the device.
    #[default]
    Device,
    /// Against the whole system.
    System,
}

impl Scope {
    /// Does the scope cover two threads, of the same block or not?
    pub fn covers(self, same_block: bool) -> bool {
        same_block || self != Scope::Block
    }
}

/// The operator `⋆` of an atomic update, on machine integers of a type or on naturals (`None`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum AtomicOp {
    /// `old + m`
    Add(Option<IntType>),
    /// `old - m` (truncated on naturals)
    Sub(Option<IntType>),
    /// The smaller.
    Min(Option<IntType>),
    /// The larger.
    Max(Option<IntType>),
    /// Bitwise and.
    And(IntType),
    /// Bitwise or.
    Or(IntType),
    /// Bitwise exclusive or.
    Xor(IntType),
    /// `m`
    Exch,
    /// CUDA's `atomicInc`: `old >= m ? 0 : old + 1`.
    Inc,
    /// CUDA's `atomicDec`: `old == 0 || old > m ? m : old - 1`.
    Dec,
    /// `old == expected ? m : old`
    Cas,
    /// Data that the calculus does not compute with (floats): any value may result.
    Opaque,
}

/// One atomic update: operator and operands, as expressions or as values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtomicUpdate<N> {
    /// The operator.
    pub op: AtomicOp,
    /// The operand `m`.
    pub operand: N,
    /// The expected value: present exactly for [`AtomicOp::Cas`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<N>,
}

impl AtomicOp {
    /// May updates by this operator with any operands be reordered without changing the final
    /// value? Wrapped subtraction commutes; truncated subtraction too (`(a ∸ b) ∸ c = a ∸ (b+c)`).
    pub fn commutes(self) -> bool {
        !matches!(
            self,
            AtomicOp::Exch | AtomicOp::Inc | AtomicOp::Dec | AtomicOp::Cas | AtomicOp::Opaque
        )
    }
}

impl AtomicUpdate<Natural> {
    /// The value of a cell that held `old`, after the update.
    ///
    /// [`AtomicOp::Opaque`] results in `old`: one of the values it may have.
    pub fn apply(&self, old: &Natural) -> Natural {
        let m = &self.operand;
        let either = |natural: ArithOp, op: MachineOp, t: Option<IntType>| match t {
            None => NumOp::Natural(natural).apply(old, m),
            Some(t) => op.apply_natural(t, old, m),
        };
        match self.op {
            AtomicOp::Add(t) => either(ArithOp::Add, MachineOp::Add, t),
            AtomicOp::Sub(t) => either(ArithOp::Sub, MachineOp::Sub, t),
            AtomicOp::Min(t) => either(ArithOp::Min, MachineOp::Min, t),
            AtomicOp::Max(t) => either(ArithOp::Max, MachineOp::Max, t),
            AtomicOp::And(t) => MachineOp::And.apply_natural(t, old, m),
            AtomicOp::Or(t) => MachineOp::Or.apply_natural(t, old, m),
            AtomicOp::Xor(t) => MachineOp::Xor.apply_natural(t, old, m),
            AtomicOp::Exch => m.clone(),
            AtomicOp::Inc if old >= m => Natural::zero(),
            AtomicOp::Inc => old.successor(),
            AtomicOp::Dec if *old == Natural::zero() || old > m => m.clone(),
            AtomicOp::Dec => old.monus(&Natural::from(1u32)),
            AtomicOp::Cas if self.expected.as_ref() == Some(old) => m.clone(),
            AtomicOp::Cas | AtomicOp::Opaque => old.clone(),
        }
    }
}
