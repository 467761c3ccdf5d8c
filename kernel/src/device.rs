//! What the device provides, by CUDA's names: barriers, atomics, exchanges between threads, mathematics.
//!
//! A function of the namespace of cooperative groups has the name `cooperative_groups::f`; a method of a
//! group is such a function of the group. Parsers of other languages use these names, too.

use crate::types::{Type, common, promote};
use babycuda_core::IntType;

/// The class of pipelines of one thread, as an opaque type.
pub const PIPELINE: &str = "cuda::pipeline<thread_scope_thread>";
/// The class of barriers of a block, as an opaque type.
pub const BARRIER: &str = "cuda::barrier<thread_scope_block>";
/// What an arrival at such a barrier answers, as an opaque type.
pub const TOKEN: &str = "cuda::barrier::arrival_token";

/// The class of groups whose threads values choose (`coalesced_threads`), as an opaque type. What is asked of one is a
/// function `coalesced::f` of the other arguments alone.
pub const COALESCED: &str = "cooperative_groups::coalesced_group";

/// What a function of the device is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// `__syncthreads`, `__syncwarp` and their kin.
    Barrier,
    /// `atomicAdd` and its kin: an address, then operands.
    Atomic,
    /// A load through a pointer, with a hint for the cache.
    Load,
    /// A store likewise.
    Store,
    /// `swap`, of what two addresses hold.
    Swap,
    /// It yields what other lanes of the warp have of the argument of this number, or all of them together;
    /// no memory barrier is implied.
    Exchange(usize),
    /// It draws from a generator, or begins one: it changes the state that its only pointer points to, and what
    /// it yields is not known.
    Generator,
    /// A function of a float, with more results than one: it stores the others where its pointers point to.
    Outputs,
    /// An integer of which nothing is known: bits of floats, votes, clocks.
    Integer(IntType),
    /// A function of integers that is known exactly; of floats it is mathematics.
    Exact,
    /// A function of floats, or one that makes a vector or a structure.
    Data,
    /// A function of values, of whose value only the type is known: the call says it.
    Value,
    /// What a texture holds: of it, then coordinates. The texture is no place of the kernel's.
    Fetch,
    /// No effect on memory or on control flow: fences order nothing that the calculus keeps apart; the
    /// rest is output and hints.
    Ignored,
    /// A hint whose operand is not evaluated.
    Hint,
    /// The launch ends.
    Trap,
    /// `assert`: a truth value.
    Assert,
    /// A function or a method of cooperative groups.
    Group,
    /// `memcpy` and `memset`: to where, from where or a value, and the number of bytes.
    Bytes,
    /// An asynchronous copy, of an assignment, or something that waits for such.
    Copies,
    /// The access of a matrix by a warp: an address, a fragment, the distance of the lines in elements, and whether
    /// these are columns (module [`matrix`](crate::matrix)).
    Matrix,
}

/// Functions of floats, without the suffix `f` and the prefix `__`.
const MATH: &str = "\
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc exp \
    exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod hypot ldexp lerp lgamma log \
    log10 log1p log2 nearbyint norm3d pow powi rcbrt remainder rhypot rint round rsqrt \
    saturate sin sinh sinpi sqrt tan tanh tgamma trunc isnan isinf isfinite signbit clamp \
    dot length normalize cross frcp_rn fsqrt_rn frsqrt_rn fadd_rn fsub_rn fmul_rn fdiv_rn \
    fmaf_rn dadd_rn dmul_rn fma_rn int2float_rn uint2float_rn int2float_rz int2double_rn \
    uint2double_rn int_as_float uint_as_float half2float float2half float2half_rn hadd hmul \
    hfma hsub float2half2_rn half2half2 floats2half2_rn half22float2 low2float high2float \
    low2half high2half lows2half2 highs2half2 hadd2 hsub2 hmul2 hfma2 h2div hneg hneg2 longlong_as_double ll2float_rn ull2float_rn double2float_rn";

