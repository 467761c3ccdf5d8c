//! The meaning of every operator on values, as SMT-LIB defines it.

use num_bigint::BigInt;
use num_traits::Zero;

use super::Op;
use crate::value::Value;
use babycuda_core::interval::euclid;

/// The value of `op` on values. `None` when SMT-LIB leaves it open (integer division by zero), and
/// for a free constant or arguments of the wrong sorts, which sorted terms do not have.
pub(crate) fn apply(op: &Op, args: &[Value]) -> Option<Value> {
    match op {
        Op::Value(value) => Some(value.clone()),
        Op::Constant(_) => None,
        Op::And => connective(args, false),
        Op::Or => connective(args, true),
        Op::Eq => match args {
            [a, b] => Some(Value::Bool(a == b)),
            _ => None,
        },
        Op::Ite => match args {
            [Value::Bool(c), a, b] => Some(if *c { a.clone() } else { b.clone() }),
            _ => None,
        },
        _ => match args {
            [Value::Bool(a)] => (*op == Op::Not).then_some(Value::Bool(!a)),
            [Value::Bool(a), Value::Bool(b)] => (*op == Op::Xor).then_some(Value::Bool(a != b)),
            [Value::Int(a), Value::Int(b)] => int(op, a, b),
            _ => None,
        },
    }
}

/// `and`, `or`: `absorbing` decides.
fn connective(args: &[Value], absorbing: bool) -> Option<Value> {
    let mut found = !absorbing;
    for arg in args {
        if arg.as_bool()? == absorbing {
            found = absorbing;
        }
    }
    Some(Value::Bool(found))
}

fn int(op: &Op, a: &BigInt, b: &BigInt) -> Option<Value> {
    Some(match op {
        Op::Add => Value::Int(a + b),
        Op::Sub => Value::Int(a - b),
        Op::Mul => Value::Int(a * b),
        Op::Div if !b.is_zero() => Value::Int(euclid(a, b).0),
        Op::Mod if !b.is_zero() => Value::Int(euclid(a, b).1),
        Op::Le => Value::Bool(a <= b),
        Op::Lt => Value::Bool(a < b),
        _ => return None,
    })
}
