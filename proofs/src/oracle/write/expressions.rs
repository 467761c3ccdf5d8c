//! Expressions.

use super::{Writer, Written};
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp};
use babycuda_core::{Bool, CompareOp, Num, NumOp};

impl Writer<'_> {
    pub(super) fn n(&mut self, n: &Num) -> Written {
        grow(|| match n {
            Num::Var(x) => self.name(x),
            Num::Lit(k) => self.word(k),
            Num::Binary(op, l, r) => self.node(&operator(*op), |this| {
                this.n(l)?;
                this.n(r)
            }),
            Num::Cast(from, to, n) => self.node("cast", |this| {
                this.word(from)?;
                this.word(to)?;
                this.n(n)
            }),
            Num::Select(c, n, m) => self.node("select", |this| {
                this.c(c)?;
                this.n(n)?;
                this.n(m)
            }),
        })
    }

    pub(super) fn c(&mut self, c: &Bool) -> Written {
        grow(|| match c {
            Bool::Lit(truth) => self.word(truth),
            Bool::Compare(op, l, r) => self.node(&relation(*op), |this| {
                this.n(l)?;
                this.n(r)
            }),
            Bool::Connective(op, l, r) => {
                let head = match op {
                    BoolOp::And => "and",
                    BoolOp::Or => "or",
                };
                self.node(head, |this| {
                    this.c(l)?;
                    this.c(r)
                })
            }
            Bool::Not(c) => self.node("not", |this| this.c(c)),
        })
    }
}

fn operator(op: NumOp) -> String {
    match op {
        NumOp::Natural(op) => {
            let name = match op {
                ArithOp::Add => "add",
                ArithOp::Sub => "sub",
                ArithOp::Mul => "mul",
                ArithOp::Div => "div",
                ArithOp::Mod => "rem",
                ArithOp::Min => "min",
                ArithOp::Max => "max",
            };
            format!("{name}.nat")
        }
        NumOp::Machine(op, t) => format!("{}.{t}", op.mnemonic()),
    }
}

fn relation(op: CompareOp) -> String {
    match op.machine {
        None => format!("{}.nat", op.relation.mnemonic()),
        Some(t) => format!("{}.{t}", op.relation.mnemonic()),
    }
}
