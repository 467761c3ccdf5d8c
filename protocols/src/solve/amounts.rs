//! How much updates add, at most.
//!
//! Of additions to a cell something is known while the sum of all fits into the cell (THEORY T13).
//! Where intervals do not bound an operand by its share of that, guards and assumptions may.

use super::bounds::Bounds;
use super::counters::Updates;
use super::driver::Driver;
use super::path::{Path, paths};
use super::quantity::{Int, power};
use super::world::{Threads, World};
use crate::split::unique_binders;
use babycuda_core::syntax::{AtomicOp, Domain};
use babycuda_core::{AccessMode, Site};
use babycuda_smt::{Answer, Interval};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Driver<'_> {
    /// Asks of each operand that may be more than its share whether it ever is.
    pub(super) fn bound_operands(&mut self) {
        let protocol = unique_binders(self.protocol);
        let mut sites: BTreeMap<Site, Vec<Path>> = BTreeMap::new();
        for path in paths(&protocol, Vec::new(), self.declarations) {
            if path.mode == AccessMode::Rd && self.declarations.updates.contains_key(&path.site) {
                sites.entry(path.site).or_default().push(path);
            }
        }
        for (site, operands) in sites {
            let Ok(world) = self.world(Threads::One, Bounds::ALL) else { return };
            let Some(share) = self.updates.share(site, &world) else { continue };
            if operands.iter().all(|operand| self.is_at_most(operand, &share))
                && let Some(updates) = Rc::get_mut(&mut self.updates)
            {
                updates.bound(site, &share);
            }
        }
    }

    /// Is an operand at most so much, whichever thread evaluates it?
    fn is_at_most(&mut self, operand: &Path, most: &BigInt) -> bool {
        let more = |world: &mut World| {
            let locals = world.walk(&operand.steps, 0)?;
            let operand = world.num(&operand.index, 0, &locals)?.natural;
            world.query.assert(&Int::literal(most.clone()).less(&operand)?)?;
            Ok(())
        };
        matches!(self.ask(Threads::One, Bounds::ALL, &more), Ok(Answer::Unsat))
    }
}

impl Updates<'_> {
    /// What each addition of a run may add to the cell of this site for the sum of all to fit, where
    /// intervals do not show that it adds no more.
    fn share(&self, site: Site, world: &World) -> Option<BigInt> {
        let update = self.known.get(&site)?;
        let mut made = self.run.updates(site);
        let (array, across) = self.array(&made.next()?.array)?;
        let (AtomicOp::Add(_), Domain::Machine(t)) = (update.op, array.element) else {
            return None;
        };
        let all = self.run.0.iter().filter(|a| a.array == array.name);
        let times = all.map(|a| a.times.clone()).sum::<Option<BigInt>>()?;
        let count = times * self.threads(across, world)?;
        let share = Some(count).filter(|n| !n.is_zero()).map(|n| power(t.width.bits()) / n)?;
        update.operand.upper.as_ref().is_none_or(|most| *most > share).then_some(share)
    }

    /// Notes that the operand of a site is at most this.
    fn bound(&mut self, site: Site, most: &BigInt) {
        if let Some(update) = self.known.get_mut(&site) {
            update.operand = update.operand.meet(&Interval::at_most(most.clone()));
        }
    }
}
