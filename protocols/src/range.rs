//! Interval analysis of expressions: which naturals a value may be.

use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp, NumOp, Relation};
use babycuda_core::launch::{MAX_BLOCK_DIM, MAX_BLOCK_THREADS, MAX_GRID_DIM};
use babycuda_core::machine::{IntType, MachineOp};
use babycuda_core::name::reserved;
use babycuda_core::syntax::{Domain, Extent};
use babycuda_core::{Bool, Declarations, Name, Num};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// The naturals from `low` to `high`, both included; without `high`, all from `low` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub low: BigUint,
    /// The greatest.
    pub high: Option<BigUint>,
}

impl Range {
    /// Every natural.
    pub fn all() -> Range {
        Range { low: BigUint::zero(), high: None }
    }

    /// `low..=high`
    pub fn of(low: impl Into<BigUint>, high: impl Into<BigUint>) -> Range {
        Range { low: low.into(), high: Some(high.into()) }
    }

    /// The values of a domain.
    pub fn of_domain(domain: Domain) -> Range {
        match domain {
            Domain::Natural => Range::all(),
            Domain::Machine(t) => Range::of(0u32, t.width.mask()),
        }
    }

    /// Is every element at most `bound`?
    pub fn within(&self, bound: &BigUint) -> bool {
        self.high.as_ref().is_some_and(|high| high <= bound)
    }

    /// The one element, if there is one only.
    pub fn point(&self) -> Option<&BigUint> {
        self.high.as_ref().filter(|high| **high == self.low)
    }

    fn join(&self, other: &Range) -> Range {
        Range {
            low: (&self.low).min(&other.low).clone(),
            high: both(&self.high, &other.high, |a, b| a.max(b).clone()),
        }
    }

    /// Is every element of `self` smaller than every element of `other`?
    fn below(&self, other: &Range) -> bool {
        self.high.as_ref().is_some_and(|high| *high < other.low)
    }
}

fn both(
    a: &Option<BigUint>,
    b: &Option<BigUint>,
    f: impl Fn(&BigUint, &BigUint) -> BigUint,
) -> Option<BigUint> {
    Some(f(a.as_ref()?, b.as_ref()?))
}

/// The ranges of variables; a variable without one may be any natural.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    vars: BTreeMap<Name, Range>,
}

impl Ranges {
    /// What the declarations say of parameters and of the variables of the launch.
    pub fn of(declarations: &Declarations) -> Ranges {
        let mut ranges = Ranges::default();
        for p in &declarations.params {
            let range = match &p.value {
                Some(k) => Range::of(k.0.clone(), k.0.clone()),
                None => Range::of_domain(p.domain),
            };
            ranges.vars.insert(p.name.clone(), range);
        }
        let mut count = BigUint::one();
        for d in 0..3 {
            let block = extent(declarations.geometry.block[d], MAX_BLOCK_DIM[d]);
            let grid = match declarations.geometry.grid {
                Some(grid) => extent(grid[d], MAX_GRID_DIM[d]),
                None => Range::of(1u32, MAX_GRID_DIM[d]),
            };
            if let Some(high) = &block.high {
                count *= high;
            }
            ranges.insert(reserved::THREAD_IDX[d], below_extent(&block));
            ranges.insert(reserved::BLOCK_IDX[d], below_extent(&grid));
            ranges.insert(reserved::BLOCK_DIM[d], block);
            ranges.insert(reserved::GRID_DIM[d], grid);
        }
        let symbolic = declarations.geometry.block.contains(&Extent::Symbolic);
        if symbolic {
            count = count.min(BigUint::from(MAX_BLOCK_THREADS));
        }
        let last = if count.is_zero() { count } else { count - 1u32 };
        ranges.insert(reserved::TID, Range::of(0u32, last));
        ranges
    }

    /// Gives `var` a range.
    pub fn insert(&mut self, var: impl Into<Name>, range: Range) {
        self.vars.insert(var.into(), range);
    }

    /// The range of a counter that runs from `lower` to below `upper`.
    pub fn counter(&self, lower: &Num, upper: &Num) -> Range {
        let low = self.num(lower).low;
        let high = self.num(upper).high;
        let last = high.map(|h| if h.is_zero() { h } else { h - 1u32 });
        Range {
            // An empty loop leaves no value; any range is right, and a well-formed one simplest.
            high: last.map(|h| h.max(low.clone())),
            low,
        }
    }

    /// What `n` may be.
    pub fn num(&self, n: &Num) -> Range {
        grow(|| match n {
            Num::Var(x) => self.vars.get(x).cloned().unwrap_or_else(Range::all),
            Num::Lit(k) => Range::of(k.0.clone(), k.0.clone()),
            Num::Binary(NumOp::Natural(op), l, r) => natural(*op, &self.num(l), &self.num(r)),
            Num::Binary(NumOp::Machine(op, t), l, r) => {
                machine(*op, *t, &self.num(l), &self.num(r))
            }
            Num::Cast(from, to, operand) => {
                let range = self.num(operand);
                if nonnegative(*from, &range) && range.within(&mask(*to)) {
                    range
                } else {
                    Range::of(0u32, mask(*to))
                }
            }
            Num::Select(c, then, otherwise) => match self.bool(c) {
                Some(true) => self.num(then),
                Some(false) => self.num(otherwise),
                None => self.num(then).join(&self.num(otherwise)),
            },
        })
    }

