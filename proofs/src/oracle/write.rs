//! The terms of the calculus as text: one function a nonterminal of the grammar in
//! `proofs/oracle/README.md`.

use super::request::Uncovered;
use super::sexp::{Sexp, list, node, word};
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp};
use babycuda_core::syntax::{BarrierScope, ForSort};
use babycuda_core::{
    Access, AccessMode, Accesses, Bool, Cell, History, HostMemory, Name, Num, NumOp, Phase,
    Protocol, Stmt,
};

pub(super) type Written = Result<Sexp, Uncovered>;

/// `(item …)`
pub(super) fn all(items: impl IntoIterator<Item = Written>) -> Written {
    items.into_iter().collect::<Result<_, _>>().map(Sexp::List)
}

pub(super) fn names<'a>(names: impl IntoIterator<Item = &'a Name>) -> Sexp {
    list(names.into_iter().map(name))
}

/// `{0, …, n-1}`
pub(super) fn threads(n: u32) -> Sexp {
    list((0..n).map(word))
}

fn name(x: &Name) -> Sexp {
    Sexp::Name(x.to_string())
}

fn n(num: &Num) -> Sexp {
    grow(|| match num {
        Num::Var(x) => name(x),
        Num::Lit(k) => word(k),
        Num::Binary(op, l, r) => node(&operator(*op), [n(l), n(r)]),
        Num::Cast(from, to, m) => node("cast", [word(from), word(to), n(m)]),
        Num::Select(condition, l, r) => node("select", [c(condition), n(l), n(r)]),
    })
}

fn c(condition: &Bool) -> Sexp {
    grow(|| match condition {
        Bool::Lit(truth) => word(truth),
        Bool::Compare(op, l, r) => {
            let sort = op.machine.map_or("nat".to_owned(), |t| t.to_string());
            node(&format!("{}.{sort}", op.relation.mnemonic()), [n(l), n(r)])
        }
        Bool::Connective(BoolOp::And, l, r) => node("and", [c(l), c(r)]),
        Bool::Connective(BoolOp::Or, l, r) => node("or", [c(l), c(r)]),
        Bool::Not(inner) => node("not", [c(inner)]),
    })
}

fn operator(op: NumOp) -> String {
    match op {
        NumOp::Natural(op) => format!("{}.nat", arithmetic(op)),
        NumOp::Machine(op, t) => format!("{}.{t}", op.mnemonic()),
    }
}

pub(super) fn arithmetic(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "add",
        ArithOp::Sub => "sub",
        ArithOp::Mul => "mul",
        ArithOp::Div => "div",
        ArithOp::Mod => "rem",
        ArithOp::Min => "min",
        ArithOp::Max => "max",
    }
}

/// Writes terms about one array.
pub(super) struct Writer<'a> {
    pub array: &'a Name,
}

