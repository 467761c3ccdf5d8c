//! Expressions, with as few parentheses as the grammar allows.

use super::name::Spelled;
use crate::deep::grow;
use crate::expr::{ArithOp, Bool, BoolOp, CompareOp, Num, NumOp};
use std::fmt;

/// How tightly the operator at the root of an expression binds; operands bind tightest.
/// The numbers are those of the parser.
const OPERAND: u8 = 6;

fn binding_of_num(n: &Num) -> u8 {
    match n {
        Num::Binary(NumOp::Natural(ArithOp::Add | ArithOp::Sub), ..) => 4,
        Num::Binary(NumOp::Natural(ArithOp::Mul | ArithOp::Div | ArithOp::Mod), ..) => 5,
        _ => OPERAND,
    }
}

fn binding_of_bool(c: &Bool) -> u8 {
    match c {
        Bool::Connective(BoolOp::Or, ..) => 1,
        Bool::Connective(BoolOp::And, ..) => 2,
        Bool::Compare(CompareOp { machine: None, .. }, ..) => 3,
        _ => OPERAND,
    }
}

/// An expression where only operators that bind at least as tightly may stand bare.
struct At<'a, E>(&'a E, u8);

impl fmt::Display for At<'_, Num> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grow(|| match binding_of_num(self.0) < self.1 {
            true => write!(f, "({})", self.0),
            false => write!(f, "{}", self.0),
        })
    }
}

impl fmt::Display for At<'_, Bool> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grow(|| match binding_of_bool(self.0) < self.1 {
            true => write!(f, "({})", self.0),
            false => write!(f, "{}", self.0),
        })
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = binding_of_num(self);
        match self {
            Num::Var(x) => write!(f, "{}", Spelled(x)),
            Num::Lit(k) => write!(f, "{k}"),
            // All operators associate to the left.
            Num::Binary(op, l, r) if own < OPERAND => {
                write!(f, "{} {op} {}", At(&**l, own), At(&**r, own + 1))
            }
            Num::Binary(op, l, r) => write!(f, "{op}({}, {})", At(&**l, 0), At(&**r, 0)),
            Num::Cast(from, to, n) => write!(f, "cast.{from}.{to}({})", At(&**n, 0)),
            Num::Select(c, n, m) => {
                write!(f, "select({}, {}, {})", At(&**c, 0), At(&**n, 0), At(&**m, 0))
            }
        }
    }
}

impl fmt::Display for Bool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = binding_of_bool(self);
        match self {
            Bool::Lit(b) => write!(f, "{b}"),
            Bool::Compare(op, l, r) if op.machine.is_none() => {
                write!(f, "{} {op} {}", At(&**l, own + 1), At(&**r, own + 1))
            }
            Bool::Compare(op, l, r) => write!(f, "{op}({}, {})", At(&**l, 0), At(&**r, 0)),
            Bool::Connective(op, l, r) => {
                write!(f, "{} {op} {}", At(&**l, own), At(&**r, own + 1))
            }
            Bool::Not(c) => write!(f, "!{}", At(&**c, OPERAND)),
        }
    }
}

impl fmt::Display for ArithOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArithOp::Add => "+",
            ArithOp::Sub => "-",
            ArithOp::Mul => "*",
            ArithOp::Div => "/",
            ArithOp::Mod => "%",
            ArithOp::Min => "min",
            ArithOp::Max => "max",
        })
    }
}

impl fmt::Display for NumOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumOp::Natural(op) => write!(f, "{op}"),
            NumOp::Machine(op, t) => write!(f, "{}.{t}", op.mnemonic()),
        }
    }
}

impl fmt::Display for CompareOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machine {
            None => f.write_str(self.relation.symbol()),
            Some(t) => write!(f, "{}.{t}", self.relation.mnemonic()),
        }
    }
}

impl fmt::Display for BoolOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoolOp::And => "&&",
            BoolOp::Or => "||",
        })
    }
}
