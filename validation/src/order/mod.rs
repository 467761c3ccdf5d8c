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
mod fingerprint;
mod prepare;
mod stirred;
#[cfg(test)]
mod tests;

pub(crate) use end::end;

use crate::threads::{CellId, Run};
use fingerprint::{Fingerprint, Known, of_move, of_phase, of_value};
use prepare::{Held, Move, Phase, Prepared, Wanted, prepare};
use std::ops::Range;
use stirred::Stirred;

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

/// Answers the question, where at most `work` threads with accesses to come are asked what they could do
/// next, in each state once.
pub(crate) fn search(question: &Question<'_>, work: usize) -> Found {
    let Some(prepared) = prepare(question) else { return Found::None };
    let Some(mut at) = At::start(&prepared, question.runs.len()) else { return Found::None };
    let (mut seen, mut left) = (Known::default(), work);
    // Where several steps are possible: how long the trail was there, and the steps not yet taken,
    // the most promising one last.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    loop {
        match at.advance() {
            Advanced::ToGoal => return Found::Interleaving(at.order()),
            Advanced::Nowhere => {}
            Advanced::ToChoice => {
                let choices = at.choices();
                // Where there is no choice, the state behind it is known as well.
                if choices.len() < 2 || seen.insert(at.fingerprint()) {
                    let asked = at.fronts.iter().filter(|cell| **cell != NONE).count();
                    let Some(still) = left.checked_sub(asked) else {
                        return Found::Undecided;
                    };
                    left = still;
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

/// Where the moves that need no choice lead.
enum Advanced {
    /// To the end of the run, with the right memory.
    ToGoal,
    /// To where a thread must be chosen.
    ToChoice,
    /// To where nothing of what was seen can follow.
    Nowhere,
}

/// No cell.
const NONE: u32 = u32::MAX;

/// A place in all interleavings.
struct At<'a> {
    run: &'a Prepared,
    phase: usize,
    /// How far each thread is in the phase.
    positions: Vec<usize>,
    memory: Vec<Held>,
    /// What the positions and the memory add to the fingerprint.
    moved: Fingerprint,
    held: Fingerprint,
    /// How many accesses of the phase are still to come.
    left: usize,
    /// The cell of the next access of each thread, or [`NONE`].
    fronts: Vec<u32>,
    /// The threads whose next access may have become one to be taken at once.
    stirred: Stirred,
    /// How many threads wait for each value; 0, but in [`At::choices`].
    waiting: Vec<u32>,
    /// The accesses of the phase that are still to come: how many see a value, store a value, and
    /// store anything in a cell.
    readers: Vec<u32>,
    writers: Vec<u32>,
    writes: Vec<u32>,
    /// Of each meeting of the phase, the threads that have moves to make before it.
    late: Vec<usize>,
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
        let memory = run.before.clone();
        let mut at = At {
            run,
            phase: 0,
            positions: vec![0; threads],
            moved: 0,
            held: memory.iter().fold(0, |all, held| all ^ of_value(*held)),
            memory,
            left: 0,
            fronts: vec![NONE; threads],
            stirred: Stirred::of(threads),
            waiting: vec![0; run.values],
            readers: vec![0; run.values],
            writers: vec![0; run.values],
            writes: vec![0; run.before.len()],
            late: Vec::new(),
            trail: Vec::new(),
        };
        at.enter().then_some(at)
    }

    /// Counts the accesses of the phase; is everything that they see still to be had?
    fn enter(&mut self) -> bool {
        let Some(phase) = self.run.phases.get(self.phase) else { return true };
        self.left = phase.moves;
        self.stirred.all();
        self.late = vec![0; phase.meetings.len()];
        for (meeting, _) in phase.own.iter().flatten().filter(|(_, moves)| *moves > 0) {
            self.late[*meeting] += 1;
        }
        let all = &self.run.moves;
        for (front, own) in self.fronts.iter_mut().zip(&phase.threads) {
            *front = all[own.clone()].first().map_or(NONE, |m| m.cell);
        }
        let moves = || phase.threads.iter().flat_map(|own| &all[own.clone()]);
        for m in moves() {
            if let Some(value) = m.sees {
                self.readers[value as usize] += 1;
            }
            if let Some(value) = m.stores {
                self.writers[value as usize] += 1;
                self.writes[m.cell as usize] += 1;
            }
        }
        moves().all(|m| {
            let seen = |value: &Held| {
                self.memory[m.cell as usize] == *value || self.writers[*value as usize] > 0
            };
            m.sees.as_ref().is_none_or(seen) && self.ends_well(phase, m.cell)
        })
    }

    /// Takes the moves that need no choice.
    fn advance(&mut self) -> Advanced {
        while let Some(phase) = self.run.phases.get(self.phase) {
            if !self.settle(phase) {
                return Advanced::Nowhere;
            }
            if self.left > 0 {
                let mut threads = 0..self.positions.len();
                // Where there are meetings, all threads may wait.
                let goes_on = phase.meetings.is_empty()
                    || threads.any(|thread| self.next(phase, thread).is_some());
                return if goes_on { Advanced::ToChoice } else { Advanced::Nowhere };
            }
            self.trail.push(Step::Barrier);
            (self.phase, self.moved) = (self.phase + 1, 0);
            self.positions.fill(0);
            if !self.enter() {
                return Advanced::Nowhere;
            }
        }
        if self.memory == self.run.after { Advanced::ToGoal } else { Advanced::Nowhere }
    }

    fn fingerprint(&self) -> Fingerprint {
        of_phase(self.phase) ^ self.moved ^ self.held
    }

    /// Takes the moves of the phase that need no choice; can something follow?
    fn settle(&mut self, phase: &Phase) -> bool {
        let mut from = 0;
        // One thread after the other, round by round.
        while let Some(thread) = self.stirred.next(from).or_else(|| self.stirred.next(0)) {
            while let Some(m) = self.next(phase, thread).filter(|m| self.at_once(phase, m)) {
                if m.sees.is_some_and(|seen| seen != self.memory[m.cell as usize])
                    || !self.take(thread)
                {
                    return false;
                }
            }
            self.stirred.settle(thread);
            from = thread + 1;
        }
        true
    }

    /// Does some interleaving begin with the move, if there is any? The rules of this module.
    fn at_once(&self, phase: &Phase, m: &Move) -> bool {
        let held = self.memory[m.cell as usize];
        let (readers, writers) =
            (|n: Held| self.readers[n as usize], |n: Held| self.writers[n as usize]);
        match (m.sees, m.stores) {
            _ if m.alone => true,
            (Some(seen), None) => seen == held,
            (Some(seen), Some(_)) => seen == held && readers(seen) == 1 && writers(seen) == 0,
            (None, Some(stored)) => {
                let unseen = readers(stored) == 0
                    && match phase.wanted[m.cell as usize] {
                        Wanted::Value(value) => value != stored,
                        Wanted::Anything => true,
                        Wanted::Unknown => false,
                    };
                (held == stored || readers(held) == 0)
                    && (unseen || self.writes[m.cell as usize] == writers(stored))
            }
            (None, None) => true,
        }
    }

    /// The threads that can change the memory, the most promising one last: one whose value others
    /// wait for, and most of all one for which all wait that want it.
    fn choices(&mut self) -> Vec<usize> {
        let Some(phase) = self.run.phases.get(self.phase) else { return Vec::new() };
        let fronts = self.fronts.iter().enumerate().filter(|(_, cell)| **cell != NONE);
        let fronts = fronts.filter_map(|(thread, _)| Some((thread, self.next(phase, thread)?)));
        let fronts: Vec<(usize, &Move)> = fronts.collect();
        for seen in fronts.iter().filter_map(|(_, m)| m.sees) {
            self.waiting[seen as usize] += 1;
        }
        let mut choices: Vec<(u32, usize)> = Vec::new();
        for (thread, m) in &fronts {
            let now = m.sees.is_none_or(|seen| seen == self.memory[m.cell as usize]);
            if let (Some(stored), true) = (m.stores, now) {
                let stored = stored as usize;
                let early = self.readers[stored] - self.waiting[stored];
                choices.push((if self.writers[stored] > 1 { 0 } else { early }, *thread));
            }
        }
        for seen in fronts.iter().filter_map(|(_, m)| m.sees) {
            self.waiting[seen as usize] = 0;
        }
        choices.sort_unstable_by_key(|(early, _)| std::cmp::Reverse(*early));
        choices.into_iter().map(|(_, thread)| thread).collect()
    }

    /// The next move of a thread, unless it waits at a barrier of a narrower scope than the block.
    fn next(&self, phase: &Phase, thread: usize) -> Option<&'a Move> {
        let next = self.run.moves[phase.threads[thread].clone()].get(self.positions[thread])?;
        if phase.meetings.is_empty() {
            return Some(next);
        }
        let before = next.after.0 as usize..next.after.1 as usize;
        phase.own[thread][before]
            .iter()
            .all(|(meeting, _)| self.late[*meeting] == 0)
            .then_some(next)
    }

    /// Makes the next move of the thread, which there is, and which sees what it yields; can
    /// something follow?
    fn take(&mut self, thread: usize) -> bool {
        let phase = &self.run.phases[self.phase];
        let Some(m) = self.next(phase, thread).copied() else { return false };
        let cell = m.cell as usize;
        let held = self.memory[cell];
        self.trail.push(Step::Access(thread, held));
        self.step(phase, thread, true);
        if let Some(seen) = m.sees {
            self.readers[seen as usize] -= 1;
        }
        // What may be done at once depends on what is done with the cell, and on meetings.
        if !m.alone {
            self.stirred.of_cell(&self.fronts, m.cell);
        }
        self.stirred.add(thread);
        let Some(stored) = m.stores else { return true };
        self.writers[stored as usize] -= 1;
        self.writes[cell] -= 1;
        self.memory[cell] = stored;
        self.held ^= of_value(held) ^ of_value(stored);
        let lost =
            held != stored && self.readers[held as usize] > 0 && self.writers[held as usize] == 0;
        !lost && self.ends_well(phase, m.cell)
    }

    /// The thread is one move further, or back.
    fn step(&mut self, phase: &Phase, thread: usize, further: bool) {
        let position = &mut self.positions[thread];
        let own = &self.run.moves[phase.threads[thread].clone()];
        // How many moves it has made when it has made this one.
        let made = if further { *position + 1 } else { *position };
        self.moved ^= of_move(thread, made - 1);
        let meetings = phase.own.get(thread).map_or(&[][..], Vec::as_slice);
        let first = meetings.partition_point(|(_, moves)| *moves < made);
        let reached = meetings[first..].iter().take_while(|(_, moves)| *moves == made);
        if further {
            (*position, self.left) = (made, self.left - 1);
            for (meeting, _) in reached {
                self.late[*meeting] -= 1;
                if self.late[*meeting] == 0 {
                    phase.meetings[*meeting].clone().for_each(|thread| self.stirred.add(thread));
                }
            }
        } else {
            (*position, self.left) = (made - 1, self.left + 1);
            reached.for_each(|(meeting, _)| self.late[*meeting] += 1);
        }
        self.fronts[thread] = own.get(*position).map_or(NONE, |m| m.cell);
    }

    /// Can the cell hold what is wanted after the phase?
    fn ends_well(&self, phase: &Phase, cell: u32) -> bool {
        let cell = cell as usize;
        match phase.wanted[cell] {
            Wanted::Value(value) if self.writes[cell] == 0 => self.memory[cell] == value,
            Wanted::Value(value) => self.writers[value as usize] > 0,
            Wanted::Anything | Wanted::Unknown => true,
        }
    }

    /// Goes back to where the trail was so long.
    fn undo(&mut self, trail: usize) {
        // It was left with all settled.
        self.stirred.none();
        while self.trail.len() > trail {
            match self.trail.pop() {
                Some(Step::Access(thread, held)) => {
                    let phase = &self.run.phases[self.phase];
                    self.step(phase, thread, false);
                    let m = self.run.moves[phase.threads[thread].start + self.positions[thread]];
                    if let Some(seen) = m.sees {
                        self.readers[seen as usize] += 1;
                    }
                    if let Some(stored) = m.stores {
                        self.writers[stored as usize] += 1;
                        self.writes[m.cell as usize] += 1;
                        self.memory[m.cell as usize] = held;
                        self.held ^= of_value(held) ^ of_value(stored);
                    }
                }
                Some(Step::Barrier) => {
                    // Of the phase before, all accesses were made.
                    self.readers.fill(0);
                    self.writers.fill(0);
                    self.writes.fill(0);
                    self.fronts.fill(NONE);
                    (self.phase, self.left, self.moved) = (self.phase - 1, 0, 0);
                    let Phase { threads, meetings, .. } = &self.run.phases[self.phase];
                    self.late = vec![0; meetings.len()];
                    for (thread, own) in threads.iter().enumerate() {
                        self.positions[thread] = own.len();
                        let made = (0..own.len()).map(|number| of_move(thread, number));
                        self.moved = made.fold(self.moved, |all, own| all ^ own);
                    }
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
