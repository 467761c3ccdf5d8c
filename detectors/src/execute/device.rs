//! What the device computes: functions of integers, atomic updates, what lanes exchange.

use super::arithmetic::floats;
use super::code::Number;
use super::value::{Byte, Value};
use babycuda_core::{IntType, MachineOp};

/// A function of known numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exact {
    /// `min`, `max`, and products of them after a mask: an operator at a type.
    Integer(MachineOp, IntType),
    Float(MachineOp, u32),
    /// `abs`; of the least value it is undefined.
    Abs(IntType),
    FloatAbs(u32),
    /// The product of the lower 24 bits.
    Mul24(IntType),
    /// The upper half of a product.
    MulHigh(IntType),
    Popc,
    /// Leading zeros, of so many bits.
    Clz(u32),
    /// The first bit that is set, from 1.
    Ffs,
    Brev,
}

impl Exact {
    /// How many numbers it takes.
    pub(super) fn arity(self) -> usize {
        match self {
            Exact::Integer(..) | Exact::Float(..) | Exact::Mul24(_) | Exact::MulHigh(_) => 2,
            _ => 1,
        }
    }

    /// Its value; `None`: that is not known, or undefined.
    pub(super) fn apply(self, x: u64, y: u64) -> Option<u64> {
        Some(match self {
            Exact::Integer(op, t) => op.apply(t, x, y),
            Exact::Float(op, bytes) => floats(op, bytes, x, y)?,
            Exact::Abs(t) => {
                let value = t.read(x).abs();
                (t.read(t.write(value)) == value).then(|| t.write(value))?
            }
            Exact::FloatAbs(bytes) => x & (u64::MAX >> (65 - 8 * bytes.clamp(1, 8))),
            Exact::Mul24(t) => {
                let low = |n: u64| {
                    let bits = n & 0xff_ffff;
                    let negative = t.signed && bits >> 23 == 1;
                    i128::from(bits) - if negative { 1 << 24 } else { 0 }
                };
                t.write(low(x) * low(y))
            }
            // The product of two unsigned numbers of 64 bits needs all 128.
            Exact::MulHigh(t) if t.signed => t.write((t.read(x) * t.read(y)) >> t.width.bits()),
            Exact::MulHigh(t) => {
                let [x, y] = [x, y].map(|n| u128::from(n & t.width.mask()));
                ((x * y) >> t.width.bits()) as u64
            }
            Exact::Popc => x.count_ones().into(),
            Exact::Clz(bits) => u64::from(x.leading_zeros()).saturating_sub(u64::from(64 - bits)),
            Exact::Ffs if x == 0 => 0,
            Exact::Ffs => u64::from(x.trailing_zeros()) + 1,
            Exact::Brev => u64::from((x as u32).reverse_bits()),
        })
    }
}

/// What an atomic function stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Update {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Inc,
    Dec,
    Cas,
}

impl Update {
    pub(super) fn named(name: &str) -> Option<Update> {
        Some(match name {
            "atomicAdd" => Update::Add,
            "atomicSub" => Update::Sub,
            "atomicMin" => Update::Min,
            "atomicMax" => Update::Max,
            "atomicAnd" => Update::And,
            "atomicOr" => Update::Or,
            "atomicXor" => Update::Xor,
            "atomicExch" => Update::Exch,
            "atomicInc" => Update::Inc,
            "atomicDec" => Update::Dec,
            "atomicCAS" => Update::Cas,
            _ => return None,
        })
    }

    /// What is there after an update of `old`; `expected` is there for a compare-and-swap.
    pub(super) fn apply(
        self,
        at: Option<Number>,
        old: &Value,
        new: &Value,
        expected: Option<&Value>,
    ) -> Value {
        let op = match self {
            Update::Exch => return new.clone(),
            Update::Add => MachineOp::Add,
            Update::Sub => MachineOp::Sub,
            Update::Min => MachineOp::Min,
            Update::Max => MachineOp::Max,
            Update::And => MachineOp::And,
            Update::Or => MachineOp::Or,
            Update::Xor => MachineOp::Xor,
            Update::Inc | Update::Dec | Update::Cas => MachineOp::Add,
        };
        let (&Value::Known(old), &Value::Known(new)) = (old, new) else { return unknown(old) };
        let known = match (self, at) {
            (Update::Cas, _) => match expected {
                Some(Value::Known(expected)) => Some(if *expected == old { new } else { old }),
                _ => None,
            },
            (Update::Inc, Some(Number::Int(_))) => Some(if old >= new { 0 } else { old + 1 }),
            (Update::Dec, Some(Number::Int(_))) => {
                Some(if old == 0 || old > new { new } else { old - 1 })
            }
            (Update::Inc | Update::Dec, _) => None,
            // An atomic addition wraps around.
            (_, Some(Number::Int(t))) => Some(op.apply(t, old, new)),
            (_, Some(Number::Float(bytes))) => floats(op, bytes, old, new),
            _ => None,
        };
        known.map_or(Value::Unknown, Value::Known)
    }
}

/// As much as the other, and nothing known.
fn unknown(like: &Value) -> Value {
    match like {
        Value::Bytes(bytes) => Value::Bytes(vec![Byte::Unknown; bytes.len()]),
        _ => Value::Unknown,
    }
}

/// What lanes exchange. The stack has a mask, the group if it is one's, the value, and for a shuffle the lane
/// and the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exchange {
    pub(super) kind: Trade,
    pub(super) grouped: bool,
}

