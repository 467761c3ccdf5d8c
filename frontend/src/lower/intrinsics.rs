//! Functions that CUDA provides and that touch no memory that other threads see.

use super::Lower;
use super::emit::fold;
use crate::arith::{cast, compare, lit, machine, not, select};
use crate::ctype::{CType, Data, common};
use crate::error::{Lowered, refuse};
use crate::unit::listed;
use crate::value::Value;
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, MachineOp, Stmt};
use tree_sitter::Node;

/// Functions of floats, without the suffix `f` and the prefix `__`.
const MATH: &str = "\
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc exp \
    exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod hypot ldexp lerp lgamma log \
    log10 log1p log2 nearbyint norm3d pow powi rcbrt remainder rhypot rint round rsqrt \
    saturate sin sinh sinpi sqrt tan tanh tgamma trunc isnan isinf isfinite signbit clamp \
    dot length normalize cross frcp_rn fsqrt_rn frsqrt_rn fadd_rn fsub_rn fmul_rn fdiv_rn \
    fmaf_rn dadd_rn dmul_rn fma_rn int2float_rn uint2float_rn int2float_rz int2double_rn \
    uint2double_rn int_as_float uint_as_float half2float float2half float2half_rn hadd hmul \
    hfma hsub longlong_as_double ll2float_rn ull2float_rn double2float_rn";

/// Functions whose result is an integer of which nothing is known.
const INTEGERS: [(IntType, &str); 5] = [
    (IntType::I32, INTS),
    (IntType::U32, "__float2uint_rn __float2uint_rz __float_as_uint __brev __umulhi"),
    (IntType::I32, "__any_sync __all_sync __any __all"),
    (IntType::U32, "__ballot_sync __match_any_sync __ballot __activemask"),
    (IntType::I64, "__double_as_longlong lroundf lround lrintf lrint llroundf clock clock64"),
];
const INTS: &str = "\
    __float2int_rn __float2int_rz __float2int_rd __float2int_ru __float_as_int __popc \
    __popcll __clz __clzll __ffs __ffsll __mulhi";

/// Functions that yield what other lanes of the warp have of an argument, or all of them together: its
/// number, and names. They imply no memory barrier.
const EXCHANGES: [(usize, &str); 2] = [(0, "__shfl __shfl_up __shfl_down __shfl_xor"), (1, LANES)];
const LANES: &str = "\
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __reduce_add_sync \
    __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync";

/// Functions of integers that are translated exactly.
const EXACT: &str = "min max umin umax abs labs llabs __mul24 __umul24";

/// Functions without any effect on memory or on control flow: fences order nothing that the
/// calculus keeps apart, and the rest is output and hints.
const IGNORED: &str = "\
    __threadfence __threadfence_block __threadfence_system __nanosleep printf static_assert";

/// Hints whose operand is not evaluated.
const HINTS: &str = "__builtin_assume __assume";

/// Functions that end the launch.
const TRAPS: &str = "__trap __builtin_trap";

/// The name without `std::` or a leading `::`.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.strip_prefix("::").unwrap_or(name);
    name.strip_prefix("std::").unwrap_or(name)
}

fn is_math(name: &str) -> bool {
    let stem = name.strip_prefix("__").unwrap_or(name);
    listed(MATH, stem) || stem.strip_suffix('f').is_some_and(|s| listed(MATH, s))
}

/// Do CUDA's headers, or those that are known, declare the function?
pub(super) fn is_known(name: &str) -> bool {
    name == "assert"
        || [IGNORED, HINTS, TRAPS].iter().any(|list| listed(list, name))
        || is_pure(name)
}

/// Does a call of `name` only compute something from its arguments?
pub(crate) fn is_pure(name: &str) -> bool {
    let name = plain(name);
    listed(EXACT, name)
        || is_math(name)
        || name.starts_with("make_")
        || EXCHANGES.iter().any(|(_, names)| listed(names, name))
        || INTEGERS.iter().any(|(_, names)| listed(names, name))
}

/// Is it a function of integers that is translated exactly?
pub(super) fn is_exact(name: &str) -> bool {
    listed(EXACT, plain(name))
}

/// Has CUDA a function of this name with so many parameters, as far as is known?
pub(super) fn may_take(name: &str, count: usize) -> bool {
    match plain(name) {
        "abs" | "labs" | "llabs" => count == 1,
        exact if is_exact(exact) => count == 2,
        _ => true,
    }
}

