//! The number of iterations of a loop whose condition compares a variable that has a closed form
//! with something that does not change.

use super::recurrence::{Closed, Form, Recurrences, linear};
use super::{Trial, induction_type};
use crate::arith::{
    and, as_lit, bit, cast, compare, compare_natural, lit, machine, natural, not, or, select,
};
use crate::lower::Lower;
use crate::range::{Range, full};
use crate::value::{Value, VarId};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Natural, Num};

/// A loop that runs a known number of times.
pub(super) struct Counted {
    /// The variable that counts.
    pub(super) variable: VarId,
    /// The number of iterations, a natural.
    pub(super) count: Num,
    /// The condition under which that is so: no overflow before the loop ends.
    pub(super) safe: Bool,
    /// The condition under which the counter does not overflow at the end of the last iteration.
    /// Where it does, the thread stops.
    pub(super) fits: Bool,
    /// Does the condition have a part that may end the loop earlier?
    pub(super) partial: bool,
    /// What the variable is, read at a type, while the condition holds.
    pub(super) range: Option<(IntType, Range)>,
    /// The bounds of the variable itself, when it counts up by 1 from a natural.
    pub(super) direct: Option<(Num, Num)>,
}

/// A comparison `x relation limit` at type `t`, of a variable with a closed form.
struct Test {
    t: IntType,
    relation: Relation,
    start: Num,
    limit: Num,
    /// What must hold for the comparison to be as said.
    safe: Bool,
}

/// How often a test holds.
struct Solved {
    count: Num,
    /// The condition under which that is so, as long as the counter does not overflow.
    safe: Bool,
    /// The condition under which it does not.
    fits: Bool,
}

impl Solved {
    fn always(count: Num) -> Solved {
        Solved { count, safe: Bool::Lit(true), fits: Bool::Lit(true) }
    }
}

/// The pattern of the integer `value` at type `t`.
fn pattern(t: IntType, value: i128) -> Num {
    Num::Lit(Natural::from(t.write(value)))
}

/// The conjuncts of a condition.
fn conjuncts(c: &Bool, out: &mut Vec<Bool>) {
    match c {
        Bool::Connective(BoolOp::And, l, r) => {
            conjuncts(l, out);
            conjuncts(r, out);
        }
        other => out.push(other.clone()),
    }
}

/// The relation with its sides exchanged.
pub(in crate::lower) fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Gt,
        Relation::Le => Relation::Ge,
        Relation::Gt => Relation::Lt,
        Relation::Ge => Relation::Le,
        same => same,
    }
}

impl<'t> Lower<'t> {
    /// The number of iterations, when the condition gives it.
    pub(super) fn count(
        &self,
        trial: &Trial,
        closed: &[Option<Closed>],
        entry: &[Value],
    ) -> Option<Counted> {
        let recurrences =
            Recurrences { names: &trial.names, symbols: &trial.symbols, next: &trial.next, entry };
        let condition = trial.condition.as_ref()?.subst(&recurrences.unchanged());
        let mut parts = Vec::new();
        conjuncts(&condition, &mut parts);
        let mut enabled = Bool::Lit(true);
        let mut counted: Option<Counted> = None;
        let mut partial = false;
        for part in parts {
            let varies =
                part.free_vars().iter().any(|x| trial.names.contains(x) || !self.is_bound_here(x));
            if !varies {
                enabled = and(enabled, part);
            } else if counted.is_none() {
                match self.count_by(&part, trial, closed) {
                    Some(found) => counted = Some(found),
                    None => partial = true,
                }
            } else {
                partial = true;
            }
        }
        let mut counted = counted?;
        counted.partial = partial;
        if enabled != Bool::Lit(true) {
            counted.fits = or(not(enabled.clone()), counted.fits);
            counted.count = select(enabled, counted.count, lit(0));
            counted.direct = None;
        }
        Some(counted)
    }

