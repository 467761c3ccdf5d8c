//! What a launch says, as C for people: without conversions that widen or keep the width.

use babycuda_core::expr::BoolOp;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{Expr, ExprKind, PlaceKind, Type, UnaryOp, Var};

/// The expression; `name`: what its variables are called.
pub(super) fn text(expr: &Expr, name: &dyn Fn(Var) -> String) -> String {
    written(expr, name, 0)
}

/// How strongly operators bind, from C.
fn strength(op: MachineOp) -> (&'static str, u8) {
    match op {
        MachineOp::Mul => ("*", 10),
        MachineOp::Div => ("/", 10),
        MachineOp::Rem => ("%", 10),
        MachineOp::Add => ("+", 9),
        MachineOp::Sub => ("-", 9),
        MachineOp::Shl => ("<<", 8),
        MachineOp::Shr => (">>", 8),
        MachineOp::And => ("&", 5),
        MachineOp::Xor => ("^", 4),
        MachineOp::Or => ("|", 3),
        MachineOp::Min => ("min", 0),
        MachineOp::Max => ("max", 0),
    }
}

fn written(expr: &Expr, name: &dyn Fn(Var) -> String, around: u8) -> String {
    let of = |e: &Expr, around| written(e, name, around);
    let both = |op: &str, strength: u8, [l, r]: &[Expr; 2]| {
        let text = format!("{} {op} {}", of(l, strength), of(r, strength + 1));
        if strength < around { format!("({text})") } else { text }
    };
    match &expr.kind {
        ExprKind::Int(bits) => {
            let t = expr.ty.integer().unwrap_or(IntType::I32);
            t.read(*bits).to_string()
        }
        ExprKind::Launch(launch, d) => {
            format!("{}.{}", launch.name(), ["x", "y", "z"].get(*d).unwrap_or(&"x"))
        }
        ExprKind::Load(place) => match &place.kind {
            PlaceKind::Variable(v) => name(*v),
            _ => "?".to_owned(),
        },
        ExprKind::Convert(inner) => {
            let narrows = match (&expr.ty, &inner.ty) {
                (Type::Int(to), Type::Int(from)) => to.width < from.width,
                _ => false,
            };
            match (&expr.ty, narrows) {
                (Type::Int(to), true) => {
                    let sign = if to.signed { "int" } else { "uint" };
                    format!("({sign}{}_t){}", to.width.bits(), of(inner, 11))
                }
                _ => of(inner, around),
            }
        }
        ExprKind::Unary(op, inner) => {
            let op = match op {
                UnaryOp::Negate => "-",
                UnaryOp::Complement => "~",
                UnaryOp::Not => "!",
            };
            format!("{op}{}", of(inner, 11))
        }
        ExprKind::Arithmetic(op, operands) => match strength(*op) {
            (name, 0) => format!("{name}({}, {})", of(&operands[0], 0), of(&operands[1], 0)),
            (op, strength) => both(op, strength, operands),
        },
        ExprKind::Compare(relation, operands) => both(relation.symbol(), 6, operands),
        ExprKind::Logical(BoolOp::And, operands) => both("&&", 2, operands),
        ExprKind::Logical(BoolOp::Or, operands) => both("||", 1, operands),
        ExprKind::Conditional(all) => {
            let [c, x, y] = &**all;
            format!("({} ? {} : {})", of(c, 1), of(x, 0), of(y, 0))
        }
        ExprKind::Device(function, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|e| of(e, 0)).collect();
            format!("{function}({})", arguments.join(", "))
        }
        _ => "?".to_owned(),
    }
}
