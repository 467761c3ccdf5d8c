//! Definition 1, changed.

use babycuda_core::history::Race;
use babycuda_core::{AccessMode, History, Phase};

/// What counts as a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Races {
    /// Only two writes do.
    TwoWrites,
    /// Two writes do not where they store the same value.
    OtherValues,
    /// Only threads `i` and `i + 1` are compared.
    Neighbours,
    /// All phases are taken for one.
    OnePhase,
}

impl Races {
    /// The change of this name.
    pub fn named(name: &str) -> Option<Races> {
        Some(match name {
            "two-writes" => Races::TwoWrites,
            "other-values" => Races::OtherValues,
            "neighbours" => Races::Neighbours,
            "one-phase" => Races::OnePhase,
            _ => return None,
        })
    }

    /// Is a history racy, by the changed definition?
    pub fn is_racy(self, history: &History) -> bool {
        match self {
            Races::OnePhase => merged(history).is_racy(),
            _ => history
                .chronological()
                .any(|(n, phase)| phase.races(n).any(|race| self.counts(phase, &race))),
        }
    }

    /// Is a race of a phase still one?
    fn counts(self, phase: &Phase, race: &Race) -> bool {
        let both_write = race.first.1 == AccessMode::Wr && race.second.1 == AccessMode::Wr;
        match self {
            Races::TwoWrites => both_write,
            Races::OtherValues => {
                let value = |thread| phase.get(thread).writes.get(&race.cell).cloned();
                !both_write || value(race.first.0) != value(race.second.0)
            }
            Races::Neighbours => race.second.0 == race.first.0 + 1,
            Races::OnePhase => true,
        }
    }
}

/// All accesses as those of one phase.
fn merged(history: &History) -> Phase {
    let mut all = Phase::default();
    for (_, phase) in history.chronological() {
        for (thread, accesses) in phase.threads() {
            let mut sum = all.get(thread);
            sum.reads.extend(accesses.reads.iter().cloned());
            sum.writes.extend(accesses.writes.iter().map(|(cell, k)| (cell.clone(), k.clone())));
            all.insert(thread, sum);
        }
    }
    all
}
