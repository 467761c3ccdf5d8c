//! Branches: both sides are translated from the same values, and joined.

use super::{At, Lower, Lowered, refuse};
use crate::arith::{and, not, or, select, select_bool};
use crate::ctype::CType;
use crate::value::{Pointer, Value};
use babycuda_core::expr::BoolOp;
use babycuda_core::{Bool, IntType, Stmt};
use babycuda_kernel::{Expr, ExprKind, UnaryOp};

/// One side of a branch. It may be translated more than once.
pub(super) type Side<'a, 't> = &'a dyn Fn(&mut Lower<'t>) -> Lowered<()>;

impl<'t> Lower<'t> {
    /// `if (condition) then else otherwise`, for a condition that is evaluated already.
    pub(super) fn branch(
        &mut self,
        condition: Bool,
        then: Side<'_, 't>,
        otherwise: Side<'_, 't>,
        at: At,
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
        let returned = self.env.frames.last().map(|frame| frame.returned);
        let left = |values: &[Value]| returned.and_then(|flag| values.get(flag).cloned());
        let left = [left(&then_values), left(self.env.values())];
        let condition = self.taken_together(condition, [&then, &otherwise], left, at);
        self.push_if(at, condition.clone(), then, otherwise);
        self.join(&condition, then_values, at);
        Ok(())
    }

    /// Gives every variable its value after a branch: `then` if the condition held, otherwise
    /// what it is now.
    pub(super) fn join(&mut self, condition: &Bool, then: Vec<Value>, at: At) {
        for (v, then) in then.into_iter().enumerate().take(self.env.values().len()) {
            if then != self.env[v] {
                let otherwise = self.env[v].clone();
                let ctype = self.env.ctype(v).clone();
                self.env[v] = self.joined(condition, then, otherwise, &ctype, at);
            }
        }
    }

