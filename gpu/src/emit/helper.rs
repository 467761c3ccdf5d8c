//! The functions that a text defines for operators that its language lacks.

use babycuda_core::MachineOp;
use babycuda_core::expr::ArithOp;
use babycuda_core::machine::IntType;
use babycuda_core::syntax::Domain;

/// An operator on values of one domain, as a function of a text; it is called as the calculus
/// calls it, with an underscore: `add_i32`, `sub_natural`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Helper {
    /// On naturals: total, and wrapping at 64 bits where the text has no mark for overflow.
    Natural(ArithOp),
    /// On machine integers.
    Machine(MachineOp, IntType),
}

impl Helper {
    pub(super) fn name(self) -> String {
        match self {
            Helper::Natural(op) => {
                let operator = match op {
                    ArithOp::Add => "add",
                    ArithOp::Sub => "sub",
                    ArithOp::Mul => "mul",
                    ArithOp::Div => "div",
                    ArithOp::Mod => "mod",
                    ArithOp::Min => "min",
                    ArithOp::Max => "max",
                };
                format!("{operator}_natural")
            }
            Helper::Machine(op, t) => format!("{}_{t}", op.mnemonic()),
        }
    }

    /// The domain of operands and result.
    pub(super) fn domain(self) -> Domain {
        match self {
            Helper::Natural(_) => Domain::Natural,
            Helper::Machine(_, t) => Domain::Machine(t),
        }
    }

    /// The result on two patterns; `None` where it needs more than 64 bits.
    pub(super) fn apply(self, left: u64, right: u64) -> Option<u64> {
        match self {
            Helper::Natural(op) => op.apply(&left.into(), &right.into()).to_u64(),
            Helper::Machine(op, t) => Some(op.apply(t, left, right)),
        }
    }

    /// May the result need more than 64 bits?
    pub(super) fn overflows(self) -> bool {
        matches!(self, Helper::Natural(ArithOp::Add | ArithOp::Mul))
    }

    /// The operator as one on patterns; naturals are those of 64 bits. Truncated subtraction is
    /// none.
    pub(super) fn on_patterns(self) -> Option<(MachineOp, IntType)> {
        let op = match self {
            Helper::Machine(op, t) => return Some((op, t)),
            Helper::Natural(ArithOp::Sub) => return None,
            Helper::Natural(ArithOp::Add) => MachineOp::Add,
            Helper::Natural(ArithOp::Mul) => MachineOp::Mul,
            Helper::Natural(ArithOp::Div) => MachineOp::Div,
            Helper::Natural(ArithOp::Mod) => MachineOp::Rem,
            Helper::Natural(ArithOp::Min) => MachineOp::Min,
            Helper::Natural(ArithOp::Max) => MachineOp::Max,
        };
        Some((op, IntType::U64))
    }
}
