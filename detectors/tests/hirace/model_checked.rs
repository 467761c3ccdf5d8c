//! T9 by a model checker that nobody here wrote, as HiRace's authors did it with Murphi (§III-C): the race of the
//! definition beside the machine, in one state.
//!
//! What happens-before needs is written here again, and shares nothing with `hirace::Traces` but the modes and what
//! conflicts.

use super::*;
use babycuda_core::shadow::{Label, MODES};
use stateright::{Checker, Model, Property};

/// Of a thread: how wide a barrier it passed since its newest access in each mode, and since the last access of all,
/// if that is its own. 0: there is none; 1: no barrier.
type Thread = [u8; MODES.len() + 1];
const LAST: usize = MODES.len();

/// Two blocks of two warps of two threads.
const THREADS: usize = 8;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Situation {
    threads: [Thread; THREADS],
    machine: State,
    /// Did the last access race with one before?
    raced: bool,
}

/// What may happen to the cell.
struct Watched {
    machine: Machine,
    /// The threads that do something.
    active: Vec<usize>,
    /// Are accesses forgotten that a later one stands for?
    forgetful: bool,
}

/// The narrowest group that holds both: 0 the thread, 1 its warp, 2 its block, 3 the grid.
fn level(t: usize, u: usize) -> usize {
    (0..3).find(|level| t >> level == u >> level).unwrap_or(3)
}

impl Watched {
    fn access(&self, before: &Situation, thread: usize, mode: AccessMode) -> Situation {
        let mut after = before.clone();
        let (mut sync, mut relation) = (0, 0);
        for (u, other) in before.threads.iter().enumerate() {
            let level = level(thread, u);
            for (known, since) in MODES.into_iter().zip(other) {
                let unordered = *since > 0 && usize::from(*since) <= level;
                after.raced |= unordered && mode.conflicts(known, level <= 2);
                // All that conflicts with `known` conflicts with a write, and with what is of its kind.
                let kind = mode == W || mode == known || (mode, known) == (BA, GA);
                if self.forgetful && kind && usize::from(*since) > level {
                    let place = MODES.iter().position(|m| *m == known).expect("a mode");
                    after.threads[u][place] = 0;
                }
            }
            if other[LAST] > 0 {
                (sync, relation) = (usize::from(other[LAST]) - 1, level);
                after.threads[u][LAST] = 0;
            }
        }
        let place = MODES.iter().position(|known| *known == mode).expect("a mode");
        (after.threads[thread][place], after.threads[thread][LAST]) = (1, 1);
        // The clocks of different groups are not compared.
        let sync = if sync < relation { 0 } else { sync };
        after.machine = self.machine.next(before.machine, Label { mode, sync, relation });
        after
    }
}

impl Model for Watched {
    type State = Situation;
    type Action = Event;

    fn init_states(&self) -> Vec<Situation> {
        vec![Situation { threads: Default::default(), machine: INIT, raced: false }]
    }

    fn actions(&self, situation: &Situation, actions: &mut Vec<Event>) {
        if situation.raced || situation.machine == self.machine.race() {
            return;
        }
        let accesses = |thread: &usize| MODES.map(|mode| access(mode, *thread));
        actions.extend(self.active.iter().flat_map(accesses));
        for level in 1..=2 {
            let mut groups: Vec<usize> = self.active.iter().map(|t| t >> level).collect();
            groups.dedup();
            actions.extend(groups.into_iter().map(|group| barrier(level, group)));
        }
    }

    fn next_state(&self, before: &Situation, event: Event) -> Option<Situation> {
        let after = match event {
            Event::Access { thread, mode } => self.access(before, thread, mode),
            Event::Barrier { level, group } => {
                let mut after = before.clone();
                let inside = after.threads.iter_mut().skip(group << level).take(1 << level);
                let there = inside.flatten().filter(|since| **since > 0);
                there.for_each(|since| *since = (level as u8 + 1).max(*since));
                after
            }
        };
        (after != *before).then_some(after)
    }

    fn properties(&self) -> Vec<Property<Watched>> {
        let exact =
            |watched: &Watched, s: &Situation| s.raced == (s.machine == watched.machine.race());
        vec![Property::always("in the race iff there is one", exact)]
    }
}

/// The same up to which thread of a warp, which warp of a block, and which block it is.
fn representative(situation: &Situation) -> Situation {
    let mut same = situation.clone();
    for size in [1, 2, 4] {
        for pair in same.threads.chunks_mut(2 * size) {
            let (one, other) = pair.split_at_mut(size);
            if one > other {
                one.swap_with_slice(other);
            }
        }
    }
    same
}

fn check(watched: Watched) -> usize {
    let checked = watched.checker().symmetry_fn(representative).spawn_dfs().join();
    checked.assert_properties();
    checked.unique_state_count()
}

/// All that may happen to a cell, of whatever length.
#[test]
fn the_machine_is_exact_on_two_blocks_of_two_warps_of_two_threads() {
    let active = (0..THREADS).collect();
    let situations = check(Watched { machine: Machine::exact(), active, forgetful: true });
    assert!(situations > 200_000, "{situations}");
}

/// The same where nothing is forgotten, with three threads of two blocks.
#[test]
fn the_machine_is_exact_where_nothing_is_forgotten() {
    for active in [[0, 1, 4], [0, 2, 4]] {
        let active = active.to_vec();
        let watched = Watched { machine: Machine::exact(), active, forgetful: false };
        let checked = watched.checker().spawn_bfs().join();
        checked.assert_properties();
        let situations = checked.unique_state_count();
        assert!(situations > 50_000, "{situations}");
    }
}

/// A machine that takes a barrier of a warp for one of the block is not exact, and the checker says so.
#[test]
fn a_faulty_machine_is_found() {
    let exact = Machine::exact();
    let next = |state, label: Label| {
        let sync = if label.sync == 1 { 2 } else { label.sync };
        exact.next(state, Label { sync, ..label })
    };
    let names = exact.names().to_vec();
    let faulty = Machine::new(exact.chain().clone(), names, exact.race(), next);
    let machine = faulty.expect("a machine");
    let active = (0..THREADS).collect();
    let checked = Watched { machine, active, forgetful: true }.checker().spawn_bfs().join();
    assert!(checked.discovery("in the race iff there is one").is_some());
}
