//! Definitions of operators, without anything that C leaves undefined.

use super::{C, natural};
use crate::emit::helper::Helper;
use crate::emit::language::Language;
use babycuda_core::expr::ArithOp;
use babycuda_core::machine::{IntType, MachineOp, Width};
use babycuda_core::syntax::Domain;

/// The definition of a helper; with `marks`, of one that marks overflow.
pub(super) fn definition(c: C, helper: Helper, marks: bool) -> String {
    let name = helper.name();
    let value = c.type_name(helper.domain());
    let head = format!("{} {value} {name}", c.function());
    let overflow = match natural(helper) {
        Some(ArithOp::Add) => Some("a > ~b".to_owned()),
        // The quotient is the largest factor that fits.
        Some(ArithOp::Mul) => Some(format!("b != 0 && a > ~({value})0 / b")),
        _ => None,
    };
    let body = match helper.on_patterns() {
        None => "a > b ? a - b : 0".to_owned(),
        Some((op, t)) => result(c, op, t),
    };
    match overflow.filter(|_| marks) {
        None => format!("{head}({value} a, {value} b)\n{{\n    return {body};\n}}\n"),
        Some(overflow) => format!(
            "{head}(struct Thread *thread, {word} site, {value} a, {value} b)\n{{\n    \
             if (({overflow}) && thread->overflow == 0) {{\n        \
             thread->overflow = 1 + site;\n    }}\n    return {body};\n}}\n",
            word = c.type_name(Domain::Machine(IntType::U32)),
        ),
    }
}

/// The expression over `a` and `b` that an operator of type `t` computes: as
/// [`MachineOp::apply`], on what patterns mean.
fn result(c: C, op: MachineOp, t: IntType) -> String {
    let value = c.type_name(Domain::Machine(t));
    let bits = t.width.bits();
    // Arithmetic that wraps around: on unsigned words at least as wide as `int`.
    let wide = IntType { signed: false, width: t.width.max(Width::W32) };
    let word = c.type_name(Domain::Machine(wide));
    let pattern = c.type_name(Domain::Machine(IntType { signed: false, ..t }));
    let wrapping = |operator: &str| match value == word {
        true => format!("a {operator} b"),
        false => format!("({value})(({word})a {operator} ({word})b)"),
    };
    let negated = format!("({value})(({word})0 - ({word})a)");
    match op {
        MachineOp::Add => wrapping("+"),
        MachineOp::Sub => wrapping("-"),
        MachineOp::Mul => wrapping("*"),
        MachineOp::Div if t.signed => {
            format!("b == 0 ? ({value})0 : b == -1 ? {negated} : ({value})(a / b)")
        }
        MachineOp::Div if value == word => "b == 0 ? 0 : a / b".to_owned(),
        MachineOp::Div => format!("b == 0 ? ({value})0 : ({value})(a / b)"),
        MachineOp::Rem if t.signed => {
            format!("b == 0 ? a : b == -1 ? ({value})0 : ({value})(a % b)")
        }
        MachineOp::Rem if value == word => "b == 0 ? a : a % b".to_owned(),
        MachineOp::Rem => format!("b == 0 ? a : ({value})(a % b)"),
        MachineOp::Min => "a < b ? a : b".to_owned(),
        MachineOp::Max => "a < b ? b : a".to_owned(),
        MachineOp::And => wrapping("&"),
        MachineOp::Or => wrapping("|"),
        MachineOp::Xor => wrapping("^"),
        MachineOp::Shl if value == word => format!("b >= {bits} ? 0 : a << b"),
        MachineOp::Shl => {
            format!("({pattern})b >= {bits} ? ({value})0 : ({value})(({word})a << ({pattern})b)")
        }
        MachineOp::Shr if t.signed => {
            let sign = format!("({value})(a < 0 ? -1 : 0)");
            format!("({pattern})b >= {bits} ? {sign} : ({value})(a >> ({pattern})b)")
        }
        MachineOp::Shr if value == word => format!("b >= {bits} ? 0 : a >> b"),
        MachineOp::Shr => format!("b >= {bits} ? ({value})0 : ({value})(a >> b)"),
    }
}