    /// The number of iterations for which one comparison holds.
    fn count_by(&self, part: &Bool, trial: &Trial, closed: &[Option<Closed>]) -> Option<Counted> {
        let Bool::Compare(op, l, r) = part else {
            return None;
        };
        let t = op.machine?;
        let mentions = |n: &Num| n.free_vars().iter().any(|x| trial.names.contains(x));
        let (side, limit, relation) = match (mentions(l), mentions(r)) {
            (true, false) => (l, r, op.relation),
            (false, true) => (r, l, mirrored(op.relation)),
            _ => return None,
        };
        if limit.free_vars().iter().any(|x| !self.is_bound_here(x)) {
            return None;
        }
        let vars = side.free_vars();
        let v = trial.names.iter().position(|n| vars.contains(n))?;
        let form = closed[v].as_ref()?;
        let tv = induction_type(&trial.symbols[v], &self.variables[v].ctype)?;
        // The variable itself, converted to a wider type, or plus something that does not change.
        // Without a conversion its pattern counts at a wider type: it is read as unsigned there.
        let (inner, tv) = match side.as_ref() {
            Num::Cast(from, to, n) if from.width == tv.width && to.width == t.width => {
                (n.as_ref(), *from)
            }
            other if t.width > tv.width => (other, IntType { signed: false, ..tv }),
            other => (other, tv),
        };
        let rest = linear(inner, &trial.names[v], tv)?;
        let is_linear = matches!(form.form, Form::Up(_) | Form::Down(_));
        if rest != lit(0) && !(is_linear && t.width == tv.width) {
            return None;
        }
        if rest.free_vars().iter().any(|x| !self.is_bound_here(x)) {
            return None;
        }
        let start = machine(MachineOp::Add, tv, form.start.clone(), rest.clone());
        let test = self.narrowed(t, tv, relation, start, limit, form)?;
        let stops = trial.exact.contains(&v) && tv.signed;
        let Solved { count, mut safe, mut fits } = self.solve_test(&test, form, stops)?;
        if !stops {
            safe = and(safe, fits);
            fits = Bool::Lit(true);
        } else if fits != Bool::Lit(true) {
            fits = self.last_fits(&test, form, &count);
        }
        let direct = match &form.form {
            Form::Up(step) if as_lit(step) == Some(1) && rest == lit(0) => self.direct(&test),
            _ => None,
        };
        let range = (rest == lit(0)).then(|| (test.t, self.between(&test, form)));
        Some(Counted {
            variable: v,
            range,
            count,
            safe: and(test.safe.clone(), safe),
            fits,
            partial: false,
            direct,
        })
    }

    /// The test at the variable's own width: C compares at a wider type when the limit has one.
    fn narrowed(
        &self,
        t: IntType,
        tv: IntType,
        relation: Relation,
        start: Num,
        limit: &Num,
        form: &Closed,
    ) -> Option<Test> {
        if t.width == tv.width {
            return Some(Test { t, relation, start, limit: limit.clone(), safe: Bool::Lit(true) });
        }
        let (min, max) = full(tv);
        let mut safe = Bool::Lit(true);
        let mut floor = min;
        if tv.signed && !t.signed {
            // Negative values would count as huge ones.
            if !matches!(form.form, Form::Up(_) | Form::Left(_)) {
                return None;
            }
            safe = compare(Relation::Ge, tv, start.clone(), lit(0), &self.ranges);
            floor = 0;
        }
        let at_most = compare(Relation::Le, t, limit.clone(), pattern(t, max), &self.ranges);
        let at_least = compare(Relation::Ge, t, limit.clone(), pattern(t, floor), &self.ranges);
        Some(Test {
            t: tv,
            relation,
            start,
            limit: cast(t, tv, limit.clone(), &self.ranges),
            safe: and(safe, and(at_most, at_least)),
        })
    }

    /// How often the test holds. `stops`: a thread stops when the counter overflows.
    fn solve_test(&self, test: &Test, form: &Closed, stops: bool) -> Option<Solved> {
        match &form.form {
            Form::Up(step) => self.stepping(test, step, true),
            Form::Down(step) => self.stepping(test, step, false),
            Form::Left(bits) => self.growing(test, *bits, stops),
            Form::Right(bits) => self.shrinking(test, *bits, form),
            Form::Flip(..) | Form::After(_) => None,
        }
    }