    /// The truth of `c`, when it is the same for all values in the ranges.
    pub fn bool(&self, c: &Bool) -> Option<bool> {
        grow(|| match c {
            Bool::Lit(b) => Some(*b),
            Bool::Compare(op, l, r) => {
                let (l, r) = (self.num(l), self.num(r));
                if op.machine.is_some_and(|t| !nonnegative(t, &l) || !nonnegative(t, &r)) {
                    return None;
                }
                compare(op.relation, &l, &r)
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

fn extent(extent: Extent, max: u32) -> Range {
    match extent {
        Extent::Known(k) => Range::of(k, k),
        Extent::Symbolic => Range::of(1u32, max),
    }
}

fn below_extent(extent: &Range) -> Range {
    let high = extent.high.clone().unwrap_or_default();
    Range::of(0u32, if high.is_zero() { high } else { high - 1u32 })
}

fn mask(t: IntType) -> BigUint {
    BigUint::from(t.width.mask())
}

/// Are all values patterns of `t` that mean themselves?
fn nonnegative(t: IntType, range: &Range) -> bool {
    let max = mask(t) >> u32::from(t.signed);
    range.within(&max)
}

fn compare(relation: Relation, l: &Range, r: &Range) -> Option<bool> {
    let same = l.point().is_some() && l.point() == r.point();
    let not_above = |a: &Range, b: &Range| a.high.as_ref().is_some_and(|high| *high <= b.low);
    let (yes, no) = match relation {
        Relation::Eq => (same, l.below(r) || r.below(l)),
        Relation::Ne => (l.below(r) || r.below(l), same),
        Relation::Lt => (l.below(r), not_above(r, l)),
        Relation::Le => (not_above(l, r), r.below(l)),
        Relation::Gt => (r.below(l), not_above(l, r)),
        Relation::Ge => (not_above(r, l), l.below(r)),
    };
    match (yes, no) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn monus(a: &BigUint, b: &BigUint) -> BigUint {
    if a > b { a - b } else { BigUint::zero() }
}

fn natural(op: ArithOp, l: &Range, r: &Range) -> Range {
    match op {
        ArithOp::Add => Range { low: &l.low + &r.low, high: both(&l.high, &r.high, |a, b| a + b) },
        ArithOp::Mul => Range { low: &l.low * &r.low, high: both(&l.high, &r.high, |a, b| a * b) },
        ArithOp::Sub => Range {
            low: r.high.as_ref().map_or_else(BigUint::zero, |high| monus(&l.low, high)),
            high: l.high.as_ref().map(|high| monus(high, &r.low)),
        },
        ArithOp::Div => Range {
            low: match &r.high {
                Some(high) if !r.low.is_zero() => &l.low / high,
                _ => BigUint::zero(),
            },
            high: l.high.as_ref().map(|high| high / (&r.low).max(&BigUint::one())),
        },
        ArithOp::Mod => match (&r.high, r.low.is_zero()) {
            _ if l.below(r) => l.clone(),
            (Some(high), false) => {
                let below = high - 1u32;
                let high = l.high.as_ref().map_or(below.clone(), |h| h.min(&below).clone());
                Range::of(0u32, high)
            }
            _ => Range { low: BigUint::zero(), high: l.high.clone() },
        },
        ArithOp::Min => Range {
            low: (&l.low).min(&r.low).clone(),
            high: match (&l.high, &r.high) {
                (Some(a), Some(b)) => Some(a.min(b).clone()),
                (Some(a), None) | (None, Some(a)) => Some(a.clone()),
                (None, None) => None,
            },
        },
        ArithOp::Max => Range {
            low: (&l.low).max(&r.low).clone(),
            high: both(&l.high, &r.high, |a, b| a.max(b).clone()),
        },
    }
}

/// Machine operators, precisely where no operand is negative and nothing wraps.
fn machine(op: MachineOp, t: IntType, l: &Range, r: &Range) -> Range {
    let any = Range::of(0u32, mask(t));
    if !l.within(&mask(t)) || !r.within(&mask(t)) {
        return any;
    }
    let fits = |range: Range| {
        if range.within(&mask(t)) { range } else { any.clone() }
    };
    let plain = nonnegative(t, l) && nonnegative(t, r);
    let shift = || r.point().and_then(ToPrimitive::to_u32);
    match op {
        // Patterns add and multiply alike in both readings.
        MachineOp::Add => fits(natural(ArithOp::Add, l, r)),
        MachineOp::Mul => fits(natural(ArithOp::Mul, l, r)),
        MachineOp::Sub if r.within(&l.low) => natural(ArithOp::Sub, l, r),
        MachineOp::Div if plain => natural(ArithOp::Div, l, r),
        MachineOp::Rem if plain => natural(ArithOp::Mod, l, r),
        MachineOp::Min if plain => natural(ArithOp::Min, l, r),
        MachineOp::Max if plain => natural(ArithOp::Max, l, r),
        MachineOp::And => Range { low: BigUint::zero(), high: natural(ArithOp::Min, l, r).high },
        MachineOp::Or | MachineOp::Xor => match (&l.high, &r.high) {
            (Some(a), Some(b)) => {
                let bits = a.bits().max(b.bits());
                Range::of(0u32, (BigUint::one() << bits) - 1u32)
            }
            _ => any,
        },
        MachineOp::Shl => match shift() {
            Some(k) if k < t.width.bits() => {
                fits(Range { low: &l.low << k, high: l.high.as_ref().map(|h| h << k) })
            }
            _ => any,
        },
        MachineOp::Shr if plain => match shift() {
            Some(k) if k < t.width.bits() => {
                Range { low: &l.low >> k, high: l.high.as_ref().map(|h| h >> k) }
            }
            _ => Range { low: BigUint::zero(), high: l.high.clone() },
        },
        _ => any,
    }
}
