//! The instructions that only compute something from the last values of the stack.

use super::arithmetic::{compare_floats, convert, floats, integer, is_flushed, negated, shift};
use super::bounds::Bounds;
use super::code::{Number, Op};
use super::device::Exact;
use super::memory::Address;
use super::thread::Out;
use super::value::{Byte, Value};
use babycuda_core::MachineOp;
use babycuda_core::expr::Relation;

/// Does the instruction.
///
/// # Errors
/// C leaves it undefined, or an address is too far away.
pub(super) fn operate(op: &Op, stack: &mut Vec<Value>) -> Result<(), Out> {
    let mut pop = || stack.pop().unwrap_or(Value::Unknown);
    let result = match op {
        Op::Push(bits) => Value::Known(*bits),
        Op::Forget(values, shape) => {
            let rest = stack.len().saturating_sub(*values);
            stack.truncate(rest);
            shape.unknown()
        }
        Op::Pop => {
            pop();
            return Ok(());
        }
        Op::Dup => stack.last().cloned().unwrap_or(Value::Unknown),
        Op::Swap => {
            let (last, before) = (pop(), pop());
            stack.extend([last, before]);
            return Ok(());
        }
        Op::Nip => {
            let last = pop();
            pop();
            last
        }
        Op::Pick(behind) => {
            let place = stack.len().checked_sub(behind + 1);
            place.and_then(|place| stack.get(place)).cloned().unwrap_or(Value::Unknown)
        }
        Op::Offset(bytes) => address(pop(), i128::from(*bytes))?,
        Op::Elements(size, t, back) => {
            let (count, base) = (pop(), pop());
            match count {
                Value::Known(count) => {
                    // Unsigned indices of 64 bits are those of two's complement: `a[-1]` is near to `a[0]`.
                    let count = i128::from(t.read(count) as i64);
                    let bytes = count * i128::from(*size);
                    address(base, if *back { -bytes } else { bytes })?
                }
                _ => Value::Unknown,
            }
        }
        Op::Distance(size) => {
            let (right, left) = (pop(), pop());
            both(left, right, |l, r| {
                let apart = i128::from(l) - i128::from(r);
                let whole = apart % i128::from(*size) == 0;
                Ok(whole.then_some((apart / i128::from(*size)) as i64 as u64))
            })?
        }
        Op::Part(offset, shape) => match pop() {
            Value::Bytes(bytes) => {
                let first = usize::try_from(*offset).unwrap_or(usize::MAX);
                let end = first.saturating_add(shape.size() as usize);
                bytes
                    .get(first..end)
                    .map_or_else(|| shape.unknown(), |part| shape.of(part.to_vec()))
            }
            _ => shape.unknown(),
        },
        Op::Pack(places, size) => {
            let mut bytes = vec![Byte::Known(0); *size as usize];
            for (offset, shape) in places.iter().rev() {
                let part = shape.bytes(&pop());
                let room = bytes.iter_mut().skip(*offset as usize);
                room.zip(part).for_each(|(byte, new)| *byte = new);
            }
            Value::Bytes(bytes)
        }
        Op::Integer(op, t) => {
            let (right, left) = (pop(), pop());
            both(left, right, |l, r| Ok(Some(integer(*op, *t, l, r)?)))?
        }
        Op::Shift(op, t, count) => {
            let (right, left) = (pop(), pop());
            both(left, right, |l, r| Ok(Some(shift(*op, *t, l, count.read(r))?)))?
        }
        Op::Float(op, bytes) => {
            let (right, left) = (pop(), pop());
            float(*op, *bytes, &left, &right)
        }
        Op::Root(inverse, bytes) => bounds(*bytes, &pop())
            .and_then(|x| x.root(*inverse))
            .map_or(Value::Unknown, Value::Between),
        Op::Negate(t) => one(pop(), |x| Ok(Some(integer(MachineOp::Sub, *t, 0, x)?)))?,
        Op::NegateFloat(bytes) => match pop() {
            Value::Between(x) => Value::Between(-x),
            x => one(x, |x| Ok(Some(negated(*bytes, x))))?,
        },
        Op::Complement(t) => one(pop(), |x| Ok(Some(!x & t.width.mask())))?,
        Op::Not => one(pop(), |x| Ok(Some(u64::from(x == 0))))?,
        Op::Compare(relation, t) => {
            let (right, left) = (pop(), pop());
            both(left, right, |l, r| {
                Ok(Some(u64::from(relation.holds(t.read(l).cmp(&t.read(r))))))
            })?
        }
        Op::CompareFloat(relation, bytes) => {
            let (right, left) = (pop(), pop());
            if is_vague(*bytes, &left) || is_vague(*bytes, &right) {
                let between = bounds(*bytes, &left).zip(bounds(*bytes, &right));
                stack
                    .push(known(between.and_then(|(l, r)| l.compare(*relation, r)).map(u64::from)));
                return Ok(());
            }
            both(left, right, |l, r| {
                let order = compare_floats(*bytes, l, r);
                let unequal = *relation == Relation::Ne;
                let holds = order.map(|order| order.map_or(unequal, |order| relation.holds(order)));
                Ok(holds.map(u64::from))
            })?
        }
        Op::Choose(shape) => {
            let (otherwise, then) = (pop(), pop());
            match pop() {
                Value::Known(0) => otherwise,
                Value::Known(_) => then,
                _ => shape.unknown(),
            }
        }
        Op::Convert(from, to) => converted(*from, *to, pop()),
        Op::Exact(Exact::Float(op, bytes)) => {
            let (right, left) = (pop(), pop());
            float(*op, *bytes, &left, &right)
        }
        Op::Exact(exact) => {
            let right = if exact.arity() == 2 { pop() } else { Value::Known(0) };
            match (exact, pop()) {
                (Exact::FloatAbs(_), Value::Between(x)) => Value::Between(x.abs()),
                (_, left) => both(left, right, |l, r| Ok(exact.apply(l, r)))?,
            }
        }
        other => return Err(Out::Unsupported(format!("the instruction {other:?}"))),
    };
    stack.push(result);
    Ok(())
}

