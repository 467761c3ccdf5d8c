//! Does a trace have a race that somebody reports?

use super::{Access, Clocks};
use babycuda_core::evidence::Witness;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Site, Thread};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A race that is looked for: of a cell, by two accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The cell.
    pub cell: Cell,
    /// Both accesses, in any order.
    pub sides: [ClaimedAccess; 2],
}

/// An access of a race that is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimedAccess {
    /// Who makes it.
    pub thread: Thread,
    /// How.
    pub mode: AccessMode,
    /// Where it may stand in the typed tree: at one of these nodes.
    pub sites: BTreeSet<Site>,
}

impl Claim {
    /// The race of a witness, where its sites are at these nodes; `None`: one of them is nowhere.
    pub fn of(race: &Witness, nodes: impl Fn(Site, AccessMode) -> BTreeSet<Site>) -> Option<Claim> {
        let sides = [&race.first, &race.second].map(|side| {
            let sites = nodes(side.site, side.mode);
            ClaimedAccess { thread: side.thread, mode: side.mode, sites }
        });
        let known = sides.iter().all(|side| !side.sites.is_empty());
        known.then(|| Claim { cell: race.cell.clone(), sides })
    }
}

impl ClaimedAccess {
    fn is(&self, access: &Access) -> bool {
        let there = access.site.is_some_and(|site| self.sites.contains(&site));
        there && (self.thread, self.mode) == (access.thread, access.mode)
    }
}

/// Which of these races a trace has: of the cell, by the two threads, at those places and in those modes, whenever.
pub fn has(trace: &Trace, races: &[Claim]) -> Vec<bool> {
    let mut of: HashMap<&Cell, Vec<usize>> = HashMap::new();
    for (number, Claim { cell, sides: [first, second] }) in races.iter().enumerate() {
        // Blocks have shared arrays of their own.
        if first.thread.block == second.thread.block || !trace.shared.contains(&cell.array) {
            of.entry(cell).or_default().push(number);
        }
    }
    let mut clocks = Clocks::of(trace);
    let (mut known, mut before) = (HashSet::new(), vec![Vec::<Access>::new(); races.len()]);
    let mut had = vec![false; races.len()];
    for (number, event) in trace.events.iter().enumerate() {
        let Event::Access { thread, mode, cell, site } = event else {
            clocks.pass(number, event);
            continue;
        };
        for race in of.get(cell).into_iter().flatten().copied() {
            let sides = &races[race].sides;
            if had[race] || sides.iter().all(|side| side.thread != *thread) {
                continue;
            }
            let (thread, mode, site) = (*thread, *mode, *site);
            let access = Access { thread, mode, site, clocks: clocks.at(thread), number };
            // The same once more races with the same.
            if !known.insert((race, thread, mode, site, access.clocks.clone())) {
                continue;
            }
            had[race] = before[race].iter().any(|other| {
                let same_block = other.thread.block == thread.block;
                let [first, second] = sides;
                let claimed = (first.is(other) && second.is(&access))
                    || (second.is(other) && first.is(&access));
                claimed && other.mode.conflicts(mode, same_block) && !clocks.ordered(other, &access)
            });
            before[race].push(access);
        }
    }
    had
}
