//! Protocols (`Syntax.v`).

use crate::Unsupported;
use crate::document::{Sort, string};
use crate::expressions::{bool, num};
use crate::programs::Terms;
use babycuda_core::deep::grow;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Protocol};

impl Terms {
    /// `u`, of type `protocol`.
    pub(crate) fn protocol(&mut self, u: &Protocol) -> Result<String, Unsupported> {
        let term = match u {
            Protocol::Skip => "USkip".to_owned(),
            Protocol::Access { site, mode, array, index } => {
                if matches!(mode, AccessMode::At(_)) {
                    return Err(Unsupported::Atomic { site: Some(*site) });
                }
                format!("UAccess {mode} {} {}", string(array), num(index))
            }
            Protocol::Seq(u, v) => {
                format!("USeq {} {}", grow(|| self.protocol(u))?, grow(|| self.protocol(v))?)
            }
            Protocol::If { condition, then, otherwise, .. } => {
                let (then, otherwise) =
                    (grow(|| self.protocol(then))?, grow(|| self.protocol(otherwise))?);
                format!("UIf {} {then} {otherwise}", bool(condition))
            }
            Protocol::For { var, lower, upper, body, .. } => {
                let body = grow(|| self.protocol(body))?;
                format!("UFor {} {} {} {body}", string(var), num(lower), num(upper))
            }
            Protocol::Sync { site, scope: BarrierScope::Block } => format!("USync {}", site.0),
            Protocol::Sync { site, .. } => return Err(Unsupported::Scope { site: *site }),
            Protocol::Input { var, array, index, body, .. } => {
                let body = grow(|| self.protocol(body))?;
                format!("UInput {} {} {} {body}", string(var), string(array), num(index))
            }
            Protocol::Any { site, .. } => return Err(Unsupported::Any { site: *site }),
        };
        Ok(self.document.term(Sort::Protocol, term))
    }
}
