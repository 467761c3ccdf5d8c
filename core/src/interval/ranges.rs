//! What expressions may be, from what their variables may be.

use super::{Interval, word};
use crate::deep::grow;
use crate::expr::{ArithOp, Bool, BoolOp, Num, NumOp, Relation};
use crate::launch::{MAX_BLOCK_DIM, MAX_BLOCK_THREADS, MAX_GRID_DIM};
use crate::machine::{IntType, MachineOp};
use crate::name::{Name, reserved};
use crate::syntax::{Declarations, Extent};
use im::OrdMap;
use num_bigint::BigInt;

/// Results of more bits are not followed: they would grow with the expression.
const MAX_BITS: u64 = 256;

/// The intervals of variables; a variable without one may be any natural.
#[derive(Clone, Debug, Default)]
pub struct Ranges(OrdMap<Name, Interval>);

impl Ranges {
    /// What the declarations say of parameters and of the variables of the launch, assumptions
    /// included: `n <= 100`, where one side is such a variable.
    pub fn of(declarations: &Declarations) -> Ranges {
        let mut ranges = Ranges::default();
        for p in &declarations.params {
            let range = match &p.value {
                Some(k) => Interval::point(&k.into()),
                None => Interval::of_domain(p.domain),
            };
            ranges.insert(p.name.clone(), range);
        }
        let (block, mut count) = (declarations.geometry.block, 1u64);
        for d in 0..3 {
            let grid = declarations.geometry.grid.map_or(Extent::Symbolic, |grid| grid[d]);
            let axes = [
                (block[d], MAX_BLOCK_DIM[d], reserved::BLOCK_DIM[d], reserved::THREAD_IDX[d]),
                (grid, MAX_GRID_DIM[d], reserved::GRID_DIM[d], reserved::BLOCK_IDX[d]),
            ];
            for (extent, most, size, index) in axes {
                let (least, most) = match extent {
                    Extent::Known(k) => (k, k),
                    Extent::Symbolic => (1, most),
                };
                ranges.insert(size, Interval::new(least, most));
                ranges.insert(index, Interval::new(0, most.saturating_sub(1)));
            }
            let most = match block[d] {
                Extent::Known(k) => k,
                Extent::Symbolic => MAX_BLOCK_DIM[d],
            };
            count = count.saturating_mul(most.into());
        }
        if block.contains(&Extent::Symbolic) {
            count = count.min(MAX_BLOCK_THREADS);
        }
        ranges.insert(reserved::TID, Interval::new(0, count.saturating_sub(1)));
        // Twice: what one assumption says may tell what another one means.
        for assumption in declarations.assumptions.iter().chain(&declarations.assumptions) {
            ranges.assume(assumption);
        }
        ranges
    }

    /// Takes what holds of variables where `c` does.
    fn assume(&mut self, c: &Bool) {
        match c {
            Bool::Connective(BoolOp::And, l, r) => grow(|| {
                self.assume(l);
                self.assume(r);
            }),
            Bool::Compare(op, l, r) => {
                let (left, right) = (self.num(l), self.num(r));
                if let Num::Var(x) = l.as_ref() {
                    self.compared(x, op.relation, op.machine, &right);
                }
                if let Num::Var(x) = r.as_ref() {
                    self.compared(x, op.relation.mirrored(), op.machine, &left);
                }
            }
            Bool::Lit(_) | Bool::Connective(BoolOp::Or, ..) | Bool::Not(_) => {}
        }
    }

    /// Takes that `x` is in this relation to something of `other`, as numbers of the type.
    fn compared(&mut self, x: &Name, relation: Relation, t: Option<IntType>, other: &Interval) {
        let Some(own) = self.0.get(x) else { return };
        // Up to there, a pattern is what it means.
        let plain = t.map(|t| Interval::new(0, t.width.mask() >> u32::from(t.signed)));
        let is_plain = |n: &Interval| plain.as_ref().is_none_or(|plain| n.is_within(plain));
        if !is_plain(other) {
            return;
        }
        let own = match (&plain, relation) {
            _ if is_plain(own) => own.clone(),
            // Not less than what is not negative.
            (Some(plain), Relation::Ge | Relation::Gt | Relation::Eq)
                if t.is_some_and(|t| own.is_within(&Interval::new(0, t.width.mask()))) =>
            {
                own.meet(plain)
            }
            _ => return,
        };
        let Interval { lower, upper } = other.clone();
        let said = match relation {
            Relation::Lt => Interval { lower: None, upper: upper.map(|n| n - 1u32) },
            Relation::Le => Interval { lower: None, upper },
            Relation::Gt => Interval { lower: lower.map(|n| n + 1u32), upper: None },
            Relation::Ge => Interval { lower, upper: None },
            Relation::Eq => Interval { lower, upper },
            Relation::Ne => Interval::ALL,
        };
        let met = own.meet(&said);
        // Where nothing is as assumed, any interval is right.
        if !met.is_empty() {
            self.insert(x.clone(), met);
        }
    }

