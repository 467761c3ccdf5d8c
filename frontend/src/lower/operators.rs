//! C's operators on values.

use super::Lower;
use crate::arith::{cast, compare, lit, machine, not};
use crate::ctype::{CType, Data, common, promote};
use crate::error::{Lowered, refuse};
use crate::value::{Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::machine::Width;
use babycuda_core::{IntType, MachineOp, Num};
use tree_sitter::Node;

/// The relation that a C operator denotes.
fn relation(op: &str) -> Option<Relation> {
    Some(match op {
        "==" => Relation::Eq,
        "!=" => Relation::Ne,
        "<" => Relation::Lt,
        "<=" => Relation::Le,
        ">" => Relation::Gt,
        ">=" => Relation::Ge,
        _ => return None,
    })
}

/// The machine operator that a C operator denotes.
fn machine_op(op: &str) -> Option<MachineOp> {
    Some(match op {
        "+" => MachineOp::Add,
        "-" => MachineOp::Sub,
        "*" => MachineOp::Mul,
        "/" => MachineOp::Div,
        "%" => MachineOp::Rem,
        "&" => MachineOp::And,
        "|" => MachineOp::Or,
        "^" => MachineOp::Xor,
        "<<" => MachineOp::Shl,
        ">>" => MachineOp::Shr,
        _ => return None,
    })
}

impl<'t> Lower<'t> {
    /// `left op right` for every binary operator but `&&` and `||`.
    pub(super) fn binary(
        &mut self,
        op: &str,
        left: Value,
        right: Value,
        node: Node<'t>,
    ) -> Lowered<Value> {
        for value in [&left, &right] {
            match value {
                Value::Poison(what) => return refuse(node, what),
                Value::Void => return refuse(node, "the value of a call that returns none"),
                Value::Group(_) => return refuse(node, "a group as a value of another type"),
                _ => {}
            }
        }
        match (left, right) {
            (Value::Pointer(p), Value::Pointer(q)) => self.pointers(op, p, q, node),
            (Value::Pointer(p), offset) if matches!(op, "+" | "-") => {
                Ok(Value::Pointer(self.offset(p, op, offset, node)?))
            }
            (offset, Value::Pointer(p)) if op == "+" => {
                Ok(Value::Pointer(self.offset(p, op, offset, node)?))
            }
            (Value::Pointer(_), _) | (_, Value::Pointer(_)) => match relation(op) {
                Some(_) => Ok(Value::Bool(self.unknown_bool(node))),
                None => refuse(node, format!("`{op}` on a pointer")),
            },
            (Value::Data(l, _), Value::Data(r, _)) => {
                let data = if l.size >= r.size { l } else { r };
                Ok(self.data(op, data, node))
            }
            (Value::Data(data, _), _) | (_, Value::Data(data, _)) => Ok(self.data(op, data, node)),
            (l, r) => {
                let (l, r) = (self.integer(l, node)?, self.integer(r, node)?);
                self.integers(op, l, r, node)
            }
        }
    }

    /// An operator on data: the result is data, or a condition of which nothing is known.
    fn data(&mut self, op: &str, data: Data, node: Node<'t>) -> Value {
        match relation(op) {
            Some(_) => Value::Bool(self.unknown_bool(node)),
            None => Value::Data(data, None),
        }
    }

    /// An operator on integers, after the usual arithmetic conversions.
    fn integers(
        &mut self,
        op: &str,
        (tl, l): (IntType, Num),
        (tr, r): (IntType, Num),
        node: Node<'t>,
    ) -> Lowered<Value> {
        if matches!(op, "<<" | ">>") {
            return Ok(self.shift(op, (tl, l), (tr, r)));
        }
        let t = common(tl, tr);
        let l = cast(tl, t, l, &self.ranges);
        let r = cast(tr, t, r, &self.ranges);
        if let Some(relation) = relation(op) {
            return Ok(Value::Bool(compare(relation, t, l, r, &self.ranges)));
        }
        match machine_op(op) {
            Some(op) => Ok(Value::Int(t, self.arithmetic(op, t, l, r, node))),
            None => refuse(node, format!("operator `{op}`")),
        }
    }

    /// A shift: the result has the promoted type of the left operand.
    fn shift(&mut self, op: &str, (tl, l): (IntType, Num), (tr, r): (IntType, Num)) -> Value {
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
        let op = if op == "<<" { MachineOp::Shl } else { MachineOp::Shr };
        Value::Int(t, machine(op, t, l, r))
    }

    /// A unary operator: `-`, `+`, `~`, `!`.
    pub(super) fn unary(&mut self, op: &str, operand: Value, node: Node<'t>) -> Lowered<Value> {
        if op == "!" {
            return Ok(Value::Bool(not(self.truth(operand, node)?)));
        }
        if let Value::Data(data, _) = operand {
            return Ok(Value::Data(data, None));
        }
        let (from, num) = self.integer(operand, node)?;
        let t = promote(from);
        let num = cast(from, t, num, &self.ranges);
        Ok(Value::Int(
            t,
            match op {
                "+" => num,
                "-" => self.arithmetic(MachineOp::Sub, t, lit(0), num, node),
                "~" => machine(MachineOp::Xor, t, num, lit(t.width.mask())),
                _ => return refuse(node, format!("operator `{op}`")),
            },
        ))
    }

    /// `pointer + offset` or `pointer - offset`.
    pub(super) fn offset(
        &mut self,
        p: Pointer,
        op: &str,
        offset: Value,
        node: Node<'t>,
    ) -> Lowered<Pointer> {
        let Some(cells) = self.cells(&p.pointee) else {
            return refuse(node, "arithmetic on a pointer to elements of unknown size");
        };
        if matches!(p.pointee, CType::Void) {
            return refuse(node, "arithmetic on `void *`");
        }
        let offset = self.index(offset, node)?;
        let step = machine(MachineOp::Mul, IntType::U64, offset, cells);
        let op = if op == "+" { MachineOp::Add } else { MachineOp::Sub };
        Ok(Pointer { index: machine(op, IntType::U64, p.index, step), ..p })
    }

    /// Comparison and difference of two pointers.
    fn pointers(&mut self, op: &str, p: Pointer, q: Pointer, node: Node<'t>) -> Lowered<Value> {
        let comparable = p.base == q.base && self.cells(&p.pointee) == Some(lit(1));
        match relation(op) {
            Some(relation) if comparable => {
                Ok(Value::Bool(compare(relation, IntType::I64, p.index, q.index, &self.ranges)))
            }
            Some(_) => Ok(Value::Bool(self.unknown_bool(node))),
            None if op == "-" && comparable => {
                let t = IntType { width: Width::W64, signed: true };
                Ok(Value::Int(t, machine(MachineOp::Sub, t, p.index, q.index)))
            }
            None => refuse(node, format!("`{op}` on two pointers")),
        }
    }
}
