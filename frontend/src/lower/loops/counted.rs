//! The statement for a loop that runs a known number of times.

use super::trial::induction_type;
use super::trip::Counted;
use super::{Decide, Plan};
use crate::arith::{and, as_lit, lit, natural, not};
use crate::lower::branch::Side;
use crate::lower::sites::Event;
use crate::lower::{Lower, Lowered, refuse};
use crate::value::{Pointer, Value, VarId};
use babycuda_core::expr::ArithOp;
use babycuda_core::{Bool, IntType, Num, syntax};

impl<'t> Lower<'t> {
    pub(super) fn counted_loop(&mut self, plan: &Plan<'t>, counted: &Counted) -> Lowered<()> {
        let syntax = plan.syntax;
        let early = (plan.trial.irregular && !plan.breaks) || counted.partial;
        if early && plan.trial.body.has_sync() {
            return refuse(syntax.at, "barrier in a loop that may be left early");
        }
        let count = match &counted.direct {
            Some((lower, upper)) => natural(ArithOp::Sub, upper.clone(), lower.clone()),
            None => counted.count.clone(),
        };
        if as_lit(&count) == Some(0) && !counted.one_more {
            return self.leave_counted(plan);
        }
        let name = self.env.name(counted.variable).to_owned();
        let hint = match counted.direct {
            Some(_) => name,
            None => format!("{name}_k"),
        };
        let before = self.env.values().to_vec();
        let ((var, lower, upper, value), body) = self.in_block(|s| {
            let var = s.fresh(&hint);
            let (lower, upper, k) = match &counted.direct {
                Some((lower, upper)) => {
                    let most = s.ranges.natural(upper).map_or(u64::MAX.into(), |r| r.1 - 1);
                    let least = s.ranges.natural(lower).map_or(0, |r| r.0);
                    let t = s.variable_type(plan, counted.variable);
                    s.ranges.set(var.clone(), t, (least, most.max(least)));
                    let k = natural(ArithOp::Sub, Num::Var(var.clone()), lower.clone());
                    (lower.clone(), upper.clone(), k)
                }
                None => {
                    let most = s.ranges.natural(&count).map_or(u64::MAX.into(), |r| r.1 - 1);
                    s.ranges.set(var.clone(), IntType::U64, (0, most.max(0)));
                    (lit(0), count.clone(), Num::Var(var.clone()))
                }
            };
            s.set_values(plan, &k);
            if counted.direct.is_some() {
                let v = counted.variable;
                s.env[v] = with_number(&plan.trial.variables.entry[v], Num::Var(var.clone()));
            }
            if let (Some((t, range)), Value::Int(_, num)) =
                (counted.range, s.env[counted.variable].clone())
            {
                s.ranges.assume(&num, t, range);
            }
            let value = s.env[counted.variable].clone();
            let decide: Decide<'_, 't> = &|s, condition| {
                Ok(match (early, counted.partial) {
                    (false, _) => Bool::Lit(true),
                    (true, false) => s.unknown_bool(syntax.at),
                    (true, true) => and(s.unknown_bool(syntax.at), condition),
                })
            };
            s.within(s.breaking(plan, false), |s| s.emitted(plan, decide))?;
            Ok((var, lower, upper, value))
        })?;
        self.env.restore(before);
        if let (Value::Int(ty, value), false) = (value, self.mode.on_trial) {
            let name = self.env.name(counted.variable).to_owned();
            let site = self.site(Event::Loop, syntax.at);
            self.out.sites.counts(site, syntax::Counted { name, ty, counter: var.clone(), value });
        }
        self.push_for(syntax.at, var, lower, upper, body);
        let step = syntax.update.map_or(syntax.at, |update| update.at);
        if !early && counted.fits != Bool::Lit(true) {
            self.push_stop(not(counted.fits.clone()), step);
        } else if counted.taken_to_fit {
            self.push_unsaid_stop(step);
        }
        if counted.multiples_fit {
            self.push_unsaid_stop(step);
        }
        if early {
            if counted.one_more {
                let begins = self.unknown_bool(syntax.at);
                self.set_values(plan, &count);
                let one: Side<'_, 't> = &|s| {
                    if counted.fits != Bool::Lit(true) {
                        s.push_stop(not(counted.fits.clone()), step);
                    }
                    s.iteration(syntax, &|_, condition| Ok(condition), &|_| Ok(()))
                };
                self.branch(begins, one, &|_| Ok(()), syntax.at)?;
            }
            self.forget(plan);
            self.forget_flags(plan);
        } else {
            self.set_values(plan, &count);
            self.leave_counted(plan)?;
        }
        Ok(())
    }

    /// The type at which the variable that counts is computed.
    fn variable_type(&self, plan: &Plan<'t>, v: VarId) -> IntType {
        induction_type(&plan.trial.variables.entry[v]).unwrap_or(IntType::U64)
    }

    /// Gives every variable that the loop changes what it holds when iteration `k` starts.
    fn set_values(&mut self, plan: &Plan<'t>, k: &Num) {
        let variables = &plan.trial.variables;
        let mut known: Vec<(VarId, Value)> = Vec::new();
        for v in plan.trial.changed() {
            if let Some(num) = variables.at(v, &plan.closed, k, &self.ranges)
                && self.usable(&num)
            {
                known.push((v, with_number(&variables.entry[v], num)));
            } else if let Some(value) = self.rotated(plan, v, k) {
                known.push((v, value));
            }
        }
        self.forget(plan);
        for (v, value) in known {
            self.env[v] = value;
        }
    }
}

/// A value like `value`, of another number.
fn with_number(value: &Value, num: Num) -> Value {
    match value {
        Value::Int(t, _) => Value::Int(*t, num),
        Value::Pointer(p) => Value::Pointer(Pointer { index: num, ..p.clone() }),
        other => other.clone(),
    }
}
