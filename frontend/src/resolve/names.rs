//! Names of types, constants and functions that C and CUDA declare.

use crate::unit::{begins, listed};
use babycuda_core::IntType;
use babycuda_core::machine::Width;
use babycuda_kernel::Type;
use babycuda_kernel::device::Device;
use babycuda_kernel::surface::is_surface;

/// Do CUDA or the language declare this name?
pub(crate) fn is_of_cuda(name: &str) -> bool {
    name.starts_with("__")
        || name.starts_with("atomic")
        || babycuda_kernel::Launch::named(name).is_some()
        || is_function(name)
        || name == "warpSize"
        || constant(name).is_some()
        || named(name).is_some()
        || is_of_library(name)
}

/// Do CUDA's headers, or those that are known, declare the function?
fn is_function(name: &str) -> bool {
    is_pure(name)
        || matches!(
            Device::of(name),
            Some(
                Device::Ignored
                    | Device::Hint
                    | Device::Trap
                    | Device::Assert
                    | Device::Generator
                    | Device::Outputs
            )
        )
}

/// Does a call of `name` only compute something from its arguments?
pub(crate) fn is_pure(name: &str) -> bool {
    Device::of(plain(name)).is_some_and(Device::is_pure)
}

/// The name without `std::` or a leading `::`.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.strip_prefix("::").unwrap_or(name);
    name.strip_prefix("std::").unwrap_or(name)
}

/// Has CUDA a function of this name with so many parameters, as far as is known?
pub(crate) fn may_take(name: &str, count: usize) -> bool {
    match plain(name) {
        "abs" | "labs" | "llabs" => count == 1,
        exact if Device::of(exact) == Some(Device::Exact) => count == 2,
        _ => true,
    }
}

/// Is this a function that the toolkit's samples define, not CUDA? CUDA's `make_…` are named after
/// its vectors and its own structures.
pub(crate) fn is_of_samples(name: &str) -> bool {
    if let Some(made) = name.strip_prefix("make_") {
        return named(made).is_none() && !made.starts_with("cuda");
    }
    matches!(name, "clamp" | "dot" | "length" | "normalize" | "cross" | "lerp" | "saturate")
}

/// The type that a built-in or standard type name denotes.
pub(crate) fn named(name: &str) -> Option<Type> {
    let int = |t| Some(Type::Int(t));
    match name.strip_prefix("std::").unwrap_or(name) {
        "void" => Some(Type::Void),
        "bool" => Some(Type::Bool),
        "char" | "int8_t" => int(IntType::I8),
        "uint8_t" | "uchar" | "char8_t" => int(IntType::U8),
        "short" | "int16_t" => int(IntType::I16),
        "uint16_t" | "ushort" | "char16_t" => int(IntType::U16),
        "int" | "int32_t" => int(IntType::I32),
        "uint" | "uint32_t" | "char32_t" => int(IntType::U32),
        "long" | "clock_t" | "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" => int(IntType::I64),
        "ulong" | "uint64_t" | "size_t" | "uintptr_t" => int(IntType::U64),
        "half" | "__half" | "__nv_bfloat16" => Some(Type::Float(2)),
        "float" => Some(Type::Float(4)),
        "double" => Some(Type::Float(8)),
        "dim3" => vector("uint", 3),
        surface if is_surface(surface) => Some(Type::Void.pointer()),
        "cufftReal" => Some(Type::Float(4)),
        "cufftDoubleReal" => Some(Type::Float(8)),
        "cufftComplex" | "cuComplex" | "cuFloatComplex" => vector("float", 2),
        "cufftDoubleComplex" | "cuDoubleComplex" => vector("double", 2),
        other => {
            let lanes = other.chars().last()?.to_digit(10)?;
            let lane = other.get(..other.len() - 1)?;
            (1..=4).contains(&lanes).then(|| vector(lane, lanes))?
        }
    }
}

/// CUDA's vector type with `lanes` components named `lane`.
fn vector(lane: &str, lanes: u32) -> Option<Type> {
    let lane = match lane {
        "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float"
        | "double" | "half" => named(lane)?,
        "longlong" => Type::Int(IntType::I64),
        "ulonglong" => Type::Int(IntType::U64),
        _ => return None,
    };
    Some(Type::Vector(Box::new(lane), lanes))
}

