//! Unrolling: exact for loops whose condition has a known value every time.

use super::Syntax;
use crate::error::{Lowered, refuse};
use crate::lower::Lower;
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
        let result = self.rounds(syntax, MAX_ROUNDS);
        if result.is_ok() {
            self.values.truncate(values.len());
            self.variables.truncate(values.len());
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
    fn rounds(&mut self, syntax: Syntax<'t>, left: usize) -> Lowered<()> {
        self.iteration(
            syntax,
            &|_, condition| match condition {
                Bool::Lit(true) if left == 0 => {
                    refuse(syntax.node, "loop with this many iterations to unroll")
                }
                Bool::Lit(_) => Ok(condition),
                _ => refuse(syntax.node, "loop whose number of iterations is not known"),
            },
            &|s| s.rounds(syntax, left - 1),
        )
    }
}
