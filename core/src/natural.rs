//! Natural numbers, unbounded: the only values of the calculus.

use crate::parse::MAX_DIGITS;
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Add, Mul};
use std::str::FromStr;

/// A natural number (LCL22 §2: values, indices and array contents).
///
/// Every operation is total: subtraction is truncated, `n / 0 = 0`, `n % 0 = n`.
///
/// In JSON, a natural below 2^53 is a number and any other a decimal string, of at most as many
/// digits as a text may have ([`MAX_DIGITS`]).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Natural(pub BigUint);

impl Natural {
    /// Zero.
    pub fn zero() -> Self {
        Natural(BigUint::zero())
    }

    /// Truncated subtraction: `0` when `other` is the larger.
    pub fn monus(&self, other: &Self) -> Self {
        if self.0 > other.0 { Natural(&self.0 - &other.0) } else { Self::zero() }
    }

    /// Division rounding down; `0` when the divisor is `0`.
    pub fn div_total(&self, other: &Self) -> Self {
        if other.0.is_zero() { Self::zero() } else { Natural(&self.0 / &other.0) }
    }

    /// Remainder; the dividend itself when the divisor is `0`.
    pub fn mod_total(&self, other: &Self) -> Self {
        if other.0.is_zero() { self.clone() } else { Natural(&self.0 % &other.0) }
    }

    /// The successor.
    pub fn successor(&self) -> Self {
        Natural(&self.0 + 1u32)
    }

    /// The value as a `u64`, when it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.0.to_u64()
    }

    /// The value modulo 2^64.
    pub fn low_u64(&self) -> u64 {
        self.0.iter_u64_digits().next().unwrap_or(0)
    }
}

impl Add for &Natural {
    type Output = Natural;
    fn add(self, other: &Natural) -> Natural {
        Natural(&self.0 + &other.0)
    }
}

impl Mul for &Natural {
    type Output = Natural;
    fn mul(self, other: &Natural) -> Natural {
        Natural(&self.0 * &other.0)
    }
}

macro_rules! from_unsigned {
    ($($t:ty),*) => {$(
        impl From<$t> for Natural {
            fn from(value: $t) -> Self { Natural(BigUint::from(value)) }
        }
    )*};
}
from_unsigned!(u8, u16, u32, u64, u128, usize);

impl FromStr for Natural {
    type Err = num_bigint::ParseBigIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        BigUint::from_str(text).map(Natural)
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The largest integer that every JSON reader represents exactly, plus one.
const JSON_EXACT: u64 = 1 << 53;

impl Serialize for Natural {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_u64() {
            Some(small) if small < JSON_EXACT => serializer.serialize_u64(small),
            _ => serializer.collect_str(&self.0),
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
