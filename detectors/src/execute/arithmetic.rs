//! Arithmetic: C's on integers, and that of floats as far as a result is exact.
//!
//! A device may round a float's product before it adds to it, or not, divide by a reciprocal, take floats of 4 bytes that
//! are nearer to 0 than the least normal one for it, and has faster functions that are less exact. So a result of floats is
//! known only where it is a float itself that all of them compute.

use super::Halt;
use super::code::Number;
use babycuda_core::{IntType, MachineOp};
use std::cmp::Ordering;

/// `l op r` at type `t`.
///
/// # Errors
/// C leaves it undefined.
pub(super) fn integer(op: MachineOp, t: IntType, l: u64, r: u64) -> Result<u64, Halt> {
    let (x, y) = (t.read(l), t.read(r));
    let exact = match op {
        MachineOp::Add => Some(x + y),
        MachineOp::Sub => Some(x - y),
        // At most 2^126.
        MachineOp::Mul if t.signed => Some(x * y),
        MachineOp::Div | MachineOp::Rem if y == 0 => return Err(Halt::Division),
        // The remainder of the least value by -1 is undefined, too.
        MachineOp::Div | MachineOp::Rem => Some(x / y),
        _ => None,
    };
    let range = t.read(t.write(exact.unwrap_or(0)));
    match t.signed && exact.is_some_and(|exact| exact != range) {
        true => Err(Halt::Overflow),
        false => Ok(op.apply(t, l, r)),
    }
}

/// `l << count`, `l >> count`.
///
/// # Errors
/// The count is negative, or not less than the width.
pub(super) fn shift(op: MachineOp, t: IntType, l: u64, count: i128) -> Result<u64, Halt> {
    match u64::try_from(count) {
        Ok(count) if count < u64::from(t.width.bits()) => Ok(op.apply(t, l, count)),
        _ => Err(Halt::Shift),
    }
}

