//! How often a comparison of a counter with a limit holds, as long as the counter does not overflow.

use super::recurrence::{Closed, Form};
use crate::arith::{
    and, as_lit, bit, compare, compare_natural, lit, machine, natural, not, pattern, select,
};
use crate::range::{Known, Range, full};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Natural, Num};

/// A comparison `x relation limit` at type `t`, of a variable with a closed form.
pub(super) struct Test<'a> {
    pub(super) t: IntType,
    pub(super) relation: Relation,
    pub(super) start: Num,
    pub(super) limit: Num,
    pub(super) form: &'a Closed,
    pub(super) ranges: &'a Known,
}

impl Test<'_> {
    /// `l relation r` at type `t`.
    pub(super) fn is(&self, relation: Relation, t: IntType, l: &Num, r: Num) -> Bool {
        compare(relation, t, l.clone(), r, self.ranges)
    }

    /// The number of times, and the condition under which it is that. `stops`: a thread stops when
    /// the counter overflows.
    pub(super) fn times(&self, stops: bool) -> Option<(Num, Bool)> {
        match &self.form.form {
            Form::Up(step) => self.stepping(step, true),
            Form::Down(step) => self.stepping(step, false),
            Form::Left(bits) => self.growing(*bits, stops),
            Form::Right(bits) => self.shrinking(*bits),
            Form::Flip(..) | Form::Around(..) | Form::After(_) => None,
        }
    }

    /// Is the limit left out, for a counter that goes up or down towards it?
    pub(super) fn is_strict(&self, up: bool) -> Option<bool> {
        match (self.relation, up) {
            (Relation::Lt, true) | (Relation::Gt, false) => Some(true),
            (Relation::Le, true) | (Relation::Ge, false) => Some(false),
            _ => None,
        }
    }

    fn stepping(&self, step: &Num, up: bool) -> Option<(Num, Bool)> {
        let (t, u) = (self.t, IntType { signed: false, ..self.t });
        let (start, limit) = (&self.start, &self.limit);
        if self.ranges.of(step, t).1 < 1 {
            return None;
        }
        let forward = self.is(Relation::Ge, t, step, lit(1));
        let (high, low) = if up { (limit, start) } else { (start, limit) };
        let distance = machine(MachineOp::Sub, u, high.clone(), low.clone());
        let one = as_lit(step) == Some(1);
        if self.relation == Relation::Ne {
            if one {
                return Some((distance, Bool::Lit(true)));
            }
            let ahead = if up { Relation::Le } else { Relation::Ge };
            let remainder = machine(MachineOp::Rem, u, distance.clone(), step.clone());
            let safe = and(
                self.is(ahead, t, start, limit.clone()),
                self.is(Relation::Eq, u, &remainder, lit(0)),
            );
            return Some((machine(MachineOp::Div, u, distance, step.clone()), and(forward, safe)));
        }
        let times = match (self.is_strict(up)?, one) {
            (true, true) => distance,
            (true, false) => {
                let whole = machine(MachineOp::Sub, u, distance, lit(1));
                let whole = machine(MachineOp::Div, u, whole, step.clone());
                natural(ArithOp::Add, whole, lit(1))
            }
            (false, _) => {
                let whole = machine(MachineOp::Div, u, distance, step.clone());
                natural(ArithOp::Add, whole, lit(1))
            }
        };
        let runs = self.is(self.relation, t, start, limit.clone());
        Some((select(runs, times, lit(0)), forward))
    }

    /// `x << bits` while `x < limit` or `x <= limit`.
    fn growing(&self, bits: u64, stops: bool) -> Option<(Num, Bool)> {
        if bits == 0 || !matches!(self.relation, Relation::Lt | Relation::Le) {
            return None;
        }
        let t = self.t;
        if self.ranges.of(&self.start, t).1 < 1 {
            return None;
        }
        // A counter that stops on overflow reaches every value below the limit.
        let most = if stops { full(t).1 } else { full(t).1 >> bits };
        let rounds = self.doubled(bits, most).into_iter().map(|(_, holds)| bit(holds));
        let count = rounds.fold(lit(0), |n, round| natural(ArithOp::Add, n, round));
        Some((count, self.is(Relation::Ge, t, &self.start, lit(1))))
    }

    /// The values of `x << bits`, as naturals, that may be `most` and below the limit; and does the test hold?
    pub(super) fn doubled(&self, bits: u64, most: i128) -> Vec<(Num, Bool)> {
        let t = self.t;
        let limits = self.ranges.of(&self.limit, t);
        let limit = if limits.0 < 0 {
            machine(MachineOp::Max, t, self.limit.clone(), lit(0))
        } else {
            self.limit.clone()
        };
        let bound = limits.1.min(most);
        let smallest = self.ranges.of(&self.start, t).0.max(1);
        let factors = (0..64).map(|level| 1i128 << (bits * level).min(64));
        let factors = factors.take_while(|factor| smallest.saturating_mul(*factor) <= bound);
        let round = |factor: i128| {
            let factor = Num::Lit(Natural::from(factor.unsigned_abs()));
            let value = natural(ArithOp::Mul, self.start.clone(), factor);
            let holds = match as_lit(&value) {
                Some(_) => self.is(self.relation, t, &value, limit.clone()),
                None => compare_natural(self.relation, value.clone(), limit.clone()),
            };
            (value, holds)
        };
        factors.map(round).collect()
    }

    /// `x >> bits` while `x > limit`, `x >= limit` or `x != 0`.
    fn shrinking(&self, bits: u64) -> Option<(Num, Bool)> {
        if bits == 0 {
            return None;
        }
        let t = self.t;
        let floor = match self.relation {
            Relation::Gt => 0,
            Relation::Ge => 1,
            Relation::Ne if self.limit == lit(0) => 0,
            _ => return None,
        };
        let starts = self.ranges.of(&self.start, t);
        if starts.1 < 0 {
            return None;
        }
        // Not negative where it is shifted, and not where it is compared. What is negative at both stays so,
        // and is less than any limit.
        let natural_at = |t| self.is(Relation::Ge, t, &self.start, lit(0));
        let positive = match self.form.t == t && t.signed && self.relation != Relation::Ne {
            true => Bool::Lit(true),
            false => and(natural_at(self.form.t), natural_at(t)),
        };
        let safe = and(positive, self.is(Relation::Ge, t, &self.limit, pattern(t, floor)));
        let mut count = lit(0);
        for level in 0..64 {
            let shift = bits * level;
            if starts.1 >> shift.min(127) == 0 {
                break;
            }
            let value = machine(MachineOp::Shr, self.form.t, self.start.clone(), lit(shift));
            let holds = self.is(self.relation, t, &value, self.limit.clone());
            count = natural(ArithOp::Add, count, bit(holds));
        }
        Some((count, safe))
    }

    /// The values that the variable has while the test holds: between its start and the limit.
    pub(super) fn values(&self) -> Range {
        let start = self.ranges.of(&self.start, self.t);
        let limit = self.ranges.of(&self.limit, self.t);
        let slack = i128::from(matches!(self.relation, Relation::Lt | Relation::Gt));
        match (self.relation, &self.form.form) {
            (Relation::Lt | Relation::Le, Form::Up(_) | Form::Left(_)) => {
                (start.0, limit.1 - slack)
            }
            (Relation::Gt | Relation::Ge, Form::Down(_) | Form::Right(_)) => {
                (limit.0 + slack, start.1)
            }
            _ => full(self.t),
        }
    }

    /// The bounds of a variable that counts up by 1 from a natural.
    pub(super) fn bounds(&self) -> Option<(Num, Num)> {
        let t = self.t;
        let starts = self.ranges.of(&self.start, t);
        let limits = self.ranges.of(&self.limit, t);
        if starts.0 < 0 {
            return None;
        }
        let (start, limit) = (self.start.clone(), self.limit.clone());
        let upper = match self.relation {
            Relation::Lt if limits.0 >= starts.1 => limit,
            Relation::Lt => machine(MachineOp::Max, t, limit, start.clone()),
            Relation::Le => {
                let none = not(self.is(Relation::Le, t, &start, limit.clone()));
                select(none, start.clone(), natural(ArithOp::Add, limit, lit(1)))
            }
            _ => return None,
        };
        Some((start, upper))
    }
}
