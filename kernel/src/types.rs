//! C types, resolved: no names, no parameters of templates, no qualifiers.

use crate::expr::{Expr, ExprKind};
use crate::kernel::RecordId;
use babycuda_core::IntType;
use babycuda_core::machine::Width;
use std::cmp::Ordering;
use std::sync::Arc;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `bool`
    Bool,
    /// An integer type; enumerations are one. `long` has 64 bits.
    Int(IntType),
    /// A floating type of so many bytes: 2, 4 or 8.
    Float(u32),
    /// A vector type: its components, and how many there are.
    Vector(Box<Type>, u32),
    /// A structure, class or union.
    Record(RecordId),
    /// A type of values of which nothing is known but a name.
    Opaque(Arc<str>),
    /// A pointer.
    Pointer(Box<Type>),
    /// An array, of so many elements where that is said. The number is a constant expression; it is a
    /// literal but where it rests on a parameter of the kernel's template.
    Array(Box<Type>, Option<Box<Expr>>),
    /// A class of cooperative groups.
    Group(Group),
}

/// Whose threads a group holds together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Group {
    /// `thread_group`: any of them.
    Any,
    /// `thread_block`
    Block,
    /// `grid_group`
    Grid,
    /// `thread_block_tile`, of so many threads: a constant expression.
    Tile(Box<Expr>),
}

impl Type {
    /// A pointer to this type.
    #[must_use]
    pub fn pointer(self) -> Type {
        Type::Pointer(Box::new(self))
    }

    /// The size in bytes of an object, where it is known without its [`Record`](crate::Record). A vector of
    /// three has three components, as CUDA has it.
    pub fn size(&self) -> Option<u64> {
        match self {
            Type::Void | Type::Group(_) | Type::Record(_) | Type::Opaque(_) => None,
            Type::Bool => Some(1),
            Type::Int(t) => Some(u64::from(t.width.bits() / 8)),
            Type::Float(bytes) => Some(u64::from(*bytes)),
            Type::Vector(lane, lanes) => lane.size()?.checked_mul(u64::from(*lanes)),
            Type::Pointer(_) => Some(8),
            Type::Array(element, extent) => match extent.as_deref()?.kind {
                ExprKind::Int(extent) => extent.checked_mul(element.size()?),
                _ => None,
            },
        }
    }

    /// The type of an array's innermost elements; of anything else, itself.
    pub fn innermost(&self) -> &Type {
        match self {
            Type::Array(element, _) => element.innermost(),
            other => other,
        }
    }

    /// An array as a parameter has it: a pointer to its elements.
    #[must_use]
    pub fn decayed(self) -> Type {
        match self {
            Type::Array(element, _) => Type::Pointer(element),
            other => other,
        }
    }

    /// The integer type in which arithmetic sees a value of this type: `bool` counts as `int`.
    pub fn integer(&self) -> Option<IntType> {
        match self {
            Type::Int(t) => Some(*t),
            Type::Bool => Some(IntType::I32),
            _ => None,
        }
    }

    /// Integers, pointers and C's floats, and arrays of these: what all compilers pack alike.
    pub fn is_of_scalars(&self) -> bool {
        use Type::{Bool, Float, Int, Pointer};
        matches!(self.innermost(), Bool | Int(_) | Float(4 | 8) | Pointer(_))
    }

    /// Floats, vectors, structures: values that no integer type holds.
    pub fn is_data(&self) -> bool {
        matches!(self, Type::Float(_) | Type::Vector(..) | Type::Record(_) | Type::Opaque(_))
    }
}

/// The type after integer promotion: `int` for everything narrower.
pub fn promote(t: IntType) -> IntType {
    if t.width < Width::W32 { IntType::I32 } else { t }
}

/// The common type of two operands, by C's usual arithmetic conversions.
pub fn common(left: IntType, right: IntType) -> IntType {
    let (l, r) = (promote(left), promote(right));
    match l.width.cmp(&r.width) {
        Ordering::Greater => l,
        Ordering::Less => r,
        Ordering::Equal => IntType { width: l.width, signed: l.signed && r.signed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_arithmetic_conversions() {
        assert_eq!(common(IntType::I8, IntType::U16), IntType::I32);
        assert_eq!(common(IntType::I32, IntType::U32), IntType::U32);
        assert_eq!(common(IntType::I64, IntType::U32), IntType::I64);
        assert_eq!(common(IntType::I64, IntType::U64), IntType::U64);
    }

    #[test]
    fn sizes() {
        assert_eq!(Type::Vector(Box::new(Type::Float(4)), 3).size(), Some(12));
        assert_eq!(Type::Array(Box::new(Type::Bool), None).size(), None);
        assert_eq!(Type::Opaque("half2x".into()).size(), None);
    }
}