/// Functions whose result is an integer of which nothing is known.
const INTEGERS: [(IntType, &str); 6] = [
    (
        IntType::I32,
        "__float2int_rn __float2int_rz __float2int_rd __float2int_ru __float_as_int __popc \
        __popcll __clz __clzll __ffs __ffsll __mulhi __rhadd __double2int_rn __double2int_rz __double2int_rd \
        __double2int_ru __dp4a __dp2a_lo __dp2a_hi",
    ),
    (
        IntType::U32,
        "__float2uint_rn __float2uint_rz __float2uint_rd __float2uint_ru __double2uint_rn __double2uint_rz \
        __double2uint_rd __double2uint_ru __float_as_uint __brev __umulhi __urhadd __uhadd __sad \
        __usad __byte_perm __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc",
    ),
    (IntType::I32, "__any_sync __all_sync __any __all"),
    (IntType::U32, "__ballot_sync __match_any_sync __ballot __activemask"),
    (
        IntType::I64,
        "__double_as_longlong lroundf lround lrintf lrint llroundf clock clock64 __mul64hi __float2ll_rn \
        __float2ll_rz __float2ll_rd __float2ll_ru __double2ll_rn __double2ll_rz __double2ll_rd __double2ll_ru",
    ),
    (
        IntType::U64,
        "__umul64hi __brevll __float2ull_rn __float2ull_rz __float2ull_rd __float2ull_ru __double2ull_rn \
        __double2ull_rz __double2ull_rd __double2ull_ru",
    ),
];

/// Functions of two or four parts of words, without `__v` and the number of parts.
const PARTS: &str = "\
    abs absdiffs absdiffu absss add addss addus avgs avgu cmpeq cmpges cmpgeu cmpgts cmpgtu cmples cmpleu \
    cmplts cmpltu cmpne haddu maxs maxu mins minu neg negss sads sadu seteq setges setgeu setgts setgtu \
    setles setleu setlts setltu setne sub subss subus";

/// The other functions.
const OTHERS: [(Device, &str); 14] = [
    (
        Device::Barrier,
        "__syncthreads __syncwarp __syncthreads_count __syncthreads_and __syncthreads_or",
    ),
    (Device::Load, "__ldg __ldca __ldcg __ldcs __ldlu __ldcv"),
    (Device::Store, "__stwb __stcg __stcs __stwt"),
    (Device::Swap, "swap"),
    (Device::Exchange(0), "__shfl __shfl_up __shfl_down __shfl_xor"),
    (
        Device::Exchange(1),
        "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __reduce_add_sync \
        __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync",
    ),
    (
        Device::Outputs,
        "sincos sincosf __sincosf sincospi sincospif modf modff frexp frexpf remquo remquof",
    ),
    (
        Device::Generator,
        "curand_init skipahead curand curand4 curand_poisson curand_poisson4 curand_uniform curand_uniform4 \
        curand_normal curand_normal2 curand_normal4 curand_log_normal curand_log_normal2 curand_log_normal4 \
        curand_uniform_double curand_uniform2_double curand_normal_double curand_normal2_double \
        curand_log_normal_double curand_log_normal2_double",
    ),
    (
        Device::Fetch,
        "tex1D tex2D tex3D tex1Dfetch tex1DLod tex2DLod tex3DLod tex1DGrad tex2DGrad tex3DGrad tex1DLayered \
        tex2DLayered tex1DLayeredLod tex2DLayeredLod texCubemap texCubemapLayered texCubemapLod tex2Dgather",
    ),
    (Device::Exact, "min max umin umax abs labs llabs __mul24 __umul24"),
    (
        Device::Ignored,
        "__threadfence __threadfence_block __threadfence_system __nanosleep printf static_assert \
        cudaGraphSetConditional",
    ),
    (Device::Hint, "__builtin_assume __assume"),
    (Device::Trap, "__trap __builtin_trap __builtin_unreachable"),
    (Device::Assert, "assert"),
];

/// The atomic functions, without a suffix for their scope.
const ATOMICS: &str = "\
    atomicAdd atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExch atomicInc atomicDec \
    atomicCAS";

/// Those that CUDA has not, likewise: a load; and comparisons with what a second address holds, which then holds what was
/// there. A weak one may fail though it holds that.
const OPENCL_ATOMICS: [&str; 3] =
    ["opencl::atomic_load", "opencl::compare_exchange_strong", "opencl::compare_exchange_weak"];

