//! Protocols.

use super::Printer;
use super::name::Spelled;
use crate::history::AccessMode;
use crate::syntax::{BarrierScope, DEFAULT_ARRAY, Protocol};
use std::fmt;

impl Printer<'_, '_> {
    pub(super) fn protocol(&mut self, mut p: &Protocol) -> fmt::Result {
        loop {
            match p {
                Protocol::Seq(first, rest) => {
                    match **first {
                        // Bare, these would reach beyond the `;`.
                        Protocol::Seq(..) | Protocol::Input { .. } => {
                            self.braces(|printer| printer.protocol(first))?;
                        }
                        _ => self.single_protocol(first)?,
                    }
                    self.out.write_str(";")?;
                    p = rest;
                }
                Protocol::Input { site, var, array, index, body } => {
                    self.site(*site)?;
                    write!(
                        self.out,
                        "let {} = input {}[{index}] in",
                        Spelled(var),
                        Spelled(array)
                    )?;
                    p = body;
                }
                _ => return self.single_protocol(p),
            }
            self.separate()?;
        }
    }

    /// A protocol that ends by itself.
    fn single_protocol(&mut self, p: &Protocol) -> fmt::Result {
        match p {
            Protocol::Skip => self.out.write_str("skip"),
            Protocol::Sync { site, scope: BarrierScope::Block } => {
                self.site(*site)?;
                self.out.write_str("sync")
            }
            Protocol::Sync { site, scope } => {
                self.site(*site)?;
                write!(self.out, "sync.{scope}")
            }
            Protocol::Access { site, mode, array, index } => {
                self.site(*site)?;
                self.out.write_str(mode.keyword())?;
                if let AccessMode::At(scope) = mode {
                    self.out.write_str(scope.suffix())?;
                }
                if array.as_str() != DEFAULT_ARRAY {
                    write!(self.out, " {}", Spelled(array))?;
                }
                write!(self.out, "[{index}]")
            }
            Protocol::If { site, condition, then, otherwise } => {
                self.site(*site)?;
                self.branch(condition, |p| p.protocol(then), |p| p.protocol(otherwise))
            }
            Protocol::For { site, sort, var, lower, upper, body } => {
                self.site(*site)?;
                self.repetition(*sort, var, (lower, upper), |p| p.protocol(body))
            }
            Protocol::Any { site, var, domain, body } => {
                self.site(*site)?;
                write!(self.out, "any {}", Spelled(var))?;
                if let Some(t) = domain {
                    write!(self.out, ": {t}")?;
                }
                self.out.write_str(" ")?;
                self.braces(|p| p.protocol(body))
            }
            Protocol::Seq(..) | Protocol::Input { .. } => {
                self.braces(|printer| printer.protocol(p))
            }
        }
    }
}
