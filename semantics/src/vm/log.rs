//! The access log of a run: per phase, one entry for each thread and cell.

use super::cells::Cells;
use super::memory::{Content, Deed, after_phase};
use super::stages::{Spot, after_stages, is_before};
use super::value::Value;
use babycuda_core::Natural;
use babycuda_core::history::LastWrite;
use babycuda_core::syntax::{AtomicUpdate, Scope};
use std::borrow::Cow;
use std::ops::Range;

/// No entry.
const NONE: u32 = u32::MAX;

/// What one thread did to one cell in one phase.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) thread: u32,
    pub(super) cell: u32,
    pub(super) read: bool,
    pub(super) written: Option<Value>,
    /// Index into [`Log::atomics`], or [`NONE`].
    atomic: u32,
    /// The entry of another thread for the same cell and phase, or [`NONE`]. With barriers of
    /// groups, also of the same thread before one.
    previous: u32,
    /// How many such barriers had been passed in the phase.
    pub(super) stage: u32,
}

/// The atomic updates of one thread, cell and phase.
#[derive(Clone, Debug)]
pub(super) struct Atomics {
    pub(super) scopes: Vec<Scope>,
    pub(super) updates: Vec<AtomicUpdate<Natural>>,
    /// What the cell would hold if the thread ran alone.
    pub(super) view: Content,
}

/// A set of threads, as far as races need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Threads {
    None,
    One(u32),
    Many,
}

impl Threads {
    fn add(&mut self, thread: u32) {
        *self = match *self {
            Threads::None => Threads::One(thread),
            Threads::One(other) if other == thread => return,
            _ => Threads::Many,
        };
    }

    /// Is there a thread here and a different one there?
    fn differs_from(self, other: Threads) -> bool {
        match (self, other) {
            (Threads::None, _) | (_, Threads::None) => false,
            (Threads::One(i), Threads::One(j)) => i != j,
            _ => true,
        }
    }
}

/// What is known of a cell.
#[derive(Clone, Debug)]
struct State {
    /// `lastwrite`, before the current phase.
    content: Content,
    /// The newest entry for the cell, of any thread and phase.
    newest: u32,
    /// The turn (a thread in a phase) to which `newest` belongs.
    turn: u64,
}

#[derive(Default, Debug)]
pub(super) struct Log {
    pub(super) cells: Cells,
    states: Vec<State>,
    pub(super) entries: Vec<Entry>,
    pub(super) atomics: Vec<Atomics>,
    /// Where each complete phase ends in `entries`.
    pub(super) ends: Vec<usize>,
    /// Racy cells with their phases.
    pub(super) racy: Vec<(usize, u32)>,
    /// The barriers of groups in each complete phase, in order, and in the current one: where they
    /// stand in `entries`, and whose they are.
    pub(super) stages: Vec<Vec<usize>>,
    pub(super) passes: Vec<Vec<Range<u32>>>,
    /// Counts threads and phases.
    turn: u64,
}

