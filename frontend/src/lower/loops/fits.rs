//! That a counter stays within its type while a loop runs.

use super::recurrence::Form;
use super::times::Test;
use crate::arith::{and, as_lit, cast, compare_natural, lit, machine, not, or, pattern};
use crate::range::full;
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, MachineOp, Natural, Num};

impl Test<'_> {
    /// The condition under which the counter has a value after each iteration: the last value for
    /// which the test holds, one step further.
    pub(super) fn fits(&self) -> Bool {
        let t = self.t;
        match &self.form.form {
            Form::Up(step) => self.step_fits(step, true),
            Form::Down(step) => self.step_fits(step, false),
            Form::Left(bits) => {
                self.is(Relation::Le, t, &self.limit, pattern(t, full(t).1 >> bits))
            }
            Form::Right(_) | Form::Flip(..) | Form::Around(..) | Form::After(_) => Bool::Lit(true),
        }
    }

    fn step_fits(&self, step: &Num, up: bool) -> Bool {
        // A counter that runs into its limit does not pass it.
        let Some(strict) = self.is_strict(up) else {
            return Bool::Lit(true);
        };
        let (t, u) = (self.t, IntType { signed: false, ..self.t });
        let (min, max) = full(t);
        let (steps, limits) = (self.ranges.of(step, t), self.ranges.of(&self.limit, t));
        let slack = i128::from(strict);
        let proved =
            if up { limits.1 - slack + steps.1 <= max } else { limits.0 + slack - steps.1 >= min };
        if proved || (strict && as_lit(step) == Some(1)) {
            return Bool::Lit(true);
        }
        if as_lit(step).is_some() && steps.1 - slack <= max {
            let (relation, bound) = if up {
                (Relation::Le, max - steps.1 + slack)
            } else {
                (Relation::Ge, min + steps.1 - slack)
            };
            return self.is(relation, t, &self.limit, pattern(t, bound));
        }
        let limit = self.limit.clone();
        let last = match (strict, up) {
            (false, _) => limit,
            (true, true) => machine(MachineOp::Sub, u, limit, lit(1)),
            (true, false) => machine(MachineOp::Add, u, limit, lit(1)),
        };
        let (high, low) = if up { (pattern(t, max), last) } else { (last, pattern(t, min)) };
        self.is(Relation::Le, u, step, machine(MachineOp::Sub, u, high, low))
    }

    /// The condition under which the counter has a value after `count` iterations. Said to hold
    /// where that is not computed: then nobody stops there.
    pub(super) fn last_fits(&self, count: &Num) -> Bool {
        let (t, wide) = (self.t, IntType::I64);
        let (op, step, relation, end) = match &self.form.form {
            Form::Left(bits) => {
                let most = full(t).1 >> bits;
                let last = Num::Lit(Natural::from(most.unsigned_abs()));
                let fits = |(value, holds): (Num, Bool)| {
                    or(not(holds), compare_natural(Relation::Le, value, last.clone()))
                };
                let values = self.doubled(*bits, full(t).1);
                return values.into_iter().map(fits).fold(Bool::Lit(true), and);
            }
            Form::Up(step) => (MachineOp::Add, step, Relation::Le, full(t).1),
            Form::Down(step) => (MachineOp::Sub, step, Relation::Ge, full(t).0),
            _ => return Bool::Lit(true),
        };
        if t.width >= wide.width {
            return Bool::Lit(true);
        }
        let widened = |n: &Num| cast(t, wide, n.clone(), self.ranges);
        let way = machine(MachineOp::Mul, wide, count.clone(), widened(step));
        let last = machine(op, wide, widened(&self.start), way);
        self.is(relation, wide, &last, pattern(wide, end))
    }
}
