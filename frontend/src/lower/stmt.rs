//! Statements.

use super::{Lower, Lowered, Otherwise, refuse};
use crate::value::Place;
use babycuda_core::Bool;
use babycuda_kernel::{Stmt, StmtKind};

/// Why a thread goes no further where a statement is refused.
pub(super) const NEXT: &str = "what comes next is not known";

impl<'t> Lower<'t> {
    pub(super) fn statement(&mut self, stmt: &'t Stmt) -> Lowered<()> {
        let whole = |s: &mut Self| {
            s.nested(stmt.at, |s| s.statement_of(stmt))?;
            s.take_break();
            Ok(())
        };
        if self.otherwise != Otherwise::Halts {
            return whole(self);
        }
        match self.attempt(whole) {
            Err(_) if !self.budget.is_spent() => {
                self.halt(Bool::Lit(true), NEXT, stmt.at);
                Ok(())
            }
            result => result,
        }
    }

    fn statement_of(&mut self, stmt: &'t Stmt) -> Lowered<()> {
        let at = stmt.at;
        match &stmt.kind {
            StmtKind::Block(list) => self.statements(list),
            StmtKind::Declare(v, initial) => self.declaration(*v, initial.as_ref(), at),
            StmtKind::Expr(expr) => self.effects(expr),
            StmtKind::If(condition, then, otherwise) if self.is_not_taken(then) => {
                let leaves = self.condition(condition)?;
                self.goes_on(&crate::arith::not(leaves));
                otherwise.as_deref().map_or(Ok(()), |otherwise| self.statement(otherwise))
            }
            StmtKind::If(condition, then, Some(otherwise)) if self.is_not_taken(otherwise) => {
                let stays = self.condition(condition)?;
                self.goes_on(&stays);
                self.statement(then)
            }
            StmtKind::If(condition, then, otherwise) => self.branch_on(
                condition,
                &|s| s.statement(then),
                &|s| otherwise.as_deref().map_or(Ok(()), |otherwise| s.statement(otherwise)),
                at,
            ),
            StmtKind::Loop(parts) => self.loop_statement(parts, at),
            StmtKind::Switch(value, cases) => self.switch(value, cases),
            StmtKind::Return(value) => {
                let frame = self.env.frames.last().map(|f| (f.result.clone(), f.returned));
                let Some((result, returned)) = frame else {
                    return refuse(at, "return outside of a function");
                };
                if self.stays(returned) {
                    return Ok(());
                }
                if let Some(value) = value {
                    let value = self.eval(value)?;
                    match result {
                        Some(Place::Var(v)) => self.env[v] = value.whole(),
                        Some(object) => self.store(&object, value, at).map(|_| ())?,
                        None => {}
                    }
                }
                self.env.raise(returned);
                Ok(())
            }
            StmtKind::Break => self.leave_to("break", stmt),
            StmtKind::Continue => self.leave_to("continue", stmt),
            StmtKind::Unsupported(construct) => refuse(at, construct),
        }
    }

    /// The innermost flag of that name.
    pub(super) fn flag_of(&self, wanted: &str) -> Option<crate::value::VarId> {
        self.env.flags().iter().rev().find(|f| self.env.name(**f) == wanted).copied()
    }

    /// Raises the innermost flag of that name.
    fn leave_to(&mut self, wanted: &str, stmt: &Stmt) -> Lowered<()> {
        match self.flag_of(wanted) {
            Some(flag) => {
                if !self.stays(flag) {
                    self.env.raise(flag);
                }
                Ok(())
            }
            None => refuse(stmt.at, format!("`{wanted}` outside of a loop")),
        }
    }
}
