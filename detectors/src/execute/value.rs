//! Values, and the bytes that memory has of them.

use super::bounds::Bounds;
use babycuda_kernel::Kernel;
use babycuda_kernel::{ExprKind, Type};

/// A byte of memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Byte {
    Known(u8),
    /// It is not known what it holds.
    Unknown,
    /// This one, from 0, of a float of so many bytes.
    Part(u8, u8, Bounds),
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// A number, a truth value, an address or a group, by its bit pattern.
    Known(u64),
    /// One of these that is not known.
    Unknown,
    /// A float of which bounds are known.
    Between(Bounds),
    /// A vector, a structure, or what has no type but a name.
    Bytes(Vec<Byte>),
}

/// How a value of a type lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Nowhere.
    Void,
    /// A truth value, in a byte.
    Bool,
    /// In so many bytes, the lowest first.
    Scalar(u64),
    /// As so many bytes.
    Bytes(u64),
}

impl Shape {
    pub(super) fn size(self) -> u64 {
        match self {
            Shape::Void => 0,
            Shape::Bool => 1,
            Shape::Scalar(size) | Shape::Bytes(size) => size,
        }
    }

    /// A value of which nothing is known.
    pub(super) fn unknown(self) -> Value {
        match self {
            Shape::Void => Value::Known(0),
            Shape::Bool | Shape::Scalar(_) => Value::Unknown,
            Shape::Bytes(size) => Value::Bytes(vec![Byte::Unknown; size as usize]),
        }
    }

    /// The value that these bytes hold.
    pub(super) fn of(self, bytes: Vec<Byte>) -> Value {
        let number = || {
            if let Some(Byte::Part(0, size, bounds)) = bytes.first() {
                let parts = (0..*size).map(|i| Byte::Part(i, *size, *bounds));
                let whole = bytes.iter().copied().eq(parts);
                return if whole { Value::Between(*bounds) } else { Value::Unknown };
            }
            let known = bytes.iter().rev().try_fold(0u64, |n, byte| match byte {
                Byte::Known(byte) => Some(n << 8 | u64::from(*byte)),
                _ => None,
            });
            known.map_or(Value::Unknown, Value::Known)
        };
        match self {
            Shape::Void => Value::Known(0),
            Shape::Bool => match number() {
                Value::Known(n) => Value::Known(u64::from(n != 0)),
                other => other,
            },
            Shape::Scalar(_) => number(),
            Shape::Bytes(_) => Value::Bytes(bytes),
        }
    }

    /// The bytes that hold the value.
    pub(super) fn bytes(self, value: &Value) -> Vec<Byte> {
        let size = self.size() as usize;
        match value {
            Value::Known(bits) => {
                let bytes = bits.to_le_bytes().into_iter().map(Byte::Known);
                bytes.chain(std::iter::repeat(Byte::Known(0))).take(size).collect()
            }
            Value::Unknown => vec![Byte::Unknown; size],
            Value::Between(bounds) => {
                let size = size as u8;
                (0..size).map(|i| Byte::Part(i, size, *bounds)).collect()
            }
            Value::Bytes(bytes) => {
                bytes.iter().copied().chain(std::iter::repeat(Byte::Unknown)).take(size).collect()
            }
        }
    }
}

/// The most bytes that a value has that is no array's.
const MOST: u64 = 1 << 16;

/// The size of an object of the type; `known`: what parameters of the kernel's template are. Groups have 8
/// bytes here, and a type of which nothing is known has 1, as what `void *` points to.
pub(super) fn size(
    kernel: &Kernel,
    ty: &Type,
    known: &dyn Fn(babycuda_kernel::Var) -> Option<u64>,
) -> Option<u64> {
    match ty {
        Type::Void | Type::Opaque(_) => Some(1),
        Type::Group(_) => Some(8),
        Type::Array(element, extent) => {
            let extent = extent.as_deref()?;
            let count = match extent.kind {
                ExprKind::Int(count) => count,
                _ => babycuda_kernel::constant(extent, known)?,
            };
            count.checked_mul(size(kernel, element, known)?)
        }
        other => kernel.size(other),
    }
}

/// The shape of values of the type; `None`: it has none, as an array.
pub(super) fn shape(kernel: &Kernel, ty: &Type) -> Option<Shape> {
    Some(match ty {
        Type::Void => Shape::Void,
        Type::Bool => Shape::Bool,
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) | Type::Group(_) => {
            Shape::Scalar(size(kernel, ty, &|_| None)?)
        }
        Type::Vector(..) | Type::Record(_) | Type::Opaque(_) => {
            Shape::Bytes(size(kernel, ty, &|_| None).filter(|size| *size <= MOST)?)
        }
        Type::Array(..) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_float_is_none() {
        let third = Bounds::around(1.0 / 3.0, 1.0 / 3.0).expect("small");
        let double = Shape::Scalar(8).bytes(&Value::Between(third));
        assert_eq!(Shape::Scalar(8).of(double.clone()), Value::Between(third));
        for part in [&double[..4], &double[4..], &double[1..5]] {
            assert_eq!(Shape::Scalar(4).of(part.to_vec()), Value::Unknown);
        }
        let two = Shape::Scalar(4).bytes(&Value::Between(third)).repeat(2);
        assert_eq!(Shape::Scalar(8).of(two), Value::Unknown);
    }
}
