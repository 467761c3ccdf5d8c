//! The machine of a chain of scopes, derived from the definition of a race (THEORY §4, T9).
//!
//! Let the level of two threads be that of the narrowest group that holds both. They are ordered iff a
//! barrier of that level or a wider one stands between them. So of all that happened to a cell, this
//! decides what races with it from now on: for each level i, the modes of the accesses by threads of
//! the last accessor's group of level i since that group's last barrier of level i or wider
//! ([`Recent`]). An access by a thread at level r from the last accessor
//!
//! - stands at level r from all recent accesses of level r, if they are of one group of level r - 1:
//!   then that is the last accessor's group, and not the thread's;
//! - if they are of several groups of level r - 1, none of them conflicts with one of another group. So
//!   they are all reads, or all atomics: an access of another kind conflicts with those of a group that is
//!   not the thread's, and one of the same kind with none of them.
//!
//! In both cases the modes and whether there are several groups say enough, and they follow from the labels. So
//! one record of the last accessor suffices, whatever the number of threads.

use super::minimal::minimal;
use babycuda_core::AccessMode;
use babycuda_core::shadow::{Chain, Label, MODES, Machine, State};
use std::collections::HashMap;

/// The recent accesses of a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Recent {
    /// Which of [`MODES`] there are.
    modes: [bool; MODES.len()],
    /// Are they of several groups of the next narrower level?
    several: bool,
}

/// What is known of a cell without a race, level by level from that of the narrowest scope; nothing
/// was accessed where all are empty.
type Known = Vec<Recent>;

/// The smallest machine that reaches the race exactly on the traces that have one. `None`: for so many scopes
/// more than 2^16 - 1 states would have to be looked at.
pub fn derive(chain: &Chain) -> Option<Machine> {
    let start = vec![Recent::default(); chain.grid()];
    let mut all = vec![Some(start.clone()), None];
    let mut places: HashMap<Option<Known>, State> =
        (0..).zip(&all).map(|(i, k)| (k.clone(), i)).collect();
    let mut table = Vec::new();
    let mut done = 0;
    while let Some(known) = all.get(done).cloned() {
        done += 1;
        for label in chain.labels() {
            let after = known.as_ref().and_then(|known| access(chain, known, label.comparable()));
            let fresh = State::try_from(places.len()).ok()?;
            let place = *places.entry(after.clone()).or_insert(fresh);
            if place == fresh {
                all.push(after);
            }
            table.push(place);
        }
    }
    let names = all.iter().map(|known| name(known.as_deref())).collect();
    let mut cells = table.into_iter();
    // The labels come in the order in which they were asked.
    let whole = Machine::new(chain.clone(), names, 1, |_, _| cells.next().unwrap_or(1));
    minimal(&whole?)
}

/// What is known after an access; `None`: it races with one before.
fn access(chain: &Chain, known: &[Recent], label: Label) -> Option<Known> {
    let Label { mode, sync, relation } = label;
    let mut after = known.to_vec();
    // A barrier of a level, which holds both the last accessor and this one, parts what was recent there
    // and in its parts from what is now.
    after.iter_mut().take(sync).for_each(|recent| *recent = Recent::default());
    for (level, recent) in (1..).zip(&after) {
        // At this level from the thread: all, if the last accessor's group is another one.
        let apart = recent.several || level == relation;
        let conflicts = |other| mode.conflicts(other, level <= chain.block());
        if apart && recent.modes().any(conflicts) {
            return None;
        }
    }
    for (level, recent) in (1..).zip(&mut after) {
        match level < relation {
            // The thread's own group: what is recent in it is recent at level r, where there are several
            // groups then, all of whose accesses are of one kind.
            true => *recent = Recent::default(),
            false => recent.several |= level == relation && recent.modes().next().is_some(),
        }
        recent.add(mode);
    }
    Some(after)
}

impl Recent {
    fn modes(&self) -> impl Iterator<Item = AccessMode> + '_ {
        MODES.into_iter().zip(self.modes).filter_map(|(mode, there)| there.then_some(mode))
    }

    fn add(&mut self, mode: AccessMode) {
        for (known, there) in MODES.into_iter().zip(&mut self.modes) {
            *there |= known == mode;
        }
    }
}

/// The letters of the modes, level by level, `+` for several groups: `R+.RW.RW` is a cell that threads of a
/// warp read, behind a barrier of the warp, where one of them wrote it.
fn name(known: Option<&[Recent]>) -> String {
    let Some(known) = known else { return "RACE".to_owned() };
    let level = |recent: &Recent| {
        let letters = ["R", "W", "B", "A"].into_iter().zip(recent.modes);
        let letters: String =
            letters.filter_map(|(letter, there)| there.then_some(letter)).collect();
        letters + if recent.several { "+" } else { "" }
    };
    match known.iter().all(|recent| recent.modes().next().is_none()) {
        true => "INIT".to_owned(),
        false => known.iter().map(level).collect::<Vec<_>>().join("."),
    }
}
