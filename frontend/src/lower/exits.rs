//! `return`, `break` and `continue`: each sets a flag, and the statements that follow are guarded
//! by it. A barrier below such a guard shows as what it is, a barrier that some threads skip.

use super::{Lower, Variable};
use crate::arith::{and, not};
use crate::ctype::CType;
use crate::error::Lowered;
use crate::value::{Value, VarId};
use babycuda_core::Bool;
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// A new local variable.
    pub(super) fn variable(&mut self, name: &str, ctype: CType, value: Value) -> VarId {
        self.variables.push(Variable { name: name.to_owned(), ctype });
        self.values.push(value);
        self.variables.len() - 1
    }

    /// Gives the variables that there are values for what they held, and drops the others.
    pub(super) fn restore(&mut self, values: Vec<Value>) {
        self.variables.truncate(values.len());
        self.values = values;
    }

    /// A new flag, not raised.
    pub(super) fn flag(&mut self, name: &str) -> VarId {
        self.variable(name, CType::Bool, Value::Bool(Bool::Lit(false)))
    }

    /// Raises a flag.
    pub(super) fn raise(&mut self, flag: VarId) {
        self.values[flag] = Value::Bool(Bool::Lit(true));
    }

    /// The condition under which a flag is not raised.
    pub(super) fn lowered_flag(&self, flag: VarId) -> Bool {
        match &self.values[flag] {
            Value::Bool(c) => not(c.clone()),
            // Flags are never anything else.
            _ => Bool::Lit(true),
        }
    }

    /// The flags that stop the statements of the current function.
    pub(super) fn flags(&self) -> Vec<VarId> {
        self.frames.last().map(|f| f.flags.clone()).unwrap_or_default()
    }

    /// The condition under which the next statement runs: no flag is raised.
    pub(super) fn active(&self) -> Bool {
        self.flags().into_iter().map(|f| self.lowered_flag(f)).fold(Bool::Lit(true), and)
    }

    /// Statements in sequence, each under the condition that those before it did not leave.
    pub(super) fn statements(&mut self, list: &[Node<'t>]) -> Lowered<()> {
        for (i, node) in list.iter().enumerate() {
            self.statement(*node)?;
            let rest = &list[i + 1..];
            match self.active() {
                Bool::Lit(true) => {}
                Bool::Lit(false) => return Ok(()),
                active => return self.under(active, &|s| s.statements(rest), *node),
            }
        }
        Ok(())
    }

    /// Runs `rest` under the condition that no flag is raised.
    pub(super) fn under(
        &mut self,
        active: Bool,
        rest: super::branch::Side<'_, 't>,
        node: Node<'t>,
    ) -> Lowered<()> {
        let flags = self.flags();
        let guarded: super::branch::Side<'_, 't> = &|s| {
            for flag in &flags {
                s.values[*flag] = Value::Bool(Bool::Lit(false));
            }
            rest(s)
        };
        self.branch(active, guarded, &|_| Ok(()), node)
    }

    /// Runs `f` with a flag in force.
    pub(super) fn with_flag<T>(&mut self, flag: VarId, f: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(frame) = self.frames.last_mut() {
            frame.flags.push(flag);
        }
        let result = f(self);
        if let Some(frame) = self.frames.last_mut() {
            frame.flags.pop();
        }
        result
    }
}