impl Writer<'_> {
    fn of_array(&self, array: &Name) -> Result<(), Uncovered> {
        if array == self.array { Ok(()) } else { Err(Uncovered::Array(array.clone())) }
    }

    pub fn cell(&self, cell: &Cell) -> Written {
        self.of_array(&cell.array)?;
        Ok(word(&cell.index))
    }

    /// A program without barriers.
    pub fn b(&self, b: &Stmt) -> Written {
        self.program(b, &|part| self.b(part))
    }

    /// A synchronized program.
    pub fn s(&self, s: &Stmt) -> Written {
        match s {
            Stmt::Sync { scope: BarrierScope::Block, .. } => Ok(word("sync")),
            Stmt::For { sort: ForSort::S, .. } => self.program(s, &|part| self.s(part)),
            Stmt::Seq(..) if s.has_sync() => self.program(s, &|part| self.s(part)),
            b => Ok(node("block", [self.b(b)?])),
        }
    }

    /// A program with barriers anywhere.
    pub fn k(&self, k: &Stmt) -> Written {
        match k {
            k if !k.has_sync() => Ok(node("block", [self.b(k)?])),
            Stmt::Sync { site, scope: BarrierScope::Block } => Ok(node("sync", [word(site.0)])),
            k => self.program(k, &|part| self.k(part)),
        }
    }

    /// A program whose parts are written so.
    fn program(&self, b: &Stmt, part: &dyn Fn(&Stmt) -> Written) -> Written {
        let part = |b| grow(|| part(b));
        Ok(match b {
            Stmt::Skip => word("skip"),
            Stmt::Write { array, index, payload, .. } => {
                self.of_array(array)?;
                node("write", [n(index), n(payload)])
            }
            Stmt::Read { var, array, index, body, .. } => {
                self.of_array(array)?;
                node("let", [name(var), n(index), part(body)?])
            }
            Stmt::Seq(first, second) => node("seq", [part(first)?, part(second)?]),
            Stmt::If { condition, then, otherwise, .. } => {
                node("if", [c(condition), part(then)?, part(otherwise)?])
            }
            Stmt::For { var, lower, upper, body, .. } => {
                node("for", [name(var), n(lower), n(upper), part(body)?])
            }
            Stmt::Atomic { site, .. } => return Err(Uncovered::Atomic(*site)),
            Stmt::Sync { site, scope: BarrierScope::Block } => {
                return Err(Uncovered::Barrier(*site));
            }
            Stmt::Sync { site, .. } => return Err(Uncovered::Scope(*site)),
        })
    }

    /// An unsynchronized protocol.
    pub fn u(&self, u: &Protocol) -> Written {
        self.protocol(u, &|part| self.u(part))
    }

    /// A synchronized protocol.
    pub fn p(&self, p: &Protocol) -> Written {
        match p {
            Protocol::Sync { scope: BarrierScope::Block, .. } => Ok(word("sync")),
            Protocol::For { sort: ForSort::S, .. } => self.protocol(p, &|part| self.p(part)),
            Protocol::Seq(..) if p.has_sync() => self.protocol(p, &|part| self.p(part)),
            u => Ok(node("block", [self.u(u)?])),
        }
    }

    /// A protocol whose parts are written so.
    fn protocol(&self, u: &Protocol, part: &dyn Fn(&Protocol) -> Written) -> Written {
        let part = |u| grow(|| part(u));
        Ok(match u {
            Protocol::Skip => word("skip"),
            Protocol::Access { mode, array, index, site } => {
                self.of_array(array)?;
                if let AccessMode::At(_) = mode {
                    return Err(Uncovered::Atomic(*site));
                }
                node(mode.keyword(), [n(index)])
            }
            Protocol::Seq(first, second) => node("seq", [part(first)?, part(second)?]),
            Protocol::If { condition, then, otherwise, .. } => {
                node("if", [c(condition), part(then)?, part(otherwise)?])
            }
            Protocol::For { var, lower, upper, body, .. } => {
                node("for", [name(var), n(lower), n(upper), part(body)?])
            }
            Protocol::Sync { site, scope: BarrierScope::Block } => {
                return Err(Uncovered::Barrier(*site));
            }
            Protocol::Sync { site, .. } => return Err(Uncovered::Scope(*site)),
            Protocol::Input { site, .. } => return Err(Uncovered::Input(*site)),
            Protocol::Any { site, .. } => return Err(Uncovered::Any(*site)),
        })
    }

    /// `(R, W)`
    pub fn accesses(&self, accesses: &Accesses) -> Written {
        if let Some(cell) = accesses.atomics.keys().next() {
            return Err(Uncovered::AtomicAccess(cell.clone()));
        }
        let reads = all(accesses.reads.iter().map(|cell| self.cell(cell)))?;
        let write = |(cell, value)| Ok(list([self.cell(cell)?, word(value)]));
        Ok(list([reads, all(accesses.writes.iter().map(write))?]))
    }

    pub fn phase(&self, phase: &Phase) -> Written {
        all(phase.threads().map(|(i, accesses)| Ok(list([word(i), self.accesses(accesses)?]))))
    }

    /// The phases, newest first, and what the host stored.
    pub fn history(&self, history: &History) -> Written {
        let host = std::iter::once_with(|| self.host(history.host()));
        all(history.newest_first().map(|phase| self.phase(phase)).chain(host))
    }

    fn host(&self, host: &HostMemory) -> Written {
        let mut written = Accesses::default();
        for (name, array) in host.arrays() {
            self.of_array(name)?;
            if array.fill.is_some() {
                return Err(Uncovered::Fill(name.clone()));
            }
            for (index, value) in &array.cells {
                written = written.write(Cell::new(name.clone(), index.clone()), value.clone());
            }
        }
        self.phase(&Phase::singleton(0, written))
    }

    pub fn access(&self, access: &Access) -> Written {
        if let AccessMode::At(_) = access.mode {
            return Err(Uncovered::AtomicAccess(access.cell.clone()));
        }
        Ok(list([word(access.thread), word(access.mode), self.cell(&access.cell)?]))
    }
}
