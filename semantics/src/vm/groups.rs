//! Runs with barriers of tiles and warps (THEORY T12): round by round, every thread that does not
//! wait runs to its next stop, and then every group goes on whose threads all wait at one barrier.

use super::machine::{Ending, Execution, Place};
use crate::outcome::Stuck;
use babycuda_core::evidence::Divergence;
use babycuda_core::launch::Group;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Launch, Thread};

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Stops(Place),
}

impl Execution<'_, '_> {
    /// As [`Execution::run`], for code with such barriers.
    pub(super) fn run_by_groups(mut self, launch: Launch, threads: u32) -> Ending {
        let mut states = vec![State::Runs; threads as usize];
        loop {
            if let Err(stuck) = self.round(&mut states) {
                self.machine.log.abandon_phase();
                return Ending::Stuck(*stuck);
            }
            if states.iter().all(|state| *state == State::Stops(None)) {
                self.machine.log.end_phase();
                return Ending::Done;
            }
            let going = going(launch, &states);
            if going.is_empty() {
                self.machine.log.end_phase();
                return Ending::Diverged(self.divergence(launch, &states));
            }
            for group in &going {
                states[group.first as usize..group.end as usize].fill(State::Runs);
                if group.scope < BarrierScope::Block {
                    self.machine.log.pass(group.first as u32..group.end as u32);
                } else {
                    self.machine.log.end_phase();
                    self.phase += 1;
                }
            }
        }
    }

    fn round(&mut self, states: &mut [State]) -> Result<(), Box<Stuck>> {
        for (i, state) in (0..).zip(states) {
            match *state {
                State::Runs => {
                    self.machine.log.next_turn();
                    *state = State::Stops(self.thread(i)?);
                }
                // To stand at a barrier is a rule instance of each round.
                State::Stops(Some((site, _))) => self.step(i, site)?,
                State::Stops(None) => {}
            }
        }
        Ok(())
    }

    fn divergence(&self, launch: Launch, states: &[State]) -> Divergence {
        let places = || {
            states.iter().map(|state| match state {
                State::Stops(place) => *place,
                State::Runs => None,
            })
        };
        let waiting = (0u64..).zip(places()).filter_map(|(i, p)| Some((p?.1, i)));
        let (scope, thread) = waiting.min().unwrap_or_default();
        let group = group(launch, scope, thread);
        let sites = (0u64..).zip(places().map(|p| p.map(|(site, _)| site)));
        let inside: Vec<_> = sites.filter(|(i, _)| (group.first..group.end).contains(i)).collect();
        // Proof: the group has a thread that waits, and another one elsewhere, or it went on.
        let first = inside.first().copied().unwrap_or_default();
        let second = inside.iter().find(|(_, site)| *site != first.1).copied().unwrap_or_default();
        Divergence { phase: self.phase, first, second, scope }
    }
}

fn group(launch: Launch, scope: BarrierScope, index: u64) -> Group {
    launch.group(scope, Thread { block: 0, index })
}

/// The groups whose threads all wait at one barrier of their scope, by first thread.
fn going(launch: Launch, states: &[State]) -> Vec<Group> {
    let mut going = Vec::new();
    let mut next = 0;
    while let Some(state) = states.get(next) {
        next += 1;
        let State::Stops(Some((_, scope))) = *state else { continue };
        let group = group(launch, scope, next as u64 - 1);
        let members = group.first as usize..group.end as usize;
        if group.first as usize == next - 1 && states[members.clone()].iter().all(|s| s == state) {
            going.push(group);
            next = members.end;
        }
    }
    going
}
