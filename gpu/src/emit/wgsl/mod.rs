//! WGSL, with 64-bit integers as naga extends it (`u64`, `i64`, literals `1lu` and `1li`).
//!
//! WGSL has no integers narrower than 32 bits: their values are kept in `u32` and `i32`. It
//! converts nothing by itself.

mod atomics;
mod helpers;
mod kernel;
mod monitor;

use super::helper::Helper;
use super::language::{Array, Language, Launched, Parts, Swap, Update};
use super::value::{Condition, Level, Value, width};
use babycuda_core::syntax::Domain;
use babycuda_core::{IntType, MachineOp, Site, Width};

/// The language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wgsl;

const DIMENSIONS: [char; 3] = ['x', 'y', 'z'];

/// The type that values of a domain are kept in.
fn kept(domain: Domain) -> IntType {
    match domain {
        Domain::Natural => IntType::U64,
        Domain::Machine(t) => IntType { width: t.width.max(Width::W32), ..t },
    }
}

/// The suffix of literals.
fn suffix(t: IntType) -> &'static str {
    match (t.width, t.signed) {
        (Width::W64, true) => "li",
        (Width::W64, false) => "lu",
        (_, true) => "i",
        (_, false) => "u",
    }
}

fn name(t: IntType) -> &'static str {
    match (t.width, t.signed) {
        (Width::W64, true) => "i64",
        (Width::W64, false) => "u64",
        (_, true) => "i32",
        (_, false) => "u32",
    }
}

/// `text`, of the kept type of a narrow type, reduced to that type's range.
fn reduced(text: &str, t: IntType) -> String {
    let bits = t.width.bits();
    match (t.width < Width::W32, t.signed) {
        (false, _) => text.to_owned(),
        (true, true) => format!("extractBits({text}, 0u, {bits}u)"),
        (true, false) => format!("({text} & {}u)", t.width.mask()),
    }
}

