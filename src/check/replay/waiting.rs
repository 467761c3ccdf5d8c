//! A run that is stuck: on a cell that other threads write, do they come first in some interleaving? At
//! a stop, do the others go on?

use super::scene::{MAX_VISITS, Scene};
use crate::check::diverge::{is_open, may_read_undefined};
use babycuda_core::evidence::Witness;
use babycuda_core::history::HostMemory;
use babycuda_core::natural::Natural;
use babycuda_core::{AccessMode, Cell, Configuration, Declarations, Name, Stmt};
use babycuda_protocols::enumerate::{EnumerationLimits, enumerate};
use babycuda_semantics::vm::Visit;
use babycuda_typing::{Approximation, approximate};
use std::collections::BTreeSet;

impl Scene<'_> {
    /// With barriers of groups, a thread that stops holds back its groups, in the middle of a phase;
    /// others go on. Has Λ, which follows all of them, the race of the witness?
    pub(super) fn others_go_on(&self, stops: &BTreeSet<Name>) -> bool {
        if self.program.sources.stopping.is_some() || may_read_undefined(self.program, stops) {
            return false;
        }
        let at = Configuration { stops: stops.clone(), ..self.witness.configuration.clone() };
        let mut declarations =
            Declarations { stops: stops.clone(), ..self.program.declarations.clone() };
        // Of the block of the witness.
        declarations.geometry.grid = None;
        let limits = EnumerationLimits {
            budget: self.options.budget,
            one_race: false,
            ..self.options.limits
        };
        let protocol = approximate(self.program).protocol;
        let found = enumerate(&protocol, &declarations, &at, &limits);
        let pair = found.ok().and_then(|mut found| found.races.remove(&self.witness.pair()));
        pair.is_some_and(|pair| {
            let threads = |w: &Witness| [w.first.thread, w.second.thread];
            (&pair.witness.cell, threads(&pair.witness))
                == (&self.witness.cell, threads(self.witness))
        })
    }

    /// The run is stuck on a cell that other threads write in the same phase. Is there an
    /// interleaving in which they do so first, and that makes both accesses? Nothing that writes a
    /// cell, or waits for one, may depend on what the cells hold: they are filled here.
    pub(super) fn interleaves(
        &self,
        approximation: &Approximation,
        blocks: &[u64],
        host: &HostMemory,
    ) -> bool {
        let depends = |b: &Stmt| match b {
            Stmt::Write { site, array, .. }
            | Stmt::Read { site, array, .. }
            | Stmt::Atomic { site, array, .. } => {
                is_open(self.program, array) && !approximation.is_independent(*site)
            }
            _ => false,
        };
        if self.program.sources.stopping.is_some() || self.program.body.subterms().any(depends) {
            return false;
        }
        let mut open = self.program.body.written();
        open.retain(|name| self.program.array(name).is_some());
        let mut filled = host.clone();
        for name in &open {
            let known = host.arrays().find(|(n, _)| *n == name);
            let mut array = known.map(|(_, array)| array.clone()).unwrap_or_default();
            array.fill.get_or_insert_with(Natural::zero);
            filled.insert(name.clone(), array);
        }
        let watched = |v: &Visit| self.is_wanted(v) || open.contains(&v.cell.array);
        let mut runs = Vec::new();
        for block in blocks {
            let mut run = self.watch(*block, filled.clone(), &watched);
            if run.visits.len() >= MAX_VISITS {
                return false;
            }
            run.visits = ordered(&run.visits, host);
            runs.push(run);
        }
        self.found_in(&runs).is_some()
    }
}

/// The visits that are made when every thread that would read an undefined cell waits for another
/// to write it, phase by phase. `visits` are sorted by phase, and each thread's by time.
fn ordered(visits: &[Visit], host: &HostMemory) -> Vec<Visit> {
    let mut defined: BTreeSet<&Cell> = BTreeSet::new();
    let mut made = Vec::new();
    for phase in visits.chunk_by(|a, b| a.phase == b.phase) {
        let mut threads: Vec<&[Visit]> = phase.chunk_by(|a, b| a.thread == b.thread).collect();
        let mut progress = true;
        while progress {
            progress = false;
            for open in &mut threads {
                while let Some((next, rest)) = open.split_first() {
                    let reads = next.mode != AccessMode::Wr;
                    if reads && !defined.contains(&next.cell) && host.get(&next.cell).is_none() {
                        break;
                    }
                    if next.mode != AccessMode::Rd {
                        defined.insert(&next.cell);
                    }
                    made.push(next.clone());
                    (*open, progress) = (rest, true);
                }
            }
        }
        // A thread that waits for ever never comes to the barrier.
        if threads.iter().any(|open| !open.is_empty()) {
            break;
        }
    }
    made
}
