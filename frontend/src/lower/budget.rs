//! How much work a translation may be.

use super::{At, Lowered, refuse};
use crate::unit::MAX_DEPTH;

/// A kernel may ask for at most this many statements to be translated, counting every copy that
/// inlining, unrolling and solving loops make.
const MAX_WORK: usize = 60_000;

/// What was translated so far, and how deep that which is translated now is nested.
#[derive(Debug)]
pub(super) struct Budget {
    work: usize,
    depth: usize,
    /// How much there may be of that which is translated now.
    limit: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { work: 0, depth: 0, limit: MAX_WORK }
    }
}

impl Budget {
    /// Counts one unit of work at `at` and one level of nesting, until [`Budget::leave`].
    pub(super) fn enter(&mut self, at: At) -> Lowered<()> {
        self.work += 1;
        if self.work > self.limit {
            return refuse(
                at,
                format_args!(
                    "a kernel of more than {MAX_WORK} statements, after inlining and unrolling; \
                     no option allows more"
                ),
            );
        }
        if self.depth > MAX_DEPTH {
            return refuse(at, format_args!("nesting of more than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Is there no more?
    pub(super) fn is_spent(&self) -> bool {
        self.work > MAX_WORK
    }

    /// Leaves half of what is left for what is done should the next fail. Answers what [`Budget::unlimit`] restores.
    pub(super) fn halve(&mut self) -> usize {
        let around = self.limit;
        self.limit -= around.saturating_sub(self.work) / 2;
        around
    }

    /// Ends what [`Budget::halve`] began.
    pub(super) fn unlimit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Ends a level of nesting.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}