    pub(super) fn joined(
        &mut self,
        condition: &Bool,
        then: Value,
        otherwise: Value,
        ctype: &CType,
        at: At,
    ) -> Value {
        let decidable = self.usable_bool(condition);
        match (then, otherwise) {
            // Reading the undefined one would be wrong anyway.
            (Value::Undefined, x) | (x, Value::Undefined) => {
                if self.usable_value(&x) {
                    x
                } else {
                    self.unknown(ctype, at)
                }
            }
            (Value::Int(t, x), Value::Int(u, y)) if t == u => {
                if decidable && self.usable(&x) && self.usable(&y) {
                    let joined = select(condition.clone(), x, y);
                    if self.usable(&joined) {
                        return Value::Int(t, joined);
                    }
                }
                Value::Int(t, self.unknown_int(t, at))
            }
            (Value::Bool(x), Value::Bool(y)) => {
                if decidable && (self.usable_bool(&x) || self.usable_bool(&y)) {
                    // Where one is not known, the other one may be.
                    let [x, y] = [x, y].map(|c| match self.usable_bool(&c) {
                        true => c,
                        false => self.unknown_bool(at),
                    });
                    let joined = select_bool(condition.clone(), x, y);
                    if self.usable_bool(&joined) {
                        return Value::Bool(joined);
                    }
                }
                Value::Bool(self.unknown_bool(at))
            }
            (Value::Object(of, x, xs), Value::Object(other, y, ys)) if of == other => {
                self.joined_objects(condition, of, (x, xs), (y, ys), at)
            }
            (x @ Value::Object(..), y) | (x, y @ Value::Object(..)) => {
                self.joined(condition, x.whole(), y.whole(), ctype, at)
            }
            (Value::Data(data, Some(x)), Value::Data(other, Some(y))) if data == other => {
                let bits = (decidable && self.usable(&x) && self.usable(&y))
                    .then(|| select(condition.clone(), x, y));
                Value::Data(data, bits)
            }
            (Value::Data(data, _), _) | (_, Value::Data(data, _)) => Value::Data(data, None),
            (Value::Pointer(p), Value::Pointer(q)) if p.pointee == q.pointee => {
                let Some(base) = self.either(condition, p.base, q.base) else {
                    return Value::Poison("a pointer that may point into several arrays");
                };
                let index = if decidable && self.usable(&p.index) && self.usable(&q.index) {
                    select(condition.clone(), p.index, q.index)
                } else {
                    self.unknown_int(IntType::U64, at)
                };
                Value::Pointer(Pointer { base, index, pointee: p.pointee })
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
            Value::Pointer(p) => self.usable(&p.index) && self.usable_base(p.base),
            Value::Object(_, bits, parts) => {
                bits.as_ref().is_none_or(|bits| self.usable(bits))
                    && parts.iter().all(|part| self.usable_value(part))
            }
            _ => true,
        }
    }

    /// `if (condition) then else otherwise`, for a condition yet to be evaluated: the operands of
    /// `&&` and `||` that access memory get a branch of their own, so that the accesses stand
    /// below the guard that C puts them under.
    pub(super) fn branch_on(
        &mut self,
        condition: &'t Expr,
        then: Side<'_, 't>,
        otherwise: Side<'_, 't>,
        at: At,
    ) -> Lowered<()> {
        self.nested(condition.at, |s| s.branch_on_kind(condition, then, otherwise, at))
    }

    fn branch_on_kind(
        &mut self,
        condition: &'t Expr,
        then: Side<'_, 't>,
        otherwise: Side<'_, 't>,
        at: At,
    ) -> Lowered<()> {
        // In a trial of effects it does not matter where the accesses of a condition stand.
        if self.mode.probing || !self.has_effects(condition) {
            let condition = self.condition(condition)?;
            return self.branch(condition, then, otherwise, at);
        }
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                return self.branch_on(inner, otherwise, then, at);
            }
            ExprKind::Logical(op, both) => {
                let [l, r] = both.as_ref();
                let behind: Side<'_, 't> = &|s| s.branch_on(r, then, otherwise, r.at);
                return match op {
                    BoolOp::And => self.branch_on(l, behind, otherwise, at),
                    BoolOp::Or => self.branch_on(l, then, behind, at),
                };
            }
            _ => {}
        }
        let condition = self.condition(condition)?;
        self.branch(condition, then, otherwise, at)
    }

    /// `l && r` and `l || r` as values.
    pub(super) fn short_circuit(
        &mut self,
        op: BoolOp,
        [l, r]: &'t [Expr; 2],
        at: At,
    ) -> Lowered<Bool> {
        let left = self.condition(l)?;
        let is_and = op == BoolOp::And;
        if left == Bool::Lit(!is_and) {
            return Ok(left);
        }
        let guard = if is_and { left.clone() } else { not(left.clone()) };
        // Whatever is read by an assumption is read.
        if self.mode.pure || !self.has_effects(r) || left == Bool::Lit(is_and) {
            let right = self.only_if(&guard, r.at, |s| s.condition(r))?;
            return Ok(if is_and { and(left, right) } else { or(left, right) });
        }
        let right = self.guarded(guard, at, |s| s.condition(r))?;
        if !self.usable_bool(&right) {
            // The value stays inside the branch that evaluates it.
            return Ok(self.unknown_bool(at));
        }
        Ok(if is_and { and(left, right) } else { or(left, right) })
    }

    /// Evaluates something below a guard.
    pub(super) fn guarded<T>(
        &mut self,
        guard: Bool,
        at: At,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let before = self.env.values().to_vec();
        let ((result, tables), then) = self.in_block_where(&guard, |s| {
            let result = f(s)?;
            Ok((result, s.table_reads()))
        })?;
        let then_values = self.env.restore(before);
        match tables {
            Some(reads) if self.usable_bool(&guard) => self.read_anyway(&guard, reads),
            _ => self.push_if(at, guard.clone(), then, Stmt::Skip),
        }
        self.join(&guard, then_values, at);
        Ok(result)
    }

    /// `c ? x : y`
    pub(super) fn conditional(&mut self, [c, x, y]: &'t [Expr; 3], at: At) -> Lowered<Value> {
        let condition = self.condition(c)?;
        let known = match condition {
            Bool::Lit(true) => Some((x, y)),
            Bool::Lit(false) => Some((y, x)),
            _ => None,
        };
        if let Some((taken, other)) = known {
            let value = self.eval(taken)?;
            // The operand that is not evaluated takes part in the result's type.
            let other = self.discarded(|s| s.eval(other))?;
            return Ok(self.same_type(value, other, at)?.0);
        }
        let x = self.guarded(condition.clone(), at, |s| s.eval(x))?;
        let y = self.guarded(not(condition.clone()), at, |s| s.eval(y))?;
        let (x, y, ctype) = self.same_type(x, y, at)?;
        if x == y && self.usable_value(&x) {
            return Ok(x);
        }
        Ok(self.joined(&condition, x, y, &ctype, at))
    }

    /// What `f` computes, without its statements and its effects on variables.
    pub(super) fn discarded<T>(&mut self, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let mark = self.mark();
        let result = self.in_block(f);
        self.back_to(mark);
        Ok(result?.0)
    }

    /// Two values, converted to their common type.
    fn same_type(&mut self, x: Value, y: Value, at: At) -> Lowered<(Value, Value, CType)> {
        let ctype = match (&x, &y) {
            (Value::Poison(what), _) | (_, Value::Poison(what)) => return refuse(at, what),
            (Value::Bool(_), Value::Bool(_)) => CType::Bool,
            (Value::Object(ctype, ..), _) | (_, Value::Object(ctype, ..)) => ctype.clone(),
            (Value::Data(d, _), _) | (_, Value::Data(d, _)) => CType::Data(d.clone()),
            (Value::Pointer(p), _) => CType::Pointer(Box::new(p.pointee.clone())),
            (Value::Void, Value::Void) => return Ok((x, y, CType::Void)),
            (Value::Group(g), Value::Group(_)) => CType::Group(Some(g.scope).filter(|_| !g.any)),
            _ => {
                let (tx, x) = self.integer(x, at)?;
                let (ty, y) = self.integer(y, at)?;
                let t = babycuda_kernel::common(tx, ty);
                let x = crate::arith::cast(tx, t, x, &self.ranges);
                let y = crate::arith::cast(ty, t, y, &self.ranges);
                return Ok((Value::Int(t, x), Value::Int(t, y), CType::Int(t)));
            }
        };
        let x = self.convert(x, &ctype, at)?;
        let y = self.convert(y, &ctype, at)?;
        Ok((x, y, ctype))
    }
}
