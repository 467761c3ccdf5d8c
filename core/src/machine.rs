//! Machine arithmetic, as operators on naturals (THEORY §1).
//!
//! A machine integer of `w` bits is its bit pattern, a natural below `2^w`. Every operator first
//! reduces its operands modulo `2^w`, so it is total on naturals. Results wrap around; the signed
//! operators read and write two's complement. A shift by `w` or more gives 0 (arithmetic right
//! shift: the sign). Division by zero gives 0 and the remainder by zero is the dividend, as for
//! naturals; `MIN / -1` wraps to `MIN`.

use crate::natural::Natural;
use crate::parse::Misspelled;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The width of a machine integer, in bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Width {
    W8,
    W16,
    W32,
    W64,
}

impl Width {
    /// All widths, narrowest first.
    pub const ALL: [Width; 4] = [Width::W8, Width::W16, Width::W32, Width::W64];

    /// The number of bits: 8, 16, 32 or 64.
    pub fn bits(self) -> u32 {
        match self {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }

    /// The pattern with every bit set: `2^w - 1`.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// A machine integer type: `u8` … `u64`, `i8` … `i64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct IntType {
    /// Number of bits.
    pub width: Width,
    /// Two's complement reading?
    pub signed: bool,
}

#[allow(missing_docs)]
impl IntType {
    pub const U8: IntType = IntType { width: Width::W8, signed: false };
    pub const U16: IntType = IntType { width: Width::W16, signed: false };
    pub const U32: IntType = IntType { width: Width::W32, signed: false };
    pub const U64: IntType = IntType { width: Width::W64, signed: false };
    pub const I8: IntType = IntType { width: Width::W8, signed: true };
    pub const I16: IntType = IntType { width: Width::W16, signed: true };
    pub const I32: IntType = IntType { width: Width::W32, signed: true };
    pub const I64: IntType = IntType { width: Width::W64, signed: true };

    /// All eight types.
    pub const ALL: [IntType; 8] = [
        IntType::U8,
        IntType::U16,
        IntType::U32,
        IntType::U64,
        IntType::I8,
        IntType::I16,
        IntType::I32,
        IntType::I64,
    ];

    /// The pattern of `value`: reduced modulo `2^w`.
    pub fn pattern(self, value: &Natural) -> u64 {
        value.low_u64() & self.width.mask()
    }

    /// What the pattern `bits` means: itself, or its two's complement reading.
    /// Bits above the width are ignored.
    pub fn read(self, bits: u64) -> i128 {
        let bits = bits & self.width.mask();
        if self.signed && bits >> (self.width.bits() - 1) == 1 {
            i128::from(bits) - (1i128 << self.width.bits())
        } else {
            i128::from(bits)
        }
    }

    /// The pattern of `value` modulo `2^w`.
    pub fn write(self, value: i128) -> u64 {
        (value as u64) & self.width.mask()
    }

    /// The pattern of a `self`, converted to `to` as C converts integers:
    /// sign- or zero-extended by the source's signedness, then truncated.
    pub fn convert(self, bits: u64, to: IntType) -> u64 {
        to.write(self.read(bits))
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.width.bits())
    }
}

impl fmt::Debug for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for IntType {
    type Err = Misspelled;
    fn from_str(text: &str) -> Result<Self, Misspelled> {
        let wrong = "not a machine integer type (u8, u16, u32, u64, i8, i16, i32, i64)";
        let found = IntType::ALL.into_iter().find(|t| t.to_string() == text);
        found.ok_or_else(|| Misspelled::new(text, wrong))
    }
}

impl From<IntType> for String {
    fn from(t: IntType) -> String {
        t.to_string()
    }
}

impl TryFrom<String> for IntType {
    type Error = Misspelled;
    fn try_from(text: String) -> Result<Self, Misspelled> {
        text.parse()
    }
}

/// A binary operator of machine arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum MachineOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

impl MachineOp {
    /// All operators.
    pub const ALL: [MachineOp; 12] = [
        MachineOp::Add,
        MachineOp::Sub,
        MachineOp::Mul,
        MachineOp::Div,
        MachineOp::Rem,
        MachineOp::Min,
        MachineOp::Max,
        MachineOp::And,
        MachineOp::Or,
        MachineOp::Xor,
        MachineOp::Shl,
        MachineOp::Shr,
    ];

