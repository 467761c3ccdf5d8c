//! Branches: both sides are translated from the same values, and joined.

use super::Lower;
use super::expr::operands;
use crate::arith::{and, not, or, select, select_bool};
use crate::ctype::CType;
use crate::error::{Lowered, refuse};
use crate::unit::{children, part};
use crate::value::{Pointer, Value};
use babycuda_core::{Bool, IntType, Stmt};
use tree_sitter::Node;

/// One side of a branch. It may be translated more than once.
pub(super) type Side<'a, 't> = &'a dyn Fn(&mut Lower<'t>) -> Lowered<()>;

impl<'t> Lower<'t> {
    /// `if (condition) then else otherwise`, for a condition that is evaluated already.
    pub(super) fn branch(
        &mut self,
        condition: Bool,
        then: Side<'_, 't>,
        otherwise: Side<'_, 't>,
        node: Node<'t>,
    ) -> Lowered<()> {
        match condition {
            Bool::Lit(true) => return then(self),
            Bool::Lit(false) => return otherwise(self),
            _ => {}
        }
        let before = self.env.values().to_vec();
        let base = before.len();
        let ((), then) = self.in_block_where(&condition, then)?;
        let then_values = self.env.restore(before);
        let ((), otherwise) = self.in_block_where(&not(condition.clone()), otherwise)?;
        self.env.truncate(base);
        self.push_if(node, condition.clone(), then, otherwise);
        self.join(&condition, then_values, node);
        Ok(())
    }

    /// Gives every variable its value after a branch: `then` if the condition held, otherwise
    /// what it is now.
    pub(super) fn join(&mut self, condition: &Bool, then: Vec<Value>, node: Node<'t>) {
        for (v, then) in then.into_iter().enumerate().take(self.env.values().len()) {
            if then != self.env[v] {
                let otherwise = self.env[v].clone();
                let ctype = self.env.ctype(v).clone();
                self.env[v] = self.joined(condition, then, otherwise, &ctype, node);
            }
        }
    }

    fn joined(
        &mut self,
        condition: &Bool,
        then: Value,
        otherwise: Value,
        ctype: &CType,
        node: Node<'t>,
    ) -> Value {
        let decidable = self.usable_bool(condition);
        match (then, otherwise) {
            // Reading the undefined one would be wrong anyway.
            (Value::Undefined, x) | (x, Value::Undefined) => {
                if self.usable_value(&x) {
                    x
                } else {
                    self.unknown(ctype, node)
                }
            }
            (Value::Int(t, x), Value::Int(u, y)) if t == u => {
                if decidable && self.usable(&x) && self.usable(&y) {
                    let joined = select(condition.clone(), x, y);
                    if self.usable(&joined) {
                        return Value::Int(t, joined);
                    }
                }
                Value::Int(t, self.unknown_int(t, node))
            }
            (Value::Bool(x), Value::Bool(y)) => {
                if decidable && self.usable_bool(&x) && self.usable_bool(&y) {
                    let joined = select_bool(condition.clone(), x, y);
                    if self.usable_bool(&joined) {
                        return Value::Bool(joined);
                    }
                }
                Value::Bool(self.unknown_bool(node))
            }
            (Value::Data(data, Some(x)), Value::Data(other, Some(y))) if data == other => {
                let bits = (decidable && self.usable(&x) && self.usable(&y))
                    .then(|| select(condition.clone(), x, y));
                Value::Data(data, bits)
            }
            (Value::Data(data, _), _) | (_, Value::Data(data, _)) => Value::Data(data, None),
            (Value::Pointer(p), Value::Pointer(q))
                if p.base == q.base && p.pointee == q.pointee =>
            {
                let index = if decidable && self.usable(&p.index) && self.usable(&q.index) {
                    select(condition.clone(), p.index, q.index)
                } else {
                    self.unknown_int(IntType::U64, node)
                };
                Value::Pointer(Pointer { base: p.base, index, pointee: p.pointee })
            }
            (Value::Void, Value::Void) => Value::Void,
            (Value::Group(_), _) | (_, Value::Group(_)) => {
                Value::Poison("a group that may be one of several")
            }
            _ => Value::Poison("a pointer that may point into several arrays"),
        }
    }

    /// Are all variables in the value bound here?
    pub(super) fn usable_value(&self, value: &Value) -> bool {
        match value {
            Value::Int(_, num) | Value::Data(_, Some(num)) => self.usable(num),
            Value::Bool(c) => self.usable_bool(c),
            Value::Pointer(p) => self.usable(&p.index),
            _ => true,
        }
    }

    /// `if (condition) then else otherwise`, for a condition yet to be evaluated: the operands of
    /// `&&` and `||` that access memory get a branch of their own, so that the accesses stand
    /// below the guard that C puts them under.
    pub(super) fn branch_on(
        &mut self,
        condition: Node<'t>,
        then: Side<'_, 't>,
        otherwise: Side<'_, 't>,
        node: Node<'t>,
    ) -> Lowered<()> {
        self.nested(condition, |s| s.branch_on_kind(condition, then, otherwise, node))
    }