impl<'t> Lower<'t> {
    /// `assert(c)` evaluates `c`, and where it does not hold the thread goes no further. (With
    /// `NDEBUG` the preprocessor leaves nothing of it.)
    fn assertion(&mut self, args: &[Node<'t>], node: Node<'t>) -> Lowered<Value> {
        let [condition] = args else {
            return refuse(node, "call of `assert` with this number of arguments");
        };
        if self.mode.pure {
            return refuse(node, "`assert` in an assumption");
        }
        let condition = self.condition(*condition)?;
        if condition != Bool::Lit(true) {
            self.note("`assert` is active (with `-D NDEBUG` it does nothing)", None);
        }
        self.halt(not(condition), "an assertion fails", node);
        Ok(Value::Void)
    }

    /// `__builtin_assume(c)` does not evaluate `c`. What effects of it would do is not specified.
    fn hint(&mut self, args: &[Node<'t>]) -> Lowered<Value> {
        for arg in args {
            let (only_reads, same) = self.discarded(|s| {
                let before = s.env.values().to_vec();
                s.eval(*arg)?;
                let reads = |b: &Stmt| {
                    matches!(b, Stmt::Skip | Stmt::Seq(..) | Stmt::If { .. } | Stmt::Read { .. })
                };
                let reads = fold(s.out.items().to_vec()).subterms().all(reads);
                Ok((reads, s.env.values().starts_with(&before)))
            })?;
            if !only_reads || !same {
                return refuse(*arg, "an effect in what is not evaluated");
            }
        }
        Ok(Value::Void)
    }

    /// The value of a call to a known function of values; `None` when `name` is no such function.
    pub(super) fn intrinsic(
        &mut self,
        name: &str,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Option<Value>> {
        let name = plain(name);
        if name == "assert" {
            return self.assertion(args, node).map(Some);
        }
        if listed(HINTS, name) {
            return self.hint(args).map(Some);
        }
        if listed(TRAPS, name) && args.is_empty() && !self.mode.pure {
            self.halt(Bool::Lit(true), "the thread traps", node);
            return Ok(Some(Value::Void));
        }
        if listed(IGNORED, name) {
            for arg in args {
                if !matches!(arg.kind(), "string_literal" | "concatenated_string") {
                    self.eval(*arg)?;
                }
            }
            return Ok(Some(Value::Void));
        }
        if !is_pure(name) {
            return Ok(None);
        }
        let exchanged = EXCHANGES.iter().find(|(_, names)| listed(names, name));
        let exchanged = exchanged.and_then(|(number, _)| args.get(*number));
        let mut values = Vec::new();
        for arg in args {
            let value = match exchanged == Some(arg) {
                true => self.exchanged(*arg, true)?,
                false => self.eval(*arg)?,
            };
            if matches!(value, Value::Pointer(_) | Value::Poison(_)) {
                return refuse(*arg, format!("pointer as an argument of `{name}`"));
            }
            values.push(value);
        }
        if listed(EXACT, name) {
            return self.exact(name, values, node).map(Some);
        }
        if let Some(at) = exchanged.and_then(|arg| args.iter().position(|a| a == arg)) {
            return Ok(values.into_iter().nth(at));
        }
        if let Some((t, _)) = INTEGERS.iter().find(|(_, names)| listed(names, name)) {
            return Ok(Some(Value::Int(*t, self.unknown_int(*t, node))));
        }
        let made = name.strip_prefix("make_").and_then(crate::ctype::named);
        Ok(Some(match made {
            Some(CType::Data(data)) => Value::Data(data, None),
            _ => {
                let widest = values.iter().filter_map(|v| match v {
                    Value::Data(data, _) => Some(data.clone()),
                    _ => None,
                });
                let data = widest.max_by_key(|d| d.size).unwrap_or(Data::UNKNOWN);
                Value::Data(data, None)
            }
        }))
    }

    /// `min`, `max`, `abs` and the 24-bit products of integers; of floats they are data.
    fn exact(&mut self, name: &str, values: Vec<Value>, node: Node<'t>) -> Lowered<Value> {
        if let Some(data) = values.iter().find(|v| matches!(v, Value::Data(..))) {
            return Ok(match data {
                Value::Data(data, _) => Value::Data(data.clone(), None),
                other => other.clone(),
            });
        }
        let mut ints = Vec::new();
        for value in values {
            ints.push(self.integer(value, node)?);
        }
        match (name, ints.as_slice()) {
            ("abs" | "labs" | "llabs", [(from, x)]) => {
                let t = common(*from, IntType::I32);
                let x = cast(*from, t, x.clone(), &self.ranges);
                let negative = compare(Relation::Lt, t, x.clone(), lit(0), &self.ranges);
                let minus = machine(MachineOp::Sub, t, lit(0), x.clone());
                Ok(Value::Int(t, select(negative, minus, x)))
            }
            (_, [(tx, x), (ty, y)]) => {
                let t = match name {
                    "umin" | "umax" | "__umul24" => IntType::U32,
                    "__mul24" => IntType::I32,
                    _ => common(*tx, *ty),
                };
                let x = cast(*tx, t, x.clone(), &self.ranges);
                let y = cast(*ty, t, y.clone(), &self.ranges);
                let low = |x| match name {
                    "__umul24" => machine(MachineOp::And, t, x, lit(0xff_ffff)),
                    _ => {
                        let up = machine(MachineOp::Shl, t, x, lit(8));
                        machine(MachineOp::Shr, t, up, lit(8))
                    }
                };
                Ok(Value::Int(
                    t,
                    match name {
                        "min" | "umin" => machine(MachineOp::Min, t, x, y),
                        "max" | "umax" => machine(MachineOp::Max, t, x, y),
                        _ => machine(MachineOp::Mul, t, low(x), low(y)),
                    },
                ))
            }
            _ => refuse(node, format!("call of `{name}` with this number of arguments")),
        }
    }
}
