//! Natural numbers, unbounded: the only values of the calculus.

use crate::parse::MAX_DIGITS;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Add, Mul};
use std::str::FromStr;
use std::sync::Arc;

/// A natural number (LCL22 §2: values, indices and array contents), of any size.
///
/// Every operation is total: subtraction is truncated, `n / 0 = 0`, `n % 0 = n`.
///
/// In JSON, a natural below 2^53 is a number and any other a decimal string, of at most as many
/// digits as a text may have ([`MAX_DIGITS`]).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Natural(Digits);

/// Few numbers need more than a word, so most take no memory of their own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Digits {
    /// Below 2^64.
    Small(u64),
    /// From 2^64 on: so the order of the variants is that of the numbers.
    Large(Arc<BigUint>),
}

use Digits::{Large, Small};

impl Natural {
    /// Zero.
    pub const fn zero() -> Self {
        Natural(Small(0))
    }

    /// Truncated subtraction: `0` when `other` is the larger.
    pub fn monus(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Small(k), Small(l)) => k.saturating_sub(*l).into(),
            _ if self <= other => Self::zero(),
            _ => (self.to_big() - other.to_big()).into(),
        }
    }

    /// Division rounding down; `0` when the divisor is `0`.
    pub fn div_total(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (_, Small(0)) => Self::zero(),
            (Small(k), Small(l)) => (k / l).into(),
            _ => (self.to_big() / other.to_big()).into(),
        }
    }

    /// Remainder; the dividend itself when the divisor is `0`.
    pub fn mod_total(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (_, Small(0)) => self.clone(),
            (Small(k), Small(l)) => (k % l).into(),
            _ => (self.to_big() % other.to_big()).into(),
        }
    }

    /// The successor.
    pub fn successor(&self) -> Self {
        self + &Natural::from(1u64)
    }

    /// The value as a `u64`, when it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0 {
            Small(k) => Some(k),
            Large(_) => None,
        }
    }

    /// The value modulo 2^64.
    pub fn low_u64(&self) -> u64 {
        match &self.0 {
            Small(k) => *k,
            Large(n) => n.iter_u64_digits().next().unwrap_or(0),
        }
    }

    /// How many bits it has; 0 has none.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Small(k) => u64::from(u64::BITS - k.leading_zeros()),
            Large(n) => n.bits(),
        }
    }

    fn to_big(&self) -> BigUint {
        match &self.0 {
            Small(k) => (*k).into(),
            Large(n) => n.as_ref().clone(),
        }
    }
}

impl Default for Natural {
    fn default() -> Self {
        Self::zero()
    }
}

impl From<BigUint> for Natural {
    fn from(value: BigUint) -> Self {
        Natural(value.to_u64().map_or_else(|| Large(Arc::new(value)), Small))
    }
}

impl From<&Natural> for BigInt {
    fn from(value: &Natural) -> Self {
        value.to_big().into()
    }
}

impl Add for &Natural {
    type Output = Natural;
    fn add(self, other: &Natural) -> Natural {
        match (&self.0, &other.0) {
            (Small(k), Small(l)) => (u128::from(*k) + u128::from(*l)).into(),
            _ => (self.to_big() + other.to_big()).into(),
        }
    }
}

impl Mul for &Natural {
    type Output = Natural;
    fn mul(self, other: &Natural) -> Natural {
        match (&self.0, &other.0) {
            (Small(k), Small(l)) => (u128::from(*k) * u128::from(*l)).into(),
            _ => (self.to_big() * other.to_big()).into(),
        }
    }
}

macro_rules! from_unsigned {
    ($($t:ty),*) => {$(
        impl From<$t> for Natural {
            fn from(value: $t) -> Self {
                match u64::try_from(value) {
                    Ok(small) => Natural(Small(small)),
                    Err(_) => BigUint::from(value).into(),
                }
            }
        }
    )*};
}
from_unsigned!(u8, u16, u32, u64, u128, usize);