    /// The spelling before the dot in `add.u32`.
    pub fn mnemonic(self) -> &'static str {
        match self {
            MachineOp::Add => "add",
            MachineOp::Sub => "sub",
            MachineOp::Mul => "mul",
            MachineOp::Div => "div",
            MachineOp::Rem => "rem",
            MachineOp::Min => "min",
            MachineOp::Max => "max",
            MachineOp::And => "and",
            MachineOp::Or => "or",
            MachineOp::Xor => "xor",
            MachineOp::Shl => "shl",
            MachineOp::Shr => "shr",
        }
    }

    /// Applies the operator to two patterns of type `t` (bits above the width are ignored).
    pub fn apply(self, t: IntType, left: u64, right: u64) -> u64 {
        let (l, r) = (left & t.width.mask(), right & t.width.mask());
        let (x, y) = (t.read(l), t.read(r));
        match self {
            MachineOp::Add => t.write(x + y),
            MachineOp::Sub => t.write(x - y),
            MachineOp::Mul => l.wrapping_mul(r) & t.width.mask(),
            MachineOp::Div => t.write(if y == 0 { 0 } else { x / y }),
            MachineOp::Rem => t.write(if y == 0 { x } else { x % y }),
            MachineOp::Min => t.write(x.min(y)),
            MachineOp::Max => t.write(x.max(y)),
            MachineOp::And => l & r,
            MachineOp::Or => l | r,
            MachineOp::Xor => l ^ r,
            MachineOp::Shl if r >= u64::from(t.width.bits()) => 0,
            MachineOp::Shl => (l << r) & t.width.mask(),
            // i128 holds every reading, so a shift by up to 127 is exact.
            MachineOp::Shr => t.write(x >> r.min(127)),
        }
    }

    /// Applies the operator to naturals: the one meaning of `add.u32(n, m)` and its kin.
    pub fn apply_natural(self, t: IntType, left: &Natural, right: &Natural) -> Natural {
        Natural::from(self.apply(t, t.pattern(left), t.pattern(right)))
    }
}

/// Compares two naturals as machine integers of type `t`.
pub fn compare(t: IntType, left: &Natural, right: &Natural) -> Ordering {
    t.read(t.pattern(left)).cmp(&t.read(t.pattern(right)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_around_and_reads_twos_complement() {
        let i32_ = IntType::I32;
        assert_eq!(MachineOp::Sub.apply(i32_, 0, 1), 0xffff_ffff);
        assert_eq!(i32_.read(0xffff_ffff), -1);
        assert_eq!(MachineOp::Div.apply(i32_, i32_.write(-7), 2), i32_.write(-3));
        assert_eq!(MachineOp::Rem.apply(i32_, i32_.write(-7), 2), i32_.write(-1));
        assert_eq!(MachineOp::Div.apply(i32_, 1 << 31, i32_.write(-1)), 1 << 31);
        assert_eq!(MachineOp::Shr.apply(i32_, 1 << 31, 40), 0xffff_ffff);
        assert_eq!(MachineOp::Shr.apply(IntType::U32, 1 << 31, 40), 0);
        assert_eq!(MachineOp::Shl.apply(IntType::U64, 1, 64), 0);
        assert_eq!(MachineOp::Mul.apply(IntType::U64, u64::MAX, u64::MAX), 1);
        assert_eq!(i32_.convert(0xffff_ffff, IntType::U64), u64::MAX);
        assert_eq!(IntType::U32.convert(0xffff_ffff, IntType::I64), 0xffff_ffff);
    }

    #[test]
    fn eight_bit_operators_agree_with_rusts_exhaustively() {
        for l in 0..=255u8 {
            for r in 0..=255u8 {
                let (a, b) = (u64::from(l), u64::from(r));
                let (x, y) = (l as i8, r as i8);
                let signed = |op: MachineOp| op.apply(IntType::I8, a, b) as u8 as i8;
                let unsigned = |op: MachineOp| op.apply(IntType::U8, a, b) as u8;
                assert_eq!(unsigned(MachineOp::Add), l.wrapping_add(r));
                assert_eq!(unsigned(MachineOp::Sub), l.wrapping_sub(r));
                assert_eq!(unsigned(MachineOp::Mul), l.wrapping_mul(r));
                assert_eq!(unsigned(MachineOp::Div), l.checked_div(r).unwrap_or(0));
                assert_eq!(unsigned(MachineOp::Rem), l.checked_rem(r).unwrap_or(l));
                assert_eq!(signed(MachineOp::Mul), x.wrapping_mul(y));
                assert_eq!(signed(MachineOp::Div), if y == 0 { 0 } else { x.wrapping_div(y) });
                assert_eq!(signed(MachineOp::Rem), if y == 0 { x } else { x.wrapping_rem(y) });
                assert_eq!(signed(MachineOp::Max), x.max(y));
                assert_eq!(signed(MachineOp::Min), x.min(y));
                assert_eq!(unsigned(MachineOp::Min), l.min(r));
                assert_eq!(unsigned(MachineOp::And), l & r);
                assert_eq!(unsigned(MachineOp::Or), l | r);
                assert_eq!(unsigned(MachineOp::Xor), l ^ r);
                for op in MachineOp::ALL {
                    assert!(op.apply(IntType::U8, a, b) <= 255, "{op:?} of {l} and {r}");
                }
                let shift = u32::from(r);
                assert_eq!(unsigned(MachineOp::Shl), l.checked_shl(shift).unwrap_or(0));
                assert_eq!(unsigned(MachineOp::Shr), l.checked_shr(shift).unwrap_or(0));
                assert_eq!(signed(MachineOp::Shr), x >> shift.min(7));
            }
        }
    }
}
