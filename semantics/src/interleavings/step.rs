//! One thread: what it does next, and what is left of it then.

use super::explore::TooLarge;
use babycuda_core::syntax::{AtomicUpdate, BarrierScope};
use babycuda_core::{AccessMode, Cell, Name, Natural, Num, Site, Stmt};
use std::sync::Arc;

/// What a thread has left to run, the next statement last.
pub type Rest = Vec<Arc<Stmt>>;

/// What a thread does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Writes the value to the cell.
    Write(Cell, Natural),
    /// Reads the cell; the variable stands for its value in the statement, which is next.
    Read(Cell, Name, Arc<Stmt>),
    /// Updates the cell; the variable stands for its value before that.
    Atomic(Cell, AccessMode, AtomicUpdate<Natural>, Name, Arc<Stmt>),
    /// Waits there, for the group of this scope.
    Barrier(Site, BarrierScope),
    /// Nothing any more.
    End,
}

impl Next {
    /// The cell it accesses and how, unless it accesses none.
    pub fn access(&self) -> Option<(AccessMode, &Cell)> {
        match self {
            Next::Write(cell, _) => Some((AccessMode::Wr, cell)),
            Next::Read(cell, ..) => Some((AccessMode::Rd, cell)),
            Next::Atomic(cell, mode, ..) => Some((*mode, cell)),
            Next::Barrier(..) | Next::End => None,
        }
    }
}

/// The thread after its silent steps: what it does next, and what is left after that.
///
/// # Errors
/// [`TooLarge`]: more than `fuel` silent steps, or a free variable.
pub fn advance(rest: Rest, fuel: &mut u64) -> Result<(Next, Rest), TooLarge> {
    let (next, rest, _) = located(rest, fuel)?;
    Ok((next, rest))
}

/// The same, and the statement of what it does next.
pub(super) fn located(
    mut rest: Rest,
    fuel: &mut u64,
) -> Result<(Next, Rest, Option<Site>), TooLarge> {
    while let Some(statement) = rest.pop() {
        *fuel = fuel.checked_sub(1).ok_or(TooLarge::Steps)?;
        match &*statement {
            Stmt::Skip => {}
            Stmt::Seq(first, second) => {
                rest.push(second.clone());
                rest.push(first.clone());
            }
            Stmt::If { condition, then, otherwise, .. } => {
                rest.push(if condition.value()? { then.clone() } else { otherwise.clone() });
            }
            Stmt::For { site, sort, var, lower, upper, body } => {
                let (j, k) = (lower.value()?, upper.value()?);
                if j < k {
                    rest.push(Arc::new(Stmt::For {
                        site: *site,
                        sort: *sort,
                        var: var.clone(),
                        lower: Num::Lit(j.successor()),
                        upper: Num::Lit(k),
                        body: body.clone(),
                    }));
                    rest.push(Arc::new(body.subst_value(var, &j)));
                }
            }
            Stmt::Write { site, array, index, payload } => {
                let cell = Cell::new(array.clone(), index.value()?);
                return Ok((Next::Write(cell, payload.value()?), rest, Some(*site)));
            }
            Stmt::Read { site, var, array, index, body } => {
                let cell = Cell::new(array.clone(), index.value()?);
                return Ok((Next::Read(cell, var.clone(), body.clone()), rest, Some(*site)));
            }
            Stmt::Atomic { site, var, array, index, update, scope, body } => {
                let cell = Cell::new(array.clone(), index.value()?);
                let expected = update.expected.as_ref().map(Num::value).transpose()?;
                let update =
                    AtomicUpdate { op: update.op, operand: update.operand.value()?, expected };
                let mode = AccessMode::At(*scope);
                let next = Next::Atomic(cell, mode, update, var.clone(), body.clone());
                return Ok((next, rest, Some(*site)));
            }
            Stmt::Sync { site, scope } => {
                return Ok((Next::Barrier(*site, *scope), rest, Some(*site)));
            }
        }
    }
    Ok((Next::End, rest, None))
}
