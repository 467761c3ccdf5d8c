//! What a state machine says of each cell (HiRace): a state, and a record of the last thread that accessed it.

use super::pages::{CELLS, Key, Marked, Page, Pages, Part};
use super::times::Times;
use crate::record::Barrier;
use babycuda_core::AccessMode;
use babycuda_core::shadow::{INIT, Label, Machine, State};
use babycuda_core::syntax::BarrierScope;

#[derive(Clone, Copy, Debug)]
struct Word {
    state: State,
    thread: u32,
    time: u32,
}

#[derive(Debug)]
struct Words([Word; CELLS]);

impl Default for Words {
    fn default() -> Words {
        // Of the first access it knows nothing: as if the first thread had been there before all barriers.
        Words([Word { state: INIT, thread: 0, time: 1 }; CELLS])
    }
}

impl Page for Words {
    fn more(&self) -> usize {
        0
    }
}

/// The machine of all cells. Its clocks have as many bits as they need.
#[derive(Debug)]
pub(super) struct Monitor<'m> {
    machine: &'m Machine,
    /// Level by level of the times, that of the machine.
    levels: Vec<usize>,
    pages: Pages<Words>,
}

impl Monitor<'_> {
    pub(super) fn new<'m>(
        machine: &'m Machine,
        times: &Times,
        part: Part,
        budget: usize,
    ) -> Monitor<'m> {
        let chain = machine.chain();
        let scope = |level: usize| match level {
            level if level == times.shape.grid() => BarrierScope::Grid,
            level if level == times.shape.block() => BarrierScope::Block,
            level if level == times.shape.warp() => BarrierScope::Warp,
            level => BarrierScope::Tile(1 << level),
        };
        // The narrowest level of the chain that is as wide.
        let of = |level: usize| match level {
            0 => 0,
            level => (1..=chain.grid())
                .find(|of| chain.scope(*of).is_some_and(|known| known >= scope(level)))
                .unwrap_or(chain.grid()),
        };
        let levels = (0..=times.shape.grid()).map(of).collect();
        Monitor { machine, levels, pages: Pages::new(part, budget) }
    }

    /// Why it says nothing from a barrier on.
    pub(super) fn stops(&self, barrier: Barrier, times: &Times) -> Option<String> {
        let chain = self.machine.chain();
        let scope = match barrier {
            Barrier::Grid => BarrierScope::Grid,
            Barrier::Block { .. } => BarrierScope::Block,
            Barrier::Warp { .. } => BarrierScope::Warp,
            Barrier::Tile { size, .. } if size == 1 << times.shape.warp() => BarrierScope::Warp,
            Barrier::Tile { size, .. } => BarrierScope::Tile(size),
            Barrier::Lanes { .. } => return Some("barriers of lanes".to_owned()),
        };
        let known = chain.find(scope).is_some_and(|level| level <= chain.widest_barrier());
        (!known).then(|| format!("barriers of a {scope}"))
    }

    /// The thread whose turn it is accesses a cell.
    pub(super) fn access(&mut self, (key, place): (Key, usize), mode: AccessMode, times: &Times) {
        let Some(Words(words)) = self.pages.page(key) else { return };
        let word = &mut words[place % CELLS];
        let level = times.shape.level(word.thread, times.id);
        let passed = (1..self.levels.len()).rev().find(|level| !times.live(*level, word.time));
        let of = |level: usize| self.levels.get(level).copied().unwrap_or(0);
        let (relation, sync) = (of(level), passed.map_or(0, of));
        let label = Label { mode, sync, relation }.comparable();
        let state = self.machine.next(word.state, label);
        *word = Word { state, thread: times.id, time: times.now };
    }

    /// As [`Compact::end`](super::compact::Compact::end).
    pub(super) fn end(self, marked: &mut Marked) -> (Vec<Part>, bool) {
        for (key, Words(words)) in self.pages.all() {
            let raced = |word: &Word| u64::from(word.state == self.machine.race());
            marked.add(key, words.iter().rev().fold(0, |bits, word| bits << 1 | raced(word)));
        }
        (self.pages.later, self.pages.full)
    }
}
