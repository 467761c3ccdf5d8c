//! CUDA C and OpenCL C.

mod atomics;
mod helpers;
mod kernel;
mod monitor;

use super::helper::Helper;
use super::language::{Array, Language, Launched, Parts, Swap, Update};
use super::value::{Condition, Level, Value, operand, width};
use babycuda_core::expr::ArithOp;
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::syntax::Domain;
use babycuda_core::{IntType, MachineOp, Site, Width};

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum C {
    Cuda,
    OpenCl,
}

const DIMENSIONS: [char; 3] = ['x', 'y', 'z'];

impl C {
    /// What a function of the device starts with.
    pub(super) fn function(self) -> &'static str {
        match self {
            C::Cuda => "static inline __device__",
            C::OpenCl => "static",
        }
    }

    fn long(self) -> &'static str {
        match self {
            C::Cuda => "unsigned long long",
            C::OpenCl => "ulong",
        }
    }

    fn suffix(self, domain: Domain) -> &'static str {
        match (self, domain) {
            (C::Cuda, Domain::Natural | Domain::Machine(IntType::U64)) => "ull",
            (C::Cuda, Domain::Machine(IntType::I64)) => "ll",
            (C::OpenCl, Domain::Natural | Domain::Machine(IntType::U64)) => "ul",
            (C::OpenCl, Domain::Machine(IntType::I64)) => "l",
            (_, Domain::Machine(IntType::U32)) => "u",
            // C's promotion makes an `int` of everything narrower.
            (_, Domain::Machine(_)) => "",
        }
    }
}

/// Has every value of `from` the same meaning after C's own conversion to `to`?
fn converts_by_itself(from: Domain, to: Domain) -> bool {
    let is_signed = |domain| matches!(domain, Domain::Machine(IntType { signed: true, .. }));
    from == to
        || !is_signed(from)
            && (width(from) < width(to) || width(from) == width(to) && !is_signed(to))
}

