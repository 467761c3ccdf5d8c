//! All threads together: is there an interleaving in which every read and update yields what the
//! report says, and which leaves the memory as it says?
//!
//! The threads' accesses are known, so this is the question of whether a run is sequentially
//! consistent. The search goes from state to state, where a state is how far each thread is, and
//! the memory; it visits each once. It takes at once what some interleaving begins with, if any
//! interleaving goes on from the state:
//!
//! - a step on a cell that no other thread interferes with in the phase;
//! - a read that already yields its value;
//! - an update that alone still sees what the cell holds, where nothing restores that;
//! - a write that nobody sees, over what nobody sees any more; and one where all writes to the cell
//!   that are left store the same.
//!
//! It turns back where a value that is still to be seen, in the phase or right after it, is gone and
//! nothing restores it.

mod end;
mod prepare;
#[cfg(test)]
mod tests;

pub(crate) use end::end;

use crate::threads::{CellId, Run};
use prepare::{Held, Move, Phase, Prepared, Wanted, prepare};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// What the search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// There is one: who makes the next access, from the first to the last.
    Interleaving(Vec<usize>),
    /// There is none.
    None,
    /// More work than allowed.
    Undecided,
}

#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    /// What each thread does.
    pub(crate) runs: &'a [Run],
    pub(crate) last_phase: u32,
    /// The threads that met at barriers of narrower scopes than the block, in order, by phase.
    pub(crate) meetings: &'a [Vec<Range<usize>>],
    /// What a cell holds before.
    pub(crate) before: &'a dyn Fn(CellId) -> Option<u64>,
    /// What it holds after.
    pub(crate) after: &'a dyn Fn(CellId) -> Option<u64>,
}

/// Answers the question, where at most `work` threads are asked what they could do next.
pub(crate) fn search(question: &Question<'_>, work: usize) -> Found {
    let Some(prepared) = prepare(question) else { return Found::None };
    let Some(mut at) = At::start(&prepared, question.runs.len()) else { return Found::None };
    let (mut seen, mut left) = (HashSet::<_, BuildHasherDefault<Words>>::default(), work);
    // Where several steps are possible: how long the trail was there, and the steps not yet taken,
    // the most promising one last.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    loop {
        match at.advance() {
            Advanced::ToGoal => return Found::Interleaving(at.order()),
            Advanced::Nowhere => {}
            Advanced::ToChoice => {
                let Some(still) = left.checked_sub(at.positions.len()) else {
                    return Found::Undecided;
                };
                left = still;
                let choices = at.choices();
                // Where there is no choice, the state behind it is known as well.
                if choices.len() < 2
                    || seen.insert((at.phase, at.positions.clone(), at.memory.clone()))
                {
                    open.push((at.trail.len(), choices));
                }
            }
        }
        loop {
            let Some((trail, choices)) = open.last_mut() else { return Found::None };
            at.undo(*trail);
            match choices.pop() {
                Some(thread) if at.take(thread) => break,
                Some(_) => {}
                None => drop(open.pop()),
            }
        }
    }
}

/// Hashes the numbers of a state. Nobody chooses them in order to be slow.
#[derive(Default)]
struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        let rest = rest.iter().map(|byte| u64::from(*byte));
        for word in words.iter().map(|word| u64::from_le_bytes(*word)).chain(rest) {
            self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Where the moves that need no choice lead.
enum Advanced {
    /// To the end of the run, with the right memory.
    ToGoal,
    /// To where a thread must be chosen.
    ToChoice,
    /// To where nothing of what was seen can follow.
    Nowhere,
}

/// A place in all interleavings.
struct At<'a> {
    run: &'a Prepared,
    phase: usize,
    /// How far each thread is in the phase.
    positions: Vec<usize>,
    memory: Vec<Held>,
    /// The accesses of the phase that are still to come: how many see a value, store a value, and
    /// store anything in a cell.
    readers: Vec<u32>,
    writers: Vec<u32>,
    writes: Vec<u32>,
    /// How it came here.
    trail: Vec<Step>,
}