impl Log {
    /// Forgets everything, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.states.clear();
        self.entries.clear();
        self.atomics.clear();
        self.ends.clear();
        self.racy.clear();
        self.stages.clear();
        self.passes.clear();
        self.turn = 0;
    }

    /// Where the current phase begins in `entries`.
    fn start(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The next thread's turn begins.
    pub(super) fn next_turn(&mut self) {
        self.turn += 1;
    }

    /// The number of the cell; `host` says what it holds at first.
    pub(super) fn cell<'h>(
        &mut self,
        array: u32,
        index: Value,
        host: impl FnOnce(&Value) -> Option<&'h Natural>,
    ) -> u32 {
        let (cell, fresh) = self.cells.number(array, index);
        if fresh {
            let content = Content::of(host(&self.cells.place(cell).1));
            self.states.push(State { content, newest: NONE, turn: 0 });
        }
        cell
    }

    /// The current thread's entry for the cell in this phase.
    fn entry(&mut self, thread: u32, cell: u32) -> &mut Entry {
        let (start, stage) = (self.start(), self.groups().len());
        let state = &mut self.states[cell as usize];
        if state.turn != self.turn {
            let older = state.newest;
            let previous = if older == NONE || (older as usize) < start { NONE } else { older };
            state.turn = self.turn;
            state.newest = self.entries.len() as u32;
            let stage = stage as u32;
            let entry =
                Entry { thread, cell, read: false, written: None, atomic: NONE, previous, stage };
            self.entries.push(entry);
        }
        &mut self.entries[state.newest as usize]
    }

    /// What the current thread sees in the cell: `lastwrite(j, {i:A} :: H)`.
    pub(super) fn view(&self, thread: u32, cell: u32) -> Cow<'_, Content> {
        let state = &self.states[cell as usize];
        if state.turn == self.turn
            && let Some(atomics) = self.atomics_of(&self.entries[state.newest as usize])
        {
            return Cow::Borrowed(&atomics.view);
        }
        if self.groups().is_empty() {
            return Cow::Borrowed(&state.content);
        }
        let here = (self.groups().len() as u32, thread);
        let seen = self.chain(state.newest).filter(|entry| self.precedes(entry, here));
        Cow::Owned(self.after(state.content.clone(), seen))
    }

    /// What a cell holds after the last complete phase.
    pub(super) fn lastwrite(&self, cell: u32) -> LastWrite {
        self.states[cell as usize].content.to_lastwrite()
    }

    /// The barriers of groups in the current phase.
    pub(super) fn groups(&self) -> &[Range<u32>] {
        self.passes.get(self.ends.len()).map_or(&[], Vec::as_slice)
    }

    /// A group passes a barrier of its own.
    pub(super) fn pass(&mut self, group: Range<u32>) {
        let phase = self.ends.len();
        self.stages.resize(phase + 1, Vec::new());
        self.passes.resize(phase + 1, Vec::new());
        self.stages[phase].push(self.entries.len());
        self.passes[phase].push(group);
    }

    /// The entries of the current phase for a cell, the newest first.
    fn chain(&self, newest: u32) -> impl Iterator<Item = &Entry> {
        let start = self.start();
        let current = move |number: u32| (number as usize >= start).then_some(number);
        let entry = move |number: u32| self.entries.get(current(number)? as usize);
        std::iter::successors(entry(newest), move |last| entry(last.previous))
    }

    fn precedes(&self, entry: &Entry, spot: Spot) -> bool {
        is_before(self.groups(), (entry.stage, entry.thread), spot)
    }

    /// What the cell holds after what these entries, in some order, did to it.
    fn after<'a>(&self, before: Content, entries: impl Iterator<Item = &'a Entry>) -> Content
    where
        Self: 'a,
    {
        let deeds = entries.filter(|entry| entry.written.is_some() || entry.atomic != NONE);
        let deeds = deeds.map(|entry| {
            let updates = self.atomics_of(entry).map_or(&[][..], |atomics| &atomics.updates);
            let deed = Deed { written: entry.written.as_ref(), updates };
            ((entry.stage, entry.thread), deed)
        });
        after_stages(self.groups(), before, deeds.collect())
    }

    /// Do two threads access the cell in conflicting ways, and no barrier orders them?
    fn is_racy(&self, newest: u32) -> bool {
        let entries: Vec<&Entry> = self.chain(newest).collect();
        let spot = |entry: &Entry| (entry.stage, entry.thread);
        let apart = |a: &Entry, b: &Entry| {
            a.thread != b.thread && !self.precedes(a, spot(b)) && !self.precedes(b, spot(a))
        };
        // Two atomics of one block never conflict: every scope covers the block.
        let clash = |a: &Entry, b: &Entry| {
            let written = |e: &Entry| e.written.is_some();
            let updated = |e: &Entry| e.atomic != NONE;
            written(a) && (b.read || written(b) || updated(b)) || updated(a) && b.read
        };
        let pairs = || entries.iter().flat_map(|a| entries.iter().map(move |b| (*a, *b)));
        pairs().any(|(a, b)| apart(a, b) && clash(a, b))
    }

    /// What the current thread wrote to the cell in this phase, when it did not update it too.
    pub(super) fn own(&self, cell: u32) -> Option<&Value> {
        let state = &self.states[cell as usize];
        if state.turn != self.turn {
            return None;
        }
        let entry = &self.entries[state.newest as usize];
        if entry.atomic == NONE { entry.written.as_ref() } else { None }
    }

    pub(super) fn read(&mut self, thread: u32, cell: u32) {
        self.entry(thread, cell).read = true;
    }

    pub(super) fn write(&mut self, thread: u32, cell: u32, value: Value) {
        let entry = self.entry(thread, cell);
        let atomic = entry.atomic;
        if atomic != NONE {
            entry.written = Some(value.clone());
            let atomics = &mut self.atomics[atomic as usize];
            atomics.updates.clear();
            atomics.view = Content::One(value);
        } else {
            entry.written = Some(value);
        }
    }

    pub(super) fn update(
        &mut self,
        thread: u32,
        cell: u32,
        scope: Scope,
        update: AtomicUpdate<Natural>,
    ) {
        let view = match self.own(cell) {
            Some(value) => Content::One(value.clone()),
            None => self.view(thread, cell).into_owned(),
        };
        let fresh = self.atomics.len() as u32;
        let entry = self.entry(thread, cell);
        if entry.atomic == NONE {
            entry.atomic = fresh;
            self.atomics.push(Atomics { scopes: Vec::new(), updates: Vec::new(), view });
        }
        let number = self.entries[self.states[cell as usize].newest as usize].atomic;
        let atomics = &mut self.atomics[number as usize];
        if !atomics.scopes.contains(&scope) {
            atomics.scopes.push(scope);
        }
        let view = std::mem::replace(&mut atomics.view, Content::Undefined);
        atomics.view = view.updated(&update);
        atomics.updates.push(update);
    }

    pub(super) fn atomics_of(&self, entry: &Entry) -> Option<&Atomics> {
        self.atomics.get(entry.atomic as usize)
    }

    /// Forgets the current phase, which is not complete.
    pub(super) fn abandon_phase(&mut self) {
        let start = self.start();
        self.entries.truncate(start);
        let phases = self.ends.len();
        self.stages.truncate(phases);
        self.passes.truncate(phases);
    }

    /// Ends the phase: notes its racy cells, and what cells hold from now on.
    pub(super) fn end_phase(&mut self) {
        let (start, end, phase) = (self.start(), self.entries.len(), self.ends.len());
        for number in start..end {
            let cell = self.entries[number].cell;
            // The newest entry of a cell stands for all of them.
            if self.states[cell as usize].newest as usize != number {
                continue;
            }
            if self.entries[number].previous == NONE {
                self.end_alone(number);
            } else {
                self.end_contended(number, phase);
            }
        }
        self.ends.push(end);
    }

    /// Only one thread accessed the cell.
    fn end_alone(&mut self, number: usize) {
        let entry = &self.entries[number];
        let content = match self.atomics_of(entry) {
            Some(atomics) => atomics.view.clone(),
            None => match &entry.written {
                Some(value) => Content::One(value.clone()),
                None => return,
            },
        };
        self.states[entry.cell as usize].content = content;
    }

    /// Several threads accessed the cell.
    fn end_contended(&mut self, newest: usize, phase: usize) {
        let cell = self.entries[newest].cell;
        if !self.groups().is_empty() {
            if self.is_racy(newest as u32) {
                self.racy.push((phase, cell));
            }
            let before = self.states[cell as usize].content.clone();
            let after = self.after(before, self.chain(newest as u32));
            self.states[cell as usize].content = after;
            return;
        }
        let (mut readers, mut writers, mut updaters) =
            (Threads::None, Threads::None, Threads::None);
        let mut numbers = Vec::new();
        let mut number = newest as u32;
        while let Some(entry) = self.entries.get(number as usize) {
            if entry.read {
                readers.add(entry.thread);
            }
            if entry.written.is_some() {
                writers.add(entry.thread);
            }
            if entry.atomic != NONE {
                updaters.add(entry.thread);
            }
            if entry.written.is_some() || entry.atomic != NONE {
                numbers.push(number as usize);
            }
            number = entry.previous;
        }
        // Two atomics of one block never conflict: every scope covers the block.
        let racy = writers.differs_from(writers)
            || writers.differs_from(readers)
            || writers.differs_from(updaters)
            || updaters.differs_from(readers);
        if racy {
            self.racy.push((phase, cell));
        }
        if numbers.is_empty() {
            return;
        }
        let deed = |number: &usize| {
            let entry = &self.entries[*number];
            let updates = self.atomics_of(entry).map_or(&[][..], |atomics| &atomics.updates);
            Deed { written: entry.written.as_ref(), updates }
        };
        let deeds: Vec<Deed<'_>> = numbers.iter().rev().map(deed).collect();
        let before = self.states[cell as usize].content.clone();
        let after = match deeds.as_slice() {
            [alone] => alone.done_to(before),
            _ => after_phase(before, &deeds),
        };
        self.states[cell as usize].content = after;
    }
}
