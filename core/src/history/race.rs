//! Races of a phase (LCL22 Def. 1).

use super::{AccessMode, Cell, Phase, Place};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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

    /// The stable code of the kind, for reports: `BC001` to `BC003`.
    pub fn code(self) -> &'static str {
        match self {
            RaceKind::WriteWrite => "BC001",
            RaceKind::ReadWrite => "BC002",
            RaceKind::Atomic => "BC003",
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
    /// Is the phase racy (LCL22 Def. 1)? Some cell is accessed by two threads in conflicting modes.
    pub fn is_racy(&self) -> bool {
        self.races(0).next().is_some()
    }

    /// All races of the phase, by cell, then by threads; `number` is the phase's.
    pub fn races(&self, number: usize) -> impl Iterator<Item = Race> {
        let mut by_cell: BTreeMap<&Cell, Vec<(u64, AccessMode)>> = BTreeMap::new();
        let unordered = self.unordered(number);
        // Without stages no two threads are ordered.
        let together = unordered.is_none().then(|| self.threads()).into_iter().flatten();
        for (thread, accesses) in together {
            for (mode, cell) in accesses.iter() {
                by_cell.entry(cell).or_default().push((thread, mode));
            }
        }
        by_cell
            .into_iter()
            .flat_map(move |(cell, accesses)| {
                pairs(accesses).map(move |(first, second)| Race {
                    phase: number,
                    cell: cell.clone(),
                    first,
                    second,
                })
            })
            .chain(unordered.into_iter().flatten())
    }

    /// With stages, all races: conflicting accesses of two threads, neither before the other.
    fn unordered(&self, phase: usize) -> Option<BTreeSet<Race>> {
        self.is_staged().then_some(())?;
        let mut by_cell: BTreeMap<&Cell, Vec<(Place, AccessMode)>> = BTreeMap::new();
        for (place, accesses) in self.places() {
            for (mode, cell) in accesses.iter() {
                by_cell.entry(cell).or_default().push((place, mode));
            }
        }
        let mut races = BTreeSet::new();
        for (cell, accesses) in by_cell {
            for (n, (p, first)) in accesses.iter().enumerate() {
                for (q, second) in &accesses[n + 1..] {
                    let apart = p.1 != q.1 && !self.precedes(*p, *q) && !self.precedes(*q, *p);
                    if apart && first.conflicts(*second, true) {
                        let mut pair = [(p.1, *first), (q.1, *second)];
                        pair.sort();
                        let [first, second] = pair;
                        races.insert(Race { phase, cell: cell.clone(), first, second });
                    }
                }
            }
        }
        Some(races)
    }
}

/// The conflicting pairs of accesses by different threads; `accesses` is sorted by thread.
fn pairs(
    accesses: Vec<(u64, AccessMode)>,
) -> impl Iterator<Item = ((u64, AccessMode), (u64, AccessMode))> {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            j += 1;
            if j >= accesses.len() {
                i += 1;
                j = i + 1;
            }
            let (first, second) = (*accesses.get(i)?, *accesses.get(j)?);
            if first.0 != second.0 && first.1.conflicts(second.1, true) {
                return Some((first, second));
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
        // Every list of up to four accesses by up to three threads.
        for number in 0..8u32.pow(4) * 3 {
            let length = number as usize % 5;
            let mut accesses: Vec<(u64, AccessMode)> = (0..length)
                .map(|k| {
                    let digit = (number / 5) >> (3 * k);
                    (u64::from(digit / 4 % 3), modes[digit as usize % 4])
                })
                .collect();
            accesses.sort();
            let mut expected = Vec::new();
            for (i, first) in accesses.iter().enumerate() {
                for second in &accesses[i + 1..] {
                    if first.0 != second.0 && first.1.conflicts(second.1, true) {
                        expected.push((*first, *second));
                    }
                }
            }
            assert_eq!(pairs(accesses).collect::<Vec<_>>(), expected);
        }
    }
}
