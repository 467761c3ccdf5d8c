//! `return`, `break` and `continue`: each sets a flag, and the statements that follow are guarded
//! by it. A barrier below such a guard shows as what it is, a barrier that some threads skip.

use super::branch::Side;
use super::{At, Lower, Lowered};
use crate::value::VarId;
use babycuda_core::Bool;
use babycuda_kernel::Stmt;

impl<'t> Lower<'t> {
    /// Statements in sequence, each under the condition that those before it did not leave.
    pub(super) fn statements(&mut self, list: &'t [Stmt]) -> Lowered<()> {
        for (i, stmt) in list.iter().enumerate() {
            self.statement(stmt)?;
            let rest = &list[i + 1..];
            match self.env.active() {
                Bool::Lit(true) => {}
                Bool::Lit(false) => return Ok(()),
                active => return self.under(active, &|s| s.statements(rest), stmt.at),
            }
        }
        Ok(())
    }

    /// Runs `rest` under the condition that no flag is raised.
    pub(super) fn under(&mut self, active: Bool, rest: Side<'_, 't>, at: At) -> Lowered<()> {
        let flags = self.env.flags().to_vec();
        let guarded: Side<'_, 't> = &|s| {
            s.env.lower(&flags);
            rest(s)
        };
        self.branch(active, guarded, &|_| Ok(()), at)
    }

    /// Runs `f` with a flag in force.
    pub(super) fn with_flag<T>(&mut self, flag: VarId, f: impl FnOnce(&mut Self) -> T) -> T {
        self.env.push_flag(flag);
        let result = f(self);
        self.env.pop_flag();
        result
    }
}
