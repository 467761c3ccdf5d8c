//! Arithmetic of floats that are known, as far as it is exact: then it is the same whatever a compiler fuses, flushes
//! or reorders. So loops that count in floats end when they do.

use super::operators::Operator;
use crate::arith::lit;
use crate::ctype::Data;
use crate::value::Value;
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, MachineOp, Num};

/// A float that is known: zero, or as large as a normal one of its type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Float {
    value: f64,
    /// Does it have 4 bytes? Otherwise 8.
    single: bool,
}

impl Float {
    /// The float that a value is, at its type.
    pub(super) fn of(value: &Value) -> Option<Float> {
        let Value::Data(Data { size, lane: None, record: None }, Some(Num::Lit(bits))) = value
        else {
            return None;
        };
        let bits = bits.to_u64()?;
        match size {
            Some(4) => Float::new(f32::from_bits(u32::try_from(bits).ok()?).into(), true),
            Some(8) => Float::new(f64::from_bits(bits), false),
            _ => None,
        }
    }

    /// A value as a float of the type `data`, if that has it.
    pub(super) fn converted(value: &Value, data: &Data) -> Option<Float> {
        let single = match data {
            Data { size: Some(4), lane: None, record: None } => true,
            Data { size: Some(8), lane: None, record: None } => false,
            _ => return None,
        };
        let value = match value {
            Value::Int(t, Num::Lit(bits)) => integer(*t, bits.to_u64()?)?,
            Value::Bool(Bool::Lit(truth)) => f64::from(u8::from(*truth)),
            other => Float::of(other)?.value,
        };
        Float::new(value, single)
    }

    fn new(value: f64, single: bool) -> Option<Float> {
        let fits = match single {
            true => {
                f64::from(value as f32) == value && (value == 0.0 || (value as f32).is_normal())
            }
            false => value == 0.0 || value.is_normal(),
        };
        fits.then_some(Float { value, single })
    }

    /// The value, with its bits.
    pub(super) fn data(self) -> Value {
        let (size, bits) = match self.single {
            true => (4, (self.value as f32).to_bits().into()),
            false => (8, self.value.to_bits()),
        };
        Value::Data(Data::scalar(size), Some(lit(bits)))
    }

    /// `self op other`, of one type; `None` where the result is rounded.
    pub(super) fn operated(self, op: Operator, other: Float) -> Option<Value> {
        if self.single != other.single {
            return None;
        }
        match op {
            Operator::Compare(relation) => {
                Some(Value::Bool(Bool::Lit(related(relation, self.value, other.value)?)))
            }
            Operator::Compute(op) => {
                let value = exact(op, self.value, other.value)?;
                Float::new(value, self.single).map(Float::data)
            }
        }
    }

    /// Is it 0?
    pub(super) fn is_zero(self) -> bool {
        self.value == 0.0
    }

    /// `-self`
    pub(super) fn negated(self) -> Float {
        Float { value: -self.value, ..self }
    }

    /// The value as an integer of type `t`, if that has it: C drops what is behind the point.
    pub(super) fn integer(self, t: IntType) -> Option<Value> {
        let whole = self.value.trunc();
        let small = whole.abs() < (1u64 << 53) as f64;
        let value = small.then_some(whole as i64)?;
        let (least, most) = crate::range::full(t);
        let fits = (least..=most).contains(&value.into());
        fits.then(|| Value::Int(t, lit(value as u64 & t.width.mask())))
    }
}

fn integer(t: IntType, bits: u64) -> Option<f64> {
    let unused = 64 - u64::from(t.width.bits());
    let value = match t.signed {
        true => i128::from((bits << unused) as i64 >> unused),
        false => i128::from(bits),
    };
    (value.unsigned_abs() <= 1 << 53).then_some(value as f64)
}

fn related(relation: Relation, l: f64, r: f64) -> Option<bool> {
    let order = l.partial_cmp(&r)?;
    Some(match relation {
        Relation::Eq => order.is_eq(),
        Relation::Ne => order.is_ne(),
        Relation::Lt => order.is_lt(),
        Relation::Le => order.is_le(),
        Relation::Gt => order.is_gt(),
        Relation::Ge => order.is_ge(),
    })
}

/// Below this, what rounding takes away may be too small for a number.
const SMALL: f64 = 1e-200;

/// The result of an operator on doubles, where it is exact.
fn exact(op: MachineOp, l: f64, r: f64) -> Option<f64> {
    let (value, is_exact) = match op {
        MachineOp::Add | MachineOp::Sub => {
            let r = if op == MachineOp::Add { r } else { -r };
            let sum = l + r;
            // What rounding took away (Knuth's TwoSum).
            let other = sum - l;
            (sum, (l - (sum - other)) + (r - other) == 0.0)
        }
        MachineOp::Mul => {
            let (product, zero) = (l * r, l == 0.0 || r == 0.0);
            (product, zero || (product.abs() > SMALL && l.mul_add(r, -product) == 0.0))
        }
        // A fast division may be off even where the quotient is a number.
        _ => return None,
    };
    (is_exact && value.is_finite()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, single: bool) -> Option<Float> {
        Float::new(value, single)
    }

    #[test]
    fn results_are_exact_or_not_known() {
        use MachineOp::{Add, Div, Mul, Sub};
        for (op, l, r, single, wanted) in [
            (Add, -3.0, 1.0, true, Some(-2.0)),
            (Add, 0.5, 0.25, true, Some(0.75)),
            (Add, 16_777_216.0, 1.0, true, None),
            (Add, 16_777_216.0, 1.0, false, Some(16_777_217.0)),
            (Add, 1e30, 1.0, false, None),
            (Sub, 1.0, 1.0, true, Some(0.0)),
            (Mul, 3.0, 0.5, true, Some(1.5)),
            (Mul, 16_777_215.0, 16_777_215.0, true, None),
            (Mul, 1e300, 1e300, false, None),
            (Div, 3.0, 4.0, true, None),
        ] {
            let (x, y) = (of(l, single).expect("known"), of(r, single).expect("known"));
            let found = x.operated(Operator::Compute(op), y);
            let wanted = wanted.and_then(|value| of(value, single)).map(Float::data);
            assert_eq!(found, wanted, "{l} {op:?} {r}");
        }
        // Too small, or no number of the type.
        assert_eq!(of(1e-40, true), None);
        assert_eq!(of(0.1, true), None);
        assert_eq!(of(f64::NAN, false), None);
        assert_eq!(of(f64::INFINITY, false), None);
    }

    #[test]
    fn integers_and_floats() {
        let float = |value| of(value, true).expect("known");
        let int = |t: IntType, value: u64| Some(Value::Int(t, lit(value)));
        assert_eq!(float(-2.5).integer(IntType::I32), int(IntType::I32, 0xffff_fffe));
        assert_eq!(float(300.0).integer(IntType::U8), None);
        assert_eq!(float(-1.0).integer(IntType::U32), None);
        let data = Data::scalar(4);
        let converted = |t, bits| Float::converted(&Value::Int(t, lit(bits)), &data);
        assert_eq!(converted(IntType::I32, 0xffff_fffd), of(-3.0, true));
        assert_eq!(converted(IntType::U32, 0xffff_fffd), None);
        assert_eq!(Float::of(&float(1.5).data()), of(1.5, true));
    }
}