    fn branch_on_kind(
        &mut self,
        condition: Node<'t>,
        then: Side<'_, 't>,
        otherwise: Side<'_, 't>,
        node: Node<'t>,
    ) -> Lowered<()> {
        // In a trial of effects it does not matter where the accesses of a condition stand.
        if self.mode.probing || !self.has_effects(condition) {
            let condition = self.condition(condition)?;
            return self.branch(condition, then, otherwise, node);
        }
        match (condition.kind(), self.operator(condition)) {
            ("parenthesized_expression", _) => {
                if let [inner] = children(condition)[..] {
                    return self.branch_on(inner, then, otherwise, node);
                }
            }
            ("condition_clause", _) if part(condition, "initializer").is_none() => {
                if let Some(value) = part(condition, "value")
                    && value.kind() != "declaration"
                {
                    return self.branch_on(value, then, otherwise, node);
                }
            }
            ("unary_expression", "!") => {
                if let Some(argument) = part(condition, "argument") {
                    return self.branch_on(argument, otherwise, then, node);
                }
            }
            ("binary_expression", "&&") => {
                let (l, r) = operands(condition, "left", "right")?;
                let both: Side<'_, 't> = &|s| s.branch_on(r, then, otherwise, r);
                return self.branch_on(l, both, otherwise, node);
            }
            ("binary_expression", "||") => {
                let (l, r) = operands(condition, "left", "right")?;
                let neither: Side<'_, 't> = &|s| s.branch_on(r, then, otherwise, r);
                return self.branch_on(l, then, neither, node);
            }
            _ => {}
        }
        let condition = self.condition(condition)?;
        self.branch(condition, then, otherwise, node)
    }

    /// `l && r` and `l || r` as values.
    pub(super) fn short_circuit(
        &mut self,
        op: &str,
        l: Node<'t>,
        r: Node<'t>,
        node: Node<'t>,
    ) -> Lowered<Bool> {
        let left = self.condition(l)?;
        let is_and = op == "&&";
        if left == Bool::Lit(!is_and) {
            return Ok(left);
        }
        let guard = if is_and { left.clone() } else { not(left.clone()) };
        // Whatever is read by an assumption is read.
        if self.mode.pure || !self.has_effects(r) || left == Bool::Lit(is_and) {
            let right = self.only_if(&guard, r, |s| s.condition(r))?;
            return Ok(if is_and { and(left, right) } else { or(left, right) });
        }
        let right = self.guarded(guard, node, |s| s.condition(r))?;
        if !self.usable_bool(&right) {
            // The value stays inside the branch that evaluates it.
            return Ok(self.unknown_bool(node));
        }
        Ok(if is_and { and(left, right) } else { or(left, right) })
    }

    /// Evaluates something below a guard.
    fn guarded<T>(
        &mut self,
        guard: Bool,
        node: Node<'t>,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let before = self.env.values().to_vec();
        let (result, then) = self.in_block_where(&guard, f)?;
        let then_values = self.env.restore(before);
        self.push_if(node, guard.clone(), then, Stmt::Skip);
        self.join(&guard, then_values, node);
        Ok(result)
    }

    /// `c ? x : y`
    pub(super) fn conditional(&mut self, node: Node<'t>) -> Lowered<Value> {
        let Some(consequence) = part(node, "consequence") else {
            return refuse(node, "`?:` without its middle operand");
        };
        let (c, alternative) = operands(node, "condition", "alternative")?;
        let condition = self.condition(c)?;
        let known = match condition {
            Bool::Lit(true) => Some((consequence, alternative)),
            Bool::Lit(false) => Some((alternative, consequence)),
            _ => None,
        };
        if let Some((taken, other)) = known {
            let value = self.eval(taken)?;
            // The operand that is not evaluated takes part in the result's type.
            let other = self.discarded(|s| s.eval(other))?;
            return Ok(self.same_type(value, other, node)?.0);
        }
        let x = self.guarded(condition.clone(), node, |s| s.eval(consequence))?;
        let y = self.guarded(not(condition.clone()), node, |s| s.eval(alternative))?;
        let (x, y, ctype) = self.same_type(x, y, node)?;
        if x == y && self.usable_value(&x) {
            return Ok(x);
        }
        Ok(self.joined(&condition, x, y, &ctype, node))
    }

    /// What `f` computes, without its statements and its effects on variables.
    pub(super) fn discarded<T>(&mut self, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let mark = self.mark();
        let result = self.in_block(f);
        self.back_to(mark);
        Ok(result?.0)
    }

    /// Two values, converted to their common type.
    fn same_type(&mut self, x: Value, y: Value, node: Node<'t>) -> Lowered<(Value, Value, CType)> {
        let ctype = match (&x, &y) {
            (Value::Poison(what), _) | (_, Value::Poison(what)) => return refuse(node, what),
            (Value::Bool(_), Value::Bool(_)) => CType::Bool,
            (Value::Data(d, _), _) | (_, Value::Data(d, _)) => CType::Data(d.clone()),
            (Value::Pointer(p), _) => CType::Pointer(Box::new(p.pointee.clone())),
            (Value::Void, Value::Void) => return Ok((x, y, CType::Void)),
            (Value::Group(g), Value::Group(_)) => CType::Group(Some(g.scope).filter(|_| !g.any)),
            _ => {
                let (tx, x) = self.integer(x, node)?;
                let (ty, y) = self.integer(y, node)?;
                let t = crate::ctype::common(tx, ty);
                let x = crate::arith::cast(tx, t, x, &self.ranges);
                let y = crate::arith::cast(ty, t, y, &self.ranges);
                return Ok((Value::Int(t, x), Value::Int(t, y), CType::Int(t)));
            }
        };
        let x = self.convert(x, &ctype, node)?;
        let y = self.convert(y, &ctype, node)?;
        Ok((x, y, ctype))
    }
}
