//! Types, as far as they matter for where a kernel accesses memory.

use babycuda_core::syntax::BarrierScope;
use babycuda_core::{IntType, Num};
use babycuda_kernel::RecordId;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CType {
    /// `void`
    Void,
    /// `bool`
    Bool,
    /// An integer type. `long` has 64 bits.
    Int(IntType),
    /// Values that the calculus does not compute with: floats, vectors, structures.
    Data(Data),
    /// A pointer.
    Pointer(Box<CType>),
    /// An array of the given extent, when there is one.
    Array(Box<CType>, Option<Num>),
    /// The class of the cooperative groups of a scope; `None`: `thread_group`, which holds any.
    Group(Option<BarrierScope>),
}

/// A type of values that the calculus does not compute with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Data {
    /// Its size in bytes, when known.
    pub(crate) size: Option<u32>,
    /// The type of its components `.x .y .z .w`, for the vector types, and how many there are.
    pub(crate) lane: Option<(Box<CType>, u32)>,
    /// Of structures: which.
    pub(crate) record: Option<RecordId>,
}

impl Data {
    /// A type of which nothing is known.
    pub(crate) const UNKNOWN: Data = Data { size: None, lane: None, record: None };

    /// A scalar of `size` bytes.
    pub(crate) fn scalar(size: u32) -> Data {
        Data { size: Some(size), lane: None, record: None }
    }
}

impl CType {
    /// The size in bytes, when known.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            CType::Void | CType::Group(_) => None,
            CType::Bool => Some(1),
            CType::Int(t) => Some(u64::from(t.width.bits() / 8)),
            CType::Data(data) => data.size.map(u64::from),
            CType::Pointer(_) => Some(8),
            CType::Array(element, Some(Num::Lit(n))) => n.to_u64()?.checked_mul(element.size()?),
            CType::Array(..) => None,
        }
    }

    /// The type of an array's innermost elements; of anything else, itself.
    pub(crate) fn innermost(&self) -> &CType {
        match self {
            CType::Array(element, _) => element.innermost(),
            other => other,
        }
    }
}
