//! The meaning of every operator on values, as SMT-LIB defines it.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

use super::Op;
use crate::value::{Value, mask, signed, wrap};
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
            [Value::Int(a)] => (*op == Op::Neg).then(|| Value::Int(-a)),
            [Value::Int(a), Value::Int(b)] => int(op, a, b),
            [Value::BitVec { width, bits }] => unary(op, *width, bits),
            [Value::BitVec { width: w, bits: a }, Value::BitVec { width: v, bits: b }] => {
                binary(op, (*w, a), (*v, b))
            }
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

fn unary(op: &Op, width: u32, a: &BigUint) -> Option<Value> {
    Some(match op {
        Op::Neg => Value::bitvec_wrapping(width, &-BigInt::from(a.clone())),
        Op::BvNot => Value::bitvec(width, mask(width) - a),
        Op::Extract { high, low } => Value::bitvec(high - low + 1, a >> low),
        Op::ZeroExtend(by) => Value::bitvec(width + by, a.clone()),
        Op::SignExtend(by) => Value::bitvec_wrapping(width + by, &signed(width, a)),
        _ => return None,
    })
}

fn binary(op: &Op, (width, a): (u32, &BigUint), (low_width, b): (u32, &BigUint)) -> Option<Value> {
    if *op == Op::Concat {
        return Some(Value::bitvec(width + low_width, (a << low_width) | b));
    }
    let wrapped = |value: BigInt| Value::bitvec_wrapping(width, &value);
    let (sa, sb) = (|| signed(width, a), || signed(width, b));
    Some(match op {
        Op::Add => Value::bitvec(width, a + b),
        Op::Sub => wrapped(BigInt::from(a.clone()) - BigInt::from(b.clone())),
        Op::Mul => Value::bitvec(width, a * b),
        Op::UDiv if b.is_zero() => Value::bitvec(width, mask(width)),
        Op::UDiv => Value::bitvec(width, a / b),
        Op::URem if b.is_zero() => Value::bitvec(width, a.clone()),
        Op::URem => Value::bitvec(width, a % b),
        // Signed division truncates; by zero it follows from the unsigned one: 1 for a negative
        // dividend, all ones otherwise.
        Op::SDiv if b.is_zero() && a.bit(u64::from(width) - 1) => Value::bitvec(width, 1u32),
        Op::SDiv if b.is_zero() => Value::bitvec(width, mask(width)),
        Op::SDiv => wrapped(sa() / sb()),
        Op::SRem if b.is_zero() => Value::bitvec(width, a.clone()),
        Op::SRem => wrapped(sa() % sb()),
        Op::Shl => match amount(width, b) {
            Some(by) => Value::bitvec(width, a << by),
            None => Value::bitvec(width, BigUint::zero()),
        },
        Op::LShr => match amount(width, b) {
            Some(by) => Value::bitvec(width, a >> by),
            None => Value::bitvec(width, BigUint::zero()),
        },
        Op::AShr => {
            let by = amount(width, b).unwrap_or(width);
            let (quotient, _) = euclid(&sa(), &(BigInt::one() << by));
            Value::BitVec { width, bits: wrap(width, &quotient) }
        }
        Op::BvAnd => Value::bitvec(width, a & b),
        Op::BvOr => Value::bitvec(width, a | b),
        Op::BvXor => Value::bitvec(width, a ^ b),
        Op::ULt => Value::Bool(a < b),
        Op::ULe => Value::Bool(a <= b),
        Op::SLt => Value::Bool(sa() < sb()),
        Op::SLe => Value::Bool(sa() <= sb()),
        _ => return None,
    })
}

/// A shift amount below the width.
fn amount(width: u32, by: &BigUint) -> Option<u32> {
    by.to_u32().filter(|by| *by < width)
}