impl Device {
    /// What the function of this name is for; `None`: it is not known.
    pub fn of(name: &str) -> Option<Device> {
        let listed = |list: &str| list.split_whitespace().any(|word| word == name);
        let atomic = name.strip_suffix("_block").or(name.strip_suffix("_system")).unwrap_or(name);
        if name.starts_with("cooperative_groups::") {
            return Some(Device::Group);
        }
        if matches!(name, "wmma::load_matrix_sync" | "wmma::store_matrix_sync") {
            return Some(Device::Matrix);
        }
        if matches!(name, "bytes::copy" | "bytes::fill") {
            return Some(Device::Bytes);
        }
        if name.starts_with("async::") {
            return Some(Device::Copies);
        }
        if OPENCL_ATOMICS.contains(&atomic) {
            return Some(Device::Atomic);
        }
        if name == "opencl::prefetch" {
            return Some(Device::Ignored);
        }
        if name.starts_with("opencl::async_") || name == "opencl::wait_group_events" {
            return Some(Device::Copies);
        }
        if name == "coalesced::sync" || name.starts_with("opencl::work_group_") {
            return Some(Device::Barrier);
        }
        // No names of C's or CUDA's.
        if ["opencl::", "ptx::", "coalesced::"].iter().any(|space| name.starts_with(space)) {
            return Some(Device::Value);
        }
        if ATOMICS.split_whitespace().any(|word| word == atomic) {
            return Some(Device::Atomic);
        }
        if let Some((device, _)) = OTHERS.iter().find(|(_, names)| listed(names)) {
            return Some(*device);
        }
        if is_math(name) || name.starts_with("make_") {
            return Some(Device::Data);
        }
        let of_parts = name.strip_prefix("__v").and_then(|name| name.strip_suffix(['2', '4']));
        if of_parts.is_some_and(|stem| PARTS.split_whitespace().any(|word| word == stem)) {
            return Some(Device::Integer(IntType::U32));
        }
        let integers = INTEGERS.iter().find(|(_, names)| listed(names));
        integers.map(|(t, _)| Device::Integer(*t))
    }

    /// Does it only compute something from its arguments?
    pub fn is_pure(self) -> bool {
        use Device::{Data, Exact, Exchange, Fetch, Integer, Value};
        matches!(self, Exchange(_) | Integer(_) | Exact | Data | Value | Fetch)
    }
}

fn is_math(name: &str) -> bool {
    let listed = |stem: &str| MATH.split_whitespace().any(|word| word == stem);
    let stem = name.strip_prefix("__").unwrap_or(name);
    listed(stem) || stem.strip_suffix('f').is_some_and(listed)
}

/// The type of a call's value; `None`: there is no such function of arguments of these types, or its type
/// is said elsewhere (`make_…`, textures, groups).
pub fn result(name: &str, arguments: &[Type]) -> Option<Type> {
    let pointee = || match arguments.first() {
        Some(Type::Pointer(pointee)) => Some(pointee.as_ref().clone()),
        _ => None,
    };
    match Device::of(name)? {
        Device::Barrier if name.starts_with("opencl::") => None,
        Device::Barrier if name.starts_with("__syncthreads_") => Some(Type::Int(IntType::I32)),
        Device::Load | Device::Atomic => pointee(),
        Device::Exchange(number) => Some(match arguments.get(number)? {
            Type::Bool => Type::Int(IntType::I32),
            Type::Int(t) => Type::Int(promote(*t)),
            other => other.clone(),
        }),
        Device::Integer(_) if name.starts_with("__dp") && arguments.len() == 3 => {
            let unsigned = arguments.iter().all(|argument| *argument == Type::Int(IntType::U32));
            Some(Type::Int(if unsigned { IntType::U32 } else { IntType::I32 }))
        }
        Device::Integer(t) => Some(Type::Int(t)),
        Device::Exact => exact(name, arguments),
        Device::Generator => Some(drawn(name)),
        Device::Outputs if name.contains("sincos") => Some(Type::Void),
        Device::Outputs => {
            let single = matches!(name, "modff" | "frexpf" | "remquof");
            Some(Type::Float(if single { 4 } else { 8 }))
        }
        Device::Data if name.starts_with("make_") => None,
        Device::Data => {
            let data = arguments.iter().filter(|t| t.is_data()).cloned();
            Some(data.max_by_key(Type::size).unwrap_or_else(|| Type::Opaque(name.into())))
        }
        Device::Group | Device::Fetch | Device::Value | Device::Copies => None,
        Device::Barrier
        | Device::Store
        | Device::Swap
        | Device::Ignored
        | Device::Hint
        | Device::Trap
        | Device::Matrix
        | Device::Bytes
        | Device::Assert => Some(Type::Void),
    }
}

