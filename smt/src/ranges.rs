//! Interval analysis: an interval that holds every value a term can take.

use std::{collections::HashMap, sync::Arc};

use babycuda_core::Interval;
use babycuda_core::budget::pause;
use num_bigint::BigInt;
use num_traits::Zero;

use crate::{
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

/// Intervals of terms, given intervals of constants; Bool terms have none (`ALL`).
pub(crate) struct Intervals {
    constants: HashMap<Arc<str>, Interval>,
    by_zero: ByZero,
    memo: HashMap<Term, Interval>,
}

impl Intervals {
    pub(crate) fn new(constants: HashMap<Arc<str>, Interval>, by_zero: ByZero) -> Intervals {
        Intervals { constants, by_zero, memo: HashMap::new() }
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
            return self.constants.get(name).cloned().unwrap_or_default();
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
        integer(term.op(), &args)
    }
}

fn integer(op: &Op, args: &[Interval]) -> Interval {
    match (op, args) {
        (Op::Value(Value::Int(n)), _) => Interval::point(n),
        (Op::Add, [a, b]) => a.add(b),
        (Op::Sub, [a, b]) => a.sub(b),
        (Op::Mul, [a, b]) => a.mul(b),
        (Op::Div, [a, b]) => a.div(b),
        (Op::Mod, [a, b]) => a.modulo(b),
        _ => Interval::ALL,
    }
}
