//! Programs (`Syntax.v`).

use crate::Unsupported;
use crate::document::{Document, Sort, string};
use crate::expressions::{bool, num};
use babycuda_core::Stmt;
use babycuda_core::deep::grow;
use babycuda_core::syntax::BarrierScope;

/// What programs, protocols and accesses become, defined in a document.
#[derive(Default)]
pub(crate) struct Terms {
    pub(crate) document: Document,
}

impl Terms {
    /// `b`, of type `prog`.
    pub(crate) fn program(&mut self, b: &Stmt) -> Result<String, Unsupported> {
        let term = match b {
            Stmt::Skip => "Skip".to_owned(),
            Stmt::Write { array, index, payload, .. } => {
                format!("Write {} {} {}", string(array), num(index), num(payload))
            }
            Stmt::Read { var, array, index, body, .. } => {
                let body = grow(|| self.program(body))?;
                format!("Read {} {} {} {body}", string(var), string(array), num(index))
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
            Stmt::Sync { site, scope: BarrierScope::Block } => format!("Sync {}", site.0),
            Stmt::Sync { site, .. } => return Err(Unsupported::Scope { site: *site }),
        };
        Ok(self.document.term(Sort::Program, term))
    }
}