/// A float, wide enough for each that is narrower; `None`: one of two bytes, or no number.
fn float(bytes: u32, bits: u64) -> Option<f64> {
    let value = match bytes {
        4 => f64::from(f32::from_bits(bits as u32)),
        8 => f64::from_bits(bits),
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// The pattern of a float of so many bytes, if it is one.
fn pattern(bytes: u32, value: f64) -> Option<u64> {
    match bytes {
        4 => {
            let narrow = value as f32;
            (f64::from(narrow) == value).then(|| u64::from(narrow.to_bits()))
        }
        8 => value.is_finite().then(|| value.to_bits()),
        _ => None,
    }
}

/// Is it a float that some devices take for 0?
pub(super) fn is_flushed(bytes: u32, bits: u64) -> bool {
    bytes == 4 && f32::from_bits(bits as u32).is_subnormal()
}

/// Is it a power of 2 that is neither large nor small, or the negative of one?
fn is_power_of_two(x: f64) -> bool {
    let mantissa = x.to_bits() & ((1 << (f64::MANTISSA_DIGITS - 1)) - 1);
    mantissa == 0 && (1e-30..1e30).contains(&x.abs())
}

/// `l op r` of floats, where it is exact.
pub(super) fn floats(op: MachineOp, bytes: u32, l: u64, r: u64) -> Option<u64> {
    if is_flushed(bytes, l) || is_flushed(bytes, r) {
        return None;
    }
    let (x, y) = (float(bytes, l)?, float(bytes, r)?);
    let tiny = |n: f64| n != 0.0 && n.abs() < f64::MIN_POSITIVE * 2f64.powi(60);
    let result = match op {
        MachineOp::Add | MachineOp::Sub => {
            let y = if op == MachineOp::Sub { -y } else { y };
            let sum = x + y;
            let part = sum - x;
            let rest = (x - (sum - part)) + (y - part);
            (rest == 0.0).then_some(sum)
        }
        MachineOp::Mul => {
            let product = x * y;
            let lost = product == 0.0 && x != 0.0 && y != 0.0;
            let exact = !lost && !tiny(product) && x.mul_add(y, -product) == 0.0;
            exact.then_some(product)
        }
        // Nobody is sure of a quotient of 4 bytes, but of 0, and by a power of 2, of which each device has the reciprocal.
        MachineOp::Div if bytes == 4 && !(x == 0.0 && y != 0.0 || is_power_of_two(y)) => None,
        MachineOp::Div if y != 0.0 => {
            let quotient = x / y;
            let lost = quotient == 0.0 && x != 0.0;
            let exact = !lost && !tiny(quotient) && !tiny(x) && quotient.mul_add(y, -x) == 0.0;
            exact.then_some(quotient)
        }
        // Of 0 and -0 either may come.
        MachineOp::Min | MachineOp::Max if x == y && l != r => None,
        MachineOp::Min => Some(x.min(y)),
        MachineOp::Max => Some(x.max(y)),
        _ => None,
    };
    pattern(bytes, result?).filter(|bits| !is_flushed(bytes, *bits))
}

/// How two floats compare; `Some(None)`: one of them is no number, `None`: they are not known here.
pub(super) fn compare_floats(bytes: u32, l: u64, r: u64) -> Option<Option<Ordering>> {
    match bytes {
        4 => Some(f32::from_bits(l as u32).partial_cmp(&f32::from_bits(r as u32))),
        8 => Some(f64::from_bits(l).partial_cmp(&f64::from_bits(r))),
        _ => None,
    }
}

/// `-x` of a float.
pub(super) fn negated(bytes: u32, bits: u64) -> u64 {
    bits ^ 1u64.checked_shl(8 * bytes - 1).unwrap_or(0)
}

/// A number converted as C does it; `None`: it cannot be said what comes of it.
pub(super) fn convert(from: Number, to: Number, bits: u64) -> Option<u64> {
    match (from, to) {
        (Number::Bool, Number::Bool) => Some(bits),
        (Number::Bool, Number::Int(_)) => Some(bits),
        (Number::Int(t), Number::Bool) => Some(u64::from(bits & t.width.mask() != 0)),
        (Number::Int(t), Number::Int(u)) => Some(t.convert(bits, u)),
        (Number::Float(bytes), Number::Bool) => {
            compare_floats(bytes, bits, 0).map(|o| u64::from(o != Some(Ordering::Equal)))
        }
        (Number::Float(bytes), Number::Int(t)) => {
            // Behind 2^64 there is no integer, and up to there the conversion is exact.
            let whole = float(bytes, bits)?.trunc();
            let whole = (whole.abs() < 2f64.powi(64)).then_some(whole as i128)?;
            (t.read(t.write(whole)) == whole).then(|| t.write(whole))
        }
        (Number::Bool, Number::Float(bytes)) => pattern(bytes, if bits != 0 { 1.0 } else { 0.0 }),
        (Number::Int(t), Number::Float(bytes)) => {
            let value = t.read(bits);
            let near = value as f64;
            (near as i128 == value).then(|| pattern(bytes, near))?
        }
        (Number::Float(bytes), Number::Float(wanted)) if bytes == wanted => Some(bits),
        (Number::Float(bytes), Number::Float(wanted)) => pattern(wanted, float(bytes, bits)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(x: f32) -> u64 {
        u64::from(x.to_bits())
    }

    #[test]
    fn what_c_leaves_undefined_is_no_result() {
        let t = IntType::I32;
        let (least, minus) = (t.write(i32::MIN.into()), t.write(-1));
        assert_eq!(integer(MachineOp::Add, t, t.write(i32::MAX.into()), 1), Err(Halt::Overflow));
        assert_eq!(integer(MachineOp::Sub, t, least, 1), Err(Halt::Overflow));
        assert_eq!(integer(MachineOp::Mul, t, 1 << 30, 2), Err(Halt::Overflow));
        assert_eq!(integer(MachineOp::Div, t, least, minus), Err(Halt::Overflow));
        assert_eq!(integer(MachineOp::Rem, t, least, minus), Err(Halt::Overflow));
        assert_eq!(integer(MachineOp::Rem, t, 5, 0), Err(Halt::Division));
        assert_eq!(integer(MachineOp::Rem, t, t.write(-7), 2), Ok(minus));
        assert_eq!(integer(MachineOp::Add, IntType::U32, u32::MAX.into(), 2), Ok(1));
        assert_eq!(integer(MachineOp::Mul, IntType::U64, u64::MAX, u64::MAX), Ok(1));
        assert_eq!(shift(MachineOp::Shl, t, 1, 32), Err(Halt::Shift));
        assert_eq!(shift(MachineOp::Shr, t, 1, -1), Err(Halt::Shift));
        assert_eq!(shift(MachineOp::Shl, t, 1, 31), Ok(1 << 31));
    }

    #[test]
    fn floats_are_exact_or_unknown() {
        assert_eq!(floats(MachineOp::Add, 4, f(1.5), f(2.25)), Some(f(3.75)));
        assert_eq!(floats(MachineOp::Add, 4, f(1.0), f(1e-9)), None);
        assert_eq!(floats(MachineOp::Add, 4, f(16_777_216.0), f(1.0)), None);
        assert_eq!(floats(MachineOp::Mul, 4, f(3.0), f(0.5)), Some(f(1.5)));
        assert_eq!(floats(MachineOp::Mul, 4, f(0.1), f(0.1)), None);
        assert_eq!(floats(MachineOp::Div, 4, f(1.0), f(3.0)), None);
        // `41 * (1 / 41)` is less than 1.
        assert_eq!(floats(MachineOp::Div, 4, f(41.0), f(41.0)), None);
        assert_eq!(floats(MachineOp::Div, 4, f(6.0), f(3.0)), None);
        assert_eq!(floats(MachineOp::Div, 4, f(0.0), f(3.0)), Some(f(0.0)));
        assert_eq!(floats(MachineOp::Div, 4, f(3.0), f(-2.0)), Some(f(-1.5)));
        assert_eq!(floats(MachineOp::Div, 4, f(3.0), f(1e35f32.log2().exp2())), None);
        let three = [3.0f64, 2.0].map(f64::to_bits);
        assert_eq!(floats(MachineOp::Div, 8, three[0], three[1]), Some(1.5f64.to_bits()));
        // What is below the least normal float may be 0.
        let half = f(f32::MIN_POSITIVE / 2.0);
        assert_eq!(floats(MachineOp::Mul, 4, f(f32::MIN_POSITIVE), f(0.5)), None);
        assert_eq!(floats(MachineOp::Add, 4, half, f(0.0)), None);
        assert_eq!(floats(MachineOp::Max, 4, half, f(0.0)), None);
        assert_eq!(floats(MachineOp::Div, 4, f(3.0), f(0.0)), None);
        assert_eq!(floats(MachineOp::Mul, 8, 1e-300f64.to_bits(), 1e-300f64.to_bits()), None);
        assert_eq!(negated(4, f(1.0)), f(-1.0));
        assert_eq!(compare_floats(4, f(f32::NAN), f(1.0)), Some(None));
    }

    #[test]
    fn conversions_keep_the_value() {
        let (int, float) = (Number::Int(IntType::I32), Number::Float(4));
        assert_eq!(convert(int, float, IntType::I32.write(-3)), Some(f(-3.0)));
        assert_eq!(convert(int, float, 16_777_217), None);
        assert_eq!(convert(float, int, f(-2.75)), Some(IntType::I32.write(-2)));
        assert_eq!(convert(float, int, f(3e9)), None);
        assert_eq!(convert(float, Number::Int(IntType::U32), f(3e9)), Some(3_000_000_000));
        assert_eq!(convert(float, Number::Bool, f(-0.0)), Some(0));
        assert_eq!(convert(Number::Float(8), float, 0.1f64.to_bits()), None);
        assert_eq!(
            convert(Number::Int(IntType::I64), Number::Float(8), u64::MAX),
            Some((-1.0f64).to_bits())
        );
    }
}