/// Is it a float of which only bounds are known?
fn is_vague(bytes: u32, value: &Value) -> bool {
    match value {
        Value::Known(bits) => is_flushed(bytes, *bits),
        value => matches!(value, Value::Between(_)),
    }
}

/// The bounds of a float.
fn bounds(bytes: u32, value: &Value) -> Option<Bounds> {
    match value {
        Value::Known(bits) => Bounds::of(bytes, *bits),
        Value::Between(bounds) => Some(*bounds),
        _ => None,
    }
}

/// `left op right` of floats: exactly, or between bounds.
fn float(op: MachineOp, bytes: u32, left: &Value, right: &Value) -> Value {
    if let (Value::Known(l), Value::Known(r)) = (left, right)
        && let Some(exact) = floats(op, bytes, *l, *r)
    {
        return Value::Known(exact);
    }
    let both = bounds(bytes, left).zip(bounds(bytes, right));
    both.and_then(|(l, r)| l.apply(op, r)).map_or(Value::Unknown, Value::Between)
}

/// A number converted as C does it, to bounds where no float is it exactly.
fn converted(from: Number, to: Number, value: Value) -> Value {
    let between = |x: f64| Bounds::around(x, x).map_or(Value::Unknown, Value::Between);
    let value = match (from, value) {
        (Number::Float(4), Value::Known(bits)) if from != to && is_flushed(4, bits) => {
            Bounds::of(4, bits).map_or(Value::Unknown, Value::Between)
        }
        (_, value) => value,
    };
    match (from, to, value) {
        (Number::Float(4 | 8), Number::Float(4 | 8), Value::Between(x)) => Value::Between(x),
        (Number::Float(_), Number::Int(t), Value::Between(x)) => {
            let whole = x.whole().filter(|whole| t.read(t.write(*whole)) == *whole);
            known(whole.map(|whole| t.write(whole)))
        }
        (Number::Float(_), Number::Bool, Value::Between(x)) => {
            let zero = Bounds::of(4, 0);
            known(zero.and_then(|zero| x.compare(Relation::Ne, zero)).map(u64::from))
        }
        (_, _, Value::Known(bits)) => match (convert(from, to, bits), from, to) {
            (Some(exact), _, Number::Float(4)) if from != to && is_flushed(4, exact) => {
                Bounds::of(4, exact).map_or(Value::Unknown, Value::Between)
            }
            (Some(exact), ..) => Value::Known(exact),
            (None, Number::Int(t), Number::Float(4 | 8)) => between(t.read(bits) as f64),
            (None, Number::Float(8), Number::Float(4)) => {
                Bounds::of(8, bits).map_or(Value::Unknown, Value::Between)
            }
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

fn known(found: Option<u64>) -> Value {
    found.map_or(Value::Unknown, Value::Known)
}

fn one(x: Value, f: impl FnOnce(u64) -> Result<Option<u64>, Out>) -> Result<Value, Out> {
    match x {
        Value::Known(x) => f(x).map(known),
        _ => Ok(Value::Unknown),
    }
}

fn both(
    left: Value,
    right: Value,
    f: impl FnOnce(u64, u64) -> Result<Option<u64>, Out>,
) -> Result<Value, Out> {
    match (left, right) {
        (Value::Known(l), Value::Known(r)) => f(l, r).map(known),
        _ => Ok(Value::Unknown),
    }
}

/// An address, so many bytes further.
fn address(base: Value, bytes: i128) -> Result<Value, Out> {
    let Value::Known(bits) = base else { return Ok(Value::Unknown) };
    let Some(Address { object, offset }) = Address::of(bits) else {
        // Near to null, where nothing is.
        return Ok(Value::Known(bits.wrapping_add(bytes as u64)));
    };
    let offset = i64::try_from(i128::from(offset) + bytes).map_err(|_| Out::Limit("addresses"))?;
    let bits = Address { object, offset }.bits();
    bits.map(Value::Known).ok_or(Out::Limit("addresses"))
}

#[cfg(test)]
mod tests {
    use super::super::value::Shape;
    use super::*;
    use babycuda_core::IntType;

    fn after(stack: &[Value], op: Op) -> Option<Vec<Value>> {
        let mut stack = stack.to_vec();
        operate(&op, &mut stack).ok().map(|()| stack)
    }

    #[test]
    fn addresses_before_an_array_are_its_own() {
        let bits = |offset| Address { object: 3, offset }.bits().map(Value::Known).unwrap();
        let elements = |t: IntType, count: i128, back| {
            let stack = [bits(0), Value::Known(t.write(count))];
            after(&stack, Op::Elements(4, t, back))
        };
        assert_eq!(elements(IntType::I32, -1, false), Some(vec![bits(-4)]));
        assert_eq!(elements(IntType::U64, -1, false), Some(vec![bits(-4)]));
        assert_eq!(elements(IntType::U32, -1, false), Some(vec![bits(4 * 0xffff_ffff)]));
        assert_eq!(elements(IntType::I32, 2, true), Some(vec![bits(-8)]));
        assert_eq!(elements(IntType::I64, 1 << 60, false), None);
        assert_eq!(after(&[bits(4), bits(-4)], Op::Distance(4)), Some(vec![Value::Known(2)]));
    }

    #[test]
    fn what_is_not_known_stays_so() {
        let plus = Op::Integer(MachineOp::Add, IntType::I32);
        assert_eq!(after(&[Value::Unknown, Value::Known(1)], plus), Some(vec![Value::Unknown]));
        let object = Op::Pack(vec![(0, Shape::Scalar(1)), (2, Shape::Scalar(1))], 3);
        let packed = after(&[Value::Unknown, Value::Known(5)], object);
        assert_eq!(
            packed,
            Some(vec![Value::Bytes(vec![Byte::Unknown, Byte::Known(0), Byte::Known(5)])])
        );
        let part = Op::Part(2, Shape::Scalar(1));
        assert_eq!(after(&packed.unwrap_or_default(), part), Some(vec![Value::Known(5)]));
    }
}
