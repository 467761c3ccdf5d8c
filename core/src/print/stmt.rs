//! Statements.

use super::Printer;
use super::name::Spelled;
use crate::syntax::{AtomicOp, AtomicUpdate, BarrierScope, Scope, Stmt};
use std::fmt;

impl Printer<'_, '_> {
    /// A statement that reaches to the end of its block.
    pub(super) fn stmt(&mut self, mut b: &Stmt) -> fmt::Result {
        loop {
            match b {
                Stmt::Seq(first, rest) => {
                    match **first {
                        // Bare, these would reach beyond the `;`.
                        Stmt::Seq(..) | Stmt::Read { .. } | Stmt::Atomic { .. } => {
                            self.braces(|p| p.stmt(first))?;
                        }
                        _ => self.single(first)?,
                    }
                    self.out.write_str(";")?;
                    self.separate()?;
                    b = rest;
                }
                Stmt::Read { site, var, array, index, body } => {
                    self.site(*site)?;
                    let (var, array) = (Spelled(var), Spelled(array));
                    write!(self.out, "let {var} = {array}[{index}] in")?;
                    self.separate()?;
                    b = body;
                }
                Stmt::Atomic { site, var, array, index, update, scope, body } => {
                    self.site(*site)?;
                    let (var, array) = (Spelled(var), Spelled(array));
                    let suffix = scope.suffix();
                    write!(self.out, "let {var} = atomic{suffix} {array}[{index}] {update} in")?;
                    self.separate()?;
                    b = body;
                }
                _ => return self.single(b),
            }
        }
    }

    /// A statement that ends by itself.
    fn single(&mut self, b: &Stmt) -> fmt::Result {
        match b {
            Stmt::Skip => self.out.write_str("skip"),
            Stmt::Sync { site, scope: BarrierScope::Block } => {
                self.site(*site)?;
                self.out.write_str("sync")
            }
            Stmt::Sync { site, scope } => {
                self.site(*site)?;
                write!(self.out, "sync.{scope}")
            }
            Stmt::Write { site, array, index, payload } => {
                self.site(*site)?;
                write!(self.out, "{}[{index}] := {payload}", Spelled(array))
            }
            Stmt::If { site, condition, then, otherwise } => {
                self.site(*site)?;
                self.branch(condition, |p| p.stmt(then), |p| p.stmt(otherwise))
            }
            Stmt::For { site, sort, var, lower, upper, body } => {
                self.site(*site)?;
                self.repetition(*sort, var, (lower, upper), |p| p.stmt(body))
            }
            Stmt::Seq(..) | Stmt::Read { .. } | Stmt::Atomic { .. } => self.braces(|p| p.stmt(b)),
        }
    }
}

impl Scope {
    /// What follows `atomic` or `at`: nothing, `.block` or `.system`.
    pub fn suffix(self) -> &'static str {
        match self {
            Scope::Block => ".block",
            Scope::Device => "",
            Scope::System => ".system",
        }
    }
}

impl fmt::Display for BarrierScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BarrierScope::Tile(threads) => write!(f, "tile{threads}"),
            BarrierScope::Warp => f.write_str("warp"),
            BarrierScope::Block => f.write_str("block"),
            BarrierScope::Grid => f.write_str("grid"),
        }
    }
}

impl fmt::Display for AtomicOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, t) = match *self {
            AtomicOp::Add(t) => ("add", t),
            AtomicOp::Sub(t) => ("sub", t),
            AtomicOp::Min(t) => ("min", t),
            AtomicOp::Max(t) => ("max", t),
            AtomicOp::And(t) => ("and", Some(t)),
            AtomicOp::Or(t) => ("or", Some(t)),
            AtomicOp::Xor(t) => ("xor", Some(t)),
            AtomicOp::Exch => ("exch", None),
            AtomicOp::Inc => ("inc", None),
            AtomicOp::Dec => ("dec", None),
            AtomicOp::Cas => ("cas", None),
            AtomicOp::Opaque => ("opaque", None),
        };
        match t {
            None => f.write_str(name),
            Some(t) => write!(f, "{name}.{t}"),
        }
    }
}

impl<N: fmt::Display> fmt::Display for AtomicUpdate<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.op, self.operand)?;
        match &self.expected {
            None => Ok(()),
            Some(expected) => write!(f, " if {expected}"),
        }
    }
}
