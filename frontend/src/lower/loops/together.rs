//! Loops with barriers that the threads of a block leave together, though nobody knows when.
//!
//! The condition has one value for all threads of a block where it is what `__syncthreads_or` and its kin answer, or is
//! computed from numbers of the block and from cells of its shared memory, at indices of such numbers. Such a loop
//! becomes one that runs a number of times that is the same for all threads, any number; it is read in an array of which
//! a verdict knows that not every number need be possible: a race of such a program is potential.
//!
//! What is read in shared memory is the same for all threads only where no thread writes it between the barriers around.
//! That is left to the verdict on the program. Take a run of the kernel, and the first evaluation of the condition at which
//! two threads of a block read different values. Up to there all threads have gone through the loop alike, so what they have
//! accessed is accessed by the program, too, for some number of times, and in the same phases. A value that differs was
//! written by some thread in the phase in which the other one reads the cell: that is a race of the program. So if
//! that is race-free, there is no such run, and it has all runs of the kernel.
//!
//! The number of times belongs to the loop, and not to the block or to the way there, so the loop must run once: in no
//! other loop. Blocks may share it: with a larger number, a block accesses all that it does with a smaller one, and no
//! barriers of a block order what several blocks do. A loop with barriers of the grid is refused.

use super::Plan;
use crate::arith::lit;
use crate::ctype::CType;
use crate::lower::emit::Item;
use crate::lower::sites::Event;
use crate::lower::{Lower, Lowered};
use crate::value::Value;
use babycuda_core::syntax::{BarrierScope, Contents, Domain, Space};
use babycuda_core::{Bool, Name, Num, Stmt};
use babycuda_kernel::{Expr, ExprKind, UnaryOp};
use std::collections::BTreeSet;

impl<'t> Lower<'t> {
    /// Do the threads of a block leave the loop together, by its condition alone, and does it run once?
    pub(super) fn is_left_together(&self, plan: &Plan<'t>) -> bool {
        let own = plan.syntax.broken;
        let mut flags = self.env.frames.iter().flat_map(|frame| &frame.flags);
        let around = flags.any(|flag| *flag != own && self.env.name(*flag) == "break");
        let Some(condition) = plan.syntax.condition else { return false };
        // Blocks that meet in it would share the number.
        let grid = |s: &Stmt| matches!(s, Stmt::Sync { scope: BarrierScope::Grid, .. });
        if around || plan.trial.body.subterms().any(grid) {
            return false;
        }
        if plan.trial.irregular || !plan.trial.raised.is_empty() {
            return false;
        }
        is_vote(condition) || self.is_decided_by_block(plan)
    }

    /// Is the condition computed from what all threads of a block know alike?
    fn is_decided_by_block(&self, plan: &Plan<'t>) -> bool {
        let trial = &plan.trial;
        let Some(condition) = &trial.condition else { return false };
        let known = |x: &Name| self.is_of_block(x);
        let mut alike: BTreeSet<Name> = BTreeSet::new();
        for read in &trial.reads {
            let Item::Read { var, array, index, .. } = read else { return false };
            if self.is_of_shared(array) && index.free_vars().iter().all(known) {
                alike.insert(var.clone());
            }
        }
        let variables = &trial.variables;
        let number = |value: &Value| match value {
            Value::Int(_, num) => Some(num.clone()),
            _ => None,
        };
        // Variables that all threads hold alike at first, and change alike.
        let mut same: BTreeSet<usize> = (0..variables.names.len())
            .filter(|v| {
                let first = number(&variables.entry[*v]);
                first.is_some_and(|num: Num| num.free_vars().iter().all(known))
            })
            .collect();
        loop {
            let is_alike = |x: &Name| {
                let symbol = variables.names.iter().position(|name| name == x);
                known(x) || alike.contains(x) || symbol.is_some_and(|v| same.contains(&v))
            };
            let stays = |v: &usize| {
                number(&variables.next[*v]).is_some_and(|num| num.free_vars().iter().all(is_alike))
            };
            let left: BTreeSet<usize> = same.iter().copied().filter(stays).collect();
            if left == same {
                return condition.free_vars().iter().all(is_alike);
            }
            same = left;
        }
    }

    /// The loop, so many times, and the evaluation of the condition that ends it.
    pub(super) fn turns_together(&mut self, plan: &Plan<'t>) -> Lowered<()> {
        let at = plan.syntax.at;
        let array = self.arrays.rounds.clone().unwrap_or_else(|| {
            let (domain, contents) = (Domain::Natural, Contents::Any);
            let array = self.add_array("rounds", Space::Global, domain, contents, CType::Void);
            self.arrays[array].decl.name.clone()
        });
        self.arrays.rounds = Some(array.clone());
        self.arrays.open.insert(array.clone());
        // Each loop has its own cell.
        let cell = self.site(Event::Loop, at).0;
        let (site, times) = (self.site(Event::Unknown, at), self.fresh("rounds"));
        let index = lit(u64::from(cell));
        self.push(Item::Read { site, var: times.clone(), array, index });
        self.out.turns.insert(times.clone());
        let ((), body) = self.in_block(|s| {
            s.forget(plan);
            s.emitted(plan, &|_, _| Ok(Bool::Lit(true)))
        })?;
        self.env.restore(plan.trial.variables.entry.clone());
        let var = self.fresh("round");
        self.push_for(at, var, lit(0), Num::Var(times), body);
        self.forget(plan);
        self.leave(plan.syntax)
    }
}

/// Is the condition what a vote of the block answers, or a comparison of that with a constant?
fn is_vote(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Convert(inner) | ExprKind::Unary(UnaryOp::Not, inner) => is_vote(inner),
        ExprKind::Compare(_, both) => {
            let constant = |e: &Expr| babycuda_kernel::constant(e, &|_| None).is_some();
            let [l, r] = both.as_ref();
            is_vote(l) && constant(r) || constant(l) && is_vote(r)
        }
        ExprKind::Device(name, _) => name.as_str().starts_with("__syncthreads_"),
        _ => false,
    }
}
