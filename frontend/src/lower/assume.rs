//! Assumptions: C expressions over parameters, extents, and what the host stored.

use super::{Lower, Mode};
use crate::arith::{lit, machine, natural};
use crate::error::{Lowered, Refusal, refuse};
use crate::range::Range;
use crate::unit::{Function, children, part};
use crate::value::{Binding, Value};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::syntax::{Bound, Forall, MAX_BOUND};
use babycuda_core::{Bool, IntType, MachineOp, Num, Stmt};
use tree_sitter::Node;

/// The function whose call carries `forall` through the parser: the bounds of each variable, then
/// the condition. The variables are parameters of the function around it.
pub(crate) const FORALL: &str = "babycuda_forall";

const ASSUMABLE: &str =
    "only parameters, blockDim, gridDim and what the host stored may be assumed of";

impl<'t> Lower<'t> {
    /// What an assumption states: of no variables and reads, where it is about parameters and extents.
    pub(super) fn assumption(&mut self, expression: Node<'t>) -> Result<Forall, Refusal> {
        let (variables, mut bounds, condition) = self.quantified(expression);
        let mut over = Vec::new();
        let condition = self.scoped(|s| {
            for name in variables {
                let (Some(lower), Some(upper)) = (bounds.next(), bounds.next()) else {
                    return refuse(expression, "variable without bounds");
                };
                let place = lower;
                let (lower, from) = s.assumed(lower, &mut over, Self::end_of_range)?;
                let (upper, to) = s.assumed(upper, &mut over, Self::end_of_range)?;
                if from.0 < 0 {
                    return refuse(place, "a range that may begin below 0");
                }
                let var = s.fresh(name);
                over.push(Bound::In { var: var.clone(), lower, upper });
                let last = (to.1.min(i64::MAX.into()) - 1).max(0);
                s.ranges.set(var.clone(), IntType::I64, (0, last));
                s.env.bind(name, Binding::Constant(Value::Int(IntType::I64, Num::Var(var))));
            }
            s.assumed(condition, &mut over, Self::assumed_truth)
        })?;
        let found = Forall { over, condition };
        for x in found.free_vars() {
            let extent = BLOCK_DIM.contains(&x.as_str()) || GRID_DIM.contains(&x.as_str());
            if !extent && !self.out.params.iter().any(|p| p.name == x) {
                return refuse(expression, ASSUMABLE);
            }
        }
        match found.over.len() <= MAX_BOUND {
            true => Ok(found),
            false => refuse(expression, "an assumption with too many variables and reads"),
        }
    }

    /// The variables of `forall`, their bounds, and the condition.
    fn quantified(
        &self,
        expression: Node<'t>,
    ) -> (Vec<&'t str>, std::vec::IntoIter<Node<'t>>, Node<'t>) {
        let mut call = expression;
        while call.kind() == "parenthesized_expression"
            && let Some(inner) = children(call).first()
        {
            call = *inner;
        }
        let name = part(call, "function").map_or("", |n| self.text(n));
        let mut arguments = part(call, "arguments").map(children).unwrap_or_default();
        let function = std::iter::successors(Some(call), |n| n.parent());
        let mut function = function.skip_while(|n| n.kind() != "function_definition");
        match (name == FORALL, function.next(), arguments.pop()) {
            (true, Some(function), Some(condition)) => {
                let parameters = self.parameters(Function { node: function, template: None });
                let name = |p: Node<'t>| part(p, "declarator").map(|n| self.text(n));
                let names = parameters.into_iter().filter_map(name).collect();
                (names, arguments.into_iter(), condition)
            }
            _ => (Vec::new(), Vec::new().into_iter(), expression),
        }
    }

    /// What `f` makes of a part of an assumption. What it reads comes to `over`.
    fn assumed<T>(
        &mut self,
        part: Node<'t>,
        over: &mut Vec<Bound>,
        f: impl FnOnce(&mut Self, Node<'t>) -> Lowered<T>,
    ) -> Lowered<T> {
        let pure = Mode { pure: true, ..self.mode };
        let values = self.env.values().to_vec();
        let result = self.within(pure, |s| s.in_block(|s| f(s, part)));
        if !self.env.values().starts_with(&values) {
            self.env.restore(values);
            return refuse(part, "an assumption must not assign");
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
            _ => refuse(part, ASSUMABLE),
        }
    }

    fn assumed_truth(&mut self, expression: Node<'t>) -> Lowered<Bool> {
        match self.eval(expression)? {
            value @ (Value::Bool(_) | Value::Int(..)) => self.truth(value, expression),
            _ => refuse(expression, "not an integer expression"),
        }
    }

    /// An end of a range, as a natural: what is less than 0 counts as 0. And what it may be.
    fn end_of_range(&mut self, expression: Node<'t>) -> Lowered<(Num, Range)> {
        let Value::Int(t, n) = self.eval(expression)? else {
            return refuse(expression, "not an integer expression");
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
        for (num, t, range) in self.consequences(condition) {
            self.ranges.assume(&num, t, range);
        }
        let result = f(self);
        self.ranges.forget(facts);
        result
    }
}