    fn stepping(&self, test: &Test, step: &Num, up: bool) -> Option<Solved> {
        let t = test.t;
        let u = IntType { signed: false, ..t };
        let (min, max) = full(t);
        let (s, limit) = (test.start.clone(), test.limit.clone());
        let steps = self.ranges.of(step, t);
        let limits = self.ranges.of(&limit, t);
        if steps.1 < 1 {
            return None;
        }
        let forward = compare(Relation::Ge, t, step.clone(), lit(1), &self.ranges);
        let distance = if up {
            machine(MachineOp::Sub, u, limit.clone(), s.clone())
        } else {
            machine(MachineOp::Sub, u, s.clone(), limit.clone())
        };
        let one = as_lit(step) == Some(1);
        if test.relation == Relation::Ne {
            if one {
                return Some(Solved::always(distance));
            }
            let ahead = if up { Relation::Le } else { Relation::Ge };
            let remainder = machine(MachineOp::Rem, u, distance.clone(), step.clone());
            let safe = and(
                compare(ahead, t, s, limit, &self.ranges),
                compare(Relation::Eq, u, remainder, lit(0), &self.ranges),
            );
            let count = machine(MachineOp::Div, u, distance, step.clone());
            return Some(Solved { count, safe: and(forward, safe), fits: Bool::Lit(true) });
        }
        let strict = match (test.relation, up) {
            (Relation::Lt, true) | (Relation::Gt, false) => true,
            (Relation::Le, true) | (Relation::Ge, false) => false,
            _ => return None,
        };
        let runs = compare(test.relation, t, s, limit.clone(), &self.ranges);
        let times = match (strict, one) {
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
        // No overflow: the last value for which the test holds, plus a step, is representable.
        let slack = i128::from(strict);
        let proved =
            if up { limits.1 - slack + steps.1 <= max } else { limits.0 + slack - steps.1 >= min };
        let fits = if proved || (one && strict) {
            Bool::Lit(true)
        } else if let (Some(_), true) = (as_lit(step), steps.1 - slack <= max) {
            let (relation, bound) = if up {
                (Relation::Le, max - steps.1 + slack)
            } else {
                (Relation::Ge, min + steps.1 - slack)
            };
            compare(relation, t, limit, pattern(t, bound), &self.ranges)
        } else {
            let last = match (strict, up) {
                (false, _) => limit,
                (true, true) => machine(MachineOp::Sub, u, limit, lit(1)),
                (true, false) => machine(MachineOp::Add, u, limit, lit(1)),
            };
            let room = if up {
                machine(MachineOp::Sub, u, pattern(t, max), last)
            } else {
                machine(MachineOp::Sub, u, last, pattern(t, min))
            };
            compare(Relation::Le, u, step.clone(), room, &self.ranges)
        };
        Some(Solved { count: select(runs, times, lit(0)), safe: forward, fits })
    }

    /// The condition under which the counter has a value after `count` iterations. Said to hold
    /// where that is not computed: then nobody stops there.
    fn last_fits(&self, test: &Test, form: &Closed, count: &Num) -> Bool {
        let (t, wide) = (test.t, IntType::I64);
        let (op, step, relation, end) = match &form.form {
            Form::Up(step) => (MachineOp::Add, step, Relation::Le, full(t).1),
            Form::Down(step) => (MachineOp::Sub, step, Relation::Ge, full(t).0),
            _ => return Bool::Lit(true),
        };
        if t.width >= wide.width {
            return Bool::Lit(true);
        }
        let widened = |n: &Num| cast(t, wide, n.clone(), &self.ranges);
        let way = machine(MachineOp::Mul, wide, count.clone(), widened(step));
        let last = machine(op, wide, widened(&test.start), way);
        compare(relation, wide, last, pattern(wide, end), &self.ranges)
    }

    /// `x << bits` while `x < limit` or `x <= limit`.
    fn growing(&self, test: &Test, bits: u64, stops: bool) -> Option<Solved> {
        if bits == 0 || !matches!(test.relation, Relation::Lt | Relation::Le) {
            return None;
        }
        let t = test.t;
        let starts = self.ranges.of(&test.start, t);
        let limits = self.ranges.of(&test.limit, t);
        if starts.1 < 1 {
            return None;
        }
        let largest = full(t).1 >> bits;
        let positive = compare(Relation::Ge, t, test.start.clone(), lit(1), &self.ranges);
        let bounded =
            compare(Relation::Le, t, test.limit.clone(), pattern(t, largest), &self.ranges);
        let limit = if limits.0 < 0 {
            machine(MachineOp::Max, t, test.limit.clone(), lit(0))
        } else {
            test.limit.clone()
        };
        // A counter that stops on overflow reaches every value below the limit.
        let bound = if stops { limits.1 } else { limits.1.min(largest) };
        let smallest = starts.0.max(1);
        let mut count = lit(0);
        for level in 0..64 {
            let factor = 1i128 << (bits * level).min(64);
            if smallest.saturating_mul(factor) > bound {
                break;
            }
            let value =
                natural(ArithOp::Mul, test.start.clone(), Num::Lit(Natural::from(factor as u128)));
            let holds = match as_lit(&value) {
                Some(_) => compare(test.relation, t, value, limit.clone(), &self.ranges),
                None => compare_natural(test.relation, value, limit.clone()),
            };
            count = natural(ArithOp::Add, count, bit(holds));
        }
        Some(Solved { count, safe: positive, fits: bounded })
    }

    /// `x >> bits` while `x > limit`, `x >= limit` or `x != 0`.
    fn shrinking(&self, test: &Test, bits: u64, form: &Closed) -> Option<Solved> {
        if bits == 0 {
            return None;
        }
        let t = test.t;
        let floor = match test.relation {
            Relation::Gt => 0,
            Relation::Ge => 1,
            Relation::Ne if test.limit == lit(0) => 0,
            _ => return None,
        };
        let starts = self.ranges.of(&test.start, t);
        if starts.1 < 0 {
            return None;
        }
        let safe = and(
            // Not negative where it is shifted, and not where it is compared.
            and(
                compare(Relation::Ge, form.t, test.start.clone(), lit(0), &self.ranges),
                compare(Relation::Ge, t, test.start.clone(), lit(0), &self.ranges),
            ),
            compare(Relation::Ge, t, test.limit.clone(), pattern(t, floor), &self.ranges),
        );
        let mut count = lit(0);
        for level in 0..64 {
            let shift = bits * level;
            if starts.1 >> shift.min(127) == 0 {
                break;
            }
            let value = machine(MachineOp::Shr, form.t, test.start.clone(), lit(shift));
            let holds = compare(test.relation, t, value, test.limit.clone(), &self.ranges);
            count = natural(ArithOp::Add, count, bit(holds));
        }
        Some(Solved { count, safe, fits: Bool::Lit(true) })
    }

    /// The values that the variable has while the test holds: between its start and the limit.
    fn between(&self, test: &Test, form: &Closed) -> Range {
        let start = self.ranges.of(&test.start, test.t);
        let limit = self.ranges.of(&test.limit, test.t);
        let slack = i128::from(matches!(test.relation, Relation::Lt | Relation::Gt));
        match (test.relation, &form.form) {
            (Relation::Lt | Relation::Le, Form::Up(_) | Form::Left(_)) => {
                (start.0, limit.1 - slack)
            }
            (Relation::Gt | Relation::Ge, Form::Down(_) | Form::Right(_)) => {
                (limit.0 + slack, start.1)
            }
            _ => full(test.t),
        }
    }

    /// The bounds of a variable that counts up by 1 from a natural.
    fn direct(&self, test: &Test) -> Option<(Num, Num)> {
        let t = test.t;
        let starts = self.ranges.of(&test.start, t);
        let limits = self.ranges.of(&test.limit, t);
        if starts.0 < 0 {
            return None;
        }
        let start = test.start.clone();
        let ahead = limits.0 >= starts.1;
        let upper = match test.relation {
            Relation::Lt if ahead => test.limit.clone(),
            Relation::Lt => machine(MachineOp::Max, t, test.limit.clone(), start.clone()),
            Relation::Le => {
                let next = natural(ArithOp::Add, test.limit.clone(), lit(1));
                let none =
                    not(compare(Relation::Le, t, start.clone(), test.limit.clone(), &self.ranges));
                select(none, start.clone(), next)
            }
            _ => return None,
        };
        Some((start, upper))
    }
}
