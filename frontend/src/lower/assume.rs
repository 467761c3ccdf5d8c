//! Assumptions: C expressions over parameters and extents.

use super::Lower;
use crate::error::Refusal;
use crate::value::Value;
use babycuda_core::expr::{BoolOp, Relation};
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::{Bool, Num};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// The condition that an assumption states.
    pub(super) fn assumption(&mut self, expression: Node<'t>) -> Result<Bool, Refusal> {
        self.pure = true;
        let value = self.eval(expression);
        let condition = match value {
            Ok(value @ (Value::Bool(_) | Value::Int(..))) => self.truth(value, expression),
            Ok(_) => crate::error::refuse(expression, "not an integer expression"),
            Err(refusal) => Err(refusal),
        };
        self.pure = false;
        let condition = condition?;
        for x in condition.free_vars() {
            let extent = BLOCK_DIM.contains(&x.as_str()) || GRID_DIM.contains(&x.as_str());
            if !extent && !self.params.iter().any(|p| p.name == x) {
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
        match condition {
            Bool::Connective(BoolOp::And, l, r) => {
                self.refine(l);
                self.refine(r);
            }
            Bool::Compare(op, l, r) => {
                let Some(t) = op.machine else {
                    return;
                };
                for (x, other, relation) in
                    [(l, r, op.relation), (r, l, super::loops::mirrored(op.relation))]
                {
                    let Num::Var(x) = x.as_ref() else {
                        continue;
                    };
                    let now = self.ranges.of(&Num::Var(x.clone()), t);
                    let limit = self.ranges.of(other, t);
                    let narrowed = match relation {
                        Relation::Lt => (now.0, now.1.min(limit.1 - 1)),
                        Relation::Le => (now.0, now.1.min(limit.1)),
                        Relation::Gt => (now.0.max(limit.0 + 1), now.1),
                        Relation::Ge => (now.0.max(limit.0), now.1),
                        Relation::Eq => (now.0.max(limit.0), now.1.min(limit.1)),
                        Relation::Ne => now,
                    };
                    let same_width =
                        self.ranges.get(x).is_some_and(|(known, _)| known.width == t.width);
                    if same_width && narrowed.0 <= narrowed.1 {
                        self.ranges.set(x.clone(), t, narrowed);
                    }
                }
            }
            _ => {}
        }
    }
}
