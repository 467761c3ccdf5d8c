//! Assumptions: C expressions over parameters and extents.

use super::{Lower, Mode};
use crate::error::{Lowered, Refusal};
use crate::range::Range;
use crate::value::Value;
use babycuda_core::expr::{BoolOp, Relation};
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::{Bool, IntType, Num, Stmt};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// The condition that an assumption states.
    pub(super) fn assumption(&mut self, expression: Node<'t>) -> Result<Bool, Refusal> {
        let pure = Mode { pure: true, ..self.mode };
        let values = self.env.values().to_vec();
        let value = self.within(pure, |s| s.eval(expression));
        if !self.env.values().starts_with(&values) {
            self.env.restore(values);
            return crate::error::refuse(expression, "an assumption must not assign");
        }
        let condition = match value {
            Ok(value @ (Value::Bool(_) | Value::Int(..))) => {
                self.within(pure, |s| s.truth(value, expression))
            }
            Ok(_) => crate::error::refuse(expression, "not an integer expression"),
            Err(refusal) => Err(refusal),
        };
        let condition = condition?;
        for x in condition.free_vars() {
            let extent = BLOCK_DIM.contains(&x.as_str()) || GRID_DIM.contains(&x.as_str());
            if !extent && !self.out.params.iter().any(|p| p.name == x) {
                return crate::error::refuse(
                    expression,
                    "only parameters, blockDim and gridDim may be assumed of",
                );
            }
        }
        Ok(condition)
    }

    /// Narrows what variables may be by the comparisons that `condition` conjoins.
    pub(super) fn refine(&mut self, condition: &Bool) {
        for (num, t, range) in self.consequences(condition) {
            let Num::Var(x) = &num else {
                continue;
            };
            let known = self.ranges.get(x);
            if known.is_some_and(|(known, _)| known.width == t.width) {
                self.ranges.set(x.clone(), t, range);
            }
        }
    }

    /// What a condition says of the sides of the comparisons that it conjoins.
    fn consequences(&self, condition: &Bool) -> Vec<(Num, IntType, Range)> {
        let mut out = Vec::new();
        match condition {
            Bool::Connective(BoolOp::And, l, r) => {
                out = self.consequences(l);
                out.extend(self.consequences(r));
            }
            Bool::Compare(op, l, r) => {
                let Some(t) = op.machine else {
                    return out;
                };
                for (side, other, relation) in
                    [(l, r, op.relation), (r, l, super::loops::mirrored(op.relation))]
                {
                    let now = self.ranges.of(side, t);
                    let limit = self.ranges.of(other, t);
                    let narrowed = match relation {
                        Relation::Lt => (now.0, now.1.min(limit.1 - 1)),
                        Relation::Le => (now.0, now.1.min(limit.1)),
                        Relation::Gt => (now.0.max(limit.0 + 1), now.1),
                        Relation::Ge => (now.0.max(limit.0), now.1),
                        Relation::Eq => (now.0.max(limit.0), now.1.min(limit.1)),
                        Relation::Ne => now,
                    };
                    if narrowed != now && narrowed.0 <= narrowed.1 {
                        out.push((side.as_ref().clone(), t, narrowed));
                    }
                }
            }
            _ => {}
        }
        out
    }

    /// Runs `f` in a new block, where `condition` is known to hold.
    pub(super) fn in_block_where<T>(
        &mut self,
        condition: &Bool,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<(T, Stmt)> {
        self.knowing(condition, |s| s.in_block(f))
    }

    /// Runs `f` where `condition` is known to hold.
    pub(super) fn knowing<T>(&mut self, condition: &Bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.ranges.facts();
        for (num, t, range) in self.consequences(condition) {
            self.ranges.assume(&num, t, range);
        }
        let result = f(self);
        self.ranges.forget(facts);
        result
    }
}
