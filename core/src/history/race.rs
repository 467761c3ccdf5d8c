//! Races of a phase (LCL22 Def. 1).

use super::{AccessMode, Accesses, Cell, Phase, Place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Which accesses clash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RaceKind {
    /// Two writes.
    #[serde(rename = "ww")]
    WriteWrite,
    /// A read and a write.
    #[serde(rename = "rw")]
    ReadWrite,
    /// An atomic update with a read, a write, or an atomic update of too narrow a scope.
    #[serde(rename = "at")]
    Atomic,
}

impl RaceKind {
    /// The kind of a race of two conflicting modes.
    pub fn of(first: AccessMode, second: AccessMode) -> RaceKind {
        match (first, second) {
            (AccessMode::At(_), _) | (_, AccessMode::At(_)) => RaceKind::Atomic,
            (AccessMode::Wr, AccessMode::Wr) => RaceKind::WriteWrite,
            _ => RaceKind::ReadWrite,
        }
    }

    /// `write-write`, `read-write` or `atomic`.
    pub fn description(self) -> &'static str {
        match self {
            RaceKind::WriteWrite => "write-write",
            RaceKind::ReadWrite => "read-write",
            RaceKind::Atomic => "atomic",
        }
    }
}

impl fmt::Display for RaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RaceKind::WriteWrite => "ww",
            RaceKind::ReadWrite => "rw",
            RaceKind::Atomic => "at",
        })
    }
}

/// A race of a phase (LCL22 Def. 1): two threads of one block, one cell, conflicting modes.
///
/// This is all that a history tells. With its launch and statements, as a search finds it and a
/// report shows it, a race is a [`Witness`](crate::evidence::Witness).
///
/// Each unordered pair is given once: `first.0 < second.0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Race {
    /// The phase, counted from the oldest, from 0.
    pub phase: usize,
    /// The cell.
    pub cell: Cell,
    /// The thread with the smaller identifier, and how it accesses the cell.
    pub first: (u64, AccessMode),
    /// The other thread.
    pub second: (u64, AccessMode),
}

impl Race {
    /// Its kind.
    pub fn kind(&self) -> RaceKind {
        RaceKind::of(self.first.1, self.second.1)
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Race { phase, cell, first, second } = self;
        write!(
            f,
            "phase {phase}: thread {} {} / thread {} {} on {cell}",
            first.0, first.1, second.0, second.1
        )
    }
}

impl Phase {
    /// Is the phase racy (LCL22 Def. 1)? Some cell is accessed by two threads in conflicting modes, and
    /// no barrier of the phase orders the accesses.
    pub fn is_racy(&self) -> bool {
        self.clashes().next().is_some()
    }

    /// All races of the phase, by cell, then by threads; `number` is the phase's.
    pub fn races(&self, number: usize) -> impl Iterator<Item = Race> {
        let race = move |((cell, first, _), (_, second, _)): (Staged<&Cell>, Staged<&Cell>)| Race {
            phase: number,
            cell: cell.clone(),
            first,
            second,
        };
        let races = self.clashes().map(race);
        // Threads may clash on a cell in several stages.
        let (once, again) = match self.is_staged() {
            false => (Some(races), None),
            true => (None, Some(races.collect::<BTreeSet<Race>>())),
        };
        once.into_iter().flatten().chain(again.into_iter().flatten())
    }

    /// The pairs of accesses that race, each with its stage: two threads may clash on a cell in one
    /// stage, and be ordered in another.
    pub fn clashes(&self) -> impl Iterator<Item = (Staged<&Cell>, Staged<&Cell>)> {
        let of = |((stage, thread), own): (Place, _)| {
            Accesses::iter(own).map(move |(mode, cell)| (cell, (thread, mode), stage))
        };
        let mut accesses: Vec<_> = self.places().flat_map(of).collect();
        accesses.sort_unstable();
        conflicts(accesses).filter(|((_, first, k), (_, second, l))| {
            let (p, q) = ((*k, first.0), (*l, second.0));
            !(self.precedes(p, q) || self.precedes(q, p))
        })
    }
}

/// An access: the cell, its thread and mode, and the stage.
pub type Staged<C> = (C, (u64, AccessMode), usize);

/// The conflicting pairs of accesses to one cell by different threads of a block; `accesses` is sorted.
pub fn conflicts<C: Copy + PartialEq>(
    accesses: Vec<Staged<C>>,
) -> impl Iterator<Item = (Staged<C>, Staged<C>)> {
    // Most cells are only read, by many threads.
    let to_one_cell = accesses.chunk_by(|(c, ..), (d, ..)| c == d);
    let changed = to_one_cell.filter(|all| all.iter().any(|(_, (_, m), _)| *m != AccessMode::Rd));
    let accesses: Vec<_> = changed.flatten().copied().collect();
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let first = *accesses.get(i)?;
            j += 1;
            match accesses.get(j) {
                Some(second) if second.0 == first.0 => {
                    let ((t, m), (u, n)) = (first.1, second.1);
                    if t != u && m.conflicts(n, true) {
                        return Some((first, *second));
                    }
                }
                _ => (i, j) = (i + 1, i + 1),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Scope;

    #[test]
    fn pairs_are_those_of_the_definition_in_order() {
        use AccessMode::{At, Rd, Wr};
        let modes = [Rd, Wr, At(Scope::Device), At(Scope::Block)];
        // Every list of up to four accesses by up to three threads; to two cells in turn, in odd ones.
        for number in 0..8u32.pow(4) * 6 {
            let length = number as usize % 5;
            let accesses = (0..length).map(|k| {
                let digit = (number / 5) >> (3 * k);
                let cell = (number as usize / 3 * k) % 2;
                (cell, (u64::from(digit / 4 % 3), modes[digit as usize % 4]), k)
            });
            let mut accesses: Vec<Staged<usize>> = accesses.collect();
            accesses.sort();
            let mut expected = Vec::new();
            for (i, first) in accesses.iter().enumerate() {
                for second in &accesses[i + 1..] {
                    let ((t, m), (u, n)) = (first.1, second.1);
                    if first.0 == second.0 && t != u && m.conflicts(n, true) {
                        expected.push((*first, *second));
                    }
                }
            }
            assert_eq!(conflicts(accesses).collect::<Vec<_>>(), expected);
        }
    }
}
