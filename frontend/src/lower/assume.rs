//! Assumptions: C expressions over parameters, extents, and what the host stored.

use super::{Lower, Lowered, Mode, Refused, refuse};
use crate::arith::{lit, machine, natural};
use crate::range::Range;
use crate::value::{Binding, Value};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::syntax::{Bound, Forall, MAX_BOUND};
use babycuda_core::{Bool, IntType, MachineOp, Num, Stmt};
use babycuda_kernel::{Assumption, Expr};

const ASSUMABLE: &str =
    "only parameters, blockDim, gridDim and what the host stored may be assumed of";

impl<'t> Lower<'t> {
    /// What an assumption states: of no variables and reads, where it is about parameters and extents.
    pub(super) fn assumption(&mut self, stated: &'t Assumption) -> Result<Forall, Refused> {
        let (kernel, at) = (self.kernel, stated.condition.at);
        let mut over = Vec::new();
        for (v, lower, upper) in &stated.over {
            let place = lower.at;
            let (lower, from) = self.assumed(lower, &mut over, Self::end_of_range)?;
            let (upper, to) = self.assumed(upper, &mut over, Self::end_of_range)?;
            if from.0 < 0 {
                return refuse(place, "a range that may begin below 0");
            }
            let var = self.fresh(&kernel[*v].name);
            over.push(Bound::In { var: var.clone(), lower, upper });
            let last = (to.1.min(i64::MAX.into()) - 1).max(0);
            self.ranges.set(var.clone(), IntType::I64, (0, last));
            self.env.bind(*v, Binding::Constant(Value::Int(IntType::I64, Num::Var(var))));
        }
        let condition = self.assumed(&stated.condition, &mut over, Self::condition)?;
        let found = Forall { over, condition };
        for x in found.free_vars() {
            let extent = BLOCK_DIM.contains(&x.as_str()) || GRID_DIM.contains(&x.as_str());
            if !extent && !self.out.params.iter().any(|p| p.name == x) {
                return refuse(at, ASSUMABLE);
            }
        }
        match found.over.len() <= MAX_BOUND {
            true => Ok(found),
            false => refuse(at, "an assumption with too many variables and reads"),
        }
    }

    /// What `f` makes of a part of an assumption. What it reads comes to `over`.
    fn assumed<T>(
        &mut self,
        part: &'t Expr,
        over: &mut Vec<Bound>,
        f: impl FnOnce(&mut Self, &'t Expr) -> Lowered<T>,
    ) -> Lowered<T> {
        let pure = Mode { pure: true, ..self.mode };
        let values = self.env.values().to_vec();
        let result = self.within(pure, |s| s.in_block(|s| f(s, part)));
        if !self.env.values().starts_with(&values) {
            self.env.restore(values);
            return refuse(part.at, "an assumption must not assign");
        }
        let (result, reads) = result?;
        let mut statement = &reads;
        while let Stmt::Read { var, array, index, body, .. } = statement {
            let (var, array, index) = (var.clone(), array.clone(), index.clone());
            over.push(Bound::Read { var, array, index });
            statement = body;
        }
        match statement {
            Stmt::Skip => Ok(result),
            _ => refuse(part.at, ASSUMABLE),
        }
    }

    /// An end of a range, as a natural: what is less than 0 counts as 0. And what it may be.
    fn end_of_range(&mut self, expression: &'t Expr) -> Lowered<(Num, Range)> {
        let Value::Int(t, n) = self.eval(expression)? else {
            return refuse(expression.at, "not an integer expression");
        };
        let range = self.ranges.of(&n, t);
        let end = match t {
            t if t.signed => machine(MachineOp::Max, t, n, lit(0)),
            // A variable is a `long long`.
            IntType::U64 => natural(ArithOp::Min, n, lit(i64::MAX.unsigned_abs())),
            _ => n,
        };
        Ok((end, range))
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
                for (side, other, relation) in [(l, r, op.relation), (r, l, op.relation.mirrored())]
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
        self.learn(condition);
        let result = f(self);
        self.ranges.forget(facts);
        result
    }

    /// Knows that `condition` holds in the rest of the block.
    pub(super) fn learn(&mut self, condition: &Bool) {
        for (num, t, range) in self.consequences(condition) {
            self.ranges.assume(&num, t, range);
        }
    }
}
