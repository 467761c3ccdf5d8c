//! C's operators on values.

use super::floats::Float;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{cast, compare, lit, machine, not};
use crate::ctype::{CType, Data};
use crate::value::{Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp, Num};
use babycuda_kernel::{UnaryOp, common, promote};

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    /// It computes.
    Compute(MachineOp),
    /// It compares.
    Compare(Relation),
}

const PLUS: Operator = Operator::Compute(MachineOp::Add);
const MINUS: Operator = Operator::Compute(MachineOp::Sub);

impl<'t> Lower<'t> {
    /// `left op right`
    pub(super) fn binary(
        &mut self,
        op: Operator,
        left: Value,
        right: Value,
        at: At,
    ) -> Lowered<Value> {
        let sides = [&left, &right];
        let is_null = |value: &Value| *value == Value::NULL;
        let points = |value: &Value| matches!(value, Value::Pointer(_)) || is_null(value);
        let with_null = sides.iter().all(|v| points(v)) && sides.iter().any(|v| is_null(v));
        if with_null && matches!(op, Operator::Compare(_)) {
            return Ok(Value::Bool(self.unknown_bool(at)));
        }
        for value in [&left, &right] {
            match value {
                Value::Poison(what) => return refuse(at, what),
                Value::Void => return refuse(at, "the value of a call that returns none"),
                Value::Group(_) => return refuse(at, "a group as a value of another type"),
                _ => {}
            }
        }
        if let Some(result) = self.by_parts(op, &left, &right, at)? {
            return Ok(result);
        }
        match (left.whole(), right.whole()) {
            (Value::Pointer(p), Value::Pointer(q)) => self.pointers(op, p, q, at),
            (Value::Pointer(p), offset) if op == MINUS || op == PLUS => {
                let op = if op == PLUS { MachineOp::Add } else { MachineOp::Sub };
                Ok(Value::Pointer(self.offset(p, op, offset, at)?))
            }
            (offset, Value::Pointer(p)) if op == PLUS => {
                Ok(Value::Pointer(self.offset(p, MachineOp::Add, offset, at)?))
            }
            (Value::Pointer(_), _) | (_, Value::Pointer(_)) => match op {
                Operator::Compare(_) => Ok(Value::Bool(self.unknown_bool(at))),
                Operator::Compute(_) => refuse(at, "an operator on a pointer"),
            },
            (l @ Value::Data(..), r) | (l, r @ Value::Data(..)) => {
                let data = match (&l, &r) {
                    (Value::Data(l, _), Value::Data(r, _)) if l.size < r.size => r,
                    (Value::Data(data, _), _) | (_, Value::Data(data, _)) => data,
                    _ => &Data::UNKNOWN,
                };
                let known = Float::converted(&l, data).zip(Float::converted(&r, data));
                let result = known.and_then(|(l, r)| l.operated(op, r));
                let data = data.clone();
                Ok(result.unwrap_or_else(|| self.data(op, data, at)))
            }
            (l, r) => {
                let (l, r) = (self.integer(l, at)?, self.integer(r, at)?);
                Ok(self.integers(op, l, r, at))
            }
        }
    }

    /// An operator on data: the result is data, or a condition of which nothing is known.
    fn data(&mut self, op: Operator, data: Data, at: At) -> Value {
        match op {
            Operator::Compare(_) => Value::Bool(self.unknown_bool(at)),
            Operator::Compute(_) => Value::Data(data, None),
        }
    }

    /// An operator on integers, after the usual arithmetic conversions.
    fn integers(
        &mut self,
        op: Operator,
        (tl, l): (IntType, Num),
        (tr, r): (IntType, Num),
        at: At,
    ) -> Value {
        if let Operator::Compute(op @ (MachineOp::Shl | MachineOp::Shr)) = op {
            return self.shift(op, (tl, l), (tr, r));
        }
        let t = common(tl, tr);
        let l = cast(tl, t, l, &self.ranges);
        let r = cast(tr, t, r, &self.ranges);
        match op {
            Operator::Compare(relation) => Value::Bool(compare(relation, t, l, r, &self.ranges)),
            Operator::Compute(op) => Value::Int(t, self.arithmetic(op, t, l, r, at)),
        }
    }

    /// A shift: the result has the promoted type of the left operand.
    fn shift(&mut self, op: MachineOp, (tl, l): (IntType, Num), (tr, r): (IntType, Num)) -> Value {
        let t = promote(tl);
        let l = cast(tl, t, l, &self.ranges);
        let count = promote(tr);
        let mut r = cast(tr, count, r, &self.ranges);
        if count.width > t.width {
            // A count that does not fit shifts everything out; truncating it would not.
            let unsigned = IntType { signed: false, ..count };
            r = machine(MachineOp::Min, unsigned, r, lit(u64::from(u8::MAX)));
            r = cast(unsigned, t, r, &self.ranges);
        }
        Value::Int(t, machine(op, t, l, r))
    }

    /// A unary operator.
    pub(super) fn unary(&mut self, op: UnaryOp, operand: Value, at: At) -> Lowered<Value> {
        if op == UnaryOp::Not {
            return Ok(Value::Bool(not(self.truth(operand, at)?)));
        }
        let operand = operand.whole();
        if let Value::Data(data, _) = &operand {
            let known = Float::of(&operand).filter(|_| op == UnaryOp::Negate);
            return Ok(known.map_or(Value::Data(data.clone(), None), |x| x.negated().data()));
        }
        let (from, num) = self.integer(operand, at)?;
        let t = promote(from);
        let num = cast(from, t, num, &self.ranges);
        Ok(Value::Int(
            t,
            match op {
                UnaryOp::Negate => self.arithmetic(MachineOp::Sub, t, lit(0), num, at),
                _ => machine(MachineOp::Xor, t, num, lit(t.width.mask())),
            },
        ))
    }

    /// `pointer + offset` or `pointer - offset`.
    pub(super) fn offset(
        &mut self,
        p: Pointer,
        op: MachineOp,
        offset: Value,
        at: At,
    ) -> Lowered<Pointer> {
        if matches!(p.pointee, CType::Void) {
            return refuse(at, "arithmetic on `void *`");
        }
        let offset = self.index(offset, at)?;
        let Some(step) = self.distance(p.base, &p.pointee, offset) else {
            return refuse(at, "arithmetic on a pointer to elements of unknown size");
        };
        Ok(Pointer { index: machine(op, IntType::U64, p.index, step), ..p })
    }

    /// Comparison and difference of two pointers.
    fn pointers(&mut self, op: Operator, p: Pointer, q: Pointer, at: At) -> Lowered<Value> {
        let same = p.base == q.base && p.pointee == q.pointee;
        let cells = self.whole_cells(p.base, &p.pointee);
        let cells = cells.or((self.cells(&p.pointee) == Some(lit(1))).then_some(1));
        let cells = cells.filter(|_| same);
        let (comparable, t) = (cells.is_some(), IntType::I64);
        match op {
            Operator::Compare(relation) if comparable => {
                Ok(Value::Bool(compare(relation, t, p.index, q.index, &self.ranges)))
            }
            Operator::Compare(_) => Ok(Value::Bool(self.unknown_bool(at))),
            Operator::Compute(op) => match cells.filter(|_| op == MachineOp::Sub) {
                Some(cells) => {
                    let apart = machine(op, t, p.index, q.index);
                    Ok(Value::Int(t, machine(MachineOp::Div, t, apart, lit(cells))))
                }
                None => refuse(at, "`-` on two pointers"),
            },
        }
    }
}
