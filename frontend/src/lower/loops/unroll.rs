//! Unrolling: exact for loops whose condition has a known value every time.

use super::Syntax;
use crate::error::{Lowered, refuse};
use crate::lower::Lower;
use crate::value::Value;
use babycuda_core::Bool;

/// A loop is unrolled at most this many times.
const MAX_ROUNDS: usize = 128;

impl<'t> Lower<'t> {
    /// Unrolls the loop, or changes nothing and answers `false`.
    pub(super) fn unrolled(&mut self, syntax: Syntax<'t>) -> Lowered<bool> {
        let values = self.values.clone();
        let used = self.used.clone();
        let depth = self.depth;
        let items = self.blocks.last().map_or(0, Vec::len);
        let result = self.with_flag(syntax.broken, |s| {
            s.with_flag(syntax.continued, |s| s.rounds(syntax, MAX_ROUNDS))
        });
        if result.is_ok() {
            self.values.truncate(values.len());
            self.variables.truncate(values.len());
            self.values[syntax.broken] = Value::Bool(Bool::Lit(false));
            return Ok(true);
        }
        self.variables.truncate(values.len());
        self.values = values;
        self.restore_used(used);
        self.depth = depth;
        if let Some(block) = self.blocks.last_mut() {
            block.truncate(items);
        }
        Ok(false)
    }

    /// The iterations from here on, at most `left`.
    fn rounds(&mut self, syntax: Syntax<'t>, mut left: usize) -> Lowered<()> {
        loop {
            match self.loop_condition(syntax)? {
                Bool::Lit(false) => return Ok(()),
                Bool::Lit(true) => {}
                _ => return refuse(syntax.node, "loop whose number of iterations is not known"),
            }
            if left == 0 {
                return refuse(syntax.node, "loop with this many iterations to unroll");
            }
            left -= 1;
            self.body(syntax)?;
            match self.active() {
                Bool::Lit(true) => self.advance(syntax)?,
                Bool::Lit(false) => return Ok(()),
                active => {
                    return self.under(
                        active,
                        &|s| {
                            s.advance(syntax)?;
                            s.rounds(syntax, left)
                        },
                        syntax.node,
                    );
                }
            }
        }
    }

    /// The update of a `for` loop.
    fn advance(&mut self, syntax: Syntax<'t>) -> Lowered<()> {
        match syntax.update {
            Some(update) => self.eval(update).map(|_| ()),
            None => Ok(()),
        }
    }
}
