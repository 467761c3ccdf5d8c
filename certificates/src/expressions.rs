//! Numbers, conditions and operators (`Expressions.v`), as arguments.

use crate::document::string;
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::machine::{IntType, MachineOp, Width};
use babycuda_core::{Bool, CompareOp, Num, NumOp};

/// `n`
pub(crate) fn num(n: &Num) -> String {
    grow(|| match n {
        Num::Var(x) => format!("(Var {})", string(x)),
        Num::Lit(k) => format!("(Num {k})"),
        Num::Binary(op, l, r) => {
            let (sort, op) = arithmetic(*op);
            format!("(Arith {sort} {op} {} {})", num(l), num(r))
        }
        Num::Cast(from, to, n) => {
            format!("(Cast {} {} {})", machine(*from), machine(*to), num(n))
        }
        Num::Select(c, n, m) => format!("(Select {} {} {})", bool(c), num(n), num(m)),
    })
}

/// `c`
pub(crate) fn bool(c: &Bool) -> String {
    grow(|| match c {
        Bool::Lit(t) => format!("(Bool {t})"),
        Bool::Compare(CompareOp { relation, machine: t }, l, r) => {
            let sort = t.map_or_else(|| "Natural".to_owned(), machine);
            format!("(Compare {sort} {} {} {})", comparison(*relation), num(l), num(r))
        }
        Bool::Connective(op, l, r) => {
            let op = match op {
                BoolOp::And => "And",
                BoolOp::Or => "Or",
            };
            format!("(Connect {op} {} {})", bool(l), bool(r))
        }
        Bool::Not(c) => format!("(Not {})", bool(c)),
    })
}

fn machine(t: IntType) -> String {
    let width = match t.width {
        Width::W8 => "W8",
        Width::W16 => "W16",
        Width::W32 => "W32",
        Width::W64 => "W64",
    };
    format!("({} {width})", if t.signed { "Signed" } else { "Unsigned" })
}

fn arithmetic(op: NumOp) -> (String, &'static str) {
    match op {
        NumOp::Natural(op) => {
            let op = match op {
                ArithOp::Add => "Add",
                ArithOp::Sub => "Sub",
                ArithOp::Mul => "Mul",
                ArithOp::Div => "Div",
                ArithOp::Mod => "Rem",
                ArithOp::Min => "Min",
                ArithOp::Max => "Max",
            };
            ("Natural".to_owned(), op)
        }
        NumOp::Machine(op, t) => {
            let op = match op {
                MachineOp::Add => "Add",
                MachineOp::Sub => "Sub",
                MachineOp::Mul => "Mul",
                MachineOp::Div => "Div",
                MachineOp::Rem => "Rem",
                MachineOp::Min => "Min",
                MachineOp::Max => "Max",
                MachineOp::And => "BitAnd",
                MachineOp::Or => "BitOr",
                MachineOp::Xor => "BitXor",
                MachineOp::Shl => "Shl",
                MachineOp::Shr => "Shr",
            };
            (machine(t), op)
        }
    }
}

fn comparison(relation: Relation) -> &'static str {
    match relation {
        Relation::Eq => "Eq",
        Relation::Ne => "Ne",
        Relation::Lt => "Lt",
        Relation::Le => "Le",
        Relation::Gt => "Gt",
        Relation::Ge => "Ge",
    }
}