#[derive(Clone, Copy)]
enum Step {
    /// A thread made its access; what the cell held before.
    Access(usize, Held),
    /// All passed a barrier of the block.
    Barrier,
}

impl<'a> At<'a> {
    /// The start, if something can follow.
    fn start(run: &'a Prepared, threads: usize) -> Option<At<'a>> {
        let mut at = At {
            run,
            phase: 0,
            positions: vec![0; threads],
            memory: run.before.clone(),
            readers: vec![0; run.values],
            writers: vec![0; run.values],
            writes: vec![0; run.before.len()],
            trail: Vec::new(),
        };
        at.enter().then_some(at)
    }

    /// Counts the accesses of the phase; is everything that they see still to be had?
    fn enter(&mut self) -> bool {
        let Some(phase) = self.run.phases.get(self.phase) else { return true };
        let moves = || phase.threads.iter().flatten();
        for m in moves() {
            if let Some(value) = m.sees {
                self.readers[value] += 1;
            }
            if let Some(value) = m.stores {
                self.writers[value] += 1;
                self.writes[m.cell] += 1;
            }
        }
        moves().all(|m| {
            let seen = |value: &Held| self.memory[m.cell] == *value || self.writers[*value] > 0;
            m.sees.as_ref().is_none_or(seen) && self.ends_well(phase, m.cell)
        })
    }

    /// Takes the moves that need no choice.
    fn advance(&mut self) -> Advanced {
        while let Some(phase) = self.run.phases.get(self.phase) {
            if !self.settle(phase) {
                return Advanced::Nowhere;
            }
            if (0..self.positions.len()).any(|thread| self.next(phase, thread).is_some()) {
                return Advanced::ToChoice;
            }
            if phase.threads.iter().zip(&self.positions).any(|(own, at)| *at < own.len()) {
                return Advanced::Nowhere;
            }
            self.trail.push(Step::Barrier);
            self.phase += 1;
            self.positions.fill(0);
            if !self.enter() {
                return Advanced::Nowhere;
            }
        }
        if self.memory == self.run.after { Advanced::ToGoal } else { Advanced::Nowhere }
    }

    /// Takes the moves of the phase that need no choice; can something follow?
    fn settle(&mut self, phase: &Phase) -> bool {
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for thread in 0..self.positions.len() {
                while let Some(m) = self.next(phase, thread).filter(|m| self.at_once(phase, m)) {
                    if m.sees.is_some_and(|seen| seen != self.memory[m.cell]) || !self.take(thread)
                    {
                        return false;
                    }
                    moved = true;
                }
            }
        }
        true
    }

    /// Does some interleaving begin with the move, if there is any? The rules of this module.
    fn at_once(&self, phase: &Phase, m: &Move) -> bool {
        let held = self.memory[m.cell];
        match (m.sees, m.stores) {
            _ if m.alone => true,
            (Some(seen), None) => seen == held,
            (Some(seen), Some(_)) => {
                seen == held && self.readers[seen] == 1 && self.writers[seen] == 0
            }
            (None, Some(stored)) => {
                let unseen = self.readers[stored] == 0
                    && match phase.wanted[m.cell] {
                        Wanted::Value(value) => value != stored,
                        Wanted::Anything => true,
                        Wanted::Unknown => false,
                    };
                (held == stored || self.readers[held] == 0)
                    && (unseen || self.writes[m.cell] == self.writers[stored])
            }
            (None, None) => true,
        }
    }

