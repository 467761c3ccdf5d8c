//! Loops that `break` or `return` ends, at a condition of closed forms: the iterations before it are counted like those
//! of any other loop, without a guard around what stands behind it. The one that it leaves follows them. Where only one
//! statement can leave the loop, that one does, so a barrier before it is one that threads meet together.

use super::recurrence::Closed;
use super::trial::Trial;
use super::trip::{Counted, conjuncts};
use super::{Plan, Syntax};
use crate::arith::{and, not, or};
use crate::lower::{Lower, Lowered, Mode};
use crate::value::{Value, VarId};
use babycuda_core::Bool;
use babycuda_core::expr::Renaming;
use babycuda_kernel::{Expr, Node, Stmt, StmtKind};

/// The flags of what leaves a loop: `break`, and `return` of the function around.
pub(in crate::lower) type Flags = [VarId; 2];

impl<'t> Lower<'t> {
    /// When an iteration leaves the loop, and by which flags; `raised`: those that it may raise, `left`: what variables
    /// hold afterwards. `None`: by others.
    pub(super) fn broken(
        &self,
        syntax: Syntax<'t>,
        raised: &[VarId],
        left: &[Value],
    ) -> Option<(Bool, Flags)> {
        let flags = [syntax.broken, self.env.frames.last()?.returned];
        let mut when = Bool::Lit(false);
        for flag in raised {
            match left.get(*flag)? {
                Value::Bool(broken) if flags.contains(flag) => when = or(when, broken.clone()),
                _ => return None,
            }
        }
        (!raised.is_empty()).then_some((when, flags))
    }

    /// When an iteration leaves the loop, where a part of that is computed from what is known when it starts.
    pub(super) fn known_to_leave(&self, trial: &Trial) -> Option<(Bool, Flags)> {
        let (when, flags) = trial.broken.clone()?;
        let mut parts = Vec::new();
        conjuncts(&not(when.clone()), &mut parts);
        let names = &trial.variables.names;
        let known = |part: &Bool| {
            part.free_vars().iter().all(|x| names.contains(x) || self.is_bound_here(x))
        };
        parts.iter().any(known).then_some((when, flags))
    }

    /// The number of iterations that go to their end, if the one that comes next leaves the loop; where a part of what
    /// leaves it is not known (`partial`), they do at most so often, and one more may begin.
    pub(super) fn count_unbroken(
        &self,
        trial: &Trial,
        closed: &[Option<Closed>],
        fixed: &Renaming,
    ) -> Option<Counted> {
        let goes_on = and(trial.condition.clone()?, not(trial.broken.clone()?.0));
        let mut counted = self.count(&goes_on, trial, closed, fixed)?;
        counted.one_more = counted.partial;
        if counted.range.is_none() {
            // What is compared is computed in the iteration, which stops where it overflows.
            counted.fits = Bool::Lit(true);
        }
        Some(counted)
    }

    /// For an iteration of a counted loop: is it the one that is left?
    pub(super) fn breaking(&self, plan: &Plan<'t>, taken: bool) -> Mode {
        let flags = plan.trial.broken.as_ref().filter(|_| plan.breaks).map(|(_, flags)| *flags);
        let leaving = flags.filter(|_| !taken || exits(plan.syntax.body) == 1);
        Mode { leaving: leaving.map(|flags| (flags, taken)).or(self.mode.leaving), ..self.mode }
    }

    /// What follows the iterations of a counted loop: the last evaluation of the condition, and where that holds, the
    /// iteration that is left.
    pub(super) fn leave_counted(&mut self, plan: &Plan<'t>) -> Lowered<()> {
        if !plan.breaks {
            return self.leave(plan.syntax);
        }
        let taken = self.breaking(plan, true);
        self.within(taken, |s| s.iteration(plan.syntax, &|_, c| Ok(c), &|_| Ok(())))
    }

    /// Is it known that what raises the flag is not taken here?
    pub(in crate::lower) fn stays(&self, flag: VarId) -> bool {
        self.mode.leaving.is_some_and(|(flags, taken)| !taken && flags.contains(&flag))
    }

    /// The condition under which an iteration goes on holds in the rest of it. A trial asks what overflows all the same.
    pub(in crate::lower) fn goes_on(&mut self, condition: &Bool) {
        if !self.mode.on_trial {
            self.learn(condition);
        }
    }

    /// Does a statement always raise a flag of which that is known?
    pub(in crate::lower) fn is_not_taken(&self, stmt: &Stmt) -> bool {
        let straight = |s: &Stmt| matches!(s.kind, StmtKind::Expr(_) | StmtKind::Declare(..));
        match &stmt.kind {
            StmtKind::Break => self.flag_of("break").is_some_and(|flag| self.stays(flag)),
            StmtKind::Return(_) => {
                self.env.frames.last().is_some_and(|frame| self.stays(frame.returned))
            }
            StmtKind::Block(list) => list.split_last().is_some_and(|(last, before)| {
                before.iter().all(straight) && self.is_not_taken(last)
            }),
            _ => false,
        }
    }

    /// In the iteration that is left, the only statement that may leave it does: nothing behind it runs.
    pub(in crate::lower) fn take_break(&mut self) {
        let Some((flags, true)) = self.mode.leaving else { return };
        if let Some(flag) =
            flags.into_iter().find(|f| self.env[*f] != Value::Bool(Bool::Lit(false)))
        {
            self.env.raise(flag);
        }
    }
}

/// The statements of a loop's body that are no part of a loop or `switch` in it, with whether they are.
fn own(body: &Stmt) -> impl Iterator<Item = (&Stmt, bool)> {
    let mut pending = vec![(Node::Stmt(body), true)];
    std::iter::from_fn(move || {
        loop {
            let (node, own) = pending.pop()?;
            let nested = |s: &Stmt| matches!(s.kind, StmtKind::Loop(_) | StmtKind::Switch(..));
            let inner = own && !matches!(node, Node::Stmt(s) if nested(s));
            pending.extend(node.children().into_iter().map(|child| (child, inner)));
            if let Node::Stmt(stmt) = node {
                return Some((stmt, own));
            }
        }
    })
}

/// How often a statement stands in the body of a loop that may leave that loop; one that a loop inside may repeat counts
/// as two.
fn exits(body: &Stmt) -> usize {
    let exit = |(stmt, own): (&Stmt, bool)| match stmt.kind {
        StmtKind::Break => usize::from(own),
        StmtKind::Return(_) => 2 - usize::from(own),
        _ => 0,
    };
    self::own(body).map(exit).sum()
}

/// The conditions in the body of a loop under which it is left.
pub(super) fn leaving(body: &Stmt) -> impl Iterator<Item = &Expr> {
    own(body).filter_map(|(stmt, own)| match &stmt.kind {
        StmtKind::If(condition, ..) if own && exits(stmt) > 0 => Some(condition),
        _ => None,
    })
}