impl Language for C {
    fn type_name(&self, domain: Domain) -> &'static str {
        let Domain::Machine(t) = domain else { return self.long() };
        match (self, t.width, t.signed) {
            (C::Cuda, Width::W8, true) => "signed char",
            (C::OpenCl, Width::W8, true) => "char",
            (C::Cuda, Width::W8, false) => "unsigned char",
            (C::OpenCl, Width::W8, false) => "uchar",
            (_, Width::W16, true) => "short",
            (C::Cuda, Width::W16, false) => "unsigned short",
            (C::OpenCl, Width::W16, false) => "ushort",
            (_, Width::W32, true) => "int",
            (C::Cuda, Width::W32, false) => "unsigned int",
            (C::OpenCl, Width::W32, false) => "uint",
            (C::Cuda, Width::W64, true) => "long long",
            (C::OpenCl, Width::W64, true) => "long",
            (_, Width::W64, false) => self.long(),
        }
    }

    fn literal(&self, domain: Domain, pattern: u64) -> Value {
        let meaning = match domain {
            Domain::Natural => i128::from(pattern),
            Domain::Machine(t) => t.read(pattern),
        };
        let suffix = self.suffix(domain);
        let smallest = match domain {
            Domain::Machine(t) if t.signed && t.width >= Width::W32 => {
                meaning == -(1i128 << (t.width.bits() - 1))
            }
            _ => false,
        };
        let (text, level) = if smallest {
            // The number without its sign is none of the type.
            (format!("(-{}{suffix} - 1)", -(meaning + 1)), Level::Primary)
        } else if meaning < 0 {
            (format!("{meaning}{suffix}"), Level::Unary)
        } else {
            (format!("{meaning}{suffix}"), Level::Primary)
        };
        Value { text, domain, level, literal: Some(pattern) }
    }

    fn convert(&self, value: &Value, to: Domain) -> Value {
        if value.domain == to {
            return value.clone();
        }
        let name = self.type_name(to);
        if self.type_name(value.domain) == name {
            return Value { domain: to, ..value.clone() };
        }
        let operand = match value.level {
            Level::Primary => value.text.clone(),
            _ => format!("({})", value.text),
        };
        Value { text: format!("({name}){operand}"), domain: to, level: Level::Unary, literal: None }
    }

    fn pass(&self, value: &Value, to: Domain) -> String {
        match converts_by_itself(value.domain, to) {
            true => value.text.clone(),
            false => self.convert(value, to).text,
        }
    }

    fn index(&self, value: &Value, _length: Option<u64>) -> String {
        match value.literal {
            Some(number) if number <= i32::MAX as u64 => number.to_string(),
            _ => value.text.clone(),
        }
    }

    fn shift_count(&self, count: u64) -> String {
        count.to_string()
    }

    fn select(&self, condition: &Condition, then: &Value, otherwise: &Value) -> Value {
        let c = operand(&condition.text, condition.level, "?", false);
        let t = operand(&then.text, then.level, "?", false);
        let o = operand(&otherwise.text, otherwise.level, "?", false);
        Value {
            text: format!("{c} ? {t} : {o}"),
            domain: then.domain,
            level: Level::Conditional,
            literal: None,
        }
    }

    fn infix(&self, helper: Helper, _left: &Value, right: &Value) -> Option<&'static str> {
        let (op, t) = helper.on_patterns()?;
        let wide = t.width >= Width::W32;
        let unsigned = wide && !t.signed;
        let divisor = right.literal.filter(|&d| d != 0 && t.read(d) != -1);
        let shift = right.literal.filter(|&n| n < u64::from(t.width.bits()));
        match op {
            MachineOp::Add if unsigned => Some("+"),
            MachineOp::Sub if unsigned => Some("-"),
            MachineOp::Mul if unsigned => Some("*"),
            MachineOp::Div if divisor.is_some() => Some("/"),
            MachineOp::Rem if divisor.is_some() => Some("%"),
            MachineOp::And => Some("&"),
            MachineOp::Or => Some("|"),
            MachineOp::Xor => Some("^"),
            MachineOp::Shl if unsigned && shift.is_some() => Some("<<"),
            MachineOp::Shr if shift.is_some() => Some(">>"),
            _ => None,
        }
    }

    fn helper(&self, helper: Helper, marks: bool) -> String {
        helpers::definition(*self, helper, marks)
    }

    fn marking_call(&self, helper: Helper, site: Site, left: &str, right: &str) -> String {
        format!("{}(&thread, {}, {left}, {right})", helper.name(), site.0)
    }

    fn parameter(&self, name: &str, _instrumented: bool) -> String {
        name.to_owned()
    }

    fn launched(&self, which: Launched) -> Value {
        let of = |cuda: &str, opencl: &str, d: usize| match self {
            C::Cuda => (format!("{cuda}.{}", DIMENSIONS[d]), Level::Primary),
            C::OpenCl => (format!("(uint){opencl}({d})"), Level::Unary),
        };
        let (text, level) = match which {
            Launched::Tid => ("thread_index".to_owned(), Level::Primary),
            Launched::ThreadIdx(d) => of("threadIdx", "get_local_id", d),
            Launched::BlockIdx(d) => of("blockIdx", "get_group_id", d),
            Launched::BlockDim(d) => of("blockDim", "get_local_size", d),
            Launched::GridDim(d) => of("gridDim", "get_num_groups", d),
        };
        Value { level, ..Value::primary(text, Domain::Machine(IntType::U32)) }
    }

    fn constant(&self, name: &str, domain: Domain, value: &str) -> String {
        format!("const {} {name} = {value};", self.type_name(domain))
    }

    fn fixed(&self, name: &str, domain: Domain, value: &str) -> String {
        self.constant(name, domain, value)
    }

    fn variable(&self, name: &str, domain: Domain, value: &str) -> String {
        format!("{} {name} = {value};", self.type_name(domain))
    }

    fn counting(&self, counter: &str, lower: &str, upper: &str, also: Option<&str>) -> String {
        let long = self.long();
        let also = also.map(|c| format!(" && {c}")).unwrap_or_default();
        format!("for ({long} {counter} = {lower}; {counter} < {upper}{also}; {counter}++) {{")
    }

    fn guard(&self, condition: &str) -> String {
        format!("if ({condition}) {{")
    }

    fn barrier(&self) -> &'static str {
        match self {
            C::Cuda => "__syncthreads();",
            C::OpenCl => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
        }
    }

    fn group_barrier(&self, size: u32) -> Option<String> {
        match (self, size) {
            (C::OpenCl, _) => None,
            (C::Cuda, WARP_SIZE) => Some("__syncwarp();".to_owned()),
            (C::Cuda, _) => {
                let index = self.launched(Launched::Tid).text;
                let (lanes, first) = ((1u64 << size) - 1, WARP_SIZE - size);
                Some(format!("__syncwarp({lanes:#x}u << ({index} & {first}u));"))
            }
        }
    }

    fn read(&self, array: &Array, index: &str) -> String {
        format!("{}[{index}]", array.text)
    }

    fn write(&self, array: &Array, index: &str, value: &str) -> String {
        format!("{}[{index}] = {value};", array.text)
    }

    fn native(&self, update: &Update<'_>) -> Option<String> {
        atomics::native(*self, update)
    }

    fn can_swap(&self, element: Domain) -> bool {
        width(element) >= Width::W32
    }

    fn swap(&self, swap: &Swap<'_>) -> Vec<String> {
        atomics::swap(*self, swap)
    }

    fn account(&self, function: &str, arguments: &str) -> String {
        format!("{function}(&thread, {arguments})")
    }

    fn next_phase(&self) -> &'static str {
        "thread.phase += 1;"
    }

    fn monitor(&self, function: &str, arguments: &str) -> String {
        let comma = if arguments.is_empty() { "" } else { ", " };
        format!("{function}(&monitor{comma}{arguments})")
    }

    fn assemble(&self, parts: &Parts) -> String {
        kernel::assemble(*self, parts)
    }
}

/// The natural operator that a helper is, if any.
fn natural(helper: Helper) -> Option<ArithOp> {
    match helper {
        Helper::Natural(op) => Some(op),
        Helper::Machine(..) => None,
    }
}