    /// The threads that can change the memory, the most promising one last: one whose value others
    /// wait for, and most of all one for which all wait that want it.
    fn choices(&self) -> Vec<usize> {
        let Some(phase) = self.run.phases.get(self.phase) else { return Vec::new() };
        let front = |thread| Some((thread, self.next(phase, thread)?));
        let fronts: Vec<(usize, &Move)> = (0..self.positions.len()).filter_map(front).collect();
        let mut waiting = vec![0; self.run.values];
        for seen in fronts.iter().filter_map(|(_, m)| m.sees) {
            waiting[seen] += 1;
        }
        let mut choices: Vec<(u32, usize)> = Vec::new();
        for (thread, m) in &fronts {
            let now = m.sees.is_none_or(|seen| seen == self.memory[m.cell]);
            if let (Some(stored), true) = (m.stores, now) {
                let early = self.readers[stored] - waiting[stored];
                choices.push((if self.writers[stored] > 1 { 0 } else { early }, *thread));
            }
        }
        choices.sort_unstable_by_key(|(early, _)| std::cmp::Reverse(*early));
        choices.into_iter().map(|(_, thread)| thread).collect()
    }

    /// The next move of a thread, unless it waits at a barrier of a narrower scope than the block.
    fn next<'p>(&self, phase: &'p Phase, thread: usize) -> Option<&'p Move> {
        let next = phase.threads[thread].get(self.positions[thread])?;
        if phase.meetings.is_empty() {
            return Some(next);
        }
        let there = |(thread, moves): &(usize, usize)| self.positions[*thread] >= *moves;
        let met = |meeting: usize| phase.meetings[meeting].iter().all(there);
        let mut before = phase.own[thread].iter().take(next.after.1).skip(next.after.0);
        before.all(|meeting| met(*meeting)).then_some(next)
    }

    /// Makes the next move of the thread, which there is, and which sees what it yields; can
    /// something follow?
    fn take(&mut self, thread: usize) -> bool {
        let phase = &self.run.phases[self.phase];
        let Some(m) = self.next(phase, thread) else { return false };
        let held = self.memory[m.cell];
        self.trail.push(Step::Access(thread, held));
        self.positions[thread] += 1;
        if let Some(seen) = m.sees {
            self.readers[seen] -= 1;
        }
        let Some(stored) = m.stores else { return true };
        self.writers[stored] -= 1;
        self.writes[m.cell] -= 1;
        self.memory[m.cell] = stored;
        let lost = held != stored && self.readers[held] > 0 && self.writers[held] == 0;
        !lost && self.ends_well(phase, m.cell)
    }

    /// Can the cell hold what is wanted after the phase?
    fn ends_well(&self, phase: &Phase, cell: usize) -> bool {
        match phase.wanted[cell] {
            Wanted::Value(value) if self.writes[cell] == 0 => self.memory[cell] == value,
            Wanted::Value(value) => self.writers[value] > 0,
            Wanted::Anything | Wanted::Unknown => true,
        }
    }

    /// Goes back to where the trail was so long.
    fn undo(&mut self, trail: usize) {
        while self.trail.len() > trail {
            match self.trail.pop() {
                Some(Step::Access(thread, held)) => {
                    self.positions[thread] -= 1;
                    let phase = &self.run.phases[self.phase];
                    let m = phase.threads[thread][self.positions[thread]];
                    if let Some(seen) = m.sees {
                        self.readers[seen] += 1;
                    }
                    if let Some(stored) = m.stores {
                        self.writers[stored] += 1;
                        self.writes[m.cell] += 1;
                        self.memory[m.cell] = held;
                    }
                }
                Some(Step::Barrier) => {
                    // Of the phase before, all accesses were made.
                    self.readers.fill(0);
                    self.writers.fill(0);
                    self.writes.fill(0);
                    self.phase -= 1;
                    let lengths = self.run.phases[self.phase].threads.iter().map(Vec::len);
                    self.positions.clear();
                    self.positions.extend(lengths);
                }
                None => {}
            }
        }
    }

    /// Whose accesses led here.
    fn order(&self) -> Vec<usize> {
        let thread = |step: &Step| match step {
            Step::Access(thread, _) => Some(*thread),
            Step::Barrier => None,
        };
        self.trail.iter().filter_map(thread).collect()
    }
}
