//! Programs and protocols: one function a nonterminal of the grammar in
//! `proofs/oracle/README.md`.

use super::{Writer, Written};
use crate::oracle::request::Uncovered;
use babycuda_core::deep::grow;
use babycuda_core::syntax::ForSort;
use babycuda_core::{AccessMode, Name, Num, Protocol, Stmt};

impl Writer<'_> {
    /// A program without barriers.
    pub(crate) fn b(&mut self, b: &Stmt) -> Written {
        grow(|| match b {
            Stmt::Skip => self.word("skip"),
            Stmt::Write { array, index, payload, .. } => {
                self.of_array(array)?;
                self.node("write", |this| {
                    this.n(index)?;
                    this.n(payload)
                })
            }
            Stmt::Read { var, array, index, body, .. } => {
                self.read(var, array, index, |this| this.b(body))
            }
            Stmt::Seq(b, c) => self.node("seq", |this| {
                this.b(b)?;
                this.b(c)
            }),
            Stmt::If { condition, then, otherwise, .. } => self.node("if", |this| {
                this.c(condition)?;
                this.b(then)?;
                this.b(otherwise)
            }),
            Stmt::For { var, lower, upper, body, .. } => {
                self.repeat(var, lower, upper, |this| this.b(body))
            }
            Stmt::Atomic { site, .. } => Err(Uncovered::Atomic(*site)),
            Stmt::Sync { site } => Err(Uncovered::Barrier(*site)),
        })
    }

    /// A synchronized program.
    pub(crate) fn s(&mut self, s: &Stmt) -> Written {
        grow(|| match s {
            Stmt::Sync { .. } => self.word("sync"),
            Stmt::For { sort: ForSort::S, var, lower, upper, body, .. } => {
                self.repeat(var, lower, upper, |this| this.s(body))
            }
            Stmt::Seq(first, second) if s.has_sync() => self.node("seq", |this| {
                this.s(first)?;
                this.s(second)
            }),
            b => self.node("block", |this| this.b(b)),
        })
    }

    /// A program with barriers anywhere.
    pub(crate) fn k(&mut self, k: &Stmt) -> Written {
        grow(|| match k {
            k if !k.has_sync() => self.node("block", |this| this.b(k)),
            Stmt::Sync { site } => self.node("sync", |this| this.number(site.0)),
            Stmt::Read { var, array, index, body, .. } => {
                self.read(var, array, index, |this| this.k(body))
            }
            Stmt::Seq(first, second) => self.node("seq", |this| {
                this.k(first)?;
                this.k(second)
            }),
            Stmt::If { condition, then, otherwise, .. } => self.node("if", |this| {
                this.c(condition)?;
                this.k(then)?;
                this.k(otherwise)
            }),
            Stmt::For { var, lower, upper, body, .. } => {
                self.repeat(var, lower, upper, |this| this.k(body))
            }
            // Only atomic updates are left.
            other => self.b(other),
        })
    }

    fn read(
        &mut self,
        var: &Name,
        array: &Name,
        index: &Num,
        body: impl FnOnce(&mut Self) -> Written,
    ) -> Written {
        self.of_array(array)?;
        self.node("let", |this| {
            this.name(var)?;
            this.n(index)?;
            body(this)
        })
    }

    fn repeat(
        &mut self,
        var: &Name,
        lower: &Num,
        upper: &Num,
        body: impl FnOnce(&mut Self) -> Written,
    ) -> Written {
        self.node("for", |this| {
            this.name(var)?;
            this.n(lower)?;
            this.n(upper)?;
            body(this)
        })
    }

    /// An unsynchronized protocol.
    pub(crate) fn u(&mut self, u: &Protocol) -> Written {
        grow(|| match u {
            Protocol::Skip => self.word("skip"),
            Protocol::Access { mode, array, index, site } => {
                self.of_array(array)?;
                match mode {
                    AccessMode::Rd | AccessMode::Wr => {
                        self.node(mode.keyword(), |this| this.n(index))
                    }
                    AccessMode::At(_) => Err(Uncovered::Atomic(*site)),
                }
            }
            Protocol::Seq(first, second) => self.node("seq", |this| {
                this.u(first)?;
                this.u(second)
            }),
            Protocol::If { condition, then, otherwise, .. } => self.node("if", |this| {
                this.c(condition)?;
                this.u(then)?;
                this.u(otherwise)
            }),
            Protocol::For { var, lower, upper, body, .. } => {
                self.repeat(var, lower, upper, |this| this.u(body))
            }
            Protocol::Sync { site } => Err(Uncovered::Barrier(*site)),
            Protocol::Any { site, .. } => Err(Uncovered::Any(*site)),
        })
    }

    /// A synchronized protocol.
    pub(crate) fn p(&mut self, p: &Protocol) -> Written {
        grow(|| match p {
            Protocol::Sync { .. } => self.word("sync"),
            Protocol::For { sort: ForSort::S, var, lower, upper, body, .. } => {
                self.repeat(var, lower, upper, |this| this.p(body))
            }
            Protocol::Seq(first, second) if p.has_sync() => self.node("seq", |this| {
                this.p(first)?;
                this.p(second)
            }),
            u => self.node("block", |this| this.u(u)),
        })
    }
}
