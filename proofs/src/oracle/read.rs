//! The text of the oracle as terms of the calculus: one function a nonterminal of the grammar in
//! `proofs/oracle/README.md`.

use super::sexp::Sexp;
use super::write::arithmetic;
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::syntax::ForSort;
use babycuda_core::{
    Access, AccessMode, Accesses, Bool, Cell, CompareOp, History, HostMemory, IntType, MachineOp,
    Name, Natural, Num, NumOp, Phase, Protocol, Site,
};
use std::sync::Arc;

/// A term; or what should be there, and what is.
pub(super) type Read<T> = Result<T, (&'static str, String)>;

pub(super) fn wrong<T>(expected: &'static str, found: &Sexp) -> Read<T> {
    Err((expected, found.to_string()))
}

/// `(item …)`
pub(super) fn each<T, All: FromIterator<T>>(
    s: &Sexp,
    item: impl FnMut(&Sexp) -> Read<T>,
) -> Read<All> {
    let Sexp::List(items) = s else { return wrong("a list", s) };
    items.iter().map(item).collect()
}

/// `(first second)`
pub(super) fn pair<T, U>(
    s: &Sexp,
    first: impl FnOnce(&Sexp) -> Read<T>,
    second: impl FnOnce(&Sexp) -> Read<U>,
) -> Read<(T, U)> {
    match s {
        Sexp::List(items) if let [a, b] = &items[..] => Ok((first(a)?, second(b)?)),
        _ => wrong("a pair", s),
    }
}

pub(super) fn number(s: &Sexp) -> Read<Natural> {
    match s {
        Sexp::Word(word) if word.bytes().all(|b| b.is_ascii_digit()) => {
            word.parse().or_else(|_| wrong("a number", s))
        }
        _ => wrong("a number", s),
    }
}

/// The number of a thread.
pub(super) fn thread(s: &Sexp) -> Read<u64> {
    number(s)?.to_u64().map_or_else(|| wrong("the number of a thread", s), Ok)
}

pub(super) fn site(s: &Sexp) -> Read<Site> {
    match number(s)?.to_u64().map(u32::try_from) {
        Some(Ok(site)) => Ok(Site(site)),
        _ => wrong("the number of a site", s),
    }
}

pub(super) fn mode(s: &Sexp) -> Read<AccessMode> {
    match s.view() {
        ("rd", []) => Ok(AccessMode::Rd),
        ("wr", []) => Ok(AccessMode::Wr),
        _ => wrong("rd or wr", s),
    }
}

fn name(s: &Sexp) -> Read<Name> {
    if let Sexp::Name(x) = s { Ok(Name::new(x)) } else { wrong("a name", s) }
}

fn int_type(s: &Sexp) -> Read<IntType> {
    s.view().0.parse().or_else(|_| wrong("a machine type", s))
}

fn n(s: &Sexp) -> Read<Num> {
    grow(|| match (s, s.view()) {
        (Sexp::Name(_), _) => name(s).map(Num::Var),
        (Sexp::Word(_), _) => number(s).map(Num::Lit),
        (_, ("cast", [from, to, m])) => Ok(Num::cast(int_type(from)?, int_type(to)?, n(m)?)),
        (_, ("select", [condition, l, r])) => Ok(Num::select(c(condition)?, n(l)?, n(r)?)),
        (_, (head, [l, r])) if let Some(op) = operator(head) => {
            Ok(Num::Binary(op, Arc::new(n(l)?), Arc::new(n(r)?)))
        }
        _ => wrong("an expression", s),
    })
}

fn c(s: &Sexp) -> Read<Bool> {
    grow(|| match s.view() {
        ("true", []) => Ok(Bool::Lit(true)),
        ("false", []) => Ok(Bool::Lit(false)),
        ("not", [inner]) => Ok(Bool::not(c(inner)?)),
        ("and", [l, r]) => Ok(Bool::connective(BoolOp::And, c(l)?, c(r)?)),
        ("or", [l, r]) => Ok(Bool::connective(BoolOp::Or, c(l)?, c(r)?)),
        (head, [l, r]) if let Some(op) = relation(head) => {
            Ok(Bool::Compare(op, Arc::new(n(l)?), Arc::new(n(r)?)))
        }
        _ => wrong("a condition", s),
    })
}

/// `OPERATOR.SORT`
fn operator(word: &str) -> Option<NumOp> {
    let (name, sort) = word.split_once('.')?;
    if sort == "nat" {
        return ArithOp::ALL.into_iter().find(|op| arithmetic(*op) == name).map(NumOp::Natural);
    }
    let op = MachineOp::ALL.into_iter().find(|op| op.mnemonic() == name)?;
    Some(NumOp::Machine(op, sort.parse().ok()?))
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

/// Reads terms about one array.
pub(super) struct Reader<'a> {
    pub array: &'a Name,
}

impl Reader<'_> {
    pub fn cell(&self, s: &Sexp) -> Read<Cell> {
        Ok(Cell { array: self.array.clone(), index: number(s)? })
    }

    /// An unsynchronized protocol.
    pub fn u(&self, s: &Sexp) -> Read<Protocol> {
        match s.view() {
            ("skip", []) => Ok(Protocol::Skip),
            ("rd", [index]) => Ok(Protocol::access(AccessMode::Rd, self.array.clone(), n(index)?)),
            ("wr", [index]) => Ok(Protocol::access(AccessMode::Wr, self.array.clone(), n(index)?)),
            _ => compound(s, ForSort::U, &|part| self.u(part)),
        }
    }

    /// A synchronized protocol.
    pub fn p(&self, s: &Sexp) -> Read<Protocol> {
        match s.view() {
            ("sync", []) => Ok(Protocol::sync()),
            ("block", [u]) => self.u(u),
            ("if", _) => wrong("a synchronized protocol", s),
            _ => compound(s, ForSort::S, &|part| self.p(part)),
        }
    }

    /// A protocol with barriers anywhere, its sites left out.
    pub fn q(&self, s: &Sexp) -> Read<Protocol> {
        match s.view() {
            ("sync", [place]) => site(place).map(|_| Protocol::sync()),
            ("block", [u]) => self.u(u),
            _ => compound(s, ForSort::S, &|part| self.q(part)),
        }
    }

    /// `(R, W)`
    pub fn accesses(&self, s: &Sexp) -> Read<Accesses> {
        let write = |s: &Sexp| pair(s, |s| self.cell(s), number);
        let (reads, writes) = pair(s, |s| each(s, |s| self.cell(s)), |s| each(s, write))?;
        Ok(Accesses { reads, writes, ..Accesses::default() })
    }

    fn phase(&self, s: &Sexp) -> Read<Phase> {
        each(s, |s| pair(s, thread, |s| self.accesses(s)))
    }

    /// Phases, newest first, the oldest of which is what the host stored.
    pub fn history(&self, s: &Sexp) -> Read<History> {
        let mut phases: Vec<Phase> = each(s, |s| self.phase(s))?;
        let Some(stored) = phases.pop() else {
            return wrong("a history of at least one phase", s);
        };
        let mut host = HostMemory::default();
        for (i, accesses) in stored.threads() {
            if i != 0 || !accesses.reads.is_empty() {
                return wrong("a history whose oldest phase only stores", s);
            }
            for (cell, value) in &accesses.writes {
                host.set(cell.clone(), value.clone());
            }
        }
        Ok(phases.into_iter().rev().fold(History::empty(host), |h, phase| h.push(phase)))
    }

    pub fn access(&self, s: &Sexp) -> Read<Access> {
        match s {
            Sexp::List(items) if let [i, o, j] = &items[..] => {
                Ok(Access { thread: thread(i)?, mode: mode(o)?, cell: self.cell(j)? })
            }
            _ => wrong("an access", s),
        }
    }
}

/// A sequence, branch or loop of protocols.
fn compound(s: &Sexp, sort: ForSort, part: &dyn Fn(&Sexp) -> Read<Protocol>) -> Read<Protocol> {
    let part = |s| grow(|| part(s));
    match s.view() {
        ("seq", [p, q]) => Ok(Protocol::Seq(Arc::new(part(p)?), Arc::new(part(q)?))),
        ("if", [condition, p, q]) => Ok(Protocol::branch(c(condition)?, part(p)?, part(q)?)),
        ("for", [x, lower, upper, p]) => {
            Ok(Protocol::repeat(sort, name(x)?, n(lower)?, n(upper)?, part(p)?))
        }
        _ => wrong("a protocol", s),
    }
}