/// Is this a type of CUDA's libraries or of the standard library? All of them are data.
pub(crate) fn is_of_library(name: &str) -> bool {
    const SPACES: &str = "\
    std:: cuda:: cg:: cooperative_groups:: thrust:: cub:: nvcuda:: wmma:: nv::";
    const PREFIXES: &str = "\
    cuda curand cufft cublas cusparse __nv_";
    const NAMES: &str = "\
    half2 __half2 nv_bfloat16 nv_bfloat162 __nv_bfloat162 CUtexObject FILE texture surface timeval timespec dim3";
    begins(SPACES, name) || begins(PREFIXES, name) || listed(NAMES, name)
}

/// The type that a sequence of words like `unsigned long long int` denotes.
pub(crate) fn sized(words: &str) -> Option<Type> {
    let count = |w: &str| words.split_whitespace().filter(|x| *x == w).count();
    if count("double") > 0 {
        return Some(Type::Float(8));
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
    Some(Type::Int(IntType { width, signed }))
}

/// What a name of CUDA's and C's headers stands for.
pub(crate) enum Constant {
    /// An integer, by its pattern.
    Int(IntType, u64),
    /// A floating value.
    Float(u32),
    /// `NULL`
    Null,
}

/// The constants that CUDA's and C's headers define.
pub(crate) fn constant(name: &str) -> Option<Constant> {
    let int = |t, bits: u64| Some(Constant::Int(t, bits));
    match name {
        "CHAR_BIT" => int(IntType::I32, 8),
        "INT_MAX" | "INT32_MAX" => int(IntType::I32, 0x7fff_ffff),
        "INT_MIN" | "INT32_MIN" => int(IntType::I32, 0x8000_0000),
        "UINT_MAX" | "UINT32_MAX" => int(IntType::U32, 0xffff_ffff),
        "SCHAR_MAX" | "CHAR_MAX" | "INT8_MAX" => int(IntType::I32, 0x7f),
        "SCHAR_MIN" | "CHAR_MIN" | "INT8_MIN" => int(IntType::I32, 0xffff_ff80),
        "SHRT_MAX" | "INT16_MAX" => int(IntType::I32, 0x7fff),
        "SHRT_MIN" | "INT16_MIN" => int(IntType::I32, 0xffff_8000),
        "UCHAR_MAX" | "UINT8_MAX" => int(IntType::I32, 0xff),
        "USHRT_MAX" | "UINT16_MAX" => int(IntType::I32, 0xffff),
        "LLONG_MIN" | "LONG_MIN" | "INT64_MIN" => int(IntType::I64, 1 << 63),
        "LLONG_MAX" | "LONG_MAX" | "INT64_MAX" => int(IntType::I64, i64::MAX as u64),
        "ULLONG_MAX" | "ULONG_MAX" | "UINT64_MAX" | "SIZE_MAX" => int(IntType::U64, u64::MAX),
        "NULL" => Some(Constant::Null),
        "FLT_MAX" | "FLT_MIN" | "FLT_EPSILON" | "INFINITY" | "NAN" | "HUGE_VALF"
        | "CUDART_INF_F" | "CUDART_PI_F" => Some(Constant::Float(4)),
        "DBL_MAX" | "DBL_MIN" | "DBL_EPSILON" | "HUGE_VAL" | "CUDART_INF" | "M_PI" | "M_PI_2"
        | "M_PI_4" | "M_E" | "M_SQRT2" | "CUDART_PI" => Some(Constant::Float(8)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_word_sequences() {
        assert_eq!(named("uint16_t"), Some(Type::Int(IntType::U16)));
        assert_eq!(named("float4").and_then(|t| t.size()), Some(16));
        assert_eq!(named("float5"), None);
        assert_eq!(named("curandState"), None);
        assert_eq!(sized("unsigned"), Some(Type::Int(IntType::U32)));
        assert_eq!(sized("long long int"), Some(Type::Int(IntType::I64)));
        assert_eq!(sized("long double").and_then(|t| t.size()), Some(8));
        assert_eq!(sized("signed  char"), Some(Type::Int(IntType::I8)));
    }
}
