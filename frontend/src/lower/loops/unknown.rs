//! Loops of which nobody knows how often they run, and loops that do not end.

use super::Plan;
use super::recurrence::Recurrences;
use super::trial::Trial;
use crate::arith::lit;
use crate::lower::branch::Side;
use crate::lower::{Lower, Lowered, refuse};
use crate::value::{Pointer, Value};
use babycuda_core::{Bool, IntType, Name};

impl<'t> Lower<'t> {
    /// Makes what an iteration changes unknown.
    pub(super) fn forget(&mut self, plan: &Plan<'t>) {
        for v in plan.trial.changed() {
            let ctype = self.env.ctype(v).clone();
            let Recurrences { entry, next, .. } = &plan.trial.variables;
            self.env[v] = match (&entry[v], &next[v]) {
                (Value::Pointer(p), Value::Pointer(q)) if p.base == q.base => {
                    let index = self.unknown_int(IntType::U64, plan.syntax.at);
                    Value::Pointer(Pointer { index, ..p.clone() })
                }
                (Value::Void, _) => Value::Void,
                _ => self.unknown(&ctype, plan.syntax.at),
            };
        }
    }

    /// Raises, or not, the flags of enclosing statements that an iteration may raise: nobody knows.
    pub(super) fn forget_flags(&mut self, plan: &Plan<'t>) {
        for flag in &plan.trial.raised {
            self.env[*flag] = Value::Bool(self.unknown_bool(plan.syntax.at));
        }
    }

    /// The condition of a loop that runs for ever where it holds: no iteration changes it, nor
    /// leaves the loop otherwise.
    pub(super) fn endless(&self, trial: &Trial) -> Option<Bool> {
        let condition = trial.condition.as_ref()?.subst(&trial.variables.unchanged());
        let known = |x: &Name| !trial.variables.names.contains(x) && self.is_bound_here(x);
        let same = condition.free_vars().iter().all(known) && self.usable_bool(&condition);
        (same && !trial.irregular).then_some(condition)
    }

    /// A loop that runs for ever where `condition` holds.
    pub(super) fn endless_loop(&mut self, plan: &Plan<'t>, condition: Bool) -> Lowered<()> {
        if plan.trial.body.has_sync() {
            return refuse(plan.syntax.at, "barrier in a loop that does not end");
        }
        let syntax = plan.syntax;
        let rounds: Side<'_, 't> = &|s| {
            s.turns(plan, false)?;
            s.halt(Bool::Lit(true), "a loop does not end", syntax.at);
            // Nobody gets here: what variables hold is what they hold where nobody was in the loop.
            s.env.restore(plan.trial.variables.entry.clone());
            s.leave(syntax)
        };
        self.branch(condition, rounds, &|s| s.leave(syntax), syntax.at)
    }

    /// A loop that runs an unknown number of times, perhaps for ever. So it stays where its
    /// iterations do nothing: what follows it rests on that number.
    pub(super) fn unknown_loop(&mut self, plan: &Plan<'t>) -> Lowered<()> {
        self.turns(plan, true)
    }

    /// An unknown number of iterations; `stays`: also of one that does nothing.
    fn turns(&mut self, plan: &Plan<'t>, stays: bool) -> Lowered<()> {
        let syntax = plan.syntax;
        if plan.trial.body.has_sync() {
            return match self.is_left_together(plan) {
                true => self.turns_together(plan),
                false => {
                    refuse(syntax.at, "barrier in a loop whose number of iterations is not known")
                }
            };
        }
        let entry = &plan.trial.variables.entry;
        if plan.trial.condition.is_none() {
            // At least once, the condition is evaluated with what variables hold now.
            self.leave(syntax)?;
            self.env.restore(entry.clone());
        }
        let times = self.unknown_natural(syntax.at);
        if stays {
            times.collect_vars(&mut self.out.turns);
        }
        let ((), body) = self.in_block(|s| {
            s.forget(plan);
            s.emitted(plan, &|_, condition| Ok(condition))
        })?;
        self.env.restore(entry.clone());
        let var = self.fresh("round");
        self.push_for(syntax.at, var, lit(0), times, body);
        self.forget(plan);
        self.forget_flags(plan);
        Ok(())
    }
}
