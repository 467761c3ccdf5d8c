//! Loops that a `break` ends, at a condition of closed forms: the iterations before it are counted like those of any
//! other loop, without a guard around what stands behind the `break`. The one that it leaves follows them, so a barrier
//! before it is one that threads meet together.

use super::recurrence::Closed;
use super::trial::Trial;
use super::trip::Counted;
use super::{Plan, Syntax};
use crate::arith::{and, not};
use crate::lower::{Lower, Lowered, Mode};
use crate::value::{Value, VarId};
use babycuda_core::Bool;
use babycuda_core::expr::Renaming;
use babycuda_kernel::{Node, Stmt, StmtKind};

impl<'t> Lower<'t> {
    /// When an iteration leaves the loop by its only `break`; `raised`: the flags that it may raise, `left`: what
    /// variables hold afterwards.
    pub(super) fn broken(
        &self,
        syntax: Syntax<'t>,
        raised: &[VarId],
        left: &[Value],
    ) -> Option<Bool> {
        match left.get(syntax.broken)? {
            Value::Bool(broken) if raised == [syntax.broken] && breaks(syntax.body) == 1 => {
                Some(broken.clone())
            }
            _ => None,
        }
    }

    /// The number of iterations that go to their end, if a `break` leaves the one that comes next.
    pub(super) fn count_unbroken(
        &self,
        trial: &Trial,
        closed: &[Option<Closed>],
        fixed: &Renaming,
    ) -> Option<Counted> {
        let goes_on = and(trial.condition.clone()?, not(trial.broken.clone()?));
        self.count(&goes_on, trial, closed, fixed).filter(|counted| !counted.partial)
    }

    /// For an iteration of a counted loop: is it the one that a `break` leaves?
    pub(super) fn breaking(&self, plan: &Plan<'t>, taken: bool) -> Mode {
        let breaks = plan.breaks.then_some((plan.syntax.broken, taken));
        Mode { breaks: breaks.or(self.mode.breaks), ..self.mode }
    }

    /// What follows the iterations of a counted loop: the last evaluation of the condition, and where that holds, the
    /// iteration that a `break` leaves.
    pub(super) fn leave_counted(&mut self, plan: &Plan<'t>) -> Lowered<()> {
        if !plan.breaks {
            return self.leave(plan.syntax);
        }
        let taken = self.breaking(plan, true);
        self.within(taken, |s| s.iteration(plan.syntax, &|_, c| Ok(c), &|_| Ok(())))
    }

    /// In the iteration that a `break` leaves, it is taken where it may be: nothing behind it runs.
    pub(in crate::lower) fn take_break(&mut self) {
        if let Some((flag, true)) = self.mode.breaks
            && self.env[flag] != Value::Bool(Bool::Lit(false))
        {
            self.env.raise(flag);
        }
    }
}

/// How often `break` stands in the body of a loop, for that loop.
fn breaks(body: &Stmt) -> usize {
    let mut found = 0;
    let mut pending = vec![Node::Stmt(body)];
    while let Some(next) = pending.pop() {
        match next {
            Node::Stmt(Stmt { kind: StmtKind::Break, .. }) => found += 1,
            Node::Stmt(Stmt { kind: StmtKind::Loop(_) | StmtKind::Switch(..), .. }) => {}
            _ => pending.extend(next.children()),
        }
    }
    found
}
