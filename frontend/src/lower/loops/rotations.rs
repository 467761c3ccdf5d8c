//! Variables that change places in each iteration: the pointers of buffers that are exchanged. When iteration `k` starts,
//! such a variable holds what one of them held before the loop: which one, the remainder of `k` says.
//!
//! Of pointers, the trial knows one array only. So nothing that it found may rest on which: the loop's condition reads no
//! memory, the kernel neither compares nor subtracts pointers, and none points into a table.

use super::Plan;
use super::recurrence::Recurrences;
use super::trial::Trial;
use crate::arith::{compare_natural, lit, natural};
use crate::lower::Lower;
use crate::value::{Base, Value, VarId};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::Contents;
use babycuda_core::{MachineOp, Num};
use babycuda_kernel::{Expr, ExprKind, Node, Type};

/// More variables that change places are not followed.
const MAX_ROTATED: usize = 4;

impl<'t> Lower<'t> {
    /// What a variable holds when iteration `k` starts, if it changes places with others.
    pub(super) fn rotated(&mut self, plan: &Plan<'t>, v: VarId, k: &Num) -> Option<Value> {
        let held = self.rotation(&plan.trial, v)?;
        let count = lit(held.len() as u64);
        let ctype = self.env.ctype(v).clone();
        let turn = natural(ArithOp::Mod, k.clone(), count);
        let mut values = held.into_iter().enumerate().rev();
        let (_, mut value) = values.next()?;
        for (number, other) in values {
            let now = compare_natural(Relation::Eq, turn.clone(), lit(number as u64));
            value = self.joined(&now, other, value, &ctype, plan.syntax.at);
        }
        Some(value)
    }

    /// What a variable holds before the loop and in the iterations that follow, until it holds the first again.
    fn rotation(&self, trial: &Trial, v: VarId) -> Option<Vec<Value>> {
        let Recurrences { names, symbols, next, entry } = &trial.variables;
        let follows = |v: VarId| {
            // Which one it is, its symbol says.
            let own = |w: &VarId| match &symbols[*w] {
                Value::Int(_, Num::Var(x)) => *x == names[*w],
                Value::Pointer(p) => matches!(&p.index, Num::Var(x) if *x == names[*w]),
                _ => false,
            };
            (0..symbols.len()).find(|w| own(w) && symbols[*w] == next[v])
        };
        let (mut held, mut at) = (vec![entry[v].clone()], follows(v)?);
        while at != v {
            held.push(entry[at].clone());
            at = follows(at).filter(|_| held.len() <= MAX_ROTATED)?;
        }
        let points = held.iter().any(|value| matches!(value, Value::Pointer(_)));
        let followed = held.len() > 1
            && (!points
                || (trial.reads.is_empty()
                    && held.iter().all(|value| self.is_of_memory(value))
                    && !self.relates_pointers()));
        followed.then_some(held)
    }

    /// Does the value point into an array that is no table?
    fn is_of_memory(&self, value: &Value) -> bool {
        let Value::Pointer(p) = value else { return false };
        let Base::Array(array) = p.base else { return false };
        !matches!(self.arrays[array].decl.contents, Contents::Values(_))
    }

    /// Does the kernel compare or subtract two pointers?
    fn relates_pointers(&self) -> bool {
        let points = |e: &Expr| matches!(e.ty, Type::Pointer(_));
        let relates = |node: Node<'_>| match node {
            Node::Expr(Expr { kind: ExprKind::Compare(_, both), .. }) => both.iter().any(points),
            Node::Expr(Expr { kind: ExprKind::Arithmetic(MachineOp::Sub, both), .. }) => {
                both.iter().all(points)
            }
            _ => false,
        };
        self.kernel.functions.iter().any(|f| Node::from(&f.body).subterms().any(relates))
    }
}