/// The type of a function of [`Device::Generator`].
fn drawn(name: &str) -> Type {
    let (stem, bytes) = name.strip_suffix("_double").map_or((name, 4), |stem| (stem, 8));
    let plain = stem.trim_end_matches(['2', '4']);
    let one = match plain {
        "curand_init" | "skipahead" => return Type::Void,
        "curand" | "curand_poisson" => Type::Int(IntType::U32),
        _ => Type::Float(bytes),
    };
    match stem.strip_prefix(plain) {
        Some("2") => Type::Vector(Box::new(one), 2),
        Some("4") => Type::Vector(Box::new(one), 4),
        _ => one,
    }
}

/// The type of a function of [`Device::Exact`].
fn exact(name: &str, arguments: &[Type]) -> Option<Type> {
    if let Some(data) = arguments.iter().find(|t| t.is_data()) {
        return Some(data.clone());
    }
    let t = match (name, arguments) {
        ("abs" | "labs" | "llabs", [x]) => common(x.integer()?, IntType::I32),
        ("abs" | "labs" | "llabs", _) => return None,
        ("umin" | "umax" | "__umul24", [_, _]) => IntType::U32,
        ("__mul24", [_, _]) => IntType::I32,
        (_, [x, y]) => common(x.integer()?, y.integer()?),
        _ => return None,
    };
    Some(Type::Int(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_by_name() {
        for (name, wanted) in [
            ("atomicAdd_block", Some(Device::Atomic)),
            ("atomic", None),
            ("__sinf", Some(Device::Data)),
            ("make_float4", Some(Device::Data)),
            ("__popc", Some(Device::Integer(IntType::I32))),
            ("__shfl_sync", Some(Device::Exchange(1))),
            ("tex2DLod", Some(Device::Fetch)),
            ("cooperative_groups::sync", Some(Device::Group)),
            ("opencl::mad", Some(Device::Value)),
            ("opencl::atomic_load_block", Some(Device::Atomic)),
            ("ptx::bfind", Some(Device::Value)),
            ("__vabsdiffu4", Some(Device::Integer(IntType::U32))),
            ("__vadd3", None),
            ("coalesced::sync", Some(Device::Barrier)),
            ("mad", None),
            ("helper", None),
        ] {
            assert_eq!(Device::of(name), wanted, "{name}");
        }
    }

    #[test]
    fn results_have_types() {
        let int = Type::Int(IntType::I32);
        let long = Type::Int(IntType::I64);
        assert_eq!(result("max", &[int.clone(), long.clone()]), Some(long));
        let unsigned = Type::Int(IntType::U32);
        assert_eq!(result("__dp4a", &[&int; 3].map(Type::clone)), Some(int.clone()));
        assert_eq!(result("__dp4a", &[&unsigned; 3].map(Type::clone)), Some(unsigned));
        assert_eq!(result("max", std::slice::from_ref(&int)), None);
        assert_eq!(result("__shfl_sync", &[int.clone(), Type::Bool]), Some(int.clone()));
        assert_eq!(result("atomicAdd", &[int.clone().pointer(), int.clone()]), Some(int));
        assert_eq!(
            result("curand4", &[]),
            Some(Type::Vector(Box::new(Type::Int(IntType::U32)), 4))
        );
        assert_eq!(
            result("curand_normal2_double", &[]),
            Some(Type::Vector(Box::new(Type::Float(8)), 2))
        );
        assert_eq!(result("fmaxf", &[Type::Float(4), Type::Float(8)]), Some(Type::Float(8)));
    }
}
