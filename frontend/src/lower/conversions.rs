//! Conversions between C's types.

use super::floats::Float;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{bit, cast, compare, lit};
use crate::ctype::CType;
use crate::value::{Group, Pointer, Value};
use babycuda_core::expr::{NumOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Num};

impl<'t> Lower<'t> {
    /// `value` as C converts it to type `to` on assignment.
    pub(super) fn convert(&mut self, value: Value, to: &CType, at: At) -> Lowered<Value> {
        let value = match value {
            Value::Object(ref ctype, ..) if ctype != to => value.whole(),
            value => value,
        };
        Ok(match (value, to) {
            (value @ Value::Object(..), _) => value,
            (Value::NULL, CType::Pointer(_)) => Value::NULL,
            (Value::Poison(what), _) => return refuse(at, what),
            (Value::Undefined, _) => self.unknown(to, at),
            (Value::Int(from, num), CType::Int(t)) => {
                self.fits_int(from, *t, &num);
                let (from, num) = match self.narrowed(from, *t, &num) {
                    Some(narrow) => {
                        let unsigned = IntType { signed: false, ..*t };
                        self.fits_int(unsigned, *t, &narrow);
                        (unsigned, narrow)
                    }
                    None => (from, num),
                };
                Value::Int(*t, cast(from, *t, num, &self.ranges))
            }
            (Value::Bool(c), CType::Int(t)) => Value::Int(*t, bit(c)),
            (value, CType::Bool) => Value::Bool(self.truth(value, at)?),
            (value @ Value::Data(..), CType::Int(t)) => {
                let known = Float::of(&value).and_then(|x| x.integer(*t));
                known.unwrap_or_else(|| self.unknown(to, at))
            }
            (Value::Data(from, bits), CType::Data(data)) if from == *data => {
                Value::Data(from, bits)
            }
            (value @ (Value::Data(..) | Value::Int(..) | Value::Bool(_)), CType::Data(data)) => {
                // Converting to a float changes the bits.
                let known = Float::converted(&value, data);
                known.map_or(Value::Data(data.clone(), None), Float::data)
            }
            (Value::Pointer(_), CType::Data(_)) => {
                return refuse(at, "pointer kept in an object");
            }
            (Value::Pointer(p), CType::Pointer(pointee)) => {
                Value::Pointer(self.reinterpret(p, pointee, at)?)
            }
            (_, CType::Void) => Value::Void,
            (Value::Group(group), CType::Group(None)) => Value::Group(Group { any: true, ..group }),
            (Value::Group(group), CType::Group(Some(scope)))
                if group.scope == *scope && !group.any =>
            {
                Value::Group(group)
            }
            (Value::Group(_), CType::Group(_)) => {
                return refuse(at, "a group as one of another kind");
            }
            (Value::Group(_), _) => return refuse(at, "a group as a value of another type"),
            (Value::Void, _) => return refuse(at, "the value of a call that returns none"),
            (Value::Pointer(_), CType::Int(_)) => return refuse(at, "pointer as an integer"),
            (_, CType::Pointer(_)) => {
                return refuse(at, "a pointer into an array that is not known");
            }
            (_, CType::Array(..)) => return refuse(at, "conversion to an array"),
            (_, CType::Group(_)) => return refuse(at, "a group that is not known"),
        })
    }

    /// A number of 64 bits without a sign that becomes one of 32, computed at an unsigned type of these: the same bits.
    /// What counts the threads of the grid there is taken as [`Lower::counts_threads`] does.
    pub(super) fn narrowed(&mut self, from: IntType, to: IntType, num: &Num) -> Option<Num> {
        if from != IntType::U64 || to.width != IntType::U32.width {
            return None;
        }
        let narrow = cast(from, IntType::U32, num.clone(), &self.ranges);
        let mut rest = vec![&narrow];
        while let Some(num) = rest.pop() {
            if let Num::Binary(NumOp::Machine(op, t), l, r) = num {
                if *op == MachineOp::Mul {
                    self.counts_threads(*t, l, r);
                }
                rest.extend([l.as_ref(), r.as_ref()]);
            }
        }
        Some(narrow)
    }

    /// A pointer to the same cells at another type.
    fn reinterpret(&mut self, p: Pointer, to: &CType, at: At) -> Lowered<Pointer> {
        if p.pointee == *to || matches!(to, CType::Void) {
            return Ok(p);
        }
        self.castable(p.base, to, at)?;
        Ok(Pointer { pointee: to.clone(), ..p })
    }

    /// The truth of a value in a condition.
    pub(super) fn truth(&mut self, value: Value, at: At) -> Lowered<Bool> {
        match value {
            Value::Bool(c) => Ok(c),
            Value::Int(t, num) => Ok(compare(Relation::Ne, t, num, lit(0), &self.ranges)),
            Value::Data(..) | Value::Object(..) | Value::Undefined | Value::Pointer(_) => {
                match Float::of(&value) {
                    Some(known) => Ok(Bool::Lit(!known.is_zero())),
                    None => Ok(self.unknown_bool(at)),
                }
            }
            Value::Group(_) => refuse(at, "a group as a value of another type"),
            Value::Void => refuse(at, "the value of a call that returns none"),
            Value::Poison(what) => refuse(at, what),
        }
    }

    /// The value as an integer with its type: `bool` counts as `int`.
    pub(super) fn integer(&mut self, value: Value, at: At) -> Lowered<(IntType, Num)> {
        match value {
            Value::Int(t, num) => Ok((t, num)),
            Value::Bool(c) => Ok((IntType::I32, bit(c))),
            Value::Data(..) | Value::Object(..) | Value::Undefined => {
                Ok((IntType::I64, self.unknown_int(IntType::I64, at)))
            }
            Value::Pointer(_) => refuse(at, "pointer as an integer"),
            Value::Group(_) => refuse(at, "a group as a value of another type"),
            Value::Void => refuse(at, "the value of a call that returns none"),
            Value::Poison(what) => refuse(at, what),
        }
    }

    /// The value as a 64-bit pattern, as an index is converted: sign- or zero-extended.
    pub(super) fn index(&mut self, value: Value, at: At) -> Lowered<Num> {
        let (t, num) = self.integer(value, at)?;
        Ok(cast(t, IntType::U64, num, &self.ranges))
    }
}
