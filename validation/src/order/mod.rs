//! All threads together: is there an interleaving in which every read and update yields what the
//! report says, and which leaves the memory as it says?
//!
//! The threads' accesses are known, so this is the question of whether a run is sequentially
//! consistent. States are the positions of the threads and the memory, and the search visits each
//! once. Three rules keep it small without losing an answer:
//!
//! - a step on a cell that no other thread interferes with in the phase is taken at once;
//! - so is a read that already yields its value;
//! - of a cell that threads only write in the phase, only the last write matters: the writes are
//!   taken at once, and at the end of the phase one of the threads' last ones is chosen, where what
//!   comes next tells by what is seen there.

mod prepare;
#[cfg(test)]
mod tests;

use crate::threads::{CellId, Effect, Run};
use prepare::{Kind, Move, Phase, Prepared, prepare};
use std::collections::HashSet;

/// What the search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// There is one.
    Interleaving,
    /// There is none.
    None,
    /// More work than allowed.
    Undecided,
}

pub(crate) struct Question<'a> {
    /// What each thread does.
    pub(crate) runs: &'a [Run],
    pub(crate) last_phase: u32,
    /// What a cell holds before.
    pub(crate) before: &'a dyn Fn(CellId) -> Option<u64>,
    /// What it holds after.
    pub(crate) after: &'a dyn Fn(CellId) -> Option<u64>,
}

/// A place in all interleavings: the phase, how far each thread is in it, how many of the cells
/// that are only written have their last write chosen, and the memory.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    phase: u32,
    positions: Vec<u32>,
    chosen: u32,
    memory: Vec<u64>,
}

/// Answers the question with at most `work` moves of a thread.
pub(crate) fn search(question: &Question<'_>, work: usize) -> Found {
    let Some(Prepared { phases, before, after }) = prepare(question) else { return Found::None };
    let positions = vec![0; question.runs.len()];
    let mut open = vec![State { phase: 0, positions, chosen: 0, memory: before }];
    let (mut seen, mut left) = (HashSet::new(), work);
    while let Some(mut state) = open.pop() {
        let choice = match advance(&phases, &after, &mut state) {
            Advanced::ToGoal => return Found::Interleaving,
            Advanced::Nowhere => continue,
            Advanced::ToChoice(choice) => choice,
        };
        let Some(still) = left.checked_sub(state.positions.len()) else { return Found::Undecided };
        left = still;
        if !seen.insert(state.clone()) {
            continue;
        }
        let phase = &phases[state.phase as usize];
        match choice {
            Choice::Thread => open.extend((0..state.positions.len()).filter_map(|thread| {
                let next = next(phase, &state, thread)?;
                let mut after = state.clone();
                take(next, &mut after, thread).then_some(after)
            })),
            Choice::LastWrite { cell, values } => open.extend(values.iter().map(|value| {
                let mut after = state.clone();
                choose(&mut after, cell, *value);
                after
            })),
        }
    }
    Found::None
}

/// Where the moves that need no choice lead.
enum Advanced<'a> {
    /// To the end of the run, with the right memory.
    ToGoal,
    /// To where something must be chosen.
    ToChoice(Choice<'a>),
    /// To where nothing of what was seen can follow.
    Nowhere,
}

/// What must be chosen.
enum Choice<'a> {
    /// Which thread is next.
    Thread,
    /// Which write of a cell was the last of the phase.
    LastWrite { cell: usize, values: &'a [u64] },
}

fn advance<'a>(phases: &'a [Phase], goal: &[u64], state: &mut State) -> Advanced<'a> {
    while let Some(phase) = phases.get(state.phase as usize) {
        if !settle(phase, state) {
            return Advanced::Nowhere;
        }
        if (0..state.positions.len()).any(|thread| next(phase, state, thread).is_some()) {
            return Advanced::ToChoice(Choice::Thread);
        }
        while let Some((cell, values)) = phase.only_written.get(state.chosen as usize) {
            match values[..] {
                [] => return Advanced::Nowhere,
                [value] => choose(state, *cell, value),
                _ => return Advanced::ToChoice(Choice::LastWrite { cell: *cell, values }),
            }
        }
        state.phase += 1;
        state.chosen = 0;
        state.positions.fill(0);
    }
    if state.memory == goal { Advanced::ToGoal } else { Advanced::Nowhere }
}

/// The next move of a thread.
fn next(phase: &Phase, state: &State, thread: usize) -> Option<Move> {
    phase.threads[thread].get(state.positions[thread] as usize).copied()
}

/// Takes the moves that need no choice; is what follows possible still?
fn settle(phase: &Phase, state: &mut State) -> bool {
    for thread in 0..state.positions.len() {
        while let Some(m) = next(phase, state, thread) {
            let at_once = match (m.kind, m.effect) {
                (Kind::Alone | Kind::OnlyWritten, _) | (Kind::Contested, Effect::Read(_)) => true,
                (Kind::Contested, Effect::Write(_) | Effect::Update { .. }) => false,
            };
            if !at_once || !take(m, state, thread) {
                // Other threads may still change what a contested read sees.
                if m.kind == Kind::Contested {
                    break;
                }
                return false;
            }
        }
    }
    true
}

/// Makes the move, if the cell holds what it yields.
fn take(m: Move, state: &mut State, thread: usize) -> bool {
    let value = &mut state.memory[m.cell];
    if m.effect.seen().is_some_and(|seen| seen != *value) {
        return false;
    }
    if let Some(stored) = m.effect.stored()
        && m.kind != Kind::OnlyWritten
    {
        *value = stored;
    }
    state.positions[thread] += 1;
    true
}

/// Says what the next of the cells that are only written holds after the phase.
fn choose(state: &mut State, cell: usize, value: u64) {
    state.memory[cell] = value;
    state.chosen += 1;
}
