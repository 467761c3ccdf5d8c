//! Expressions and protocols: one function a nonterminal of the grammar in
//! `proofs/oracle/README.md`.

use super::{Read, Reader};
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::syntax::ForSort;
use babycuda_core::{AccessMode, Bool, CompareOp, IntType, MachineOp, Num, NumOp, Protocol};
use std::sync::Arc;

impl Reader<'_> {
    fn int_type(&mut self) -> Read<IntType> {
        match self.word().parse() {
            Ok(t) => Ok(t),
            Err(_) => self.expected("a machine type"),
        }
    }

    fn n(&mut self) -> Read<Num> {
        grow(|| match self.peek() {
            Some('"') => Ok(Num::Var(self.name()?)),
            Some('(') => {
                self.open()?;
                let n = match self.word() {
                    "cast" => {
                        let (from, to) = (self.int_type()?, self.int_type()?);
                        Num::cast(from, to, self.n()?)
                    }
                    "select" => {
                        let condition = self.c()?;
                        let then = self.n()?;
                        Num::select(condition, then, self.n()?)
                    }
                    head => match arithmetic(head) {
                        Some(op) => {
                            let left = self.n()?;
                            Num::Binary(op, Arc::new(left), Arc::new(self.n()?))
                        }
                        None => return self.expected("an operator"),
                    },
                };
                self.close()?;
                Ok(n)
            }
            _ => self.number().map(Num::Lit),
        })
    }

    fn c(&mut self) -> Read<Bool> {
        grow(|| {
            if self.peek() != Some('(') {
                return match self.word() {
                    "true" => Ok(Bool::Lit(true)),
                    "false" => Ok(Bool::Lit(false)),
                    _ => self.expected("a condition"),
                };
            }
            self.open()?;
            let c = match self.word() {
                "not" => Bool::not(self.c()?),
                head @ ("and" | "or") => {
                    let op = if head == "and" { BoolOp::And } else { BoolOp::Or };
                    let left = self.c()?;
                    Bool::connective(op, left, self.c()?)
                }
                head => match relation(head) {
                    Some(op) => {
                        let left = self.n()?;
                        Bool::Compare(op, Arc::new(left), Arc::new(self.n()?))
                    }
                    None => return self.expected("a relation or a connective"),
                },
            };
            self.close()?;
            Ok(c)
        })
    }

    /// An unsynchronized protocol.
    pub(crate) fn u(&mut self) -> Read<Protocol> {
        grow(|| {
            if self.peek() != Some('(') {
                return match self.word() {
                    "skip" => Ok(Protocol::Skip),
                    _ => self.expected("a protocol"),
                };
            }
            self.open()?;
            let u = match self.word() {
                "rd" => Protocol::access(AccessMode::Rd, self.array.clone(), self.n()?),
                "wr" => Protocol::access(AccessMode::Wr, self.array.clone(), self.n()?),
                "seq" => {
                    let first = self.u()?;
                    Protocol::Seq(Arc::new(first), Arc::new(self.u()?))
                }
                "if" => {
                    let (condition, then) = (self.c()?, self.u()?);
                    Protocol::branch(condition, then, self.u()?)
                }
                "for" => self.repeat(ForSort::U, Self::u)?,
                _ => return self.expected("a protocol"),
            };
            self.close()?;
            Ok(u)
        })
    }

    /// A synchronized protocol.
    pub(crate) fn p(&mut self) -> Read<Protocol> {
        grow(|| {
            if self.peek() != Some('(') {
                return match self.word() {
                    "sync" => Ok(Protocol::sync()),
                    _ => self.expected("a synchronized protocol"),
                };
            }
            self.open()?;
            let p = match self.word() {
                "block" => self.u()?,
                "seq" => {
                    let first = self.p()?;
                    Protocol::Seq(Arc::new(first), Arc::new(self.p()?))
                }
                "for" => self.repeat(ForSort::S, Self::p)?,
                _ => return self.expected("a synchronized protocol"),
            };
            self.close()?;
            Ok(p)
        })
    }

    /// A protocol with barriers anywhere, its sites left out.
    pub(crate) fn q(&mut self) -> Read<Protocol> {
        grow(|| {
            self.open()?;
            let q = match self.word() {
                "block" => self.u()?,
                "sync" => {
                    self.number()?;
                    Protocol::sync()
                }
                "seq" => {
                    let first = self.q()?;
                    Protocol::Seq(Arc::new(first), Arc::new(self.q()?))
                }
                "if" => {
                    let (condition, then) = (self.c()?, self.q()?);
                    Protocol::branch(condition, then, self.q()?)
                }
                "for" => self.repeat(ForSort::S, Self::q)?,
                _ => return self.expected("a protocol with barriers"),
            };
            self.close()?;
            Ok(q)
        })
    }

    fn repeat(
        &mut self,
        sort: ForSort,
        body: impl FnOnce(&mut Self) -> Read<Protocol>,
    ) -> Read<Protocol> {
        let var = self.name()?;
        let (lower, upper) = (self.n()?, self.n()?);
        Ok(Protocol::repeat(sort, var, lower, upper, body(self)?))
    }
}

/// `OPERATOR.SORT`
fn arithmetic(word: &str) -> Option<NumOp> {
    let (name, sort) = word.split_once('.')?;
    if sort != "nat" {
        let op = MachineOp::ALL.into_iter().find(|op| op.mnemonic() == name)?;
        return Some(NumOp::Machine(op, sort.parse().ok()?));
    }
    Some(NumOp::Natural(match name {
        "add" => ArithOp::Add,
        "sub" => ArithOp::Sub,
        "mul" => ArithOp::Mul,
        "div" => ArithOp::Div,
        "rem" => ArithOp::Mod,
        "min" => ArithOp::Min,
        "max" => ArithOp::Max,
        _ => return None,
    }))
}

/// `RELATION.SORT`
fn relation(word: &str) -> Option<CompareOp> {
    let (name, sort) = word.split_once('.')?;
    let relation = Relation::ALL.into_iter().find(|r| r.mnemonic() == name)?;
    match sort {
        "nat" => Some(CompareOp::natural(relation)),
        t => Some(CompareOp::machine(relation, t.parse().ok()?)),
    }
}
