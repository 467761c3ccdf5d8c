//! Numbers: machine words, promoted to big naturals when they do not fit.

use babycuda_core::Natural;
use std::cmp::Ordering;
use std::sync::Arc;

/// What a slot or a cell holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    /// A number below 2^64.
    Small(u64),
    /// A number from 2^64 on.
    Big(Arc<Natural>),
    /// No value: a variable that nothing binds.
    Unbound,
}

impl Value {
    pub(super) fn to_natural(&self) -> Natural {
        match self {
            Value::Small(k) => Natural::from(*k),
            Value::Big(k) => (**k).clone(),
            Value::Unbound => Natural::zero(),
        }
    }

    /// The order of two numbers.
    pub(super) fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Small(k), Value::Small(l)) => k.cmp(l),
            (Value::Big(k), Value::Big(l)) => k.cmp(l),
            (Value::Big(_), _) => Ordering::Greater,
            (_, Value::Big(_)) => Ordering::Less,
            _ => Ordering::Equal,
        }
    }

    /// The number after this one.
    pub(super) fn successor(&self) -> Value {
        match self {
            Value::Small(k) if *k < u64::MAX => Value::Small(k + 1),
            number => Value::from(number.to_natural().successor()),
        }
    }
}

impl From<Natural> for Value {
    fn from(number: Natural) -> Value {
        match number.to_u64() {
            Some(small) => Value::Small(small),
            None => Value::Big(Arc::new(number)),
        }
    }
}