impl FromStr for Natural {
    type Err = num_bigint::ParseBigIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        BigUint::from_str(text).map(Natural::from)
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(k) => k.fmt(f),
            Large(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The largest integer that every JSON reader represents exactly, plus one.
const JSON_EXACT: u64 = 1 << 53;

impl Serialize for Natural {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_u64() {
            Some(small) if small < JSON_EXACT => serializer.serialize_u64(small),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Natural {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NaturalVisitor;
        impl Visitor<'_> for NaturalVisitor {
            type Value = Natural;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a natural number, or one as a decimal string")
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Natural, E> {
                Ok(Natural::from(value))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Natural, E> {
                if text.len() > MAX_DIGITS {
                    let many = format_args!("a number of more than {MAX_DIGITS} digits");
                    return Err(E::custom(many));
                }
                // The parser of numbers knows signs, underscores and zeros in front.
                let digits = text.bytes().all(|b| b.is_ascii_digit())
                    && (text == "0" || !text.starts_with('0'));
                let read = if digits { text.parse().ok() } else { None };
                read.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(NaturalVisitor)
    }
}

/// An integer, as a signed type reads a value. In JSON, one between -2^53 and 2^53 is a number and
/// any other a decimal string, of at most [`MAX_DIGITS`] digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Integer(pub BigInt);

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_i64() {
            Some(small) if small.unsigned_abs() < JSON_EXACT => serializer.serialize_i64(small),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Small(i64),
            Large(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Small(small) => Ok(Integer(small.into())),
            Form::Large(text) if text.len() <= MAX_DIGITS => {
                text.parse().map(Integer).map_err(de::Error::custom)
            }
            Form::Large(_) => {
                Err(de::Error::custom(format_args!("a number of more than {MAX_DIGITS} digits")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Zero;

    /// Numbers around the powers of two at which a representation could change.
    fn numbers() -> Vec<BigUint> {
        let powers =
            [0u32, 1, 8, 31, 32, 53, 63, 64, 65, 127, 128, 200].map(|n| BigUint::from(1u8) << n);
        let around = powers.iter().flat_map(|p| [p - 1u8, p.clone(), p + 1u8]);
        around.chain([BigUint::from(6u8), BigUint::from(7u8)]).collect()
    }

    #[test]
    fn operations_are_those_of_unbounded_numbers() {
        for k in numbers() {
            for l in numbers() {
                let (n, m) = (Natural::from(k.clone()), Natural::from(l.clone()));
                assert_eq!(&n + &m, (&k + &l).into(), "{k} + {l}");
                assert_eq!(&n * &m, (&k * &l).into(), "{k} * {l}");
                let difference = if k > l { &k - &l } else { BigUint::zero() };
                assert_eq!(n.monus(&m), difference.into(), "{k} - {l}");
                let quotient = if l.is_zero() { BigUint::zero() } else { &k / &l };
                assert_eq!(n.div_total(&m), quotient.into(), "{k} / {l}");
                let remainder = if l.is_zero() { k.clone() } else { &k % &l };
                assert_eq!(n.mod_total(&m), remainder.into(), "{k} % {l}");
                assert_eq!(n.cmp(&m), k.cmp(&l), "{k} and {l}");
            }
        }
    }

    #[test]
    fn every_number_is_held_in_one_way() {
        for k in numbers() {
            let n = Natural::from(k.clone());
            assert_eq!(n.bits(), k.bits());
            assert_eq!(n.to_u64(), k.to_u64());
            assert_eq!(n.low_u64(), (&k % (BigUint::from(1u8) << 64u8)).to_u64().unwrap());
            assert_eq!(BigInt::from(&n), k.clone().into());
            assert_eq!(n.successor(), (&k + 1u8).into());
            assert_eq!((n.to_string(), format!("{n:>5?}")), (k.to_string(), format!("{k:>5}")));
            assert_eq!(n.to_string().parse(), Ok(n.clone()));
            assert_eq!(k.to_u128().map(Natural::from), Some(n).filter(|_| k.bits() <= 128));
        }
    }
}
