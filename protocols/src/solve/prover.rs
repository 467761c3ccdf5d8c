//! Facts for splitting, by solver.

use super::bounds::Bounds;
use super::path::steps_of;
use super::world::{Threads, World};
use crate::split::{Binder, ByRanges, Prove};
use babycuda_core::budget::Exhausted;
use babycuda_core::{Bool, Budget, Declarations, Name};
use babycuda_smt::{Answer, QueryLimits, Solver};
use std::collections::BTreeSet;

/// Proves by intervals, and where they do not suffice by solver.
pub(super) struct BySolver<'a> {
    pub ranges: ByRanges,
    pub declarations: &'a Declarations,
    pub mentioned: &'a BTreeSet<Name>,
    pub solver: &'a dyn Solver,
    pub limits: &'a QueryLimits,
    pub budget: Budget,
}

impl Prove for BySolver<'_> {
    fn holds(&mut self, context: &[Binder], condition: &Bool) -> bool {
        if self.ranges.holds(context, condition) {
            return true;
        }
        self.refuted(context, condition).unwrap_or(false)
    }

    fn check(&self) -> Result<(), Exhausted> {
        self.budget.check()
    }
}

impl BySolver<'_> {
    /// Is there no thread for which the context holds and the condition does not?
    fn refuted(&self, context: &[Binder], condition: &Bool) -> Option<bool> {
        let mut world = World::new(
            self.declarations,
            self.mentioned,
            &BTreeSet::new(),
            Bounds::ALL,
            Threads::One,
        )
        .ok()?;
        let locals = world.walk(&steps_of(context), 0).ok()?;
        let term = world.bool(condition, 0, &locals).ok()?.not().ok()?;
        world.query.assert(&term).ok()?;
        if world.is_refuted() {
            return Some(true);
        }
        let time = self.budget.at_most(self.limits.time);
        let limits = QueryLimits { time, ..self.limits.clone() };
        Some(self.solver.check(&world.query, &limits) == Answer::Unsat)
    }
}
