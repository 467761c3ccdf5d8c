//! Expressions, with as few parentheses as the grammar allows.

use super::name::Spelled;
use crate::deep::grow;
use crate::expr::{ArithOp, Bool, BoolOp, CompareOp, Num, NumOp};
use crate::syntax::{Bound, Forall};
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

/// An expression where only operators that bind at least as tightly may stand bare, with what its
/// variables read.
struct At<'a, E>(&'a E, u8, &'a [Bound]);

impl fmt::Display for At<'_, Num> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let At(n, weakest, reads) = *self;
        let own = binding_of_num(n);
        if own < weakest {
            return write!(f, "({})", At(n, 0, reads));
        }
        grow(|| match n {
            Num::Var(x) => match reads.iter().find(|b| b.var() == x) {
                Some(Bound::Read { array, index, .. }) => {
                    write!(f, "{}[{}]", Spelled(array), At(index, 0, reads))
                }
                _ => write!(f, "{}", Spelled(x)),
            },
            Num::Lit(k) => write!(f, "{k}"),
            // All operators associate to the left.
            Num::Binary(op, l, r) if own < OPERAND => {
                write!(f, "{} {op} {}", At(&**l, own, reads), At(&**r, own + 1, reads))
            }
            Num::Binary(op, l, r) => {
                write!(f, "{op}({}, {})", At(&**l, 0, reads), At(&**r, 0, reads))
            }
            Num::Cast(from, to, n) => write!(f, "cast.{from}.{to}({})", At(&**n, 0, reads)),
            Num::Select(c, n, m) => {
                let (c, n, m) = (At(&**c, 0, reads), At(&**n, 0, reads), At(&**m, 0, reads));
                write!(f, "select({c}, {n}, {m})")
            }
        })
    }
}

impl fmt::Display for At<'_, Bool> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let At(c, weakest, reads) = *self;
        let own = binding_of_bool(c);
        if own < weakest {
            return write!(f, "({})", At(c, 0, reads));
        }
        grow(|| match c {
            Bool::Lit(b) => write!(f, "{b}"),
            Bool::Compare(op, l, r) if op.machine.is_none() => {
                write!(f, "{} {op} {}", At(&**l, own + 1, reads), At(&**r, own + 1, reads))
            }
            Bool::Compare(op, l, r) => {
                write!(f, "{op}({}, {})", At(&**l, 0, reads), At(&**r, 0, reads))
            }
            Bool::Connective(op, l, r) => {
                write!(f, "{} {op} {}", At(&**l, own, reads), At(&**r, own + 1, reads))
            }
            Bool::Not(c) => write!(f, "!{}", At(&**c, OPERAND, reads)),
        })
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        At(self, 0, &[]).fmt(f)
    }
}

impl fmt::Display for Bool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        At(self, 0, &[]).fmt(f)
    }
}

/// Reads stand where their variables do.
impl fmt::Display for Forall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads = &self.over;
        for bound in &self.over {
            if let Bound::In { var, lower, upper } = bound {
                let (lower, upper) = (At(lower, 0, reads), At(upper, 0, reads));
                write!(f, "forall {} in {lower}..{upper}: ", Spelled(var))?;
            }
        }
        At(&self.condition, 0, reads).fmt(f)
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
