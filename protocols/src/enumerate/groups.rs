//! Blocks with barriers of narrower scopes (THEORY T12).

use super::driver::Run;
use super::looks::Log;
use super::machine::{Exit, Sink, State};
use super::pairs::Parties;
use super::{Refusal, Stuck};
use crate::relation::Relation;
use babycuda_core::evidence::Divergence;
use babycuda_core::launch::Group;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Site, Thread};
use std::collections::BTreeSet;

/// Sees nothing.
struct Nothing;

impl Sink for Nothing {
    fn access(&mut self, _: u16, _: u64, _: &[u64]) -> bool {
        true
    }
}

/// A thread in the phases of a relation.
#[derive(Clone)]
struct Member {
    state: State,
    /// Barriers that it passed, of any scope.
    passed: u64,
}

impl Run<'_> {
    /// All phases of a block, relation by relation.
    pub(super) fn groups(&mut self, block: u64, relations: &[Relation]) -> Result<(), Refusal> {
        let ends = self.follow(block)?;
        self.watch.block = block + 1;
        let seen = self.watch.accesses;
        for relation in relations {
            // Each relation sees all accesses.
            self.watch.accesses = seen;
            let mut index = 0;
            while index < self.configuration.launch.block.count() {
                let group = self.group(relation.within, block, index);
                self.phases_of(group, block, *relation, &ends)?;
                index = group.end;
            }
        }
        Ok(())
    }

    fn group(&self, scope: BarrierScope, block: u64, index: u64) -> Group {
        self.configuration.launch.group(scope, Thread { block, index })
    }

    /// Runs the threads of a block as far as they get: how many barriers does each pass?
    fn follow(&mut self, block: u64) -> Result<Vec<u64>, Refusal> {
        let mut states = self.states(block)?;
        let mut ends = vec![0; states.len()];
        let mut stuck = vec![None; states.len()];
        let mut goes_on = vec![true; states.len()];
        let mut phase = 0;
        loop {
            for (n, state) in states.iter_mut().enumerate().filter(|(n, _)| goes_on[*n]) {
                stuck[n] = self.machine.resume(state, &mut Nothing)?.stuck();
            }
            let stops: Vec<_> =
                states.iter().map(|s| s.barrier.map(|b| self.machine.barrier(b))).collect();
            let widest = self.release(block, &stops, &mut goes_on);
            ends.iter_mut().zip(&goes_on).for_each(|(end, on)| *end += u64::from(*on));
            match widest {
                Some(scope) => phase += usize::from(scope >= BarrierScope::Block),
                None => {
                    self.ended(block, phase, &stops, &stuck, &ends);
                    self.result.phases += phase as u64 + 1;
                    return Ok(ends);
                }
            }
        }
    }

    /// Which threads go on: those of groups that wait at one barrier of their scope. Returns the
    /// widest scope of such a group.
    fn release(
        &self,
        block: u64,
        stops: &[Option<(Site, BarrierScope)>],
        goes_on: &mut [bool],
    ) -> Option<BarrierScope> {
        goes_on.fill(false);
        let scopes: BTreeSet<BarrierScope> = stops.iter().flatten().map(|(_, s)| *s).collect();
        let mut widest = None;
        for scope in scopes {
            let mut index = 0;
            while index < stops.len() {
                let group = self.group(scope, block, index as u64);
                let members = index..group.end as usize;
                let first = stops[index];
                let here = first.is_some_and(|(_, s)| s == scope);
                if here && stops[members.clone()].iter().all(|stop| *stop == first) {
                    goes_on[members].fill(true);
                    widest = Some(scope);
                }
                index = group.end as usize;
            }
        }
        widest
    }

    /// Notes how a block ended in which no group goes on.
    fn ended(
        &mut self,
        block: u64,
        phase: usize,
        stops: &[Option<(Site, BarrierScope)>],
        stuck: &[Option<Site>],
        ends: &[u64],
    ) {
        let site = |n: usize| (n as u64, stops[n].map(|(site, _)| site));
        let first_stuck = (0u64..).zip(stuck).find_map(|(i, site)| Some((i, (*site)?)));
        let waiting = (0..stops.len()).filter_map(|n| Some((stops[n]?.1, n)));
        if let Some((thread, site)) = first_stuck {
            self.result.stuck.push(Stuck { block, phase, thread, site });
        } else if let Some((scope, n)) = waiting.min() {
            let group = self.group(scope, block, n as u64);
            let first = group.first as usize;
            let mut others = first..group.end as usize;
            let Some(second) = others.find(|other| stops[*other] != stops[first]) else { return };
            let divergence = Divergence { phase, first: site(first), second: site(second), scope };
            self.result.divergences.insert(block, divergence);
        } else {
            return;
        }
        self.ends.insert(block, ends.to_vec());
    }

    /// The phases of a group that barriers of its scope and of wider ones part.
    fn phases_of(
        &mut self,
        group: Group,
        block: u64,
        relation: Relation,
        ends: &[u64],
    ) -> Result<(), Refusal> {
        let launch = self.configuration.launch;
        let party = |thread: Thread| match relation.apart {
            None => thread.index,
            Some(scope) => launch.group(scope, thread).first,
        };
        let threads = (group.first..group.end).map(|index| Thread { block, index });
        let mut members: Vec<Member> =
            threads.map(|t| Member { state: self.machine.start(t), passed: 0 }).collect();
        let mut phase = 0;
        loop {
            let before = members.clone();
            self.epoch()?;
            let mut next = None;
            for member in &mut members {
                let index = member.state.thread;
                self.watch.thread = party(Thread { block, index });
                let end = ends[index as usize];
                loop {
                    let exit = self.machine.resume(&mut member.state, &mut self.watch)?;
                    self.fed()?;
                    next = self.passes(exit, member, end);
                    if next.is_none_or(|scope| scope >= relation.within) {
                        break;
                    }
                }
            }
            let cells = std::mem::take(&mut self.watch.racy);
            if !cells.is_empty() {
                self.watch.room += cells.len() as u64;
                let mut log = Log::new(self.code, cells, self.limits.memory);
                log.phase = phase;
                for mut member in before {
                    log.thread = Thread { block, index: member.state.thread };
                    let end = ends[member.state.thread as usize];
                    loop {
                        log.passed = member.passed;
                        let exit = self.machine.resume(&mut member.state, &mut log)?;
                        let next = self.passes(exit, &mut member, end);
                        if next.is_none_or(|scope| scope >= relation.within) {
                            break;
                        }
                    }
                }
                self.tally(log, Parties { same_block: true, party: &party });
            }
            // All threads of the group pass the barrier, or none.
            match next {
                None => return Ok(()),
                Some(scope) => phase += usize::from(scope >= BarrierScope::Block),
            }
        }
    }

    /// The scope of the barrier at which a run stopped, if the thread passes it.
    fn passes(&self, exit: Exit, member: &mut Member, end: u64) -> Option<BarrierScope> {
        let Exit::Barrier(barrier) = exit else { return None };
        if member.passed == end {
            return None;
        }
        member.passed += 1;
        Some(self.machine.barrier(barrier).1)
    }
}
