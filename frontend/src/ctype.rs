//! C types, as far as they matter for where a kernel accesses memory.

use crate::unit::{begins, listed};
use babycuda_core::machine::Width;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{IntType, Num};
use tree_sitter::Node;

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
    /// The type of its components `.x .y .z .w`, for the vector types.
    pub(crate) lane: Option<Box<CType>>,
}

impl Data {
    /// A type of which nothing is known.
    pub(crate) const UNKNOWN: Data = Data { size: None, lane: None };

    /// A scalar of `size` bytes.
    pub(crate) fn scalar(size: u32) -> Data {
        Data { size: Some(size), lane: None }
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

/// The type that a built-in or standard type name denotes.
pub(crate) fn named(name: &str) -> Option<CType> {
    let int = |t| Some(CType::Int(t));
    match name.strip_prefix("std::").unwrap_or(name) {
        "void" => Some(CType::Void),
        "bool" => Some(CType::Bool),
        "char" | "int8_t" => int(IntType::I8),
        "uint8_t" | "uchar" | "char8_t" => int(IntType::U8),
        "short" | "int16_t" => int(IntType::I16),
        "uint16_t" | "ushort" | "char16_t" => int(IntType::U16),
        "int" | "int32_t" => int(IntType::I32),
        "uint" | "uint32_t" | "char32_t" => int(IntType::U32),
        "long" | "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" => int(IntType::I64),
        "ulong" | "uint64_t" | "size_t" | "uintptr_t" => int(IntType::U64),
        "half" | "__half" | "__nv_bfloat16" => Some(CType::Data(Data::scalar(2))),
        "float" => Some(CType::Data(Data::scalar(4))),
        "double" => Some(CType::Data(Data::scalar(8))),
        "dim3" => vector("uint", 3),
        other => {
            let lanes = other.chars().last()?.to_digit(10)?;
            let lane = other.get(..other.len() - 1)?;
            (1..=4).contains(&lanes).then(|| vector(lane, lanes))?
        }
    }
}

/// Is this a type of CUDA's libraries or of the standard library? All of them are data.
pub(crate) fn is_of_library(name: &str) -> bool {
    const SPACES: &str = "\
    std:: cuda:: cg:: cooperative_groups:: thrust:: cub:: nvcuda:: wmma:: nv::";
    const PREFIXES: &str = "\
    cuda curand cufft cublas cusparse __nv_";
    const NAMES: &str = "\
    half2 __half2 nv_bfloat16 nv_bfloat162 __nv_bfloat162 cuComplex cuFloatComplex \
    cuDoubleComplex FILE texture surface timeval timespec dim3";
    begins(SPACES, name) || begins(PREFIXES, name) || listed(NAMES, name)
}

/// CUDA's vector type with `lanes` components named `lane`.
fn vector(lane: &str, lanes: u32) -> Option<CType> {
    let lane = match lane {
        "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float"
        | "double" | "half" => named(lane)?,
        "longlong" => CType::Int(IntType::I64),
        "ulonglong" => CType::Int(IntType::U64),
        _ => return None,
    };
    let size = u32::try_from(lane.size()?).ok()?;
    Some(CType::Data(Data { size: Some(size * lanes), lane: Some(Box::new(lane)) }))
}

/// The type that a sequence of words like `unsigned long long int` denotes.
pub(crate) fn sized(words: &str) -> Option<CType> {
    let count = |w: &str| words.split_whitespace().filter(|x| *x == w).count();
    if count("double") > 0 {
        return Some(CType::Data(Data::scalar(8)));
    }
    let signed = count("unsigned") == 0;
    let width = if count("char") > 0 {
        Width::W8
    } else if count("short") > 0 {
        Width::W16
    } else if count("long") > 0 {
        Width::W64
    } else {
        let known = |w: &str| matches!(w, "signed" | "unsigned" | "int");
        if !words.split_whitespace().all(known) {
            return None;
        }
        Width::W32
    };
    Some(CType::Int(IntType { width, signed }))
}

/// The type after integer promotion: `int` for everything narrower.
pub(crate) fn promote(t: IntType) -> IntType {
    if t.width < Width::W32 { IntType::I32 } else { t }
}

/// The common type of two operands, by C's usual arithmetic conversions.
pub(crate) fn common(left: IntType, right: IntType) -> IntType {
    let (l, r) = (promote(left), promote(right));
    match l.width.cmp(&r.width) {
        std::cmp::Ordering::Greater => l,
        std::cmp::Ordering::Less => r,
        std::cmp::Ordering::Equal => IntType { width: l.width, signed: l.signed && r.signed },
    }
}

/// Does a declaration carry the given qualifier or storage class?
pub(crate) fn has_qualifier(node: Node<'_>, text: &str, qualifier: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| {
        matches!(child.kind(), "type_qualifier" | "storage_class_specifier" | "attribute_specifier")
            && &text[child.byte_range()] == qualifier
            || child.kind() == qualifier
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_word_sequences() {
        assert_eq!(named("uint16_t"), Some(CType::Int(IntType::U16)));
        assert_eq!(named("float4").and_then(|t| t.size()), Some(16));
        assert_eq!(named("float5"), None);
        assert_eq!(named("curandState"), None);
        assert_eq!(sized("unsigned"), Some(CType::Int(IntType::U32)));
        assert_eq!(sized("long long int"), Some(CType::Int(IntType::I64)));
        assert_eq!(sized("long double").and_then(|t| t.size()), Some(8));
        assert_eq!(sized("signed  char"), Some(CType::Int(IntType::I8)));
    }

    #[test]
    fn usual_arithmetic_conversions() {
        assert_eq!(common(IntType::I8, IntType::U16), IntType::I32);
        assert_eq!(common(IntType::I32, IntType::U32), IntType::U32);
        assert_eq!(common(IntType::I64, IntType::U32), IntType::I64);
        assert_eq!(common(IntType::I64, IntType::U64), IntType::U64);
    }
}
