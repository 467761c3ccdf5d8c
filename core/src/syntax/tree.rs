//! Statements and protocols as trees: comparing, searching and dropping them whatever their height.

use super::{AtomicUpdate, ForSort, Protocol, Scope, Stmt};
use crate::deep::{compare_in_preorder, release};
use crate::expr::{Bool, Num};
use crate::history::AccessMode;
use crate::machine::IntType;
use crate::name::Name;
use crate::site::Site;

/// A node of a statement, without its children.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum StmtHead<'a> {
    Skip,
    Write(Site, &'a Name, &'a Num, &'a Num),
    Read(Site, &'a Name, &'a Name, &'a Num),
    Atomic(Site, &'a Name, &'a Name, &'a Num, &'a AtomicUpdate<Num>, Scope),
    Seq,
    If(Site, &'a Bool),
    For(Site, ForSort, &'a Name, &'a Num, &'a Num),
    Sync(Site),
}

/// A node of a protocol, without its children.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ProtocolHead<'a> {
    Skip,
    Access(Site, AccessMode, &'a Name, &'a Num),
    Seq,
    If(Site, &'a Bool),
    For(Site, ForSort, &'a Name, &'a Num, &'a Num),
    Sync(Site),
    Any(Site, &'a Name, Option<IntType>),
}

impl Stmt {
    fn node(&self) -> &Stmt {
        self
    }

    fn is_same(&self, other: &Stmt) -> bool {
        std::ptr::eq(self, other)
    }

    fn parts(&self) -> (StmtHead<'_>, [Option<&Stmt>; 2]) {
        match self {
            Stmt::Skip => (StmtHead::Skip, [None, None]),
            Stmt::Sync { site } => (StmtHead::Sync(*site), [None, None]),
            Stmt::Write { site, array, index, payload } => {
                (StmtHead::Write(*site, array, index, payload), [None, None])
            }
            Stmt::Read { site, var, array, index, body } => {
                (StmtHead::Read(*site, var, array, index), [Some(body), None])
            }
            Stmt::Atomic { site, var, array, index, update, scope, body } => {
                (StmtHead::Atomic(*site, var, array, index, update, *scope), [Some(body), None])
            }
            Stmt::Seq(b, c) => (StmtHead::Seq, [Some(b), Some(c)]),
            Stmt::If { site, condition, then, otherwise } => {
                (StmtHead::If(*site, condition), [Some(then), Some(otherwise)])
            }
            Stmt::For { site, sort, var, lower, upper, body } => {
                (StmtHead::For(*site, *sort, var, lower, upper), [Some(body), None])
            }
        }
    }

    /// The statements directly in the statement: none, one or two.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Stmt> {
        self.parts().1.into_iter().flatten()
    }

    /// The statement and every statement in it, in pre-order.
    pub fn subterms(&self) -> impl Iterator<Item = &Stmt> {
        let mut pending = vec![self];
        std::iter::from_fn(move || {
            let next = pending.pop()?;
            pending.extend(next.children().rev());
            Some(next)
        })
    }
}

impl Protocol {
    fn node(&self) -> &Protocol {
        self
    }

    fn is_same(&self, other: &Protocol) -> bool {
        std::ptr::eq(self, other)
    }

    fn parts(&self) -> (ProtocolHead<'_>, [Option<&Protocol>; 2]) {
        match self {
            Protocol::Skip => (ProtocolHead::Skip, [None, None]),
            Protocol::Sync { site } => (ProtocolHead::Sync(*site), [None, None]),
            Protocol::Access { site, mode, array, index } => {
                (ProtocolHead::Access(*site, *mode, array, index), [None, None])
            }
            Protocol::Seq(p, q) => (ProtocolHead::Seq, [Some(p), Some(q)]),
            Protocol::If { site, condition, then, otherwise } => {
                (ProtocolHead::If(*site, condition), [Some(then), Some(otherwise)])
            }
            Protocol::For { site, sort, var, lower, upper, body } => {
                (ProtocolHead::For(*site, *sort, var, lower, upper), [Some(body), None])
            }
            Protocol::Any { site, var, domain, body } => {
                (ProtocolHead::Any(*site, var, *domain), [Some(body), None])
            }
        }
    }

    /// The protocols directly in the protocol: none, one or two.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Protocol> {
        self.parts().1.into_iter().flatten()
    }

    /// The protocol and every protocol in it, in pre-order.
    pub fn subterms(&self) -> impl Iterator<Item = &Protocol> {
        let mut pending = vec![self];
        std::iter::from_fn(move || {
            let next = pending.pop()?;
            pending.extend(next.children().rev());
            Some(next)
        })
    }
}

compare_in_preorder!(Stmt);
compare_in_preorder!(Protocol);

impl Drop for Stmt {
    fn drop(&mut self) {
        match self {
            Stmt::Skip | Stmt::Sync { .. } | Stmt::Write { .. } => {}
            Stmt::Read { body, .. } | Stmt::Atomic { body, .. } | Stmt::For { body, .. } => {
                release(body, Stmt::Skip);
            }
            Stmt::Seq(b, c) | Stmt::If { then: b, otherwise: c, .. } => {
                release(b, Stmt::Skip);
                release(c, Stmt::Skip);
            }
        }
    }
}

impl Drop for Protocol {
    fn drop(&mut self) {
        match self {
            Protocol::Skip | Protocol::Sync { .. } | Protocol::Access { .. } => {}
            Protocol::For { body, .. } | Protocol::Any { body, .. } => {
                release(body, Protocol::Skip);
            }
            Protocol::Seq(p, q) | Protocol::If { then: p, otherwise: q, .. } => {
                release(p, Protocol::Skip);
                release(q, Protocol::Skip);
            }
        }
    }
}