/// How lanes exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trade {
    Index,
    Up,
    Down,
    Xor,
    Any,
    All,
    Ballot,
    Match,
    /// Nothing: a barrier of the lanes that a mask names, which alone of them orders accesses.
    Barrier,
    Reduce(MachineOp, IntType),
}

/// What a lane brings.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Offer {
    pub(super) lane: u32,
    pub(super) value: Value,
    /// The lane that is asked for, or how far it is.
    pub(super) operand: Value,
    pub(super) width: u32,
}

impl Trade {
    /// Is it a shuffle?
    pub(super) fn shuffles(self) -> bool {
        matches!(self, Trade::Index | Trade::Up | Trade::Down | Trade::Xor)
    }

    /// What `own` gets of what all lanes of a mask bring. `first` is the first lane of its group, from which a
    /// ballot counts.
    pub(super) fn result(self, own: &Offer, all: &[Offer], first: u32) -> Value {
        let known = |offer: &Offer| match offer.value {
            Value::Known(bits) => Some(bits),
            _ => None,
        };
        let of = |holds: &dyn Fn(u64) -> bool| -> Option<u64> {
            all.iter().try_fold(0u64, |set, offer| {
                let bit = u64::from(holds(known(offer)?));
                Some(set | bit << offer.lane.saturating_sub(first).min(63))
            })
        };
        let found = match self {
            Trade::Any => of(&|bits| bits != 0).map(|set| u64::from(set != 0)),
            Trade::All => of(&|bits| bits == 0).map(|set| u64::from(set == 0)),
            Trade::Ballot => of(&|bits| bits != 0),
            Trade::Barrier => Some(0),
            Trade::Match => known(own).and_then(|own| of(&|bits| bits == own)),
            Trade::Reduce(op, t) => {
                let mut values = all.iter().map(known);
                let first = values.next().flatten();
                values.fold(first, |l, r| Some(op.apply(t, l?, r?)))
            }
            Trade::Index | Trade::Up | Trade::Down | Trade::Xor => return self.shuffled(own, all),
        };
        found.map_or(Value::Unknown, Value::Known)
    }

    fn shuffled(self, own: &Offer, all: &[Offer]) -> Value {
        let (Value::Known(operand), width) = (&own.operand, own.width) else {
            return unknown(&own.value);
        };
        if !width.is_power_of_two() {
            return unknown(&own.value);
        }
        let begin = own.lane / width * width;
        let end = u64::from(begin + width);
        let (lane, operand) = (u64::from(own.lane), operand & 0xffff_ffff);
        let source = match self {
            Trade::Index => u64::from(begin) + operand % u64::from(width),
            Trade::Up => {
                lane.checked_sub(operand).filter(|to| *to >= u64::from(begin)).unwrap_or(lane)
            }
            Trade::Down if lane + operand < end => lane + operand,
            Trade::Xor if lane ^ operand < end => lane ^ operand,
            _ => lane,
        };
        let from = all.iter().find(|offer| u64::from(offer.lane) == source);
        from.map_or_else(|| unknown(&own.value), |offer| offer.value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_integers() {
        let t = IntType::I32;
        assert_eq!(Exact::Clz(32).apply(1, 0), Some(31));
        assert_eq!(Exact::Clz(64).apply(0, 0), Some(64));
        assert_eq!(Exact::Ffs.apply(8, 0), Some(4));
        assert_eq!(Exact::Brev.apply(1, 0), Some(1 << 31));
        assert_eq!(Exact::Mul24(t).apply(0x1ff_ffff, 3), Some(t.write(-3)));
        assert_eq!(Exact::MulHigh(IntType::U32).apply(1 << 31, 4), Some(2));
        assert_eq!(Exact::MulHigh(IntType::U64).apply(u64::MAX, u64::MAX), Some(u64::MAX - 1));
        let minus = t.write(-1);
        assert_eq!(Exact::MulHigh(t).apply(minus, 1), Some(minus));
        assert_eq!(Exact::Abs(t).apply(t.write(i32::MIN.into()), 0), None);
        assert_eq!(
            Exact::FloatAbs(4).apply((-1f32).to_bits().into(), 0),
            Some(1f32.to_bits().into())
        );
    }

    #[test]
    fn shuffles_stay_in_their_parts_of_a_warp() {
        let offer = |lane: u32, operand: u64| Offer {
            lane,
            value: Value::Known(u64::from(lane)),
            operand: Value::Known(operand),
            width: 4,
        };
        let all: Vec<Offer> = (0..8).map(|lane| offer(lane, 0)).collect();
        let from = |trade: Trade, lane, operand| trade.result(&offer(lane, operand), &all, 0);
        assert_eq!(from(Trade::Up, 5, 1), Value::Known(4));
        assert_eq!(from(Trade::Up, 4, 1), Value::Known(4));
        assert_eq!(from(Trade::Down, 2, 1), Value::Known(3));
        assert_eq!(from(Trade::Down, 3, 1), Value::Known(3));
        assert_eq!(from(Trade::Index, 6, 1), Value::Known(5));
        assert_eq!(from(Trade::Xor, 6, 3), Value::Known(5));
        assert_eq!(from(Trade::Xor, 2, 4), Value::Known(2));
        let few = &all[..2];
        assert_eq!(Trade::Index.result(&offer(0, 2), few, 0), Value::Unknown);
        assert_eq!(Trade::Ballot.result(&offer(0, 0), few, 0), Value::Known(2));
    }
}