    /// Gives `var` an interval of naturals.
    pub fn insert(&mut self, var: impl Into<Name>, range: Interval) {
        self.0.insert(var.into(), range);
    }

    /// The values of a counter that runs from `lower` to below `upper`.
    pub fn counter(&self, lower: &Num, upper: &Num) -> Interval {
        let low = self.num(lower).lower.unwrap_or_default();
        // An empty loop leaves no value; any interval is right, and one with elements simplest.
        let upper = self.num(upper).upper.map(|high: BigInt| (high - 1u32).max(low.clone()));
        Interval { lower: Some(low), upper }
    }

    /// What `n` may be.
    pub fn num(&self, n: &Num) -> Interval {
        grow(|| match n {
            Num::Var(x) => self.0.get(x).cloned().unwrap_or_else(|| Interval::at_least(0)),
            Num::Lit(k) => Interval::point(&k.into()),
            Num::Binary(NumOp::Natural(op), l, r) => natural(*op, &self.num(l), &self.num(r)),
            Num::Binary(NumOp::Machine(op, t), l, r) => {
                machine(*op, *t, &self.num(l), &self.num(r))
            }
            Num::Cast(from, to, operand) => {
                patterns(*to, word::convert(reading(*from, &self.num(operand)), *to))
            }
            Num::Select(c, then, otherwise) => match self.bool(c) {
                Some(true) => self.num(then),
                Some(false) => self.num(otherwise),
                None => self.num(then).join(&self.num(otherwise)),
            },
        })
    }

    /// The truth of `c`, when it is the same for all values of the variables.
    pub fn bool(&self, c: &Bool) -> Option<bool> {
        grow(|| match c {
            Bool::Lit(b) => Some(*b),
            Bool::Compare(op, l, r) => {
                let (l, r) = (self.num(l), self.num(r));
                match op.machine {
                    Some(t) => word::compare(op.relation, reading(t, &l), reading(t, &r)),
                    None => Interval::compare(op.relation, &l, &r),
                }
            }
            Bool::Connective(op, l, r) => match (op, self.bool(l), self.bool(r)) {
                (BoolOp::And, Some(false), _) | (BoolOp::And, _, Some(false)) => Some(false),
                (BoolOp::Or, Some(true), _) | (BoolOp::Or, _, Some(true)) => Some(true),
                (op, Some(l), Some(r)) => Some(op.apply(l, r)),
                _ => None,
            },
            Bool::Not(operand) => self.bool(operand).map(|b| !b),
        })
    }
}

/// An operator on naturals.
fn natural(op: ArithOp, l: &Interval, r: &Interval) -> Interval {
    let short = |n: &BigInt| n.bits() <= MAX_BITS;
    let Interval { lower, upper } = Interval::natural(op, l, r);
    Interval { lower: lower.filter(short).or(Some(BigInt::ZERO)), upper: upper.filter(short) }
}

/// A machine operator. Those that act on patterns alike in both readings overflow least often as
/// unsigned ones.
fn machine(op: MachineOp, t: IntType, l: &Interval, r: &Interval) -> Interval {
    let at = match op {
        MachineOp::Div | MachineOp::Rem | MachineOp::Min | MachineOp::Max | MachineOp::Shr => t,
        _ => IntType { signed: false, ..t },
    };
    patterns(at, word::machine(op, at, reading(at, l), reading(at, r)))
}

/// What naturals mean as patterns of the type.
fn reading(t: IntType, naturals: &Interval) -> word::Range {
    match naturals.word() {
        Some(range) if range.1 <= t.width.mask().into() => word::convert(range, t),
        _ => word::full(t),
    }
}

/// The patterns of integers of the type.
fn patterns(t: IntType, integers: word::Range) -> Interval {
    let (low, high) = word::convert(integers, IntType { signed: false, ..t });
    Interval::new(low, high)
}
