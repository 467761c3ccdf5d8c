//! Programs: without barriers (`Syntax.v`), with barriers anywhere (`Barriers.v`), and
//! synchronized ones (`Synchronized.v`).

use crate::Unsupported;
use crate::document::{Document, Sort, string};
use crate::expressions::{bool, num};
use crate::layout::Layout;
use babycuda_core::Stmt;
use babycuda_core::deep::grow;

/// What programs, protocols and accesses become, defined in a document.
pub(crate) struct Terms {
    pub(crate) document: Document,
    pub(crate) layout: Layout,
    /// Is there a barrier at the root of the derivation? Otherwise its code is one block.
    pub(crate) has_barriers: bool,
}

impl Terms {
    /// `b`, of type `prog`.
    pub(crate) fn program(&mut self, b: &Stmt) -> Result<String, Unsupported> {
        let term = match b {
            Stmt::Skip => "Skip".to_owned(),
            Stmt::Write { array, index, payload, .. } => {
                format!("Write {} {}", self.layout.index(array, index)?, num(payload))
            }
            Stmt::Read { var, array, index, body, .. } => {
                let body = grow(|| self.program(body))?;
                format!("Read {} {} {body}", string(var), self.layout.index(array, index)?)
            }
            Stmt::Seq(b, c) => {
                format!("Seq {} {}", grow(|| self.program(b))?, grow(|| self.program(c))?)
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let (then, otherwise) =
                    (grow(|| self.program(then))?, grow(|| self.program(otherwise))?);
                format!("If {} {then} {otherwise}", bool(condition))
            }
            Stmt::For { var, lower, upper, body, .. } => {
                let body = grow(|| self.program(body))?;
                format!("For {} {} {} {body}", string(var), num(lower), num(upper))
            }
            Stmt::Atomic { site, .. } => return Err(Unsupported::Atomic { site: Some(*site) }),
            Stmt::Sync { site } => return Err(Unsupported::Barrier { site: *site }),
        };
        Ok(self.document.term(Sort::Program, term))
    }

    /// `k`, of type `kprog`. Code without barriers is a block.
    ///
    /// A sequence is never one, unless there is no barrier at all: what is left of `sync; b`
    /// behind the barrier is the sequence of two blocks `skip` and `b`.
    pub(crate) fn code(&mut self, k: &Stmt) -> Result<String, Unsupported> {
        let term = match k {
            _ if self.is_block(k) => format!("KBlock {}", self.program(k)?),
            Stmt::Sync { site } => format!("KSync {}", site.0),
            Stmt::Seq(k, l) => {
                format!("KSeq {} {}", grow(|| self.code(k))?, grow(|| self.code(l))?)
            }
            Stmt::Read { var, array, index, body, .. } => {
                let body = grow(|| self.code(body))?;
                format!("KRead {} {} {body}", string(var), self.layout.index(array, index)?)
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let (then, otherwise) = (grow(|| self.code(then))?, grow(|| self.code(otherwise))?);
                format!("KIf {} {then} {otherwise}", bool(condition))
            }
            Stmt::For { var, lower, upper, body, .. } => {
                let body = grow(|| self.code(body))?;
                format!("KFor {} {} {} {body}", string(var), num(lower), num(upper))
            }
            Stmt::Atomic { site, .. } => return Err(Unsupported::Atomic { site: Some(*site) }),
            // Without barriers, hence blocks.
            Stmt::Skip | Stmt::Write { .. } => format!("KBlock {}", self.program(k)?),
        };
        Ok(self.document.term(Sort::Code, term))
    }

    /// Is `k` a `KBlock`?
    pub(crate) fn is_block(&self, k: &Stmt) -> bool {
        let is_sequence = matches!(k, Stmt::Seq(..));
        !k.has_sync() && (!is_sequence || !self.has_barriers)
    }

    /// `s`, of type `sprog`.
    pub(crate) fn synchronized(&mut self, s: &Stmt) -> Result<String, Unsupported> {
        let term = match s {
            _ if !s.has_sync() => format!("Block {}", self.program(s)?),
            Stmt::Sync { .. } => "Sync".to_owned(),
            Stmt::Seq(s, t) => {
                format!(
                    "SSeq {} {}",
                    grow(|| self.synchronized(s))?,
                    grow(|| self.synchronized(t))?
                )
            }
            Stmt::For { var, lower, upper, body, .. } => {
                let body = grow(|| self.synchronized(body))?;
                format!("SFor {} {} {} {body}", string(var), num(lower), num(upper))
            }
            Stmt::Atomic { site, .. } => return Err(Unsupported::Atomic { site: Some(*site) }),
            Stmt::If { site, .. } | Stmt::Read { site, .. } => {
                return Err(Unsupported::Unstratified { site: *site });
            }
            // Without barriers, hence blocks.
            Stmt::Skip | Stmt::Write { .. } => format!("Block {}", self.program(s)?),
        };
        Ok(self.document.term(Sort::Synchronized, term))
    }
}