impl Language for Wgsl {
    fn type_name(&self, domain: Domain) -> &'static str {
        name(kept(domain))
    }

    fn literal(&self, domain: Domain, pattern: u64) -> Value {
        let t = kept(domain);
        let meaning = match domain {
            Domain::Natural => i128::from(pattern),
            Domain::Machine(own) => own.read(pattern),
        };
        let suffix = suffix(t);
        let smallest = t.signed && meaning == -(1i128 << (t.width.bits() - 1));
        let (text, level) = if smallest {
            // The number without its sign is none of the type.
            (format!("(-{}{suffix} - 1{suffix})", -(meaning + 1)), Level::Primary)
        } else if meaning < 0 {
            (format!("({meaning}{suffix})"), Level::Primary)
        } else {
            (format!("{meaning}{suffix}"), Level::Primary)
        };
        Value { text, domain, level, literal: Some(pattern) }
    }

    fn convert(&self, value: &Value, to: Domain) -> Value {
        let (from, target) = (kept(value.domain), kept(to));
        let mut text = value.text.clone();
        let mut level = value.level;
        // First the width, then the sign: a conversion of both at once is not the same everywhere.
        let steps = [IntType { width: target.width, ..from }, target];
        let mut at = from;
        for step in steps {
            if step != at {
                text = format!("{}({text})", name(step));
                level = Level::Primary;
                at = step;
            }
        }
        if let Domain::Machine(t) = to
            && !has_range(value.domain, t)
        {
            text = reduced(&if level == Level::Primary { text } else { format!("({text})") }, t);
            level = Level::Primary;
        }
        Value { text, domain: to, level, literal: None }
    }

    fn pass(&self, value: &Value, to: Domain) -> String {
        self.convert(value, to).text
    }

    fn index(&self, value: &Value, length: Option<u64>) -> String {
        let last = length.unwrap_or(u64::from(u32::MAX)).max(1) - 1;
        match (value.literal, width(value.domain)) {
            (Some(number), _) if number <= last => format!("{number}u"),
            // A literal beyond the end is rejected, though nobody need access it.
            (Some(number), _) => format!("cell_index({number}lu)"),
            // An index is a `u32`, and one beyond its range must not become one within.
            (_, Width::W64) => format!("cell_index({})", value.text),
            _ => value.text.clone(),
        }
    }

    fn shift_count(&self, count: u64) -> String {
        format!("{count}u")
    }

    fn select(&self, condition: &Condition, then: &Value, otherwise: &Value) -> Value {
        let text = format!("select({}, {}, {})", otherwise.text, then.text, condition.text);
        Value::primary(text, then.domain)
    }

    fn infix(&self, helper: Helper, left: &Value, right: &Value) -> Option<&'static str> {
        let (op, t) = helper.on_patterns()?;
        // Expressions of literals must not overflow.
        let open = left.literal.is_none() || right.literal.is_none();
        let wide = t.width >= Width::W32;
        let wraps = wide && open;
        let divisor = right.literal.filter(|&d| d != 0 && t.read(d) != -1);
        let shift = right.literal.filter(|&n| n < u64::from(t.width.bits()));
        match op {
            MachineOp::Add if wraps => Some("+"),
            MachineOp::Sub if wraps => Some("-"),
            MachineOp::Mul if wraps => Some("*"),
            MachineOp::Div if open && divisor.is_some() => Some("/"),
            MachineOp::Rem if open && divisor.is_some() => Some("%"),
            MachineOp::And if open => Some("&"),
            MachineOp::Or if open => Some("|"),
            MachineOp::Xor if open => Some("^"),
            // The right operand of a shift is a `u32`.
            MachineOp::Shl if wraps && shift.is_some() && t == IntType::U32 => Some("<<"),
            MachineOp::Shr if open && shift.is_some() && t == IntType::U32 => Some(">>"),
            _ => None,
        }
    }

    fn helper(&self, helper: Helper, marks: bool) -> String {
        helpers::definition(helper, marks)
    }

    fn marking_call(&self, helper: Helper, site: Site, left: &str, right: &str) -> String {
        format!("{}({}u, {left}, {right})", helper.name(), site.0)
    }

    fn parameter(&self, name: &str, instrumented: bool) -> String {
        if instrumented { name.to_owned() } else { format!("parameters.{name}") }
    }

    fn launched(&self, which: Launched) -> Value {
        let text = match which {
            Launched::Tid => "local_index".to_owned(),
            Launched::ThreadIdx(d) => format!("local_id.{}", DIMENSIONS[d]),
            Launched::BlockIdx(d) => format!("group_id.{}", DIMENSIONS[d]),
            Launched::BlockDim(d) => format!("block_dim.{}", DIMENSIONS[d]),
            Launched::GridDim(d) => format!("groups.{}", DIMENSIONS[d]),
        };
        let domain = Domain::Machine(IntType::U32);
        Value::primary(text, domain)
    }

    fn constant(&self, name: &str, domain: Domain, value: &str) -> String {
        format!("let {name}: {} = {value};", self.type_name(domain))
    }

    fn fixed(&self, name: &str, domain: Domain, value: &str) -> String {
        // What is known beforehand is folded, but not all that folding meets is implemented.
        self.variable(name, domain, value)
    }

    fn variable(&self, name: &str, domain: Domain, value: &str) -> String {
        format!("var {name}: {} = {value};", self.type_name(domain))
    }

    fn counting(&self, counter: &str, lower: &str, upper: &str, also: Option<&str>) -> String {
        let also = also.map(|c| format!(" && {c}")).unwrap_or_default();
        format!(
            "for (var {counter}: u64 = {lower}; {counter} < {upper}{also}; \
             {counter} = {counter} + 1lu) {{"
        )
    }

    fn guard(&self, condition: &str) -> String {
        format!("if {condition} {{")
    }

    fn barrier(&self) -> &'static str {
        "workgroupBarrier(); storageBarrier();"
    }

    fn read(&self, array: &Array, index: &str) -> String {
        match array.updated {
            true => format!("atomicLoad(&{}[{index}])", array.text),
            false => format!("{}[{index}]", array.text),
        }
    }

    fn write(&self, array: &Array, index: &str, value: &str) -> String {
        match array.updated {
            true => format!("atomicStore(&{}[{index}], {value});", array.text),
            false => format!("{}[{index}] = {value};", array.text),
        }
    }

    fn native(&self, update: &Update<'_>) -> Option<String> {
        atomics::native(update)
    }

    fn can_swap(&self, element: Domain) -> bool {
        width(element) >= Width::W32
    }

    fn swap(&self, swap: &Swap<'_>) -> Vec<String> {
        atomics::swap(swap)
    }

    fn account(&self, function: &str, arguments: &str) -> String {
        format!("{function}({arguments})")
    }

    fn next_phase(&self) -> &'static str {
        "thread.phase = thread.phase + 1u;"
    }

    fn monitor(&self, function: &str, arguments: &str) -> String {
        format!("{function}({arguments})")
    }

    fn assemble(&self, parts: &Parts) -> String {
        kernel::assemble(parts)
    }
}

/// Are all values of `from` within the range of `t`, as far as its width tells?
fn has_range(from: Domain, t: IntType) -> bool {
    if t.width >= Width::W32 {
        return true;
    }
    match from {
        Domain::Natural => false,
        Domain::Machine(own) => {
            own == t || own.width < t.width && (own.signed == t.signed || !own.signed)
        }
    }
}
