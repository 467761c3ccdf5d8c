//! Interval analysis: an interval that holds every value a term can take.

use std::{collections::HashMap, sync::Arc};

use babycuda_core::Interval;
use babycuda_core::budget::pause;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::{
    sort::Sort,
    term::{Op, Term},
    value::Value,
};

/// What an integer divided by zero may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByZero {
    /// Anything, as in SMT-LIB. Between `ite (= d 0) … (div n d)` it is known not to happen.
    Anything,
    /// Left out: for users that treat the case apart.
    #[cfg_attr(not(feature = "builtin"), allow(dead_code, reason = "only circuits want it"))]
    Excluded,
}

/// Intervals of terms, given intervals of constants. Integers as they are, bit-vectors read
/// unsigned; Bool terms have none (`ALL`).
///
pub(crate) struct Ranges {
    constants: HashMap<Arc<str>, Interval>,
    by_zero: ByZero,
    memo: HashMap<Term, Interval>,
}

impl Ranges {
    pub(crate) fn new(constants: HashMap<Arc<str>, Interval>, by_zero: ByZero) -> Ranges {
        Ranges { constants, by_zero, memo: HashMap::new() }
    }

    /// The interval of a term.
    pub(crate) fn of(&mut self, root: &Term) -> Interval {
        if let Some(known) = self.memo.get(root) {
            return known.clone();
        }
        let mut stack = vec![root.clone()];
        while let Some(term) = stack.last().cloned() {
            pause();
            let before = stack.len();
            stack.extend(term.args().iter().filter(|a| !self.memo.contains_key(*a)).cloned());
            if stack.len() == before {
                let interval = self.step(&term);
                self.memo.insert(term, interval);
                stack.pop();
            }
        }
        self.arg(root)
    }

    fn arg(&self, term: &Term) -> Interval {
        self.memo.get(term).cloned().unwrap_or_default()
    }

    /// For `ite (= d 0) a (div n d)`, or `mod`: the interval of the last part for `d` other than 0.
    fn guarded_division(&self, term: &Term) -> Option<Interval> {
        let [condition, _, division] = term.args() else {
            return None;
        };
        let (Op::Eq, [tested, zero]) = (condition.op(), condition.args()) else {
            return None;
        };
        let (Op::Div | Op::Mod, [n, d]) = (division.op(), division.args()) else {
            return None;
        };
        (tested == d && zero.is_zero()).then(|| integer(division.op(), &[self.arg(n), self.arg(d)]))
    }

    fn step(&self, term: &Term) -> Interval {
        let args: Vec<Interval> = term.args().iter().map(|a| self.arg(a)).collect();
        if let Op::Constant(name) = term.op() {
            let declared = self.constants.get(name).cloned().unwrap_or_default();
            return declared.meet(&all_of(term.sort()));
        }
        if let (Op::Ite, [_, then, otherwise]) = (term.op(), args.as_slice()) {
            return match self.guarded_division(term) {
                Some(quotient) => then.join(&quotient),
                None => then.join(otherwise),
            };
        }
        if matches!(term.op(), Op::Div | Op::Mod)
            && self.by_zero == ByZero::Anything
            && args.get(1).is_none_or(|divisor| divisor.contains(&BigInt::zero()))
        {
            return Interval::ALL;
        }
        match term.sort() {
            Sort::Bool => Interval::ALL,
            Sort::Int => integer(term.op(), &args),
            Sort::BitVec(width) => {
                let all = all_of(term.sort());
                let exact = exact(term, &args);
                // A result that may wrap around can be anything.
                match exact.ends() {
                    Some((lo, hi)) if all.contains(lo) && all.contains(hi) => exact,
                    _ => bits(term, width, &args).meet(&all),
                }
            }
        }
    }
}

/// All values of a numeric sort.
pub(crate) fn all_of(sort: Sort) -> Interval {
    match sort {
        Sort::BitVec(width) => Interval::new(0, (BigInt::one() << width) - 1),
        Sort::Bool | Sort::Int => Interval::ALL,
    }
}

fn integer(op: &Op, args: &[Interval]) -> Interval {
    match (op, args) {
        (Op::Value(Value::Int(n)), _) => Interval::point(n),
        (Op::Add, [a, b]) => a.add(b),
        (Op::Sub, [a, b]) => a.sub(b),
        (Op::Mul, [a, b]) => a.mul(b),
        (Op::Neg, [a]) => a.neg(),
        (Op::Div, [a, b]) => a.div(b),
        (Op::Mod, [a, b]) => a.modulo(b),
        _ => Interval::ALL,
    }
}

/// The interval of the result over the integers, before it wraps around; `ALL` where the operator
/// has no such reading.
fn exact(term: &Term, args: &[Interval]) -> Interval {
    match (term.op(), args) {
        (Op::Value(value), _) => value.to_int().map_or(Interval::ALL, |n| Interval::point(&n)),
        (Op::Add | Op::Sub | Op::Mul, _) => integer(term.op(), args),
        (Op::Shl, [a, _]) => match shift(&term.args()[1]) {
            Some(by) => a.times(&(BigInt::one() << by)),
            None => Interval::ALL,
        },
        (Op::ZeroExtend(_), [a]) => a.clone(),
        (Op::SignExtend(_), [a]) => {
            let sort = term.args()[0].sort();
            let half = all_of(sort).upper.map(|top| top / 2);
            match (&a.upper, half) {
                (Some(hi), Some(half)) if *hi <= half => a.clone(),
                _ => Interval::ALL,
            }
        }
        (Op::Concat, [a, b]) => {
            let width = term.args()[1].sort().width().unwrap_or(0);
            a.times(&(BigInt::one() << width)).add(b)
        }
        (Op::Extract { low, .. }, [a]) => match a.ends() {
            Some((lo, hi)) => Interval::new(lo >> low, hi >> low),
            None => Interval::ALL,
        },
        _ => Interval::ALL,
    }
}

/// Bit-vector operators that never wrap around.
fn bits(term: &Term, width: u32, args: &[Interval]) -> Interval {
    let [a, b] = args else {
        return Interval::ALL;
    };
    let (Some((a_lo, a_hi)), Some((b_lo, b_hi))) = (a.ends(), b.ends()) else {
        return Interval::ALL;
    };
    match term.op() {
        // Contradictory bounds can leave an interval without elements; division must not mind.
        _ if a_lo > a_hi || b_lo > b_hi => Interval::ALL,
        Op::UDiv if b.is_positive() => Interval::new(a_lo / b_hi, a_hi / b_lo),
        Op::URem if b.is_positive() => Interval::new(0, a_hi.min(&(b_hi - 1)).clone()),
        Op::URem => Interval::new(0, a_hi.clone()),
        Op::LShr => match shift(&term.args()[1]) {
            Some(by) if by < width => Interval::new(a_lo >> by, a_hi >> by),
            _ => Interval::new(0, a_hi.clone()),
        },
        Op::BvAnd => Interval::new(0, a_hi.min(b_hi).clone()),
        Op::BvOr => Interval::new(a_lo.max(b_lo).clone(), below(a_hi.max(b_hi))),
        Op::BvXor => Interval::new(BigInt::zero(), below(a_hi.max(b_hi))),
        _ => Interval::ALL,
    }
}

/// The greatest natural with as many bits as `n`.
fn below(n: &BigInt) -> BigInt {
    (BigInt::one() << n.bits()) - 1
}

/// A literal shift amount.
fn shift(amount: &Term) -> Option<u32> {
    amount.as_bits().and_then(ToPrimitive::to_u32).filter(|by| *by <= crate::MAX_WIDTH)
}
