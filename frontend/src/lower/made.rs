//! Is a barrier object what its threads take it for? It is made before they come to it, and not again: else it is not
//! defined what it orders.
//!
//! It is made for certain where thread 0 makes it, under conditions that hold for those that arrive, too. Threads that
//! arrive at one object meet wherever they stand, and at `__syncthreads` only where all stand at the same: an object at
//! several places is refused where it is the threads that choose the place.

use super::{Lower, Lowered, refuse};
use crate::arith::{lit, not};
use babycuda_core::deep::grow;
use babycuda_core::name::reserved::THREAD_IDX;
use babycuda_core::{Bool, Name, Site, Stmt, simplify};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a barrier object, up to some place in the statements.
struct Walk<'b> {
    /// The array that it is.
    barrier: &'b Name,
    /// The conditions that hold at the place.
    path: Vec<Bool>,
    in_loop: bool,
    /// What differs between threads.
    own: BTreeSet<Name>,
    /// Is it for threads to choose whether they come there?
    chosen: bool,
    /// It is made where these hold.
    made: Option<Vec<Bool>>,
    /// Where threads arrive, and do some choose that?
    arrivals: BTreeMap<Site, bool>,
}

impl Lower<'_> {
    /// Refuses a barrier object that may not be made, or is made again, or is one at places that threads choose.
    pub(super) fn barrier_is_made(&self, body: &Stmt) -> Lowered<()> {
        let Some(barrier) = self.together.barrier else { return Ok(()) };
        let mut walk = Walk {
            barrier: &self.arrays[barrier].decl.name,
            path: Vec::new(),
            in_loop: false,
            own: THREAD_IDX.map(Name::new).into(),
            chosen: false,
            made: None,
            arrivals: BTreeMap::new(),
        };
        let place = |site: Site| self.out.sites.place(site);
        walk.statement(body).or_else(|(site, why)| refuse(place(site), why))?;
        let all = walk.arrivals.len();
        match walk.arrivals.into_iter().find(|(_, chosen)| *chosen && all > 1) {
            Some((site, _)) => refuse(
                place(site),
                "a barrier object at several places, of which threads choose one",
            ),
            None => Ok(()),
        }
    }
}

type Walked = Result<(), (Site, &'static str)>;

impl Walk<'_> {
    fn statement(&mut self, stmt: &Stmt) -> Walked {
        grow(|| self.node(stmt))
    }

    fn node(&mut self, stmt: &Stmt) -> Walked {
        match stmt {
            Stmt::Write { site, array, .. } if array == self.barrier => self.makes(*site),
            Stmt::Read { site, var, array, body, .. } => {
                if array == self.barrier {
                    self.arrives(*site)?;
                }
                self.own.insert(var.clone());
                self.statement(body)
            }
            Stmt::Atomic { var, body, .. } => {
                self.own.insert(var.clone());
                self.statement(body)
            }
            Stmt::Seq(first, second) => {
                self.statement(first)?;
                self.statement(second)
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let differs = condition.free_vars().iter().any(|x| self.own.contains(x));
                let before = self.chosen;
                self.chosen |= differs;
                self.path.push(condition.clone());
                self.statement(then)?;
                self.path.pop();
                self.path.push(not(condition.clone()));
                self.statement(otherwise)?;
                self.path.pop();
                self.chosen = before;
                Ok(())
            }
            Stmt::For { var, lower, upper, body, .. } => {
                let bounds = [lower, upper].into_iter().flat_map(|bound| bound.free_vars());
                let differs = bounds.into_iter().any(|x| self.own.contains(&x));
                if differs {
                    self.own.insert(var.clone());
                }
                let before = (self.chosen, self.in_loop);
                self.chosen |= differs;
                self.in_loop = true;
                self.statement(body)?;
                (self.chosen, self.in_loop) = before;
                Ok(())
            }
            Stmt::Write { .. } | Stmt::Sync { .. } | Stmt::Skip => Ok(()),
        }
    }

    fn makes(&mut self, site: Site) -> Walked {
        if self.in_loop || self.made.is_some() || !self.arrivals.is_empty() {
            return Err((site, "a barrier object that may be made again"));
        }
        let first = THREAD_IDX.map(|x| (Name::new(x), lit(0))).into();
        let open = |c: &&Bool| simplify::bool(&c.subst(&first)) != Bool::Lit(true);
        self.made = Some(self.path.iter().filter(open).cloned().collect());
        Ok(())
    }

    fn arrives(&mut self, site: Site) -> Walked {
        match &self.made {
            Some(conditions) if conditions.iter().all(|c| self.path.contains(c)) => {
                self.arrivals.insert(site, self.chosen);
                Ok(())
            }
            _ => Err((site, "a barrier object that may not be made before")),
        }
    }
}
