//! Unrolling: exact for loops whose condition has a known value every time. Of a loop that is not translated, the first
//! iteration is known.

use super::Syntax;
use crate::lower::branch::Side;
use crate::lower::stmt::NEXT;
use crate::lower::{Lower, Lowered, refuse};
use babycuda_core::Bool;

/// A loop is unrolled at most this many times.
const MAX_ROUNDS: usize = 128;

impl<'t> Lower<'t> {
    /// Unrolls the loop, or changes nothing and answers `false`.
    pub(super) fn unrolled(&mut self, syntax: Syntax<'t>) -> bool {
        let variables = self.env.values().len();
        let limit = self.budget.halve();
        let done = self.attempt(|s| s.rounds(syntax, MAX_ROUNDS)).is_ok();
        self.budget.unlimit(limit);
        self.env.truncate(variables);
        done
    }

    /// The first iteration of a loop that is refused, behind which a thread goes no further; or changes nothing and
    /// answers `false`.
    pub(super) fn once(&mut self, syntax: Syntax<'t>) -> bool {
        let variables = self.env.values().len();
        let limit = self.budget.halve();
        let stop: Side<'_, 't> = &|s| {
            s.halt(Bool::Lit(true), NEXT, syntax.at);
            Ok(())
        };
        let done = self.attempt(|s| s.iteration(syntax, &|_, condition| Ok(condition), stop));
        self.budget.unlimit(limit);
        self.env.truncate(variables);
        done.is_ok()
    }

    /// The iterations from here on, at most `left`.
    fn rounds(&mut self, syntax: Syntax<'t>, left: usize) -> Lowered<()> {
        self.iteration(
            syntax,
            &|_, condition| match condition {
                Bool::Lit(true) if left == 0 => refuse(
                    syntax.at,
                    format_args!("loop of more than {MAX_ROUNDS} iterations to unroll"),
                ),
                Bool::Lit(_) => Ok(condition),
                _ => refuse(syntax.at, "loop whose number of iterations is not known"),
            },
            &|s| s.rounds(syntax, left - 1),
        )
    }
}
