//! Definitions of operators.

use super::{kept, name, reduced, suffix};
use crate::emit::helper::Helper;
use babycuda_core::expr::ArithOp;
use babycuda_core::machine::{IntType, MachineOp, Width};

/// The definition of a helper; with `marks`, of one that marks overflow.
pub(super) fn definition(helper: Helper, marks: bool) -> String {
    let value = name(kept(helper.domain()));
    let lines = match helper.on_patterns() {
        None => vec!["if a < b {".into(), "    return 0lu;".into(), "}".into(), ret("a - b")],
        Some((op, t)) => lines(op, t),
    };
    let overflow = match helper {
        Helper::Natural(ArithOp::Add) => Some("a > ~b"),
        // The quotient is the largest factor that fits. A divisor of 0 must not be there even
        // where it is not used.
        Helper::Natural(ArithOp::Mul) => Some("b != 0lu && a > ~0lu / max(b, 1lu)"),
        _ => None,
    };
    let mut out = match overflow.filter(|_| marks) {
        None => format!("fn {}(a: {value}, b: {value}) -> {value} {{\n", helper.name()),
        Some(overflow) => format!(
            "fn {}(site: u32, a: {value}, b: {value}) -> {value} {{\n    \
             if {overflow} && thread.overflow == 0u {{\n        \
             thread.overflow = 1u + site;\n    }}\n",
            helper.name()
        ),
    };
    for line in lines {
        out.push_str("    ");
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str("}\n");
    out
}

fn ret(value: &str) -> String {
    format!("return {value};")
}

/// `if condition { return value; }`
fn early(condition: &str, value: &str) -> [String; 3] {
    [format!("if {condition} {{"), format!("    return {value};"), "}".to_owned()]
}

/// The lines of an operator of type `t` on `a` and `b`: as [`MachineOp::apply`], on what patterns
/// mean.
fn lines(op: MachineOp, t: IntType) -> Vec<String> {
    let kept = IntType { width: t.width.max(Width::W32), ..t };
    let suffix = suffix(kept);
    let zero = format!("0{suffix}");
    let minus_one = format!("-1{suffix}");
    let all = |parts: &[&[String]]| parts.concat();
    let reduce = |text: &str| ret(&reduced(text, t));
    let division = |by_zero: &str, by_minus_one: &str, result: &str| {
        let zero_case = early(&format!("b == {zero}"), by_zero);
        let minus_case = early(&format!("b == {minus_one}"), by_minus_one);
        let result = [ret(result)];
        match t.signed {
            true => all(&[&zero_case, &minus_case, &result]),
            false => all(&[&zero_case, &result]),
        }
    };
    // The pattern of a shift's right operand, and the whole width.
    let count = match (t.width, t.signed) {
        (Width::W64, true) => "u64(b)".to_owned(),
        (Width::W64, false) | (_, false) => "b".to_owned(),
        (_, true) => reduced("u32(b)", IntType { signed: false, ..t }),
    };
    let limit = match t.width {
        Width::W64 => "64lu".to_owned(),
        _ => format!("{}u", t.width.bits()),
    };
    let beyond = |value: &str| early(&format!("{count} >= {limit}"), value);
    match op {
        MachineOp::Add => vec![reduce("(a + b)")],
        MachineOp::Sub => vec![reduce("(a - b)")],
        MachineOp::Mul => vec![reduce("(a * b)")],
        MachineOp::Div => {
            let negated = reduced(&format!("({zero} - a)"), t);
            division(&zero, &negated, "a / b")
        }
        MachineOp::Rem => division("a", &zero, "a % b"),
        MachineOp::Min => vec![ret("select(b, a, a < b)")],
        MachineOp::Max => vec![ret("select(a, b, a < b)")],
        MachineOp::And => vec![ret("a & b")],
        MachineOp::Or => vec![ret("a | b")],
        MachineOp::Xor => vec![ret("a ^ b")],
        MachineOp::Shl => all(&[&beyond(&zero), &[reduce(&format!("(a << u32({count}))"))]]),
        MachineOp::Shr => {
            let sign = format!("select({zero}, {minus_one}, a < {zero})");
            let outside = if t.signed { sign } else { zero };
            all(&[&beyond(&outside), &[ret(&format!("a >> u32({count})"))]])
        }
    }
}
